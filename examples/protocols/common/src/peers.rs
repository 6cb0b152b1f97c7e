//! Manners towards peers: who answered a greeting, and how much of our own to give to whom.

use std::collections::BTreeMap;
use std::time::Duration;

use quorate::committee::SignerSet;
use quorate::machine::{MemberIndex, Time};

/// A question to everybody after a start: how far are you? It is repeated, each time later, until enough answered.
#[derive(Debug)]
pub struct Greeting {
    members: u16,
    /// Who answered; none once enough did.
    answered: Option<SignerSet>,
    due: Time,
    tries: u32,
}

impl Greeting {
    /// Of a committee with so many members.
    pub fn new(members: u16) -> Self {
        Self { members, answered: Some(SignerSet::new(members)), due: Time(0), tries: 0 }
    }

    /// Whether to ask everybody (again) now. `pause` is how long to wait for the first answers.
    pub fn ask(&mut self, now: Time, pause: Duration) -> bool {
        if self.answered.is_none() || self.due > now {
            return false;
        }
        self.due = now.plus(pause * (1 << self.tries.min(6)));
        self.tries += 1;
        true
    }

    /// Somebody answered; `enough` says of a set of members whether it is enough. All others are in any case.
    pub fn answer(&mut self, from: MemberIndex, enough: impl FnOnce(&SignerSet) -> bool) {
        if let Some(answered) = &mut self.answered {
            answered.insert(from);
            if enough(answered) || answered.len() + 1 >= usize::from(self.members) {
                self.answered = None;
            }
        }
    }

    /// Nobody needs to answer (any more).
    pub fn end(&mut self) {
        self.answered = None;
    }

    /// Whether answers are awaited.
    pub fn is_open(&self) -> bool {
        self.answered.is_some()
    }

    /// When to ask (again).
    pub fn due(&self) -> Option<Time> {
        self.answered.is_some().then_some(self.due)
    }
}

/// How many bytes peers may still be served: each earns them at a rate, and saves those of a second at most.
#[derive(Debug, Default)]
pub struct Budgets(BTreeMap<MemberIndex, (Time, u64)>);

impl Budgets {
    /// Takes `bytes` from what a peer may have, at `rate` bytes per second; false if it had enough for now.
    pub fn afford(&mut self, now: Time, peer: MemberIndex, bytes: usize, rate: u64) -> bool {
        let (at, left) = self.0.get(&peer).copied().unwrap_or((now, rate));
        let earned = u128::from(rate) * now.since(at).as_micros() / 1_000_000;
        let left = u128::from(left).saturating_add(earned).min(rate.into()) as u64;
        let rest = left.checked_sub(bytes as u64);
        self.0.insert(peer, (now, rest.unwrap_or(left)));
        rest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_slow_down_and_end() {
        let pause = Duration::from_millis(500);
        let mut greeting = Greeting::new(4);
        assert!(greeting.ask(Time(0), pause) && !greeting.ask(Time(0), pause));
        assert_eq!(greeting.due(), Some(Time(500_000)));
        assert!(greeting.ask(Time(500_000), pause));
        assert_eq!(greeting.due(), Some(Time(1_500_000)));
        greeting.answer(1, |_| false);
        greeting.answer(1, |_| false);
        assert!(greeting.is_open(), "twice the same");
        greeting.answer(2, |set| set.len() == 2);
        assert!(!greeting.is_open() && greeting.due().is_none() && !greeting.ask(Time(u64::MAX), pause));
    }

    #[test]
    fn when_all_others_answered_it_is_enough() {
        let mut greeting = Greeting::new(3);
        greeting.answer(1, |_| false);
        assert!(greeting.is_open());
        greeting.answer(2, |_| false);
        assert!(!greeting.is_open());
    }

    #[test]
    fn a_peer_gets_its_rate_and_no_more() {
        let mut budgets = Budgets::default();
        assert!(budgets.afford(Time(0), 1, 900, 1000) && !budgets.afford(Time(0), 1, 200, 1000));
        assert!(budgets.afford(Time(0), 2, 900, 1000), "per peer");
        assert!(budgets.afford(Time(100_000), 1, 200, 1000));
        assert!(!budgets.afford(Time(u64::MAX), 1, 1001, 1000));
    }
}
