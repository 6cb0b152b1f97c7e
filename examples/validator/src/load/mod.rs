//! An open-loop load: transactions fall due at a fixed rate, whether or not earlier ones have committed, and a
//! latency runs from the moment a transaction was due to the moment the client hears of its commit. So a network
//! that stalls is charged for everything that waited, and nothing is left out that could not be sent in time.

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

/// How often what has fallen due is handed to the connections.
const TICK: Duration = Duration::from_millis(5);
/// How long the first connections may take.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// How often the end of a load looks whether everything has committed.
const DRAIN_TICK: Duration = Duration::from_millis(10);

/// What a load does.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Where the validators take streams.
    pub targets: Vec<String>,
    /// Transactions per second, over all validators.
    pub rate: f64,
    /// What they are.
    pub payloads: Payloads,
}

/// What has happened so far.
#[derive(Clone, Debug)]
pub(crate) struct Counts {
    /// Transactions that have fallen due.
    pub submitted: u64,
    /// Of these, those that a validator committed.
    pub committed: u64,
    /// Those that a validator refused, by code.
    pub refused: BTreeMap<&'static str, u64>,
    /// Streams that a validator ended, by code.
    pub closed: BTreeMap<&'static str, u64>,
    /// Those that were at a validator, or on the way there, when the connection to it broke.
    pub lost: u64,
    /// Those that could not be sent, because no validator could be reached or all were too far behind.
    pub unsent: u64,
    /// Latencies of the committed ones.
    pub latencies: Histogram,
    /// The same since [`Load::recent`] was last called.
    recent: Histogram,
    recent_committed: u64,
    /// When [`Load::mark`] was called, and how many had committed by then.
    mark: (u64, u64),
    /// When the last commit was heard of, in microseconds since the start.
    pub last_commit: u64,
}

/// What a load has in common with its connections.
#[derive(Debug)]
struct Shared {
    /// Set when the first connections stand.
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
    /// Connects to every target that can be reached, and begins.
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

    /// Whether everything there was to send has been sent: the end of a file.
    pub(crate) fn is_sent(&self) -> bool {
        self.driver.is_finished()
    }

    /// What has happened so far.
    pub(crate) fn counts(&self) -> Counts {
        self.shared.counts().clone()
    }

    /// Latencies and number of what committed since this was last called.
    pub(crate) fn recent(&self) -> (Histogram, u64) {
        let mut counts = self.shared.counts();
        let recent = (counts.recent.clone(), counts.recent_committed);
        counts.recent.clear();
        counts.recent_committed = 0;
        recent
    }

    /// From here on the rate is taken for that of a load that has found its pace.
    pub(crate) fn mark(&self) {
        let now = self.shared.now();
        let mut counts = self.shared.counts();
        counts.mark = (now, counts.committed);
    }

    /// Sends nothing more, gives what is on its way at most `drain` to commit, and reports.
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
            // Stopped by the abort above, or at the end of its file.
            Ok(Ok(())) | Err(_) => Ok(report),
        }
    }
}

impl Shared {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        // Counters stay usable whatever happened to a thread that held them.
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

    /// How many were refused.
    pub(crate) fn all_refused(&self) -> u64 {
        self.refused.values().sum()
    }

    /// How many are still on their way.
    pub(crate) fn open(&self) -> u64 {
        self.submitted.saturating_sub(self.committed + self.all_refused() + self.lost + self.unsent)
    }

    /// Commits per second from the mark to `end`.
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

/// Hands out what falls due, in blocks, to the validators that can take it.
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
            // They fell due and nobody could take them: they count, and never commit.
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
