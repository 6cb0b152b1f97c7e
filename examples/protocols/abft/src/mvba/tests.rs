use quorate::machine::MemberIndex;
use quorate::threshold::coin::{Coin, CoinName};
use quorate::threshold::lagrange::Cache;
use quorate::wire::{Decode, Encode};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use std::collections::BTreeSet;
use std::sync::Arc;

use super::*;
use crate::checks::{Check, Checks};
use crate::signatures::{Bls, Ed25519List};
use crate::testing::{Keys, Network, Schedule, Verdict, assert_noticed, ensure, schedules, seeds};

mod byzantine;

type Machine4 = Agreement<Ed25519List>;

const MAX_VALUE: usize = 100;

fn machine<S: ThresholdScheme>(keys: &Keys<S>, me: MemberIndex, epoch: u64, checks: Checks) -> Agreement<S> {
    let validity: Validity = Arc::new(|value| value.starts_with(b"valid"));
    Agreement::with_checks(keys.context(me, epoch), MAX_VALUE, validity, [me as u8; 32], checks).unwrap()
}

fn value(of: MemberIndex) -> Vec<u8> {
    format!("valid {of}").into_bytes()
}

/// A network of which the last f members are Byzantine, with one machine each for the given checks.
fn network<S: ThresholdScheme>(
    keys: &Keys<S>,
    epoch: u64,
    (seed, schedule): (u64, Schedule),
    checks: Checks,
    byzantine: &[Checks],
) -> Network<Agreement<S>> {
    let mut network = Network::new(seed, schedule);
    let (members, faulty) = (keys.setup.tolerance.parties(), keys.setup.tolerance.faulty());
    (0..members - faulty).for_each(|me| network.add(machine(keys, me, epoch, checks)));
    for me in members - faulty..members {
        network.add_byzantine(byzantine.iter().map(|checks| machine(keys, me, epoch, *checks)).collect());
    }
    network
}

/// Starts a network in which every correct member proposes its own value.
fn propose<S: ThresholdScheme>(network: &mut Network<Agreement<S>>) {
    network.start();
    let correct: Vec<_> = network.correct().map(|(member, _)| member).collect();
    correct.into_iter().for_each(|me| network.command(me, 0, Command::Propose(value(me))));
}

/// Checks agreement, external validity and termination; returns the highest view of a decision.
fn check<S: ThresholdScheme>(network: &Network<Agreement<S>>) -> Result<View, String> {
    let mut decisions = Vec::new();
    for (member, node) in network.correct() {
        match node.outputs.as_slice() {
            [Output::Decided { view, value }] => decisions.push((*view, value)),
            outputs => return Err(format!("termination: {member} has {outputs:?}")),
        }
    }
    ensure(decisions.windows(2).all(|two| two[0].1 == two[1].1), || format!("agreement: {decisions:?}"))?;
    ensure(decisions[0].1.starts_with(b"valid"), || format!("external validity: {decisions:?}"))?;
    Ok(decisions.iter().map(|(view, _)| *view).max().unwrap())
}

fn run<S: ThresholdScheme>(network: &mut Network<Agreement<S>>) -> Result<View, String> {
    network.run(20_000)?;
    check(network)
}

/// The leader of a view, which the tests can compute because they have all keys.
fn leader<S: ThresholdScheme>(keys: &Keys<S>, epoch: u64, view: View) -> MemberIndex {
    let name = CoinName { protocol: COIN_PROTOCOL, epoch, instance: 0, round: view.into() };
    let coin = Coin::from_name(&keys.setup.coin, name).unwrap();
    let mut rng = StdRng::seed_from_u64(0);
    let shares: Vec<_> = keys.secrets.iter().map(|s| s.coin.coin_share(&coin, &mut rng).unwrap()).collect();
    let verified = keys.setup.coin.verify_shares(coin.instance(), &shares).unwrap().verified;
    let value = coin.combine(&keys.setup.coin, &verified, &mut Cache::default()).unwrap();
    value.below(keys.setup.members()).unwrap()
}

/// Returns the first epoch in which the first views elect these leaders.
fn epoch_with_leaders<S: ThresholdScheme>(keys: &Keys<S>, leaders: &[MemberIndex]) -> u64 {
    let elects = |epoch: &u64| (1..).zip(leaders).all(|(view, wanted)| leader(keys, *epoch, view) == *wanted);
    (0..).find(elects).unwrap()
}

/// Tag and view of an encoded message.
fn header(bytes: &[u8]) -> (u8, View) {
    (bytes[0], View::from_le_bytes(*bytes[1..].first_chunk().unwrap()))
}

/// Encoded tags of the messages.
const PROMOTE: u8 = 1;
const ADVANCE: u8 = 2;
const DONE: u8 = 4;
const SKIP: u8 = 5;
const ELECT: u8 = 6;
const REPORT: u8 = 7;
const DECIDE: u8 = 8;

fn forged() -> <Ed25519List as ThresholdScheme>::Signature {
    Decode::decode(&[0; 4], &()).unwrap()
}

fn sign(
    keys: &Keys<Ed25519List>,
    member: usize,
    statement: &[u8],
) -> <Ed25519List as ThresholdScheme>::Share {
    Ed25519List::sign(&keys.secrets[member].unagreed, statement)
}

#[test]
fn members_decide_one_valid_value_under_any_schedule() {
    let keys = Keys::<Ed25519List>::deal(4, 1);
    for seed in seeds(240) {
        let silent: &[Checks] = if seed % 2 == 0 { &[] } else { &[Checks::default()] };
        let mut network = network(&keys, seed, (seed, schedules(seed, 4)), Checks::default(), silent);
        propose(&mut network);
        let views = run(&mut network).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        // In a view a member sends 8 messages to each other member, and 4 votes to each.
        let bound = views as usize * 12 * 4 * 3 + 4 * 3;
        assert!(views <= 12 && network.delivered <= bound, "{} in {views} views", network.delivered);
    }
}

#[test]
fn seven_members_decide_without_two_of_them() {
    let keys = Keys::<Ed25519List>::deal(7, 2);
    for seed in seeds(6) {
        let mut network = network(&keys, seed, (seed, schedules(seed, 7)), Checks::default(), &[]);
        propose(&mut network);
        run(&mut network).unwrap();
    }
}

#[test]
fn members_decide_with_bls() {
    let keys = Keys::<Bls>::deal(4, 1);
    for seed in 0..4 {
        let mut network = network(&keys, seed, (seed, schedules(seed, 4)), Checks::default(), &[]);
        propose(&mut network);
        run(&mut network).unwrap();
    }
}

#[test]
fn a_single_member_decides_its_value() {
    let keys = Keys::<Ed25519List>::deal(1, 0);
    let mut network = network(&keys, 0, (0, Schedule::random()), Checks::default(), &[]);
    propose(&mut network);
    assert_eq!(run(&mut network), Ok(1));
}

#[test]
fn with_equal_delays_a_decision_takes_eleven_messages() {
    let keys = Keys::<Ed25519List>::deal(4, 1);
    let epoch = epoch_with_leaders(&keys, &[1]);
    let mut network = network(&keys, epoch, (0, Schedule::in_order()), Checks::default(), &[]);
    propose(&mut network);
    assert_eq!(run(&mut network), Ok(1));
    // Four stages with votes, Done, Skip, Elect: all members have the leader's commit and need no report.
    assert!(network.correct().all(|(_, node)| node.depths[0] == 11));
}

/// The scheduler delays each leader's promotion until after its election, in the first three views.
#[test]
fn delayed_leaders_cost_views_and_nothing_else() {
    let keys = Keys::<Ed25519List>::deal(4, 1);
    for seed in seeds(40) {
        let leaders: Vec<_> = (1..=3).map(|view| leader(&keys, seed, view)).collect();
        let hold = move |from, _: MemberIndex, bytes: &[u8]| {
            let (tag, view) = header(bytes);
            let is_led = leaders.get(view as usize - 1).is_some_and(|leader| *leader == from);
            is_led && (tag == PROMOTE || tag == ADVANCE)
        };
        // All four members are correct: the leader is one of those that are slow.
        let mut network = Network::new(seed, Schedule::hold(hold));
        (0..4).for_each(|me| network.add(machine(&keys, me, seed, Checks::default())));
        propose(&mut network);
        let views = run(&mut network).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!((3..=14).contains(&views), "seed {seed}: {views}");
    }
}

#[test]
fn a_starved_member_decides_by_the_proof() {
    let keys = Keys::<Ed25519List>::deal(4, 1);
    for seed in seeds(24) {
        let mut network = Network::new(seed, Schedule::starve(0));
        (0..4).for_each(|me| network.add(machine(&keys, me, seed, Checks::default())));
        propose(&mut network);
        network.run_until(|network| (1..4).all(|me: usize| network.nodes[me].outputs.len() == 1));
        assert!(network.nodes[0].outputs.is_empty());
        // It has seen no election: only the proof of the decision tells it the leader.
        let decide = network.log.iter().find(|(_, to, bytes)| *to == 0 && bytes[0] == DECIDE).unwrap();
        let mut alone = machine(&keys, 0, seed, Checks::default());
        let message = quorate::machine::Machine::decode(&alone, 1, &decide.2).unwrap();
        let step = alone.handle(Time(0), Input::Message { from: 1, message });
        assert!(matches!(step.outputs.as_slice(), [Output::Decided { .. }]));
        run(&mut network).unwrap();
    }
}

#[test]
fn messages_of_far_views_are_bounded() {
    let keys = Keys::<Ed25519List>::deal(4, 1);
    let mut machine = machine(&keys, 0, 0, Checks::default());
    let mut faults = 0;
    for view in 1..200 {
        for round in 0..2u8 {
            let message = Message::Report {
                view,
                held: Some(Held { value: vec![round; MAX_VALUE], stage: Stage::KEY, signature: forged() }),
            };
            faults += machine.handle(Time(0), Input::Message { from: 3, message }).faults.len();
        }
    }
    assert_eq!(machine.later.len(), WINDOW as usize);
    // The second report of each kept view, both reports of each view beyond, and the second of the current view.
    assert_eq!(faults, 1 + WINDOW as usize + 2 * (199 - 1 - WINDOW as usize));
}

#[test]
fn encodings_are_canonical_and_bounded() {
    let keys = Keys::<Ed25519List>::deal(4, 1);
    let mut network = network(&keys, 1, (1, Schedule::random()), Checks::default(), &[]);
    propose(&mut network);
    run(&mut network).unwrap();
    let limits = Limits { value: MAX_VALUE, coin_shares: 2 };
    let tags: BTreeSet<u8> = network.log.iter().map(|(_, _, bytes)| bytes[0]).collect();
    assert_eq!(tags, (1..=8).collect());
    for tag in tags {
        let (_, _, bytes) = network.log.iter().find(|(_, _, bytes)| bytes[0] == tag).unwrap();
        let decode = |bytes: &[u8]| Message::<Ed25519List>::decode(bytes, &limits);
        assert_eq!(decode(bytes).unwrap().encode(), *bytes);
        for len in 0..bytes.len() {
            assert!(decode(&bytes[..len]).is_err(), "tag {tag} cut to {len}");
        }
        assert!(decode(&[bytes.as_slice(), &[0]].concat()).is_err());
        let mut view_zero = bytes.clone();
        view_zero[1..5].fill(0);
        assert!(decode(&view_zero).is_err());
    }
    let large = Message::<Ed25519List>::Promote { view: 1, value: vec![0; MAX_VALUE + 1], key: None };
    assert!(Message::<Ed25519List>::decode(&large.encode(), &limits).is_err());
}

#[test]
fn proposals_that_are_long_or_not_valid_are_refused() {
    let keys = Keys::<Ed25519List>::deal(4, 1);
    let mut machine = machine(&keys, 0, 0, Checks::default());
    for refused in [vec![0; MAX_VALUE + 1], b"not valid".to_vec()] {
        let step = machine.handle(Time(0), Input::Command(Command::Propose(refused)));
        assert!(matches!(step.outputs.as_slice(), [Output::Refused(_)]) && step.messages.is_empty());
    }
}
