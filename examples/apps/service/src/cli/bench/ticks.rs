use std::io;
use std::time::{Duration, Instant};

use quorate_support::pinning::pin;

/// The times at which timers of the system, and of a hypervisor below it, interrupt the cores.
///
/// A tick takes some microseconds, a thousand times a second on many systems. A request that lasts longer than 4 µs on two such
/// cores meets one in more than a hundredth of all cases: then the 99th percentile of all requests is the duration of a tick. The
/// ticks have a period, so that the requests that began between them are known without a look at their latencies.
pub(super) struct Ticks {
    /// Beginning of a period.
    origin: Instant,
    /// True for the parts of a period in which a request that begins may meet a tick.
    is_due: [bool; PARTS],
}

/// A multiple of the periods of 250, 500 and 1,000 ticks per second.
const PERIOD: Duration = Duration::from_millis(4);
const PARTS: usize = 100;
/// Observed periods of each core.
const OBSERVED: u32 = 25;
/// A part is due if it was interrupted in this many of the observed periods.
const REGULAR: u32 = 8;
/// Time between two looks at the clock that means an interruption.
const INTERRUPTION: Duration = Duration::from_nanos(2_500);

impl Ticks {
    /// Observes the cores for a tenth of a second each, and leaves the thread pinned to the last one.
    pub(super) fn observe(cores: &[usize]) -> io::Result<Self> {
        let origin = Instant::now();
        let mut is_due = [false; PARTS];
        for core in cores {
            pin(*core)?;
            let began = Instant::now();
            let mut times = std::iter::from_fn(|| Some(Instant::now()));
            let observed = times.by_ref().take_while(|now| now.duration_since(began) < PERIOD * OBSERVED);
            let regular = regular(observed.map(|now| now.duration_since(origin)));
            is_due.iter_mut().zip(regular).for_each(|(due, regular)| *due |= regular);
        }
        Ok(Self { origin, is_due })
    }

    /// Returns true if a request that begins now lasts into a tick, or begins less than 40 µs after the beginning of one.
    pub(super) fn are_due(&self, now: Instant) -> bool {
        let at = part(now.duration_since(self.origin));
        // Also the part before a tick, since a request may last into it.
        [0, 1, PARTS - 1].iter().any(|shift| self.is_due.get((at + shift) % PARTS).is_some_and(|due| *due))
    }
}

/// Returns the parts of a period that are interrupted regularly, from the times at which a loop looked at the clock.
fn regular(times: impl Iterator<Item = Duration>) -> [bool; PARTS] {
    let (mut interruptions, mut last) = ([0_u32; PARTS], None);
    for now in times {
        if let Some(before) = last.replace(now)
            && now - before > INTERRUPTION
            && let Some(count) = interruptions.get_mut(part(before))
        {
            *count += 1;
        }
    }
    interruptions.map(|count| count >= REGULAR)
}

/// Returns the part of the period in which a time is.
fn part(since_origin: Duration) -> usize {
    (since_origin.as_nanos() % PERIOD.as_nanos()) as usize * PARTS / PERIOD.as_nanos() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times of a loop that looks at the clock each microsecond, except for 9 µs after each of these times.
    fn looks(interruptions: &[u64]) -> impl Iterator<Item = Duration> {
        let is_free = |now: u64| !interruptions.iter().any(|at| (*at + 1..*at + 10).contains(&now));
        (0..100_000).filter(move |now| is_free(*now)).map(Duration::from_micros)
    }

    #[test]
    fn regular_interruptions_are_found_and_others_are_not() {
        let every_millisecond: Vec<u64> = (0..100).map(|tick| tick * 1_000 + 310).collect();
        let mut all = every_millisecond.clone();
        all.extend([5_123, 17_777, 42_042, 77_002, 91_640]);
        all.sort_unstable();
        let found: Vec<usize> =
            regular(looks(&all)).iter().enumerate().filter(|(_, due)| **due).map(|(at, _)| at).collect();
        // 310 µs, in parts of 40 µs, and a millisecond later.
        assert_eq!(found, [7, 32, 57, 82]);
        let irregular: Vec<u64> = (0..100).map(|at| at * 1_000 + at * 37 % 1_000).collect();
        assert!(regular(looks(&irregular)).iter().all(|due| !due));
    }

    #[test]
    fn requests_that_begin_before_in_and_after_the_part_of_a_tick_may_meet_it() {
        let origin = Instant::now();
        let mut is_due = [false; PARTS];
        is_due[7] = true;
        let ticks = Ticks { origin, is_due };
        let due = |micros| ticks.are_due(origin + Duration::from_micros(micros));
        assert_eq!([239, 240, 280, 359, 360].map(due), [false, true, true, true, false]);
        assert!(due(4_300) && !due(4_400), "in every period");
    }
}
