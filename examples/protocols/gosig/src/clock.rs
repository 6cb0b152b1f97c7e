//! The schedule: rounds and stages by the clock.

use core::time::Duration;

use quorate::machine::Time;

use crate::parameters::Schedule;

impl Schedule {
    /// Minimum length of a stage, so that no round has length 0.
    const MIN_STAGE: Duration = Duration::from_millis(1);

    /// Returns the length of a round.
    pub fn length(&self) -> Duration {
        self.proposals.max(Self::MIN_STAGE) + self.signatures.max(Self::MIN_STAGE)
    }

    /// Returns the round at a time; 0 before the first.
    pub fn round_at(&self, now: Time) -> u64 {
        let since = i128::from(now.0) - i128::from(self.start);
        if since < 0 { 0 } else { u64::try_from(since).unwrap_or(u64::MAX) / self.micros() + 1 }
    }

    /// Returns the time at which a round begins, or time 0 if that is later.
    pub fn begins(&self, round: u64) -> Time {
        self.time_at(round, Duration::ZERO)
    }

    /// Returns the time at which Stage II of a round begins.
    pub fn second_stage(&self, round: u64) -> Time {
        self.time_at(round, self.proposals.max(Self::MIN_STAGE))
    }

    /// Returns the time `within` after the beginning of a round, or time 0 if that is later.
    fn time_at(&self, round: u64, within: Duration) -> Time {
        let rounds = i128::from(round.saturating_sub(1)) * i128::from(self.micros());
        let at = i128::from(self.start) + rounds + within.as_micros() as i128;
        Time(u64::try_from(at.max(0)).unwrap_or(u64::MAX))
    }

    fn micros(&self) -> u64 {
        u64::try_from(self.length().as_micros()).unwrap_or(u64::MAX).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_follow_each_other_without_gaps() {
        let ms = Duration::from_millis;
        for start in [0, 5_000_000, -5_000_000_000] {
            let schedule = Schedule { start, proposals: ms(300), signatures: ms(200), ..Schedule::default() };
            let first = schedule.round_at(Time(7_000_000));
            for round in first..first + 5 {
                let (begins, second) = (schedule.begins(round), schedule.second_stage(round));
                assert_eq!(schedule.round_at(begins), round);
                assert_eq!(schedule.round_at(Time(begins.0 - 1)), round - 1);
                assert_eq!(second.since(begins), ms(300));
                assert_eq!(schedule.begins(round + 1).since(second), ms(200));
            }
        }
    }

    #[test]
    fn extreme_values_saturate() {
        let late = Schedule { start: i64::MAX, ..Schedule::default() };
        assert_eq!((late.round_at(Time(0)), late.begins(1)), (0, Time(i64::MAX as u64)));
        let early =
            Schedule { start: i64::MIN, proposals: Duration::ZERO, signatures: Duration::ZERO, ..late };
        assert_eq!(early.length(), Duration::from_millis(2));
        assert!(early.round_at(Time(u64::MAX)) > 0);
        assert_eq!(early.begins(u64::MAX), Time(u64::MAX));
        assert_eq!(early.begins(1), Time(0), "before time 0 of the clock");
    }
}
