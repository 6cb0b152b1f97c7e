//! Memory, disk and time of the ledger: `cargo bench -p quorate-node --bench ledger -- ENTRIES...`.
//!
//! Puts new keys of 16 bytes with values of 32 bytes, in blocks of 10,000, until there are ENTRIES (default 1,000,000). Then
//! measures blocks of 1,000 puts (half of them of new keys), payloads and queries, restarts, and measures again. With several
//! numbers in ascending order it does so at each. The state is in the temporary directory (`TMPDIR`).
//!
//! Times per transaction are processor times of the execution thread; compactions run on another thread.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use quorate_node::application::{Application, Changes, ExecutionBlock, Ledger};
use quorate_node::store::{Roots, StateStore, files};

/// Puts in a block while the ledger is filled.
const BLOCK: u64 = 10_000;
/// Blocks of each measurement.
const BLOCKS: u64 = 200;

fn main() {
    let mut numbers: Vec<u64> =
        std::env::args().skip(1).filter_map(|argument| argument.replace('_', "").parse().ok()).collect();
    if numbers.is_empty() {
        numbers.push(1_000_000);
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    let (mut chain, mut next) = (Chain::open(&path), 0);
    for entries in numbers {
        chain.fill(next, entries);
        next = entries;
        let begin = Instant::now();
        chain.store.sync().unwrap();
        let bytes = files::disk_bytes(&path).unwrap();
        println!(
            "{:.0} bytes on disk per entry, synced in {:.1?}",
            bytes as f64 / entries as f64,
            begin.elapsed()
        );
        chain.measure(entries, 1000);
        drop(chain);
        let begin = Instant::now();
        let store = StateStore::open(&path, 1, false).unwrap();
        let opened = begin.elapsed();
        let begin = Instant::now();
        chain = Chain::restore(store);
        println!("restart: the store {opened:.1?}, the ledger {:.1?}", begin.elapsed());
        let begin = Instant::now();
        chain.execute(&(0..1000).map(|n| put(n * 7919 % entries, 9)).collect::<Vec<_>>());
        println!("first block of 1,000 puts: {:.1?}", begin.elapsed());
        chain.measure(entries + BLOCKS * 500, 1000);
        chain = chain.upgrade();
        println!("{}", memory());
    }
}

struct Chain {
    ledger: Ledger,
    store: StateStore,
    height: u64,
}

/// Processor time of the execution and of the commit.
#[derive(Default)]
struct Spent {
    execution: Duration,
    commit: Duration,
    count: u64,
}

impl Chain {
    fn open(path: &Path) -> Self {
        Self::restore(StateStore::open(path, 1, false).unwrap())
    }

    fn restore(store: StateStore) -> Self {
        let height = store.executed().unwrap().map_or(0, |(height, _)| height);
        let mut ledger = Ledger::default();
        ledger.restore(store.state(), height).unwrap();
        Self { ledger, store, height }
    }

    /// Puts the keys from number `next` to `entries`.
    fn fill(&mut self, mut next: u64, entries: u64) {
        let mut spent = Spent::default();
        while next < entries {
            let end = entries.min(next + BLOCK);
            let puts: Vec<_> = (next..end).map(|n| put(n, 0)).collect();
            spent.add(&self.execute(&puts), end - next);
            if end / 1_000_000 > next / 1_000_000 || end == entries {
                println!("{end:>9} entries: {spent} for each put, {}", memory());
                spent = Spent::default();
            }
            next = end;
        }
    }

    fn execute(&mut self, transactions: &[Vec<u8>]) -> Spent {
        let views: Vec<&[u8]> = transactions.iter().map(Vec::as_slice).collect();
        let block = ExecutionBlock::from_transactions(self.height + 1, 0, &views);
        let mut changes = Changes::default();
        let begin = processor_time();
        let application = self.ledger.execute(&block, &mut changes).unwrap();
        let executed = processor_time();
        self.height += 1;
        self.store.commit(self.height, &Roots { application, execution: [0; 32] }, &changes).unwrap();
        Spent { execution: executed - begin, commit: processor_time() - executed, count: 0 }
    }

    /// Makes the index again, as from the state of an earlier version.
    fn upgrade(self) -> Self {
        let Self { ledger, store, .. } = self;
        drop(ledger);
        let mut changes = Changes::default();
        changes.delete(b"i");
        store.write(&changes).unwrap();
        let begin = Instant::now();
        let write = &mut |changes: &Changes| {
            store.write(changes).unwrap();
            Ok(())
        };
        Ledger::default().upgrade(&store.state(), write).unwrap();
        println!("the index made again: {:.1?}", begin.elapsed());
        Self::restore(store)
    }

    fn measure(&mut self, entries: u64, size: u64) {
        let (mut spent, mut payloads) = (Spent::default(), Spent::default());
        for number in 0..BLOCKS {
            // Old keys anywhere, and new ones.
            let old = (0..size / 2)
                .map(|n| put((number * size + n).wrapping_mul(0x9e37_79b9) % entries, number + 1));
            let new = (0..size / 2).map(|n| put(entries + number * (size / 2) + n, 0));
            spent.add(&self.execute(&old.chain(new).collect::<Vec<_>>()), size);
        }
        for number in 0..BLOCKS {
            let block = (0..size).map(|n| [number, n].map(u64::to_be_bytes).concat()).collect::<Vec<_>>();
            payloads.add(&self.execute(&block), size);
        }
        println!("blocks of {size} puts, half of them new: {spent} each; payloads: {payloads} each");
        let begin = processor_time();
        for n in 0..1000 {
            self.ledger.query(key(n * 7919 * 2 % (2 * entries)).as_bytes()).unwrap().unwrap();
        }
        println!("queries: {:.1} us each", (processor_time() - begin).as_secs_f64() * 1e3);
    }
}

impl Spent {
    fn add(&mut self, other: &Self, count: u64) {
        self.execution += other.execution;
        self.commit += other.commit;
        self.count += count;
    }
}

impl std::fmt::Display for Spent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let each = |time: Duration| time.as_secs_f64() * 1e6 / self.count as f64;
        write!(f, "{:.2} us execution + {:.2} us commit", each(self.execution), each(self.commit))
    }
}

fn key(n: u64) -> String {
    format!("account-{n:08}")
}

fn put(n: u64, version: u64) -> Vec<u8> {
    format!("put {} {version:0>32}", key(n)).into_bytes()
}

/// Processor time of this thread.
fn processor_time() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(stat.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(0))
}

/// Resident memory now and at most.
fn memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0");
        line.trim_end_matches("kB").trim().parse::<u64>().unwrap_or(0) / 1024
    };
    format!("{} MiB resident, at most {}", field("VmRSS:"), field("VmHWM:"))
}
