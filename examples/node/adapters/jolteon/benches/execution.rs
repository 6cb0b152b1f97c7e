//! Cost of the store and of execution: `cargo bench -p quorate-node-jolteon --bench execution`.
//!
//! Processor time includes background threads.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "../tests/chain/mod.rs"]
mod chain;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chain::{Chain, Voter, batch, open};
use quorate::bls::MinSig;
use quorate::ed25519::Ed25519;
use quorate_jolteon::{Batch, Record};
use quorate_node::application::Ledger;
use quorate_node::execution::Executor;

const BLOCKS: u64 = 60;
const BATCHES: u64 = 12;

fn main() {
    let payloads = |n: u64| batch(n, 960, 512);
    execution("512-byte payloads, random", payloads);
    let puts = |n: u64| {
        let put =
            |i: u64| format!("put account-{} {:0>470}", (n * 7919 + i * 104_729) % 1_000_000, n).into_bytes();
        Arc::new(Batch::new((n % 4) as u16, n, (0..960).map(put)).unwrap())
    };
    execution("512-byte puts over a million keys", puts);
    votes(false);
    votes(true);
}

fn execution(what: &str, make: impl Fn(u64) -> Arc<Batch>) {
    let dir = tempfile::tempdir().unwrap();
    let mut chain = Chain::<MinSig>::new([0; 32]);
    let store = open::<MinSig>(dir.path());
    let mut executor = Executor::open(store.clone(), Box::new(Ledger::default())).unwrap();
    let (mut total, mut spent, mut busy) = (0, Duration::ZERO, 0.0);
    for height in 1..=BLOCKS {
        let batches: Vec<_> = (0..BATCHES).map(|i| make(height * BATCHES + i)).collect();
        chain.extend(batches, executor.executed(), 0);
        if height == 1 {
            continue;
        }
        let delivery = chain.delivery(height - 1);
        store.append(&chain.records(height - 1)).unwrap();
        let (begin, cpu) = (Instant::now(), processor_seconds());
        let event = executor.execute(&delivery).unwrap().unwrap();
        (spent, busy) = (spent + begin.elapsed(), busy + processor_seconds() - cpu);
        total += u64::from(event.transactions);
    }
    let cpu = processor_seconds();
    executor.flush().unwrap();
    busy += processor_seconds() - cpu;
    println!(
        "execute {what}: {:.2} us elapsed and {:.2} us of processor time each ({total} transactions)",
        spent.as_secs_f64() * 1e6 / total as f64,
        busy * 1e6 / total as f64
    );
}

fn votes(bulk: bool) {
    let dir = tempfile::tempdir().unwrap();
    let store = open::<Ed25519>(dir.path());
    let (mut voter, stop) = (Voter::new(), AtomicBool::new(false));
    let mut taken: Vec<Duration> = Vec::new();
    std::thread::scope(|scope| {
        if bulk {
            scope.spawn(|| {
                for n in 1.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    store.append(&[Record::Batch(batch(n, 960, 512))]).unwrap();
                    std::thread::sleep(Duration::from_millis(15));
                }
            });
        }
        for view in 1..400 {
            let record = Record::VoteGuard(voter.vote(view));
            let begin = Instant::now();
            store.append(&[record]).unwrap();
            taken.push(begin.elapsed());
            std::thread::sleep(Duration::from_millis(5));
        }
        stop.store(true, Ordering::Relaxed);
    });
    taken.sort();
    println!(
        "a durable vote, {}: median {:?}, 99th percentile {:?}",
        if bulk { "30 MB/s of batches on another thread" } else { "without other load" },
        taken[taken.len() / 2],
        taken[taken.len() * 99 / 100]
    );
}

/// Processor time of this process in seconds; zero if the system does not report it.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let own: f64 = stat.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(0.0);
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let all: f64 = tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok())
        .filter_map(|text| text.split_whitespace().next()?.parse::<f64>().ok())
        .sum();
    all.max(own) / 1e9
}
