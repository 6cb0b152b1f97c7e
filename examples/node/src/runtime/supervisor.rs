//! One life of a node, from its start to its end, over all epochs that it sees.
//!
//! ```text
//!            ┌────────────────────────────── EpochContext: epoch, place, machine ◄── NodeContext::enter ◄────────────┐
//!            ▼                                                                                        │
//!   links, then threads ──► the machine says Succeeded ──► threads end: all that was delivered is     │
//!                                                          executed and written out                   │
//!                                                               │                                     │
//!                                                               ▼                                     │
//!                                          links end ──► the next epoch is durable (NodeContext::follow) ────┘
//! ```
//!
//! A crash anywhere on the way leaves a directory that the same path leads out of: before the epoch is durable, the
//! restored machine says again that it has ended; after that, [`NodeContext::enter`] begins the next one.
//!
//! The store, the application, clients' listeners and subscriptions, and what was taken from clients and is not
//! committed outlast an epoch. The last is handed to the next machine again, so tickets stay good.

use std::sync::Arc;
use std::time::Duration;

use quorate_protocol::builder::{BatchBuilder, BatchLimits};
use tokio::sync::broadcast;

use super::Node;
use super::clock::Clock;
use super::context::{EpochContext, NodeContext};
use super::engine::Engine;
use super::inbox::Inbox;
use super::ingest::{Admission, Ingest};
use super::reports::{LinkInput, Reporter};
use super::service::{EpochRole, NodeService};
use super::shared::Shared;
use crate::application::Checker;
use crate::epochs::NextEpoch;
use crate::execution::Executor;
use crate::genesis::Parameters;
use crate::handle::{CommitEvent, Digest, Handle};
use crate::links::{Limits, LinkListener, Links, Settings};
use crate::metrics::Metrics;
use crate::protocol::Protocol;
use crate::{NodeError, Result};

/// How many commits a slow subscriber may be behind.
const COMMITS: usize = 1024;

/// What a node is made of, whatever epoch it is in.
pub(super) struct NodeSupervisor<P: Protocol> {
    pub(super) base: NodeContext<P>,
    pub(super) clock: Clock,
    pub(super) inbox: Arc<Inbox>,
    pub(super) ingest: Arc<Ingest>,
    pub(super) shared: Arc<Shared>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) repeats: broadcast::Sender<Arc<Vec<u64>>>,
    commits: broadcast::Sender<Arc<CommitEvent>>,
    listener: LinkListener,
}

impl<P: Protocol> NodeSupervisor<P> {
    /// Begins: links up, starts the threads, and whoever starts the next ones.
    pub(super) async fn begin(
        base: NodeContext<P>,
        term: EpochContext<P>,
        checker: Arc<dyn Checker>,
    ) -> Result<Node> {
        let (clock, metrics, inbox) = (Clock::start(), Arc::new(Metrics::new()), Arc::new(Inbox::default()));
        let executed = (term.executor.executed().height, Digest(term.executor.application_root()));
        let shared = Arc::new(Shared::new(P::status(&term.machine), executed, inbox.clone()));
        let parameters = &base.genesis.parameters;
        let max_transaction = parameters.max_transaction_bytes as usize;
        let context = base.store.context().clone();
        let refuses = Box::new(move |transaction: &[u8]| P::rejection(&context, transaction));
        let ingest = Arc::new(Ingest::new(
            // Only where members never change do others see the author, or the number, of a batch.
            BatchBuilder::new(
                term.me.unwrap_or_default(),
                P::next_sequence(&term.machine),
                batch_limits(parameters),
            ),
            Admission { tree: P::TRANSACTIONS, checker, max_transaction, refuses },
            base.config.mempool.clone(),
            clock,
            inbox.clone(),
            metrics.mempool.clone(),
        ));
        let own = term.me.and_then(|me| term.epoch.members.get(usize::from(me)));
        let listener = LinkListener::open(&base.config.links, own.map(|member| &*member.address)).await?;
        let (commits, repeats) = (broadcast::Sender::new(COMMITS), broadcast::Sender::new(COMMITS));
        let life = Self { base, clock, inbox, ingest, shared, metrics, repeats, commits, listener };
        let links = life.link(&term)?;
        let service = Arc::new(NodeService {
            genesis: life.base.genesis.clone(),
            clock,
            ingest: life.ingest.clone(),
            shared: life.shared.clone(),
            queries: term.executor.queries(),
            commits: life.commits.clone(),
            repeats: life.repeats.clone(),
            metrics: life.metrics.clone(),
            role: EpochRole::new(&term, &links).into(),
        });
        life.ingest.turn(term.me.is_none());
        life.metrics.chain.epoch.set(term.epoch.number as i64);
        let engine = Engine::start(&life, term, links)?;
        let (ingest, inbox, shared) = (life.ingest.clone(), life.inbox.clone(), life.shared.clone());
        let (handle, address) = (Handle::new(service.clone()), life.listener.address());
        let task = tokio::spawn(life.live(engine, service));
        Ok(Node { handle, inbox, ingest, shared, address, life: Some(task) })
    }

    /// Goes from epoch to epoch until the node fails or nobody wants it any more.
    async fn live(self, mut engine: Engine<P>, service: Arc<NodeService<P>>) {
        let life = Arc::new(self);
        loop {
            life.shared.over().await;
            if life.shared.has_failed() {
                // The links are still there for a twin to find out.
                life.shared.unwanted().await;
            }
            let Some((successor, executor)) = engine.end().await else { return };
            if life.shared.has_failed() {
                return;
            }
            engine = match life.clone().follow(successor, executor, &service).await {
                Ok(next) => next,
                Err(error) => return life.shared.fail(error),
            };
        }
    }

    async fn follow(
        self: Arc<Self>,
        successor: NextEpoch,
        executor: Executor<P>,
        service: &NodeService<P>,
    ) -> Result<Engine<P>> {
        let life = self.clone();
        // Making committees and reading the store back takes a while: not on an async thread.
        let entered = tokio::task::spawn_blocking(move || life.base.follow(&successor, executor));
        let term = entered.await.map_err(|e| NodeError::Stopped { why: e.to_string() })??;
        // Nothing puts frames in while there are no links.
        self.shared.turned();
        self.shared.set_machine(P::status(&term.machine));
        let links = self.link(&term)?;
        self.ingest.turn(term.me.is_none());
        self.metrics.chain.epoch.set(term.epoch.number as i64);
        // Last: who sees the epoch finds transactions taken.
        service.sit(EpochRole::new(&term, &links));
        tracing::info!(epoch = term.epoch.number, me = ?term.me, "the epoch begins");
        Engine::start(&self, term, links)
    }

    fn link(&self, term: &EpochContext<P>) -> Result<Links> {
        let members = term.epoch.members.iter().map(|m| (m.name.clone(), m.address.clone()));
        let settings = Settings {
            config: self.base.config.links.clone(),
            limits: Limits::default(),
            chain: self.base.chain,
            me: term.me,
            identity: self.base.identity()?,
            identities: term.committees.identities.clone(),
            members: members.collect(),
            former_members: term.former_members.clone(),
            metrics: self.metrics.links.clone(),
        };
        let entrance = LinkInput { inbox: self.inbox.clone(), shared: self.shared.clone() };
        Links::behind(&self.listener, settings, Arc::new(entrance))
    }

    pub(super) fn reporter(&self) -> Reporter {
        Reporter {
            clock: self.clock,
            inbox: self.inbox.clone(),
            ingest: self.ingest.clone(),
            shared: self.shared.clone(),
            commits: self.commits.clone(),
            metrics: self.metrics.chain.clone(),
        }
    }
}

/// How transactions are collected.
fn batch_limits(parameters: &Parameters) -> BatchLimits {
    BatchLimits {
        bytes: parameters.batch_bytes as usize,
        delay: Duration::from_millis(parameters.batch_delay_ms.into()),
    }
}
