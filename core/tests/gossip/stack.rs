//! Aggregates received from other members: bounds, order, blame.

use quorate::Error;
use quorate::gossip::{Additive, Aggregate, Gossip, MAX_STACK, Parameters, Received};
use quorate::machine::{Fault, Time};
use quorate::wire::{Decode, Encode};

use crate::world::{NOW, World};

/// A committee in which one half has enough senders: member 0 has 64 to 127 on the other side.
const MANY: usize = 128;

pub(crate) fn aggregates_without_a_new_signer_are_dropped_unverified<S: Additive>() {
    let world = World::<S>::new(8);
    let (mut gossip, mut peers) = world.gossip(0);
    assert_eq!(gossip.vote(&world.vote(0)), Ok(true));
    assert_eq!(gossip.vote(&world.vote(0)), Ok(false));
    // Members 4 to 7 are the other half of the whole committee.
    assert_eq!(gossip.receive(5, world.received([4, 5]), NOW, &mut peers), Received::Waiting);
    let checked = gossip.check(NOW, Some(&[1; 32]), &mut peers);
    assert_eq!((checked.aggregates, checked.signers, checked.grew, checked.faults), (1, 2, true, vec![]));
    for (from, aggregate) in
        [(6, world.received([4])), (7, world.received([5, 4])), (5, world.forged([4, 5]))]
    {
        assert_eq!(gossip.receive(from, aggregate, NOW, &mut peers), Received::NothingNew);
    }
    assert_eq!(gossip.check(NOW, None, &mut peers).aggregates, 0);
    assert!(gossip.signers().iter().eq([0, 4, 5]));
}

pub(crate) fn aggregates_of_other_contexts_are_refused_unverified<S: Additive>() {
    let world = World::<S>::new(8);
    let (mut gossip, mut peers) = world.gossip(0);
    let invalid = |received| matches!(received, Received::Invalid(_));
    let mut other = World::<S>::new(8);
    for (field, change) in [("kind", 0u8), ("view", 1), ("digest", 2)] {
        other.statement = world.statement;
        match change {
            0 => other.statement.kind = quorate::certificate::Kind::new(2),
            1 => other.statement.view += 1,
            _ => other.statement.digest[31] ^= 1,
        }
        assert!(invalid(gossip.receive(5, other.received([5]), NOW, &mut peers)), "{field}");
    }
    let smaller = World::<S>::new(7);
    assert!(invalid(gossip.receive(5, smaller.received([5]), NOW, &mut peers)));
    // From the member itself, and from no member.
    assert!(invalid(gossip.receive(0, world.received([5]), NOW, &mut peers)));
    assert!(invalid(gossip.receive(8, world.received([5]), NOW, &mut peers)));
    // Useless counts: above `preferred` without a quorum, and above the limit with one.
    let times = |members: std::ops::Range<u16>, times: usize| {
        members.flat_map(|member| vec![member; times]).collect::<Vec<_>>()
    };
    assert!(invalid(gossip.receive(5, world.received(times(5..6, 17)), NOW, &mut peers)));
    assert!(invalid(gossip.receive(5, world.received(times(2..8, 256)), NOW, &mut peers)));
    assert_eq!(gossip.waiting(), 0);
    assert_eq!(gossip.receive(5, world.received(times(5..6, 16)), NOW, &mut peers), Received::Waiting);
    assert_eq!(gossip.receive(6, world.received(times(2..8, 255)), NOW, &mut peers), Received::Waiting);
    let wrong_member = Gossip::new(world.committee.clone(), 8, world.statement, Parameters::default());
    assert_eq!(wrong_member.unwrap_err(), Error::UnknownSigner { index: 8 });
    let mut later = world.statement;
    later.epoch += 1;
    let wrong_epoch = Gossip::new(world.committee.clone(), 0, later, Parameters::default());
    assert_eq!(wrong_epoch.unwrap_err().code(), "WRONG_CONTEXT");
}

pub(crate) fn votes_sent_one_by_one_form_a_quorum<S: Additive>() {
    for (n, step) in [(4, 1), (7, 3), (16, 5), (50, 7)] {
        let world = World::<S>::new(n.into());
        let (mut gossip, mut peers) = world.gossip(0);
        let (mut checked_by_itself, _) = world.gossip(0);
        let quorum = n - (n - 1) / 3;
        // In an order that mixes the halves; two of them are silent.
        let members = (0..n).map(|turn| turn * step % n).filter(|member| ![1, 3].contains(member) || n < 7);
        for (informed, member) in members.take(quorum.into()).enumerate() {
            assert!(gossip.certificate().is_none() && gossip.signers().len() == informed, "{n}: {informed}");
            assert_eq!(checked_by_itself.vote(&world.vote(member)), Ok(true));
            if member == 0 {
                assert_eq!(gossip.vote(&world.vote(0)), Ok(true));
                continue;
            }
            let received = gossip.receive(member, world.received([member]), NOW, &mut peers);
            assert_eq!(received, Received::Waiting);
            assert!(gossip.check(NOW, Some(&[1; 32]), &mut peers).grew);
            let again = gossip.receive(member, world.received([member]), NOW, &mut peers);
            assert!(matches!(again, Received::NothingNew | Received::Complete));
        }
        assert!(gossip.certificate().is_some() && checked_by_itself.certificate() == gossip.certificate());
    }
}

pub(crate) fn the_stack_holds_one_per_peer_and_drops_the_oldest<S: Additive>() {
    let world = World::<S>::new(MANY);
    let (mut gossip, mut peers) = world.gossip(0);
    for from in 64..128 {
        assert_eq!(gossip.receive(from, world.received([from]), NOW, &mut peers), Received::Waiting);
    }
    assert_eq!(gossip.waiting(), MAX_STACK);
    // The same peers again: still one each. Other peers: the oldest are dropped.
    for from in 64..70 {
        let newer = world.received([from, from + 1]);
        assert_eq!(gossip.receive(from, newer, NOW, &mut peers), Received::Waiting);
    }
    for from in 1..40 {
        assert_eq!(gossip.receive(from, world.received([from]), NOW, &mut peers), Received::Waiting);
        assert_eq!(gossip.waiting(), MAX_STACK);
    }
    // The newest is verified first; of one half only the heaviest.
    let checked = gossip.check(NOW, Some(&[1; 32]), &mut peers);
    assert!(checked.aggregates <= Parameters::default().batch && checked.faults.is_empty());
    assert!(gossip.signers().contains(39));
}

pub(crate) fn only_the_sender_of_an_invalid_aggregate_is_blamed<S: Additive>() {
    let world = World::<S>::new(16);
    let (mut gossip, mut peers) = world.gossip(0);
    gossip.vote(&world.vote(0)).unwrap();
    // Invalid ones for three halves among valid ones, in one batch: the halves of 0 are 1, 2–3, 4–7, 8–15.
    let sent = [
        (1, world.received([1])),
        (3, world.forged([2, 3])),
        (6, world.received([4, 6])),
        (9, world.forged([8, 9, 10])),
    ];
    for (from, aggregate) in sent {
        assert_eq!(gossip.receive(from, aggregate, NOW, &mut peers), Received::Waiting);
    }
    let checked = gossip.check(NOW, Some(&[3; 32]), &mut peers);
    let mut faults = checked.faults;
    faults.sort_by_key(|fault| fault.culprit);
    let fault = |culprit| Fault { culprit, evidence: Error::BadSignature { signers: vec![] } };
    assert_eq!(faults, [fault(3), fault(9)]);
    assert!(gossip.signers().iter().eq([0, 1, 4, 6]));
    let soon = Time(NOW.0 + 100);
    assert_eq!(gossip.receive(9, world.received([9]), soon, &mut peers), Received::Refused);
    assert_eq!(gossip.receive(6, world.received([4, 5, 6]), soon, &mut peers), Received::Waiting);
    // An unverified aggregate was never merged: the valid one replaces the invalid one.
    assert_eq!(gossip.receive(10, world.received([9]), soon, &mut peers), Received::Waiting);
    assert_eq!(gossip.check(soon, None, &mut peers).faults, []);
    assert!(gossip.signers().iter().eq([0, 1, 4, 5, 6, 9]));
    // After the back-off it is accepted again.
    let later = NOW.plus(Parameters::default().back_off);
    assert_eq!(gossip.receive(9, world.received([8, 9]), later, &mut peers), Received::Waiting);
}

/// A flood of invalid aggregates from a third: each costs at most one failed check until its sender is accepted
/// again.
pub(crate) fn a_flood_costs_one_verification_per_sender<S: Additive>() {
    let world = World::<S>::new(16);
    let (mut gossip, mut peers) = world.gossip(0);
    gossip.vote(&world.vote(0)).unwrap();
    let (mut faults, mut verified) = (0, 0);
    for turn in 0..200u64 {
        let now = Time(NOW.0 + turn * 100);
        let from = 8 + (turn % 5) as u16;
        let _ = gossip.receive(from, world.forged(8..16), now, &mut peers);
        let checked = gossip.check(now, Some(&[3; 32]), &mut peers);
        faults += checked.faults.len();
        verified += checked.aggregates;
        assert!(gossip.waiting() <= MAX_STACK);
    }
    assert_eq!((faults, verified), (5, 5));
    assert!(gossip.signers().iter().eq([0]));
}

pub(crate) fn certificate_ends_acceptance_and_is_served<S: Additive>() {
    let world = World::<S>::new(8);
    let (mut gossip, mut peers) = world.gossip(0);
    gossip.vote(&world.vote(0)).unwrap();
    assert_eq!(gossip.receive(7, world.received(2..8), NOW, &mut peers), Received::Waiting);
    assert_eq!(gossip.receive(1, world.received([1]), NOW, &mut peers), Received::Waiting);
    assert!(gossip.check(NOW, None, &mut peers).grew);
    let certificate = gossip.certificate().unwrap().clone();
    assert_eq!(gossip.waiting(), 0);
    for round in 0..3 {
        assert_eq!(gossip.receive(1, world.received([1]), NOW, &mut peers), Received::Complete, "{round}");
        assert_eq!(gossip.receive(2, world.received([2, 3]), NOW, &mut peers), Received::Complete, "{round}");
    }
    assert_eq!(gossip.vote(&world.vote(1)), Ok(false));
    assert_eq!(gossip.check(NOW, None, &mut peers).aggregates, 0);
    // The certificate goes to the peer that requested it, then to the others until all have it.
    let mut informed = std::collections::BTreeSet::new();
    for draw in 0..100 {
        if let Some((to, aggregate)) = gossip.next(NOW, draw, &mut peers) {
            assert_eq!(aggregate.signers(), certificate.signers());
            assert!(Aggregate::<S>::decode(&aggregate.encode(), &world.committee).is_ok());
            peers.sent(to);
            informed.insert(to);
        }
    }
    assert!(informed.contains(&1) && informed.contains(&2) && !informed.contains(&0), "{informed:?}");
    assert_eq!(gossip.certificate(), Some(&certificate));
}

pub(crate) fn concurrent_sends_are_limited_to_the_fan_out<S: Additive>() {
    let world = World::<S>::new(40);
    let (mut gossip, mut peers) = world.gossip(3);
    assert_eq!(gossip.next(NOW, 1, &mut peers), None);
    gossip.vote(&world.vote(3)).unwrap();
    let (mut under_way, mut most) = (Vec::new(), 0);
    for turn in 0..200u64 {
        let now = Time(NOW.0 + turn * 1_000);
        while let Some((to, aggregate)) = gossip.next(now, turn, &mut peers) {
            assert!(to != 3 && aggregate.signers().contains(3) && !under_way.contains(&to));
            under_way.push(to);
        }
        most = most.max(under_way.len());
        if turn % 7 == 0 && !under_way.is_empty() {
            peers.left(under_way.remove(0));
        }
    }
    assert_eq!(most, Parameters::default().fan_out);
}

/// Member 0 receives all others' sums in many orders, twice each: the result is the same.
pub(crate) fn gossip_is_independent_of_order_and_repetition<S: Additive>() {
    let world = World::<S>::new(16);
    // No quorum of eleven.
    let heard: [(u16, &[u16]); 5] =
        [(1, &[1]), (3, &[2, 3]), (5, &[4, 5]), (7, &[4, 5, 7]), (9, &[8, 9, 15])];
    let mut seen = Vec::new();
    for turn in 0..10usize {
        let (mut gossip, mut peers) = world.gossip(0);
        gossip.vote(&world.vote(0)).unwrap();
        for i in 0..10 {
            let (from, members) = heard[(i * 3 + turn) % 5];
            let _ = gossip.receive(from, world.received(members.iter().copied()), NOW, &mut peers);
            if (i + turn) % 3 == 0 {
                assert_eq!(gossip.check(NOW, Some(&[i as u8; 32]), &mut peers).faults, []);
            }
        }
        while gossip.waiting() > 0 {
            assert_eq!(gossip.check(NOW, None, &mut peers).faults, []);
        }
        seen.push(gossip.signers().clone());
        assert!(gossip.certificate().is_none());
    }
    assert!(seen.iter().all(|signers| signers.iter().eq([0, 1, 2, 3, 4, 5, 7, 8, 9, 15])), "{seen:?}");
    assert_ne!(S::SUITE, 0);
}
