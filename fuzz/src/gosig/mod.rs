//! Gosig: decoders of messages and records, and replicas with inputs in any order.

mod replicas;

use std::sync::LazyLock;

use quorate::bls::{Counted, MinSig};
use quorate::ed25519::Ed25519;
use quorate::scheme::Toy;
use quorate::wire::Encode;
use quorate_gosig::{
    Block, Change, Committees, Envelope, Finality, GosigScheme, Payload, Proposal, Record, Segment,
};

use self::replicas::Gosig;
use crate::actions::{self, drive, perform};
use crate::cluster::Cluster;
use crate::fixture::Fixed;
use crate::identity;

/// Messages, proposals, segments, payloads and records.
pub(crate) fn decoders(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    // The scheme for simulations has its own encodings, which must be equally strict.
    if first % 2 == 0 { decode_as::<Counted<MinSig>>(rest) } else { decode_as::<Toy>(rest) }
}

fn decode_as<S: Fixed + GosigScheme>(bytes: &[u8]) {
    let committees =
        Committees { voters: S::four().committee.clone(), identities: Ed25519::four().committee.clone() };
    identity::<Envelope<S>, _>(bytes, &committees);
    identity::<Record<S>, _>(bytes, &committees);
    identity::<Block<S>, _>(bytes, &committees);
    identity::<Proposal<S>, _>(bytes, &committees);
    identity::<Finality<S>, _>(bytes, &committees);
    identity::<Segment, ()>(bytes, &());
    identity::<Change<S>, ()>(bytes, &());
    if let Some(payload) = identity::<Payload, ()>(bytes, &()) {
        for (index, id) in payload.ids().iter().enumerate() {
            assert!(payload.path(index).is_ok(), "transaction {index} with id {id:?} has no path");
            let change = payload.transaction(index).and_then(|t| Change::from_transaction(t, &committees));
            assert!(change.is_none(), "a membership change without approval");
        }
    }
}

/// Seeds of [`decoders`]: messages and records of a short run of a network.
pub(crate) fn decoder_seeds() -> Vec<Vec<u8>> {
    fn seeds_for<S: Fixed + GosigScheme>(first: u8) -> Vec<Vec<u8>> {
        let cluster = lively_cluster::<S>();
        let sent = cluster.memory().map(|envelope| envelope.bytes.clone());
        let written = cluster.records().map(Encode::encode);
        let mut all: Vec<Vec<u8>> =
            sent.chain(written).map(|bytes| [&[first], bytes.as_slice()].concat()).collect();
        // One per tag and length: the others differ only in digests and signatures.
        all.sort_by_key(|seed| (tag(seed), seed.len()));
        all.dedup_by_key(|seed| (tag(seed), seed.len()));
        all
    }
    static SEEDS: LazyLock<Vec<Vec<u8>>> =
        LazyLock::new(|| [seeds_for::<Counted<MinSig>>(0), seeds_for::<Toy>(1)].concat());
    SEEDS.clone()
}

/// Returns whether a seed is a message, which begins with its epoch, or a record; and its tag.
fn tag(seed: &[u8]) -> (bool, Option<u8>) {
    let epoch = Ed25519::four().committee.epoch().to_le_bytes();
    let message = seed.get(1..9).is_some_and(|first| *first == epoch);
    (message, seed.get(if message { 9 } else { 1 }).copied())
}

/// Replicas whose messages are delivered, lost, repeated, delayed and forged, and that crash, as the input chooses.
pub(crate) fn machine(bytes: &[u8]) {
    let Some((first, actions)) = bytes.split_first() else { return };
    // Pairings are slow: most inputs run with the fast scheme.
    if first % 32 == 0 {
        drive::<Gosig<Counted<MinSig>>>(actions)
    } else {
        drive::<Gosig<Toy>>(actions)
    };
}

pub(crate) fn lively_cluster<S: Fixed + GosigScheme>() -> Cluster<Gosig<S>> {
    let mut cluster = Cluster::new();
    lively().chunks_exact(2).for_each(|action| perform(&mut cluster, action));
    // A restored link: its members exchange their states.
    perform(&mut cluster, &[14, 4]);
    (0..200).for_each(|_| perform(&mut cluster, &[0, 0]));
    cluster
}

/// Transactions are submitted, messages delivered in order, timers fire when nothing else happens.
fn lively() -> Vec<u8> {
    let mut actions = Vec::new();
    for round in 0..10u8 {
        actions.extend([10, round]);
        actions.extend([[0, 0].repeat(24), vec![8, 0]].concat().repeat(2));
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
        assert!(drive::<Gosig<Toy>>(&lively()) > 0);
        assert!(drive::<Gosig<Counted<MinSig>>>(&lively()) > 0);
    }

    #[test]
    fn seeds_hold_most_kinds_of_messages_and_records() {
        let tags: std::collections::BTreeSet<_> = decoder_seeds().iter().map(|seed| tag(seed)).collect();
        let messages = [1, 2, 3, 4, 5, 10, 11].map(|tag| (true, Some(tag)));
        let records = [1, 2, 3, 4, 5, 6].map(|tag| (false, Some(tag)));
        assert!(messages.iter().chain(&records).all(|tag| tags.contains(tag)), "{tags:?}");
    }
}
