//! Chains whose epochs are signed with presignatures.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode};

use super::super::*;
use super::complete;
use super::world::{CALM, Faults, MEMBERS, ROUGH, SchemeWorld, SentShare, WorldScheme, chain_id, secret};
use crate::setup::{Secrets, Setup};
use crate::signatures::{Presigned, PresignedShare};
use crate::testing::presigned::{EPOCHS, member_keys, presigner};
use crate::testing::seeds;
use crate::{acs, epoch, mvba, prbc};

type World = SchemeWorld<Presigned>;

impl WorldScheme for Presigned {
    fn keys(world: &World, member: MemberIndex) -> (Arc<Setup<Self>>, Arc<Secrets<Self>>) {
        let records = world.nodes[usize::from(member)].disk.iter();
        let spent = records.filter_map(|bytes| match Record::decode(bytes, &world.voters).unwrap() {
            Record::<Ed25519>::Spent(record) => Some(record),
            _ => None,
        });
        let keys = (chain_id(), secret(member));
        member_keys(member, &presigner(member, world.dealt[usize::from(member)], keys, spent))
    }

    fn share_in(message: &Message<Self, Ed25519>) -> Option<SentShare> {
        let Message::Epoch { height, message: epoch::Message::Subset(message) } = message else {
            return None;
        };
        let share = match message {
            acs::Message::Broadcast { message: prbc::Message::Share(share), .. } => share,
            acs::Message::Agree(mvba::Message::Vote { share, .. } | mvba::Message::Skip { share, .. }) => {
                share
            }
            _ => return None,
        };
        let presignature = match share {
            PresignedShare::Ecdsa(share) => Some((share.index(), *share.digest())),
            PresignedShare::Bls(_) => None,
        };
        Some(SentShare { height: *height, presignature })
    }
}

fn world(seed: u64, faults: Faults, dealt: [u64; 4]) -> World {
    let mut world = World::new(seed, faults);
    world.dealt = dealt;
    (0..MEMBERS).for_each(|member| world.restart(member).unwrap());
    world.in_flight.clear();
    world
}

fn heights(world: &World) -> [BTreeSet<u64>; 2] {
    let presigned = world.used.keys().map(|(_, height, _)| *height).collect();
    [presigned, world.unpresigned.iter().map(|(_, height)| *height).collect()]
}

fn is_falling_back(world: &World, member: MemberIndex) -> bool {
    let records = world.nodes[usize::from(member)].disk.iter();
    let mut decoded = records.map(|bytes| Record::<Ed25519>::decode(bytes, &world.voters).unwrap());
    decoded.any(|record| matches!(record, Record::FallBack { .. }))
}

#[test]
fn past_the_deal_the_chain_goes_on_with_bls() {
    let world = complete(world(1, CALM, [2; 4]), CALM).unwrap();
    let [presigned, others] = heights(&world);
    assert_eq!(presigned, BTreeSet::from([1, 2]));
    assert_eq!(others.first(), Some(&3));
    let left: Vec<_> = world.nodes.iter().map(|node| node.machine.as_ref().unwrap().status()).collect();
    assert!(left.iter().all(|status| status.presigned_epochs == Some(0)), "{left:?}");
}

#[test]
fn crashes_spend_no_presignature_twice() {
    let mut crashes = 0;
    for seed in seeds(3) {
        let world = world(seed, ROUGH, [EPOCHS; 4]);
        let world = complete(world, ROUGH).unwrap_or_else(|problem| panic!("seed {seed}: {problem}"));
        assert!(world.used.len() > 50, "{} presignatures", world.used.len());
        crashes += world.crashes;
    }
    assert!(crashes > 5, "{crashes} crashes");
}

#[test]
fn a_member_without_presignatures_takes_part() {
    let world = complete(world(3, CALM, [2, 2, 2, 0]), CALM).unwrap();
    let [presigned, _] = heights(&world);
    assert_eq!(presigned, BTreeSet::from([1, 2]));
    assert!(!(0..MEMBERS).any(|member| world.used.keys().any(|key| key.0 == member && member == 3)));
}

/// Two members of four cannot sign with presignatures alone.
#[test]
fn too_few_presignatures_stop_nothing() {
    let mut world = world(4, CALM, [2, 2, 0, 0]);
    world.submit(0..8).unwrap();
    let mut has_fallen_back = false;
    for _ in 0..60_000 {
        has_fallen_back |= is_falling_back(&world, 0);
        if !world.turn().unwrap() {
            break;
        }
    }
    assert!(has_fallen_back);
    assert_eq!(world.committed(0), (0..8).collect());
    assert!((1..MEMBERS).all(|member| world.committed(member) == world.committed(0)));
}

/// A member loses the presignatures of epochs that run, and keeps the records.
#[test]
fn a_member_that_loses_presignatures_goes_on() {
    for seed in 0..3 {
        let mut world = world(seed, CALM, [EPOCHS; 4]);
        world.submit(0..8).unwrap();
        for _ in 0..100 + 60 * seed {
            world.turn().unwrap();
        }
        assert!(!world.used.is_empty());
        world.dealt[1] = 0;
        world.restored = Some(1);
        world.restart(1).unwrap();
        world.run(60_000).unwrap();
        assert!((0..MEMBERS).all(|member| world.committed(member) == (0..8).collect()), "seed {seed}");
    }
}

/// Replaces the data of member 1 by an older copy while an epoch runs, but not the records of presignatures.
fn restore(seed: u64) -> Result<World, String> {
    let (mut world, member) = (world(seed, CALM, [EPOCHS; 4]), 1);
    world.restored = Some(member);
    let at = usize::from(member);
    world.submit(0..8)?;
    // An epoch takes about 300 turns.
    for _ in 0..80 + 40 * seed {
        world.turn()?;
    }
    let node = &world.nodes[at];
    let (mut disk, states, blocks) = (node.disk.clone(), node.states.clone(), node.blocks.clone());
    for _ in 0..120 {
        world.turn()?;
    }
    let voters = world.voters.clone();
    let is_spent =
        |bytes: &Vec<u8>| matches!(Record::<Ed25519>::decode(bytes, &voters).unwrap(), Record::Spent(_));
    let node = &mut world.nodes[at];
    disk.retain(|bytes| !is_spent(bytes));
    disk.extend(node.disk.iter().filter(|bytes| is_spent(bytes)).cloned());
    (node.disk, node.states, node.blocks) = (disk, states, blocks);
    node.timers.clear();
    // The messages to it are lost: it hears other ones first.
    world.in_flight.retain(|(_, to, _)| *to != member);
    world.restart(member)?;
    world.run(60_000)?;
    Ok(world)
}

#[test]
fn a_member_with_older_data_spends_nothing_twice() {
    for seed in 0..4 {
        let world = restore(seed).unwrap_or_else(|problem| panic!("seed {seed}: {problem}"));
        assert!((0..MEMBERS).all(|member| world.committed(member) == (0..8).collect()), "seed {seed}");
    }
}

#[test]
fn records_of_presignatures_are_canonical() {
    let world = complete(world(5, CALM, [1; 4]), CALM).unwrap();
    for bytes in &world.nodes[0].disk {
        let record = Record::<Ed25519>::decode(bytes, &world.voters).unwrap();
        assert_eq!(record.encode(), *bytes);
    }
}
