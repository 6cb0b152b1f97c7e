//! Gosig: its messages and records as bytes, and its replicas under inputs in any order.

use std::sync::LazyLock;

use quorate::bls::{Counted, MinSig};
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::scheme::Toy;
use quorate::wire::Encode;
use quorate_gosig::{
    Block, Change, Committees, Finality, Message, Payload, Proposal, Record, Segment, Suite,
};

use crate::fixture::{FOUR, Fixed};
use crate::gosig_cluster::{Cluster, Envelope, FAULTY};
use crate::identity;
use crate::mutate::{Chance, mutate};

/// Most deeds of one input.
const MAX_DEEDS: usize = 400;

/// Messages, proposals, segments, payloads and records.
pub(crate) fn decoders(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    // The scheme of simulations has encodings of its own, and they are to be as strict.
    if first % 2 == 0 { decode_as::<Counted<MinSig>>(rest) } else { decode_as::<Toy>(rest) }
}

fn decode_as<S: Fixed + Suite>(bytes: &[u8]) {
    let committees =
        Committees { voters: S::four().committee.clone(), identities: Ed25519::four().committee.clone() };
    identity::<Message<S>, _>(bytes, &committees);
    identity::<Record<S>, _>(bytes, &committees);
    identity::<Block<S>, _>(bytes, &committees);
    identity::<Proposal<S>, _>(bytes, &committees);
    identity::<Finality<S>, _>(bytes, &committees);
    identity::<Segment, ()>(bytes, &());
    identity::<Change<S>, ()>(bytes, &());
    if let Some(payload) = identity::<Payload, ()>(bytes, &()) {
        for (index, id) in payload.ids().iter().enumerate() {
            assert!(payload.path(index).is_ok(), "transaction {index} with id {id:?} has no path");
            let change = payload.transaction(index).and_then(|t| Change::of(t, &committees));
            assert!(change.is_none(), "a change of members that nobody allowed");
        }
    }
}

/// Seeds of [`decoders`]: what a short run of a network sent and wrote.
pub(crate) fn decoder_seeds() -> Vec<Vec<u8>> {
    fn of<S: Fixed + Suite>(first: u8) -> Vec<Vec<u8>> {
        let cluster = lively_cluster::<S>();
        let sent = cluster.memory().map(|envelope| envelope.bytes.clone());
        let written = cluster.records().map(Encode::encode);
        let mut all: Vec<Vec<u8>> =
            sent.chain(written).map(|bytes| [&[first], bytes.as_slice()].concat()).collect();
        // One of each tag and length: the others differ in digests and signatures only.
        all.sort_by_key(|seed| (seed.get(1).copied(), seed.len()));
        all.dedup_by_key(|seed| (seed.get(1).copied(), seed.len()));
        all
    }
    static SEEDS: LazyLock<Vec<Vec<u8>>> =
        LazyLock::new(|| [of::<Counted<MinSig>>(0), of::<Toy>(1)].concat());
    SEEDS.clone()
}

/// Replicas whose messages are delivered, lost, repeated, delayed and forged, and which crash, as the input says.
pub(crate) fn machine(bytes: &[u8]) {
    let Some((first, deeds)) = bytes.split_first() else { return };
    // Pairings are slow: most inputs run with the scheme that is fast.
    if first % 32 == 0 {
        drive::<Counted<MinSig>>(deeds)
    } else {
        drive::<Toy>(deeds)
    };
}

fn drive<S: Fixed + Suite>(deeds: &[u8]) -> u64 {
    let mut cluster = Cluster::<S>::new();
    deeds.chunks_exact(2).take(MAX_DEEDS).for_each(|deed| do_one(&mut cluster, deed));
    cluster.height()
}

fn do_one<S: Fixed + Suite>(cluster: &mut Cluster<S>, deed: &[u8]) {
    let [deed, argument] = deed else { return };
    let which = usize::from(*argument);
    let member = MemberIndex::from(argument % FOUR as u8);
    match deed % 16 {
        0..=5 => {
            // The oldest mostly, so that things go on; any other by its number.
            if let Some(envelope) = cluster.take(if deed % 16 < 4 { 0 } else { which }) {
                cluster.deliver(&envelope);
            }
        }
        6 => drop(cluster.take(which)),
        7 => {
            if let Some(envelope) = cluster.recall(which) {
                cluster.deliver(&envelope);
            }
        }
        8 | 9 => cluster.fire_next_timer(),
        10 => cluster.submit(member, *argument),
        11 => forge(cluster, which),
        12 => {
            if let Some(bytes) = cluster.contradiction(which, argument | 1) {
                cluster.post(Envelope { from: FAULTY, to: member % FAULTY, bytes });
            }
        }
        13 => {
            let during = cluster.take(0).filter(|envelope| envelope.to == member);
            cluster.crash(member, during.as_ref(), which / 4 % 4);
        }
        14 => cluster.connect(member, MemberIndex::from(argument / 4 % FOUR as u8)),
        _ => cluster.wait(u64::from(*argument) * 10_000),
    }
}

/// A changed message in the faulty member's name.
fn forge<S: Fixed + Suite>(cluster: &mut Cluster<S>, which: usize) {
    let (Some(mut envelope), Some(other)) = (cluster.recall(which), cluster.recall(which / 2)) else {
        return;
    };
    mutate(&mut envelope.bytes, &other.bytes, &mut Chance::new(which as u64));
    envelope.from = FAULTY;
    if envelope.to != FAULTY {
        cluster.deliver(&envelope);
    }
}

fn lively_cluster<S: Fixed + Suite>() -> Cluster<S> {
    let mut cluster = Cluster::new();
    lively().chunks_exact(2).for_each(|deed| do_one(&mut cluster, deed));
    // A link that comes up again: its members greet each other.
    do_one(&mut cluster, &[14, 4]);
    (0..200).for_each(|_| do_one(&mut cluster, &[0, 0]));
    cluster
}

/// Transactions are submitted, messages delivered in order, timers fire when nothing else happens.
fn lively() -> Vec<u8> {
    let mut deeds = Vec::new();
    for round in 0..10u8 {
        deeds.extend([10, round]);
        deeds.extend([[0, 0].repeat(24), vec![8, 0]].concat());
    }
    deeds
}

/// Seeds of [`machine`].
pub(crate) fn machine_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for scheme in [1, 0] {
        seeds.push([&[scheme], lively().as_slice()].concat());
    }
    let crashes = lively().chunks(24).flat_map(|part| [part, &[13, 6]].concat()).collect::<Vec<u8>>();
    let forgeries =
        lively().chunks(16).flat_map(|part| [part, &[11, 40, 12, 90]].concat()).collect::<Vec<u8>>();
    seeds.extend([[&[1], crashes.as_slice()].concat(), [&[1], forgeries.as_slice()].concat()]);
    let mut chance = Chance::new(1);
    for _ in 0..8 {
        seeds.push(std::iter::once(1).chain((0..600).map(|_| chance.bits() as u8)).collect());
    }
    seeds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lively_seed_commits_so_the_target_tests_something() {
        assert!(drive::<Toy>(&lively()) > 0);
        assert!(drive::<Counted<MinSig>>(&lively()) > 0);
    }

    #[test]
    fn seeds_hold_most_kinds_of_messages_and_records() {
        let tags: std::collections::BTreeSet<_> =
            decoder_seeds().iter().filter_map(|seed| seed.get(1).copied()).collect();
        assert!((1..=5).chain(10..=11).all(|tag| tags.contains(&tag)), "{tags:?}");
    }
}
