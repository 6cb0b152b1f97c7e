use quorate::Error;
use quorate::threshold::Field;
use quorate::threshold::ecdsa::{Curve, Plan, Signature};
use quorate::wire::{Decode, Encode};

use super::harness::{MESSAGE, Run, agreed, dealer, parties, unagreed};

pub(crate) fn any_sufficient_shares_give_the_same_valid_signature<G: Curve>() {
    let ceremony = unagreed::<G>(7, 2);
    let mut signatures = Vec::new();
    for mask in 0u32..128 {
        let mut run = Run::new(&ceremony.signing);
        for (_, share) in ceremony.shares.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1) {
            run.add(share).unwrap();
        }
        // ⌊(7 + 2)/2⌋ + 1.
        assert_eq!(run.signed(), mask.count_ones() >= 5, "{mask:b}");
        signatures.extend(run.combiner.signature().copied());
    }
    signatures.dedup();
    assert_eq!(signatures.len(), 1);
    ceremony.dealer.key().verify(ceremony.tag, MESSAGE, &signatures[0]).unwrap();

    let ceremony = agreed::<G>(7, 2);
    let mut run = Run::new(&ceremony.signing);
    for (count, share) in ceremony.shares.iter().rev().enumerate() {
        run.add(share).unwrap();
        assert_eq!(run.signed(), count + 1 >= 3);
    }
}

pub(crate) fn one_combination_and_no_check_if_all_are_honest<G: Curve>() {
    let ceremony = unagreed::<G>(10, 3);
    let mut run = Run::new(&ceremony.signing);
    for share in &ceremony.shares {
        run.add(share).unwrap();
    }
    let counts = run.combiner.counts();
    assert_eq!((counts.combinations, counts.share_checks, counts.decodings), (1, 0, 0));
    assert!(run.culprits.is_empty() && run.asked.is_empty());
}

pub(crate) fn a_signature_verifies_for_its_key_message_and_form_only<G: Curve>() {
    let ceremony = agreed::<G>(4, 1);
    let mut run = Run::new(&ceremony.signing);
    ceremony.shares.iter().for_each(|share| drop(run.add(share).unwrap()));
    let signature = *run.combiner.signature().unwrap();
    let (key, tag) = (ceremony.dealer.key(), ceremony.tag);
    key.verify(tag, MESSAGE, &signature).unwrap();
    let bad = Err(Error::BadSignature { signers: vec![] });
    assert_eq!(key.verify(tag, b"pay 6 to Bob", &signature), bad);
    let other = super::harness::dealer::<G>(7, 1);
    let other_dealer = quorate::threshold::ecdsa::TrustedDealer::<G>::new(
        quorate::committee::CommitteeId([8; 32]),
        other.key().tolerance(),
        &mut super::harness::rng(99),
    );
    assert_eq!(other_dealer.unwrap().key().verify(tag, MESSAGE, &signature), bad);

    let bytes = signature.encode();
    assert_eq!(Signature::<G>::decode(&bytes, &()).unwrap(), signature);
    for bit in 0..512 {
        let mut other = bytes.clone();
        other[bit / 8] ^= 1 << (bit % 8);
        if let Ok(other) = Signature::<G>::decode(&other, &()) {
            assert_eq!(key.verify(tag, MESSAGE, &other), bad);
        }
    }
    // Neither s = 0, nor s not below the order, nor the negated s, which is valid too where R counts by its x alone.
    let with_s = |s: [u8; 32]| Signature::<G>::decode(&[&bytes[..32], &s[..]].concat(), &());
    assert!(with_s([0; 32]).is_err() && with_s([0xff; 32]).is_err());
    let s = G::Scalar::from_bytes(bytes[32..].try_into().unwrap()).unwrap();
    if let Ok(negated) = with_s((-s).to_bytes()) {
        assert_eq!(key.verify(tag, MESSAGE, &negated), bad);
    }
    assert!(Signature::<G>::decode(&[&[0; 32], &bytes[32..]].concat(), &()).is_err());
}

pub(crate) fn a_committee_of_one_party_signs<G: Curve>() {
    let dealer = dealer::<G>(1, 0);
    let plan = Plan::Agreement { parties: 1, rounds: 1 };
    let mut parties = parties(&dealer, 0, plan);
    let tag = plan.promotion(0, 0, 0, 4).unwrap();
    let signing = parties[0].presignatures.signing(tag, MESSAGE).unwrap();
    let (share, _) = parties[0].sign(tag, MESSAGE).unwrap();
    let mut run = Run::new(&signing);
    run.add(&share).unwrap();
    dealer.key().verify(tag, MESSAGE, run.combiner.signature().unwrap()).unwrap();
}
