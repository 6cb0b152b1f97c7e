//! Byzantine replicas with knowledge of the protocol. Each holds its own key.

use std::sync::Arc;

use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::{Input, MemberIndex, Outgoing};
use quorate_broadcast::authentication::{Authentication, Finished};
use quorate_broadcast::simulation::SimulatedAuthentication;
use quorate_simulator::{Adversary, Control};

use crate::application::Counter;
use crate::{Ballot, Message, Replica, Request, Statement, Value, Vote};

/// Names of the protocol's adversaries.
pub const ADVERSARIES: &[&str] = &[
    "two-faced",
    "inventor",
    "wrong-voter",
    "slow-voter",
    "unannounced",
    "false-reporter",
    "echo-liar",
    "repeater",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// As the leader, proposes another value to every second replica, and signs both.
    TwoFaced,
    /// As the leader, proposes requests that no client sent.
    Inventor,
    /// Votes for other values than it was sent.
    WrongVoter,
    /// Never accepts on the fast path.
    SlowVoter,
    /// Never announces keys, so that all its signatures are slow to verify.
    Unannounced,
    /// Reports in a view change that it accepted nothing, or something else, in the highest view.
    FalseReporter,
    /// Echoes requests that no client sent, and reports decisions that nobody made.
    EchoLiar,
    /// As the leader, proposes every second time the previous request again.
    Repeater,
}

/// The adversary of one of the [`ADVERSARIES`].
pub struct ReplicaAdversary<A: SimulatedAuthentication> {
    kind: Kind,
    group: Arc<Committee<Ed25519>>,
    me: MemberIndex,
    signer: A,
    /// The last proposed value of a `Repeater`.
    proposed: Option<Value>,
}

type MessageFor<A> = Message<<A as Authentication>::Signature>;
type ControlFor<'a, A> = Control<'a, Replica<A, Counter>>;

impl<A: SimulatedAuthentication> ReplicaAdversary<A> {
    /// Creates the adversary of this name; `None` if the name is unknown.
    pub fn new(name: &str, group: Arc<Committee<Ed25519>>, me: MemberIndex) -> Option<Self> {
        let kind = match name {
            "two-faced" => Kind::TwoFaced,
            "inventor" => Kind::Inventor,
            "wrong-voter" => Kind::WrongVoter,
            "slow-voter" => Kind::SlowVoter,
            "unannounced" => Kind::Unannounced,
            "false-reporter" => Kind::FalseReporter,
            "echo-liar" => Kind::EchoLiar,
            "repeater" => Kind::Repeater,
            _ => return None,
        };
        let signer = A::make(group.clone(), me, [1; 32]);
        Some(Self { kind, group, me, signer, proposed: None })
    }

    fn sign(&mut self, statement: &Statement, control: &mut ControlFor<'_, A>) -> Option<A::Signature> {
        while let Ok(Some(job)) = self.signer.plan(control.now()) {
            if let Finished::Made(Some(announcement)) = self.signer.finish(A::run(job)) {
                control.broadcast(&Message::Announcement(announcement));
            }
        }
        self.signer.sign(&statement.bytes(&self.group.id(), self.me), control.now()).ok()
    }

    fn prepare(&mut self, ballot: Ballot, control: &mut ControlFor<'_, A>) -> Option<MessageFor<A>> {
        let signature = self.sign(&Statement::Prepare(ballot), control)?;
        Some(Message::Prepare(Vote { ballot, signature }))
    }

    /// Sends one value to even replicas and another to odd ones. Both get a signed vote, which starts the slow path.
    fn divide(&mut self, ballot: Ballot, is_proposal: bool, control: &mut ControlFor<'_, A>) {
        let other = Ballot { value: other_value(&ballot.value), ..ballot };
        let Some(votes) = [ballot, other]
            .map(|ballot| self.prepare(ballot, control))
            .into_iter()
            .collect::<Option<Vec<_>>>()
        else {
            return;
        };
        for replica in control.members() {
            let face = usize::from(replica % 2);
            let ballot = [ballot, other][face];
            control
                .send(replica, &if is_proposal { Message::Propose(ballot) } else { Message::Accept(ballot) });
            control.send(replica, &votes[face]);
        }
    }
}

/// Returns another value, if possible one that correct replicas accept: an older request of the same client, which changes
/// nothing.
fn other_value(value: &Value) -> Value {
    match value {
        Value::Request(request) if request.sequence > 1 => {
            Value::Request(Request { sequence: request.sequence - 1, ..*request })
        }
        Value::Request(_) => Value::Noop,
        Value::Noop => Value::Request(Request { client: 0, sequence: 1, operation: [9; 8] }),
    }
}

impl<A: SimulatedAuthentication> Adversary<Replica<A, Counter>> for ReplicaAdversary<A> {
    fn on_input(&mut self, input: &Input<Replica<A, Counter>>, control: &mut ControlFor<'_, A>) -> bool {
        if let (Kind::EchoLiar, Input::Message { message: Message::Echo(request), .. }) = (self.kind, input) {
            let invented = Request { sequence: request.sequence + 1, operation: [7; 8], ..*request };
            control.broadcast(&Message::Echo(invented));
            let slot = control.rng().below(60) + 1;
            control.broadcast(&Message::Decided { slot, value: Value::Request(invented) });
        }
        true
    }

    fn on_send(&mut self, outgoing: Outgoing<MessageFor<A>>, control: &mut ControlFor<'_, A>) {
        match (self.kind, &outgoing.message) {
            (Kind::TwoFaced, Message::Propose(ballot)) => self.divide(*ballot, true, control),
            (Kind::TwoFaced, Message::Accept(ballot)) => self.divide(*ballot, false, control),
            (Kind::TwoFaced, Message::Prepare(_)) => {}
            (Kind::Inventor, Message::Propose(ballot)) => {
                let request = Request { client: 1, sequence: 1 << 40, operation: [7; 8] };
                control.broadcast(&Message::Propose(Ballot { value: Value::Request(request), ..*ballot }));
            }
            (Kind::Repeater, Message::Propose(ballot)) => {
                let again = self.proposed.filter(|_| ballot.slot.is_multiple_of(2));
                self.proposed = Some(ballot.value);
                let value = again.unwrap_or(ballot.value);
                control.broadcast(&Message::Propose(Ballot { value, ..*ballot }));
            }
            (Kind::WrongVoter, Message::Accept(ballot)) => {
                control.broadcast(&Message::Accept(Ballot { value: other_value(&ballot.value), ..*ballot }));
            }
            (Kind::WrongVoter, Message::Prepare(vote)) => {
                let other = Ballot { value: other_value(&vote.ballot.value), ..vote.ballot };
                if let Some(prepare) = self.prepare(other, control) {
                    control.broadcast(&prepare);
                }
                if let Some(signature) = self.sign(&Statement::Commit(other), control) {
                    control.broadcast(&Message::Commit(Vote { ballot: other, signature }));
                }
            }
            (Kind::SlowVoter, Message::Accept(_)) | (Kind::Unannounced, Message::Announcement(_)) => {}
            (Kind::FalseReporter, Message::ViewChange(change)) => {
                let mut change = change.clone();
                for report in &mut change.slots {
                    report.prepared = None;
                    report.accepted = report
                        .accepted
                        .map(|(_, value)| (change.view.saturating_sub(1), other_value(&value)));
                }
                if let Some(signature) =
                    self.sign(&Statement::ViewChange { digest: change.digest() }, control)
                {
                    change.signature = signature;
                    control.broadcast(&Message::ViewChange(change));
                }
            }
            _ => control.pass(outgoing),
        }
    }
}
