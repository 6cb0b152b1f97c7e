use std::cell::RefCell;

use quorate::Error;
use quorate::ed25519::{Ed25519, PublicKey};
use quorate::scheme::Scheme;
use quorate::threshold::ecdsa::{Curve, ShareFault, SignatureShare};
use quorate::wire::{Decode, Encode};

use super::harness::{Run, agreed, unagreed, wrong};

fn identity(member: u16) -> <Ed25519 as Scheme>::SecretKey {
    Ed25519::secret_from_bytes(&[member as u8 + 100; 32]).unwrap()
}

fn key(member: u16) -> PublicKey {
    Ed25519::public_key(&identity(member))
}

fn attested<G: Curve>(mut share: SignatureShare<G>) -> SignatureShare<G> {
    let signature = Ed25519::sign(&identity(share.member()), &share.attested_bytes());
    share.attest(signature.encode()).unwrap();
    share
}

fn check(member: u16, bytes: &[u8], attestation: &[u8]) -> quorate::Result<()> {
    Ed25519::verify(&key(member), bytes, &Decode::decode(attestation, &())?)
}

pub(crate) fn decoded_evidence_verifies_for_third_parties<G: Curve>() {
    let ceremony = unagreed::<G>(4, 1);
    let mut run = Run::new(&ceremony.signing);
    run.add(&attested(wrong(&ceremony.shares[0], 1))).unwrap();
    ceremony.shares[1..]
        .iter()
        .for_each(|share| run.add_and_open(&attested(share.clone()), &ceremony.openings));
    run.open(&ceremony.openings[0]).unwrap();
    assert_eq!(run.culprits, [0]);

    // A third party has the bytes, the key, the deal and the parties' identity keys.
    let bytes = run.faults[0].encode();
    let fault = ShareFault::<G>::decode(&bytes, &()).unwrap();
    assert_eq!(fault, run.faults[0]);
    let (group, deal) = (ceremony.dealer.key(), &ceremony.deal);
    assert_eq!(fault.verify(group, deal, check), Ok(0));

    // The culprit's attestation is required.
    let asked = RefCell::new(vec![]);
    let note = |member, _: &[u8], _: &[u8]| {
        asked.borrow_mut().push(member);
        Err(Error::BadSignature { signers: vec![member] })
    };
    assert_eq!(fault.verify(group, deal, note), Err(Error::BadSignature { signers: vec![0] }));
    assert_eq!(asked.into_inner(), [0]);
    // No changed byte makes it convict another member.
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 1;
        if let Ok(other) = ShareFault::<G>::decode(&other, &()) {
            assert!(other.verify(group, deal, check).is_err(), "byte {at}");
        }
    }
    let other = unagreed::<G>(5, 1);
    assert_eq!(fault.verify(other.dealer.key(), &other.deal, check).unwrap_err().code(), "WRONG_CONTEXT");
}

pub(crate) fn evidence_against_a_right_share_is_refused<G: Curve>() {
    let ceremony = unagreed::<G>(4, 1);
    let mut run = Run::new(&ceremony.signing);
    let bad = attested(wrong(&ceremony.shares[0], 1));
    run.add(&bad).unwrap();
    ceremony.shares[1..].iter().for_each(|share| run.add_and_open(share, &ceremony.openings));
    run.open(&ceremony.openings[0]).unwrap();
    // The share replaced by the right one, which the party attested too.
    let bytes = run.faults[0].encode();
    let right = attested(ceremony.shares[0].clone()).encode();
    let at = bytes.windows(15).position(|window| window == &right[..15]).unwrap();
    let mut framed = bytes.clone();
    framed[at..at + right.len()].copy_from_slice(&right);
    let framed = ShareFault::<G>::decode(&framed, &()).unwrap();
    assert_eq!(framed.verify(ceremony.dealer.key(), &ceremony.deal, check), Err(Error::NotEvidence));
}

pub(crate) fn evidence_of_an_outlier_needs_enough_agreeing_shares<G: Curve>() {
    let ceremony = agreed::<G>(7, 2);
    let shares: Vec<_> = ceremony.shares.iter().cloned().map(attested).collect();
    let mut run = Run::new(&ceremony.signing);
    run.add(&attested(wrong(&ceremony.shares[6], 1))).unwrap();
    shares[..6].iter().for_each(|share| drop(run.add(share).unwrap()));
    assert_eq!(run.culprits, [6]);
    let (group, deal) = (ceremony.dealer.key(), &ceremony.deal);
    let bytes = run.faults[0].encode();
    let fault = ShareFault::<G>::decode(&bytes, &()).unwrap();
    assert_eq!(fault.verify(group, deal, check), Ok(6));

    // 2 ‖ culprit ‖ count ‖ five others, all of one length.
    let each = shares[0].encode().len();
    let build = |culprit: &SignatureShare<G>, others: &[&SignatureShare<G>]| {
        let mut bytes = vec![2];
        bytes.extend(culprit.encode());
        bytes.extend((others.len() as u32).to_le_bytes());
        others.iter().for_each(|share| bytes.extend(share.encode()));
        ShareFault::<G>::decode(&bytes, &()).unwrap()
    };
    assert_eq!(bytes.len(), 1 + each + 4 + 5 * each);
    let culprit = attested(wrong(&ceremony.shares[6], 1));
    let five: Vec<_> = shares[..5].iter().collect();
    assert_eq!(build(&culprit, &five).verify(group, deal, check), Ok(6));
    // One fewer; one twice; the culprit among them; one that agrees; one of the five wrong.
    assert_eq!(build(&culprit, &five[..4]).verify(group, deal, check), Err(Error::NotEvidence));
    let twice = [five[0], five[0], five[1], five[2], five[3]];
    assert_eq!(build(&culprit, &twice).verify(group, deal, check), Err(Error::DuplicateSigner { index: 0 }));
    let among = [&culprit, five[1], five[2], five[3], five[4]];
    assert_eq!(build(&culprit, &among).verify(group, deal, check), Err(Error::DuplicateSigner { index: 6 }));
    assert_eq!(build(&shares[6], &five).verify(group, deal, check), Err(Error::NotEvidence));
    let bad = attested(wrong(&ceremony.shares[4], 1));
    let spoilt = [five[0], five[1], five[2], five[3], &bad];
    assert_eq!(build(&shares[5], &spoilt).verify(group, deal, check), Err(Error::NotEvidence));
    // An unattested share.
    let silent = [&ceremony.shares[0], five[1], five[2], five[3], five[4]];
    assert!(build(&culprit, &silent).verify(group, deal, check).is_err());
    // Where more than f + 1 shares are needed, f + 1 honest ones among t + f do not suffice.
    let ceremony = unagreed::<G>(7, 2);
    let fault = build(&wrong(&ceremony.shares[6], 1), &ceremony.shares[..6].iter().collect::<Vec<_>>());
    let refused = fault.verify(ceremony.dealer.key(), &ceremony.deal, |_, _, _| Ok(()));
    assert_eq!(refused, Err(Error::NotEvidence));
}
