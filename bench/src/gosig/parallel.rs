//! Simulations on several threads.

use std::sync::Mutex;
use std::thread;

/// Number of simulations that run at the same time, each on one thread.
const THREADS: usize = 2;

/// Runs all jobs on several threads, and returns their results in any order, or the first error.
pub(super) fn run_parallel<J: Send, T: Send>(
    jobs: Vec<J>,
    work: impl Fn(J) -> Result<T, String> + Sync,
) -> Result<Vec<T>, String> {
    let jobs = Mutex::new(jobs.into_iter());
    let results = Mutex::new(Vec::new());
    let next = || jobs.lock().ok()?.next();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(job) = next() {
                    let result = work(job);
                    if let Ok(mut results) = results.lock() {
                        results.push(result);
                    }
                }
            });
        }
    });
    results.into_inner().map_err(|_| "a simulation panicked".to_owned())?.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_jobs_run_and_an_error_is_returned() {
        let mut done = run_parallel((0..20).collect(), |job| Ok(job * 2)).unwrap();
        done.sort_unstable();
        assert_eq!(done, (0..20).map(|job| job * 2).collect::<Vec<_>>());
        let failed =
            run_parallel(vec![1, 2, 3], |job| if job == 2 { Err("two".to_owned()) } else { Ok(job) });
        assert_eq!(failed, Err("two".to_owned()));
    }
}
