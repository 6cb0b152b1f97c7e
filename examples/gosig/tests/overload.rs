//! Gosig in the simulator when clients bring more than the machines can do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::time::Duration;

use quorate::scheme::Toy;
use quorate_gosig::simulation::{GosigHost, Material};
use quorate_simulator::{Latency, Network, Scenario, Simulation, Work};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

#[test]
fn explore() {
    let get = |name: &str, or: u64| std::env::var(name).ok().map_or(or, |v| v.parse().unwrap());
    let pause = us(get("PAUSE", 16_000));
    let mut scenario = Scenario::new("overload", get("N", 16) as usize, get("SEED", 1))
        .network(Network::perfect(Latency::Tailed { floor: us(100), mean: us(200) }))
        .work(Work {
            per_input: us(get("INPUT", 100)),
            per_kilobyte: us(get("KB", 50)),
            write: Latency::Fixed(us(get("WRITE", 500))),
            ..Work::default()
        })
        .lasting(Duration::from_secs(get("SECS", 40)));
    scenario.checks.liveness = None;
    let mut host = GosigHost::<Toy>::new(Material::new(scenario.nodes)).workload(pause, u64::MAX);
    host.schedule.proposals = ms(250);
    host.schedule.signatures = ms(250);
    let mut simulation = Simulation::new(scenario, host);
    for second in 1..get("SECS", 40) {
        if !simulation.advance(Duration::from_secs(second)) { break; }
        let s: Vec<_> = (0..16).filter_map(|i| simulation.machine(i)).map(|m| m.status()).collect();
        let host = simulation.host();
        println!(
            "{:?} taken {} delivered {} undecided {} heights {}..{} pool {}..{} locked {:?}",
            simulation.now(), host.taken.len(), host.delivered.len(),
            host.undecided.get(&0).copied().unwrap_or(0),
            s.iter().map(|s| s.committed).min().unwrap(), s.iter().map(|s| s.committed).max().unwrap(),
            s.iter().map(|s| s.pending).min().unwrap(), s.iter().map(|s| s.pending).max().unwrap(),
            s.iter().map(|s| s.locked).collect::<Vec<_>>(),
        );
    }
    for i in 0..16 {
        let m = &simulation.metrics().nodes[i];
        println!("{i} {:?} {m:?}", simulation.machine(i).unwrap().status());
    }
    let m = simulation.metrics();
    println!("sent {} {:?}", m.sent(), m.measured.get("commit").map(|h| (h.median(), h.largest())));
}
