//! The simulator's host for Gosig: an archive, a toy application and clients for each node, and the checks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use quorate::machine::{Fault, Time};
use quorate::merkle::Hash;
use quorate::wire::Decode;
use quorate_protocol::simulation::{SignedOnce, Workload};
use quorate_simulator::{
    Actions, Adversary, Agreement, BootContext, Delivered, Host, Interception, Node, PresetParameters,
    RunLength, Scenario, Verdict, Violation, preset,
};

use super::adversaries::{ADVERSARIES, GosigAdversary};
use super::disk::{Archived, Disk, compact};
use super::keys::SimulationKeys;
use crate::{
    BlockDigest, Command, Config, Delivery, EPOCH_MISMATCH, Envelope, Evidence, GosigScheme, HistoryRequest,
    Output, Parameters, Payload, Record, Replica, Schedule, SigningHistory, Submission, Successor,
    block_range, transaction_range,
};

/// Maximum number of transactions that a client submits at a time.
const MAX_SUBMITTED: usize = 3;

/// Returns a run of a preset, with the maximum number of faulty members that Gosig tolerates. Clocks that differ by
/// more than a stage cost liveness, so they are limited to the accuracy of NTP.
pub fn scenario(name: &str, nodes: usize, seed: u64, length: RunLength) -> Option<Scenario> {
    let shape = PresetParameters {
        live_within: Duration::from_secs(15),
        length,
        ..PresetParameters::byzantine(nodes, ADVERSARIES)
    };
    let mut scenario = preset(name, &shape, seed)?;
    scenario.clocks.offset = scenario.clocks.offset.min(Duration::from_millis(40));
    scenario.clocks.drift_ppm = scenario.clocks.drift_ppm.min(200);
    Some(scenario)
}

/// Filter that decides which messages are delivered.
pub type Interceptor<S> = Box<dyn Fn(Time, Node, Node, &Envelope<S>) -> Interception>;

/// The host of a run: an archive, a toy application and clients for each node, and the invariants.
pub struct GosigHost<S: GosigScheme> {
    keys: Arc<SimulationKeys<S>>,
    /// The schedule of all replicas.
    pub schedule: Schedule,
    /// Parameters of the replicas.
    pub parameters: Parameters,
    /// Workload of the clients.
    pub workload: Workload,
    /// The block and the state after it that honest nodes delivered at each height.
    pub agreement: Agreement<(BlockDigest, Hash)>,
    disks: BTreeMap<usize, Disk<S>>,
    /// The epochs that began, in order. Each but the first is the successor that honest members output.
    epochs: Vec<Successor<S>>,
    /// Submission time of each transaction.
    submitted: BTreeMap<Hash, Time>,
    /// Transactions that honest nodes accepted from their clients.
    pub accepted: BTreeSet<Hash>,
    /// Delivered transactions.
    pub delivered: BTreeSet<Hash>,
    /// Filter of the messages of honest nodes.
    pub interceptor: Option<Interceptor<S>>,
    /// Maximum number of proposals that an honest node held.
    pub max_proposals: usize,
    /// Number of undecided rounds with work that each node counted.
    pub undecided: BTreeMap<usize, u64>,
    /// Evidence of honest nodes, by member at fault.
    pub evidence: BTreeMap<u16, Vec<Evidence<S>>>,
    /// What a restarting node knows about its signatures. [`SigningHistory::Complete`] is a flaw that the checks find.
    pub history: SigningHistory,
    signed: SignedOnce,
}

impl<S: GosigScheme> GosigHost<S> {
    /// Returns the host of a new run.
    pub fn new(keys: Arc<SimulationKeys<S>>) -> Self {
        let epochs = vec![Successor {
            committees: keys.committees.clone(),
            anchor: keys.anchor(),
            contacts: Vec::new(),
        }];
        Self {
            keys,
            schedule: Self::schedule(),
            parameters: Parameters::default(),
            workload: Workload::default(),
            agreement: Agreement::new(1),
            disks: BTreeMap::new(),
            epochs,
            submitted: BTreeMap::new(),
            accepted: BTreeSet::new(),
            delivered: BTreeSet::new(),
            interceptor: None,
            max_proposals: 0,
            undecided: BTreeMap::new(),
            evidence: BTreeMap::new(),
            history: SigningHistory::Unconfirmed,
            signed: SignedOnce::default(),
        }
    }

    /// Returns a schedule whose stages are long enough for links around the world.
    pub fn schedule() -> Schedule {
        Schedule {
            proposals: Duration::from_millis(300),
            signatures: Duration::from_millis(500),
            ..Schedule::default()
        }
    }

    /// Sets the workload of the clients.
    #[must_use]
    pub fn workload(mut self, pause: Duration, times: u64) -> Self {
        self.workload = Workload { pause, times };
        self
    }

    /// Returns the height of the last delivered block with transactions, and the highest state height that a block states.
    pub fn heights(&self) -> (u64, u64) {
        let blocks =
            || self.disks.values().flat_map(|disk| disk.ledger.since(1).map(|archived| &archived.block));
        let payload = blocks().filter(|block| !block.payload.is_empty()).map(|block| block.height).max();
        (payload.unwrap_or(0), blocks().map(|block| block.executed.height).max().unwrap_or(0))
    }

    /// Returns the epochs that began.
    pub fn epochs(&self) -> &[Successor<S>] {
        &self.epochs
    }

    /// Returns true if a node's epoch has ended, so that the test must restart the node for the next one.
    pub fn is_over(&self, slot: usize) -> bool {
        self.disks.get(&slot).is_some_and(|disk| disk.is_over)
    }

    /// Returns the index of a node's epoch.
    pub fn epoch(&self, slot: usize) -> usize {
        self.disks.get(&slot).map_or(0, |disk| disk.epoch)
    }

    /// Returns true if a node is a member of an epoch. In these runs only the last member leaves, so members keep their
    /// indices.
    pub fn is_member(&self, epoch: usize, member: u16) -> bool {
        self.epochs.get(epoch).is_some_and(|epoch| member < epoch.committees.voters.len())
    }

    /// Returns true if two nodes are linked: each is a member of the other's epoch.
    fn is_linked(&self, one: Node, other: Node) -> bool {
        self.is_member(self.epoch(one.slot), other.member)
            && self.is_member(self.epoch(other.slot), one.member)
    }

    /// Handles the end of an epoch. All honest replicas must output the same successor.
    fn on_epoch_end(&mut self, node: Node, successor: Successor<S>) -> Verdict {
        let disk = self.disk(node);
        disk.is_over = true;
        let next = disk.epoch + 1;
        let Some(known) = self.epochs.get(next) else {
            self.epochs.push(successor);
            return Ok(());
        };
        let same = known.anchor == successor.anchor
            && known.committees.voters.id() == successor.committees.voters.id()
            && known.committees.identities.id() == successor.committees.identities.id()
            && known.contacts == successor.contacts;
        if same { Ok(()) } else { Err(Violation::new("succession", format!("node {}: {next}", node.slot))) }
    }

    fn disk(&mut self, node: Node) -> &mut Disk<S> {
        self.disks.entry(node.slot).or_default()
    }

    /// Enters the epoch in which a node starts: the one after the last change in its archive. The node delivers again the
    /// blocks that only its records contain.
    fn enter(&mut self, node: Node) -> Successor<S> {
        let executed = self.disk(node).ledger.executed().height;
        let begun = self.epochs.iter().take_while(|epoch| epoch.anchor.height <= executed).count();
        let disk = self.disk(node);
        (disk.epoch, disk.is_over) = (begun - 1, false);
        self.epochs[begun - 1].clone()
    }

    fn submit(&mut self, node: Node, actions: &mut Actions<'_, Replica<S>>) {
        let now = actions.now();
        let count = 1 + actions.rng().index(MAX_SUBMITTED);
        let workload = self.workload;
        let disk = self.disk(node);
        if disk.congested || disk.submitted >= workload.times {
            return;
        }
        let sequence = disk.submitted;
        disk.submitted += 1;
        let payload = payload(node, sequence, count);
        for id in payload.ids() {
            self.submitted.insert(*id, now);
            if node.honest {
                self.accepted.insert(*id);
            }
        }
        actions.command(Command::Submit { sequence, payload: Arc::new(payload) }, Duration::ZERO);
    }

    /// Handles a refused payload, which no node needs to deliver.
    fn refused(&mut self, node: Node, sequence: u64) {
        for id in payload(node, sequence, MAX_SUBMITTED).ids() {
            self.accepted.remove(id);
        }
    }

    fn deliver(
        &mut self,
        node: Node,
        delivery: Delivery<S>,
        actions: &mut Actions<'_, Replica<S>>,
    ) -> Verdict {
        let Delivery { block, digest, height, payload, finality } = delivery;
        let root = self.disk(node).ledger.next_root(&digest.0, payload.ids().iter());

        let same = block.payload == *payload.summary() && block.height == height && block.digest() == digest;
        if !same {
            return Err(Violation::new("delivery", format!("node {}: parts do not match", node.slot)));
        }
        let epoch = self.disk(node).epoch;
        let committees = self.epochs.get(epoch).map(|epoch| &epoch.committees);
        if self.agreement.deliver(node, height, (digest, root))? == Delivered::First
            && let Some(Err(error)) = committees.map(|committees| finality.verify(committees, &block))
        {
            return Err(Violation::new("finality", format!("height {height}: {error}")));
        }
        for id in payload.ids() {
            if self.delivered.insert(*id)
                && let Some(at) = self.submitted.get(id)
            {
                actions.measure("commit", actions.now().since(*at));
            }
        }
        let archived = Archived { block, payload, finality };
        let (executed, after) = self.disk(node).ledger.execute(node, height, (archived, root), actions)?;
        actions.command(Command::Executed(executed), after);
        Ok(())
    }

    fn serve(
        &mut self,
        node: Node,
        to: u16,
        request: HistoryRequest<S>,
        actions: &mut Actions<'_, Replica<S>>,
    ) {
        let disk = self.disk(node);
        match request {
            HistoryRequest::Blocks { from } => {
                let blocks = disk.ledger.since(from);
                let blocks = blocks.map(|archived| (archived.block.clone(), archived.finality.clone()));
                if let Some(answer) = block_range(blocks) {
                    actions.send(to, &answer);
                }
            }
            HistoryRequest::Transactions { block, height, places } => {
                if let Some(archived) =
                    disk.ledger.at(height).filter(|archived| archived.block.digest() == block)
                {
                    actions.send(to, &transaction_range(&archived.block, &archived.payload, &places));
                }
            }
            // The simulator itself compares the histories of all honest members.
            HistoryRequest::CheckCommitted { .. } | HistoryRequest::Compare(_) => {}
        }
    }
}

/// Returns the payload of a submission, different each time.
fn payload(node: Node, sequence: u64, count: usize) -> Payload {
    Payload::from_bytes((0..count).map(|i| format!("{} {sequence} {i}", node.slot))).expect("small")
}

impl<S: GosigScheme> Host for GosigHost<S> {
    type Machine = Replica<S>;

    fn boot(&mut self, boot: BootContext<Record<S>>) -> Result<Replica<S>, Violation> {
        let BootContext { node, mut records, restarts, was_rolled_back, seed } = boot;
        let committed = records.iter().filter_map(|record| match record {
            Record::Committed(committed) => Some(committed.height),
            _ => None,
        });
        let committed = committed.max().unwrap_or(0);
        let disk = self.disk(node);
        disk.ledger.restart(!records.is_empty(), &seed);
        if was_rolled_back {
            disk.ledger.roll_back(committed);
        }
        disk.congested = false;
        let before = disk.epoch;
        let epoch = self.enter(node);
        // A new epoch begins in the same process.
        let is_first = restarts == 0 || self.disk(node).epoch != before;
        let history = if is_first { SigningHistory::Complete } else { self.history };
        let me = Some(node.member).filter(|me| *me < epoch.committees.voters.len());
        let disk = self.disk(node);
        let (executed, committed_transactions) = (disk.ledger.executed(), disk.committed_transactions());
        if seed[1] % 2 == 0 {
            records = compact(records, executed.height, &disk.pruned);
        }
        let config = Config {
            voters: epoch.committees.voters,
            identities: epoch.committees.identities,
            me,
            voting_key: self.keys.voting_key(node.member),
            identity_key: self.keys.identity_key(node.member),
            anchor: epoch.anchor,
            executed,
            recent_states: Vec::new(),
            committed_transactions,
            history,
            schedule: self.schedule.clone(),
            parameters: self.parameters.clone(),
            entropy: seed,
        };
        Replica::new(config, records)
            .map_err(|error| Violation::new("restart", format!("node {}: {error}", node.slot)))
    }

    fn decode_record(&self, bytes: &[u8]) -> quorate::Result<Record<S>> {
        let mut epochs = self.epochs.iter().rev().map(|epoch| Record::decode(bytes, &epoch.committees));
        let newest = epochs.next().unwrap_or(Err(quorate::Error::Malformed { what: "record" }));
        // The record may be of an older epoch.
        epochs.fold(newest, |read, older| read.or(older))
    }

    fn on_durable(&mut self, node: Node, record: &Record<S>) -> Verdict {
        match record {
            Record::VoteGuard(guard) | Record::ProposalGuard(guard) => self.signed.record(node, guard),
            _ => Ok(()),
        }
    }

    fn on_start(&mut self, node: Node, actions: &mut Actions<'_, Replica<S>>) -> Verdict {
        self.agreement.on_start(node);
        self.workload.start(actions);
        Ok(())
    }

    fn on_wake(&mut self, node: Node, _: u64, actions: &mut Actions<'_, Replica<S>>) -> Verdict {
        self.submit(node, actions);
        let submitted = self.disk(node).submitted;
        self.workload.schedule_next(submitted, actions);
        Ok(())
    }

    fn on_output(&mut self, node: Node, output: Output<S>, actions: &mut Actions<'_, Replica<S>>) -> Verdict {
        match output {
            Output::Deliver(delivery) => self.deliver(node, *delivery, actions)?,
            Output::Serve { to, request } => self.serve(node, to, request, actions),
            Output::Congestion(congested) => self.disk(node).congested = congested,
            Output::Submitted { sequence, state: Submission::Refused } => self.refused(node, sequence),
            Output::PrunePayloads(payloads) => self.disk(node).pruned.extend(payloads),
            Output::Succeeded(successor) => self.on_epoch_end(node, *successor)?,
            Output::Round { undecided: true, .. } => *self.undecided.entry(node.slot).or_default() += 1,
            _ => {}
        }
        Ok(())
    }

    /// Permits refused messages of another epoch, and those of a member that does not yet know that it has left.
    fn on_refused(
        &mut self,
        node: Node,
        from: Node,
        error: &quorate::Error,
        actions: &mut Actions<'_, Replica<S>>,
    ) -> bool {
        if *error == EPOCH_MISMATCH {
            actions.command(Command::EpochMismatch(from.member), Duration::ZERO);
            return true;
        }
        !self.is_member(self.epoch(node.slot), from.member)
    }

    fn on_fault(&mut self, node: Node, fault: Fault<Evidence<S>>) -> Verdict {
        let list = self.evidence.entry(fault.culprit).or_default();
        if node.honest && list.len() < 100 {
            list.push(fault.evidence);
        }
        Ok(())
    }

    fn after_step(&mut self, node: Node, replica: &Replica<S>) -> Verdict {
        let status = replica.status();
        if node.honest {
            self.max_proposals = self.max_proposals.max(status.proposals);
        }
        if status.delivered > status.committed || status.locked > status.prepared {
            return Err(Violation::new("status", format!("node {}: {status:?}", node.slot)));
        }
        Ok(())
    }

    fn adversary(&mut self, node: Node, name: &str) -> Option<Box<dyn Adversary<Replica<S>>>> {
        let epoch = self.disk(node).epoch;
        let committees = self.epochs.get(epoch).map(|epoch| epoch.committees.clone());
        let keys = committees.map_or(self.keys.clone(), |committees| Arc::new(SimulationKeys { committees }));
        GosigAdversary::new(name, node.member, keys).map(|v| Box::new(v) as Box<dyn Adversary<_>>)
    }

    fn intercept(&mut self, now: Time, from: Node, to: Node, message: &Envelope<S>) -> Interception {
        if !self.is_linked(from, to) {
            return Interception::Drop;
        }
        self.interceptor
            .as_ref()
            .map_or(Interception::Pass, |interceptor| interceptor(now, from, to, message))
    }
}
