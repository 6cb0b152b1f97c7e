//! Abstention after a start with records that may be those of an earlier time (spec/jolteon.md, "Rollback").

use quorate::machine::{MemberIndex, Time};
use quorate::scheme::Scheme;
use quorate_protocol::status_poll::StatusPoll;

use super::phase::Participation;
use super::{Replica, ReplicaStep};
use crate::interface::SigningHistory;
use crate::message::{Advance, Message};

/// Charge of a response, in bytes: two certificates.
const REPLY_CHARGE: usize = 4096;

impl<S: Scheme> Replica<S> {
    /// Returns whether the replica must ask the other members before it signs anything.
    pub(super) fn initial_participation(&self, history: SigningHistory) -> Participation {
        let is_stale = self.safety.is_stale();
        let asks = history == SigningHistory::Unconfirmed || is_stale;
        // A member that is a quorum alone need not ask: no other member could know of a later view.
        let voters = &self.committees.voters;
        if !asks || voters.weight(self.me).is_some_and(|own| own >= voters.quorum_weight()) {
            return Participation::Full;
        }
        let poll = StatusPoll::urgent(self.committees.voters.len());
        Participation::Asking { nonce: 0, poll, is_stale }
    }

    /// Begins the abstention of a member that must ask. `request_views` sends the request.
    pub(super) fn start_asking(&mut self) {
        if let Participation::Asking { nonce, .. } = &mut self.participation {
            // Differs from that of any earlier start, because time has passed.
            *nonce = self.now.0;
            self.safety.abstain(u64::MAX);
            // The responses contain everything that those to Hello do.
            self.sync.close_poll();
        }
    }

    /// Asks the other members for their highest certificates, again and again until a quorum has answered.
    pub(super) fn request_views(&mut self, out: &mut ReplicaStep<S>) {
        if let Participation::Asking { nonce, poll, .. } = &mut self.participation
            && poll.start_attempt(self.now, self.parameters.retry)
        {
            out.broadcast(Message::ViewRequest { nonce: *nonce });
        }
    }

    /// Returns the time of the next request.
    pub(super) fn view_request_due(&self) -> Option<Time> {
        match &self.participation {
            Participation::Asking { poll, .. } => poll.due(),
            _ => None,
        }
    }

    /// Asks one member, to which a link was established.
    pub(super) fn request_view_of(&self, peer: MemberIndex, out: &mut ReplicaStep<S>) {
        if let Participation::Asking { nonce, .. } = &self.participation {
            out.send(peer, Message::ViewRequest { nonce: *nonce });
        }
    }

    /// Answers a member, in every phase: otherwise members that start together would wait for each other.
    pub(super) fn on_view_request(&mut self, from: MemberIndex, nonce: u64, out: &mut ReplicaStep<S>) {
        if self.sync.try_serve(self.now, from, REPLY_CHARGE, &self.parameters) {
            let advance = Box::new(self.pacemaker.advance());
            out.send(from, Message::ViewReply { nonce, advance });
        }
    }

    /// Handles an answer. Once a quorum has answered, including this member, the views in which it may have signed are known.
    pub(super) fn on_view_reply(
        &mut self,
        from: MemberIndex,
        nonce: u64,
        advance: Advance<S>,
        out: &mut ReplicaStep<S>,
    ) {
        if !self.on_advance(from, advance, out) {
            return;
        }
        let Participation::Asking { nonce: asked, poll, is_stale } = &mut self.participation else { return };
        if nonce != *asked {
            return;
        }
        let voters = &self.committees.voters;
        let own = voters.weight(self.me).unwrap_or(0);
        poll.record_answer(from, |set| voters.weight_of(set).saturating_add(own) >= voters.quorum_weight());
        if poll.is_open() {
            return;
        }
        // To sign in view v, this member held a certificate of view v − 1. A correct member among those that answered
        // signed in that view, so it was there, and its certificates have led this member there, too.
        let until = self.pacemaker.view().saturating_add(1).max(self.safety.floor_view());
        let is_stale = *is_stale;
        self.safety.abstain(until);
        self.participation = Participation::Abstaining { until, is_stale };
    }

    /// Ends the abstention in a view in which this member has not signed before.
    pub(super) fn end_abstention(&mut self) {
        let (Participation::Abstaining { until, .. } | Participation::OnlyTimeouts { until }) =
            self.participation
        else {
            return;
        };
        if self.pacemaker.view() > until {
            self.participation = Participation::Full;
        }
    }

    /// Signs timeouts again after a view timed out without this member's votes. A quorum has answered, and it made no
    /// progress: most likely no more members than a quorum run, or all of them have just started.
    pub(super) fn resume_timeouts(&mut self) {
        if let Participation::Abstaining { until, is_stale: false } = self.participation {
            self.safety.resume_timeouts();
            self.participation = Participation::OnlyTimeouts { until };
        }
    }
}
