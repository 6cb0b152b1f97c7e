use std::sync::{Arc, PoisonError, RwLock, Weak};

use bytes::Bytes;
use quorate::machine::MemberIndex;
use tokio::sync::broadcast;

use super::clock::Clock;
use super::context::EpochContext;
use super::ingest::Ingest;
use super::peer_watch::{PeerWatch, WATCH_INTERVAL, clock_difference, missing_history};
use super::shared::Shared;
use crate::Result;
use crate::epochs::Epoch;
use crate::execution::{Queries, validator_views};
use crate::genesis::Genesis;
use crate::handle::{
    AbstentionStatus, Answer, BlockView, CommitEvent, CommitView, Digest, EpochView, Reachable, Refusal,
    Service, Status, Ticket, TransactionId, TransactionView, ValidatorView,
};
use crate::links::{LinkSender, Links};
use crate::metrics::Metrics;
use crate::protocol::Protocol;
use crate::snapshot::{Piece, SnapshotView};

/// Implementation of [`Handle`](crate::handle::Handle) for all epochs of a node.
pub(super) struct NodeService<P: Protocol> {
    pub(super) genesis: Arc<Genesis>,
    pub(super) clock: Clock,
    pub(super) ingest: Arc<Ingest>,
    pub(super) shared: Arc<Shared>,
    pub(super) queries: Queries<P>,
    pub(super) commits: broadcast::Sender<Arc<CommitEvent>>,
    pub(super) repeats: broadcast::Sender<Arc<Vec<u64>>>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) role: RwLock<Arc<EpochRole>>,
}

/// Number of checks of the peers after which the size of the data directory is measured again.
const DISK_CHECK_INTERVAL: u64 = 10;

/// The node's role in its epoch.
pub(super) struct EpochRole {
    epoch: Arc<Epoch>,
    me: Option<MemberIndex>,
    /// Weight of a quorum.
    quorum: u128,
    links: LinkSender,
}

impl EpochRole {
    pub(super) fn new<P: Protocol>(context: &EpochContext<P>, links: &Links) -> Arc<Self> {
        let quorum = context.committees.voters.quorum_weight();
        Arc::new(Self { epoch: context.epoch.clone(), me: context.me, quorum, links: links.sender() })
    }

    fn reachable(&self) -> Reachable {
        let peers = self.links.status().into_iter().filter(|peer| peer.outgoing).map(|peer| peer.index);
        let members = peers.chain(self.me).filter_map(|index| self.epoch.members.get(usize::from(index)));
        let (number, weight) =
            members.fold((0, 0_u128), |(n, sum), member| (n + 1, sum.saturating_add(member.weight)));
        Reachable { members: number, of: self.epoch.members.len(), quorum: weight >= self.quorum }
    }
}

impl<P: Protocol> NodeService<P> {
    /// Checks the peers at intervals, for the log and the metrics. Ends with the node.
    pub(super) async fn watch_peers(service: Weak<Self>) {
        let (mut watch, mut checks) = (PeerWatch::default(), 0_u64);
        loop {
            tokio::time::sleep(WATCH_INTERVAL).await;
            let Some(service) = service.upgrade() else { return };
            let role = service.role();
            let (reachable, difference) = (role.reachable(), clock_difference(&role.links.status()));
            service.metrics.links.reachable_members.set(reachable.members as i64);
            service
                .metrics
                .links
                .clock_difference_seconds
                .set(difference.map_or(0.0, |ms| ms as f64 / 1000.0));
            watch.check_quorum(reachable);
            watch.check_clock(difference);
            watch.check_history(missing_history(&service.shared.machine(), &role.links.status()));
            service.metrics.chain.oldest_height.set(service.queries.oldest_height() as i64);
            if checks.is_multiple_of(DISK_CHECK_INTERVAL) {
                service.measure_disk().await;
            }
            checks += 1;
        }
    }

    /// Sets the metric of the data directory's size. A failure leaves it as it is: the next write shows the reason.
    async fn measure_disk(&self) {
        let queries = self.queries.clone();
        if let Ok(Ok(bytes)) = tokio::task::spawn_blocking(move || queries.disk_bytes()).await {
            self.metrics.chain.data_bytes.set(bytes as i64);
        }
    }

    /// Sets the role when the next epoch starts.
    pub(super) fn set_role(&self, role: Arc<EpochRole>) {
        *self.role.write().unwrap_or_else(PoisonError::into_inner) = role;
    }

    fn role(&self) -> Arc<EpochRole> {
        self.role.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<P: Protocol> Service for NodeService<P> {
    fn submit_many(&self, transactions: Vec<Bytes>) -> Vec<Result<Ticket, Refusal>> {
        self.ingest.submit(transactions)
    }

    fn commits(&self) -> broadcast::Receiver<Arc<CommitEvent>> {
        self.commits.subscribe()
    }

    fn repeats(&self) -> broadcast::Receiver<Arc<Vec<u64>>> {
        self.repeats.subscribe()
    }

    fn status(&self) -> Status {
        let (machine, executed) = (self.shared.machine(), self.shared.executed());
        let (pending_transactions, pending_bytes) = self.ingest.pending();
        let role = self.role();
        let peers = role.links.status();
        let member = role.me.and_then(|me| role.epoch.members.get(usize::from(me)));
        Status {
            version: env!("CARGO_PKG_VERSION"),
            chain: self.genesis.chain.clone(),
            chain_id: Digest(self.genesis.chain_id().0),
            protocol: P::NAME,
            scheme: self.genesis.scheme.as_str(),
            me: role.me,
            name: member.map_or_else(String::new, |member| member.name.clone()),
            epoch: role.epoch.number,
            view: machine.view,
            leader: machine.leader,
            height: machine.committed,
            executed_height: executed.0,
            oldest_height: self.queries.oldest_height(),
            state_root: executed.1,
            certificate_bytes: self.shared.certificate_bytes(),
            committed_transactions: self.shared.transactions(),
            pending_transactions,
            pending_bytes,
            timeouts: machine.timeouts,
            syncing: self.ingest.is_syncing(),
            missing_history: missing_history(&machine, &peers),
            abstention: machine.abstention.map(|abstention| AbstentionStatus {
                until_view: abstention.until,
                rolled_back: abstention.is_stale,
            }),
            presigned_epochs: machine.presigned_epochs,
            congested: self.ingest.is_congested(),
            stopping: self.ingest.is_stopping(),
            failure: self.shared.failure_code(),
            uptime_ms: u64::try_from(self.clock.uptime().as_millis()).unwrap_or(u64::MAX),
            clock_difference_ms: clock_difference(&peers),
            reachable: role.reachable(),
            peers,
        }
    }

    fn validators(&self) -> Vec<ValidatorView> {
        validator_views(&self.role().epoch.members)
    }

    fn epochs(&self, from: u64) -> Result<Vec<EpochView>> {
        // Leave out an epoch that is on disk but has not started.
        let now = self.role().epoch.number;
        self.queries.epochs(&self.genesis, from, now)
    }

    fn block(&self, height: u64) -> Result<Option<BlockView>> {
        self.queries.block(height)
    }

    fn commit(&self, height: u64) -> Result<Option<CommitView>> {
        self.queries.commit(height)
    }

    fn transaction(&self, id: TransactionId) -> Result<Option<TransactionView>> {
        self.queries.transaction(id)
    }

    fn query(&self, key: &[u8]) -> Result<Option<Answer>> {
        self.queries.query(key)
    }

    fn snapshot(&self) -> Result<Piece<SnapshotView>> {
        self.queries.snapshot(&self.genesis.chain_id().0)
    }

    fn snapshot_head(&self, height: u64) -> Result<Piece> {
        self.queries.snapshot_head(height, &self.genesis.chain_id().0)
    }

    fn snapshot_block(&self, height: u64, block: u64) -> Result<Piece> {
        self.queries.snapshot_block(height, block)
    }

    fn snapshot_part(&self, height: u64, part: u32) -> Result<Piece> {
        self.queries.snapshot_part(height, part)
    }

    fn metrics(&self) -> &Metrics {
        &self.metrics
    }
}
