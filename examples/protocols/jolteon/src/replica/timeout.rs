use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;

use super::{Replica, ReplicaStep};
use crate::message::{Advance, Message, Timeout};
use crate::record::Record;

/// How many certified batches are shown to the others when a view times out.
const REMINDERS: usize = 8;
/// How often a member without memory lets a view that it abstains from time out before it takes part.
const MAX_ABSTENTIONS: u32 = 3;

impl<S: Scheme> Replica<S> {
    /// The view took too long.
    pub(super) fn on_view_timer(&mut self, out: &mut ReplicaStep<S>) {
        if !self.has_work() {
            return;
        }
        match self.pacemaker.sent.clone() {
            Some(timeout) => out.broadcast(Message::Timeout(Box::new(timeout))),
            None => {
                // Maybe only this member knows that there is work.
                for batch in self.mempool.oldest(REMINDERS) {
                    out.broadcast(Message::Certified(Box::new(batch.clone())));
                }
                self.give_up(out);
            }
        }
    }

    /// Gives the view up and tells everybody.
    fn give_up(&mut self, out: &mut ReplicaStep<S>) {
        let view = self.pacemaker.view();
        if self.safety.abstains(view) {
            self.abstained += 1;
            if self.abstained < MAX_ABSTENTIONS {
                return;
            }
            // The others cannot go on without this member. More likely they have just begun than that it forgot.
            self.safety.end_abstention();
            self.has_no_records = false;
        }
        // A refusal is possible after a restart that lost the view's timeout but not the guard's record of it.
        let certified = self.pacemaker.certified();
        let Ok((vote, record)) = self.safety.give_up(&self.committees, view, certified) else { return };
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

    /// Somebody gives a view up.
    pub(super) fn on_timeout(&mut self, from: MemberIndex, timeout: Timeout<S>, out: &mut ReplicaStep<S>) {
        if timeout.vote.view() < self.pacemaker.view() {
            self.send_advance(from, out);
            return;
        }
        // What brings nothing new is not checked: a timeout said again costs its receiver next to nothing.
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
                self.give_up(out);
            }
        }
    }

    /// Counts a timeout of this view, and the vote that comes with it: that may certify the view's block after
    /// all.
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

    /// Somebody shows its highest certificates.
    pub(super) fn on_advance(&mut self, from: MemberIndex, advance: Advance<S>, out: &mut ReplicaStep<S>) {
        let voters = self.committees.voters.clone();
        let greeting = self.sync.is_greeting();
        self.sync.answered(from, |set| voters.weight_of(set) >= voters.honest_weight());
        let Advance { high, tc } = advance;
        if let Some(qc) = high.filter(|qc| qc.statement().view > self.pacemaker.certified())
            && self.check_qc(from, &qc, out)
        {
            self.learn_qc(&qc, Some(from), out);
        }
        if let Some(tc) = tc.filter(|tc| self.begins_view(tc))
            && self.check_tc(from, &tc, out)
        {
            self.learn_tc(tc, out);
        }
        if self.has_no_records && greeting && self.pacemaker.view() > 1 {
            // No records, and yet the chain has begun: maybe they were lost, and votes with them.
            self.safety.abstain(self.pacemaker.view());
        }
    }
}
