//! One epoch of all members in one process: a thread for each member, and a channel to it.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use quorate::machine::{Input, Machine, MemberIndex, Outgoing, Recipient, Step, Time};
use quorate::wire::Encode;
use quorate_abft::epoch::{Epoch, Ordered, Output};
use quorate_abft::signatures::ThresholdScheme;

use super::committee::Committee;

/// An encoded message and its sender. `None` ends the receiver's thread.
type Envelope = Option<(MemberIndex, Arc<[u8]>)>;

/// Runs an epoch, and returns the time from the proposals to the last member's decision, and the number of decided
/// transactions.
pub(super) fn run<S: ThresholdScheme>(
    committee: &Committee<S>,
    epoch: u64,
) -> Result<(Duration, usize), String> {
    let members = committee.plan.members;
    let (senders, receivers): (Vec<Sender<Envelope>>, Vec<_>) = (0..members).map(|_| channel()).unzip();
    let (decisions, decided) = channel();
    let start = Barrier::new(usize::from(members) + 1);
    thread::scope(|scope| {
        for (me, inbox) in (0..).zip(receivers) {
            let member = Member { me, committee, senders: senders.clone(), decisions: decisions.clone() };
            let start = &start;
            scope.spawn(move || member.run(epoch, start, &inbox));
        }
        start.wait();
        let began = Instant::now();
        let mut first: Option<Vec<Ordered>> = None;
        let mut result = Ok((Duration::ZERO, 0));
        for _ in 0..members {
            let ordered = match decided.recv() {
                Ok(Ok(ordered)) => ordered,
                Ok(Err(error)) => {
                    result = Err(error);
                    break;
                }
                Err(_) => {
                    result = Err("a member ended without a decision".to_owned());
                    break;
                }
            };
            result = Ok((began.elapsed(), ordered.len()));
            if first.as_ref().is_some_and(|first| *first != ordered) {
                result = Err("two members decided different transactions".to_owned());
                break;
            }
            first.get_or_insert(ordered);
        }
        // A member whose thread has ended needs no message.
        senders.iter().for_each(|sender| drop(sender.send(None)));
        result
    })
}

/// A member and what it sends to.
struct Member<'a, S: ThresholdScheme> {
    me: MemberIndex,
    committee: &'a Committee<S>,
    senders: Vec<Sender<Envelope>>,
    decisions: Sender<Result<Vec<Ordered>, String>>,
}

impl<S: ThresholdScheme> Member<'_, S> {
    fn run(self, epoch: u64, start: &Barrier, inbox: &Receiver<Envelope>) {
        let machine = self.committee.machine(self.me, epoch);
        let proposal = self.committee.proposal(self.me, epoch);
        start.wait();
        let mut machine = match machine {
            Ok(machine) => machine,
            Err(error) => return drop(self.decisions.send(Err(error.to_string()))),
        };
        self.carry_out(machine.handle(Time(0), Input::Start));
        self.carry_out(machine.handle(Time(0), Input::Command(proposal)));
        while let Ok(Some((from, bytes))) = inbox.recv() {
            match machine.decode(from, &bytes) {
                Ok(message) => self.carry_out(machine.handle(Time(0), Input::Message { from, message })),
                Err(error) => drop(self.decisions.send(Err(error.to_string()))),
            }
        }
    }

    /// Sends the messages of a step. A receiver that has ended needs none.
    fn carry_out(&self, step: Step<Epoch<S>>) {
        for Outgoing { to, message } in step.messages {
            let bytes: Arc<[u8]> = message.encode().into();
            for (receiver, sender) in (0..).zip(&self.senders) {
                let receives = match to {
                    Recipient::One(one) => receiver == one,
                    Recipient::Others => receiver != self.me,
                };
                if receives {
                    let _ = sender.send(Some((self.me, bytes.clone())));
                }
            }
        }
        for output in step.outputs {
            let result = match output {
                Output::Decided(ordered) => Ok(ordered),
                Output::Refused(error) | Output::Broken(error) => Err(error.to_string()),
            };
            let _ = self.decisions.send(result);
        }
    }
}
