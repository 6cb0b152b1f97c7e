//! Medians of repeated samples, the cases in turns.
//!
//! What is measured runs on one thread and waits for nothing, so its processor time is what is wanted: unlike the
//! clock it does not count what other programs do meanwhile. Where the system does not tell it, the clock must do.

use std::hint::black_box;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// One thing whose time is taken.
pub(crate) struct Case<'a> {
    /// So many runs, and how long they took.
    work: Box<dyn FnMut(u32) -> Duration + 'a>,
    repeats: bool,
    runs: u32,
    samples: Vec<f64>,
}

impl<'a> Case<'a> {
    /// A case. What `work` returns is used as far as the compiler knows, so the work is done.
    pub(crate) fn new<T>(mut work: impl FnMut() -> T + 'a) -> Self {
        Self::of(true, move |runs| time(runs, &mut || drop(black_box(work()))))
    }

    /// A case that uses up what `prepare` returns, whose time does not count. It runs once per sample, so it should
    /// take a tenth of a millisecond or more.
    pub(crate) fn prepared<P>(
        mut prepare: impl FnMut() -> P + 'a,
        mut work: impl FnMut(&mut P) + 'a,
    ) -> Self {
        Self::of(false, move |_| {
            let mut prepared = prepare();
            time(1, &mut || work(black_box(&mut prepared)))
        })
    }

    fn of(repeats: bool, work: impl FnMut(u32) -> Duration + 'a) -> Self {
        Self { work: Box::new(work), repeats, runs: 1, samples: Vec::new() }
    }

    fn time(&mut self, runs: u32) -> Duration {
        (self.work)(runs)
    }

    /// So many runs that the clock's grain and the loop do not show.
    fn warm_up(&mut self, sample: Duration) {
        self.time(1);
        let one = self.time(1).max(Duration::from_nanos(50));
        if self.repeats {
            self.runs =
                u32::try_from(sample.as_nanos() / one.as_nanos()).unwrap_or(u32::MAX).clamp(1, 1_000_000);
        }
    }
}

/// How carefully to measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Care {
    samples: usize,
    sample: Duration,
}

impl Care {
    /// What is quoted.
    pub(crate) const FULL: Care = Care { samples: 41, sample: Duration::from_millis(8) };
    /// To see that it works.
    pub(crate) const QUICK: Care = Care { samples: 7, sample: Duration::from_millis(4) };

    pub(crate) fn of(quick: bool) -> Self {
        if quick { Self::QUICK } else { Self::FULL }
    }
}

/// The median time of one run of each case, in nanoseconds. Samples of the cases alternate.
///
/// To ask the system for a thread's time takes a part of a short sample, so nothing is timed too, and what that takes
/// is taken off.
pub(crate) fn medians(cases: &mut [Case<'_>], care: Care) -> Vec<f64> {
    cases.iter_mut().for_each(|case| case.warm_up(care.sample));
    let mut nothing = Vec::new();
    for _ in 0..care.samples {
        nothing.push(time(0, &mut || ()).as_nanos() as f64);
        for case in cases.iter_mut() {
            let time = case.time(case.runs);
            case.samples.push(time.as_nanos() as f64);
        }
    }
    let nothing = median(&mut nothing);
    cases.iter_mut().map(|case| (median(&mut case.samples) - nothing) / f64::from(case.runs)).collect()
}

/// How long so many runs take.
pub(crate) fn time(runs: u32, work: &mut dyn FnMut()) -> Duration {
    let (processor, began) = (processor_time(), Instant::now());
    for _ in 0..runs {
        work();
    }
    let elapsed = began.elapsed();
    match (processor, processor_time()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => elapsed,
    }
}

/// Does something that takes a millisecond or so, and tells whether this thread kept its processor meanwhile. For
/// what can only be timed by the clock: times of a thread that had to give way are those of somebody else's work.
/// Where the system does not tell, nobody is assumed to have come in between.
pub(crate) fn alone<T>(work: impl FnOnce() -> T) -> (T, bool) {
    let (processor, began) = (processor_time(), Instant::now());
    let result = work();
    let elapsed = began.elapsed();
    let alone = match (processor, processor_time()) {
        (Some(before), Some(after)) => after.saturating_sub(before) >= elapsed.mul_f64(0.98),
        _ => true,
    };
    (result, alone)
}

/// How long this thread ran so far. Linux counts up to the last time that the scheduler looked, so it is made to look.
pub(crate) fn processor_time() -> Option<Duration> {
    thread::yield_now();
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// The middle one; the lower of the two middle ones of an even number.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&mut [9.0, 1.0, 5.0]), 5.0);
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 2.0);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_thread_that_gave_way_was_not_alone() {
        assert!(!alone(|| thread::sleep(Duration::from_millis(20))).1);
    }

    #[test]
    fn every_case_is_run_and_gets_its_median() {
        let mut runs = [0u32; 2];
        let [a, b] = &mut runs;
        // Long enough to be told from nothing on a machine that does much else.
        let count = |runs: &mut u32| {
            *runs += 1;
            (0..10_000u32).fold(0, |sum, i| black_box(sum ^ i))
        };
        let medians = medians(&mut [Case::new(|| count(a)), Case::new(|| count(b))], Care::QUICK);
        assert!(medians.len() == 2 && medians.iter().all(|m| *m > 0.0));
        assert!(runs.iter().all(|r| *r >= 7));
    }
}
