//! Command-line program that runs one protocol in the simulator, one run per seed.

mod arguments;
mod progress;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

use quorate::scheme::with_memo;
use quorate_support::histogram::Histogram;

use crate::campaign::{check, replay};
use crate::host::Host;
use crate::preset::RunLength;
use crate::scenario::Scenario;
pub use arguments::Program;
use arguments::SimulateArgs;
use progress::{INTERRUPTED, Progress, interruption};

/// The run of one seed.
#[derive(Debug)]
pub struct SeedRun {
    /// Signature scheme of the votes.
    pub scheme: String,
    /// Name of the scenario, one of [`PRESETS`](crate::PRESETS) or [`ROLLBACKS`](crate::ROLLBACKS).
    pub scenario: String,
    /// Number of members.
    pub nodes: usize,
    /// The seed.
    pub seed: u64,
    /// Length of the run.
    pub length: RunLength,
    /// Whether every signature is verified by every member, as in a node; otherwise once for all of them.
    is_thorough: bool,
    trace: bool,
    command: String,
}

/// Outcome of the program without a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// All seeds were run.
    Done(u64),
    /// Ctrl-C ended the program; the seeds before this one were run.
    Interrupted { next: u64 },
}

impl Program<'_> {
    /// Parses the command line and executes the runs until the first failure. `runner` is called once per thread; it
    /// returns a function that executes single runs with [`SeedRun::check`].
    pub fn main<R: FnMut(&SeedRun) -> Result<(), String>>(&self, runner: impl Fn() -> R + Sync) -> ExitCode {
        let options = match self.parse(std::env::args().skip(1)) {
            Ok(Some(options)) => options,
            Ok(None) => {
                eprintln!("{}", self.help());
                return ExitCode::SUCCESS;
            }
            Err(message) => {
                eprintln!("{message}");
                return ExitCode::from(2);
            }
        };
        let stop = match interruption() {
            Ok(flag) => flag,
            Err(error) => {
                eprintln!("cannot handle Ctrl-C: {error}");
                return ExitCode::FAILURE;
            }
        };
        let mut progress = Progress::new(options.seeds());
        let outcome = self.run(&options, &stop, &mut progress, runner);
        progress.clear();
        let first = options.seed;
        match outcome {
            Ok(Outcome::Done(runs)) => {
                if options.sweep {
                    println!("{:.1?} for the seeds from {first}", progress.elapsed());
                }
                println!("{runs} runs, no violation");
                ExitCode::SUCCESS
            }
            Ok(Outcome::Interrupted { next }) => {
                println!("interrupted: the seeds from {first} to before {next} had no violation");
                println!("continue with: {}", self.continuation(&options, next));
                ExitCode::from(INTERRUPTED)
            }
            Err(message) => {
                eprintln!("{message}");
                ExitCode::FAILURE
            }
        }
    }

    /// Returns the command for the seeds from `next` on.
    fn continuation(&self, options: &SimulateArgs, next: u64) -> String {
        let (left, rest) = (options.end() - next, options.rest());
        format!(
            "{} --seed {next} --seeds {left}{}{rest}",
            self.command,
            if rest.is_empty() { "" } else { " --" }
        )
    }

    /// Returns the error of the lowest failing seed, for any number of threads: seeds are started in order, and
    /// started runs are completed.
    fn run<R: FnMut(&SeedRun) -> Result<(), String>>(
        &self,
        options: &SimulateArgs,
        stop: &AtomicBool,
        progress: &mut Progress,
        runner: impl Fn() -> R + Sync,
    ) -> Result<Outcome, String> {
        let end = options.end();
        let (next, failed) = (AtomicU64::new(options.seed), AtomicBool::new(false));
        let take = || {
            let continues = || !failed.load(Ordering::SeqCst) && !stop.load(Ordering::SeqCst);
            let more = |seed| Some(seed + 1).filter(|_| seed < end && continues());
            next.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).ok()
        };
        let until_failure = |done: mpsc::Sender<()>| {
            let mut one = runner();
            while let Some(seed) = take() {
                if let Err(message) = one(&self.run_for_seed(options, seed)) {
                    failed.store(true, Ordering::SeqCst);
                    return Some((seed, message));
                }
                // The receiver outlives all threads.
                let _ = done.send(());
            }
            None
        };
        let most = usize::try_from(end - options.seed).unwrap_or(usize::MAX);
        let threads = options.threads().min(most);
        let failures = thread::scope(|scope| {
            let (sender, done) = mpsc::channel();
            let until_failure = &until_failure;
            let start = |sender| scope.spawn(move || until_failure(sender));
            let running: Vec<_> = (0..threads).map(|_| start(sender.clone())).collect();
            drop(sender);
            while let Ok(()) | Err(mpsc::RecvTimeoutError::Timeout) =
                done.recv_timeout(progress.interval()).inspect(|()| progress.count())
            {
                if options.sweep {
                    progress.update();
                }
            }
            let ended = running.into_iter().map(|thread| thread.join());
            ended.collect::<Result<Vec<_>, _>>().map_err(|_| "a run panicked".to_owned())
        })?;
        match (failures.into_iter().flatten().min(), next.into_inner()) {
            (Some((_, message)), _) => Err(message),
            (None, next) if next < end => Ok(Outcome::Interrupted { next }),
            (None, _) => Ok(Outcome::Done(end - options.seed)),
        }
    }

    /// Returns the run of a seed, with the defaults for everything the options leave open.
    fn run_for_seed(&self, options: &SimulateArgs, seed: u64) -> SeedRun {
        let presets = self.presets().count() as u64;
        let (round, turn) = (seed / presets, (seed % presets) as usize);
        let named = || self.presets().map(|(name, _)| *name).skip(turn).take(1).collect();
        let is_thorough = !options.sweep && seed % 5 == 4;
        let usual = if is_thorough { self.slow } else { self.usual.0 };
        let scheme = options.scheme.as_deref().unwrap_or(usual).to_owned();
        let (length, sweep) =
            if options.sweep { (RunLength::Short, " --sweep") } else { (RunLength::Full, "") };
        SeedRun {
            scenario: options.scenario.clone().unwrap_or_else(named),
            nodes: options.nodes.unwrap_or(if round % 3 == 2 { 7 } else { 4 }),
            seed,
            length,
            is_thorough,
            trace: options.trace && seed == options.seed,
            command: format!("{} --seeds 1 --seed {seed} --{sweep} --scheme {scheme}", self.command),
            scheme,
        }
    }
}

impl SeedRun {
    /// Executes the run and, unless it is short, prints its report.
    ///
    /// # Errors
    /// The violation and the command that replays it.
    pub fn check<H: Host>(
        &self,
        scenario: &Scenario,
        host: impl FnMut(&Scenario) -> H,
    ) -> Result<(), String> {
        if self.is_thorough {
            self.execute(scenario, host)
        } else {
            with_memo(|| self.execute(scenario, host))
        }
    }

    fn execute<H: Host>(
        &self,
        scenario: &Scenario,
        mut host: impl FnMut(&Scenario) -> H,
    ) -> Result<(), String> {
        if self.trace {
            println!("{}", replay(scenario, &mut host, Box::new(|entry| println!("{entry}"))));
        }
        let report = check(scenario, host, &self.command).map_err(|failure| failure.to_string())?;
        if self.length == RunLength::Full || self.trace {
            let commits = report.metrics.measured.get("commit");
            let latency = commits.and_then(Histogram::median).unwrap_or_default();
            println!("{} {} {report} median commit {latency:?}", self.seed, self.scheme);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Mutex;
    use std::time::Duration;

    use super::arguments::tests::{PROGRAM, parse};
    use super::*;

    fn run_all<R: FnMut(&SeedRun) -> Result<(), String>>(
        options: &SimulateArgs,
        stop: &AtomicBool,
        runner: impl Fn() -> R + Sync,
    ) -> Result<Outcome, String> {
        PROGRAM.run(options, stop, &mut Progress::new(options.seeds()), runner)
    }

    #[test]
    fn a_seed_determines_its_run() {
        let none = SimulateArgs::default();
        let shape = |seed| {
            let run = PROGRAM.run_for_seed(&none, seed);
            (run.scenario, run.nodes, run.scheme)
        };
        let presets: Vec<&str> = PROGRAM.presets().map(|(name, _)| *name).collect();
        let mut met = BTreeSet::new();
        for seed in 0..135 {
            let (scenario, nodes, scheme) = shape(seed);
            assert_eq!(scenario, presets[seed as usize % presets.len()]);
            met.insert((scenario, nodes, scheme));
        }
        assert_eq!(met.len(), presets.len() * 4);
        let options = parse("--seed 5 --nodes 9 --scenario wan --scheme slow --trace").unwrap().unwrap();
        let run = PROGRAM.run_for_seed(&options, 5);
        assert_eq!((run.scenario.as_str(), run.nodes, run.trace), ("wan", 9, true));
        assert_eq!(run.command, "run --seeds 1 --seed 5 -- --scheme slow");
        assert!(!PROGRAM.run_for_seed(&options, 6).trace);
        let sweep = PROGRAM.run_for_seed(&parse("--sweep").unwrap().unwrap(), 6);
        assert_eq!((sweep.scheme.as_str(), sweep.length), ("fast", RunLength::Short));
        assert_eq!(sweep.command, "run --seeds 1 --seed 6 -- --sweep --scheme fast");
    }

    #[test]
    fn seeds_are_run_up_to_the_first_failure() {
        let never = AtomicBool::new(false);
        for threads in 1..5 {
            let options = parse(&format!("--seeds 90 --seed 3 --threads {threads}")).unwrap().unwrap();
            let seen = Mutex::new(BTreeSet::new());
            // The higher seed fails sooner and must not be reported.
            let runner = || {
                |run: &SeedRun| {
                    seen.lock().unwrap().insert(run.seed);
                    thread::sleep(Duration::from_millis(if run.seed == 6 { 20 } else { 1 }));
                    if run.seed == 6 || run.seed == 7 { Err(run.seed.to_string()) } else { Ok(()) }
                }
            };
            assert_eq!(run_all(&options, &never, runner), Err("6".to_owned()), "{threads} threads");
            let seen = seen.into_inner().unwrap();
            assert!((3..7).all(|seed| seen.contains(&seed)) && seen.len() < 60, "{seen:?}");
            assert_eq!(run_all(&options, &never, || |_: &SeedRun| Ok(())), Ok(Outcome::Done(90)));
        }
    }

    #[test]
    fn every_seed_runs_once_until_an_interruption() {
        let stop = AtomicBool::new(false);
        let options = parse("--seeds 50 --threads 3").unwrap().unwrap();
        let seen = Mutex::new(Vec::new());
        let runner = || {
            |run: &SeedRun| {
                seen.lock().unwrap().push(run.seed);
                stop.fetch_or(run.seed >= 60, Ordering::SeqCst);
                Ok(())
            }
        };
        assert_eq!(run_all(&options, &stop, runner), Ok(Outcome::Done(50)));
        let more = parse("--seeds 50 --seed 50 --threads 3").unwrap().unwrap();
        let Ok(Outcome::Interrupted { next }) = run_all(&more, &stop, runner) else {
            panic!("no interruption")
        };
        assert!((61..65).contains(&next), "{next}");
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, (0..next).collect::<Vec<_>>());
        let more = parse("--sweep --seeds 90 --scenario wan --nodes 4 --threads 2").unwrap().unwrap();
        let rest = "run --seed 40 --seeds 50 -- --sweep --scenario wan --nodes 4 --threads 2";
        assert_eq!(PROGRAM.continuation(&more, 40), rest);
    }
}
