//! A hostile validator with a valid key: its place among four validators is taken by a program that attacks the others.
//!
//! The fourth validator stops, and the chain commits without it: the base. Then the hostile member opens links with its
//! keys. Latencies from submission to commit at the other three are compared with the base, which is measured before and
//! after each attack, because the machine's speed drifts. All run on one machine, so the hostile member uses at most a
//! [`SHARE`] of one processor, and in base windows, and when it uses less, a thread spins for the rest.

mod abft;
mod attacks;
mod check;
mod generic;
mod gosig;
mod jolteon;
mod member;
mod pace;
mod script;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use quorate_support::histogram::Histogram;
use serde_json::Value;

use super::client::Client;
use super::load::Load;
use crate::support::chain::{Chain, FOUNDERS};
use crate::support::eventually;
pub use attacks::Attack;
use member::Member;
use pace::{Limits, Spinner};
use script::Running;

/// Share of one processor that the hostile member may use.
pub const SHARE: f64 = 0.25;
/// Maximum memory, in bytes, by which an honest validator may grow because of one peer:
///
/// | MiB | what | limit |
/// |---|---|---|
/// | 8 + 32 | received frames, unprocessed | `links::Limits` |
/// | 64 + 32 | frames queued for it, bulk and urgent | `links.bulk_queue_bytes`, `MAX_URGENT_BYTES` |
/// | 96 | its uncommitted batches | `Parameters::max_author_bytes` |
/// | 64 | steps that await the disk | `MAX_WEIGHT` of a step queue |
/// | 8 | read buffers of 64 unauthenticated connections | `links.max_unauthenticated`, `READ_BUFFER` |
/// | 64 | the chain itself: caches and memory tables of the database | |
pub const MAX_GROWTH: u64 = (8 + 32 + 64 + 32 + 96 + 64 + 8 + 64) << 20;
/// The validators that stay honest.
pub const HONEST: [&str; 3] = ["alice", "bob", "carol"];
/// The validator whose place the hostile member takes.
pub const HOSTILE: &str = FOUNDERS[3];
/// Number of clients of each honest validator, and the interval in which each submits a transaction.
const CLIENTS: usize = 16;
const INTERVAL: Duration = Duration::from_secs(1);
/// Time before each window in which the effects of the last one end.
const SETTLE: Duration = Duration::from_secs(1);
/// Interval between two readings of the memory.
const SAMPLE: Duration = Duration::from_millis(50);

/// A chain of which one member is hostile.
pub struct HostileTorture {
    protocol: &'static str,
    chain: Chain,
    member: Arc<Member>,
    load: Load,
}

/// A period in which nothing changes.
pub struct Window {
    begin: Instant,
    end: Instant,
    blocks: u64,
    /// Growth of the memory, the maximum over the honest validators.
    growth: u64,
    frames: u64,
    bytes: u64,
    processor: Duration,
}

/// What an attack did to the honest validators.
pub struct Effect {
    pub name: &'static str,
    pub base: (Duration, Duration),
    pub attacked: (Duration, Duration),
    pub ratio: f64,
    pub blocks: (f64, f64),
    pub growth: u64,
    pub frames: f64,
    pub bytes: f64,
    pub processor: f64,
}

impl HostileTorture {
    /// Starts the chain, stops the fourth validator, and starts the load of the others.
    pub fn start(protocol: &'static str) -> Self {
        let mut chain = Chain::new(protocol);
        FOUNDERS.iter().for_each(|name| chain.start(name));
        FOUNDERS.iter().for_each(|name| chain.wait_for_membership(name, 0));
        chain.process(HOSTILE).signal("TERM");
        let (code, log) = chain.wait_for_exit(HOSTILE);
        assert_eq!(code, Some(0), "{log}");
        let member = Arc::new(Member::new(&chain, HOSTILE));
        let clients = HONEST.into_iter().flat_map(|name| vec![(name, chain.node(name)); CLIENTS]);
        let load = Load::start_paced(clients, INTERVAL);
        Self { protocol, chain, member, load }
    }

    /// Decides whether the directory of the chain is kept, and returns it.
    pub fn keep_directory(&mut self, kept: bool) -> std::path::PathBuf {
        self.chain.sandbox.keep(kept);
        self.chain.sandbox.path("")
    }

    /// Starts an attack, which lasts until the result is dropped.
    pub fn attack(&self, attack: Attack, limits: Limits) -> Running {
        Running::start(&self.member, attack.behaviour(self.protocol, &self.member), limits)
    }

    /// Applies an attack with few frames while transactions are committed, and waits until all of them are sent.
    pub fn attack_briefly(&mut self, attack: Attack, rounds: u64) {
        let before: Vec<u64> = HONEST.iter().map(|name| self.height(name)).collect();
        let memory = self.memory();
        let running = self.attack(attack, Limits { share: 1.0, rounds });
        eventually(&format!("{} is over", attack.name()), || {
            running.sent.frames.load(Ordering::Relaxed) >= rounds
        });
        for (name, before) in HONEST.iter().zip(before) {
            eventually(&format!("{name} commits during {}", attack.name()), || {
                self.height(name) > before + 2
            });
        }
        let acknowledged = self.load.acknowledged();
        eventually("transactions are acknowledged", || {
            self.load.acknowledged() > acknowledged + HONEST.len()
        });
        let growth = self.memory().saturating_sub(memory);
        assert!(growth <= MAX_GROWTH, "{}: {growth} bytes more", attack.name());
    }

    /// Measures a period without the hostile member, or with it.
    pub fn measure(&mut self, attack: Option<Attack>, length: Duration) -> Window {
        let running = attack.map(|attack| self.attack(attack, Limits { share: SHARE, rounds: u64::MAX }));
        let _spinner = Spinner::start(SHARE, running.as_ref().map(|running| running.clock.clone()));
        let memory = HONEST.map(|name| self.memory_of(name));
        thread::sleep(SETTLE);
        let counters = || {
            running.as_ref().map_or((0, 0, Duration::ZERO), |running| {
                let sent = &running.sent;
                (
                    sent.frames.load(Ordering::Relaxed),
                    sent.bytes.load(Ordering::Relaxed),
                    running.clock.used(),
                )
            })
        };
        let (begin, height, before) = (Instant::now(), self.height(HONEST[0]), counters());
        let mut growth = 0;
        while begin.elapsed() < length {
            thread::sleep(SAMPLE);
            for (name, memory) in HONEST.iter().zip(memory) {
                growth = growth.max(self.memory_of(name).saturating_sub(memory));
            }
        }
        let (end, after) = (Instant::now(), counters());
        let blocks = self.height(HONEST[0]).saturating_sub(height);
        let (frames, bytes) = (after.0 - before.0, after.1 - before.1);
        Window { begin, end, blocks, growth, frames, bytes, processor: after.2 - before.2 }
    }

    /// Compares windows under an attack with the base windows around them. A base window must follow, so that the
    /// transactions that fell due under the attack are acknowledged.
    pub fn effect(&self, attack: Attack, base: &[Window], attacked: &[Window]) -> Effect {
        let (before, during) = (self.latencies(base), self.latencies(attacked));
        let quantiles = |latencies: &Histogram| {
            [0.5, 0.9].map(|quantile| latencies.quantile(quantile).unwrap_or_default())
        };
        let ([base_median, base_high], [median, high]) = (quantiles(&before), quantiles(&during));
        let seconds =
            |windows: &[Window]| windows.iter().map(|w| (w.end - w.begin).as_secs_f64()).sum::<f64>();
        let blocks = |windows: &[Window]| {
            windows.iter().map(|window| window.blocks as f64).sum::<f64>() / seconds(windows)
        };
        let rate = |value: fn(&Window) -> f64| attacked.iter().map(value).sum::<f64>() / seconds(attacked);
        Effect {
            name: attack.name(),
            base: (base_median, base_high),
            attacked: (median, high),
            ratio: median.as_secs_f64() / base_median.as_secs_f64(),
            blocks: (blocks(base), blocks(attacked)),
            growth: attacked.iter().map(|window| window.growth).max().unwrap_or(0),
            frames: rate(|window| window.frames as f64),
            bytes: rate(|window| window.bytes as f64),
            processor: rate(|window| window.processor.as_secs_f64()),
        }
    }

    /// Latencies of the transactions that fell due in these windows.
    fn latencies(&self, windows: &[Window]) -> Histogram {
        let mut latencies = Histogram::new();
        for one in self.load.acknowledged_since(0) {
            if windows.iter().any(|window| (window.begin..window.end).contains(&one.due)) {
                latencies.record(u64::try_from(one.latency.as_micros()).unwrap_or(u64::MAX));
            }
        }
        latencies
    }

    fn status(&self, name: &str) -> Option<Value> {
        Client::new(&self.chain.node(name)).get("/v1/status").ok().map(|(_, status)| status)
    }

    fn height(&self, name: &str) -> u64 {
        self.status(name).and_then(|status| status["executed_height"].as_u64()).unwrap_or(0)
    }

    /// The greatest resident memory of an honest validator.
    fn memory(&mut self) -> u64 {
        HONEST.iter().map(|name| self.memory_of(name)).max().unwrap_or(0)
    }

    /// Resident memory of a validator in bytes.
    fn memory_of(&mut self, name: &str) -> u64 {
        let pid = self.chain.process(name).child.id();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
        1024 * kibibytes.unwrap_or_else(|| panic!("{name} has ended"))
    }
}

impl Effect {
    /// Describes the bound that the attack exceeds, if any.
    pub fn failure(&self, max_ratio: f64) -> Option<String> {
        let (name, ratio, growth) = (self.name, self.ratio, self.growth);
        if ratio > max_ratio {
            return Some(format!("{name}: the median is {ratio:.2} times the base, above {max_ratio}"));
        }
        (growth > MAX_GROWTH).then(|| format!("{name}: memory grew by {growth} bytes, above {MAX_GROWTH}"))
    }

    /// Head of the table.
    pub fn head() -> String {
        "attack          base p50  p90 ms  attack p50  p90 ms  ratio  blocks/s       RSS +MiB  frames/s    MiB/s  CPU".into()
    }

    /// A row of the table.
    pub fn row(&self) -> String {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        format!(
            "{:<14} {:>9.1} {:>7.1} {:>11.1} {:>7.1} {:>6.2} {:>5.1} → {:<5.1} {:>9} {:>9.0} {:>8.2} {:>4.0}%",
            self.name,
            ms(self.base.0),
            ms(self.base.1),
            ms(self.attacked.0),
            ms(self.attacked.1),
            self.ratio,
            self.blocks.0,
            self.blocks.1,
            self.growth >> 20,
            self.frames,
            self.bytes / f64::from(1 << 20),
            100.0 * self.processor,
        )
    }
}
