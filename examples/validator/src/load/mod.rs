//! An open-loop load: transactions fall due at a fixed rate, whether or not earlier ones have committed. Latency is
//! measured from the moment a transaction falls due to the moment the client learns of its commit. So the latency of a
//! stalled network includes the waiting time, and transactions that could not be sent in time count too.

mod connection;
mod histogram;
mod payload;
mod queue;
mod report;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

use crate::exit::Failure;
use queue::Queue;

pub(crate) use histogram::Histogram;
pub(crate) use payload::{Format, Payloads};
pub(crate) use report::{Latencies, LoadReport};

/// Interval at which due transactions are passed to the connections.
const TICK: Duration = Duration::from_millis(5);
/// Time limit of the first connections.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// Interval of the checks for outstanding commits at the end of a load.
const DRAIN_TICK: Duration = Duration::from_millis(10);

/// Parameters of a load.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Stream addresses of the validators.
    pub targets: Vec<String>,
    /// Transactions per second, over all validators.
    pub rate: f64,
    /// Content of the transactions.
    pub payloads: Payloads,
}

/// Counters of a running load.
#[derive(Clone, Debug)]
pub(crate) struct Counts {
    /// Transactions that have fallen due.
    pub submitted: u64,
    /// Due transactions that committed.
    pub committed: u64,
    /// Transactions that a validator refused, by code.
    pub refused: BTreeMap<&'static str, u64>,
    /// Streams that a validator ended, by code.
    pub closed: BTreeMap<&'static str, u64>,
    /// Transactions in flight when their connection broke.
    pub lost: u64,
    /// Transactions that were not sent, because no validator was reachable or all were too far behind.
    pub unsent: u64,
    /// Latencies of the committed transactions.
    pub latencies: Histogram,
    /// The same since [`Load::recent`] was last called.
    recent: Histogram,
    recent_committed: u64,
    /// Time of [`Load::mark`], and the number of commits at that time.
    mark: (u64, u64),
    /// Time of the last commit in microseconds since the start.
    pub last_commit: u64,
}

/// State shared by a load and its connections.
#[derive(Debug)]
struct Shared {
    /// Set once the first connections are established.
    start: OnceLock<Instant>,
    /// Microseconds between two transactions.
    step: f64,
    counts: Mutex<Counts>,
}

/// A load that is running.
#[derive(Debug)]
pub(crate) struct Load {
    shared: Arc<Shared>,
    driver: JoinHandle<Result<(), Failure>>,
    connections: Vec<JoinHandle<()>>,
}

impl Load {
    /// Connects to every reachable target and starts the load.
    pub(crate) async fn start(plan: Plan) -> Self {
        let shared = Arc::new(Shared {
            start: OnceLock::new(),
            step: 1e6 / plan.rate,
            counts: Mutex::new(Counts::new()),
        });
        let queues: Vec<Arc<Queue>> = plan.targets.iter().map(|_| Arc::default()).collect();
        let connect = |(target, queue): (&String, &Arc<Queue>)| {
            tokio::spawn(connection::keep(target.clone(), queue.clone(), shared.clone()))
        };
        let connections = plan.targets.iter().zip(&queues).map(connect).collect();
        let deadline = Instant::now() + CONNECT_PATIENCE;
        while !queues.iter().all(|queue| queue.is_open()) && Instant::now() < deadline {
            sleep(TICK).await;
        }
        shared.start.get_or_init(Instant::now);
        let driver = tokio::spawn(drive(shared.clone(), queues, plan.rate, plan.payloads));
        Self { shared, driver, connections }
    }

    /// Returns true if the payload file has ended and all its transactions were sent.
    pub(crate) fn is_sent(&self) -> bool {
        self.driver.is_finished()
    }

    /// Counters of a running load.
    pub(crate) fn counts(&self) -> Counts {
        self.shared.counts().clone()
    }

    /// Returns the latencies and the number of commits since the last call.
    pub(crate) fn recent(&self) -> (Histogram, u64) {
        let mut counts = self.shared.counts();
        let recent = (counts.recent.clone(), counts.recent_committed);
        counts.recent.clear();
        counts.recent_committed = 0;
        recent
    }

    /// Marks the start of the steady phase, over which the steady rate is measured.
    pub(crate) fn mark(&self) {
        let now = self.shared.now();
        let mut counts = self.shared.counts();
        counts.mark = (now, counts.committed);
    }

    /// Stops sending, waits at most `drain` for outstanding commits, and returns the report.
    pub(crate) async fn finish(self, drain: Duration) -> Result<LoadReport, Failure> {
        let sending = Duration::from_micros(self.shared.now());
        let steady = self.shared.counts().since_mark(sending);
        self.driver.abort();
        let deadline = Instant::now() + drain;
        while self.shared.counts().open() > 0 && Instant::now() < deadline {
            sleep(DRAIN_TICK).await;
        }
        self.connections.iter().for_each(JoinHandle::abort);
        let report = LoadReport::new(&self.shared.counts(), sending, steady);
        match self.driver.await {
            Ok(Err(failure)) => Err(failure),
            // The task was aborted above, or reached the end of its file.
            Ok(Ok(())) | Err(_) => Ok(report),
        }
    }
}

impl Shared {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        // Counters stay valid even if a thread panicked while it held the lock.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        let elapsed = self.start.get().map_or(Duration::ZERO, Instant::elapsed);
        u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX)
    }
}

impl Counts {
    fn new() -> Self {
        Self {
            submitted: 0,
            committed: 0,
            refused: BTreeMap::new(),
            closed: BTreeMap::new(),
            lost: 0,
            unsent: 0,
            latencies: Histogram::new(),
            recent: Histogram::new(),
            recent_committed: 0,
            mark: (0, 0),
            last_commit: 0,
        }
    }

    /// Returns the number of refused transactions.
    pub(crate) fn all_refused(&self) -> u64 {
        self.refused.values().sum()
    }

    /// Returns the number of transactions without a result.
    pub(crate) fn open(&self) -> u64 {
        self.submitted.saturating_sub(self.committed + self.all_refused() + self.lost + self.unsent)
    }

    /// Returns commits per second from the mark to `end`.
    fn since_mark(&self, end: Duration) -> f64 {
        let (from, before) = self.mark;
        let seconds = end.saturating_sub(Duration::from_micros(from)).as_secs_f64();
        (self.committed - before) as f64 / seconds.max(1e-6)
    }

    fn commit(&mut self, micros: u64) {
        self.committed += 1;
        self.recent_committed += 1;
        self.latencies.record(micros);
        self.recent.record(micros);
    }
}

/// Passes due transactions, in blocks, to validators with room in their queues.
async fn drive(
    shared: Arc<Shared>,
    queues: Vec<Arc<Queue>>,
    rate: f64,
    mut payloads: Payloads,
) -> Result<(), Failure> {
    let mut tick = interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let (mut index, mut turn) = (0u64, 0usize);
    loop {
        tick.tick().await;
        let due = (shared.now() as f64 * rate / 1e6) as u64;
        let open: Vec<&Arc<Queue>> = queues.iter().filter(|queue| queue.has_room()).collect();
        let mut left = due.saturating_sub(index);
        if open.is_empty() {
            // No validator had room: these transactions count as due and never commit.
            let mut counts = shared.counts();
            counts.submitted += left;
            counts.unsent += left;
            index = due;
            continue;
        }
        for (position, parts) in (0..open.len()).zip((1..=open.len()).rev()) {
            let share = left.div_ceil(parts as u64);
            let Some(queue) = open.get((turn + position) % open.len()) else { continue };
            let sent = queue.push(index, share, &mut payloads)?;
            shared.counts().submitted += sent;
            index += sent;
            left -= share;
            if sent < share {
                return Ok(());
            }
        }
        turn += 1;
    }
}
