//! Limits of the machine thread's time that frames of one member take.
//!
//! Decoding and handling a frame costs its receiver many times what it costs its sender: certificates are parsed, batches are
//! hashed. The rule compares members: the frames of one that takes much more than the others do wait while others have some. So
//! a faulty member leaves the time that the others need to them, and no time is left unused.

use std::time::Duration;

use quorate::machine::{MemberIndex, Time};

/// Period over which the times of a member are summed: older ones count less and less.
const PERIOD: Duration = Duration::from_secs(1);
/// Time per period that each member may take: an eighth.
const FREE: Duration = Duration::from_millis(125);
/// Multiple of the time of others that a member may take, if that is more: of the f-th highest, where f is the number of faulty
/// members that the committee tolerates. At most f − 1 of the others are faulty, so an honest one takes as much.
const MULTIPLE: f64 = 2.0;

/// Time that the frames of each member took recently.
#[derive(Debug)]
pub(super) struct TimeShares {
    /// Seconds by member, as of `at`.
    used: Vec<f64>,
    at: Time,
}

impl TimeShares {
    /// Creates the shares of this number of members.
    pub(super) fn new(members: usize) -> Self {
        Self { used: vec![0.0; members], at: Time(0) }
    }

    /// Adds the time that a frame of a member took.
    pub(super) fn charge(&mut self, member: MemberIndex, now: Time, took: Duration) {
        self.decay(now);
        if let Some(used) = self.used.get_mut(usize::from(member)) {
            *used += took.as_secs_f64();
        }
    }

    /// Returns the members whose frames wait for those of others.
    pub(super) fn held(&mut self, now: Time) -> Vec<MemberIndex> {
        self.decay(now);
        let free = FREE.as_secs_f64();
        let faulty = self.used.len().saturating_sub(1) / 3;
        if faulty == 0 || self.used.iter().all(|used| *used <= free) {
            return Vec::new();
        }
        let mut descending: Vec<f64> = self.used.clone();
        descending.sort_unstable_by(|a, b| b.total_cmp(a));
        let takes_more = |used: &f64| {
            // Without the member itself: if it is among the first f, the next one counts.
            let is_before = descending.get(faulty - 1).is_none_or(|counted| used >= counted);
            let counted = descending.get(if is_before { faulty } else { faulty - 1 }).copied().unwrap_or(0.0);
            *used > free.max(MULTIPLE * counted)
        };
        (0..).zip(&self.used).filter(|(_, used)| takes_more(used)).map(|(member, _)| member).collect()
    }

    fn decay(&mut self, now: Time) {
        let passed = now.since(self.at).as_secs_f64() / PERIOD.as_secs_f64();
        if passed > 0.0 {
            let rest = (-passed).exp();
            self.used.iter_mut().for_each(|used| *used *= rest);
            self.at = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time(1_000_000 + 1000 * milliseconds)
    }

    #[test]
    fn a_member_that_takes_most_of_the_time_waits() {
        let mut shares = TimeShares::new(4);
        shares.charge(3, at(0), FREE);
        assert!(shares.held(at(0)).is_empty(), "a member alone may take its free time");
        shares.charge(3, at(0), FREE);
        assert_eq!(shares.held(at(0)), [3]);
        // After the logarithm of two, in periods.
        assert_eq!((shares.held(at(690)), shares.held(at(700))), (vec![3], vec![]));
    }

    #[test]
    fn members_that_take_as_much_as_each_other_do_not_wait() {
        let mut shares = TimeShares::new(4);
        for member in 1..4 {
            shares.charge(member, at(0), 3 * FREE);
        }
        assert!(shares.held(at(0)).is_empty());
        shares.charge(2, at(0), 4 * FREE);
        assert_eq!(shares.held(at(0)), [2]);
    }

    #[test]
    fn faulty_members_do_not_excuse_each_other() {
        let mut shares = TimeShares::new(7);
        for member in 1..7 {
            shares.charge(member, at(0), if member > 4 { 8 * FREE } else { 2 * FREE });
        }
        assert_eq!(shares.held(at(0)), [5, 6], "three members take 2, so the limit is 4");
    }

    #[test]
    fn a_committee_without_fault_tolerance_has_no_limits() {
        let mut shares = TimeShares::new(3);
        shares.charge(1, at(0), 100 * FREE);
        assert!(shares.held(at(0)).is_empty());
    }
}
