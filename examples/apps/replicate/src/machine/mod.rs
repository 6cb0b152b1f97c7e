//! The state machine: [`Replica`].
//!
//! | file | responsibility |
//! |---|---|
//! | `requests` | requests of clients, their echoes, proposals of the leader |
//! | `accepting` | the fast path: acceptance of a proposal |
//! | `voting` | the slow path: signed votes, certificates, evidence |
//! | `executing` | decisions, execution, checkpoints, states |
//! | `views` | suspicion, view changes, new views |
//! | `repeating` | status, repetition of lost messages, keys |
//! | `state` | the state of a slot, of a client and of a checkpoint |

mod accepting;
mod executing;
mod repeating;
mod requests;
mod state;
mod views;
mod voting;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
use quorate::wire::Decode;
use quorate::{Error, Result};
use quorate_broadcast::authentication::Authentication;
use quorate_broadcast::deferred::Deferred;

use crate::application::{Application, Executed, max_state};
use crate::interface::{Command, Config, Misbehaviour, Output, Parameters, Path, Status, Timer};
use crate::message::{Limits, Message, NewView, Record, StableState, ViewChange};
use crate::statement::{Ballot, Statement, faulty, quorum};
use state::{CheckpointVotes, ClientState, SlotState};

/// Maximum number of votes of a replica that wait for a slow verification.
const DEFERRED: usize = 256;

/// A replica, as a pure state machine.
pub struct Replica<A: Authentication, P: Application> {
    group: Arc<Committee<Ed25519>>,
    me: MemberIndex,
    parameters: Parameters,
    authentication: A,
    application: P,
    executed_requests: Executed,
    /// Last executed slot.
    executed: u64,
    view: u64,
    /// True from the new view on; view 0 begins active.
    active: bool,
    /// The message that began the view, for replicas that missed it.
    new_view: Option<NewView<A::Signature>>,
    /// The last report of each replica.
    view_changes: BTreeMap<MemberIndex, ViewChange<A::Signature>>,
    stable: Option<StableState<A::Signature>>,
    slots: BTreeMap<u64, SlotState<A::Signature>>,
    checkpoints: BTreeMap<u64, CheckpointVotes<A::Signature>>,
    clients: Vec<ClientState>,
    /// Slots whose votes changed, or that wait for a key.
    dirty: BTreeSet<u64>,
    deferred: Deferred<Message<A::Signature>>,
    peers: Vec<PeerState>,
    /// Slots accepted before this time begin their slow path at once.
    slow_until: Time,
    suspecting: bool,
    /// Views without progress.
    failures: u32,
    decided: [u64; 3],
    verified: (u64, u64),
    failed: bool,
}

/// State about another replica.
#[derive(Clone, Copy, Debug, Default)]
struct PeerState {
    /// True if there is evidence against the replica; further evidence is not needed.
    accused: bool,
    /// Number of its announcements under verification.
    checking: u8,
    /// Earliest time at which its next message of each limited kind is handled.
    next: [Time; Limited::COUNT],
}

/// Messages that cost more to handle than to send.
#[derive(Clone, Copy)]
enum Limited {
    Status,
    Hello,
    ViewChange,
    NewView,
    State,
}

impl Limited {
    const COUNT: usize = 5;
}

impl<A: Authentication, P: Application> Replica<A, P> {
    /// Creates a replica, restored from its records. Of records with one [`place`](Record::place) the last suffices.
    ///
    /// # Errors
    /// [`Error::BadCommittee`] if the group does not have 3f + 1 replicas; [`Error::BadShape`] if the window is shorter
    /// than two checkpoints; [`Error::UnknownSigner`] if the group has no replica `me`; the error of an invalid state.
    pub fn new(
        config: Config<A, P>,
        records: impl IntoIterator<Item = Record<A::Signature>>,
    ) -> Result<Self> {
        let Config { group, me, authentication, application, parameters } = config;
        let n = group.len();
        if n < 4 || n % 3 != 1 {
            return Err(Error::BadCommittee { rule: "the number of replicas is 3f + 1, at least 4" });
        }
        if parameters.checkpoint == 0 || parameters.window < 2 * parameters.checkpoint {
            return Err(Error::BadShape { rule: "a window holds at least two checkpoints" });
        }
        if me >= n {
            return Err(Error::UnknownSigner { index: me.into() });
        }
        let mut replica = Self {
            executed_requests: Executed::new(parameters.clients),
            executed: 0,
            view: 0,
            active: true,
            new_view: None,
            view_changes: BTreeMap::new(),
            stable: None,
            slots: BTreeMap::new(),
            checkpoints: BTreeMap::new(),
            clients: (0..parameters.clients).map(|_| ClientState::default()).collect(),
            dirty: BTreeSet::new(),
            deferred: Deferred::new(n, DEFERRED),
            peers: vec![PeerState::default(); usize::from(n)],
            slow_until: Time(0),
            suspecting: false,
            failures: 0,
            decided: [0; 3],
            verified: (0, 0),
            failed: false,
            group,
            me,
            parameters,
            authentication,
            application,
        };
        for record in records {
            replica.restore(record)?;
        }
        replica.active = replica.view == 0;
        let low = replica.low();
        replica.slots.retain(|slot, _| *slot > low);
        for (slot, state) in &mut replica.slots {
            if let Some((view, value)) = state.accepted.filter(|(view, _)| *view == replica.view) {
                debug_assert_eq!(view, replica.view);
                state.votes.accepts.insert(me, value);
            }
            replica.dirty.insert(*slot);
        }
        Ok(replica)
    }

    /// Returns a summary of the state.
    pub fn status(&self) -> Status {
        Status {
            view: self.view,
            active: self.active,
            executed: self.executed,
            stable: self.low(),
            decided: self.decided,
            verified: self.verified,
            deferred: self.deferred.len(),
            slots: self.slots.len(),
        }
    }

    /// Returns the application.
    pub fn application(&self) -> &P {
        &self.application
    }

    /// Returns the limits for decoders.
    pub fn limits(&self) -> Limits {
        limits::<A, P>(self.group.len(), &self.parameters)
    }

    /// Returns the records that describe the current state, to replace all earlier ones.
    pub fn records(&self) -> Vec<Record<A::Signature>> {
        let stable = self.stable.iter().map(|stable| Record::Stable(stable.clone()));
        let mut records: Vec<_> = stable.chain([Record::View(self.view)]).collect();
        for (slot, state) in &self.slots {
            let slot = *slot;
            records
                .extend(state.accepted.map(|(view, value)| Record::Accepted(Ballot { view, slot, value })));
            records.extend(state.prepared.iter().map(|prepared| Record::Prepared(slot, prepared.clone())));
            records.extend(state.decided.map(|value| Record::Decided(slot, value)));
        }
        records
    }

    fn restore(&mut self, record: Record<A::Signature>) -> Result<()> {
        match record {
            Record::View(view) => self.view = self.view.max(view),
            Record::Accepted(Ballot { view, slot, value }) => {
                self.view = self.view.max(view);
                let state = self.slots.entry(slot).or_default();
                if state.accepted.is_none_or(|(before, _)| before <= view) {
                    state.accepted = Some((view, value));
                }
            }
            Record::Prepared(slot, prepared) => {
                let state = self.slots.entry(slot).or_default();
                if state.prepared.as_ref().is_none_or(|before| before.view <= prepared.view) {
                    state.prepared = Some(prepared);
                }
            }
            Record::Decided(slot, value) => self.slots.entry(slot).or_default().decided = Some(value),
            Record::Stable(stable) if stable.checkpoint.slot > self.low() => {
                self.load_state(&stable)?;
                self.stable = Some(stable);
            }
            Record::Stable(_) => {}
        }
        Ok(())
    }

    fn start(&mut self, now: Time, step: &mut Step<Self>) {
        step.broadcast(Message::Hello);
        step.set_timer(Timer::Retry, self.parameters.retry);
        if !self.active {
            self.report_view_change(now, step);
        }
    }

    /// Last slot of the last stable checkpoint.
    fn low(&self) -> u64 {
        self.stable.as_ref().map_or(0, |stable| stable.checkpoint.slot)
    }

    fn in_window(&self, slot: u64) -> bool {
        let low = self.low();
        slot > low && slot - low <= self.parameters.window
    }

    fn faulty(&self) -> usize {
        faulty(self.group.len())
    }

    /// n − f.
    fn quorum(&self) -> usize {
        quorum(self.group.len())
    }

    fn leader(&self) -> MemberIndex {
        leader(self.view, self.group.len())
    }

    fn is_leader(&self) -> bool {
        self.active && self.leader() == self.me
    }

    fn peer_mut(&mut self, replica: MemberIndex) -> Option<&mut PeerState> {
        self.peers.get_mut(usize::from(replica))
    }

    /// Returns true at most once per half retry interval for each replica and kind of message.
    fn admit(&mut self, now: Time, from: MemberIndex, kind: Limited) -> bool {
        let next = now.plus(self.parameters.retry / 2);
        let Some(at) = self.peer_mut(from).and_then(|peer| peer.next.get_mut(kind as usize)) else {
            return false;
        };
        let admitted = *at <= now;
        if admitted {
            *at = next;
        }
        admitted
    }

    /// Signs a statement; `None` if no key is ready.
    fn sign(&mut self, now: Time, statement: &Statement, step: &mut Step<Self>) -> Option<A::Signature> {
        match self.authentication.sign(&statement.bytes(&self.group.id(), self.me), now) {
            Ok(signature) => Some(signature),
            Err(Error::Exhausted) => None,
            Err(error) => {
                self.fail(error, step);
                None
            }
        }
    }

    /// Reports an internal failure, once.
    fn fail(&mut self, error: Error, step: &mut Step<Self>) {
        if !self.failed {
            self.failed = true;
            step.output(Output::Broken(error));
        }
    }

    fn invalid(&self, from: MemberIndex, what: &'static str, error: Error, step: &mut Step<Self>) {
        step.fault(from, Misbehaviour::Invalid { what, error });
    }

    fn is_forced_slow(&self, now: Time) -> bool {
        self.parameters.path == Path::Slow || now < self.slow_until
    }

    fn on_message(
        &mut self,
        now: Time,
        from: MemberIndex,
        message: Message<A::Signature>,
        step: &mut Step<Self>,
    ) {
        match message {
            Message::Echo(request) => self.on_echo(from, request, step),
            Message::Propose(ballot) => self.on_propose(now, from, ballot, step),
            Message::Accept(ballot) => self.on_accept(from, ballot),
            Message::Prepare(_) | Message::Commit(_) | Message::Checkpoint { .. } => {
                self.on_signed(from, message, step);
            }
            Message::Decided { slot, value } => self.on_decided(from, slot, value),
            Message::Witness { replica, vote } => self.on_witness(from, replica, vote, step),
            Message::State(state) => self.on_state(now, from, state, step),
            Message::ViewChange(change) => self.on_view_change(now, from, change, step),
            Message::NewView(new_view) => self.on_new_view(now, from, new_view, step),
            Message::Status(progress) => self.on_status(now, from, progress, step),
            Message::Announcement(bytes) => self.on_announcement(now, from, bytes, step),
            Message::Hello => self.on_hello(now, from, step),
        }
    }

    /// Does everything that has become possible. Called after every input.
    fn work(&mut self, now: Time, step: &mut Step<Self>) {
        self.try_new_view(now, step);
        self.propose(now, step);
        // A slot that waits for a key stays dirty.
        for slot in std::mem::take(&mut self.dirty) {
            self.advance(now, slot, step);
        }
        self.execute(now, step);
        self.watch(step);
        self.plan(now, step);
    }
}

/// Returns the leader of a view.
pub(crate) fn leader(view: u64, replicas: u16) -> MemberIndex {
    (view % u64::from(replicas.max(1))) as MemberIndex
}

/// Returns the limits for decoders of a group.
pub fn limits<A: Authentication, P: Application>(replicas: u16, parameters: &Parameters) -> Limits {
    Limits {
        replicas,
        clients: parameters.clients,
        window: parameters.window,
        announcement: A::ANNOUNCEMENT,
        state: max_state::<P>(parameters.clients),
        signature: A::SIGNATURE_LEN,
    }
}

impl<A: Authentication, P: Application> Machine for Replica<A, P> {
    type Message = Message<A::Signature>;
    type Command = Command<A>;
    type Timer = Timer;
    type Record = Record<A::Signature>;
    type Output = Output<A>;
    type Fault = Misbehaviour<A::Signature>;

    fn decode(&self, from: MemberIndex, bytes: &[u8]) -> Result<Self::Message> {
        match Message::decode(bytes, &self.limits())? {
            Message::ViewChange(change) if change.replica != from => {
                Err(Error::Malformed { what: "view change of another replica" })
            }
            message => Ok(message),
        }
    }

    fn handle(&mut self, now: Time, input: Input<Self>) -> Step<Self> {
        let mut step = Step::new();
        match input {
            Input::Start => self.start(now, &mut step),
            Input::Message { from, message } => self.on_message(now, from, message, &mut step),
            Input::Timer(Timer::Fast(slot)) => self.begin_slow_path(now, slot),
            Input::Timer(Timer::Suspect) => self.on_suspect(now, &mut step),
            Input::Timer(Timer::Retry) => self.repeat(now, &mut step),
            Input::Timer(Timer::Deferred) => self.verify_one_deferred(&mut step),
            Input::Command(Command::Request(request)) => self.on_request(request, &mut step),
            Input::Command(Command::Done(outcome)) => self.on_work_done(outcome, &mut step),
        }
        self.work(now, &mut step);
        step
    }
}
