use std::sync::Arc;
use std::time::Duration;

use quorate::machine::{MemberIndex, Step, Time};

use super::Broadcaster;
use crate::authentication::{Authentication, Finished};
use crate::interface::{Misbehaviour, Outcome, Output, Timer, Work};
use crate::message::Message;

/// Maximum number of a member's announcements verified concurrently; equals the number that is remembered.
const CHECKING: u8 = 8;

impl<A: Authentication> Broadcaster<A> {
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
    pub(super) fn on_work_done(&mut self, now: Time, outcome: Outcome<A>, step: &mut Step<Self>) {
        match self.authentication.finish(outcome.0) {
            Finished::Made(announcement) => {
                if let Some(announcement) = announcement {
                    step.broadcast(Message::Announcement(announcement));
                }
                self.sign_owed_echoes(now, step);
            }
            Finished::Learned(from) => {
                self.checked(from);
                self.process_fast_deferred(now, from, step);
            }
            Finished::Refused(from, error) => {
                self.checked(from);
                step.fault(from, Misbehaviour::Invalid { what: "announcement", error });
            }
        }
    }

    /// Verifies one slow message when nothing else waits.
    pub(super) fn verify_one_deferred(&mut self, now: Time, step: &mut Step<Self>) {
        if let Some((from, message)) = self.deferred.pop() {
            self.verified.1 += 1;
            self.verify_message(now, from, message, step);
            // Its batch of keys is known from now on.
            self.process_fast_deferred(now, from, step);
        }
        if !self.deferred.is_empty() {
            step.set_timer(Timer::Slow, Duration::ZERO);
        }
    }

    /// Handles a member's start: it knows no keys and may have missed messages.
    pub(super) fn on_hello(&mut self, now: Time, from: MemberIndex, step: &mut Step<Self>) {
        let interval = self.parameters.retry;
        let Some(peer) = self.peer_mut(from).filter(|peer| peer.next_answer <= now) else { return };
        peer.next_answer = now.plus(interval);
        for announcement in self.authentication.announcements() {
            step.send(from, Message::Announcement(announcement));
        }
        let me = usize::from(self.me);
        let Some(own) = self.windows.get_mut(me) else { return };
        let lacking: Vec<u64> = own.all_mut().map(|(sequence, _)| sequence).collect();
        for sequence in lacking {
            if own.attestation(from, sequence).is_none()
                && let Some(accepted) = own.accepted_mut(sequence)
            {
                (accepted.due, accepted.attempts) = (now, 0);
            }
        }
    }

    /// Signs the echoes that waited for a key.
    fn sign_owed_echoes(&mut self, now: Time, step: &mut Step<Self>) {
        while let Some(slot) = self.owed.pop_first() {
            let gone = self.window(slot).is_none_or(|window| window.accepted(slot.sequence).is_none());
            match self.echo(now, slot, step) {
                Some(echo) => step.broadcast(echo),
                None if gone => {}
                None => {
                    self.owed.insert(slot);
                    return;
                }
            }
        }
    }

    fn process_fast_deferred(&mut self, now: Time, from: MemberIndex, step: &mut Step<Self>) {
        let authentication = &self.authentication;
        let fast = self.deferred.take(from, |message| match message {
            Message::Send(send) => authentication.can_verify_fast(from, &send.signature),
            Message::Echo(attestation) => authentication.can_verify_fast(from, &attestation.signature),
            // These are always verified without remembered keys.
            _ => false,
        });
        for message in fast {
            // The deferred message may be settled meanwhile.
            self.on_message(now, from, message, step);
        }
    }

    fn checked(&mut self, from: MemberIndex) {
        if let Some(peer) = self.peer_mut(from) {
            peer.checking = peer.checking.saturating_sub(1);
        }
    }
}
