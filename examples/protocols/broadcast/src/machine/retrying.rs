use quorate::machine::{MemberIndex, Step, Time};

use super::Broadcaster;
use crate::authentication::Authentication;
use crate::interface::Timer;
use crate::message::Message;
use crate::statement::Slot;

/// Maximum number of slots per retry round.
const AT_ONCE: usize = 32;
/// Number of times the pause doubles.
const DOUBLINGS: u32 = 4;

impl<A: Authentication> Broadcaster<A> {
    /// Repeats unanswered messages: own messages to the members that have not echoed them, and requests for missing
    /// echoes to the members that have not sent them.
    ///
    /// Each round starts with another sender. Each sender has its share of the round; unused shares go to the
    /// remaining senders. A sender whose messages always lack echoes therefore delays no other sender.
    pub(super) fn retry(&mut self, now: Time, step: &mut Step<Self>) {
        step.set_timer(Timer::Retry, self.parameters.retry);
        let members = self.group.len();
        let first = self.first_retried;
        self.first_retried = (first + 1) % members;
        let share = (AT_ONCE / usize::from(members)).max(1);
        let mut left = AT_ONCE;
        for most in [share, AT_ONCE] {
            for sender in (first..members).chain(0..first) {
                left -= self.retry_sender(now, sender, most.min(left), step);
            }
        }
    }

    /// Handles at most `most` slots of a sender, those due longest first. Returns the number of slots handled.
    fn retry_sender(&mut self, now: Time, sender: MemberIndex, most: usize, step: &mut Step<Self>) -> usize {
        let mut spoken = 0;
        if most == 0 {
            return spoken;
        }
        for sequence in self.due(now, sender) {
            let slot = Slot { sender, sequence };
            let lacking = self.missing_echoes(slot);
            self.reschedule(now, slot);
            if lacking.is_empty() {
                continue;
            }
            let own = sender == self.me;
            let Some(message) = (if own { self.send_again(slot) } else { Some(Message::Ask(slot)) }) else {
                continue;
            };
            lacking.into_iter().for_each(|member| step.send(member, message.clone()));
            spoken += 1;
            if spoken == most {
                break;
            }
        }
        spoken
    }

    /// Returns a sender's slots that are due, those due longest first. In order of sequence, the oldest messages
    /// would take every turn as long as one member is disconnected.
    fn due(&mut self, now: Time, sender: MemberIndex) -> Vec<u64> {
        let own = sender == self.me;
        let Some(window) = self.windows.get_mut(usize::from(sender)) else { return Vec::new() };
        // The local delivery of an own message does not imply that all members have it.
        let mut due: Vec<(Time, u64)> = window
            .all_mut()
            .filter(|(_, accepted)| accepted.due <= now && (own || !accepted.delivered))
            .map(|(sequence, accepted)| (accepted.due, sequence))
            .collect();
        due.sort_unstable();
        due.into_iter().map(|(_, sequence)| sequence).collect()
    }

    /// Returns the members whose echo is missing.
    fn missing_echoes(&self, slot: Slot) -> Vec<MemberIndex> {
        let heard =
            |member| self.window(slot).is_some_and(|w| w.attestation(member, slot.sequence).is_some());
        self.peers().filter(|member| *member != slot.sender && !heard(*member)).collect()
    }

    fn reschedule(&mut self, now: Time, slot: Slot) {
        let retry = self.parameters.retry;
        if let Some(accepted) = self.window_mut(slot).and_then(|w| w.accepted_mut(slot.sequence)) {
            accepted.due = now.plus(retry * (1 << accepted.attempts.min(DOUBLINGS)));
            accepted.attempts = accepted.attempts.saturating_add(1);
        }
    }
}
