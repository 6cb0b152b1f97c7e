//! Decoders of order-free aggregates, and a member that gossips with arbitrary peers.

use std::collections::BTreeSet;

use quorate::bls::{Counted, MinPk, MinSig};
use quorate::committee::{Committee, Verified};
use quorate::gossip::{Additive, Aggregate, Gossip, Parameters, Peers, Received};
use quorate::machine::Time;
use quorate::wire::{Decode, Encode};

use crate::fixture::{CHOICES, Fixed, MEMBERS, index};
use crate::identity;
use crate::seeds::from_vectors;

/// Maximum number of steps of one input: pairings are slow.
const MAX_STEPS: usize = 40;

/// All encodings: decoded values encode to the same bytes, batch and single verification agree, and only aggregates of
/// members' signatures verify.
pub(crate) fn decoders(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    match first % 2 {
        0 => decode_as::<Counted<MinSig>>(rest),
        _ => decode_as::<Counted<MinPk>>(rest),
    }
}

fn decode_as<S: Fixed + Additive>(bytes: &[u8]) {
    let fixture = S::fixture();
    let committee: &Committee<S> = &fixture.committee;
    let Some(aggregate) = identity::<Aggregate<S>, Committee<S>>(bytes, committee) else { return };
    assert_eq!(aggregate.encoded_len(), bytes.len());
    assert!(!aggregate.signers().is_empty() && aggregate.counts().highest() >= 1);
    let batch = Aggregate::verify_batch_derived(committee, vec![aggregate.clone(), aggregate.clone()]);
    let single = aggregate.verify(committee);
    assert!(batch.iter().all(|verdict| verdict.is_ok() == single.is_ok()), "batch and single disagree");
    let Ok(verified) = single else { return };
    let choice = (0..CHOICES).find(|choice| fixture.statement(*choice) == *verified.statement());
    let Some(choice) = choice else { unreachable!("an unsigned statement is aggregated") };
    // Signatures are unique: the counts determine the sum.
    let mut sum: Option<Verified<Aggregate<S>>> = None;
    for member in verified.signers().iter().filter(|_| verified.counts().highest() <= 64) {
        for _ in 0..verified.count(member) {
            sum = match (sum, single_of::<S>(member.into(), choice)) {
                (None, one) => one,
                (Some(sum), Some(one)) => sum.merge(&one, u16::MAX).ok(),
                (sum, None) => sum,
            };
        }
    }
    assert!(
        verified.counts().highest() > 64 || sum.is_some_and(|sum| sum == verified),
        "not the sum of its parts"
    );
    let certificate = verified.certificate(committee);
    assert_eq!(certificate.is_some(), committee.has_quorum(verified.signers()));
}

fn single_of<S: Fixed + Additive>(member: usize, choice: usize) -> Option<Verified<Aggregate<S>>> {
    let fixture = S::fixture();
    let vote = fixture.vote(member, choice).verify(&fixture.committee).ok()?;
    Aggregate::from_vote(&vote, &fixture.committee).ok()
}

/// The aggregate of the members in the bits of `members`, some of them `times` times.
fn sum_of<S: Fixed + Additive>(members: u8, times: u8, choice: usize) -> Option<Verified<Aggregate<S>>> {
    let mut sum: Option<Verified<Aggregate<S>>> = None;
    for member in (0..MEMBERS).filter(|member| members >> member & 1 == 1) {
        for _ in 0..=(usize::from(times) >> (member % 4)) % 3 {
            let one = single_of::<S>(member, choice)?;
            sum = Some(match sum {
                None => one,
                Some(sum) => sum.merge(&one, u16::MAX).ok()?,
            });
        }
    }
    sum
}

/// A member of seven that receives aggregates; three bytes per step choose the sender, the signers and the defect. It blames
/// only senders of invalid aggregates, stays within its bounds, and forms a valid certificate as soon as it has a quorum.
pub(crate) fn machine(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    match first % 2 {
        0 => gossip_as::<Counted<MinSig>>(rest),
        _ => gossip_as::<Counted<MinPk>>(rest),
    }
}

fn gossip_as<S: Fixed + Additive>(bytes: &[u8]) {
    let (fixture, parameters) = (S::fixture(), Parameters::default());
    let statement = fixture.statement(0);
    let Ok(mut gossip) = Gossip::<S>::new(fixture.committee.clone(), 0, statement, parameters) else {
        return;
    };
    let mut peers = Peers::new(0, MEMBERS as u16, parameters);
    let mut liars = BTreeSet::new();
    for (at, step) in (1u64..).zip(bytes.chunks_exact(3).take(MAX_STEPS)) {
        let &[selector, members, what] = step else { return };
        let (from, now) = (index(usize::from(selector)), Time(at * 20_000));
        let Some((aggregate, good)) = aggregate_in::<S>(members, what) else { continue };
        let waiting = gossip.waiting();
        let received = gossip.receive(from, aggregate, now, &mut peers);
        match received {
            Received::Waiting => {
                assert!(gossip.waiting() >= waiting.max(1) && gossip.waiting() <= MEMBERS);
                if !good {
                    liars.insert(from);
                }
            }
            Received::Invalid(_) => assert!(!good || from == 0, "a valid aggregate is called invalid"),
            Received::NothingNew => {}
            Received::Complete => assert!(gossip.certificate().is_some()),
            Received::Refused => assert!(liars.contains(&from), "an honest peer is refused"),
        }
        if selector & 0x40 == 0 {
            let checked = gossip.check(now, (selector & 0x20 == 0).then_some(&[9; 32]), &mut peers);
            for fault in &checked.faults {
                assert!(liars.contains(&fault.culprit), "an honest peer is blamed");
            }
        }
        if let Some((to, sent)) = gossip.next(now, u64::from(what) << 8 | u64::from(members), &mut peers) {
            assert!(to != 0 && usize::from(to) < MEMBERS && sent.counts().highest() <= parameters.limit);
            assert_eq!(sent.check(&fixture.committee), Ok(()), "the member sends an invalid aggregate");
            if selector & 0x80 == 0 { peers.left(to) } else { peers.failed(to, now) }
        }
    }
    if let Some(certificate) = gossip.certificate() {
        assert_eq!((certificate.check(&fixture.committee), *certificate.statement()), (Ok(()), statement));
    }
    // After any history, one complete aggregate from an honest peer suffices.
    let whole = sum_of::<S>(0x7f, 0, 0);
    let honest = (1..MEMBERS).map(index).find(|member| !liars.contains(member));
    if let (Some(whole), Some(honest)) = (whole, honest) {
        let late = Time(3_600_000_000);
        let _: Received = gossip.receive(honest, whole.into_inner(), late, &mut peers);
        for _ in 0..MEMBERS {
            let checked = gossip.check(late, None, &mut peers);
            assert!(checked.faults.iter().all(|fault| liars.contains(&fault.culprit)));
        }
        assert!(gossip.certificate().is_some(), "no certificate after an aggregate of a quorum");
    }
}

/// An aggregate, and whether it is valid for the gossiped statement.
fn aggregate_in<S: Fixed + Additive>(members: u8, what: u8) -> Option<(Aggregate<S>, bool)> {
    let times = what >> 4;
    let good = sum_of::<S>(members & 0x7f, times, 0)?.into_inner();
    let committee = &S::fixture().committee;
    match what & 7 {
        // The signature of another statement under this one.
        5 => {
            let (mut bytes, other) = (good.encode(), sum_of::<S>(members & 0x7f, times, 1)?.encode());
            let length = signature_len::<S>();
            let at = bytes.len() - length;
            bytes.truncate(at);
            bytes.extend(other.get(other.len() - length..)?);
            Some((Aggregate::decode(&bytes, committee).ok()?, false))
        }
        // An additional signer whose signature is missing.
        6 => {
            let more = sum_of::<S>(0x7f, times, 0)?.encode();
            let length = signature_len::<S>();
            let mut bytes = more.get(..more.len() - length)?.to_vec();
            let whole = good.encode();
            bytes.extend(whole.get(whole.len() - length..)?);
            let aggregate = Aggregate::decode(&bytes, committee).ok()?;
            let good = aggregate == good;
            Some((aggregate, good))
        }
        // An aggregate of another statement.
        7 => Some((sum_of::<S>(members & 0x7f, times, 1)?.into_inner(), false)),
        _ => Some((good, true)),
    }
}

fn signature_len<S: Fixed>() -> usize {
    S::fixture().vote(0, 0).signature().encode().len()
}

/// Seeds of [`decoders`].
pub(crate) fn decoder_seeds() -> Vec<Vec<u8>> {
    fn seeds_for<S: Fixed + Additive>(byte: u8, seeds: &mut Vec<Vec<u8>>) {
        let choices = [(1, 0), (2, 0), (0x7f, 0), (0x7f, 0x55), (0x15, 0xff), (0x60, 3)];
        let made = choices
            .into_iter()
            .zip(0..)
            .filter_map(|((members, times), i)| sum_of::<S>(members, times, i % CHOICES));
        let mut found: Vec<Vec<u8>> = made.map(|sum| sum.encode()).collect();
        found.extend(
            from_vectors().iter().filter(|seed| seed.first() == Some(&S::SUITE) && seed.len() < 400).cloned(),
        );
        seeds.extend(found.into_iter().map(|seed| [&[byte], seed.as_slice()].concat()));
    }
    let mut seeds = Vec::new();
    seeds_for::<Counted<MinSig>>(0, &mut seeds);
    seeds_for::<Counted<MinPk>>(1, &mut seeds);
    seeds
}

/// Seeds of [`machine`].
pub(crate) fn machine_seeds() -> Vec<Vec<u8>> {
    let honest: Vec<u8> = (1..7u8).flat_map(|from| [from, 1 << from, 0]).collect();
    let overlapping: Vec<u8> = (1..7u8).flat_map(|from| [from, 3 << (from - 1), 0x10 * from]).collect();
    let mut seeds = vec![[&[0], honest.as_slice()].concat(), [&[1], overlapping.as_slice()].concat()];
    for what in [5, 6, 7] {
        let lies: Vec<u8> = (1..4u8).flat_map(|from| [from, 3 << from, what]).collect();
        seeds.push([&[0], lies.as_slice(), honest.as_slice()].concat());
        seeds.push([&[0x41], lies.as_slice(), overlapping.as_slice(), lies.as_slice()].concat());
    }
    seeds
}
