use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;

use super::{Replica, ReplicaStep};
use crate::message::{Advance, Message, Timeout};
use crate::record::Record;

/// Number of certified batches sent to the other members when a view times out.
const REMINDERS: usize = 8;

impl<S: Scheme> Replica<S> {
    /// Times out a view that took too long, unless the only work was batches with invalid certificates.
    pub(super) fn on_view_timer(&mut self, out: &mut ReplicaStep<S>) {
        while !self.verify_certified(&self.mempool.oldest(REMINDERS), out) {}
        if self.wants_block() {
            self.time_out(out);
        } else {
            self.pacemaker.stop_timer();
        }
    }

    /// Times out the view.
    pub(super) fn time_out(&mut self, out: &mut ReplicaStep<S>) {
        // The other members may not know that there is work.
        for batch in self.mempool.oldest(REMINDERS) {
            out.broadcast(Message::Certified(Box::new(batch)));
        }
        self.resume_timeouts();
        self.send_timeout(out);
    }

    /// Sends this member's timeout of the current view again.
    pub(super) fn repeat_timeout(&mut self, out: &mut ReplicaStep<S>) {
        if let Some(timeout) = self.pacemaker.sent.clone() {
            out.broadcast(Message::Timeout(Box::new(timeout)));
        }
    }

    /// Signs a timeout of the current view and sends it to all members.
    fn send_timeout(&mut self, out: &mut ReplicaStep<S>) {
        let view = self.pacemaker.view();
        // Refused while the member abstains, and by the guard after a restart that lost the view's timeout but not the
        // guard's record of it.
        let certified = self.pacemaker.certified();
        let Ok((vote, record)) = self.safety.sign_timeout(&self.committees, view, certified) else { return };
        let timeout = Timeout {
            vote: vote.clone(),
            high: self.pacemaker.high().cloned(),
            tc: self.pacemaker.tc().cloned(),
            ballot: self.last_vote.clone().filter(|ballot| ballot.statement().view == view),
        };
        self.timeouts += 1;
        out.persist(Record::Timeout(Box::new(timeout.clone())));
        out.persist(Record::VoteGuard(record));
        out.broadcast(Message::Timeout(Box::new(timeout.clone())));
        self.pacemaker.sent = Some(timeout.clone());
        self.count_timeout(timeout, out);
    }

    /// Handles another member's timeout.
    pub(super) fn on_timeout(&mut self, from: MemberIndex, timeout: Timeout<S>, out: &mut ReplicaStep<S>) {
        if timeout.vote.view() < self.pacemaker.view() {
            self.send_advance(from, out);
            return;
        }
        // Certificates that are known already are not verified, so that a repeated timeout costs its receiver little.
        let certified = self.pacemaker.certified();
        if let Some(qc) = timeout.high.as_ref().filter(|qc| qc.statement().view > certified) {
            if !self.check_qc(from, qc, out) {
                return;
            }
            self.learn_qc(qc, Some(from), out);
        }
        if let Some(tc) = timeout.tc.as_ref().filter(|tc| self.begins_view(tc)) {
            if !self.check_tc(from, tc, out) {
                return;
            }
            self.learn_tc(tc.clone(), out);
        }
        if timeout.vote.view() < self.pacemaker.view() {
            self.send_advance(from, out);
            return;
        }
        if timeout.vote.view() > self.pacemaker.view() || timeout.vote.value() > self.pacemaker.certified() {
            return;
        }
        self.count_timeout(timeout, out);
        if self.pacemaker.sent.is_none() && self.pacemaker.collector.has_honest() {
            let (honest, faults) = self.pacemaker.collector.verify_honest(&mut self.suspects);
            self.report_vote_faults(faults, out);
            if honest {
                self.send_timeout(out);
            }
        }
    }

    /// Counts a timeout of the current view, and the vote it carries, which may still certify the view's block.
    pub(super) fn count_timeout(&mut self, timeout: Timeout<S>, out: &mut ReplicaStep<S>) {
        let view = timeout.vote.view();
        if let Some(ballot) = timeout.ballot {
            self.collect_vote(ballot, out);
        }
        if view != self.pacemaker.view() {
            return;
        }
        let collected = self.pacemaker.collector.add(timeout.vote, &mut self.suspects);
        self.report_vote_faults(collected.faults, out);
        if let Some(tc) = collected.certificate {
            let tc = tc.into_inner();
            self.verified_tc = Some(tc.clone());
            self.learn_tc(tc, out);
        }
    }

    /// Handles another member's highest certificates. Returns false if one of them is not valid.
    pub(super) fn on_advance(
        &mut self,
        from: MemberIndex,
        advance: Advance<S>,
        out: &mut ReplicaStep<S>,
    ) -> bool {
        let voters = self.committees.voters.clone();
        self.sync.record_answer(from, |set| voters.weight_of(set) >= voters.honest_weight());
        let Advance { high, tc } = advance;
        if let Some(qc) = &high {
            self.check_certified(from, qc, out);
        }
        if let Some(qc) = high.filter(|qc| qc.statement().view > self.pacemaker.certified()) {
            if !self.check_qc(from, &qc, out) {
                return false;
            }
            self.learn_qc(&qc, Some(from), out);
        }
        if let Some(tc) = tc.filter(|tc| self.begins_view(tc)) {
            if !self.check_tc(from, &tc, out) {
                return false;
            }
            self.learn_tc(tc, out);
        }
        true
    }
}
