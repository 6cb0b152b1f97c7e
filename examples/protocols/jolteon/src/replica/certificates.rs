use quorate::certificate::{Certificate, TimeoutCertificate};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;

use super::{Replica, ReplicaStep, VIEW_WINDOW};
use crate::ids::BlockDigest;
use crate::interface::{Evidence, Output};
use crate::message::Message;

impl<S: Scheme> Replica<S> {
    /// Verifies a quorum certificate, each one once. The cache compares whole certificates, not statements: a block
    /// with an invalid certificate must be refused by all members, independently of earlier messages.
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

    /// Verifies a timeout certificate.
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

    /// Applies a verified certificate. `hint` most likely has its block.
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
        let (is_highest, is_new_view) = self.pacemaker.on_certificate(&self.committees, qc, self.now);
        self.try_commit(&digest, out);
        if is_highest {
            let certified = self.pacemaker.certified();
            self.votes.retain(|view, _| *view > certified);
            self.search_for_highest(qc, hint);
        }
        if is_new_view {
            self.on_view_entered(false, out);
        }
    }

    /// Applies a verified timeout certificate. A certificate whose highest value is above the highest known
    /// certificate is ignored: honest members send that certificate with it, and no block could be proposed in the
    /// view after it.
    pub(super) fn learn_tc(&mut self, tc: TimeoutCertificate<S>, out: &mut ReplicaStep<S>) {
        if self.begins_view(&tc) && self.pacemaker.on_timeout_certificate(&self.committees, tc) {
            self.on_view_entered(true, out);
        }
    }

    /// Returns `true` if the timeout certificate, if valid, begins a new view in which blocks can be proposed.
    pub(super) fn begins_view(&self, tc: &TimeoutCertificate<S>) -> bool {
        tc.view() >= self.pacemaker.view() && tc.highest_value() <= self.pacemaker.certified()
    }

    /// Searches for the block of the highest certificate, if it is unknown and above the committed one. A search for
    /// an older block ends: that block may have lost, and no member may have it any more.
    pub(super) fn search_for_highest(&mut self, qc: &Certificate<S>, hint: Option<MemberIndex>) {
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
        self.end_abstention();
        self.tree.prune(&self.high_digest(), view.saturating_sub(1));
        self.votes.retain(|of, _| of.saturating_add(VIEW_WINDOW as u64) >= view);
        self.announce_view(timed_out, out);
    }

    /// Sends a member the highest certificates, at most once per quarter of the retry interval.
    pub(super) fn send_advance(&mut self, peer: MemberIndex, out: &mut ReplicaStep<S>) {
        let pause = self.parameters.retry / 4;
        if self.advance_sent_at.get(&peer).is_some_and(|at| at.plus(pause) > self.now) {
            return;
        }
        self.advance_sent_at.insert(peer, self.now);
        out.send(peer, Message::Advance(Box::new(self.pacemaker.advance())));
    }
}
