//! Four replicas, a network and a clock that only move as an input says: the harness of the Gosig target.
//!
//! As that of the Jolteon targets: members 0 to 2 are honest, and whoever drives the cluster has the keys of member 3. What
//! must hold always does:
//!
//! - no two replicas deliver different blocks at one height, and each delivers every height once, in order;
//! - no honest member proposes twice in a round, whatever crashes;
//! - no honest member is accused of anything;
//! - what is kept stays within bounds.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use quorate::ed25519::Ed25519;
use quorate::machine::{Input, Machine, MemberIndex, Outgoing, Recipient, Step, Time, TimerChange};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate_gosig::{
    Anchor, Block, BlockDigest, Command, Committees, Config, Delivery, Executed, HistoryRequest, Message,
    Output, Parameters, Payload, Proposal, Record, Replica, Schedule, Suite, Timer, block_range,
    transaction_range,
};

use crate::fixture::{FOUR, Fixed};

/// The member in whose name anything may be sent.
pub(crate) const FAULTY: MemberIndex = 3;
/// Most messages on the way; older ones are lost.
const MAX_IN_FLIGHT: usize = 256;
/// Most messages remembered for replaying.
const MAX_MEMORY: usize = 128;
/// Proposals of a few rounds, two of each proposer.
const MAX_PROPOSALS: usize = 5 * 64;
const GENESIS_ROOT: [u8; 32] = [7; 32];

/// Bytes on their way.
#[derive(Clone)]
pub(crate) struct Envelope {
    pub(crate) from: MemberIndex,
    pub(crate) to: MemberIndex,
    pub(crate) bytes: Vec<u8>,
}

/// The four of them.
pub(crate) struct Cluster<S: Fixed + Suite> {
    nodes: Vec<Node<S>>,
    now: Time,
    in_flight: VecDeque<Envelope>,
    memory: VecDeque<Envelope>,
    /// What honest members proposed, by member and round.
    proposed: BTreeMap<(MemberIndex, u64), [u8; 32]>,
    /// The chain as the first replica to get there delivered it.
    chain: BTreeMap<u64, BlockDigest>,
}

struct Node<S: Fixed + Suite> {
    me: MemberIndex,
    replica: Replica<S>,
    timers: BTreeMap<Timer, Time>,
    records: Vec<Record<S>>,
    archive: Vec<Delivery<S>>,
    executed: Executed,
    submitted: u64,
}

impl<S: Fixed + Suite> Cluster<S> {
    /// Four new replicas that have started.
    pub(crate) fn new() -> Self {
        let executed = Executed { height: 0, state_root: GENESIS_ROOT };
        let node = |me| Node {
            me,
            replica: replica(me, executed, Vec::new()),
            timers: BTreeMap::new(),
            records: Vec::new(),
            archive: Vec::new(),
            executed,
            submitted: 0,
        };
        let mut cluster = Self {
            nodes: (0..FOUR).map(node).collect(),
            now: Time(1_000_000),
            in_flight: VecDeque::new(),
            memory: VecDeque::new(),
            proposed: BTreeMap::new(),
            chain: BTreeMap::new(),
        };
        (0..FOUR).for_each(|me| cluster.input(me, Input::Start));
        cluster
    }

    /// How far the furthest replica delivered.
    pub(crate) fn height(&self) -> u64 {
        self.chain.keys().next_back().copied().unwrap_or(0)
    }

    /// Everything that was made durable.
    pub(crate) fn records(&self) -> impl Iterator<Item = &Record<S>> {
        self.nodes.iter().flat_map(|node| &node.records)
    }

    /// Everything that is remembered of what was sent.
    pub(crate) fn memory(&self) -> impl Iterator<Item = &Envelope> {
        self.memory.iter()
    }

    /// Takes a message off the network.
    pub(crate) fn take(&mut self, which: usize) -> Option<Envelope> {
        let which = which % self.in_flight.len().max(1);
        self.in_flight.remove(which)
    }

    /// A message that was sent before.
    pub(crate) fn recall(&self, which: usize) -> Option<Envelope> {
        self.memory.get(which % self.memory.len().max(1)).cloned()
    }

    /// Puts a message on the network.
    pub(crate) fn post(&mut self, envelope: Envelope) {
        if self.in_flight.len() == MAX_IN_FLIGHT {
            self.in_flight.pop_front();
        }
        self.in_flight.push_back(envelope);
    }

    /// Hands bytes to their receiver, as a link would: what does not decode is dropped.
    pub(crate) fn deliver(&mut self, envelope: &Envelope) {
        let Some(node) = self.nodes.get(usize::from(envelope.to)) else { return };
        match node.replica.decode(envelope.from, &envelope.bytes) {
            Ok(message) => {
                assert_eq!(message.encode(), envelope.bytes, "decoded, but encodes to other bytes");
                self.input(envelope.to, Input::Message { from: envelope.from, message });
            }
            Err(error) => assert!(envelope.from == FAULTY, "an honest message does not decode: {error}"),
        }
    }

    /// Moves the clock to the next timer and fires it.
    pub(crate) fn fire_next_timer(&mut self) {
        let timers = self.nodes.iter().flat_map(|n| n.timers.iter().map(|(timer, at)| (*at, n.me, *timer)));
        let Some((at, me, timer)) = timers.min() else { return };
        self.now = self.now.max(at);
        if let Some(node) = self.nodes.get_mut(usize::from(me)) {
            node.timers.remove(&timer);
        }
        self.input(me, Input::Timer(timer));
    }

    /// Lets time pass without firing anything.
    pub(crate) fn wait(&mut self, micros: u64) {
        self.now = Time(self.now.0.saturating_add(micros));
    }

    /// A member gets two transactions.
    pub(crate) fn submit(&mut self, me: MemberIndex, content: u8) {
        let Some(node) = self.nodes.get_mut(usize::from(me % FOUR)) else { return };
        node.submitted += 1;
        let sequence = node.submitted;
        if let Ok(payload) = Payload::of([vec![content; usize::from(content)], vec![content, me as u8]]) {
            let me = node.me;
            self.input(me, Input::Command(Command::Submit { sequence, payload: Arc::new(payload) }));
        }
    }

    /// A member's link to another comes up again.
    pub(crate) fn connect(&mut self, me: MemberIndex, to: MemberIndex) {
        if me != to {
            self.input(me % FOUR, Input::Command(Command::Connected(to % FOUR)));
        }
    }

    /// A member dies while it handles a message: `durable` of the step's records were written, nothing was sent.
    /// Then it starts again.
    pub(crate) fn crash(&mut self, me: MemberIndex, during: Option<&Envelope>, durable: usize) {
        let now = self.now;
        let Some(node) = self.nodes.get_mut(usize::from(me % FOUR)) else { return };
        if let Some(envelope) = during
            && let Ok(message) = node.replica.decode(envelope.from, &envelope.bytes)
        {
            let step = node.replica.handle(now, Input::Message { from: envelope.from, message });
            node.records.extend(step.persist.into_iter().take(durable));
        }
        node.replica = replica(node.me, node.executed, node.records.clone());
        node.timers.clear();
        let me = node.me;
        self.input(me, Input::Start);
    }

    fn input(&mut self, me: MemberIndex, input: Input<Replica<S>>) {
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            let Some(node) = self.nodes.get_mut(usize::from(me)) else { return };
            let step = node.replica.handle(self.now, input);
            let status = node.replica.status();
            let bounded = status.proposals <= MAX_PROPOSALS
                && status.pending_bytes <= Parameters::default().max_pool_bytes;
            assert!(bounded, "a queue without bound: {status:?}");
            self.carry_out(me, step, &mut inputs);
        }
    }

    fn carry_out(
        &mut self,
        me: MemberIndex,
        step: Step<Replica<S>>,
        inputs: &mut VecDeque<Input<Replica<S>>>,
    ) {
        for fault in &step.faults {
            assert!(fault.culprit == FAULTY, "member {me} accuses an honest one: {fault:?}");
        }
        let now = self.now;
        if let Some(node) = self.nodes.get_mut(usize::from(me)) {
            node.records.extend(step.persist);
            for change in step.timers {
                match change {
                    TimerChange::Set { timer, after } => drop(node.timers.insert(timer, now.plus(after))),
                    TimerChange::Cancel { timer } => drop(node.timers.remove(&timer)),
                }
            }
        }
        for Outgoing { to, message } in step.messages {
            if let Message::Proposal(proposal) = &message
                && proposal.proposer == me
            {
                let key = (me, proposal.round);
                let first = *self.proposed.entry(key).or_insert_with(|| proposal.digest());
                assert!(first == proposal.digest(), "member {me} contradicts itself: {proposal:?}");
            }
            match to {
                Recipient::One(to) => self.send(me, to, &message),
                Recipient::Others => {
                    (0..FOUR).filter(|to| *to != me).for_each(|to| self.send(me, to, &message))
                }
            }
        }
        for output in step.outputs {
            match output {
                Output::Deliver(delivery) => inputs.push_back(self.execute(me, *delivery)),
                Output::Serve { to, request } => self.serve(me, to, &request),
                _ => {}
            }
        }
    }

    fn send(&mut self, from: MemberIndex, to: MemberIndex, message: &Message<S>) {
        assert!(from != to, "a machine never sends to itself");
        let envelope = Envelope { from, to, bytes: message.encode() };
        if self.memory.len() == MAX_MEMORY {
            self.memory.pop_front();
        }
        self.memory.push_back(envelope.clone());
        self.post(envelope);
    }

    /// The application: its state is the hash of all blocks so far.
    fn execute(&mut self, me: MemberIndex, delivery: Delivery<S>) -> Input<Replica<S>> {
        let first = *self.chain.entry(delivery.height).or_insert(delivery.digest);
        assert!(first == delivery.digest, "two different blocks at height {}", delivery.height);
        let Some(node) = self.nodes.get_mut(usize::from(me)) else {
            return Input::Start;
        };
        assert!(
            delivery.height == node.executed.height + 1,
            "height {} was skipped or repeated",
            delivery.height
        );
        assert!(delivery.finality.verify(node.replica.committees(), &delivery.block).is_ok());
        assert_eq!(delivery.block.payload, *delivery.payload.summary(), "another payload than the block's");
        let mut bytes = node.executed.state_root.to_vec();
        bytes.extend(delivery.digest.0);
        let state_root = quorate::wire::domain::hash(quorate::wire::domain::LEDGER_ROOT, &bytes);
        node.executed = Executed { height: delivery.height, state_root };
        node.archive.push(delivery);
        Input::Command(Command::Executed(node.executed))
    }

    fn serve(&mut self, me: MemberIndex, to: MemberIndex, request: &HistoryRequest) {
        let Some(node) = self.nodes.get(usize::from(me)) else { return };
        let answer: Option<Message<S>> = match request {
            HistoryRequest::Blocks { from } => {
                let blocks = node.archive.iter().filter(|delivery| delivery.height >= *from);
                Some(block_range(blocks.map(|delivery| (delivery.block.clone(), delivery.finality.clone()))))
            }
            HistoryRequest::Transactions { block, places, .. } => {
                let archived = node.archive.iter().find(|delivery| delivery.digest == *block);
                archived.map(|delivery| transaction_range(*block, &delivery.payload, places))
            }
        };
        if let Some(answer) = answer {
            self.send(me, to, &answer);
        }
    }

    /// A proposal of the faulty member of another block than the one that a remembered proposal has.
    pub(crate) fn contradiction(&self, which: usize, flip: u8) -> Option<Vec<u8>> {
        let committees = self.nodes.first()?.replica.committees();
        let Message::Proposal(first) = Message::<S>::decode(&self.recall(which)?.bytes, committees).ok()?
        else {
            return None;
        };
        let mut content = (**first.block).clone();
        content.timestamp = content.timestamp.wrapping_add(u64::from(flip));
        let block = Arc::new(Block::new(content));
        let (round, certificate) = (first.round, first.certificate.clone());
        let digest = Proposal::digest_of(&block, round, FAULTY, certificate.as_ref(), &first.ticket);
        let statement = committees.proposal(round, digest);
        let key = Ed25519::four().secret(FAULTY);
        let signature = Ed25519::sign(&key, &statement.signed_bytes(&committees.identities.id()));
        let ticket = first.ticket.clone();
        let other = Proposal { block, round, proposer: FAULTY, certificate, ticket, signature };
        Some(Message::Proposal(Arc::new(other)).encode())
    }
}

#[allow(clippy::expect_used)] // a replica that cannot restart from its own records is a finding
fn replica<S: Fixed + Suite>(me: MemberIndex, executed: Executed, records: Vec<Record<S>>) -> Replica<S> {
    let committees =
        Committees { voters: S::four().committee.clone(), identities: Ed25519::four().committee.clone() };
    let config = Config {
        anchor: Anchor::genesis(&committees, &GENESIS_ROOT, b"fuzz"),
        voters: committees.voters,
        identities: committees.identities,
        me,
        voting_key: S::four().secret(me),
        identity_key: Ed25519::four().secret(me),
        executed,
        recent: Vec::new(),
        known: Vec::new(),
        schedule: Schedule::default(),
        parameters: Parameters::default(),
        entropy: [me as u8; 32],
    };
    Replica::new(config, records).expect("a replica restarts from what it wrote")
}
