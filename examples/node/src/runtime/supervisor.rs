//! Supervises a node from its start to its end, over all epochs.
//!
//! ```text
//!            ┌──────────────────── EpochContext: epoch, role, replica ◄── NodeContext::enter ◄──────────┐
//!            ▼                                                                                          │
//!   links, then threads ──► the replica ends the epoch ──► threads end: all delivered blocks are        │
//!                                                          executed and written to disk                 │
//!                                                               │                                       │
//!                                                               ▼                                       │
//!                                     links end ──► the next epoch is durable (NodeContext::advance) ───┘
//! ```
//!
//! A crash at any point leaves a directory from which the same path continues: before the next epoch is durable, the
//! restored replica ends the epoch again; after that, [`NodeContext::enter`] starts the next one.
//!
//! The store, the application, the clients' listeners and subscriptions, and the accepted but uncommitted transactions
//! outlast an epoch. The transactions are submitted to the next replica again, so tickets stay valid.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quorate_protocol::builder::{BatchBuilder, BatchLimits};
use tokio::sync::broadcast;
use tokio::task::JoinHandle;

use super::clock::Clock;
use super::components::Components;
use super::context::{EpochContext, NodeContext};
use super::engine::Engine;
use super::inbox::Inbox;
use super::ingest::{Admission, Ingest};
use super::service::{EpochRole, NodeService};
use super::shared::Shared;
use crate::application::Checker;
use crate::epochs::NextEpoch;
use crate::evidence::EvidenceFolder;
use crate::execution::Executor;
use crate::genesis::Parameters;
use crate::handle::{Digest, Handle};
use crate::links::{Limits, LinkListener, Links, Settings};
use crate::metrics::Metrics;
use crate::protocol::Protocol;
use crate::{NodeError, Result};

/// Number of commit events that a slow subscriber may fall behind.
const COMMITS: usize = 1024;

/// Starts and ends the epochs of a node.
pub(super) struct NodeSupervisor<P: Protocol> {
    context: NodeContext<P>,
    components: Components<P>,
    listener: LinkListener,
}

/// A node whose supervisor runs.
pub(super) struct RunningNode {
    pub(super) handle: Handle,
    pub(super) inbox: Arc<Inbox>,
    pub(super) ingest: Arc<Ingest>,
    pub(super) shared: Arc<Shared>,
    pub(super) address: SocketAddr,
    pub(super) supervisor: Option<JoinHandle<()>>,
}

impl<P: Protocol> NodeSupervisor<P> {
    /// Starts the links and the threads of the first epoch, and the task that starts those of later epochs.
    pub(super) async fn start(
        context: NodeContext<P>,
        epoch: EpochContext<P>,
        checker: Arc<dyn Checker>,
    ) -> Result<RunningNode> {
        let components = components(&context, &epoch, checker)?;
        let own = epoch.me.and_then(|me| epoch.epoch.members.get(usize::from(me)));
        let own_address = own.map(|member| &*member.address);
        let listener = LinkListener::open(&context.config.links, own_address).await?;
        let supervisor = Self { context, components, listener };
        let links = supervisor.link(&epoch)?;
        let components = &supervisor.components;
        let service = Arc::new(NodeService {
            genesis: supervisor.context.genesis.clone(),
            clock: components.clock,
            ingest: components.ingest.clone(),
            shared: components.shared.clone(),
            queries: epoch.executor.queries(),
            commits: components.commits.clone(),
            repeats: components.repeats.clone(),
            metrics: components.metrics.clone(),
            role: EpochRole::new(&epoch, &links).into(),
        });
        components.ingest.start_epoch(epoch.me.is_none());
        components.metrics.chain.epoch.set(epoch.epoch.number as i64);
        let engine = Engine::start(components, epoch, links)?;
        let (ingest, inbox) = (components.ingest.clone(), components.inbox.clone());
        let shared = components.shared.clone();
        let (handle, address) = (Handle::new(service.clone()), supervisor.listener.address());
        tokio::spawn(NodeService::watch_peers(Arc::downgrade(&service)));
        let task = tokio::spawn(supervisor.run(engine, service));
        Ok(RunningNode { handle, inbox, ingest, shared, address, supervisor: Some(task) })
    }

    /// Runs epoch after epoch until the node fails or is shut down.
    async fn run(self, mut engine: Engine<P>, service: Arc<NodeService<P>>) {
        let supervisor = Arc::new(self);
        let shared = &supervisor.components.shared;
        loop {
            shared.engine_ended().await;
            if shared.has_failed() {
                // The links stay up until the shutdown, so that a second process with the same key detects this one.
                shared.shutdown_requested().await;
            }
            let Some((next_epoch, executor)) = engine.end().await else { return };
            if shared.has_failed() {
                return;
            }
            engine = match supervisor.clone().advance(next_epoch, executor, &service).await {
                Ok(next) => next,
                Err(error) => return shared.fail(error),
            };
        }
    }

    async fn advance(
        self: Arc<Self>,
        next_epoch: NextEpoch,
        executor: Executor<P>,
        service: &NodeService<P>,
    ) -> Result<Engine<P>> {
        let supervisor = self.clone();
        let abstains = self.components.shared.machine().abstention.is_some();
        // Creating committees and reading the store takes a while: not on an async thread.
        let entered =
            tokio::task::spawn_blocking(move || supervisor.context.advance(&next_epoch, executor, abstains));
        let epoch = entered.await.map_err(|e| NodeError::Stopped { why: e.to_string() })??;
        let components = &self.components;
        // No links exist now, so no frames arrive.
        components.shared.start_epoch();
        components.shared.set_machine(P::status(&epoch.machine));
        let links = self.link(&epoch)?;
        components.ingest.start_epoch(epoch.me.is_none());
        components.metrics.chain.epoch.set(epoch.epoch.number as i64);
        // Last, so that a client that sees the epoch can submit transactions.
        service.set_role(EpochRole::new(&epoch, &links));
        tracing::info!(epoch = epoch.epoch.number, me = ?epoch.me, "epoch started");
        Engine::start(components, epoch, links)
    }

    fn link(&self, epoch: &EpochContext<P>) -> Result<Links> {
        let members = epoch.epoch.members.iter().map(|m| (m.name.clone(), m.address.clone()));
        let settings = Settings {
            config: self.context.config.links.clone(),
            limits: Limits::default(),
            chain: self.context.chain,
            me: epoch.me,
            identity: self.context.identity()?,
            identities: epoch.committees.identities.clone(),
            members: members.collect(),
            former_members: epoch.former_members.clone(),
            metrics: self.components.metrics.links.clone(),
        };
        Links::with_listener(&self.listener, settings, self.components.link_input())
    }
}

fn components<P: Protocol>(
    context: &NodeContext<P>,
    epoch: &EpochContext<P>,
    checker: Arc<dyn Checker>,
) -> Result<Components<P>> {
    let (clock, metrics, inbox) = (Clock::start(), Arc::new(Metrics::new()), Arc::new(Inbox::default()));
    let executed = (epoch.executor.executed().height, Digest(epoch.executor.application_root()));
    let shared = Arc::new(Shared::new(P::status(&epoch.machine), executed, inbox.clone()));
    let parameters = &context.genesis.parameters;
    let decoding = context.store.context().clone();
    let admission = Admission {
        tree: P::TRANSACTIONS,
        checker,
        max_transaction: parameters.max_transaction_bytes as usize,
        rejection: Box::new(move |transaction: &[u8]| P::rejection(&decoding, transaction)),
    };
    // Other members see author and number of a batch only in protocols whose committee never changes.
    let author = epoch.me.unwrap_or_default();
    let builder = BatchBuilder::new(author, P::next_sequence(&epoch.machine), batch_limits(parameters));
    let limits = context.config.mempool.clone();
    let evidence = EvidenceFolder::new(context.config.node.data.join("evidence"), context.chain);
    let ingest = Ingest::new(builder, admission, limits, clock, inbox.clone(), metrics.mempool.clone());
    Ok(Components {
        store: context.store.clone(),
        keep: context.config.archive.prune,
        counters: context.counters.clone(),
        evidence: evidence.start()?,
        spent: context.presignatures.as_ref().map(|presignatures| presignatures.journal.clone()),
        clock,
        inbox,
        ingest: Arc::new(ingest),
        shared,
        metrics,
        commits: broadcast::Sender::new(COMMITS),
        repeats: broadcast::Sender::new(COMMITS),
    })
}

fn batch_limits(parameters: &Parameters) -> BatchLimits {
    BatchLimits {
        bytes: parameters.batch_bytes as usize,
        delay: Duration::from_millis(parameters.batch_delay_ms.into()),
    }
}
