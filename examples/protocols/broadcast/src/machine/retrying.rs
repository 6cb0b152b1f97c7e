use quorate::machine::{MemberIndex, Step, Time};

use super::Broadcaster;
use crate::authentication::Authentication;
use crate::interface::Timer;
use crate::message::Message;
use crate::statement::Slot;

/// So many slots are spoken of again at once.
const AT_ONCE: usize = 32;
/// The pause doubles so often.
const DOUBLINGS: u32 = 4;

impl<A: Authentication> Broadcaster<A> {
    /// Says again what was not answered: own messages to those who have not echoed them, and questions about
    /// messages that lack echoes to those whose echo is missing.
    ///
    /// Each round begins with another sender, and each sender has its share of a round; what is left of it goes to
    /// whoever has more. So a sender whose messages always lack echoes delays no other's.
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

    /// Speaks again of at most so many slots of a sender, of those first that have waited longest. Returns of how
    /// many.
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

    /// What of a sender is to be spoken of again, what has waited longest first. By number, the oldest messages would
    /// take every turn from those after them for as long as one member is away.
    fn due(&mut self, now: Time, sender: MemberIndex) -> Vec<u64> {
        let own = sender == self.me;
        let Some(window) = self.windows.get_mut(usize::from(sender)) else { return Vec::new() };
        // Whether everybody has an own message is not known from its delivery here.
        let mut due: Vec<(Time, u64)> = window
            .all_mut()
            .filter(|(_, accepted)| accepted.due <= now && (own || !accepted.delivered))
            .map(|(sequence, accepted)| (accepted.due, sequence))
            .collect();
        due.sort_unstable();
        due.into_iter().map(|(_, sequence)| sequence).collect()
    }

    /// Whose echo is missing.
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
