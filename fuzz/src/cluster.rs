//! Four replicas, a network and a clock that only move as an input says: the harness of the Jolteon targets.
//!
//! Members 0 to 2 are honest. Member 3 runs an honest replica too, but whoever drives the cluster also has its keys
//! and may send anything in its name. So at most one of four is faulty, and what must hold always does:
//!
//! - no two replicas deliver different blocks at one height, and each delivers every height once, in order;
//! - no honest member signs two different things of one kind and view, whatever crashes;
//! - no honest member is accused of anything;
//! - what is kept stays within bounds.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use quorate::certificate::{Statement, Vote};
use quorate::ed25519::Ed25519;
use quorate::machine::{Input, Machine, MemberIndex, Outgoing, Recipient, Step, Time, TimerChange};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate_jolteon::{
    Batch, Block, BlockDigest, Command, Config, Delivery, Executed, Finality, HistoryRequest, Message,
    Output, Parameters, Record, Replica, Timer, WINDOW, block_range,
};

use crate::fixture::{FOUR, Fixed};

/// The member in whose name anything may be sent.
pub(crate) const FAULTY: MemberIndex = 3;
/// Most messages on the way; older ones are lost.
const MAX_IN_FLIGHT: usize = 256;
/// Most messages remembered for replaying.
const MAX_MEMORY: usize = 128;
const GENESIS_ROOT: [u8; 32] = [7; 32];

/// A block with its batches, and why it is committed.
pub(crate) type Delivered<S> = (Arc<Block<S>>, Vec<Arc<Batch>>, Arc<Finality<S>>);

/// Bytes on their way.
#[derive(Clone)]
pub(crate) struct Envelope {
    pub(crate) from: MemberIndex,
    pub(crate) to: MemberIndex,
    pub(crate) bytes: Vec<u8>,
}

/// The four of them.
pub(crate) struct Cluster<S: Fixed> {
    nodes: Vec<Node<S>>,
    now: Time,
    in_flight: VecDeque<Envelope>,
    memory: VecDeque<Envelope>,
    /// What honest members signed, by member, kind and view.
    signed: BTreeMap<(MemberIndex, u8, u64), [u8; 32]>,
    /// The chain as the first replica to get there delivered it.
    chain: BTreeMap<u64, BlockDigest>,
}

struct Node<S: Fixed> {
    me: MemberIndex,
    replica: Replica<S>,
    timers: BTreeMap<Timer, Time>,
    records: Vec<Record<S>>,
    archive: Vec<Delivered<S>>,
    executed: Executed,
}

impl<S: Fixed> Cluster<S> {
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
        };
        let mut cluster = Self {
            nodes: (0..FOUR).map(node).collect(),
            now: Time(1_000_000),
            in_flight: VecDeque::new(),
            memory: VecDeque::new(),
            signed: BTreeMap::new(),
            chain: BTreeMap::new(),
        };
        (0..FOUR).for_each(|me| cluster.input(me, Input::Start));
        cluster
    }

    /// How far the furthest replica delivered.
    pub(crate) fn height(&self) -> u64 {
        self.chain.keys().next_back().copied().unwrap_or(0)
    }

    /// What the first replica delivered.
    #[cfg(feature = "node")]
    pub(crate) fn delivered(&self) -> &[Delivered<S>] {
        self.nodes.first().map_or(&[], |node| &node.archive)
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

    /// A member gets a transaction and seals it into a batch.
    pub(crate) fn seal(&mut self, me: MemberIndex, content: u8) {
        let Some(node) = self.nodes.get(usize::from(me % FOUR)) else { return };
        let transactions = [vec![content; usize::from(content)], vec![content]];
        if let Ok(batch) = Batch::new(node.me, node.replica.next_sequence(), transactions) {
            self.input(node.me, Input::Command(Command::Seal(Arc::new(batch))));
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
            let window = usize::from(FOUR) * WINDOW as usize;
            assert!(
                status.pending <= window && status.outstanding <= window,
                "a queue without bound: {status:?}"
            );
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
            self.watch(me, &message);
            match to {
                Recipient::One(to) => self.send(me, to, &message),
                Recipient::Others => {
                    (0..FOUR).filter(|to| *to != me).for_each(|to| self.send(me, to, &message))
                }
            }
        }
        for output in step.outputs {
            match output {
                Output::Deliver(delivery) => inputs.push_back(self.execute(me, &delivery)),
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

    /// Whatever a member signs must agree with all that it ever signed.
    fn watch(&mut self, me: MemberIndex, message: &Message<S>) {
        let committees = self.nodes.first().map(|node| node.replica.committees().clone());
        let mut signed: Vec<Statement> = Vec::new();
        match message {
            Message::Vote(vote) => signed.push(*vote.statement()),
            Message::Acknowledge(vote) => signed.push(*vote.statement()),
            Message::Timeout(timeout) => {
                signed.push(*timeout.vote.as_vote().statement());
                signed.extend(timeout.ballot.iter().map(|ballot| *ballot.statement()));
            }
            Message::Proposal(block) if block.author == me => {
                signed.extend(committees.map(|committees| committees.proposal(block.view, block.digest())));
            }
            _ => {}
        }
        for statement in signed {
            let key = (me, statement.kind.number(), statement.view);
            let first = *self.signed.entry(key).or_insert(statement.digest);
            assert!(first == statement.digest, "member {me} contradicts itself: {statement:?}");
        }
    }

    /// The application: its state is the hash of all blocks so far.
    fn execute(&mut self, me: MemberIndex, delivery: &Delivery<S>) -> Input<Replica<S>> {
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
        assert!(delivery.finality.verify(&node.replica.committees().voters, &delivery.block).is_ok());
        let named: Vec<_> = delivery.block.payload.iter().map(quorate_jolteon::BatchRef::digest).collect();
        let brought: Vec<_> = delivery.batches.iter().map(|batch| batch.digest()).collect();
        assert_eq!(named, brought, "a block was delivered with other batches than it names");
        let mut bytes = node.executed.state_root.to_vec();
        bytes.extend(delivery.digest.0);
        let state_root = quorate::wire::domain::hash(quorate::wire::domain::LEDGER_ROOT, &bytes);
        node.executed = Executed { height: delivery.height, state_root };
        node.archive.push((delivery.block.clone(), delivery.batches.clone(), delivery.finality.clone()));
        Input::Command(Command::Executed(node.executed))
    }

    fn serve(&mut self, me: MemberIndex, to: MemberIndex, request: &HistoryRequest) {
        let Some(node) = self.nodes.get(usize::from(me)) else { return };
        let answers: Vec<Message<S>> = match request {
            HistoryRequest::Blocks { from } => {
                let blocks =
                    node.archive.iter().map(|(block, ..)| block).filter(|block| block.height >= *from);
                vec![block_range(blocks.cloned())]
            }
            HistoryRequest::Batches(digests) => {
                let batches = node.archive.iter().flat_map(|(_, batches, _)| batches);
                batches
                    .filter(|batch| digests.contains(&batch.digest()))
                    .cloned()
                    .map(Message::BatchReply)
                    .collect()
            }
        };
        answers.iter().for_each(|answer| self.send(me, to, answer));
    }
}

/// What the faulty member can sign itself.
impl<S: Fixed> Cluster<S> {
    /// A vote of the faulty member for something else than what a remembered message votes for.
    pub(crate) fn contradicting_vote(&self, which: usize, flip: u8) -> Option<Vec<u8>> {
        let committees = self.nodes.first()?.replica.committees();
        match Message::<S>::decode(&self.recall(which)?.bytes, committees).ok()? {
            Message::Vote(vote) => {
                let mut statement = *vote.statement();
                statement.digest = statement.digest.map(|byte| byte ^ flip);
                let vote =
                    Vote::sign_unguarded(&S::four().secret(FAULTY), &committees.voters, statement).ok()?;
                Some(Message::Vote(vote).encode())
            }
            Message::Proposal(block) => {
                let mut content = (**block).clone();
                content.timestamp = content.timestamp.wrapping_add(u64::from(flip));
                content.author = FAULTY;
                let statement = committees.proposal(content.view, content.digest());
                let key = Ed25519::four().secret(FAULTY);
                let signature = Ed25519::sign(&key, &statement.signed_bytes(&committees.identities.id()));
                Some(Message::Proposal(Arc::new(Block::new(content, signature))).encode())
            }
            _ => None,
        }
    }
}

#[allow(clippy::expect_used)] // a replica that cannot restart from its own records is a finding
fn replica<S: Fixed>(me: MemberIndex, executed: Executed, records: Vec<Record<S>>) -> Replica<S> {
    let config = Config {
        voters: S::four().committee.clone(),
        identities: Ed25519::four().committee.clone(),
        me,
        voting_key: S::four().secret(me),
        identity_key: Ed25519::four().secret(me),
        genesis_root: GENESIS_ROOT,
        executed,
        recent: Vec::new(),
        first_sequence: 1,
        parameters: Parameters::default(),
    };
    Replica::new(config, records).expect("a replica restarts from what it wrote")
}
