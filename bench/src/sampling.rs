//! Medians of repeated samples, taken alternately for all cases.
//!
//! The measured code runs on one thread and never waits, so its processor time is measured: unlike the clock it excludes the
//! work of other programs. Where the system does not provide it, the clock is used.

use std::hint::black_box;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// Code whose running time is measured.
pub(crate) struct Case<'a> {
    /// Runs the code this number of times and returns the time.
    work: Box<dyn FnMut(u32) -> Duration + 'a>,
    repeats: bool,
    runs: u32,
    samples: Vec<f64>,
}

impl<'a> Case<'a> {
    /// A case. The result of `work` is passed to `black_box`, so that the compiler cannot remove the work.
    pub(crate) fn new<T>(mut work: impl FnMut() -> T + 'a) -> Self {
        Self::with_work(true, move |runs| time(runs, &mut || drop(black_box(work()))))
    }

    /// A case that consumes the result of `prepare`, whose time does not count. It runs once per sample, so it should take a
    /// tenth of a millisecond or more.
    pub(crate) fn prepared<P>(
        mut prepare: impl FnMut() -> P + 'a,
        mut work: impl FnMut(&mut P) + 'a,
    ) -> Self {
        Self::with_work(false, move |_| {
            let mut prepared = prepare();
            time(1, &mut || work(black_box(&mut prepared)))
        })
    }

    fn with_work(repeats: bool, work: impl FnMut(u32) -> Duration + 'a) -> Self {
        Self { work: Box::new(work), repeats, runs: 1, samples: Vec::new() }
    }

    fn time(&mut self, runs: u32) -> Duration {
        (self.work)(runs)
    }

    /// Chooses a number of runs for which the clock's resolution and the loop are negligible.
    fn warm_up(&mut self, sample: Duration) {
        self.time(1);
        let one = self.time(1).max(Duration::from_nanos(50));
        if self.repeats {
            self.runs =
                u32::try_from(sample.as_nanos() / one.as_nanos()).unwrap_or(u32::MAX).clamp(1, 1_000_000);
        }
    }
}

/// Number and duration of samples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SamplePlan {
    samples: usize,
    sample: Duration,
}

impl SamplePlan {
    /// For figures that are quoted.
    pub(crate) const FULL: SamplePlan = SamplePlan { samples: 41, sample: Duration::from_millis(8) };
    /// For a test of the benchmark.
    pub(crate) const QUICK: SamplePlan = SamplePlan { samples: 7, sample: Duration::from_millis(4) };

    pub(crate) fn new(quick: bool) -> Self {
        if quick { Self::QUICK } else { Self::FULL }
    }
}

/// The median time of one run of each case, in nanoseconds. Samples of the cases alternate.
///
/// Reading the thread's time takes a noticeable part of a short sample, so an empty sample is measured too and subtracted.
pub(crate) fn medians(cases: &mut [Case<'_>], care: SamplePlan) -> Vec<f64> {
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

/// Time of this number of runs.
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

/// Runs work of about a millisecond, and returns whether this thread kept its processor meanwhile. For work that only the
/// clock can time: if the thread was preempted, the time includes other programs. Where the system does not report it, the
/// thread is assumed not to have been preempted.
pub(crate) fn without_preemption<T>(work: impl FnOnce() -> T) -> (T, bool) {
    let (processor, began) = (processor_time(), Instant::now());
    let result = work();
    let elapsed = began.elapsed();
    let undisturbed = match (processor, processor_time()) {
        (Some(before), Some(after)) => after.saturating_sub(before) >= elapsed.mul_f64(0.98),
        _ => true,
    };
    (result, undisturbed)
}

/// Processor time of this thread. Linux updates it only when the scheduler runs, so the thread yields first.
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
    fn a_preempted_thread_is_reported() {
        assert!(!without_preemption(|| thread::sleep(Duration::from_millis(20))).1);
    }

    #[test]
    fn every_case_is_run_and_gets_its_median() {
        let mut runs = [0u32; 2];
        let [a, b] = &mut runs;
        // Long enough to be measurable on a busy machine.
        let count = |runs: &mut u32| {
            *runs += 1;
            (0..10_000u32).fold(0, |sum, i| black_box(sum ^ i))
        };
        let medians = medians(&mut [Case::new(|| count(a)), Case::new(|| count(b))], SamplePlan::QUICK);
        assert!(medians.len() == 2 && medians.iter().all(|m| *m > 0.0));
        assert!(runs.iter().all(|r| *r >= 7));
    }
}
