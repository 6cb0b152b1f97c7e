use std::collections::BTreeMap;

use quorate::machine::{Machine, Step, Time, TimerChange};

/// Timers of a replica.
pub(super) struct Timers<M: Machine> {
    due: BTreeMap<M::Timer, Time>,
}

impl<M: Machine> Default for Timers<M> {
    fn default() -> Self {
        Self { due: BTreeMap::new() }
    }
}

impl<M: Machine> Timers<M> {
    /// Applies the timer changes of a step.
    pub(super) fn apply(&mut self, now: Time, step: &mut Step<M>) {
        for change in step.timers.drain(..) {
            match change {
                TimerChange::Set { timer, after } => self.due.insert(timer, now.plus(after)),
                TimerChange::Cancel { timer } => self.due.remove(&timer),
            };
        }
    }

    /// Time at which the next timer is due.
    pub(super) fn next(&self) -> Option<Time> {
        self.due.values().min().copied()
    }

    /// Removes the earliest timer that is due.
    pub(super) fn pop_due(&mut self, now: Time) -> Option<M::Timer> {
        let (timer, _) = self.due.iter().filter(|(_, due)| **due <= now).min_by_key(|(_, due)| **due)?;
        let timer = timer.clone();
        self.due.remove(&timer);
        Some(timer)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use quorate::Result;
    use quorate::committee::ChainId;
    use quorate::machine::{Input, MemberIndex};
    use quorate::wire::Decode;

    use super::*;

    /// A machine whose timers are numbers.
    struct Numbered;

    impl Machine for Numbered {
        type Message = ChainId;
        type Command = ();
        type Timer = u8;
        type Record = ChainId;
        type Output = ();
        type Fault = ();

        fn decode(&self, _: MemberIndex, bytes: &[u8]) -> Result<ChainId> {
            Decode::decode(bytes, &())
        }

        fn handle(&mut self, _: Time, _: Input<Self>) -> Step<Self> {
            Step::new()
        }
    }

    #[test]
    fn timers_fire_once_in_order_and_can_be_moved_and_cancelled() {
        let mut timers = Timers::<Numbered>::default();
        let mut step = Step::new();
        step.set_timer(1, Duration::from_micros(30));
        step.set_timer(2, Duration::from_micros(10));
        step.set_timer(3, Duration::from_micros(20));
        step.set_timer(2, Duration::from_micros(25));
        timers.apply(Time(100), &mut step);
        assert_eq!(timers.next(), Some(Time(120)));
        assert_eq!(timers.pop_due(Time(119)), None);
        assert_eq!(timers.pop_due(Time(200)), Some(3));
        assert_eq!(timers.pop_due(Time(200)), Some(2));
        step.cancel_timer(1);
        timers.apply(Time(200), &mut step);
        assert_eq!(timers.pop_due(Time(u64::MAX)), None);
        assert_eq!(timers.next(), None);
    }
}
