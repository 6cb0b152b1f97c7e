use quorate::certificate::{Certificate, TimeoutCertificate};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;

use super::{Replica, ReplicaStep, VIEW_WINDOW};
use crate::ids::BlockDigest;
use crate::interface::{Evidence, Output};
use crate::message::Message;

impl<S: Scheme> Replica<S> {
    /// Whether a certificate is good; each is checked once. What is remembered is the certificate and not only its
    /// statement: a block whose certificate is bad must be refused by all, whatever else they have seen.
    pub(super) fn check_qc(
        &mut self,
        from: MemberIndex,
        qc: &Certificate<S>,
        out: &mut ReplicaStep<S>,
    ) -> bool {
        let view = qc.statement().view;
        if self.verified.get(&view) == Some(qc) || self.pacemaker.high() == Some(qc) {
            return true;
        }
        if let Err(error) = qc.check(&self.committees.voters) {
            out.fault(from, Evidence::Invalid { what: "quorum certificate", error });
            return false;
        }
        self.remember(qc);
        true
    }

    /// Whether a timeout certificate is good.
    pub(super) fn check_tc(
        &mut self,
        from: MemberIndex,
        tc: &TimeoutCertificate<S>,
        out: &mut ReplicaStep<S>,
    ) -> bool {
        if self.verified_tc.as_ref() == Some(tc) || self.pacemaker.tc() == Some(tc) {
            return true;
        }
        if let Err(error) = tc.check(&self.committees.voters) {
            out.fault(from, Evidence::Invalid { what: "timeout certificate", error });
            return false;
        }
        self.verified_tc = Some(tc.clone());
        true
    }

    pub(super) fn remember(&mut self, qc: &Certificate<S>) {
        self.verified.insert(qc.statement().view, qc.clone());
        while self.verified.len() > VIEW_WINDOW {
            self.verified.pop_first();
        }
    }

    /// Everything that follows from a good certificate. `hint` probably has its block.
    pub(super) fn learn_qc(
        &mut self,
        qc: &Certificate<S>,
        hint: Option<MemberIndex>,
        out: &mut ReplicaStep<S>,
    ) {
        let digest = BlockDigest(qc.statement().digest);
        if let Some(node) = self.tree.get_mut(&digest)
            && node.certificate.is_none()
        {
            node.certificate = Some(qc.clone());
        }
        let (is_highest, is_new_view) = self.pacemaker.on_certificate(&self.committees, qc);
        self.try_commit(&digest, out);
        if is_highest {
            let certified = self.pacemaker.certified();
            self.votes.retain(|view, _| *view > certified);
            self.seek(qc, hint);
        }
        if is_new_view {
            self.on_view_entered(false, out);
        }
    }

    /// Everything that follows from a good timeout certificate. One that names a view whose certificate is not known
    /// is ignored: honest members show the certificate with it, and in the view after it no block could be proposed.
    pub(super) fn learn_tc(&mut self, tc: TimeoutCertificate<S>, out: &mut ReplicaStep<S>) {
        if self.begins_view(&tc) && self.pacemaker.on_timeout_certificate(&self.committees, tc) {
            self.on_view_entered(true, out);
        }
    }

    /// Whether a timeout certificate, if it is good, begins a new view in which blocks can be proposed.
    pub(super) fn begins_view(&self, tc: &TimeoutCertificate<S>) -> bool {
        tc.view() >= self.pacemaker.view() && tc.highest_value() <= self.pacemaker.certified()
    }

    /// Looks for the block of the highest certificate, if it is above the committed one and unknown. A search for an
    /// older one is obsolete: maybe it lost and nobody has it any more.
    pub(super) fn seek(&mut self, qc: &Certificate<S>, hint: Option<MemberIndex>) {
        let digest = BlockDigest(qc.statement().digest);
        if self.tree.contains(&digest) || qc.statement().view <= self.tree.root().view {
            self.sync.end_search();
        } else {
            self.sync.search_for(digest, hint, qc.signers());
        }
    }

    pub(super) fn announce_view(&self, timed_out: bool, out: &mut ReplicaStep<S>) {
        out.output(Output::View { view: self.pacemaker.view(), leader: self.leader(), timed_out });
    }

    fn on_view_entered(&mut self, timed_out: bool, out: &mut ReplicaStep<S>) {
        self.candidate = None;
        let view = self.pacemaker.view();
        if self.has_no_records && self.sync.is_greeting() {
            // The chain has begun, and nobody said yet how far: maybe the records were lost, and votes with them.
            self.safety.abstain(view);
        }
        self.tree.prune(&self.high_digest(), view.saturating_sub(1));
        self.votes.retain(|of, _| of.saturating_add(VIEW_WINDOW as u64) >= view);
        self.announce_view(timed_out, out);
    }

    /// Shows a member what it has missed, but not more often than it can use.
    pub(super) fn send_advance(&mut self, peer: MemberIndex, out: &mut ReplicaStep<S>) {
        let pause = self.parameters.retry / 4;
        if self.advance_sent_at.get(&peer).is_some_and(|at| at.plus(pause) > self.now) {
            return;
        }
        self.advance_sent_at.insert(peer, self.now);
        out.send(peer, Message::Advance(Box::new(self.pacemaker.advance())));
    }
}
