use proptest::prelude::*;
use quorate::threshold::ShareIndex;
use quorate::threshold::ecdsa::{Curve, SignatureShare};

use super::harness::{MESSAGE, Run, agreed, s, unagreed, with_s, wrong};

const PARTIES: u16 = 10;
const FAULTY: u16 = 3;

/// In any order of shares and openings, whichever of the faulty never opens.
pub(crate) fn checks_and_combinations_stay_within_the_papers_bounds<G: Curve>() {
    let (agreed, unagreed) = (agreed::<G>(PARTIES, FAULTY), unagreed::<G>(PARTIES, FAULTY));
    let order = Just((0..usize::from(PARTIES)).collect::<Vec<_>>()).prop_shuffle();
    let faulty = proptest::collection::btree_set(0..PARTIES, 0..=usize::from(FAULTY));
    let openings = proptest::collection::vec(0u8..3, usize::from(PARTIES));
    let config = ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(order in order, faulty in faulty, delay in openings, decodes: bool)| {
        macro_rules! play { ($ceremony:expr) => {{
            let ceremony = $ceremony;
            let mut run = Run::new(&ceremony.signing);
            let mut late = Vec::new();
            for place in &order {
                let share = &ceremony.shares[*place];
                let bad = faulty.contains(&share.member());
                let share = if bad { wrong(share, 1 + u64::from(share.member())) } else { share.clone() };
                let mut wanted = run.add(&share).unwrap();
                while let Some(member) = wanted.pop() {
                    match delay[usize::from(member)] {
                        0 => wanted.extend(run.open(&ceremony.openings[usize::from(member)]).unwrap()),
                        1 => late.push(member),
                        // Only faulty parties never send their openings.
                        _ if faulty.contains(&member) => {}
                        _ => late.push(member),
                    }
                }
            }
            while let Some(member) = late.pop() {
                late.extend(run.open(&ceremony.openings[usize::from(member)]).unwrap());
            }
            let needed = usize::from(quorate::threshold::Instance::threshold(&ceremony.signing).needed());
            let counts = run.combiner.counts();
            prop_assert!(run.signed());
            prop_assert!(run.culprits.iter().all(|culprit| faulty.contains(culprit)));
            prop_assert!(counts.share_checks <= needed + usize::from(FAULTY), "{:?}", counts);
            prop_assert!(counts.combinations <= faulty.len() + 1, "{:?}", counts);
            prop_assert!(counts.decodings <= 2 * usize::from(FAULTY) + 1, "{:?}", counts);
        }} }
        if decodes { play!(&agreed) } else { play!(&unagreed) }
    });
}

/// t − 1 honest shares, then f wrong ones one after the other, then an honest one: f failed combinations.
pub(crate) fn the_papers_worst_case_reaches_the_bounds<G: Curve>() {
    let ceremony = unagreed::<G>(PARTIES, FAULTY);
    let (needed, faulty) = (7, usize::from(FAULTY));
    let mut run = Run::new(&ceremony.signing);
    for share in &ceremony.shares[..needed - 1] {
        run.add_and_open(share, &ceremony.openings);
    }
    for share in &ceremony.shares[needed - 1..needed - 1 + faulty] {
        run.add_and_open(&wrong(share, 1), &ceremony.openings);
    }
    let counts = run.combiner.counts();
    assert_eq!((counts.combinations, counts.share_checks), (faulty, needed - 1 + faulty));
    assert!(!run.signed());
    run.add_and_open(&ceremony.shares[9], &ceremony.openings);
    let counts = run.combiner.counts();
    assert_eq!((counts.combinations, counts.share_checks), (faulty + 1, needed - 1 + faulty));
    assert!(run.signed());
    assert_eq!(run.culprits, [6, 7, 8]);
}

pub(crate) fn decoding_identifies_all_culprits_without_openings<G: Curve>() {
    let ceremony = agreed::<G>(PARTIES, FAULTY);
    for bad in 1..=usize::from(FAULTY) {
        let mut run = Run::new(&ceremony.signing);
        for (place, share) in ceremony.shares.iter().enumerate() {
            let share = if place < bad { wrong(share, 7) } else { share.clone() };
            run.add(&share).unwrap();
        }
        assert!(run.signed());
        assert_eq!(run.culprits, (0..bad as u16).collect::<Vec<_>>());
        assert_eq!(run.combiner.counts().share_checks, 0);
        for fault in &run.faults {
            let accept_all = |_, _: &[u8], _: &[u8]| Ok(());
            fault.verify(ceremony.dealer.key(), &ceremony.deal, accept_all).unwrap();
        }
    }
}

/// Three parties that have seen the shares of A and B choose a polynomial q with the signature at zero that A and B lie
/// on too. Then the honest C is the outlier.
pub(crate) fn a_polynomial_of_colluders_blames_no_honest_party<G: Curve>() {
    let ceremony = agreed::<G>(PARTIES, FAULTY);
    let [a, b, c] = [3, 4, 5];
    let (signing, shares) = (&ceremony.signing, &ceremony.shares);
    // q = p + ε·x(x − a)(x − b) has degree 3, as four shares allow.
    let at =
        |share: &SignatureShare<G>| ShareIndex::from_member(share.member()).unwrap().scalar::<G::Scalar>();
    let bend = |share: &SignatureShare<G>| {
        let x = at(share);
        with_s(share, s(share) + x * (x - at(&shares[a])) * (x - at(&shares[b])))
    };
    let bad = [bend(&shares[0]), bend(&shares[1]), bend(&shares[2])];
    assert!(bend(&shares[a]) == shares[a] && bend(&shares[c]) != shares[c]);

    let mut run = Run::new(signing);
    for share in [&bad[0], &bad[1], &shares[c], &shares[a], &bad[2]] {
        run.add(share).unwrap();
    }
    assert!(!run.signed());
    run.add(&shares[b]).unwrap();
    assert!(run.signed(), "the signature is valid with either polynomial");
    assert!(run.culprits.is_empty(), "five agree against C, which is not enough");
    ceremony.dealer.key().verify(ceremony.tag, MESSAGE, run.combiner.signature().unwrap()).unwrap();
    for share in &shares[6..] {
        run.add(share).unwrap();
    }
    assert_eq!(run.culprits, [0, 1, 2]);
}
