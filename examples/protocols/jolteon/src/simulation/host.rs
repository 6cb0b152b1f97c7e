//! Simulation host of Jolteon: committees, a workload, an archive and a toy application per node, and the checks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use quorate::machine::{Fault, Time};
use quorate::scheme::Scheme;
use quorate::wire::Decode;
use quorate_protocol::simulation::{GENESIS, Ledger, SignedOnce, Workload};
use quorate_simulator::{
    Actions, Adversary, Agreement, BootContext, Delivered, Host, Interception, Node, PresetParameters,
    RunLength, Scenario, Verdict, Violation, preset,
};

use super::adversaries::{ADVERSARIES, JolteonAdversary};
use super::keys::SimulationKeys;
use crate::{
    Batch, Block, Command, Config, Delivery, Evidence, HistoryRequest, Message, Output, OwnBatchState,
    Parameters, Record, Replica, SigningHistory, Slot, VotingKey, block_range,
};

/// Returns the run of a preset with the maximum number of faulty members that Jolteon tolerates.
pub fn scenario(name: &str, nodes: usize, seed: u64, length: RunLength) -> Option<Scenario> {
    // A member that starts abstains for up to two views of two seconds. With exactly a quorum running, all members wait for it,
    // and then for two consecutive leaders that run. With two of seven members down, up to seven views more can pass until the
    // chain shows whose turns to skip.
    let live_within = Duration::from_secs(25);
    let shape = PresetParameters { live_within, length, ..PresetParameters::byzantine(nodes, ADVERSARIES) };
    preset(name, &shape, seed)
}

/// A node's archive and application on disk, and its clients.
struct Disk<S: Scheme> {
    ledger: Ledger<Arc<Block<S>>>,
    batches: BTreeMap<[u8; 32], Arc<Batch>>,
    sequence: u64,
    sealed: u64,
    congested: bool,
}

impl<S: Scheme> Default for Disk<S> {
    fn default() -> Self {
        let (ledger, batches) = (Ledger::default(), BTreeMap::new());
        Self { ledger, batches, sequence: 1, sealed: 0, congested: false }
    }
}

/// Filter that decides which messages are delivered.
pub type Interceptor<S> = Box<dyn Fn(Time, Node, Node, &Message<S>) -> Interception>;

/// Host of a run: an archive and a toy application per node, the clients, and the checks.
pub struct JolteonHost<S: Scheme> {
    keys: Arc<SimulationKeys<S>>,
    /// Parameters of the replicas.
    pub parameters: Parameters,
    /// Workload of the clients.
    pub workload: Workload,
    /// Blocks delivered by honest nodes, with the state after each.
    pub agreement: Agreement<([u8; 32], [u8; 32])>,
    disks: BTreeMap<usize, Disk<S>>,
    slots: BTreeSet<Slot>,
    sealed: BTreeMap<[u8; 32], Time>,
    /// Sealed batches of honest nodes that were not refused.
    pub accepted: BTreeSet<[u8; 32]>,
    /// Delivered batches.
    pub delivered: BTreeSet<[u8; 32]>,
    /// Filter of the messages of honest nodes.
    pub interceptor: Option<Interceptor<S>>,
    /// Maximum number of blocks above the committed one at an honest node.
    pub max_blocks: usize,
    /// Longest time between two deliveries of a node without a restart in between.
    pub longest_pause: Duration,
    delivered_at: BTreeMap<usize, Time>,
    /// Number of timeouts per node.
    pub timeouts: BTreeMap<usize, u64>,
    /// Faults reported by honest nodes, by culprit.
    pub evidence: BTreeMap<u16, Vec<Evidence<S>>>,
    /// What a restarting node knows about its signatures. [`SigningHistory::Complete`] is a flaw that the checks find.
    pub history: SigningHistory,
    signed: SignedOnce,
    batches: BTreeMap<(usize, u64), [u8; 32]>,
}

impl<S: Scheme> JolteonHost<S> {
    /// Creates the host of a run.
    pub fn new(keys: Arc<SimulationKeys<S>>) -> Self {
        Self {
            keys,
            parameters: Self::parameters(),
            workload: Workload::default(),
            agreement: Agreement::new(1),
            disks: BTreeMap::new(),
            slots: BTreeSet::new(),
            sealed: BTreeMap::new(),
            accepted: BTreeSet::new(),
            delivered: BTreeSet::new(),
            interceptor: None,
            max_blocks: 0,
            longest_pause: Duration::ZERO,
            delivered_at: BTreeMap::new(),
            timeouts: BTreeMap::new(),
            evidence: BTreeMap::new(),
            history: SigningHistory::Unconfirmed,
            signed: SignedOnce::default(),
            batches: BTreeMap::new(),
        }
    }

    /// Parameters as in a network, but with fewer blocks per second, so that many seeds can be run.
    pub fn parameters() -> Parameters {
        Parameters {
            min_block_interval: Duration::from_millis(150),
            view_timeout: Duration::from_millis(700),
            view_timeout_cap: Duration::from_secs(2),
            ..Parameters::default()
        }
    }

    /// Sets the workload of the clients.
    #[must_use]
    pub fn workload(mut self, pause: Duration, times: u64) -> Self {
        self.workload = Workload { pause, times };
        self
    }

    /// Returns the height of the last delivered block with batches, and the highest height whose state a block states.
    pub fn heights(&self) -> (u64, u64) {
        let blocks = || self.disks.values().flat_map(|disk| disk.ledger.since(1));
        let payload = blocks().filter(|block| !block.payload.is_empty()).map(|block| block.height).max();
        (payload.unwrap_or(0), blocks().map(|block| block.executed.height).max().unwrap_or(0))
    }

    fn disk(&mut self, node: Node) -> &mut Disk<S> {
        self.disks.entry(node.slot).or_default()
    }

    fn seal(&mut self, node: Node, actions: &mut Actions<'_, Replica<S>>) {
        let now = actions.now();
        let count = 1 + actions.rng().index(3);
        let workload = self.workload;
        let disk = self.disk(node);
        if disk.congested || disk.sealed >= workload.times {
            return;
        }
        let transactions = (0..count).map(|i| format!("{} {} {i}", node.slot, disk.sealed).into_bytes());
        let batch = Batch::new(node.member, disk.sequence, transactions).expect("small");
        disk.sequence += 1;
        disk.sealed += 1;
        self.sealed.insert(batch.digest().0, now);
        if node.honest {
            self.accepted.insert(batch.digest().0);
        }
        actions.command(Command::Seal(Arc::new(batch)), Duration::ZERO);
    }

    fn deliver(
        &mut self,
        node: Node,
        delivery: Delivery<S>,
        actions: &mut Actions<'_, Replica<S>>,
    ) -> Verdict {
        let Delivery { block, digest, height, batches, finality } = delivery;
        let ids = batches.iter().flat_map(|batch| batch.ids());
        let root = self.disk(node).ledger.next_root(&digest.0, ids);

        let same = block.payload.iter().map(|b| b.digest()).eq(batches.iter().map(|b| b.digest()));
        if !same || block.height != height || block.digest() != digest {
            return Err(Violation::new(
                "delivery",
                format!("node {}: block, digest and height of a delivery do not match", node.slot),
            ));
        }
        if self.agreement.deliver(node, height, (digest.0, root))? == Delivered::First {
            for batch in &block.payload {
                if !self.slots.insert(batch.header.slot) {
                    return Err(Violation::new(
                        "exactly once",
                        format!("{:?} is delivered twice", batch.header.slot),
                    ));
                }
            }
            if let Err(error) = finality.verify(&self.keys.committees.voters, &block) {
                return Err(Violation::new("finality", format!("height {height}: {error}")));
            }
        }
        let now = actions.now();
        if let Some(last) = self.delivered_at.insert(node.slot, now) {
            self.longest_pause = self.longest_pause.max(now.since(last));
        }
        for batch in &batches {
            self.delivered.insert(batch.digest().0);
            if let Some(at) = self.sealed.get(&batch.digest().0)
                && batch.author() == node.member
            {
                actions.measure("commit", actions.now().since(*at));
            }
        }
        let disk = self.disk(node);
        let (executed, after) = disk.ledger.execute(node, height, (block, root), actions)?;
        disk.batches.extend(batches.into_iter().map(|batch| (batch.digest().0, batch)));
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
                let blocks = disk.ledger.since(from).cloned();
                actions.send(to, &block_range(blocks));
            }
            HistoryRequest::Batches(digests) => {
                for digest in digests {
                    if let Some(batch) = disk.batches.get(&digest.0) {
                        actions.send(to, &Message::BatchReply(batch.clone()));
                    }
                }
            }
            // The simulator itself compares the histories of all honest members.
            HistoryRequest::CheckCertified(_) | HistoryRequest::Compare(_) => {}
        }
    }
}

/// Returns the records that a key-value store would have kept: the last record of each key, without blocks and batches
/// below the executed height.
fn compact<S: Scheme>(records: Vec<Record<S>>, executed: u64) -> Vec<Record<S>> {
    let committed = records.iter().rev().find_map(|record| match record {
        Record::Committed(committed) => Some(committed.digest),
        _ => None,
    });
    let mut kept = BTreeMap::new();
    for record in records {
        let old =
            matches!(&record, Record::Block(b) if b.height <= executed && Some(b.digest()) != committed);
        if !old {
            kept.insert(record.key(), record);
        }
    }
    kept.into_values().collect()
}

impl<S: Scheme> Host for JolteonHost<S> {
    type Machine = Replica<S>;

    fn boot(&mut self, boot: BootContext<Record<S>>) -> Result<Replica<S>, Violation> {
        let BootContext { node, mut records, restarts, was_rolled_back, seed } = boot;
        let history = if restarts == 0 { SigningHistory::Complete } else { self.history };
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
        let executed = disk.ledger.executed();
        if seed[1] % 2 == 0 {
            records = compact(records, executed.height);
        }
        let config = Config {
            voters: self.keys.committees.voters.clone(),
            identities: self.keys.committees.identities.clone(),
            me: node.member,
            voting_key: VotingKey::Secret(self.keys.voting_key(node.member)),
            identity_key: self.keys.identity_key(node.member),
            genesis_root: GENESIS,
            executed,
            recent_states: Vec::new(),
            // Rises with time, as a clock does.
            first_sequence: (u64::from(restarts) << 16) + 1,
            history,
            parameters: self.parameters.clone(),
        };
        let replica = Replica::new(config, records)
            .map_err(|error| Violation::new("restart", format!("node {}: {error}", node.slot)))?;
        let disk = self.disk(node);
        disk.sequence = replica.next_sequence();
        disk.congested = false;
        Ok(replica)
    }

    fn decode_record(&self, bytes: &[u8]) -> quorate::Result<Record<S>> {
        Record::decode(bytes, &self.keys.committees)
    }

    fn on_durable(&mut self, node: Node, record: &Record<S>) -> Verdict {
        match record {
            Record::VoteGuard(guard) | Record::ProposalGuard(guard) => self.signed.record(node, guard),
            Record::Batch(batch) if node.honest && batch.author() == node.member => {
                let digest = batch.digest().0;
                if *self.batches.entry((node.slot, batch.sequence())).or_insert(digest) == digest {
                    return Ok(());
                }
                let detail = format!("node {} made two batches with number {}", node.slot, batch.sequence());
                Err(Violation::new("equivocation", detail))
            }
            _ => Ok(()),
        }
    }

    fn on_start(&mut self, node: Node, actions: &mut Actions<'_, Replica<S>>) -> Verdict {
        self.agreement.on_start(node);
        self.delivered_at.remove(&node.slot);
        self.workload.start(actions);
        Ok(())
    }

    fn on_wake(&mut self, node: Node, _: u64, actions: &mut Actions<'_, Replica<S>>) -> Verdict {
        self.seal(node, actions);
        let sealed = self.disk(node).sealed;
        self.workload.schedule_next(sealed, actions);
        Ok(())
    }

    fn on_output(&mut self, node: Node, output: Output<S>, actions: &mut Actions<'_, Replica<S>>) -> Verdict {
        match output {
            Output::Deliver(delivery) => self.deliver(node, *delivery, actions)?,
            Output::Serve { to, request } => self.serve(node, to, request, actions),
            Output::Congestion(congested) => self.disk(node).congested = congested,
            Output::OwnBatch { state: OwnBatchState::Refused, .. } if node.honest => {}
            Output::View { timed_out: true, .. } => *self.timeouts.entry(node.slot).or_default() += 1,
            _ => {}
        }
        Ok(())
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
            self.max_blocks = self.max_blocks.max(status.blocks);
        }
        if status.delivered > status.committed || status.certified_view >= status.view {
            return Err(Violation::new("status", format!("node {}: {status:?}", node.slot)));
        }
        Ok(())
    }

    fn adversary(&mut self, node: Node, name: &str) -> Option<Box<dyn Adversary<Replica<S>>>> {
        JolteonAdversary::new(name, node.member, self.keys.clone())
            .map(|v| Box::new(v) as Box<dyn Adversary<_>>)
    }

    fn intercept(&mut self, now: Time, from: Node, to: Node, message: &Message<S>) -> Interception {
        self.interceptor
            .as_ref()
            .map_or(Interception::Pass, |interceptor| interceptor(now, from, to, message))
    }
}
