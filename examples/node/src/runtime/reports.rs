use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use quorate::machine::Time;
use tokio::sync::broadcast;

use super::clock::Clock;
use super::inbox::Inbox;
use super::ingest::Ingest;
use super::shared::Shared;
use crate::NodeError;
use crate::execution::Event;
use crate::handle::CommitEvent;
use crate::links::{LinkEvent, Received, Sink};
use crate::metrics::ChainMetrics;
use crate::protocol::{Command, Executed};

/// Receives frames and events from the links.
pub(super) struct LinkInput {
    pub(super) clock: Clock,
    pub(super) inbox: Arc<Inbox>,
    pub(super) shared: Arc<Shared>,
}

/// Reports executed blocks to the replica and to clients.
pub(super) struct Reporter {
    /// Wakes the thread that prunes.
    pub(super) executed: Option<SyncSender<()>>,
    pub(super) clock: Clock,
    pub(super) inbox: Arc<Inbox>,
    pub(super) ingest: Arc<Ingest>,
    pub(super) shared: Arc<Shared>,
    pub(super) commits: broadcast::Sender<Arc<CommitEvent>>,
    pub(super) metrics: ChainMetrics,
}

impl Sink for LinkInput {
    fn frame(&self, received: Received) {
        self.inbox.frame(received);
    }

    fn event(&self, event: LinkEvent) {
        match event {
            LinkEvent::Up(member) => self.inbox.command(Command::Connected(member)),
            LinkEvent::Down(_) => {}
            LinkEvent::SameIdentity { address } => self.shared.fail(NodeError::SameIdentity { address }),
        }
    }

    fn now(&self) -> Time {
        self.clock.now()
    }
}

impl Reporter {
    /// Handles an event of the execution thread.
    pub(super) fn report(&self, event: Event) {
        match event {
            Event::Executed { executed, commit } => self.executed(executed, commit),
            Event::Failed(error) => self.shared.fail(error),
        }
    }

    fn executed(&self, executed: Executed, mut commit: Arc<CommitEvent>) {
        self.inbox.command(Command::Executed(executed));
        // Execution frees room for batches that were refused. Retry them here, because no further block may commit.
        self.ingest.seal_refused();
        // Clients identify their batches by the numbers on their tickets.
        for sequence in &mut Arc::make_mut(&mut commit).own_batches {
            *sequence = self.ingest.ticket_number(*sequence);
        }
        self.ingest.set_lagging(self.shared.set_executed(&commit));
        let metrics = &self.metrics;
        metrics.executed_height.set(i64::try_from(commit.height).unwrap_or(i64::MAX));
        metrics.transactions.inc_by(commit.transactions.into());
        metrics.transaction_bytes.inc_by(commit.bytes);
        metrics.certificate_bytes.set(commit.certificate_bytes.into());
        if commit.timestamp > 0 {
            let made = Time(commit.timestamp.saturating_mul(1000));
            metrics.commit_seconds.observe(self.clock.now().since(made).as_secs_f64());
        }
        // An error means that there are no subscribers.
        let _ = self.commits.send(commit);
        if let Some(executed) = &self.executed {
            // An error means that it is awake already.
            let _ = executed.try_send(());
        }
    }
}
