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
    pub(super) fn retry(&mut self, now: Time, step: &mut Step<Self>) {
        step.set_timer(Timer::Retry, self.parameters.retry);
        let mut left = AT_ONCE;
        for sender in 0..self.group.len() {
            for sequence in self.due(now, sender) {
                if left == 0 {
                    return;
                }
                let slot = Slot { sender, sequence };
                let lacking = self.lacking(slot);
                if lacking.is_empty() {
                    continue;
                }
                left -= 1;
                self.put_off(now, slot);
                let own = sender == self.me;
                let Some(message) = (if own { self.send_again(slot) } else { Some(Message::Ask(slot)) })
                else {
                    continue;
                };
                lacking.into_iter().for_each(|member| step.send(member, message.clone()));
            }
        }
    }

    /// What of a sender is to be spoken of again.
    fn due(&mut self, now: Time, sender: MemberIndex) -> Vec<u64> {
        let own = sender == self.me;
        let Some(window) = self.windows.get_mut(usize::from(sender)) else { return Vec::new() };
        // Whether everybody has an own message is not known from its delivery here.
        window
            .all_mut()
            .filter(|(_, accepted)| accepted.due <= now && (own || !accepted.delivered))
            .map(|(sequence, _)| sequence)
            .collect()
    }

    /// Whose echo is missing.
    fn lacking(&self, slot: Slot) -> Vec<MemberIndex> {
        let heard = |member| self.window(slot).is_some_and(|w| w.word(member, slot.sequence).is_some());
        self.peers().filter(|member| *member != slot.sender && !heard(*member)).collect()
    }

    fn put_off(&mut self, now: Time, slot: Slot) {
        let retry = self.parameters.retry;
        if let Some(accepted) = self.window_mut(slot).and_then(|w| w.accepted_mut(slot.sequence)) {
            accepted.due = now.plus(retry * (1 << accepted.attempts.min(DOUBLINGS)));
            accepted.attempts += 1;
        }
    }
}
