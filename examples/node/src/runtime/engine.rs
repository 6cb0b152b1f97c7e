use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::archive::Archivist;
use super::context::EpochContext;
use super::driver::{Driver, FaultLog};
use super::shared::Shared;
use super::step_queue::{StepQueue, StepQueues};
use super::supervisor::NodeSupervisor;
use super::writer::Writer;
use crate::epochs::NextEpoch;
use crate::execution::{Execution, Executor};
use crate::links::Links;
use crate::protocol::Protocol;
use crate::{NodeError, Result};

/// How many deliveries may wait for execution before consensus waits for it.
const DELIVERIES: usize = 32;
/// How many questions of peers may wait for the archive.
const QUESTIONS: usize = 64;

/// What runs as long as an epoch: the machine's threads, and the links.
pub(super) struct Engine<P: Protocol> {
    links: Links,
    threads: Vec<JoinHandle<()>>,
    outcome: Arc<Outcome<P>>,
}

/// What the threads of an epoch leave.
pub(super) struct Outcome<P: Protocol> {
    successor: Mutex<Option<NextEpoch>>,
    executor: Mutex<Option<Executor<P>>>,
}

impl<P: Protocol> Engine<P> {
    /// Starts the threads.
    pub(super) fn start(life: &NodeSupervisor<P>, term: EpochContext<P>, links: Links) -> Result<Self> {
        let outcome = Arc::new(Outcome::default());
        let EpochContext { epoch, me, former_members, executor, machine, .. } = term;
        let members = epoch.members.iter().map(|member| member.name.clone());
        let names =
            members.chain(former_members.into_iter().map(|former_member| former_member.name)).collect();
        let reporter = life.reporter();
        let execution = Execution::start(executor, DELIVERIES, move |event| reporter.report(event))?;
        let (ask, questions) = sync_channel(QUESTIONS);
        let (step_queues, store, shared) = (StepQueues::new(), &life.base.store, &life.shared);
        let writer = |step_queue: &Arc<StepQueue<P>>, execution| Writer {
            step_queue: step_queue.clone(),
            store: store.clone(),
            links: links.sender(),
            ingest: life.ingest.clone(),
            execution,
            questions: ask.clone(),
            shared: shared.clone(),
            outcome: outcome.clone(),
            metrics: life.metrics.chain.clone(),
            settled: Vec::new(),
            repeats: life.repeats.clone(),
        };
        let (urgent, bulk) = (writer(&step_queues.urgent, Some(execution)), writer(&step_queues.bulk, None));
        let archivist =
            Archivist { store: store.clone(), links: links.sender(), questions, shared: shared.clone() };
        let driver = Driver {
            machine,
            me,
            members: epoch.members.len(),
            clock: life.clock,
            inbox: life.inbox.clone(),
            step_queues,
            ingest: life.ingest.clone(),
            links: links.sender(),
            shared: shared.clone(),
            metrics: life.metrics.chain.clone(),
            names,
            fault_log: FaultLog::default(),
        };
        let threads = vec![
            spawn("archive", shared, move || archivist.run())?,
            spawn("write-urgent", shared, move || urgent.run())?,
            spawn("write-bulk", shared, move || bulk.run())?,
            spawn("machine", shared, move || driver.run())?,
        ];
        drop(ask);
        Ok(Self { links, threads, outcome })
    }

    /// Waits for the threads, which were told to end, and closes the links. How the epoch ended and what executes the
    /// next one, unless the node does not go on.
    pub(super) async fn end(self) -> Option<(NextEpoch, Executor<P>)> {
        let Self { links, threads, outcome } = self;
        let ended = tokio::task::spawn_blocking(move || {
            for thread in threads {
                // A panic has made the node fail already.
                let _ = thread.join();
            }
        });
        // The task only waits, it cannot fail.
        let _ = ended.await;
        links.shutdown().await;
        let (successor, executor) = (take(&outcome.successor), take(&outcome.executor));
        successor.zip(executor)
    }
}

impl<P: Protocol> Outcome<P> {
    /// The epoch is over.
    pub(super) fn set_successor(&self, successor: NextEpoch) {
        *self.successor.lock().unwrap_or_else(PoisonError::into_inner) = Some(successor);
    }

    /// All that was delivered is executed and written out.
    pub(super) fn set_executor(&self, executor: Option<Executor<P>>) {
        *self.executor.lock().unwrap_or_else(PoisonError::into_inner) = executor;
    }
}

impl<P: Protocol> Default for Outcome<P> {
    fn default() -> Self {
        Self { successor: Mutex::new(None), executor: Mutex::new(None) }
    }
}

fn take<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Starts a thread; if it panics, the node fails rather than going on without it.
fn spawn(
    name: &'static str,
    shared: &Arc<Shared>,
    work: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>> {
    let watch = Watch { name, shared: shared.clone() };
    let watched = move || {
        let _watch = watch;
        work();
    };
    let spawned = thread::Builder::new().name(name.into()).spawn(watched);
    spawned.map_err(|source| NodeError::Io { during: "starting a thread", path: None, source })
}

struct Watch {
    name: &'static str,
    shared: Arc<Shared>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        if thread::panicking() {
            let why = format!("its {} thread panicked; please report what it printed", self.name);
            self.shared.fail(NodeError::Stopped { why });
        }
    }
}
