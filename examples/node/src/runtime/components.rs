use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex};

use tokio::sync::broadcast;

use super::clock::Clock;
use super::inbox::Inbox;
use super::ingest::Ingest;
use super::reports::{LinkInput, Reporter};
use super::shared::Shared;
use crate::evidence::EvidenceSender;
use crate::handle::CommitEvent;
use crate::metrics::Metrics;
use crate::protocol::Protocol;
use crate::store::{SignatureCounters, SpentJournal, Store};

/// Parts of a node that outlast an epoch.
pub(super) struct Components<P: Protocol> {
    pub(super) store: Arc<Store<P>>,
    /// Number of newest blocks to keep; `None` to keep all.
    pub(super) keep: Option<u64>,
    pub(super) counters: Option<Arc<Mutex<SignatureCounters>>>,
    pub(super) evidence: EvidenceSender,
    pub(super) spent: Option<Arc<Mutex<SpentJournal>>>,
    pub(super) clock: Clock,
    pub(super) inbox: Arc<Inbox>,
    pub(super) ingest: Arc<Ingest>,
    pub(super) shared: Arc<Shared>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) commits: broadcast::Sender<Arc<CommitEvent>>,
    pub(super) repeats: broadcast::Sender<Arc<Vec<u64>>>,
}

impl<P: Protocol> Components<P> {
    /// Receiver of the links' frames and events.
    pub(super) fn link_input(&self) -> Arc<LinkInput> {
        Arc::new(LinkInput { clock: self.clock, inbox: self.inbox.clone(), shared: self.shared.clone() })
    }

    /// Receiver of execution events. `executed` wakes the thread that prunes.
    pub(super) fn reporter(&self, executed: Option<SyncSender<()>>) -> Reporter {
        Reporter {
            executed,
            clock: self.clock,
            inbox: self.inbox.clone(),
            ingest: self.ingest.clone(),
            shared: self.shared.clone(),
            commits: self.commits.clone(),
            metrics: self.metrics.chain.clone(),
        }
    }
}
