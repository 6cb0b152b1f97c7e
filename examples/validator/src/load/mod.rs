//! An open-loop load: transactions fall due at a fixed rate, whether or not earlier ones have committed. Latency is
//! measured from the moment a transaction falls due to the moment the client learns of its commit. So the latency of a
//! stalled network includes the waiting time, and transactions that could not be sent in time count too.

mod connection;
mod counts;
mod payload;
mod queue;
mod report;

use std::sync::Arc;
use std::time::Duration;

use quorate_support::histogram::Histogram;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

use crate::exit::Failure;
use counts::{Counts, Shared};
use queue::Queue;

pub(crate) use payload::{Format, Payloads};
pub(crate) use report::{Latencies, LoadReport};

/// Interval at which due transactions are passed to the connections.
const TICK: Duration = Duration::from_millis(5);
/// Time limit of the first connections.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
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
        let shared = Arc::new(Shared::new(plan.rate));
        let queues: Vec<Arc<Queue>> = plan.targets.iter().map(|_| Arc::default()).collect();
        let connect = |(target, queue): (&String, &Arc<Queue>)| {
            tokio::spawn(connection::keep(target.clone(), queue.clone(), shared.clone()))
        };
        let connections = plan.targets.iter().zip(&queues).map(connect).collect();
        let deadline = Instant::now() + CONNECT_TIMEOUT;
        while !queues.iter().all(|queue| queue.is_open()) && Instant::now() < deadline {
            sleep(TICK).await;
        }
        shared.start();
        let driver = tokio::spawn(drive(shared.clone(), queues, plan.payloads));
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
        self.shared.counts().take_recent()
    }

    /// Marks the start of the steady phase, over which the steady rate is measured.
    pub(crate) fn mark(&self) {
        let now = self.shared.now();
        self.shared.counts().set_mark(now);
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
        self.shared.counts().end_at(self.shared.now());
        let report = LoadReport::new(&self.shared.counts(), sending, steady);
        match self.driver.await {
            Ok(Err(failure)) => Err(failure),
            // The task was aborted above, or reached the end of its file.
            Ok(Ok(())) | Err(_) => Ok(report),
        }
    }
}

/// Passes due transactions, in blocks, to validators with room in their queues.
async fn drive(shared: Arc<Shared>, queues: Vec<Arc<Queue>>, mut payloads: Payloads) -> Result<(), Failure> {
    let mut tick = interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let (mut index, mut turn) = (0u64, 0usize);
    loop {
        tick.tick().await;
        let due = shared.fallen_due(shared.now());
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
