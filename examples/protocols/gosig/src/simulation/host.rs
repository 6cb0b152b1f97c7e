//! Gosig in the simulator: committees, a workload, an archive and a toy application for every node, and the checks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use quorate::ed25519::Ed25519;
use quorate::machine::{Fault, Time};
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
use quorate::wire::Decode;
use quorate_protocol::simulation::{GENESIS, Ledger, Workload};
use quorate_protocol::testing::{committee, secret};
use quorate_simulator::{
    Actions, Adversary, Agreement, BootContext, Delivered, Host, Interception, Node, PresetParameters,
    Scenario, Verdict, Violation, preset,
};

use super::villains::{VILLAINS, Villain};
use crate::{
    Anchor, Block, BlockDigest, Command, Committees, Config, Delivery, EPOCH_MISMATCH, Envelope, Evidence,
    Finality, GosigScheme, HistoryRequest, Output, Parameters, Payload, PayloadDigest, Record, Replica,
    Schedule, Submission, Successor, block_range, transaction_range,
};

/// So many of the last blocks a node remembers the transactions of.
const REMEMBERED: usize = 64;

/// A client submits at most so many transactions at a time.
const MOST: usize = 3;

/// What all runs with one committee share: making BLS keys takes longer than a run.
pub struct Material<S: GosigScheme> {
    /// The members with both of their keys.
    pub committees: Committees<S>,
}

impl<S: GosigScheme> Material<S> {
    /// `n` members of weight one, the same in every run.
    pub fn new(n: usize) -> Arc<Self> {
        let (voters, identities) = (committee("simulation", n as u16), committee("simulation", n as u16));
        Arc::new(Self { committees: Committees { voters, identities } })
    }

    /// A member's voting key.
    pub fn voting_key(&self, member: u16) -> S::SecretKey {
        secret::<S>(member)
    }

    /// A member's identity key.
    pub fn identity_key(&self, member: u16) -> <Ed25519 as Scheme>::SecretKey {
        secret::<Ed25519>(member)
    }

    /// Where the chain begins.
    pub fn anchor(&self) -> Anchor {
        Anchor::genesis(&self.committees, &GENESIS, b"simulation")
    }
}

/// A run of that preset, with as many faulty members as Gosig bears. Clocks that are further apart than a stage cost
/// liveness and nothing else, so where liveness is asked for they are as good as NTP makes them.
pub fn scenario(name: &str, nodes: usize, seed: u64) -> Option<Scenario> {
    let shape = PresetParameters {
        live_within: Duration::from_secs(15),
        ..PresetParameters::byzantine(nodes, VILLAINS)
    };
    let mut scenario = preset(name, &shape, seed)?;
    scenario.clocks.offset = scenario.clocks.offset.min(Duration::from_millis(40));
    scenario.clocks.drift_ppm = scenario.clocks.drift_ppm.min(200);
    Some(scenario)
}

/// A block in a node's archive.
#[derive(Clone)]
struct Archived<S: GosigScheme> {
    block: Arc<Block<S>>,
    payload: Arc<Payload>,
    finality: Arc<Finality<S>>,
}

/// One node's disk, as far as it is not the replica's, and its clients.
struct Disk<S: GosigScheme> {
    ledger: Ledger<Archived<S>>,
    forgotten: BTreeSet<PayloadDigest>,
    submitted: u64,
    congested: bool,
    /// The epoch that it is in, and whether it is known how that one ended.
    epoch: usize,
    is_over: bool,
}

impl<S: GosigScheme> Default for Disk<S> {
    fn default() -> Self {
        Self {
            ledger: Ledger::default(),
            forgotten: BTreeSet::new(),
            submitted: 0,
            congested: false,
            epoch: 0,
            is_over: false,
        }
    }
}

impl<S: GosigScheme> Disk<S> {
    /// The transactions of the last blocks.
    fn known(&self) -> Vec<Hash> {
        let last = self.ledger.since(1).rev().take(REMEMBERED);
        last.flat_map(|archived| archived.payload.ids().iter().copied()).collect()
    }
}

/// Decides which messages pass.
pub type Tap<S> = Box<dyn Fn(Time, Node, Node, &Envelope<S>) -> Interception>;

/// Gosig in a run: an archive and a toy application for every node, the clients, and what must hold.
pub struct GosigHost<S: GosigScheme> {
    material: Arc<Material<S>>,
    /// What all replicas agree on.
    pub schedule: Schedule,
    /// The replicas' parameters.
    pub parameters: Parameters,
    /// What the clients do.
    pub workload: Workload,
    /// What honest nodes delivered at each height: the block and the state after it.
    pub agreement: Agreement<(BlockDigest, Hash)>,
    disks: BTreeMap<usize, Disk<S>>,
    /// The epochs that began, the first one first: what honest members say ended the one before.
    epochs: Vec<Successor<S>>,
    /// When each transaction was submitted.
    submitted: BTreeMap<Hash, Time>,
    /// Transactions of the clients of honest nodes that were not refused.
    pub taken: BTreeSet<Hash>,
    /// Transactions that were delivered.
    pub delivered: BTreeSet<Hash>,
    /// Decides which messages of honest nodes pass.
    pub tap: Option<Tap<S>>,
    /// The most proposals that an honest node held.
    pub most_proposals: usize,
    /// Rounds that each node saw end without a block though there was work.
    pub undecided: BTreeMap<usize, u64>,
    /// What honest nodes hold against others, by culprit.
    pub evidence: BTreeMap<u16, Vec<Evidence<S>>>,
}

impl<S: GosigScheme> GosigHost<S> {
    /// A run that has not begun.
    pub fn new(material: Arc<Material<S>>) -> Self {
        let epochs = vec![Successor {
            committees: material.committees.clone(),
            anchor: material.anchor(),
            contacts: Vec::new(),
        }];
        Self {
            material,
            schedule: Self::schedule(),
            parameters: Parameters::default(),
            workload: Workload::default(),
            agreement: Agreement::new(1),
            disks: BTreeMap::new(),
            epochs,
            submitted: BTreeMap::new(),
            taken: BTreeSet::new(),
            delivered: BTreeSet::new(),
            tap: None,
            most_proposals: 0,
            undecided: BTreeMap::new(),
            evidence: BTreeMap::new(),
        }
    }

    /// Stages that are long enough for links around the world.
    pub fn schedule() -> Schedule {
        Schedule {
            proposals: Duration::from_millis(300),
            signatures: Duration::from_millis(500),
            ..Schedule::default()
        }
    }

    /// Sets what the clients do.
    #[must_use]
    pub fn workload(mut self, pause: Duration, times: u64) -> Self {
        self.workload = Workload { pause, times };
        self
    }

    /// The height of the last block with transactions that anybody delivered, and the highest state that one stated.
    pub fn heights(&self) -> (u64, u64) {
        let blocks =
            || self.disks.values().flat_map(|disk| disk.ledger.since(1).map(|archived| &archived.block));
        let payload = blocks().filter(|block| !block.payload.is_empty()).map(|block| block.height).max();
        (payload.unwrap_or(0), blocks().map(|block| block.executed.height).max().unwrap_or(0))
    }

    /// The epochs that began.
    pub fn epochs(&self) -> &[Successor<S>] {
        &self.epochs
    }

    /// Whether a node has seen its epoch end, and is to be started again for the next one.
    pub fn is_over(&self, slot: usize) -> bool {
        self.disks.get(&slot).is_some_and(|disk| disk.is_over)
    }

    /// The epoch that a node is in.
    pub fn epoch(&self, slot: usize) -> usize {
        self.disks.get(&slot).map_or(0, |disk| disk.epoch)
    }

    /// Whether somebody is a member in an epoch. Who joins stands behind all others, and in these runs only the last one
    /// leaves: members keep their places.
    pub fn is_member(&self, epoch: usize, member: u16) -> bool {
        self.epochs.get(epoch).is_some_and(|epoch| member < epoch.committees.voters.len())
    }

    /// Whether there is a link between two nodes: each is a member in the epoch that the other is in.
    fn is_linked(&self, one: Node, other: Node) -> bool {
        self.is_member(self.epoch(one.slot), other.member)
            && self.is_member(self.epoch(other.slot), one.member)
    }

    /// The replica says how its epoch ended: all that are honest must say the same.
    fn succeed(&mut self, node: Node, successor: Successor<S>) -> Verdict {
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

    /// Which epoch a node starts in: the one after the last change in its archive. What its records know beyond that
    /// comes again first.
    fn enter(&mut self, node: Node) -> Successor<S> {
        let executed = self.disk(node).ledger.executed().height;
        let begun = self.epochs.iter().take_while(|epoch| epoch.anchor.height <= executed).count();
        let disk = self.disk(node);
        (disk.epoch, disk.is_over) = (begun - 1, false);
        self.epochs[begun - 1].clone()
    }

    fn submit(&mut self, node: Node, actions: &mut Actions<'_, Replica<S>>) {
        let now = actions.now();
        let count = 1 + actions.rng().index(MOST);
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
                self.taken.insert(*id);
            }
        }
        actions.command(Command::Submit { sequence, payload: Arc::new(payload) }, Duration::ZERO);
    }

    /// A payload was not taken: nobody needs to deliver it.
    fn refused(&mut self, node: Node, sequence: u64) {
        for id in payload(node, sequence, MOST).ids() {
            self.taken.remove(id);
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

    fn serve(&mut self, node: Node, to: u16, request: HistoryRequest, actions: &mut Actions<'_, Replica<S>>) {
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
        }
    }
}

/// What a node's clients submit: different each time.
fn payload(node: Node, sequence: u64, count: usize) -> Payload {
    Payload::from_bytes((0..count).map(|i| format!("{} {sequence} {i}", node.slot))).expect("small")
}

/// What a key-value store would have kept: the last record of each key, no blocks and commitments below what was
/// executed, and no payloads that were given up.
fn compact<S: GosigScheme>(
    records: Vec<Record<S>>,
    executed: u64,
    forgotten: &BTreeSet<PayloadDigest>,
) -> Vec<Record<S>> {
    let committed = |record: &Record<S>| match record {
        Record::Committed(committed) => Some((committed.height, committed.digest)),
        _ => None,
    };
    let tip = records.iter().filter_map(committed).max();
    let locked = records.iter().rev().find_map(|record| match record {
        Record::Lock(lock) => Some(lock.as_ref().map(|lock| lock.block)),
        _ => None,
    });
    let needed = |block: &Block<S>| {
        let digest = block.digest();
        block.height > executed
            || tip.is_some_and(|(_, tip)| tip == digest)
            || locked.flatten() == Some(digest)
    };
    let payloads: BTreeSet<PayloadDigest> = records
        .iter()
        .filter_map(|record| match record {
            Record::Block(block) if needed(block) => Some(block.payload.digest()),
            _ => None,
        })
        .collect();
    let mut kept = BTreeMap::new();
    for record in records {
        let keep = match &record {
            Record::Block(block) => needed(block),
            Record::Payload(payload) => {
                payloads.contains(&payload.digest()) || !forgotten.contains(&payload.digest())
            }
            Record::Committed(committed) => {
                committed.height > executed || tip.is_some_and(|(height, _)| height == committed.height)
            }
            _ => true,
        };
        if keep {
            kept.insert(record.key(), record);
        }
    }
    kept.into_values().collect()
}

impl<S: GosigScheme> Host for GosigHost<S> {
    type Machine = Replica<S>;

    fn boot(&mut self, boot: BootContext<Record<S>>) -> Result<Replica<S>, Violation> {
        let BootContext { node, mut records, seed, .. } = boot;
        let disk = self.disk(node);
        disk.ledger.restart(!records.is_empty(), &seed);
        disk.congested = false;
        let epoch = self.enter(node);
        let me = Some(node.member).filter(|me| *me < epoch.committees.voters.len());
        let disk = self.disk(node);
        let (executed, known) = (disk.ledger.executed(), disk.known());
        if seed[1] % 2 == 0 {
            records = compact(records, executed.height, &disk.forgotten);
        }
        let config = Config {
            voters: epoch.committees.voters,
            identities: epoch.committees.identities,
            me,
            voting_key: self.material.voting_key(node.member),
            identity_key: self.material.identity_key(node.member),
            anchor: epoch.anchor,
            executed,
            recent: Vec::new(),
            known,
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
        // A record may be of an older epoch.
        epochs.fold(newest, |read, older| read.or(older))
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
            Output::Forget(payloads) => self.disk(node).forgotten.extend(payloads),
            Output::Succeeded(successor) => self.succeed(node, *successor)?,
            Output::Round { undecided: true, .. } => *self.undecided.entry(node.slot).or_default() += 1,
            _ => {}
        }
        Ok(())
    }

    /// What is of another epoch can be unreadable, and who has left may not have heard of it.
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
            self.most_proposals = self.most_proposals.max(status.proposals);
        }
        if status.delivered > status.committed || status.locked > status.prepared {
            return Err(Violation::new("status", format!("node {}: {status:?}", node.slot)));
        }
        Ok(())
    }

    fn adversary(&mut self, node: Node, name: &str) -> Option<Box<dyn Adversary<Replica<S>>>> {
        let epoch = self.disk(node).epoch;
        let committees = self.epochs.get(epoch).map(|epoch| epoch.committees.clone());
        let material =
            committees.map_or(self.material.clone(), |committees| Arc::new(Material { committees }));
        Villain::new(name, node.member, material).map(|v| Box::new(v) as Box<dyn Adversary<_>>)
    }

    fn intercept(&mut self, now: Time, from: Node, to: Node, message: &Envelope<S>) -> Interception {
        if !self.is_linked(from, to) {
            return Interception::Drop;
        }
        self.tap.as_ref().map_or(Interception::Pass, |tap| tap(now, from, to, message))
    }
}
