//! Runs of the page, executed natively.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::BTreeSet;

use quorate_browser::World;
use quorate_browser::setup::{GENERIC_BEHAVIOURS, Protocol};

fn advance(world: &mut World, until_ms: u64) -> String {
    while world.step(until_ms * 1_000) {}
    world.take_events().0
}

fn run(link: &str, until_ms: u64) -> (World, String) {
    let mut world = World::new(link).unwrap();
    let events = advance(&mut world, until_ms);
    (world, events)
}

#[test]
fn validators_commit_and_a_link_determines_the_history() {
    let (first, events) = run("n=4&seed=5", 5_000);
    assert!(first.height() > 8, "{}", first.height());
    for what in ["start", "view", "proposal", "vote", "certificate", "commit"] {
        assert!(events.contains(&format!("\"e\":\"{what}\"")), "{what}");
    }
    let (second, _) = run("n=4&seed=5", 5_000);
    assert_eq!((first.hash(), first.link()), (second.hash(), second.link()));
    assert_ne!(run("n=4&seed=6", 5_000).0.hash(), first.hash());
}

/// Recorded history hashes: a browser must compute the same.
#[test]
fn a_recorded_history_is_reproduced() {
    let (world, _) = run("n=4&seed=1&do=1000000.crash.1,2000000.restart.1", 3_000);
    assert_eq!(format!("{:016x}", world.hash()), include_str!("history.txt").trim());
    let (world, _) = run("p=gosig&n=4&seed=1&do=1500000.crash.1,3000000.restart.1", 5_000);
    assert_eq!(format!("{:016x}", world.hash()), include_str!("history-gosig.txt").trim());
    let (world, _) = run("p=abft&n=4&seed=1&do=1500000.crash.1,3000000.restart.1", 5_000);
    assert_eq!(format!("{:016x}", world.hash()), include_str!("history-abft.txt").trim());
}

#[test]
fn a_crash_is_tolerated_and_a_restarted_node_catches_up() {
    let mut world = World::new("n=4&seed=2").unwrap();
    advance(&mut world, 2_000);
    world.act("crash.3").unwrap();
    let before = world.height();
    advance(&mut world, 8_000);
    assert!(world.height() > before + 5, "{} {before}", world.height());
    assert!(world.state().contains("\"up\":false"));
    world.act("restart.3").unwrap();
    let events = advance(&mut world, 12_000);
    assert!(
        events.contains("\"e\":\"start\",\"node\":3") && events.contains("\"what\":\"restart.3\""),
        "{events}"
    );
    let height = world.height();
    let last = format!("\"progress\":{height}");
    assert!(world.state().matches(&last).count() >= 3 || world.state().contains("\"catchingUp\":false"));
    assert!(!world.state().contains("\"up\":false") && !world.state().contains("violation"));
}

#[test]
fn live_interventions_are_part_of_the_link() {
    let mut world = World::new("n=7&seed=3&byz=6.equivocator").unwrap();
    for (at, what) in [
        (700, "slow.1.300"),
        (1_100, "crash.2"),
        (1_500, "turn.5.forger"),
        (2_300, "restart.2"),
        (2_900, "recover.1"),
        (3_000, "split.0-1-2"),
        (3_900, "heal"),
        (4_000, "links.80.40.30"),
    ] {
        advance(&mut world, at);
        world.act(what).unwrap();
        world.act("heal").unwrap();
    }
    advance(&mut world, 6_000);
    let link = world.link();
    let mut again = World::new(&link).unwrap();
    advance(&mut again, 6_000);
    assert_eq!(again.hash(), world.hash());
    assert_eq!(again.link(), link);
    assert!(world.act("crash.7").is_err() && world.act("nonsense").is_err());
}

#[test]
fn an_equivocator_is_proven_and_agreement_holds() {
    let (world, events) = run("n=4&seed=4&byz=1.equivocator", 12_000);
    assert!(
        events.contains("\"culprit\":1,\"kind\":\"proof\",\"words\":\"signed two different blocks"),
        "{events}"
    );
    assert!(world.height() > 5 && !world.state().contains("violation"));
    let (world, events) = run("n=4&seed=4&byz=2.forger", 6_000);
    assert!(events.contains("\"culprit\":2,\"kind\":\"refused\""), "{events}");
    assert!(world.height() > 5 && !world.state().contains("violation"));
}

/// Half of the members is more than the protocol tolerates. The checkers report the violation and end the run. The page
/// links to this run: at its default speed, a tenth, two seconds are twenty for the visitor.
#[test]
fn too_many_twins_violate_agreement() {
    const RUN: &str = "n=4&seed=587&byz=1.twins,2.twins&do=0.split.0-1-2";
    let anchor = format!("<a href=\"#{RUN}\">too many Byzantine validators</a>");
    assert!(include_str!("../web/index.html").contains(&anchor), "the page links to another run");
    let (world, events) = run(RUN, 2_000);
    let state = world.state();
    assert!(world.is_over() && state.contains("\"violation\":\"agreement\""), "{state}");
    assert!(
        events.contains("\"culprit\":1,\"kind\":\"proof\"") && events.contains("\"culprit\":2"),
        "{events}"
    );
}

#[test]
fn every_behaviour_leaves_agreement_intact() {
    for protocol in Protocol::ALL {
        for name in GENERIC_BEHAVIOURS.iter().chain(protocol.adversaries()) {
            let mut world = World::new(&format!("p={}&n=4&seed=9", protocol.name())).unwrap();
            advance(&mut world, 1_000);
            world.act(&format!("turn.2.{name}")).unwrap();
            advance(&mut world, 6_000);
            assert!(!world.state().contains("violation"), "{protocol:?} {name}: {}", world.state());
            assert!(world.height() > 3, "{protocol:?} {name}: {}", world.height());
        }
    }
}

#[test]
fn gosig_commits_and_a_link_determines_the_history() {
    let (first, events) = run("p=gosig&n=7&seed=5", 6_000);
    assert!(first.height() > 3, "{}", first.height());
    for what in ["start", "round", "proposal", "prepare", "tentative", "certificate", "commit"] {
        assert!(events.contains(&format!("\"e\":\"{what}\"")), "{what}");
    }
    let (second, _) = run("p=gosig&n=7&seed=5", 6_000);
    assert_eq!((first.hash(), first.link()), (second.hash(), second.link()));
    assert!(first.link().starts_with("p=gosig&n=7&"));
    assert_ne!(run("n=7&seed=5", 6_000).0.hash(), first.hash());
}

/// Each member's aggregate of P grows from a few signers to a quorum in some round, and so does that of TC.
#[test]
fn aggregates_grow_as_they_spread() {
    let mut world = World::new("p=gosig&n=10&seed=1").unwrap();
    let (mut few, mut many) = ([0; 2], [0; 2]);
    for at in (0..6_000).step_by(20) {
        advance(&mut world, at);
        for (kind, name) in ["signed", "tentative"].into_iter().enumerate() {
            for count in numbers(&world.state(), name) {
                assert!(count <= 10, "{count}");
                few[kind] += u32::from((2..7).contains(&count));
                many[kind] += u32::from(count >= 7);
            }
        }
    }
    assert!(few.iter().chain(&many).all(|seen| *seen > 10), "{few:?} {many:?}");
    let signatures = world.take_flights().chunks(6).filter(|flight| flight[4] == 3.0).count();
    assert!(signatures > 100, "{signatures}");
}

/// Returns all numbers of this name in a state.
fn numbers(state: &str, name: &str) -> Vec<u32> {
    let name = format!("\"{name}\":");
    let rest = state.split(&name).skip(1);
    rest.map(|rest| rest.split([',', '}']).next().unwrap().parse().unwrap()).collect()
}

#[test]
fn gosig_continues_after_a_crash_and_a_partition() {
    let mut world = World::new("p=gosig&n=7&seed=2").unwrap();
    advance(&mut world, 3_000);
    world.act("crash.3").unwrap();
    let before = world.height();
    advance(&mut world, 8_000);
    assert!(world.height() > before + 2, "{} {before}", world.height());
    world.act("split.0-1-2").unwrap();
    advance(&mut world, 9_000);
    let before = world.height();
    advance(&mut world, 13_000);
    assert_eq!(world.height(), before, "no side of the split has a quorum");
    world.act("heal").unwrap();
    world.act("restart.3").unwrap();
    let events = advance(&mut world, 20_000);
    assert!(events.contains("\"e\":\"start\",\"node\":3"), "{events}");
    assert!(world.height() > before + 3 && !world.state().contains("violation"), "{}", world.state());
    let progress = numbers(&world.state(), "progress");
    assert!(progress.iter().all(|height| u64::from(*height) + 3 > world.height()), "{progress:?}");
}

#[test]
fn abft_commits_and_a_link_determines_the_history() {
    let (mut first, events) = run("p=abft&n=4&seed=5", 5_000);
    assert!(first.height() > 3, "{}", first.height());
    for what in [
        "proposal",
        "delivered",
        "promote",
        "coin",
        "elected",
        "subset",
        "open",
        "block",
        "certificate",
        "commit",
    ] {
        assert!(events.contains(&format!("\"e\":\"{what}\"")), "{what}");
    }
    assert!(first.state().contains("\"electedIn\":"), "{}", first.state());
    // Every kind but blocks for members that are behind.
    let kinds: BTreeSet<u8> = first.take_flights().chunks(6).map(|flight| flight[4] as u8).collect();
    assert!((1..=6).all(|kind| kinds.contains(&kind)) && !kinds.contains(&0), "{kinds:?}");
    let (second, _) = run("p=abft&n=4&seed=5", 5_000);
    assert_eq!((first.hash(), first.link()), (second.hash(), second.link()));
    assert!(first.link().starts_with("p=abft&n=4&"));
}

/// The page's example: the members of one region have delays of more than two seconds. No block of the others waits for
/// them, and they follow.
#[test]
fn no_member_of_abft_waits_for_a_slow_continent() {
    const SLOW: &str = "n=7&seed=5&do=0.slow.4.2000,0.slow.5.2000";
    let page = include_str!("../web/index.html");
    assert!(page.contains(&format!("href=\"#p=abft&{SLOW}\"")), "the page links to another run");
    let (world, events) = run(&format!("p=abft&{SLOW}"), 12_000);
    let (height, state) = (world.height(), world.state());
    assert!(height >= 8 && !state.contains("violation"), "{height} {state}");
    // Less than one message from there takes, also if the coin elects a slow member and another view follows.
    let firsts = events
        .split("{\"e\":")
        .filter(|event| event.contains("\"first\":true,") && event.starts_with("\"commit\""));
    let times: Vec<u32> = firsts.flat_map(|event| numbers(event, "at")).collect();
    let longest = times.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
    assert!(times.len() >= 8 && longest < 2_000_000, "{longest} {times:?}");
    // The slow members deliver the same blocks some seconds later.
    let progress = numbers(&state, "progress").into_iter().map(u64::from).collect::<Vec<_>>();
    assert!([0, 1, 2, 3, 6].iter().all(|near| progress[*near] + 1 >= height), "{progress:?}");
    assert!([4, 5].iter().all(|slow| (1..height).contains(&progress[*slow])), "{progress:?}");
}

/// With more slow members than may be faulty, the others wait for messages, but no delay stops the chain.
#[test]
fn no_delay_stops_abft() {
    let (world, _) = run("p=abft&n=4&seed=1&do=0.slow.2.2000,0.slow.3.2000", 60_000);
    assert!((2..20).contains(&world.height()), "{}", world.height());
    let progress = numbers(&world.state(), "progress");
    assert!(progress.iter().all(|height| u64::from(*height) + 2 > world.height()), "{progress:?}");
}

#[test]
fn abft_continues_after_a_crash_and_a_partition() {
    let mut world = World::new("p=abft&n=4&seed=2").unwrap();
    advance(&mut world, 2_000);
    world.act("crash.3").unwrap();
    let before = world.height();
    advance(&mut world, 6_000);
    assert!(world.height() > before + 2, "{} {before}", world.height());
    world.act("split.0-1").unwrap();
    advance(&mut world, 7_000);
    let before = world.height();
    advance(&mut world, 9_000);
    assert_eq!(world.height(), before, "no side of the split has enough members");
    world.act("heal").unwrap();
    world.act("restart.3").unwrap();
    let events = advance(&mut world, 16_000);
    assert!(events.contains("\"e\":\"start\",\"node\":3"), "{events}");
    assert!(world.height() > before + 3 && !world.state().contains("violation"), "{}", world.state());
    let progress = numbers(&world.state(), "progress");
    assert!(progress.iter().all(|height| u64::from(*height) + 2 > world.height()), "{progress:?}");
    let refused = world.act("rollback.1.2").unwrap_err();
    assert!(refused.contains("must not lose records"), "{refused}");
}

#[test]
fn a_double_voter_of_abft_is_proven_and_a_wrong_share_refused() {
    let (world, events) = run("p=abft&n=4&seed=4&byz=1.double-voter", 4_000);
    assert!(
        events.contains("\"culprit\":1,\"kind\":\"proof\",\"words\":\"signed two different blocks"),
        "{events}"
    );
    assert!(world.height() > 1 && !world.state().contains("violation"));
    let (world, events) = run("p=abft&n=4&seed=4&byz=2.share-swapper", 4_000);
    assert!(events.contains("\"culprit\":2,\"kind\":\"refused\""), "{events}");
    assert!(world.height() > 1 && !world.state().contains("violation"));
}

#[test]
fn messages_have_six_numbers_and_events_are_json() {
    let (mut world, events) = run("n=4&seed=1", 1_000);
    let flights = world.take_flights();
    assert!(flights.len() > 300 && flights.len() % 6 == 0, "{}", flights.len());
    assert!(world.take_flights().is_empty());
    assert!(events.starts_with("[{\"e\":\"start\"") && events.ends_with("}]"), "{events}");
}
