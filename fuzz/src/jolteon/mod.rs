//! Jolteon: decoders of messages and records, and replicas with inputs in any order.

mod replicas;

use std::sync::LazyLock;

use quorate::bls::{Counted, MinPk, MinSig};
use quorate::ed25519::Ed25519;
use quorate::wire::Encode;
use quorate_jolteon::{Batch, Block, Committees, Message, Record};

use self::replicas::Jolteon;
use crate::actions::{self, drive, perform};
use crate::cluster::Cluster;
use crate::fixture::Fixed;
use crate::identity;
use crate::scheme::{ForScheme, choose, seeds_of_each};

/// Messages, blocks, batches and records.
pub(crate) fn decoders(bytes: &[u8]) {
    struct Decoders;
    impl ForScheme for Decoders {
        fn run<S: Fixed>(self, bytes: &[u8]) {
            let committees = Committees {
                voters: S::four().committee.clone(),
                identities: Ed25519::four().committee.clone(),
            };
            identity::<Message<S>, _>(bytes, &committees);
            identity::<Record<S>, _>(bytes, &committees);
            identity::<Block<S>, _>(bytes, &committees);
            if let Some(batch) = identity::<Batch, ()>(bytes, &()) {
                assert_eq!(batch.len(), batch.transactions().count());
                for (index, id) in batch.ids().iter().enumerate() {
                    let path = batch.path(index);
                    assert!(path.is_ok(), "transaction {index} with id {id:?} has no path");
                }
            }
        }
    }
    choose(bytes, Decoders);
}

/// Seeds of [`decoders`]: messages and records of a short run of a network.
pub(crate) fn decoder_seeds() -> Vec<Vec<u8>> {
    fn seeds_for<S: Fixed>() -> Vec<Vec<u8>> {
        let cluster = lively_cluster::<S>();
        let sent = cluster.memory().map(|envelope| envelope.bytes.clone());
        let written = cluster.records().map(Encode::encode);
        let mut all: Vec<Vec<u8>> = sent.chain(written).collect();
        // One per first byte and length: the others differ only in digests and signatures.
        all.sort_by_key(|seed| (seed.first().copied(), seed.len()));
        all.dedup_by_key(|seed| (seed.first().copied(), seed.len()));
        all
    }
    static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
        seeds_of_each([
            seeds_for::<MinSig>,
            seeds_for::<MinPk>,
            seeds_for::<Ed25519>,
            seeds_for::<Counted<MinSig>>,
            seeds_for::<Counted<MinPk>>,
        ])
    });
    SEEDS.clone()
}

/// Replicas whose messages are delivered, lost, repeated, delayed and forged, and that crash, as the input chooses.
pub(crate) fn machine(bytes: &[u8]) {
    let Some((first, actions)) = bytes.split_first() else { return };
    // Pairings are slow: most inputs run with the fast scheme.
    if first % 16 == 0 {
        drive::<Jolteon<MinSig>>(actions)
    } else {
        drive::<Jolteon<Ed25519>>(actions)
    };
}

/// A network in which blocks were committed.
pub(crate) fn lively_cluster<S: Fixed>() -> Cluster<Jolteon<S>> {
    let mut cluster = Cluster::new();
    lively().chunks_exact(2).for_each(|action| perform(&mut cluster, action));
    cluster
}

/// Batches are sealed, messages delivered in order, timers fire when nothing else happens.
fn lively() -> Vec<u8> {
    let mut actions = Vec::new();
    for round in 0..12u8 {
        actions.extend([10, round]);
        actions.extend([0, 0].repeat(20));
        actions.extend([8, 0]);
    }
    actions
}

/// Seeds of [`machine`].
pub(crate) fn machine_seeds() -> Vec<Vec<u8>> {
    actions::seeds([1, 0], &lively())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lively_seed_commits_blocks() {
        assert!(drive::<Jolteon<Ed25519>>(&lively()) > 0);
        assert!(drive::<Jolteon<MinSig>>(&lively()) > 0);
    }

    #[test]
    fn seeds_hold_most_kinds_of_messages_and_records() {
        let tags: std::collections::BTreeSet<_> =
            decoder_seeds().iter().filter_map(|seed| seed.get(1).copied()).collect();
        assert!((1..=8).all(|tag| tags.contains(&tag) || tag == 5), "{tags:?}");
    }
}
