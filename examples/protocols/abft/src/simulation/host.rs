//! Simulation host of the chain: keys, a workload, an archive and a toy application per node, and the checks.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use quorate::committee::ChainId;
use quorate::machine::{Fault, MemberIndex, Time};
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate_protocol::batch::Batch;
use quorate_protocol::simulation::{SignedOnce, Workload};
use quorate_simulator::{
    Actions, Adversary, Agreement, BootContext, Delivered, Host, Interception, Node, PresetParameters,
    RunLength, Scenario, Verdict, Violation, preset,
};
use zeroize::Zeroizing;

use super::adversaries::{ADVERSARIES, AbftAdversary};
use super::disk::Disk;
use super::keys::SimulationKeys;
use super::schedule::Schedule;
use crate::chain::{Chain, Command, Config, Delivery, Evidence, Message, Output, PAGE, Parameters, Record};
use crate::signatures::ThresholdScheme;

/// Returns the run of a preset with the maximum number of faulty members that the chain tolerates. Under a hostile schedule,
/// progress is expected after its end only: before, a message may take seconds.
pub fn scenario(
    name: &str,
    nodes: usize,
    seed: u64,
    (schedule, length): (Schedule, RunLength),
) -> Option<Scenario> {
    let live_within = Duration::from_secs(8);
    let shape = PresetParameters { live_within, length, ..PresetParameters::byzantine(nodes, ADVERSARIES) };
    let mut scenario = preset(name, &shape, seed)?;
    if schedule != Schedule::Fair {
        scenario.network.stable_from = length.disturbed();
    }
    Some(scenario)
}

/// Filter that decides when messages are delivered.
pub type Interceptor<S, V> = Box<dyn Fn(Time, Node, Node, &Message<S, V>) -> Interception>;

/// Host of a run: an archive and a toy application per node, the clients, and the checks.
pub struct AbftHost<S: ThresholdScheme, V: Scheme> {
    keys: Arc<SimulationKeys<S, V>>,
    /// Parameters of the machines.
    pub parameters: Parameters,
    /// Workload of the clients.
    pub workload: Workload,
    /// What the network does to messages.
    pub schedule: Schedule,
    /// Length of the run, which determines when the schedule ends.
    pub length: RunLength,
    /// Filter of messages, in place of the schedule.
    pub interceptor: Option<Interceptor<S, V>>,
    /// Whether proposals are encrypted.
    pub is_encrypted: bool,
    /// Blocks delivered by honest nodes, with the state after each.
    pub agreement: Agreement<([u8; 32], [u8; 32])>,
    disks: BTreeMap<usize, Disk<V>>,
    /// Transactions of honest nodes' batches.
    pub accepted: BTreeSet<Hash>,
    /// Delivered transactions.
    pub delivered: BTreeSet<Hash>,
    /// Number of faults reported by honest nodes, by culprit.
    pub faults: BTreeMap<MemberIndex, usize>,
    signed: SignedOnce,
}

impl<S: ThresholdScheme, V: Scheme> AbftHost<S, V> {
    /// Creates the host of a run with a fair network.
    pub fn new(keys: Arc<SimulationKeys<S, V>>) -> Self {
        let parameters = Parameters { batch: 64, ..Parameters::default() };
        Self {
            keys,
            parameters,
            // Each batch costs a few epochs of real cryptography.
            workload: Workload { pause: Duration::from_millis(2500), times: u64::MAX },
            schedule: Schedule::Fair,
            length: RunLength::Full,
            interceptor: None,
            is_encrypted: true,
            agreement: Agreement::new(1),
            disks: BTreeMap::new(),
            accepted: BTreeSet::new(),
            delivered: BTreeSet::new(),
            faults: BTreeMap::new(),
            signed: SignedOnce::default(),
        }
    }

    /// Sets the schedule of the network.
    #[must_use]
    pub fn scheduled(self, schedule: Schedule, length: RunLength) -> Self {
        Self { schedule, length, ..self }
    }

    /// Sets the workload of the clients.
    #[must_use]
    pub fn workload(self, pause: Duration, times: u64) -> Self {
        Self { workload: Workload { pause, times }, ..self }
    }

    fn disk(&mut self, node: Node) -> &mut Disk<V> {
        self.disks.entry(node.slot).or_default()
    }

    fn submit(&mut self, node: Node, actions: &mut Actions<'_, Chain<S, V>>) {
        let (now, count) = (actions.now(), 1 + actions.rng().index(3));
        let workload = self.workload;
        let disk = self.disk(node);
        if disk.is_congested || disk.submitted >= workload.times {
            return;
        }
        let transactions = (0..count).map(|i| format!("{} {} {i}", node.slot, disk.submitted).into_bytes());
        let batch = Batch::new(node.member, disk.sequence, transactions).expect("a small batch");
        disk.submitted_at.insert(disk.sequence, now);
        disk.sequence += 1;
        disk.submitted += 1;
        if node.honest {
            self.accepted.extend(batch.ids());
        }
        actions.command(Command::Submit(Arc::new(batch)), Duration::ZERO);
    }

    fn deliver(
        &mut self,
        node: Node,
        delivery: Delivery<V>,
        actions: &mut Actions<'_, Chain<S, V>>,
    ) -> Verdict {
        let block = delivery.certified.block.clone();
        let (height, digest) = (block.height, block.digest());
        let ids: Vec<Hash> = delivery.batches.iter().flat_map(|batch| batch.ids()).copied().collect();
        let root = self.disk(node).ledger.next_root(&digest.0, ids.iter());
        if !block.payload.iter().eq(delivery.batches.iter().map(|batch| batch.header())) {
            return Err(violation(node, "delivery", format!("the batches of height {height} are others")));
        }
        if self.agreement.deliver(node, height, (digest.0, root))? == Delivered::First {
            if let Some(repeated) = ids.iter().find(|id| !self.delivered.insert(**id)) {
                return Err(violation(node, "exactly once", format!("{repeated:?} is delivered twice")));
            }
            if let Err(error) = delivery.certified.finality.verify(&self.keys.voters, &block) {
                return Err(violation(node, "finality", format!("height {height}: {error}")));
            }
        }
        let disk = self.disk(node);
        let (executed, after) = disk.ledger.execute(node, height, (delivery, root), actions)?;
        disk.remember(executed);
        actions.command(Command::Executed(executed), after);
        Ok(())
    }

    /// Answers a member from the archive.
    fn serve(
        &mut self,
        node: Node,
        to: MemberIndex,
        from: u64,
        tip: u64,
        actions: &mut Actions<'_, Chain<S, V>>,
    ) {
        let mut next = from;
        for delivery in self.disk(node).ledger.since(from).take(PAGE as usize) {
            next = delivery.certified.block.height + 1;
            actions.send(to, &Message::Block(delivery.certified.clone()));
            delivery.batches.iter().for_each(|batch| actions.send(to, &Message::Batch(batch.clone())));
        }
        actions.send(to, &Message::End { next, tip });
    }
}

impl<S: ThresholdScheme, V: Scheme> Host for AbftHost<S, V> {
    type Machine = Chain<S, V>;

    fn boot(&mut self, boot: BootContext<Record<V>>) -> Result<Chain<S, V>, Violation> {
        let BootContext { node, mut records, seed, was_rolled_back, .. } = boot;
        let (keys, is_encrypted, parameters) = (self.keys.clone(), self.is_encrypted, self.parameters);
        let certified = records.iter().filter_map(|record| match record {
            Record::Certificate(finality) => Some(finality.0.statement().view),
            _ => None,
        });
        let certified = certified.max().unwrap_or(0);
        let disk = self.disk(node);
        disk.ledger.restart(!records.is_empty(), &seed);
        if was_rolled_back {
            disk.roll_back(certified);
        }
        if seed[1] % 2 == 0 {
            records = disk.compact(records);
        }
        let place = usize::from(node.member);
        let secrets = keys.secrets.get(place).ok_or_else(|| Violation::new("member", "unknown"))?;
        let config = Config {
            setup: keys.setup.clone(),
            secrets: secrets.clone(),
            encryption: keys.encryption.get(place).filter(|_| is_encrypted).cloned(),
            chain: ChainId::from_name("simulation"),
            voters: keys.voters.clone(),
            executed: disk.ledger.executed(),
            recent_states: disk.recent_states(),
            recent_transactions: disk.recent_transactions(),
            committed: HashSet::new(),
            first_sequence: 1,
            entropy: Zeroizing::new(seed),
            parameters,
        };
        let chain = Chain::restore(config, keys.voting_key(node.member), records)
            .map_err(|error| violation(node, "restart", error.to_string()))?;
        disk.sequence = disk.sequence.max(chain.next_sequence());
        disk.is_congested = false;
        Ok(chain)
    }

    /// Within the epochs that run, a member repeats what its records say. Earlier records say less.
    fn may_contradict_after_rollback(&self) -> bool {
        true
    }

    fn decode_record(&self, bytes: &[u8]) -> quorate::Result<Record<V>> {
        Record::decode(bytes, &self.keys.voters)
    }

    fn on_durable(&mut self, node: Node, record: &Record<V>) -> Verdict {
        match record {
            Record::Vote(guard) => self.signed.record(node, guard),
            _ => Ok(()),
        }
    }

    fn on_start(&mut self, node: Node, actions: &mut Actions<'_, Chain<S, V>>) -> Verdict {
        self.agreement.on_start(node);
        self.workload.start(actions);
        Ok(())
    }

    fn on_wake(&mut self, node: Node, _: u64, actions: &mut Actions<'_, Chain<S, V>>) -> Verdict {
        self.submit(node, actions);
        let submitted = self.disk(node).submitted;
        self.workload.schedule_next(submitted, actions);
        Ok(())
    }

    fn on_output(
        &mut self,
        node: Node,
        output: Output<V>,
        actions: &mut Actions<'_, Chain<S, V>>,
    ) -> Verdict {
        match output {
            Output::Deliver(delivery) => self.deliver(node, *delivery, actions)?,
            Output::Settled { sequence } => {
                if let Some(at) = self.disk(node).submitted_at.remove(&sequence) {
                    actions.measure("commit", actions.now().since(at));
                }
            }
            Output::Serve { to, from, tip } => self.serve(node, to, from, tip, actions),
            Output::Congestion(is_congested) => self.disk(node).is_congested = is_congested,
            Output::PruneBatches(digests) => self.disk(node).obsolete.extend(digests),
            Output::PruneEpochs { up_to } => self.disk(node).pruned = up_to,
            Output::Repeated { .. } => {}
            Output::Refused { .. } | Output::Compare { .. } | Output::Broken(_) if node.honest => {
                return Err(violation(node, "output", format!("{output:?}")));
            }
            Output::Refused { .. } | Output::Compare { .. } | Output::Broken(_) => {}
        }
        Ok(())
    }

    fn on_fault(&mut self, node: Node, fault: Fault<Evidence<V>>) -> Verdict {
        if node.honest {
            *self.faults.entry(fault.culprit).or_default() += 1;
        }
        Ok(())
    }

    fn after_step(&mut self, node: Node, chain: &Chain<S, V>) -> Verdict {
        let status = chain.status();
        if status.running < status.committed {
            return Err(violation(node, "status", format!("{status:?}")));
        }
        Ok(())
    }

    fn adversary(&mut self, node: Node, name: &str) -> Option<Box<dyn Adversary<Chain<S, V>>>> {
        let adversary = AbftAdversary::new(name, node.member, self.keys.clone())?;
        Some(Box::new(adversary) as Box<dyn Adversary<_>>)
    }

    fn intercept(&mut self, now: Time, from: Node, to: Node, message: &Message<S, V>) -> Interception {
        if let Some(interceptor) = &self.interceptor {
            return interceptor(now, from, to, message);
        }
        let members = (from.member, to.member, self.keys.voters.len());
        self.schedule.intercept(self.length.disturbed(), now, members, || message.encode())
    }
}

fn violation(node: Node, property: &'static str, detail: String) -> Violation {
    Violation::new(property, format!("node {}: {detail}", node.slot))
}
