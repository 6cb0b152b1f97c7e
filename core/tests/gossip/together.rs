//! All members of a small committee with real signatures, in bytes, one of them hostile.

use quorate::certificate::Certificate;
use quorate::gossip::{Additive, Aggregate};
use quorate::machine::Time;
use quorate::wire::{Decode, Encode};

use crate::world::World;

/// Twenty members: one silent, one that sends others' sums with a forged signature to every member. All others get a
/// certificate that decodes and verifies, and blame only that member.
pub(crate) fn twenty_members_reach_certificates<S: Additive>() {
    const N: u16 = 20;
    const SILENT: u16 = 4;
    const HOSTILE: u16 = 11;
    let world = World::<S>::new(N.into());
    let mut nodes: Vec<_> = (0..N).map(|me| world.gossip(me)).collect();
    for (me, (gossip, _)) in (0..N).zip(&mut nodes) {
        gossip.vote(&world.vote(me)).unwrap();
    }
    let bad = world.forged([10, 11, 12]).encode();
    let mut highest = 0;
    for step in 0..60u64 {
        let now = Time(step * 20_000);
        let mut sent = Vec::new();
        for (from, (gossip, peers)) in (0..N).zip(&mut nodes).filter(|(me, _)| *me != SILENT) {
            if from == HOSTILE {
                sent.extend((0..N).map(|to| (from, to, bad.clone())));
                continue;
            }
            while let Some((to, aggregate)) = gossip.next(now, step, peers) {
                highest = highest.max(aggregate.counts().highest());
                if to == SILENT {
                    peers.failed(to, now)
                } else {
                    peers.left(to)
                }
                sent.push((from, to, aggregate.encode()));
                if sent.iter().filter(|(other, ..)| *other == from).count() >= 3 {
                    break;
                }
            }
        }
        for (from, to, bytes) in
            sent.into_iter().filter(|(from, to, _)| ![SILENT, HOSTILE, *from].contains(to))
        {
            let (gossip, peers) = &mut nodes[usize::from(to)];
            let aggregate = Aggregate::decode(&bytes, &world.committee).unwrap();
            let _ = gossip.receive(from, aggregate, now, peers);
        }
        for (gossip, peers) in &mut nodes {
            let checked = gossip.check(now, Some(&[step as u8; 32]), peers);
            assert!(checked.faults.iter().all(|fault| fault.culprit == HOSTILE));
        }
    }
    for (me, (gossip, _)) in (0..N).zip(&nodes).filter(|(me, _)| ![SILENT, HOSTILE].contains(me)) {
        let bytes = gossip.certificate().unwrap_or_else(|| panic!("member {me} has none")).encode();
        let certificate = Certificate::<S>::decode(&bytes, &world.committee).unwrap();
        let certificate = certificate.verify(&world.committee).unwrap();
        assert_eq!(certificate.statement(), &world.statement);
        assert!(!certificate.signers().contains(SILENT) && certificate.signers().len() >= 14);
    }
    assert!(highest <= 16);
}
