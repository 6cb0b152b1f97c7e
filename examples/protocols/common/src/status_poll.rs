//! A poll for the committed height that a starting member sends to all other members.

use std::time::Duration;

use quorate::committee::SignerSet;
use quorate::machine::{MemberIndex, Time};

/// A poll of the other members after a start. It repeats with growing pauses until enough members have answered.
#[derive(Debug)]
pub struct StatusPoll {
    members: u16,
    /// The members that answered; `None` once the poll is closed.
    answered: Option<SignerSet>,
    due: Time,
    attempts: u32,
    max_doublings: u32,
}

impl StatusPoll {
    /// Returns an open poll for a committee of `members` members.
    pub fn new(members: u16) -> Self {
        let answered = Some(SignerSet::new(members));
        Self { members, answered, due: Time(0), attempts: 0, max_doublings: 6 }
    }

    /// Returns an open poll whose pause between attempts grows only to four times the first one, because the caller can do
    /// nothing without the answers.
    pub fn urgent(members: u16) -> Self {
        Self { max_doublings: 2, ..Self::new(members) }
    }

    /// Returns true if the caller should send the poll to all members now, and schedules the next attempt.
    ///
    /// `pause` is the time to wait for answers to the first attempt. It doubles with each attempt, up to 64 times
    /// (4 times if the poll is [urgent](StatusPoll::urgent)).
    pub fn start_attempt(&mut self, now: Time, pause: Duration) -> bool {
        if self.answered.is_none() || self.due > now {
            return false;
        }
        self.due = now.plus(pause * (1 << self.attempts.min(self.max_doublings)));
        self.attempts += 1;
        true
    }

    /// Records an answer. The poll closes if `enough` accepts the set of members that answered, or if all other members
    /// have answered.
    pub fn record_answer(&mut self, from: MemberIndex, enough: impl FnOnce(&SignerSet) -> bool) {
        if let Some(answered) = &mut self.answered {
            answered.insert(from);
            if enough(answered) || answered.len() + 1 >= usize::from(self.members) {
                self.answered = None;
            }
        }
    }

    /// Closes the poll: no more answers are needed.
    pub fn close(&mut self) {
        self.answered = None;
    }

    /// Returns true while answers are awaited.
    pub fn is_open(&self) -> bool {
        self.answered.is_some()
    }

    /// Returns the time of the next attempt; `None` once the poll is closed.
    pub fn due(&self) -> Option<Time> {
        self.answered.is_some().then_some(self.due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_slow_down_and_end_with_enough_answers() {
        let pause = Duration::from_millis(500);
        let mut poll = StatusPoll::new(4);
        assert!(poll.start_attempt(Time(0), pause) && !poll.start_attempt(Time(0), pause));
        assert_eq!(poll.due(), Some(Time(500_000)));
        assert!(poll.start_attempt(Time(500_000), pause));
        assert_eq!(poll.due(), Some(Time(1_500_000)));
        let mut urgent = StatusPoll::urgent(4);
        let due: Vec<u64> = (0..5)
            .filter_map(|_| Some(urgent.start_attempt(urgent.due()?, pause).then(|| urgent.due())??.0))
            .collect();
        assert_eq!(due, [500_000, 1_500_000, 3_500_000, 5_500_000, 7_500_000]);
        poll.record_answer(1, |_| false);
        poll.record_answer(1, |_| false);
        assert!(poll.is_open(), "a repeated answer does not count");
        poll.record_answer(2, |set| set.len() == 2);
        assert!(!poll.is_open() && poll.due().is_none() && !poll.start_attempt(Time(u64::MAX), pause));
    }

    #[test]
    fn answers_of_all_other_members_close_the_poll() {
        let mut poll = StatusPoll::new(3);
        poll.record_answer(1, |_| false);
        assert!(poll.is_open());
        poll.record_answer(2, |_| false);
        assert!(!poll.is_open());
    }
}
