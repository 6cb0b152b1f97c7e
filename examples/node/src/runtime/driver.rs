use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quorate::machine::{Fault, Input, Machine, MemberIndex, Time};

use super::clock::Clock;
use super::inbox::{End, Inbox, Inputs};
use super::ingest::Ingest;
use super::shared::Shared;
use super::step_queue::{StepQueues, Steps};
use super::time_shares::TimeShares;
use super::timers::Timers;
use crate::evidence::EvidenceSender;
use crate::links::{LinkSender, Received};
use crate::metrics::{ChainMetrics, PeerCodeLabel};
use crate::protocol::{Abstention, Command, FaultReport, Protocol};

/// Time after which a node that is behind refuses transactions, because they would wait long.
const SYNCING_AFTER: Duration = Duration::from_secs(2);

/// Minimum interval between logged faults of one member. All faults are counted.
const LOG_EVERY: Duration = Duration::from_secs(1);

/// Number of epochs with presignatures from which on the node warns.
const FEW_EPOCHS: u64 = 16;

/// Thread that owns the replica: decodes messages, passes inputs to the replica, and runs its timers.
pub(super) struct Driver<P: Protocol> {
    pub(super) machine: P::Machine,
    pub(super) me: Option<MemberIndex>,
    /// Number of members. Higher indices belong to former members.
    pub(super) members: usize,
    pub(super) clock: Clock,
    pub(super) inbox: Arc<Inbox>,
    pub(super) step_queues: StepQueues<P>,
    pub(super) ingest: Arc<Ingest>,
    pub(super) links: LinkSender,
    pub(super) shared: Arc<Shared>,
    pub(super) metrics: ChainMetrics,
    /// Names of members and former members, for metrics and log.
    pub(super) names: Arc<[String]>,
    pub(super) evidence: EvidenceSender,
    pub(super) fault_log: FaultLog,
    /// Other faults must not delay the alarm about an equivocation of this node's own key.
    pub(super) own_equivocation_log: FaultLog,
}

/// For each member, the time of its last logged fault and the number of faults since.
#[derive(Default)]
pub(super) struct FaultLog {
    last: BTreeMap<MemberIndex, (Time, u64)>,
}

impl<P: Protocol> Driver<P> {
    /// Runs until its end is requested or the writers have stopped.
    pub(super) fn run(mut self) {
        let mut timers = Timers::default();
        let (mut behind_since, mut abstention, mut presigned) = (None, None, None);
        self.metrics.abstaining.set(0);
        let mut steps = Steps::default();
        let mut shares = TimeShares::new(self.members);
        self.handle(Input::Start, &mut timers, &mut steps);
        while self.step_queues.push(steps) {
            self.publish(&mut behind_since);
            self.report_abstention(&mut abstention);
            self.report_presignatures(&mut presigned);
            let held = self.held(&mut shares);
            let inputs = self.inbox.take(self.sleep_limit(&timers), &held);
            match inputs.end {
                None => {}
                Some(End::Shutdown) => {
                    self.finish(inputs, &mut timers, &mut shares);
                    break;
                }
                // Pending inputs belong to the ended epoch; own batches are submitted to the next replica again.
                Some(End::Epoch) => break,
                Some(End::Abort) => return self.step_queues.abort(),
            }
            self.ingest.seal_due(self.clock.now());
            steps = self.handle_all(inputs, &mut timers, &mut shares);
        }
        self.step_queues.close();
    }

    /// Returns the members whose frames come after those of others, because they took much more of this thread's time. There are
    /// none while this node catches up: few members may have what it lacks.
    fn held(&self, shares: &mut TimeShares) -> Vec<MemberIndex> {
        if P::status(&self.machine).catching_up { Vec::new() } else { shares.held(self.clock.now()) }
    }

    fn handle_all(
        &mut self,
        inputs: Inputs,
        timers: &mut Timers<P::Machine>,
        shares: &mut TimeShares,
    ) -> Steps<P> {
        let mut steps = Steps::default();
        for command in inputs.commands {
            match P::command(command) {
                Ok(command) => self.handle(Input::Command(command), timers, &mut steps),
                Err(error) => {
                    tracing::error!(code = "BATCH_REFUSED", %error, "the replica cannot accept a batch");
                }
            }
        }
        for received in inputs.frames {
            if self.links.is_expelled(received.from) {
                continue;
            }
            let begin = Instant::now();
            self.handle_frame(&received, timers, &mut steps);
            shares.charge(received.from, self.clock.now(), begin.elapsed());
        }
        // After the messages: a message may make a timer unnecessary.
        while let Some(timer) = timers.pop_due(self.clock.now()) {
            self.handle(Input::Timer(timer), timers, &mut steps);
        }
        steps
    }

    /// Decodes a frame and passes its message to the replica.
    fn handle_frame(&mut self, received: &Received, timers: &mut Timers<P::Machine>, steps: &mut Steps<P>) {
        let from = received.from;
        if usize::from(from) >= self.members {
            return self.answer_former_member(from, &received.body, steps);
        }
        match self.machine.decode(from, &received.body) {
            Ok(message) => self.handle(Input::Message { from, message }, timers, steps),
            Err(error) if P::is_other_epoch(&error) => {
                tracing::trace!(from, "message of another epoch");
                self.metrics.other_epochs.inc();
                if let Ok(command) = P::command(Command::OtherEpoch(from)) {
                    self.handle(Input::Command(command), timers, steps);
                }
            }
            Err(error) => {
                tracing::debug!(from, %error, "malformed message");
                self.links.refuse(from, error.code());
            }
        }
    }

    /// Answers a message of a former member.
    fn answer_former_member(&self, from: MemberIndex, body: &[u8], steps: &mut Steps<P>) {
        // The replica decodes messages of members only. The sender does not affect the decoding of these messages.
        match self.machine.decode(0, body) {
            Ok(message) => {
                if let Some(reply) = P::answer_former_member(&self.machine, message) {
                    steps.reply(from, reply);
                }
            }
            Err(error) if P::is_other_epoch(&error) => {
                self.metrics.other_epochs.inc();
            }
            Err(error) => self.links.refuse(from, error.code()),
        }
    }

    /// Seals the open batch and makes it durable, so that accepted transactions are ordered after a restart.
    fn finish(&mut self, inputs: Inputs, timers: &mut Timers<P::Machine>, shares: &mut TimeShares) {
        self.ingest.seal_due(Time(u64::MAX));
        let steps = self.handle_all(inputs, timers, shares);
        self.step_queues.push(steps);
        let rest = self.inbox.take(Some(Duration::ZERO), &[]);
        let steps = self.handle_all(Inputs { frames: Vec::new(), ..rest }, timers, shares);
        self.step_queues.push(steps);
    }

    fn handle(&mut self, input: Input<P::Machine>, timers: &mut Timers<P::Machine>, into: &mut Steps<P>) {
        let now = self.clock.now();
        let mut step = self.machine.handle(now, input);
        timers.apply(now, &mut step);
        for Fault { culprit, evidence } in step.faults.drain(..) {
            self.report_fault(culprit, &evidence);
        }
        into.add(step, self.me);
    }

    fn report_fault(&mut self, culprit: MemberIndex, evidence: &<P::Machine as Machine>::Fault) {
        let FaultReport { code, description, strike } = P::fault_report(evidence);
        let peer = self.names.get(usize::from(culprit)).cloned().unwrap_or_default();
        let signed_twice = P::evidence(evidence);
        if let Some(unlogged) = self.fault_log.admit(culprit, self.clock.now()) {
            tracing::warn!(code = "FAULT", %peer, fault = code, description, unlogged, "fault");
        }
        if signed_twice.is_some()
            && self.me == Some(culprit)
            && self.own_equivocation_log.admit(culprit, self.clock.now()).is_some()
        {
            tracing::error!(
                code = "OWN_EQUIVOCATION",
                "this validator's key signed two contradicting statements: stop it, and find the other copy of the key"
            );
        }
        if let Some(signed_twice) = signed_twice {
            self.evidence.send(signed_twice, &peer);
        }
        // The sender controls the content, so it is logged only on request.
        tracing::trace!(%peer, ?evidence, "evidence");
        self.metrics.faults.get_or_create(&PeerCodeLabel { peer, code }).inc();
        self.links.fault(culprit);
        if strike {
            // Verifying a certificate costs a thousand times as much as sending one.
            self.links.strike(culprit, code);
        }
    }

    /// Maximum time that the thread may sleep.
    fn sleep_limit(&self, timers: &Timers<P::Machine>) -> Option<Duration> {
        let deadline = [timers.next(), self.ingest.deadline()].into_iter().flatten().min();
        deadline.map(|time| self.clock.until(time))
    }

    fn report_abstention(&self, reported: &mut Option<Abstention>) {
        let abstention = P::status(&self.machine).abstention;
        if abstention != *reported {
            *reported = abstention;
            self.metrics.abstaining.set(abstention.is_some().into());
            log_abstention(abstention);
        }
    }

    /// Publishes how many epochs can be signed with presignatures, and warns when few are left.
    fn report_presignatures(&self, reported: &mut Option<u64>) {
        let left = P::status(&self.machine).presigned_epochs;
        if left == *reported {
            return;
        }
        self.metrics.presigned_epochs.set(left.map_or(-1, |left| left as i64));
        match (std::mem::replace(reported, left), left) {
            (before, Some(0)) if before != Some(0) => tracing::warn!(
                code = "NO_PRESIGNATURES",
                "no presignatures are left: this validator signs without them; ask the dealer for new ones"
            ),
            (before, Some(left)) if left <= FEW_EPOCHS && before.is_none_or(|before| before > FEW_EPOCHS) => {
                tracing::warn!(
                    code = "FEW_PRESIGNATURES",
                    epochs = left,
                    "presignatures are left for a few epochs only; ask the dealer for new ones"
                );
            }
            _ => {}
        }
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

/// Logs the begin, the extent and the end of an abstention.
fn log_abstention(abstention: Option<Abstention>) {
    match abstention {
        None => tracing::info!(code = "VOTING", "the abstention has ended: this validator votes again"),
        Some(Abstention { until, is_stale: true }) => tracing::error!(
            code = "ROLLED_BACK",
            until_view = until,
            "abstaining: the counter of signatures is ahead of the data, which is an old copy; find out how it came here"
        ),
        Some(Abstention { until: None, is_stale: false }) => tracing::info!(
            code = "ABSTAINING",
            "abstaining until a quorum has answered: after a start, the data may be older than the last signature"
        ),
        Some(Abstention { until: Some(view), is_stale: false }) => {
            tracing::info!(
                code = "ABSTAINING",
                until_view = view,
                "abstaining in the views in which this validator may have signed"
            );
        }
    }
}

impl<P: Protocol> Drop for Driver<P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Otherwise the writers would wait for steps forever.
            self.step_queues.abort();
        }
    }
}

impl FaultLog {
    /// Returns `Some` if a fault is to be logged, with the number of faults that were not.
    fn admit(&mut self, culprit: MemberIndex, now: Time) -> Option<u64> {
        match self.last.get_mut(&culprit) {
            Some((last, unlogged)) if now.since(*last) < LOG_EVERY => {
                *unlogged += 1;
                None
            }
            _ => Some(self.last.insert(culprit, (now, 0)).map_or(0, |(_, unlogged)| unlogged)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_one_member_do_not_flood_the_log() {
        let mut log = FaultLog::default();
        let second = LOG_EVERY.as_micros() as u64;
        assert_eq!(log.admit(1, Time(5)), Some(0));
        assert_eq!((6..100).find_map(|t| log.admit(1, Time(t))), None);
        assert_eq!(log.admit(2, Time(100)), Some(0), "another member's faults are logged");
        assert_eq!(log.admit(1, Time(5 + second)), Some(94));
        assert_eq!(log.admit(1, Time(5 + 2 * second)), Some(0));
    }
}
