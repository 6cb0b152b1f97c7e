use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use quorate::ed25519::{self, Ed25519};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate_jolteon::BatchBuilder;
use tokio::sync::broadcast;

use super::Node;
use super::archive::Archivist;
use super::clock::Clock;
use super::inbox::Inbox;
use super::ingest::{Admission, Ingest};
use super::machine::{Driver, FaultLog};
use super::outflow::{Outflow, Outflows};
use super::reports::{Entrance, Reporter};
use super::service::NodeService;
use super::shared::Shared;
use super::writer::Writer;
use crate::application::{Application, Checker};
use crate::config::NodeConfig;
use crate::execution::{Execution, Executor};
use crate::genesis::{Committees, Genesis, Parameters};
use crate::handle::{Digest, Handle};
use crate::keys::NodeKeys;
use crate::links::{Limits, Links, Settings};
use crate::metrics::Metrics;
use crate::protocol::{self, Executed, Protocol, Setup, Visit};
use crate::store::{Binding, Store};
use crate::{NodeError, Result};

/// How many commits a slow subscriber may be behind.
const COMMITS: usize = 1024;
/// How many deliveries may wait for execution before consensus waits for it.
const DELIVERIES: usize = 32;
/// Of how many heights the states are handed over at a start: as many as a block may lag behind.
const RECENT: u64 = 512;
/// How many questions of peers may wait for the archive.
const QUESTIONS: usize = 64;

pub(super) async fn start(config: NodeConfig, application: Box<dyn Application>) -> Result<Node> {
    config.check()?;
    let genesis = Genesis::load(&config.node.genesis)?;
    protocol::with(&genesis.clone(), Start { config, genesis, application }).await
}

/// Starts a node with the chain's protocol.
struct Start {
    config: NodeConfig,
    genesis: Genesis,
    application: Box<dyn Application>,
}

impl Visit for Start {
    type Output = Pin<Box<dyn Future<Output = Result<Node>> + Send>>;

    fn visit<P: Protocol>(self) -> Self::Output {
        Box::pin(async move {
            let Self { config, genesis, application } = self;
            // Checking possession proofs and reading the store back takes a while: not on an async thread.
            let opened = tokio::task::spawn_blocking(move || Opened::<P>::open(config, genesis, application));
            let opened = opened.await.map_err(|e| NodeError::Stopped { why: e.to_string() })??;
            opened.run().await
        })
    }
}

/// The states of the last heights, which other members' blocks may name.
fn recent<P: Protocol>(store: &Store<P>, executed: u64) -> Result<Vec<Executed>> {
    let mut recent = Vec::new();
    for height in executed.saturating_sub(RECENT)..=executed {
        let roots = store.state().roots(height)?;
        recent.extend(roots.map(|roots| Executed { height, state_root: roots.execution }));
    }
    Ok(recent)
}

/// Everything that is read before anything runs.
struct Opened<P: Protocol> {
    config: NodeConfig,
    genesis: Arc<Genesis>,
    committees: Committees<P::Scheme>,
    me: MemberIndex,
    identity: ed25519::SecretKey,
    store: Arc<Store<P>>,
    executor: Executor<P>,
    checker: Arc<dyn Checker>,
    machine: P::Machine,
}

impl<P: Protocol> Opened<P> {
    fn open(config: NodeConfig, genesis: Genesis, application: Box<dyn Application>) -> Result<Self> {
        let committees = genesis.committees::<P::Scheme>()?;
        let keys = NodeKeys::load(&config.node.keys)?;
        let (identity, voting) = (keys.identity()?, keys.voting::<P::Scheme>()?);
        let me = member(&committees, &identity, &voting)?;
        let (voter, owner) = (P::Scheme::public_key(&voting), Ed25519::public_key(&identity));
        let binding = Binding::new::<P::Scheme>(committees.chain.0, &voter, &owner).with(genesis.protocol);
        let store = Arc::new(Store::open(&config.node.data, &binding, P::context(&committees))?);
        let checker = application.checker();
        let executor = Executor::open(store.clone(), application)?;
        let setup = Setup {
            committees: &committees,
            me,
            keys: &keys,
            genesis: &genesis,
            genesis_root: executor.genesis_root(),
            executed: executor.executed(),
            recent: recent(&store, executor.executed().height)?,
            first_sequence: store.first_sequence(),
        };
        let machine = P::machine(setup, &store)?;
        let genesis = Arc::new(genesis);
        Ok(Self { config, genesis, committees, me, identity, store, executor, checker, machine })
    }

    async fn run(self) -> Result<Node> {
        let Self { config, genesis, committees, me, identity, store, executor, checker, machine } = self;
        let (clock, metrics, inbox) = (Clock::start(), Arc::new(Metrics::new()), Arc::new(Inbox::default()));
        let executed = (executor.executed().height, Digest(executor.application_root()));
        let shared = Arc::new(Shared::new(P::status(&machine), executed, inbox.clone()));
        let max_transaction = genesis.parameters.max_transaction_bytes as usize;
        let admission = Admission { tree: P::TRANSACTIONS, checker, max_transaction };
        let ingest = Arc::new(Ingest::new(
            BatchBuilder::new(me, P::next_sequence(&machine), &batching(&genesis.parameters)),
            admission,
            config.mempool,
            clock,
            inbox.clone(),
            metrics.mempool.clone(),
        ));
        let settings = Settings {
            config: config.links,
            limits: Limits::default(),
            chain: committees.chain,
            me,
            identity,
            identities: committees.identities.clone(),
            members: genesis.members.iter().map(|m| (m.name.clone(), m.address.clone())).collect(),
            metrics: metrics.links.clone(),
        };
        let entrance = Entrance { inbox: inbox.clone(), shared: shared.clone() };
        let links = Links::start(settings, Arc::new(entrance)).await?;
        let service = NodeService {
            genesis: genesis.clone(),
            me,
            clock,
            ingest: ingest.clone(),
            shared: shared.clone(),
            links: links.sender(),
            queries: executor.queries(),
            commits: broadcast::Sender::new(COMMITS),
            metrics,
        };
        let engine = Engine { service: &service, inbox: inbox.clone(), store, names: names(&genesis) };
        let threads = engine.start(executor, machine)?;
        let handle = Handle::new(Arc::new(service));
        Ok(Node { handle, inbox, ingest, shared, links: Some(links), threads })
    }
}

/// What the threads of a node are made of.
struct Engine<'a, P: Protocol> {
    service: &'a NodeService<P>,
    inbox: Arc<Inbox>,
    store: Arc<Store<P>>,
    names: Arc<[String]>,
}

impl<P: Protocol> Engine<'_, P> {
    fn start(self, executor: Executor<P>, machine: P::Machine) -> Result<Vec<JoinHandle<()>>> {
        let NodeService { me, clock, ingest, shared, links, commits, metrics, .. } = self.service;
        let reporter = Reporter {
            clock: *clock,
            inbox: self.inbox.clone(),
            ingest: ingest.clone(),
            shared: shared.clone(),
            commits: commits.clone(),
            metrics: metrics.chain.clone(),
        };
        let execution = Execution::start(executor, DELIVERIES, move |event| reporter.report(event))?;
        let (ask, questions) = sync_channel(QUESTIONS);
        let outflows = Outflows::new();
        let writer = |outflow: &Arc<Outflow<P>>, execution| Writer {
            outflow: outflow.clone(),
            store: self.store.clone(),
            links: links.clone(),
            ingest: ingest.clone(),
            execution,
            questions: ask.clone(),
            shared: shared.clone(),
            metrics: metrics.chain.clone(),
            settled: Vec::new(),
        };
        let (urgent, bulk) = (writer(&outflows.urgent, Some(execution)), writer(&outflows.bulk, None));
        let archivist =
            Archivist { store: self.store.clone(), links: links.clone(), questions, shared: shared.clone() };
        let driver = Driver {
            machine,
            me: *me,
            clock: *clock,
            inbox: self.inbox,
            outflows,
            ingest: ingest.clone(),
            links: links.clone(),
            shared: shared.clone(),
            metrics: metrics.chain.clone(),
            names: self.names,
            fault_log: FaultLog::default(),
        };
        Ok(vec![
            spawn("archive", shared, move || archivist.run())?,
            spawn("write-urgent", shared, move || urgent.run())?,
            spawn("write-bulk", shared, move || bulk.run())?,
            spawn("machine", shared, move || driver.run())?,
        ])
    }
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

/// Whose keys these are.
fn member<S: Scheme>(
    committees: &Committees<S>,
    identity: &ed25519::SecretKey,
    voting: &S::SecretKey,
) -> Result<MemberIndex> {
    let identity = Ed25519::public_key(identity);
    let me = committees.identities.position(&identity);
    let me = me.ok_or_else(|| NodeError::NotAMember { identity: hex::encode(identity.as_bytes()) })?;
    if committees.voters.key(me) != Some(&S::public_key(voting)) {
        return Err(NodeError::Genesis {
            path: None,
            problem: format!(
                "member {me} has this node's identity key but another voting key; check that key file and genesis \
                 file belong together"
            ),
        });
    }
    Ok(me)
}

fn names(genesis: &Genesis) -> Arc<[String]> {
    genesis.members.iter().map(|m| m.name.clone()).collect()
}

/// How transactions are collected.
fn batching(parameters: &Parameters) -> quorate_jolteon::Parameters {
    quorate_jolteon::Parameters {
        batch_bytes: parameters.batch_bytes as usize,
        batch_delay: Duration::from_millis(parameters.batch_delay_ms.into()),
        ..quorate_jolteon::Parameters::default()
    }
}
