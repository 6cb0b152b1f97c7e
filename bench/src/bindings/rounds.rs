//! Alternating samples of contenders whose speeds differ by a factor of up to ten thousand.

use super::contender::Contender;
use crate::sampling::median;

/// Number and duration of samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct SamplePlan {
    /// Number of samples of a fast contender.
    rounds: u32,
    /// Duration of one sample, in nanoseconds.
    sample: f64,
    /// Maximum total time of the samples of a slow contender.
    budget: f64,
}

impl SamplePlan {
    pub(super) fn new(quick: bool) -> Self {
        if quick {
            Self { rounds: 5, sample: 4e6, budget: 0.5e9 }
        } else {
            Self { rounds: 41, sample: 24e6, budget: 6e9 }
        }
    }

    fn samples(&self, one: f64) -> u32 {
        ((self.budget / one) as u32).clamp(1, self.rounds)
    }

    fn runs(&self, one: f64) -> u32 {
        ((self.sample / one) as u32).max(1)
    }
}

struct Turn<'a, 'c> {
    contender: &'a mut Contender<'c>,
    /// Index in the caller's list.
    place: usize,
    runs: u32,
    samples: u32,
    taken: Vec<f64>,
}

/// Median time of one run for each contender, in nanoseconds; `None` if it does not offer the operation.
pub(super) fn medians(
    contenders: &mut [Contender<'_>],
    operation: &str,
    care: SamplePlan,
) -> Result<Vec<Option<f64>>, String> {
    let mut times = vec![None; contenders.len()];
    let mut turns = Vec::new();
    for (place, contender) in contenders.iter_mut().enumerate().filter(|(_, c)| c.offers(operation)) {
        turns.push(Turn::first(contender, place, operation, care)?);
    }
    for round in 0..care.rounds {
        for turn in &mut turns {
            if due(round, turn.samples, care.rounds) {
                // Other contenders evicted the caches; a slow one refills them in its first run.
                let warm_ups = u32::from(turn.runs > 1);
                turn.taken.push(turn.contender.run(operation, turn.runs, warm_ups)?);
            }
        }
    }
    for mut turn in turns {
        if let Some(time) = times.get_mut(turn.place) {
            *time = Some(median(&mut turn.taken));
        }
    }
    Ok(times)
}

impl<'a, 'c> Turn<'a, 'c> {
    /// Determines the number of runs per sample. The first run of a very slow contender already is a sample.
    fn first(
        contender: &'a mut Contender<'c>,
        place: usize,
        operation: &str,
        care: SamplePlan,
    ) -> Result<Self, String> {
        let first = contender.run(operation, 1, 0)?;
        if care.samples(first) == 1 {
            return Ok(Self { contender, place, runs: 1, samples: 0, taken: vec![first] });
        }
        let one = contender.run(operation, 1, 1)?.max(1.0);
        Ok(Self { contender, place, runs: care.runs(one), samples: care.samples(one), taken: Vec::new() })
    }
}

/// Returns true if this round has one of `samples` samples, which are spread evenly over `rounds`.
fn due(round: u32, samples: u32, rounds: u32) -> bool {
    (round + 1) * samples / rounds > round * samples / rounds
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::thread::sleep;
    use std::time::Duration;

    use super::super::contender::Operations;
    use super::*;

    #[test]
    fn samples_lie_evenly_in_the_rounds() {
        for samples in 0..=7 {
            assert_eq!((0..7).filter(|round| due(*round, samples, 7)).count() as u32, samples);
        }
        assert_eq!(
            (0..6).map(|round| due(round, 2, 6)).collect::<Vec<_>>(),
            [false, false, true, false, false, true]
        );
    }

    #[test]
    fn samples_alternate_between_offering_contenders() {
        let order = RefCell::new(Vec::new());
        let contender = |name: &'static str, operation: &'static str| {
            let order = &order;
            let work = move || {
                sleep(Duration::from_millis(5));
                order.borrow_mut().push(name);
            };
            let mut operations = Operations::new();
            operations.insert(operation, Box::new(work));
            Contender::in_process(name, "", operations)
        };
        let mut all = [contender("a", "x"), contender("b", "y"), contender("c", "x")];
        let care = SamplePlan { rounds: 3, sample: 1.0, budget: 1e12 };
        let times = medians(&mut all, "x", care).unwrap();
        assert!(times.iter().map(Option::is_some).eq([true, false, true]), "{times:?}");
        assert!(order.borrow().ends_with(&["a", "c", "a", "c", "a", "c"]), "{order:?}");
    }
}
