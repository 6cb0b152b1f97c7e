use std::sync::Arc;

use quorate::machine::{MemberIndex, Step, Time};
use quorate_broadcast::authentication::{Authentication, Finished};

use super::{Limited, Replica};
use crate::application::Application;
use crate::interface::{Misbehaviour, Outcome, Output, Path, Timer, Work};
use crate::message::{Message, Progress, Vote};
use crate::statement::Ballot;

/// Maximum number of slots per answer to a status.
const AT_ONCE: usize = 32;
/// Maximum number of a replica's announcements verified concurrently.
const CHECKING: u8 = 8;

impl<A: Authentication, P: Application> Replica<A, P> {
    /// Sends the status to all replicas, and what they may have missed.
    pub(super) fn repeat(&mut self, now: Time, step: &mut Step<Self>) {
        step.set_timer(Timer::Retry, self.parameters.retry);
        step.broadcast(Message::Status(self.progress()));
        if !self.active {
            self.report_view_change(now, step);
        }
        self.repeat_echoes(step);
    }

    fn progress(&self) -> Progress {
        Progress { view: self.view, active: self.active, stable: self.low(), executed: self.executed }
    }

    /// Repeats what a replica lacks.
    pub(super) fn on_status(&mut self, now: Time, from: MemberIndex, peer: Progress, step: &mut Step<Self>) {
        if !self.admit(now, from, Limited::Status) {
            return;
        }
        if peer.stable < self.low()
            && let Some(stable) = &self.stable
        {
            step.send(from, Message::State(stable.clone()));
        }
        for message in self.own_checkpoints(peer.stable) {
            step.send(from, message);
        }
        let lacks_view = peer.view < self.view || (peer.view == self.view && !peer.active);
        if lacks_view && let Some(new_view) = &self.new_view {
            step.send(from, Message::NewView(new_view.clone()));
        }
        let is_same = self.active && peer.active && peer.view == self.view;
        let lacking = peer.executed.saturating_add(1)..;
        for (slot, _) in self.slots.range(lacking).take(AT_ONCE) {
            self.repeat_slot(from, *slot, is_same, step);
        }
    }

    /// Repeats this replica's votes of a slot, and the decision.
    fn repeat_slot(&self, to: MemberIndex, slot: u64, votes: bool, step: &mut Step<Self>) {
        let Some(state) = self.slots.get(&slot) else { return };
        if let Some(value) = state.decided {
            step.send(to, Message::Decided { slot, value });
        }
        let (me, view) = (self.me, self.view);
        if !votes {
            return;
        }
        if let Some((_, value)) = state.accepted.filter(|(accepted, _)| *accepted == view) {
            let ballot = Ballot { view, slot, value };
            if self.is_leader() {
                step.send(to, Message::Propose(ballot));
            } else if self.parameters.path == Path::Fast {
                step.send(to, Message::Accept(ballot));
            }
        }
        let vote = |value, signature: &A::Signature| Vote {
            ballot: Ballot { view, slot, value },
            signature: signature.clone(),
        };
        if let Some((value, signature)) = state.votes.prepares.get(&me) {
            step.send(to, Message::Prepare(vote(*value, signature)));
        }
        if let Some((value, signature)) = state.votes.commits.get(&me) {
            step.send(to, Message::Commit(vote(*value, signature)));
        }
    }

    /// Handles a replica's start: it knows no keys and may have missed messages.
    pub(super) fn on_hello(&mut self, now: Time, from: MemberIndex, step: &mut Step<Self>) {
        if self.admit(now, from, Limited::Hello) {
            for announcement in self.authentication.announcements() {
                step.send(from, Message::Announcement(announcement));
            }
            step.send(from, Message::Status(self.progress()));
        }
    }

    /// Requests the generation of keys if they are short.
    pub(super) fn plan(&mut self, now: Time, step: &mut Step<Self>) {
        match self.authentication.plan(now) {
            Ok(None) => {}
            Ok(Some(job)) => step.output(Output::Work(Work(job))),
            Err(error) => self.fail(error, step),
        }
    }

    /// Handles an announcement of keys.
    pub(super) fn on_announcement(
        &mut self,
        now: Time,
        from: MemberIndex,
        announcement: Arc<[u8]>,
        step: &mut Step<Self>,
    ) {
        let Some(peer) = self.peer_mut(from).filter(|peer| peer.checking < CHECKING) else { return };
        peer.checking += 1;
        match self.authentication.admit(from, announcement, now) {
            Ok(job) => step.output(Output::Work(Work(job))),
            // Too many announcements, or any other error: the signatures still verify slowly.
            Err(_) => self.checked(from),
        }
    }

    /// Applies the result of background work.
    pub(super) fn on_work_done(&mut self, outcome: Outcome<A>, step: &mut Step<Self>) {
        match self.authentication.finish(outcome.0) {
            Finished::Made(announcement) => {
                if let Some(announcement) = announcement {
                    step.broadcast(Message::Announcement(announcement));
                }
            }
            Finished::Learned(from) => {
                self.checked(from);
                self.verify_fast_deferred(from, step);
            }
            Finished::Refused(from, error) => {
                self.checked(from);
                step.fault(from, Misbehaviour::Invalid { what: "announcement", error });
            }
        }
    }

    fn checked(&mut self, from: MemberIndex) {
        if let Some(peer) = self.peer_mut(from) {
            peer.checking = peer.checking.saturating_sub(1);
        }
    }
}
