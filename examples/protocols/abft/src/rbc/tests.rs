use quorate::erasure::{Coder, Coding, ErasureSuite, Shape};
use quorate::machine::MemberIndex;
use quorate::threshold::Tolerance;
use quorate::wire::{Decode, Encode};

use super::*;
use crate::testing::{Network, Schedule, Verdict, assert_noticed, ensure, schedules, seeds};

const MEMBERS: u16 = 4;
const FAULTY: u16 = 1;

fn config(members: u16, faulty: u16, me: MemberIndex, sender: MemberIndex) -> Config {
    let shape = Shape::for_committee(members, faulty).unwrap();
    let coding = Coding::new(ErasureSuite::recommended(shape), shape, 1 << 16).unwrap();
    Config { tolerance: Tolerance::new(members, faulty).unwrap(), coding, me, sender }
}

fn machine(me: MemberIndex, sender: MemberIndex, checks: Checks) -> ReliableBroadcast {
    ReliableBroadcast::with_checks(config(MEMBERS, FAULTY, me, sender), checks).unwrap()
}

/// A network of four of which member 3 is Byzantine.
fn network(seed: u64, sender: MemberIndex, byzantine: usize, checks: Checks) -> Network<ReliableBroadcast> {
    let mut network = Network::new(seed, schedules(seed, MEMBERS));
    (0..3).for_each(|me| network.add(machine(me, sender, checks)));
    network.add_byzantine((0..byzantine).map(|_| machine(3, sender, checks)).collect());
    network
}

/// Agreement and totality: all correct members deliver the same message, or none delivers.
fn check(network: &Network<ReliableBroadcast>) -> Verdict {
    let outputs: Vec<_> = network.correct().map(|(_, node)| &node.outputs).collect();
    ensure(outputs.iter().all(|each| each.len() <= 1), || format!("delivered twice: {outputs:?}"))?;
    ensure(outputs.iter().all(|each| *each == outputs[0]), || format!("agreement or totality: {outputs:?}"))
}

fn check_validity(network: &Network<ReliableBroadcast>, value: &[u8]) -> Verdict {
    check(network)?;
    let members = network.nodes.len();
    // A chain has one Value, and one Echo and one Ready of each member.
    let bound = 1 + 2 * members;
    for (member, node) in network.correct() {
        let delivered = matches!(node.outputs.as_slice(), [Output::Delivered { value: v, .. }] if v == value);
        ensure(delivered, || format!("validity: {member} has {:?}", node.outputs))?;
        ensure(node.depths[0] <= bound, || format!("a chain of {} messages", node.depths[0]))?;
    }
    Ok(())
}

#[test]
fn correct_senders_messages_are_delivered_by_all() {
    for (members, faulty, len) in [(1, 0, 5), (4, 1, 0), (4, 1, 1), (7, 2, 1 << 16), (6, 1, 1000)] {
        for seed in seeds(20) {
            let mut network = Network::new(seed, schedules(seed, members));
            let silent = members - faulty;
            for me in 0..members {
                let config = config(members, faulty, me, 0);
                match me < silent {
                    true => network.add(ReliableBroadcast::new(config).unwrap()),
                    false => network.add_byzantine(Vec::new()),
                }
            }
            let value: Vec<u8> = (0u64..len).map(|i| ((i * i) >> 3) as u8).collect();
            network.start();
            network.command(0, 0, Command::Broadcast(value.clone()));
            network.run(10_000).and_then(|()| check_validity(&network, &value)).unwrap();
        }
    }
}

#[test]
fn a_second_or_foreign_command_is_refused() {
    let mut network = network(0, 0, 1, Checks::default());
    network.command(1, 0, Command::Broadcast(vec![1]));
    network.command(0, 0, Command::Broadcast(vec![0; (1 << 16) + 1]));
    network.command(0, 0, Command::Broadcast(vec![1]));
    network.command(0, 0, Command::Broadcast(vec![2]));
    let refused = |outputs: &[Output]| outputs.iter().filter(|out| matches!(out, Output::Refused(_))).count();
    assert_eq!(refused(&network.nodes[0].outputs), 2);
    assert_eq!(refused(&network.nodes[1].outputs), 1);
}

/// The sender, member 3, broadcasts two messages and shows one machine's messages to each half.
fn two_faced(seed: u64, checks: Checks, both_to_all: bool) -> Verdict {
    let mut network = network(seed, 3, 2, checks).with_tamper(move |_, machine, to, message| {
        let own_half = both_to_all || (to == 0) == (machine == 0);
        if own_half { vec![message] } else { Vec::new() }
    });
    network.start();
    network.command(3, 0, Command::Broadcast(b"to some".to_vec()));
    network.command(3, 1, Command::Broadcast(b"to others".to_vec()));
    network.run(10_000)?;
    check(&network)
}

#[test]
fn a_two_faced_sender_does_not_divide_the_members() {
    for seed in seeds(200) {
        two_faced(seed, Checks::default(), false).unwrap();
        two_faced(seed, Checks::default(), true).unwrap();
    }
}

#[test]
fn two_values_name_the_sender() {
    let mut network = network(0, 3, 2, Checks::default()).with_tamper(|_, _, _, message| vec![message]);
    network.start();
    network.command(3, 0, Command::Broadcast(b"one".to_vec()));
    network.command(3, 1, Command::Broadcast(b"two".to_vec()));
    network.run(10_000).unwrap();
    assert!(network.is_named(3, |what| *what == Violation::Contradiction { what: "Value" }));
}

/// The sender commits to shards that encode no message, with valid paths under one root.
fn inconsistent(seed: u64) -> Network<ReliableBroadcast> {
    let mut network = network(seed, 3, 0, Checks::default());
    for (to, shard) in (0..).zip(inconsistent_shards()).take(3) {
        network.inject(3, to, &Message::Value(shard));
    }
    for to in 0..3 {
        network.inject(3, to, &Message::Echo(inconsistent_shards()[3].clone()));
    }
    network
}

/// Returns shards with valid paths of which the last two are not the parity of the first two.
fn inconsistent_shards() -> Vec<quorate::erasure::CheckedShard> {
    use quorate::merkle::Merkle;
    use quorate::wire::domain;
    let coding = config(MEMBERS, FAULTY, 0, 3).coding;
    let honest = Coder::new(coding).unwrap().disperse(b"a message").unwrap();
    let mut shards: Vec<Vec<u8>> = honest.shards().iter().map(<[u8]>::to_vec).collect();
    shards[3][0] ^= 1;
    let tree = Merkle::new(domain::ERASURE_SHARD, domain::ERASURE_NODE);
    let leaves = tree.leaves(shards.iter());
    let mut commitment = honest.commitment().encode();
    let root = commitment.len() - 32;
    commitment[root..].copy_from_slice(&tree.root(&leaves));
    let encoded = |(index, shard): (usize, &Vec<u8>)| {
        let path = tree.path(&leaves, index).unwrap().encode();
        let bytes = [commitment.as_slice(), &path, shard].concat();
        quorate::erasure::CheckedShard::decode(&bytes, &coding).unwrap()
    };
    shards.iter().enumerate().map(encoded).collect()
}

#[test]
fn inconsistent_shards_are_delivered_by_none_and_blamed() {
    for seed in seeds(200) {
        let mut network = inconsistent(seed);
        network.run(1_000).unwrap();
        assert!(network.correct().all(|(_, node)| node.outputs.is_empty()));
        assert!(network.is_named(3, |what| *what == Violation::InconsistentShards));
    }
}

/// Member 3 echoes the shard of another member, sends a Value of its own in a correct member's broadcast, and repeats
/// a Ready for a commitment that does not exist.
fn interference(seed: u64, checks: Checks) -> Verdict {
    let mut network = network(seed, 0, 0, checks);
    let other = Coder::new(config(MEMBERS, FAULTY, 0, 0).coding).unwrap().disperse(b"not sent by 0").unwrap();
    let right = Coder::new(config(MEMBERS, FAULTY, 0, 0).coding).unwrap().disperse(b"sent by 0").unwrap();
    for to in 0..3 {
        network.inject(3, to, &Message::Value(other.shard(to.into()).unwrap()));
        network.inject(3, to, &Message::Echo(right.shard(usize::from(seed as u16 % 3)).unwrap()));
        network.inject(3, to, &Message::Ready([9; 32]));
        network.inject(3, to, &Message::Ready([9; 32]));
    }
    network.start();
    network.command(0, 0, Command::Broadcast(b"sent by 0".to_vec()));
    network.run(10_000)?;
    check_validity(&network, b"sent by 0")?;
    ensure(network.nodes[0].faults.iter().all(|(culprit, _)| *culprit == 3), || "wrong culprit".into())?;
    ensure(
        network.is_named(3, |what| matches!(what, Violation::Refused { what } if what.starts_with("Value"))),
        || "the foreign Value is not reported".into(),
    )
}

#[test]
fn interference_of_a_faulty_member_is_dropped() {
    for seed in seeds(200) {
        interference(seed, Checks::default()).unwrap();
    }
}

/// The sender gives consistent shards to two members; with its own Echo they are fewer than N − f, but enough to
/// decode. Its Readies go to one member only.
fn partial(seed: u64, checks: Checks) -> Verdict {
    let mut network = network(seed, 3, 0, checks);
    let dispersal = Coder::new(config(MEMBERS, FAULTY, 0, 3).coding).unwrap().disperse(b"partial").unwrap();
    for to in 0..2 {
        network.inject(3, to, &Message::Value(dispersal.shard(to.into()).unwrap()));
    }
    network.inject(3, 0, &Message::Echo(dispersal.shard(3).unwrap()));
    network.inject(3, 0, &Message::Ready(dispersal.commitment().identity()));
    network.run(10_000)?;
    check(&network)
}

#[test]
fn partial_dispersal_is_delivered_by_all_or_none() {
    for seed in seeds(150) {
        partial(seed, Checks::default()).unwrap();
    }
}

/// The sender gives each member the shard of the next one.
fn misdirected(seed: u64, checks: Checks) -> Verdict {
    let mut network = network(seed, 3, 0, checks);
    let dispersal = Coder::new(config(MEMBERS, FAULTY, 0, 3).coding).unwrap().disperse(b"value").unwrap();
    for to in 0..3 {
        network.inject(3, to, &Message::Value(dispersal.shard(usize::from(to) + 1).unwrap()));
    }
    network.run(1_000)?;
    check(&network)?;
    ensure(network.is_named(3, |_| true), || "the sender is not named".into())
}

#[test]
fn each_omitted_check_is_noticed() {
    assert_noticed(Check::RbcSender, interference);
    assert_noticed(Check::RbcOwnShard, misdirected);
    assert_noticed(Check::RbcShardIndex, interference);
    assert_noticed(Check::RbcOneReady, interference);
    assert_noticed(Check::RbcEchoQuorum, |seed, checks| two_faced(seed, checks, true));
    assert_noticed(Check::RbcReadyQuorum, partial);
}

#[test]
fn with_equal_delays_delivery_takes_three_messages() {
    let mut network = Network::new(0, Schedule::in_order());
    (0..4).for_each(|me| network.add(machine(me, 0, Checks::default())));
    network.start();
    network.command(0, 0, Command::Broadcast(b"value".to_vec()));
    network.run(1_000).and_then(|()| check_validity(&network, b"value")).unwrap();
    assert!(network.correct().all(|(_, node)| node.depths == [3]));
    // Three Values, and an Echo and a Ready of each member to each other member.
    assert_eq!(network.delivered, 3 + 2 * 4 * 3);
}

#[test]
fn damaged_messages_are_refused_by_the_decoder() {
    let coding = config(MEMBERS, FAULTY, 0, 0).coding;
    let shard = Coder::new(coding).unwrap().disperse(b"a message").unwrap().shard(1).unwrap();
    for message in [Message::Value(shard.clone()), Message::Echo(shard), Message::Ready([5; 32])] {
        let bytes = message.encode();
        assert!(bytes.len() <= Message::max_len(&coding));
        assert_eq!(Message::decode(&bytes, &coding).unwrap(), message);
        assert!(Message::decode(&bytes[..bytes.len() - 1], &coding).is_err());
        assert!(Message::decode(&[bytes.as_slice(), &[0]].concat(), &coding).is_err());
        assert!(Message::decode(&[&[0], &bytes[1..]].concat(), &coding).is_err());
        assert!(Message::decode(&[&[4], &bytes[1..]].concat(), &coding).is_err());
    }
    let mut network = network(0, 0, 0, Checks::default());
    network.inject_bytes(3, 1, vec![1, 2, 3]);
    network.run(10).unwrap();
    assert_eq!(network.nodes[1].undecodable, [3]);
}

#[test]
fn a_config_outside_the_committee_is_refused() {
    assert!(ReliableBroadcast::new(config(4, 1, 4, 0)).is_err());
    assert!(ReliableBroadcast::new(config(4, 1, 0, 4)).is_err());
    let mut other = config(4, 1, 0, 0);
    other.coding = config(7, 2, 0, 0).coding;
    assert!(ReliableBroadcast::new(other).is_err());
}

#[test]
fn starved_members_deliver_last_but_deliver() {
    let mut network = Network::new(1, Schedule::starve(2));
    (0..4).for_each(|me| network.add(machine(me, 0, Checks::default())));
    network.start();
    network.command(0, 0, Command::Broadcast(b"late".to_vec()));
    network.run_until(|network| !network.nodes[1].outputs.is_empty());
    assert!(network.nodes[2].outputs.is_empty());
    network.run(1_000).and_then(|()| check_validity(&network, b"late")).unwrap();
}
