//! Thread that owns the machine: it decodes messages, runs the machine, persists its records, then sends.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use quorate::machine::{Fault, Input, Machine, MemberIndex, Outgoing, Recipient, Step, Time, TimerChange};
use quorate::wire::Encode;
use quorate_broadcast::{Broadcaster, Equivocation, Message, Misbehaviour, Output, Status, Timer, Work};
use quorate_node::NodeError;
use quorate_node::links::{Lane, LinkSender};

use crate::event::Event;
use crate::evidence::Evidence;
use crate::inbox::{Inbox, Taken};
use crate::signer::Make;
use crate::store::Store;

/// Maximum delay of a due timer while messages wait.
const OVERDUE: Duration = Duration::from_millis(20);
/// Minimum interval between log entries about unprovable faults of one member.
const LOG_EVERY: Duration = Duration::from_secs(1);

pub(crate) struct Driver<A: Make> {
    pub(crate) machine: Broadcaster<A>,
    pub(crate) inbox: Arc<Inbox<A>>,
    /// `None` for measurements without a disk.
    pub(crate) store: Option<Store>,
    pub(crate) evidence: Option<Evidence>,
    pub(crate) links: LinkSender,
    pub(crate) background: Sender<Work<A>>,
    pub(crate) status: Arc<Mutex<Status>>,
    pub(crate) tell: Box<dyn FnMut(Event) + Send>,
    pub(crate) timers: Timers,
    pub(crate) logged: BTreeMap<MemberIndex, Time>,
}

/// Timers by their time.
#[derive(Default)]
pub(crate) struct Timers {
    due: BTreeMap<Timer, Time>,
}

/// Microseconds since 1970. Set from the system clock at the start and monotonic from then on.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    origin: Instant,
    base: u64,
}

impl<A: Make> Driver<A> {
    /// Runs until the inbox ends or an error occurs. After an error nothing is sent.
    pub(crate) fn run(mut self) {
        if let Err(error) = self.go() {
            (self.tell)(Event::Failed(error));
        }
    }

    fn go(&mut self) -> Result<(), NodeError> {
        let clock = Clock::start();
        let step = self.handle(clock.now(), Input::Start);
        self.carry_out(clock.now(), step)?;
        loop {
            let timeout = self.timers.next().map(|due| due.since(clock.now()));
            let mut taken = self.inbox.take(timeout);
            if taken.end {
                return Ok(());
            }
            if let Some(address) = taken.twin.take() {
                // Neither process knows the attestations of the other.
                return Err(NodeError::SameIdentity { address });
            }
            let step = self.handle_all(clock, taken);
            self.carry_out(clock.now(), step)?;
            *self.status.lock().unwrap_or_else(PoisonError::into_inner) = self.machine.status();
        }
    }

    fn handle_all(&mut self, clock: Clock, taken: Taken<A>) -> Step<Broadcaster<A>> {
        let mut steps = Step::new();
        for received in taken.frames {
            let from = received.from;
            if self.links.is_expelled(from) {
                continue;
            }
            match self.machine.decode(from, &received.body) {
                Ok(message) => steps.append(self.handle(clock.now(), Input::Message { from, message })),
                Err(error) => {
                    tracing::debug!(from, %error, "cannot decode a message");
                    self.links.refuse(from, error.code());
                }
            }
        }
        for command in taken.commands {
            steps.append(self.handle(clock.now(), Input::Command(command)));
        }
        let now = clock.now();
        // Slow signatures wait until no message does, up to a limit.
        for timer in self.timers.take_due(now, taken.all) {
            steps.append(self.handle(now, Input::Timer(timer)));
        }
        steps
    }

    fn handle(&mut self, now: Time, input: Input<Broadcaster<A>>) -> Step<Broadcaster<A>> {
        let mut step = self.machine.handle(now, input);
        self.timers.apply(now, &mut step);
        step
    }

    /// Executes a step: records first, then messages, then outputs and faults.
    fn carry_out(&mut self, now: Time, step: Step<Broadcaster<A>>) -> Result<(), NodeError> {
        if let (Some(store), false) = (&mut self.store, step.persist.is_empty()) {
            store.append(&step.persist)?;
        }
        for Outgoing { to, message } in step.messages {
            let lane = lane(&message);
            let bytes = Bytes::from(message.encode());
            match to {
                Recipient::One(member) => self.links.send(member, lane, bytes),
                Recipient::Others => self.links.broadcast(lane, &bytes),
            }
        }
        for output in step.outputs {
            match output {
                Output::Deliver(delivery) => (self.tell)(Event::Delivered(delivery)),
                Output::Refused { refusal, .. } => (self.tell)(Event::Refused(refusal)),
                // The background thread ends after this one.
                Output::Work(work) => drop(self.background.send(work)),
                Output::Broken(error) => return Err(error.into()),
            }
        }
        step.faults.into_iter().for_each(|fault| self.charge(now, fault));
        Ok(())
    }

    fn charge(&mut self, now: Time, fault: Fault<Misbehaviour<A::Signature>>) {
        let Fault { culprit, evidence: misbehaviour } = fault;
        let code = misbehaviour.code();
        self.links.fault(culprit);
        let evidence = match misbehaviour {
            Misbehaviour::Equivocation(evidence) => self.store(&evidence),
            Misbehaviour::Invalid { what, error } => {
                // Verifying an invalid signature costs more than sending it.
                self.links.strike(culprit, code);
                let last = self.logged.get(&culprit);
                if last.is_none_or(|last| now.since(*last) >= LOG_EVERY) {
                    self.logged.insert(culprit, now);
                    tracing::warn!(culprit, code, what, %error, "fault");
                }
                None
            }
        };
        (self.tell)(Event::Fault { culprit, code, evidence });
    }

    /// Persists evidence before reporting it, because the machine finds it only once. A failing disk does not end the
    /// member, since its messages do not depend on evidence.
    fn store(&mut self, evidence: &Equivocation<A::Signature>) -> Option<Result<PathBuf, NodeError>> {
        let culprit = evidence.culprit;
        let Some(place) = &self.evidence else {
            tracing::warn!(culprit, ?evidence, "a member attested two messages in one slot");
            return None;
        };
        let kept = place.store(evidence);
        match &kept {
            Ok(path) => {
                tracing::warn!(culprit, path = %path.display(), "a member attested two messages in one slot");
            }
            // The log is the only copy of the evidence.
            Err(error) => tracing::error!(
                culprit,
                %error,
                evidence = hex::encode(evidence.encode()),
                "a member attested two messages in one slot, and the evidence could not be written"
            ),
        }
        Some(kept)
    }
}

/// Announcements use the bulk lane, so that they do not delay urgent messages.
fn lane<S>(message: &Message<S>) -> Lane {
    match message {
        Message::Announcement(_) => Lane::Bulk,
        _ => Lane::Urgent,
    }
}

impl Timers {
    fn apply<M: Machine<Timer = Timer>>(&mut self, now: Time, step: &mut Step<M>) {
        for change in step.timers.drain(..) {
            match change {
                TimerChange::Set { timer, after } => self.due.insert(timer, now.plus(after)),
                TimerChange::Cancel { timer } => self.due.remove(&timer),
            };
        }
    }

    fn next(&self) -> Option<Time> {
        self.due.values().min().copied()
    }

    /// Removes and returns the due timers, each once; a timer set again meanwhile waits for its next turn. Unless
    /// `quiet`, only timers overdue by `OVERDUE` are returned.
    fn take_due(&mut self, now: Time, quiet: bool) -> Vec<Timer> {
        let delay = if quiet { Duration::ZERO } else { OVERDUE };
        let due: Vec<Timer> =
            self.due.iter().filter(|(_, at)| at.plus(delay) <= now).map(|(timer, _)| *timer).collect();
        self.due.retain(|timer, _| !due.contains(timer));
        due
    }
}

impl Clock {
    pub(crate) fn start() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { origin: Instant::now(), base: u64::try_from(since.as_micros()).unwrap_or(0) }
    }

    pub(crate) fn now(&self) -> Time {
        Time(self.base).plus(self.origin.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quorate_broadcast::authentication::Links;

    #[test]
    fn due_timers_wait_for_messages_up_to_a_limit() {
        let mut timers = Timers::default();
        let mut step = Step::<Broadcaster<Links>>::new();
        step.set_timer(Timer::Slow, Duration::ZERO);
        step.set_timer(Timer::Retry, Duration::from_millis(5));
        timers.apply(Time(1_000), &mut step);
        assert_eq!(timers.next(), Some(Time(1_000)));
        assert!(timers.take_due(Time(2_000), false).is_empty());
        assert_eq!(timers.take_due(Time(2_000), true), [Timer::Slow]);
        assert!(timers.take_due(Time(2_000), true).is_empty(), "once");
        assert!(timers.take_due(Time(7_000), false).is_empty());
        assert_eq!(timers.take_due(Time(26_000), false), [Timer::Retry]);
        assert_eq!(timers.next(), None);
    }
}
