use quorate::Error;
use quorate::threshold::ecdsa::{Curve, Plan};
use quorate::threshold::{Field, lagrange};

use super::harness::{MESSAGE, Run, agreed, dealer, parties, s, unagreed, with_s, wrong};

/// Replayed, cross-epoch, cross-instance and cross-key shares.
pub(crate) fn share_of_another_instance_is_refused<G: Curve>() {
    let dealer = dealer::<G>(4, 1);
    let plan = Plan::Unagreed { count: 2 };
    let [mut epoch_5, mut epoch_6] = [5, 6].map(|epoch| parties(&dealer, epoch, plan));
    let tag = plan.unagreed(5, 0).unwrap();
    let other_epoch = epoch_6[1].sign(plan.unagreed(6, 0).unwrap(), MESSAGE).unwrap().0;
    let other_index = epoch_5[1].sign(plan.unagreed(5, 1).unwrap(), MESSAGE).unwrap().0;
    let other_message = epoch_5[1].sign(tag, b"pay 6 to Bob").unwrap().0;
    let other_key = {
        let dealer = super::harness::dealer::<G>(7, 2);
        parties(&dealer, 5, plan)[1].sign(tag, MESSAGE).unwrap().0
    };
    let signing = epoch_5[0].presignatures.signing(tag, MESSAGE).unwrap();
    let mut run = Run::new(&signing);
    for stray in [other_epoch, other_index, other_message, other_key] {
        let refused = run.add(&stray).unwrap_err();
        assert_eq!(refused.code(), "WRONG_CONTEXT");
        assert!(refused.culprits().is_empty(), "an honest party signed it for another message");
    }
    for party in [0, 2, 3] {
        let share = epoch_5[party].sign(tag, MESSAGE).unwrap().0;
        run.add(&share).unwrap();
    }
    assert!(run.signed());
}

pub(crate) fn second_shares_and_outsiders_shares_are_refused<G: Curve>() {
    let ceremony = unagreed::<G>(4, 1);
    let mut run = Run::new(&ceremony.signing);
    run.add(&ceremony.shares[2]).unwrap();
    let duplicate = Err(Error::DuplicateSigner { index: 2 });
    assert_eq!(run.add(&ceremony.shares[2]), duplicate);
    assert_eq!(run.add(&wrong(&ceremony.shares[2], 1)), duplicate);
    // In another member's name over the sender's own link.
    let mut cache = lagrange::Cache::default();
    let refused = run.combiner.add(&mut cache, 3, ceremony.shares[1].clone());
    assert_eq!(refused.unwrap_err(), Error::WrongContext { what: "sender of the share" });
    // A member that does not exist.
    let more = unagreed::<G>(5, 1).shares.pop().unwrap();
    let bytes = quorate::wire::Encode::encode(&ceremony.shares[1]);
    let digest = &bytes[15..47];
    let mut outside = quorate::wire::Encode::encode(&more);
    outside[15..47].copy_from_slice(digest);
    let outside = quorate::wire::Decode::decode(&outside, &()).unwrap();
    assert_eq!(run.add(&outside), Err(Error::UnknownSigner { index: 4 }));
}

/// Off by one, zero, swapped, negated, of another message: all are wrong in the same way, and all are blamed.
pub(crate) fn every_kind_of_wrong_share_is_identified_and_others_sign<G: Curve>() {
    let ceremony = unagreed::<G>(16, 5);
    let good = &ceremony.shares;
    let mut shares = good.clone();
    shares[0] = wrong(&good[0], 1);
    shares[1] = with_s(&good[1], G::Scalar::ZERO);
    shares[2] = with_s(&good[2], s(&good[3]));
    shares[3] = with_s(&good[3], s(&good[2]));
    shares[4] = with_s(&good[4], -s(&good[4]));
    let mut run = Run::new(&ceremony.signing);
    for share in &shares {
        run.add_and_open(share, &ceremony.openings);
    }
    assert_eq!(run.culprits, [0, 1, 2, 3, 4]);
    ceremony.dealer.key().verify(ceremony.tag, MESSAGE, run.combiner.signature().unwrap()).unwrap();
    assert!(run.combiner.counts().share_checks <= 11 + 5);
    assert!(run.combiner.counts().combinations <= 6);
    // A second share of a culprit is refused, unless the signature exists anyway.
    let mut run = Run::new(&ceremony.signing);
    shares[..11].iter().for_each(|share| run.add_and_open(share, &ceremony.openings));
    assert!(!run.signed());
    assert_eq!(run.add(&good[0]), Err(Error::BadShare { members: vec![0] }));
}

pub(crate) fn wrong_openings_are_refused_without_effect<G: Curve>() {
    let ceremony = unagreed::<G>(4, 1);
    let mut run = Run::new(&ceremony.signing);
    let bad = wrong(&ceremony.shares[0], 1);
    run.add(&bad).unwrap();
    run.add(&ceremony.shares[1]).unwrap();
    assert_eq!(run.add(&ceremony.shares[2]).unwrap(), [0, 1, 2], "all three openings are requested");
    // The opening of another party, of another presignature, of another epoch, of another deal.
    let mut cache = lagrange::Cache::default();
    let refused = run.combiner.open(&mut cache, 0, &ceremony.openings[1]).unwrap_err();
    assert_eq!(refused, Error::WrongContext { what: "share of the opening" });
    let dealer = &ceremony.dealer;
    let plan = Plan::Unagreed { count: 3 };
    let foreign = [(5, 0), (6, 1)].map(|(epoch, number)| {
        let mut parties = parties(dealer, epoch, plan);
        parties[0].sign(plan.unagreed(epoch, number).unwrap(), MESSAGE).unwrap().1.open().unwrap()
    });
    for opening in &foreign {
        assert_eq!(run.open(opening).unwrap_err().code(), "WRONG_CONTEXT");
    }
    // An opening that its maker changed so that the wrong share fits.
    let mut forged = quorate::wire::Encode::encode(&ceremony.openings[0]);
    let e = 2 + 3 * G::ELEMENT_LEN;
    let element = G::encode_all(&[G::generator()]);
    forged[e..e + G::ELEMENT_LEN].copy_from_slice(&element);
    let forged = quorate::wire::Decode::decode(&forged, &()).unwrap();
    assert_eq!(run.open(&forged).unwrap_err(), Error::WrongContext { what: "root of the Merkle path" });
    assert!(run.culprits.is_empty() && run.combiner.counts().share_checks == 0);
    // The right ones arrive last; that of party 3 was never requested.
    run.open(&ceremony.openings[3]).unwrap();
    run.open(&ceremony.openings[1]).unwrap();
    run.open(&ceremony.openings[0]).unwrap();
    assert_eq!(run.culprits, [0]);
    assert!(!run.signed());
    run.add(&ceremony.shares[3]).unwrap();
    assert!(!run.signed(), "the opening of party 2 is missing");
    run.open(&ceremony.openings[2]).unwrap();
    assert!(run.signed());
}

/// λ₁·d₁ + λ₂·d₂ = 0: the signature is valid although two shares are wrong.
pub(crate) fn cancelling_shares_are_not_marked_right<G: Curve>() {
    let ceremony = unagreed::<G>(4, 1);
    let set = [0, 1, 2].map(|member| quorate::threshold::ShareIndex::from_member(member).unwrap());
    let coefficients = lagrange::at_zero::<G::Scalar>(&lagrange::IndexSet::new(set).unwrap());
    let shares = &ceremony.shares;
    let cancelling = [
        with_s(&shares[0], s(&shares[0]) + coefficients[1]),
        with_s(&shares[1], s(&shares[1]) - coefficients[0]),
    ];
    let mut run = Run::new(&ceremony.signing);
    cancelling.iter().for_each(|share| drop(run.add(share).unwrap()));
    run.add(&shares[2]).unwrap();
    assert!(run.signed() && run.culprits.is_empty());
    // With any other third share the two do not cancel, and both are found.
    let mut run = Run::new(&ceremony.signing);
    cancelling.iter().chain([&shares[3], &shares[2]]).for_each(|s| run.add_and_open(s, &ceremony.openings));
    assert_eq!(run.culprits, [0, 1]);

    let ceremony = agreed::<G>(4, 1);
    let mut run = Run::new(&ceremony.signing);
    run.add(&wrong(&ceremony.shares[0], 1)).unwrap();
    ceremony.shares[1..].iter().for_each(|share| drop(run.add(share).unwrap()));
    assert!(run.signed());
}
