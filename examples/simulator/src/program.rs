//! Command-line program that runs one protocol in the simulator, one run per seed.

use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use quorate_support::histogram::Histogram;

use crate::campaign::{check, replay};
use crate::host::Host;
use crate::preset::{PRESETS, ROLLBACKS};
use crate::scenario::Scenario;

/// Protocol-specific parts of the program.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// Name of the protocol, for the help text.
    pub protocol: &'a str,
    /// Default signature scheme, and a note on it for the help text.
    pub usual: (&'a str, &'a str),
    /// Slower scheme, used by every seventeenth seed.
    pub slow: &'a str,
    /// Command that replays a run, without its seed.
    pub command: &'a str,
    /// True if the protocol tolerates the restoration of old records: it runs [`ROLLBACKS`], too.
    pub rollbacks: bool,
}

/// The run of one seed.
#[derive(Debug)]
pub struct SeedRun {
    /// Signature scheme of the votes.
    pub scheme: String,
    /// Name of the scenario, one of [`PRESETS`] or [`ROLLBACKS`].
    pub scenario: String,
    /// Number of members.
    pub nodes: usize,
    /// The seed.
    pub seed: u64,
    trace: bool,
    command: String,
}

#[derive(Default)]
struct SimulateArgs {
    seeds: Option<u64>,
    seed: u64,
    scenario: Option<String>,
    nodes: Option<usize>,
    scheme: Option<String>,
    threads: Option<NonZeroUsize>,
    trace: bool,
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
        match self.run(&options, runner) {
            Ok(runs) => {
                println!("{runs} runs, no violation");
                ExitCode::SUCCESS
            }
            Err(message) => {
                eprintln!("{message}");
                ExitCode::FAILURE
            }
        }
    }

    fn presets(&self) -> impl Iterator<Item = &'static (&'static str, &'static str)> + use<> {
        PRESETS.iter().chain(Some(&ROLLBACKS).filter(|_| self.rollbacks))
    }

    fn help(&self) -> String {
        let Program { protocol, usual: (usual, note), slow, .. } = self;
        let names: Vec<&str> = self.presets().map(|(name, _)| *name).collect();
        format!(
            "\
Runs {protocol} in the deterministic simulator, with virtual time, faults and Byzantine members.

  --seeds N        number of seeds (default 100)
  --seed S         first seed (default 0)
  --scenario NAME  scenario of every run (default: each seed uses the next of the list):
                   {}
  --nodes N        number of members (default: 4; 7 for every third seed)
  --scheme NAME    {usual} or {slow} (default: {usual}{note}; {slow} for every seventeenth seed)
  --threads N      number of parallel runs (default: one per processor); does not affect the outcome
  --trace          print every event of the first seed; implies --threads 1 unless given

The first failing seed ends the program with the violation and the command that replays it.",
            names.join(" ")
        )
    }

    /// Returns `None` if help is requested.
    fn parse(&self, mut args: impl Iterator<Item = String>) -> Result<Option<SimulateArgs>, String> {
        let mut options = SimulateArgs::default();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value; see --help"));
            let number = |text: String| {
                text.parse::<u64>().map_err(|_| format!("{arg}: expected a number, got {text:?}; see --help"))
            };
            match arg.as_str() {
                "--seeds" => options.seeds = Some(number(value()?)?),
                "--seed" => options.seed = number(value()?)?,
                "--nodes" => options.nodes = Some(number(value()?)?.clamp(1, 1000) as usize),
                "--scenario" => {
                    let name = value()?;
                    if !self.presets().any(|(known, _)| *known == name) {
                        return Err(format!("unknown scenario {name:?}; see --help"));
                    }
                    options.scenario = Some(name);
                }
                "--scheme" => {
                    let (name, (usual, _)) = (value()?, self.usual);
                    if name != usual && name != self.slow {
                        return Err(format!("unknown scheme {name:?}; expected {} or {usual}", self.slow));
                    }
                    options.scheme = Some(name);
                }
                "--threads" => {
                    let threads = usize::try_from(number(value()?)?).ok().and_then(NonZeroUsize::new);
                    options.threads = Some(threads.ok_or("--threads must be at least 1; see --help")?);
                }
                "--trace" => options.trace = true,
                "--help" | "-h" => return Ok(None),
                other => return Err(format!("unknown option {other:?}; see --help")),
            }
        }
        Ok(Some(options))
    }

    /// Returns the error of the lowest failing seed, for any number of threads: seeds are started in order, and
    /// started runs are completed.
    fn run<R: FnMut(&SeedRun) -> Result<(), String>>(
        &self,
        options: &SimulateArgs,
        runner: impl Fn() -> R + Sync,
    ) -> Result<u64, String> {
        let seeds = options.seeds.unwrap_or(if options.trace { 1 } else { 100 });
        let end = options.seed.saturating_add(seeds);
        let (next, failed) = (AtomicU64::new(options.seed), AtomicBool::new(false));
        let take = || {
            let more = |seed| Some(seed + 1).filter(|_| seed < end && !failed.load(Ordering::SeqCst));
            next.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).ok()
        };
        let until_failure = || {
            let mut one = runner();
            while let Some(seed) = take() {
                if let Err(message) = one(&self.run_for_seed(options, seed)) {
                    failed.store(true, Ordering::SeqCst);
                    return Some((seed, message));
                }
            }
            None
        };
        let most = usize::try_from(seeds).unwrap_or(usize::MAX);
        let threads = options.threads().min(most);
        let failures = thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(until_failure)).collect();
            let ended = running.into_iter().map(|thread| thread.join());
            ended.collect::<Result<Vec<_>, _>>().map_err(|_| "a run panicked".to_owned())
        })?;
        match failures.into_iter().flatten().min() {
            Some((_, message)) => Err(message),
            None => Ok(seeds),
        }
    }

    /// Returns the run of a seed, with the defaults for everything the options leave open.
    fn run_for_seed(&self, options: &SimulateArgs, seed: u64) -> SeedRun {
        let turn = (seed % self.presets().count() as u64) as usize;
        let named = || self.presets().map(|(name, _)| *name).skip(turn).take(1).collect();
        let usual = || if seed % 17 == 6 { self.slow } else { self.usual.0 };
        let scheme = options.scheme.as_deref().unwrap_or_else(usual).to_owned();
        SeedRun {
            scenario: options.scenario.clone().unwrap_or_else(named),
            nodes: options.nodes.unwrap_or(if seed % 3 == 2 { 7 } else { 4 }),
            seed,
            trace: options.trace && seed == options.seed,
            command: format!("{} --seeds 1 --seed {seed} -- --scheme {scheme}", self.command),
            scheme,
        }
    }
}

impl SimulateArgs {
    fn threads(&self) -> usize {
        let usual = || if self.trace { NonZeroUsize::MIN } else { all_processors() };
        self.threads.unwrap_or_else(usual).get()
    }
}

fn all_processors() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

impl SeedRun {
    /// Executes the run and prints its report.
    ///
    /// # Errors
    /// The violation and the command that replays it.
    pub fn check<H: Host>(
        &self,
        scenario: &Scenario,
        mut host: impl FnMut(&Scenario) -> H,
    ) -> Result<(), String> {
        if self.trace {
            println!("{}", replay(scenario, &mut host, Box::new(|entry| println!("{entry}"))));
        }
        let report = check(scenario, host, &self.command).map_err(|failure| failure.to_string())?;
        let latency = report.metrics.measured.get("commit").and_then(Histogram::median).unwrap_or_default();
        println!("{} {} {report} median commit {latency:?}", self.seed, self.scheme);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Mutex;
    use std::time::Duration;

    use super::*;

    const PROGRAM: Program<'_> = Program {
        protocol: "P",
        usual: ("fast", ", which is fast"),
        slow: "slow",
        command: "run",
        rollbacks: false,
    };

    fn parse(line: &str) -> Result<Option<SimulateArgs>, String> {
        PROGRAM.parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn a_seed_determines_its_run() {
        let none = SimulateArgs::default();
        let shape = |seed| {
            let run = PROGRAM.run_for_seed(&none, seed);
            (run.scenario, run.nodes, run.scheme)
        };
        for seed in 0..40 {
            let (scenario, nodes, scheme) = shape(seed);
            assert_eq!(scenario, PRESETS[seed as usize % PRESETS.len()].0);
            assert_eq!((nodes == 7, scheme == "slow"), (seed % 3 == 2, seed % 17 == 6));
        }
        let options = parse("--seed 5 --nodes 9 --scenario wan --scheme slow --trace").unwrap().unwrap();
        let run = PROGRAM.run_for_seed(&options, 5);
        assert_eq!((run.scenario.as_str(), run.nodes, run.trace), ("wan", 9, true));
        assert_eq!(run.command, "run --seeds 1 --seed 5 -- --scheme slow");
        assert!(!PROGRAM.run_for_seed(&options, 6).trace);
    }

    #[test]
    fn seeds_are_run_up_to_the_first_failure() {
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
            assert_eq!(PROGRAM.run(&options, runner), Err("6".to_owned()), "{threads} threads");
            let seen = seen.into_inner().unwrap();
            assert!((3..7).all(|seed| seen.contains(&seed)) && seen.len() < 60, "{seen:?}");
            assert_eq!(PROGRAM.run(&options, || |_: &SeedRun| Ok(())), Ok(90));
        }
    }

    #[test]
    fn every_seed_runs_once_and_a_trace_runs_on_one_thread() {
        let options = parse("--seeds 50 --threads 3").unwrap().unwrap();
        let seen = Mutex::new(Vec::new());
        let runner = || {
            |run: &SeedRun| {
                seen.lock().unwrap().push(run.seed);
                Ok(())
            }
        };
        assert_eq!(PROGRAM.run(&options, runner), Ok(50));
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, (0..50).collect::<Vec<_>>());
        assert_eq!(parse("--trace").unwrap().unwrap().threads(), 1);
        assert_eq!(parse("--trace --threads 2").unwrap().unwrap().threads(), 2);
    }

    #[test]
    fn command_line_errors_name_their_cause() {
        for (line, said) in [
            ("--seeds", "needs a value"),
            ("--seeds many", "expected a number"),
            ("--scenario none", "unknown scenario"),
            ("--scheme other", "expected slow or fast"),
            ("--threads 0", "at least 1"),
            ("--speed 4", "unknown option"),
        ] {
            let message = parse(line).err().unwrap();
            assert!(message.contains(said), "{line}: {message}");
        }
        assert!(parse("--help").unwrap().is_none());
        assert!(PROGRAM.help().contains("calm wan lossy slow partitions crashes byzantine chaos"));
    }
}
