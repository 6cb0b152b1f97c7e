//! Gosig in the simulator when clients bring more than the validators' machines can do.
//!
//! What a member does for a message takes time, which grows with the message: about as much as sixteen validators
//! need that share two processors. Votes wait behind transactions: there is one queue.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::time::Duration;

use quorate::scheme::Toy;
use quorate_gosig::simulation::{GosigHost, Material};
use quorate_gosig::{Parameters, Status};
use quorate_simulator::{Latency, Network, Scenario, Simulation, Work};

const MEMBERS: usize = 16;

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// Stages of 250 ms, and clients who come to each member about so often, up to so many times, with two transactions.
fn run(per_kilobyte: Duration, pause: Duration, times: u64) -> Simulation<GosigHost<Toy>> {
    let latency = Latency::Tailed { floor: us(100), mean: us(200) };
    let work = Work { per_input: us(300), per_kilobyte, write: Latency::Fixed(us(500)), ..Work::default() };
    let mut scenario = Scenario::new("overload", MEMBERS, 1)
        .network(Network::perfect(latency))
        .work(work)
        .lasting(Duration::from_secs(60));
    scenario.checks.liveness = None;
    let mut host = GosigHost::new(Material::new(MEMBERS)).workload(pause, times);
    host.schedule.proposals = Duration::from_millis(250);
    host.schedule.signatures = Duration::from_millis(250);
    Simulation::new(scenario, host)
}

fn statuses(simulation: &Simulation<GosigHost<Toy>>) -> Vec<Status> {
    (0..MEMBERS).filter_map(|slot| Some(simulation.machine(slot)?.status())).collect()
}

/// Blocks that a quorum has committed: a machine with more than it can do may fall behind the others for a while.
fn height(simulation: &Simulation<GosigHost<Toy>>) -> u64 {
    let mut heights: Vec<u64> = statuses(simulation).iter().map(|status| status.committed).collect();
    heights.sort_unstable();
    heights[(MEMBERS - 1) / 3]
}

/// Were all that waits put into one block, no round would be long enough for it, then or ever.
#[test]
fn a_backlog_that_no_round_could_manage_is_worked_off() {
    let mut simulation = run(us(2500), us(2000), 600);
    assert!(simulation.advance(Duration::from_secs(3)));
    let waiting = statuses(&simulation).iter().map(|status| status.pending).max().unwrap();
    assert!(waiting > 10_000, "{waiting}");
    assert!(simulation.advance(Duration::from_secs(30)));
    let host = simulation.host();
    let missing = host.taken.iter().filter(|id| !host.delivered.contains(*id)).count();
    assert!(missing == 0 && host.taken.len() > 15_000, "{missing} of {}", host.taken.len());
    assert!(host.evidence.is_empty());
}

#[test]
fn clients_that_never_stop_are_asked_to_hold_back_and_the_chain_goes_on() {
    let mut simulation = run(us(1000), us(4000), u64::MAX);
    let parameters = Parameters::default();
    let (mut before, mut decided) = (0, 0);
    for seconds in (4..=12).step_by(4) {
        assert!(simulation.advance(Duration::from_secs(seconds)));
        let (now, delivered) = (height(&simulation), simulation.host().delivered.len());
        assert!(now > before && delivered > decided, "{seconds} s: {before}..{now}, {decided}..{delivered}");
        (before, decided) = (now, delivered);
        // What was on its way to others when clients were asked comes on top.
        let waiting = statuses(&simulation).iter().map(|status| status.pending).max().unwrap();
        assert!(waiting < 12 * parameters.first_block_transactions, "{seconds} s: {waiting}");
    }
    let host = simulation.host();
    assert!(before >= 10 && 2 * decided > host.taken.len(), "{before} blocks, {decided} transactions");
    assert!(host.evidence.is_empty());
}
