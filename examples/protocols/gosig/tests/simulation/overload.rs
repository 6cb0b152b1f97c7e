//! Gosig in the simulator under more load than the validators' machines can process.
//!
//! Processing a message takes time that grows with its size, about as for many validators that share two processors. There
//! is one queue, so votes wait behind transactions.

use std::time::Duration;

use quorate::scheme::Toy;
use quorate_gosig::simulation::{GosigHost, SimulationKeys};
use quorate_gosig::{Parameters, Status};
use quorate_simulator::{Latency, Network, Scenario, Simulation, Work};

const MEMBERS: usize = 10;

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// Returns a run with stages of 250 ms, in which clients submit two transactions to each member about every `pause`, up to
/// `times` times.
fn run(per_kilobyte: Duration, pause: Duration, times: u64) -> Simulation<GosigHost<Toy>> {
    let latency = Latency::Tailed { floor: us(100), mean: us(200) };
    let work = Work { per_input: us(300), per_kilobyte, write: Latency::Fixed(us(500)), ..Work::default() };
    let mut scenario = Scenario::new("overload", MEMBERS, 1)
        .network(Network::perfect(latency))
        .work(work)
        .lasting(Duration::from_secs(60));
    scenario.checks.liveness = None;
    let mut host = GosigHost::new(SimulationKeys::new(MEMBERS)).workload(pause, times);
    host.schedule.proposals = Duration::from_millis(250);
    host.schedule.signatures = Duration::from_millis(250);
    Simulation::new(scenario, host)
}

fn statuses(simulation: &Simulation<GosigHost<Toy>>) -> Vec<Status> {
    (0..MEMBERS).filter_map(|slot| Some(simulation.machine(slot)?.status())).collect()
}

/// Returns the height that a quorum has committed. An overloaded machine may fall behind the others for a while.
fn height(simulation: &Simulation<GosigHost<Toy>>) -> u64 {
    let mut heights: Vec<u64> = statuses(simulation).iter().map(|status| status.committed).collect();
    heights.sort_unstable();
    heights[(MEMBERS - 1) / 3]
}

/// If all pending transactions went into one block, no round would be long enough to decide it.
#[test]
fn a_backlog_larger_than_any_round_is_worked_off() {
    let mut simulation = run(us(2500), us(2000), 600);
    assert!(simulation.advance(Duration::from_secs(3)));
    let waiting = statuses(&simulation).iter().map(|status| status.pending).max().unwrap();
    assert!(waiting > 10_000, "{waiting}");
    assert!(simulation.advance(Duration::from_secs(30)));
    let host = simulation.host();
    let missing = host.accepted.iter().filter(|id| !host.delivered.contains(*id)).count();
    assert!(missing == 0 && host.accepted.len() > 10_000, "{missing} of {}", host.accepted.len());
    assert!(host.evidence.is_empty());
}

#[test]
fn congestion_holds_clients_back_and_the_chain_continues() {
    let mut simulation = run(us(1000), us(4000), u64::MAX);
    let parameters = Parameters::default();
    let (mut before, mut decided) = (0, 0);
    for seconds in (4..=8).step_by(4) {
        assert!(simulation.advance(Duration::from_secs(seconds)));
        let (now, delivered) = (height(&simulation), simulation.host().delivered.len());
        assert!(now > before && delivered > decided, "{seconds} s: {before}..{now}, {decided}..{delivered}");
        (before, decided) = (now, delivered);
        // Transactions that were in transit when congestion began are added.
        let waiting = statuses(&simulation).iter().map(|status| status.pending).max().unwrap();
        assert!(waiting < 12 * parameters.first_block_transactions, "{seconds} s: {waiting}");
    }
    let host = simulation.host();
    assert!(before >= 10 && 2 * decided > host.accepted.len(), "{before} blocks, {decided} transactions");
    assert!(host.evidence.is_empty());
}
