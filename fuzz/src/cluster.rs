//! Four replicas of a block protocol, with a network and a clock that only the input advances.
//!
//! Members 0 to 2 are honest. Member 3 runs an honest replica too, but the driver of the cluster also has its keys and may
//! send any message in its name. So at most one of four is faulty, and these properties hold:
//!
//! - no two replicas deliver different blocks at one height, and each delivers every height once, in order;
//! - no honest member signs two statements of one kind and view, also after crashes;
//! - no honest member is accused;
//! - stored data stays within bounds.

use std::collections::{BTreeMap, VecDeque};

use quorate::machine::{Input, Machine, MemberIndex, Outgoing, Recipient, Step, Time, TimerChange};
use quorate::wire::Encode;
use quorate_protocol::Executed;

use crate::fixture::FOUR;

/// The faulty member.
pub(crate) const FAULTY: MemberIndex = 3;
/// Maximum number of messages in transit; older ones are lost.
const MAX_IN_FLIGHT: usize = 256;
/// Maximum number of messages stored for replay.
const MAX_MEMORY: usize = 128;
/// The state before block 1.
pub(crate) const GENESIS_ROOT: [u8; 32] = [7; 32];

/// The parts of a protocol that the cluster needs.
pub(crate) trait Protocol {
    /// Its state machine.
    type Replica: Machine;
    /// A block as it is delivered and archived.
    type Delivered;
    /// A request to an archive.
    type Request;

    /// The replica of a member with this executed state and these records.
    fn replica(me: MemberIndex, executed: Executed, records: Vec<Record<Self>>) -> Self::Replica;

    /// Asserts that the replica's stored data is within bounds.
    fn check_bounds(replica: &Self::Replica);

    /// The command with which a member's clients submit transactions, for the `number`th time.
    fn submit(replica: &Self::Replica, me: MemberIndex, number: u64, content: u8) -> Option<Command<Self>>;

    /// The command that reports the executed state.
    fn executed(executed: Executed) -> Command<Self>;

    /// The command that reports a new link.
    fn connected(to: MemberIndex) -> Command<Self>;

    /// The member's own signatures in a message that it sends: kinds, views and digests.
    fn signed(replica: &Self::Replica, me: MemberIndex, message: &Message<Self>) -> Vec<(u8, u64, [u8; 32])>;

    /// The meaning of an output for the cluster.
    fn event(output: <Self::Replica as Machine>::Output) -> Event<Self>;

    /// The height of a delivered block, and its digest.
    fn place(delivered: &Self::Delivered) -> (u64, [u8; 32]);

    /// Asserts that a delivered block is final, and that all of its transactions are there.
    fn check_delivered(replica: &Self::Replica, delivered: &Self::Delivered);

    /// The answers of an archive.
    fn answers(archive: &[Self::Delivered], request: &Self::Request) -> Vec<Message<Self>>;

    /// A message of [`FAULTY`] that contradicts this one.
    fn contradiction(replica: &Self::Replica, bytes: &[u8], flip: u8) -> Option<Vec<u8>>;
}

/// An output that the cluster handles.
pub(crate) enum Event<P: Protocol + ?Sized> {
    /// The next block.
    Delivered(P::Delivered),
    /// A request of a peer to the archive.
    Asked { to: MemberIndex, request: P::Request },
    /// Any other output.
    Other,
}

type Command<P> = <<P as Protocol>::Replica as Machine>::Command;
type Message<P> = <<P as Protocol>::Replica as Machine>::Message;
type Record<P> = <<P as Protocol>::Replica as Machine>::Record;
type Timer<P> = <<P as Protocol>::Replica as Machine>::Timer;

/// Bytes in transit.
#[derive(Clone)]
pub(crate) struct Envelope {
    pub(crate) from: MemberIndex,
    pub(crate) to: MemberIndex,
    pub(crate) bytes: Vec<u8>,
}

/// The cluster of four replicas.
pub(crate) struct Cluster<P: Protocol> {
    nodes: Vec<Node<P>>,
    now: Time,
    in_flight: VecDeque<Envelope>,
    memory: VecDeque<Envelope>,
    /// Digests that honest members signed, by member, kind and view.
    signed: BTreeMap<(MemberIndex, u8, u64), [u8; 32]>,
    /// The chain, as delivered by the first replica at each height.
    chain: BTreeMap<u64, [u8; 32]>,
}

struct Node<P: Protocol> {
    me: MemberIndex,
    replica: P::Replica,
    timers: BTreeMap<Timer<P>, Time>,
    records: Vec<Record<P>>,
    archive: Vec<P::Delivered>,
    executed: Executed,
    submitted: u64,
}

impl<P: Protocol> Cluster<P> {
    /// Starts four new replicas.
    pub(crate) fn new() -> Self {
        let executed = Executed { height: 0, state_root: GENESIS_ROOT };
        let node = |me| Node {
            me,
            replica: P::replica(me, executed, Vec::new()),
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
            signed: BTreeMap::new(),
            chain: BTreeMap::new(),
        };
        (0..FOUR).for_each(|me| cluster.input(me, Input::Start));
        cluster
    }

    /// The highest delivered height of any replica.
    pub(crate) fn height(&self) -> u64 {
        self.chain.keys().next_back().copied().unwrap_or(0)
    }

    /// The blocks that the first replica delivered.
    #[cfg(feature = "node")]
    pub(crate) fn delivered(&self) -> &[P::Delivered] {
        self.nodes.first().map_or(&[], |node| &node.archive)
    }

    /// All durable records.
    pub(crate) fn records(&self) -> impl Iterator<Item = &Record<P>> {
        self.nodes.iter().flat_map(|node| &node.records)
    }

    /// All messages stored for replay.
    pub(crate) fn memory(&self) -> impl Iterator<Item = &Envelope> {
        self.memory.iter()
    }

    /// Removes a message from the network.
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

    /// Passes bytes to their receiver, as a link does: bytes that do not decode are dropped.
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
        let timers =
            self.nodes.iter().flat_map(|n| n.timers.iter().map(|(timer, at)| (*at, n.me, timer.clone())));
        let Some((at, me, timer)) = timers.min() else { return };
        self.now = self.now.max(at);
        if let Some(node) = self.nodes.get_mut(usize::from(me)) {
            node.timers.remove(&timer);
        }
        self.input(me, Input::Timer(timer));
    }

    /// Advances the clock without firing timers.
    pub(crate) fn wait(&mut self, micros: u64) {
        self.now = Time(self.now.0.saturating_add(micros));
    }

    /// A member's clients submit transactions.
    pub(crate) fn submit(&mut self, me: MemberIndex, content: u8) {
        let Some(node) = self.nodes.get_mut(usize::from(me % FOUR)) else { return };
        node.submitted += 1;
        let me = node.me;
        if let Some(command) = P::submit(&node.replica, me, node.submitted, content) {
            self.input(me, Input::Command(command));
        }
    }

    /// A message of the faulty member that contradicts a remembered one.
    pub(crate) fn contradiction(&self, which: usize, flip: u8) -> Option<Vec<u8>> {
        P::contradiction(&self.nodes.first()?.replica, &self.recall(which)?.bytes, flip)
    }

    /// Reconnects a member's link to another member.
    pub(crate) fn connect(&mut self, me: MemberIndex, to: MemberIndex) {
        if me != to {
            self.input(me % FOUR, Input::Command(P::connected(to % FOUR)));
        }
    }

    /// Crashes a member while it handles a message, after `durable` of the step's records were written and before any
    /// message was sent, and restarts it.
    pub(crate) fn crash(&mut self, me: MemberIndex, during: Option<&Envelope>, durable: usize) {
        let now = self.now;
        let Some(node) = self.nodes.get_mut(usize::from(me % FOUR)) else { return };
        if let Some(envelope) = during
            && let Ok(message) = node.replica.decode(envelope.from, &envelope.bytes)
        {
            let step = node.replica.handle(now, Input::Message { from: envelope.from, message });
            node.records.extend(step.persist.into_iter().take(durable));
        }
        node.replica = P::replica(node.me, node.executed, node.records.clone());
        node.timers.clear();
        let me = node.me;
        self.input(me, Input::Start);
    }

    fn input(&mut self, me: MemberIndex, input: Input<P::Replica>) {
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            let Some(node) = self.nodes.get_mut(usize::from(me)) else { return };
            let step = node.replica.handle(self.now, input);
            P::check_bounds(&node.replica);
            self.carry_out(me, step, &mut inputs);
        }
    }

    fn carry_out(
        &mut self,
        me: MemberIndex,
        step: Step<P::Replica>,
        inputs: &mut VecDeque<Input<P::Replica>>,
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
            match P::event(output) {
                Event::Delivered(delivered) => inputs.extend(self.execute(me, delivered)),
                Event::Asked { to, request } => self.serve(me, to, &request),
                Event::Other => {}
            }
        }
    }

    fn send(&mut self, from: MemberIndex, to: MemberIndex, message: &Message<P>) {
        assert!(from != to, "a machine never sends to itself");
        let envelope = Envelope { from, to, bytes: message.encode() };
        if self.memory.len() == MAX_MEMORY {
            self.memory.pop_front();
        }
        self.memory.push_back(envelope.clone());
        self.post(envelope);
    }

    /// Checks that a member's signature contradicts none of its earlier ones.
    fn watch(&mut self, me: MemberIndex, message: &Message<P>) {
        let Some(node) = self.nodes.get(usize::from(me)) else { return };
        for (kind, view, digest) in P::signed(&node.replica, me, message) {
            let first = *self.signed.entry((me, kind, view)).or_insert(digest);
            assert!(first == digest, "member {me} signed contradicting statements: {message:?}");
        }
    }

    /// The application: its state is the hash of all blocks so far.
    fn execute(&mut self, me: MemberIndex, delivered: P::Delivered) -> Option<Input<P::Replica>> {
        let (height, digest) = P::place(&delivered);
        let first = *self.chain.entry(height).or_insert(digest);
        assert!(first == digest, "two different blocks at height {height}");
        let node = self.nodes.get_mut(usize::from(me))?;
        assert!(height == node.executed.height + 1, "height {height} was skipped or repeated");
        P::check_delivered(&node.replica, &delivered);
        let mut bytes = node.executed.state_root.to_vec();
        bytes.extend(digest);
        let state_root = quorate::wire::domain::hash(quorate::wire::domain::LEDGER_ROOT, &bytes);
        node.executed = Executed { height, state_root };
        node.archive.push(delivered);
        Some(Input::Command(P::executed(node.executed)))
    }

    fn serve(&mut self, me: MemberIndex, to: MemberIndex, request: &P::Request) {
        let Some(node) = self.nodes.get(usize::from(me)) else { return };
        P::answers(&node.archive, request).iter().for_each(|answer| self.send(me, to, answer));
    }
}
