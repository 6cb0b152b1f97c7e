use std::sync::Arc;

use bytes::Bytes;
use quorate::machine::MemberIndex;
use tokio::sync::broadcast;

use super::clock::Clock;
use super::ingest::Ingest;
use super::shared::Shared;
use crate::Result;
use crate::execution::Queries;
use crate::genesis::Genesis;
use crate::handle::{
    Answer, BlockView, CommitEvent, Digest, Refusal, Service, Status, Ticket, TransactionId, TransactionView,
    ValidatorView,
};
use crate::links::LinkSender;
use crate::metrics::Metrics;
use crate::protocol::Protocol;

/// What a handle stands on.
pub(super) struct NodeService<P: Protocol> {
    pub(super) genesis: Arc<Genesis>,
    pub(super) me: MemberIndex,
    pub(super) clock: Clock,
    pub(super) ingest: Arc<Ingest>,
    pub(super) shared: Arc<Shared>,
    pub(super) links: LinkSender,
    pub(super) queries: Queries<P>,
    pub(super) commits: broadcast::Sender<Arc<CommitEvent>>,
    pub(super) metrics: Arc<Metrics>,
}

impl<P: Protocol> Service for NodeService<P> {
    fn submit_many(&self, transactions: Vec<Bytes>) -> Vec<Result<Ticket, Refusal>> {
        self.ingest.submit(transactions)
    }

    fn commits(&self) -> broadcast::Receiver<Arc<CommitEvent>> {
        self.commits.subscribe()
    }

    fn status(&self) -> Status {
        let (machine, executed) = (self.shared.machine(), self.shared.executed());
        let (pending_transactions, pending_bytes) = self.ingest.pending();
        let name = self.genesis.members.get(usize::from(self.me)).map_or("", |m| m.name.as_str());
        Status {
            version: env!("CARGO_PKG_VERSION"),
            chain: self.genesis.chain.clone(),
            chain_id: Digest(self.genesis.chain_id().0),
            protocol: self.genesis.protocol.as_str(),
            scheme: self.genesis.scheme.as_str(),
            me: self.me,
            name: name.to_owned(),
            epoch: self.genesis.epoch,
            view: machine.view,
            leader: machine.leader,
            height: machine.committed,
            executed_height: executed.0,
            state_root: executed.1,
            certificate_bytes: self.shared.certificate_bytes(),
            committed_transactions: self.shared.transactions(),
            pending_transactions,
            pending_bytes,
            timeouts: machine.timeouts,
            syncing: self.ingest.is_syncing(),
            congested: self.ingest.is_congested(),
            stopping: self.ingest.is_stopping(),
            uptime_ms: u64::try_from(self.clock.uptime().as_millis()).unwrap_or(u64::MAX),
            peers: self.links.status(),
        }
    }

    fn validators(&self) -> Vec<ValidatorView> {
        let view = |(index, member): (MemberIndex, &crate::genesis::Member)| ValidatorView {
            index,
            name: member.name.clone(),
            address: member.address.clone(),
            weight: member.weight.to_string(),
            identity_key: member.keys.identity_key.to_string(),
            voting_key: member.keys.voting_key.to_string(),
        };
        (0..).zip(&self.genesis.members).map(view).collect()
    }

    fn block(&self, height: u64) -> Result<Option<BlockView>> {
        self.queries.block(height)
    }

    fn transaction(&self, id: TransactionId) -> Result<Option<TransactionView>> {
        self.queries.transaction(id)
    }

    fn query(&self, key: &[u8]) -> Result<Option<Answer>> {
        self.queries.query(key)
    }

    fn metrics(&self) -> &Metrics {
        &self.metrics
    }
}
