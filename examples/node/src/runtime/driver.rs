use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use quorate::machine::{Fault, Input, Machine, MemberIndex, Step, Time, TimerChange};

use super::clock::Clock;
use super::inbox::{End, Inbox, Taken};
use super::ingest::Ingest;
use super::shared::Shared;
use super::step_queue::{StepQueues, Steps};
use crate::links::LinkSender;
use crate::metrics::{ChainMetrics, PeerCodeLabel};
use crate::protocol::{Command, FaultReport, Protocol};

/// A node that is behind for longer than this refuses transactions: they would wait for long.
const SYNCING_AFTER: Duration = Duration::from_secs(2);

/// Faults of one member are written to the log no more often than this; all are counted.
const LOG_EVERY: Duration = Duration::from_secs(1);

/// The thread that owns the machine: it decodes, lets the machine handle, and keeps the timers.
pub(super) struct Driver<P: Protocol> {
    pub(super) machine: P::Machine,
    pub(super) me: Option<MemberIndex>,
    /// How many members there are; behind them come former_members.
    pub(super) members: usize,
    pub(super) clock: Clock,
    pub(super) inbox: Arc<Inbox>,
    pub(super) step_queues: StepQueues<P>,
    pub(super) ingest: Arc<Ingest>,
    pub(super) links: LinkSender,
    pub(super) shared: Arc<Shared>,
    pub(super) metrics: ChainMetrics,
    /// Members' names, for the metrics.
    pub(super) names: Arc<[String]>,
    pub(super) fault_log: FaultLog,
}

/// When a fault of each member was last written to the log, and how many were not written since.
#[derive(Default)]
pub(super) struct FaultLog {
    last: BTreeMap<MemberIndex, (Time, u64)>,
}

struct Timers<M: Machine> {
    due: BTreeMap<M::Timer, Time>,
}

impl<P: Protocol> Driver<P> {
    /// Runs until it is told to end or nobody carries steps out.
    pub(super) fn run(mut self) {
        let mut timers = Timers { due: BTreeMap::new() };
        let mut behind_since = None;
        let mut steps = Steps::default();
        self.handle(Input::Start, &mut timers, &mut steps);
        while self.carry_out(steps) {
            self.publish(&mut behind_since);
            let taken = self.inbox.take(self.patience(&timers));
            match taken.end {
                None => {}
                Some(End::Finish) => {
                    self.finish(taken, &mut timers);
                    break;
                }
                // What waits is not for this machine, or is handed to the next one again.
                Some(End::Turn) => break,
                Some(End::Abort) => return self.step_queues.abort(),
            }
            self.ingest.seal_due(self.clock.now());
            steps = self.handle_all(taken, &mut timers);
        }
        self.step_queues.close();
    }

    fn handle_all(&mut self, taken: Taken, timers: &mut Timers<P::Machine>) -> Steps<P> {
        let mut steps = Steps::default();
        for command in taken.commands {
            match P::command(command) {
                Ok(command) => self.handle(Input::Command(command), timers, &mut steps),
                Err(error) => tracing::error!(%error, "a batch cannot be handed in"),
            }
        }
        for received in taken.frames {
            if self.links.is_shut_out(received.from) {
                continue;
            }
            if usize::from(received.from) >= self.members {
                self.help(received.from, &received.body, &mut steps);
                continue;
            }
            match self.machine.decode(received.from, &received.body) {
                Ok(message) => {
                    let from = received.from;
                    self.handle(Input::Message { from, message }, timers, &mut steps);
                }
                Err(error) if P::is_other_epoch(&error) => {
                    tracing::trace!(from = received.from, "a message of another epoch");
                    self.metrics.other_epochs.inc();
                    if let Ok(command) = P::command(Command::OtherEpoch(received.from)) {
                        self.handle(Input::Command(command), timers, &mut steps);
                    }
                }
                Err(error) => {
                    tracing::debug!(from = received.from, %error, "a message cannot be read");
                    self.links.refuse(received.from, error.code());
                }
            }
        }
        // After the messages: one of them may be what a timer waits for.
        while let Some(timer) = timers.pop_due(self.clock.now()) {
            self.handle(Input::Timer(timer), timers, &mut steps);
        }
        steps
    }

    /// Somebody who was a member once asks.
    fn help(&self, from: MemberIndex, body: &[u8], steps: &mut Steps<P>) {
        // The machine knows members alone; who asks does not matter to what is asked.
        match self.machine.decode(0, body) {
            Ok(message) => {
                if let Some(help) = P::answer_former_member(&self.machine, message) {
                    steps.help(from, help);
                }
            }
            Err(error) if P::is_other_epoch(&error) => {
                self.metrics.other_epochs.inc();
            }
            Err(error) => self.links.refuse(from, error.code()),
        }
    }

    /// Makes what clients were promised durable: the open batch is sealed, and disseminated after a restart.
    fn finish(&mut self, taken: Taken, timers: &mut Timers<P::Machine>) {
        self.ingest.seal_due(Time(u64::MAX));
        let steps = self.handle_all(taken, timers);
        self.carry_out(steps);
        let rest = self.inbox.take(Some(Duration::ZERO));
        let steps = self.handle_all(Taken { frames: Vec::new(), ..rest }, timers);
        self.carry_out(steps);
    }

    fn handle(&mut self, input: Input<P::Machine>, timers: &mut Timers<P::Machine>, into: &mut Steps<P>) {
        let now = self.clock.now();
        let mut step = self.machine.handle(now, input);
        timers.apply(now, &mut step);
        for Fault { culprit, evidence } in step.faults.drain(..) {
            self.charge(culprit, &evidence);
        }
        into.add(step, self.me);
    }

    fn charge(&mut self, culprit: MemberIndex, evidence: &<P::Machine as Machine>::Fault) {
        let FaultReport { code, description, strike } = P::fault_report(evidence);
        let peer = self.names.get(usize::from(culprit)).cloned().unwrap_or_default();
        if let Some(untold) = self.fault_log.admit(culprit, self.clock.now()) {
            tracing::warn!(%peer, code, description, untold, "fault");
        }
        // What it says is up to its sender.
        tracing::trace!(%peer, ?evidence, "evidence");
        self.metrics.faults.get_or_create(&PeerCodeLabel { peer, code }).inc();
        self.links.fault(culprit);
        if strike {
            // To find out that a certificate is wrong costs a thousand times what sending it costs.
            self.links.strike(culprit, code);
        }
    }

    fn carry_out(&self, steps: Steps<P>) -> bool {
        self.step_queues.push(steps)
    }

    /// How long the machine may sleep.
    fn patience(&self, timers: &Timers<P::Machine>) -> Option<Duration> {
        let deadline = [timers.next(), self.ingest.deadline()].into_iter().flatten().min();
        deadline.map(|time| self.clock.until(time))
    }

    fn publish(&self, behind_since: &mut Option<Time>) {
        let status = P::status(&self.machine);
        let now = self.clock.now();
        if !status.catching_up {
            *behind_since = None;
        }
        let since = status.catching_up.then(|| *behind_since.get_or_insert(now));
        self.ingest.set_syncing(since.is_some_and(|since| now.since(since) >= SYNCING_AFTER));
        self.metrics.view.set(status.view as i64);
        self.metrics.height.set(status.committed as i64);
        self.shared.set_machine(status);
    }
}

impl<P: Protocol> Drop for Driver<P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Or the writers would wait for steps for ever.
            self.step_queues.abort();
        }
    }
}

impl FaultLog {
    /// Whether a fault is to be written to the log, and how many before it were not.
    fn admit(&mut self, culprit: MemberIndex, now: Time) -> Option<u64> {
        match self.last.get_mut(&culprit) {
            Some((last, untold)) if now.since(*last) < LOG_EVERY => {
                *untold += 1;
                None
            }
            _ => Some(self.last.insert(culprit, (now, 0)).map_or(0, |(_, untold)| untold)),
        }
    }
}

impl<M: Machine> Timers<M> {
    fn apply(&mut self, now: Time, step: &mut Step<M>) {
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

    fn pop_due(&mut self, now: Time) -> Option<M::Timer> {
        let (timer, _) = self.due.iter().filter(|(_, due)| **due <= now).min_by_key(|(_, due)| **due)?;
        let timer = timer.clone();
        self.due.remove(&timer);
        Some(timer)
    }
}

#[cfg(test)]
mod tests {
    use quorate::bls::MinSig;
    use quorate_jolteon::{Replica, Timer};

    use super::*;

    #[test]
    fn faults_of_one_member_do_not_fill_the_log() {
        let mut log = FaultLog::default();
        let second = LOG_EVERY.as_micros() as u64;
        assert_eq!(log.admit(1, Time(5)), Some(0));
        assert_eq!((6..100).find_map(|t| log.admit(1, Time(t))), None);
        assert_eq!(log.admit(2, Time(100)), Some(0), "another's are told");
        assert_eq!(log.admit(1, Time(5 + second)), Some(94));
        assert_eq!(log.admit(1, Time(5 + 2 * second)), Some(0));
    }

    #[test]
    fn timers_fire_once_in_order_and_can_be_moved_and_cancelled() {
        let mut timers = Timers::<Replica<MinSig>> { due: BTreeMap::new() };
        let mut step = Step::new();
        step.set_timer(Timer::View, Duration::from_micros(30));
        step.set_timer(Timer::Propose, Duration::from_micros(10));
        step.set_timer(Timer::Retry, Duration::from_micros(20));
        step.set_timer(Timer::Propose, Duration::from_micros(25));
        timers.apply(Time(100), &mut step);
        assert_eq!(timers.next(), Some(Time(120)));
        assert_eq!(timers.pop_due(Time(119)), None);
        assert_eq!(timers.pop_due(Time(200)), Some(Timer::Retry));
        assert_eq!(timers.pop_due(Time(200)), Some(Timer::Propose));
        step.cancel_timer(Timer::View);
        timers.apply(Time(200), &mut step);
        assert_eq!(timers.pop_due(Time(u64::MAX)), None);
        assert_eq!(timers.next(), None);
    }
}
