//! Weights and thresholds.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use quorate::Error;
use quorate::committee::{ChainId, Committee, MAX_TOTAL_WEIGHT, SignerSet};
use quorate::ed25519::Ed25519;
use quorate::scheme::{Scheme, VerifiedKey};
use rand::SeedableRng;
use rand::rngs::StdRng;

fn committee(weights: &[u128]) -> quorate::Result<Committee<Ed25519>> {
    let key = |i| VerifiedKey::from_secret(&Ed25519::generate(&mut StdRng::seed_from_u64(i)).unwrap());
    let members = (0..).zip(weights).map(|(i, weight)| (key(i), *weight)).collect();
    Committee::new(ChainId::from_name("weights"), 3, members)
}

#[test]
fn committees_refuse_zero_and_too_large_weights() {
    assert_eq!(committee(&[]).unwrap_err().code(), "BAD_COMMITTEE");
    assert_eq!(committee(&[1, 0]).unwrap_err().code(), "BAD_COMMITTEE");
    assert_eq!(committee(&[MAX_TOTAL_WEIGHT, 1]).unwrap_err().code(), "BAD_COMMITTEE");
    assert_eq!(committee(&[u128::MAX, u128::MAX]).unwrap_err().code(), "BAD_COMMITTEE");
    let heaviest = committee(&[MAX_TOTAL_WEIGHT - 1, 1]).unwrap();
    assert!(heaviest.quorum_weight() < MAX_TOTAL_WEIGHT);
}

#[test]
fn the_identity_depends_on_every_parameter() {
    let members = |weights: &[u128]| {
        let key = |i| VerifiedKey::from_secret(&Ed25519::generate(&mut StdRng::seed_from_u64(i)).unwrap());
        (0..).zip(weights).map(|(i, w)| (key(i), *w)).collect::<Vec<_>>()
    };
    let id = |chain, epoch, weights| {
        Committee::<Ed25519>::new(ChainId::from_name(chain), epoch, members(weights)).unwrap().id()
    };
    let all = [
        id("a", 0, &[1, 1]),
        id("b", 0, &[1, 1]),
        id("a", 1, &[1, 1]),
        id("a", 0, &[1, 2]),
        id("a", 0, &[1]),
    ];
    for (i, x) in all.iter().enumerate() {
        assert!(all.iter().skip(i + 1).all(|y| x != y));
    }
    assert_eq!(id("a", 0, &[1, 1]), id("a", 0, &[1, 1]));
}

#[test]
fn position_finds_members_by_key() {
    let committee = committee(&[5, 6, 7]).unwrap();
    for i in 0..3 {
        assert_eq!(committee.position(committee.key(i).unwrap()), Some(i));
    }
    assert_eq!(committee.key(3), None);
    assert_eq!(committee.weight(3), None);
    let outsider = Ed25519::public_key(&Ed25519::generate(&mut StdRng::seed_from_u64(99)).unwrap());
    assert_eq!(committee.position(&outsider), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The quorum is 3·signed > 2·total and the honest weight is 3·signed > total, at all magnitudes.
    #[test]
    fn thresholds_are_exact(weights in proptest::collection::vec(1u128..=MAX_TOTAL_WEIGHT / 16, 1..12), bits: u16) {
        let committee = committee(&weights).unwrap();
        let total: u128 = weights.iter().sum();
        let mut signers = SignerSet::new(committee.len());
        (0..committee.len()).filter(|i| bits >> i & 1 == 1).for_each(|i| assert!(signers.insert(i)));
        let signed: u128 = signers.iter().filter_map(|i| committee.weight(i)).sum();
        prop_assert_eq!(committee.weight_of(&signers), signed);
        prop_assert_eq!(committee.has_quorum(&signers), 3 * signed > 2 * total);
        prop_assert_eq!(signed >= committee.honest_weight(), 3 * signed > total);
        let expected = Error::BelowQuorum { signed, needed: committee.quorum_weight() };
        let expected = if 3 * signed > 2 * total { Ok(()) } else { Err(expected) };
        prop_assert_eq!(committee.require_quorum(&signers), expected);
    }
}
