use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::{self, JoinHandle};

use super::archive::ArchiveServer;
use super::components::Components;
use super::context::EpochContext;
use super::driver::{Driver, FaultLog};
use super::outcome::Outcome;
use super::pruner::Pruner;
use super::shared::Shared;
use super::step_queue::{StepQueue, StepQueues};
use super::writer::Writer;
use crate::epochs::NextEpoch;
use crate::execution::{Execution, Executor};
use crate::links::Links;
use crate::protocol::Protocol;
use crate::{NodeError, Result};

/// Maximum number of deliveries that await execution before the writer blocks.
const MAX_DELIVERIES: usize = 32;
/// Maximum number of peers' requests that await the archive thread.
const MAX_REQUESTS: usize = 64;

/// Threads and links of one epoch.
pub(super) struct Engine<P: Protocol> {
    links: Links,
    threads: Vec<JoinHandle<()>>,
    outcome: Arc<Outcome<P>>,
}

impl<P: Protocol> Engine<P> {
    /// Starts the threads.
    pub(super) fn start(components: &Components<P>, context: EpochContext<P>, links: Links) -> Result<Self> {
        let outcome = Arc::new(Outcome::default());
        let EpochContext { epoch, me, former_members, executor, machine, .. } = context;
        let members = epoch.members.iter().map(|member| member.name.clone());
        let names =
            members.chain(former_members.into_iter().map(|former_member| former_member.name)).collect();
        let (step_queues, store, shared) = (StepQueues::new(), &components.store, &components.shared);
        let (executed, pruner) = components.keep.map(|keep| Pruner::new(store, shared, keep)).unzip();
        let reporter = components.reporter(executed);
        let execution = Execution::start(executor, MAX_DELIVERIES, move |event| reporter.report(event))?;
        let (request_sender, requests) = sync_channel(MAX_REQUESTS);
        let writer = |step_queue: &Arc<StepQueue<P>>, execution| Writer {
            step_queue: step_queue.clone(),
            store: store.clone(),
            counters: components.counters.clone(),
            spent: components.spent.clone(),
            links: links.sender(),
            ingest: components.ingest.clone(),
            execution,
            requests: request_sender.clone(),
            shared: shared.clone(),
            outcome: outcome.clone(),
            metrics: components.metrics.chain.clone(),
            settled: Vec::new(),
            repeats: components.repeats.clone(),
        };
        let (urgent, bulk) = (writer(&step_queues.urgent, Some(execution)), writer(&step_queues.bulk, None));
        let archive_server =
            ArchiveServer { store: store.clone(), links: links.sender(), requests, shared: shared.clone() };
        let driver = Driver {
            machine,
            me,
            members: epoch.members.len(),
            clock: components.clock,
            inbox: components.inbox.clone(),
            step_queues,
            ingest: components.ingest.clone(),
            links: links.sender(),
            shared: shared.clone(),
            metrics: components.metrics.chain.clone(),
            names,
            evidence: components.evidence.clone(),
            fault_log: FaultLog::default(),
            own_equivocation_log: FaultLog::default(),
        };
        let mut threads = vec![
            spawn("archive", shared, move || archive_server.run())?,
            spawn("write-urgent", shared, move || urgent.run())?,
            spawn("write-bulk", shared, move || bulk.run())?,
            spawn("machine", shared, move || driver.run())?,
        ];
        if let Some(pruner) = pruner {
            threads.push(spawn("prune", shared, move || pruner.run())?);
        }
        drop(request_sender);
        Ok(Self { links, threads, outcome })
    }

    /// Waits for the threads, whose end was requested, and closes the links. Returns the next epoch and the executor;
    /// `None` if the node does not continue.
    pub(super) async fn end(self) -> Option<(NextEpoch, Executor<P>)> {
        let Self { links, threads, outcome } = self;
        let ended = tokio::task::spawn_blocking(move || {
            for thread in threads {
                // A panic has already made the node fail.
                let _ = thread.join();
            }
        });
        // The task only waits and cannot fail.
        let _ = ended.await;
        links.shutdown().await;
        outcome.take()
    }
}

/// Starts a thread. If it panics, the node fails.
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
