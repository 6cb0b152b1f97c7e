use quorate::Error;
use quorate::threshold::ecdsa::{
    Curve, Deal, GroupKey, Opening, Plan, Presignatures, ShareFault, Signature, SignatureShare, TrustedDealer,
};
use quorate::wire::{Decode, Encode};

use super::harness::{COMMITTEE, MESSAGE, Party, Run, agreed, dealer, rng};

const PLAN: Plan = Plan::Unagreed { count: 3 };

fn file<G: Curve>() -> Vec<u8> {
    dealer::<G>(4, 1).deal(9, PLAN, &mut rng(4)).unwrap()[2].to_bytes().unwrap().to_vec()
}

/// Offset of the presignatures.
fn head<G: Curve>(file: &[u8]) -> usize {
    file.len() - 3 * (G::ELEMENT_LEN + 128)
}

pub(crate) fn files_round_trip<G: Curve>() {
    let file = file::<G>();
    assert_eq!(
        file.len(),
        1 + 32 + 4 + G::ELEMENT_LEN + 2 + (32 + 8 + 5 + 4 + 4 * 32) + 3 * (G::ELEMENT_LEN + 128)
    );
    let read = Presignatures::<G>::from_bytes(&file).unwrap();
    assert_eq!((read.member(), read.left(), read.deal().epoch()), (2, 3, 9));
    assert_eq!(read.to_bytes().unwrap()[..], file[..]);
    assert!((0..3).all(|index| read.audit(index).is_ok()));
    // The dealer can continue from its key alone.
    let first = dealer::<G>(4, 1);
    let again =
        TrustedDealer::<G>::from_bytes(COMMITTEE, first.key().tolerance(), &first.to_bytes()).unwrap();
    assert_eq!(again.key(), read.key());
    for secret in [[0; 32], [0xff; 32]] {
        assert!(TrustedDealer::<G>::from_bytes(COMMITTEE, first.key().tolerance(), &secret).is_err());
    }
    // A party cannot write a file of its remaining presignatures.
    let mut party = Party::new(read);
    party.sign(PLAN.unagreed(9, 0).unwrap(), MESSAGE).unwrap();
    assert_eq!(party.presignatures.to_bytes().map(drop), Err(Error::Exhausted));
}

pub(crate) fn damaged_files_are_refused<G: Curve>() {
    let good = file::<G>();
    let head = head::<G>(&good);
    let code = |file: &[u8]| Presignatures::<G>::from_bytes(file).map(drop).unwrap_err().code();
    for len in 0..good.len() {
        Presignatures::<G>::from_bytes(&good[..len]).unwrap_err();
    }
    let longer = [&good[..], &[0]].concat();
    assert_eq!(code(&longer), "MALFORMED");
    let change = |at: usize, to: &[u8]| {
        let mut file = good.clone();
        file[at..at + to.len()].copy_from_slice(to);
        file
    };
    assert_eq!(code(&change(0, &[9])), "WRONG_CONTEXT", "another suite");
    assert_eq!(code(&change(1, &[9])), "WRONG_CONTEXT", "a deal for another committee");
    assert_eq!(code(&change(35, &[2])), "BAD_COMMITTEE", "two of four faulty");
    let member = 37 + G::ELEMENT_LEN;
    assert_eq!(code(&change(member, &[4])), "UNKNOWN_SIGNER");
    assert_eq!(code(&change(member, &[3])), "WRONG_CONTEXT", "another party's leaves");
    let plan = member + 2 + 32 + 8;
    assert_eq!(code(&change(plan, &[4])), "MALFORMED");
    assert_eq!(code(&change(plan + 1, &[0xff; 4])), "TOO_LARGE");
    assert_eq!(code(&change(plan + 1, &[0; 4])), "MALFORMED");
    assert_eq!(code(&change(plan + 1, &[4])), "MALFORMED", "more than follow");
    assert_eq!(code(&change(plan + 5, &[0xff; 4])), "TOO_LARGE");
    assert_eq!(code(&change(plan + 5, &[3])), "WRONG_CONTEXT", "three roots for four");
    assert_eq!(code(&change(head + G::ELEMENT_LEN, &[0xaa; 32])), "WRONG_CONTEXT", "a leaf");
    assert_eq!(code(&change(head + G::ELEMENT_LEN + 32, &[0xff; 32])), "NON_CANONICAL", "a share");
}

pub(crate) fn an_audit_detects_a_dealers_mistake<G: Curve>() {
    let mut file = file::<G>();
    let head = head::<G>(&file);
    let other = file[head + G::ELEMENT_LEN + 64..][..32].to_vec();
    file[head + G::ELEMENT_LEN + 32..][..32].copy_from_slice(&other);
    let read = Presignatures::<G>::from_bytes(&file).unwrap();
    let mistake = Error::WrongContext { what: "openings of the deal" };
    assert_eq!(read.audit(0), Err(mistake.clone()));
    assert_eq!(read.audit(1), Ok(()));
    let (_, opener) = Party::new(read).sign(PLAN.unagreed(9, 0).unwrap(), MESSAGE).unwrap();
    assert_eq!(opener.open(), Err(mistake));
}

fn round_trip<T: Encode + Decode + PartialEq + std::fmt::Debug>(value: &T) {
    let bytes = value.encode();
    assert_eq!(&T::decode(&bytes, &()).unwrap(), value);
    assert!(T::decode(&[&bytes[..], &[0]].concat(), &()).is_err());
    for len in 0..bytes.len() {
        assert!(T::decode(&bytes[..len], &()).is_err(), "a prefix of {len} bytes");
    }
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut other = bytes.clone();
            other[at] ^= change;
            if let Ok(value) = T::decode(&other, &()) {
                assert_eq!(value.encode(), other, "byte {at}");
            }
        }
    }
}

pub(crate) fn objects_round_trip_and_other_bytes_are_refused<G: Curve>() {
    let ceremony = agreed::<G>(4, 1);
    let mut run = Run::new(&ceremony.signing);
    let mut bad = super::harness::wrong(&ceremony.shares[0], 1);
    bad.attest(vec![1, 2, 3]).unwrap();
    assert_eq!(bad.attest(vec![0; 8_193]).unwrap_err().code(), "TOO_LARGE");
    run.add(&bad).unwrap();
    ceremony.shares[1..].iter().for_each(|share| drop(run.add(share).unwrap()));
    round_trip::<GroupKey<G>>(ceremony.dealer.key());
    round_trip::<Deal>(&ceremony.deal);
    round_trip::<SignatureShare<G>>(&bad);
    round_trip::<Opening<G>>(&ceremony.openings[3]);
    round_trip::<Signature<G>>(run.combiner.signature().unwrap());
    round_trip::<ShareFault<G>>(&run.faults[0]);
    assert_eq!(ceremony.shares[0].encode().len(), 83);
}
