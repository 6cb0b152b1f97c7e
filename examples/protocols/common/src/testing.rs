//! Committees with public secrets, the same in every run, for tests and simulations.

// An impossible case, such as a scalar that is not a valid key, fails the test with a message.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use core::fmt::Debug;
use std::collections::BTreeSet;
use std::sync::Arc;

use quorate::certificate::{Certificate, Statement, Suspects, Vote, VoteCollector};
use quorate::committee::{ChainId, Committee};
use quorate::machine::MemberIndex;
use quorate::scheme::{Scheme, VerifiedKey};
use quorate::wire::{Decode, Encode};

/// Returns a member's secret key: the scalar index + 1.
pub fn secret<S: Scheme>(member: MemberIndex) -> S::SecretKey {
    let mut bytes = [0; 32];
    bytes[1..3].copy_from_slice(&(member + 1).to_le_bytes());
    S::secret_from_bytes(&bytes).expect("a small scalar")
}

/// Returns a committee of `n` members of weight one, in the first epoch of a chain.
pub fn committee<S: Scheme>(chain: &str, n: u16) -> Arc<Committee<S>> {
    weighted(chain, &vec![1; usize::from(n)])
}

/// Returns a committee of members with these weights, in the first epoch of a chain.
pub fn weighted<S: Scheme>(chain: &str, weights: &[u128]) -> Arc<Committee<S>> {
    let member = |(m, weight): (MemberIndex, &u128)| (VerifiedKey::from_secret(&secret::<S>(m)), *weight);
    let members = (0..).zip(weights).map(member).collect();
    Arc::new(Committee::new(ChainId::from_name(chain), 0, members).expect("distinct keys"))
}

/// Returns a certificate for a statement, signed by a bare quorum of the members with [`secret`] keys.
pub fn certify<S: Scheme>(committee: &Arc<Committee<S>>, statement: Statement) -> Certificate<S> {
    let mut collector = VoteCollector::new(committee.clone(), statement.kind, statement.view);
    let mut votes = (0..committee.len())
        .map(|m| Vote::sign_unguarded(&secret::<S>(m), committee, statement).expect("a member"))
        .filter_map(|vote| collector.add(vote, &mut Suspects::new()).certificate);
    votes.next().expect("all members are a quorum").into_inner()
}

/// Asserts that the values decode from their encodings, and that truncated, extended or altered encodings either fail to
/// decode or encode back to the same bytes. Returns the set of tags, which are the first bytes.
///
/// # Panics
/// Panics if an assertion fails.
pub fn check_encoding<C, M: Encode + Decode<C> + PartialEq + Debug>(all: &[M], context: &C) -> BTreeSet<u8> {
    for value in all {
        let bytes = value.encode();
        assert_eq!(M::decode(&bytes, context).as_ref(), Ok(value));
        for len in 0..bytes.len() {
            assert!(M::decode(&bytes[..len], context).is_err(), "{value:?} cut at {len}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(M::decode(&longer, context).is_err(), "{value:?} with one more byte");
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1 << (at % 8);
            if let Ok(decoded) = M::decode(&other, context) {
                assert_eq!(decoded.encode(), other, "{value:?} changed at {at}");
            }
        }
    }
    all.iter().filter_map(|value| value.encode().first().copied()).collect()
}
