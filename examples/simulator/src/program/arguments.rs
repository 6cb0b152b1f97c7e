//! Command line of a program.

use std::num::NonZeroUsize;
use std::thread;

use crate::preset::{PRESETS, ROLLBACKS};

/// Protocol-specific parts of the program.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// Name of the protocol, for the help text.
    pub protocol: &'a str,
    /// Default signature scheme, and a note on it for the help text.
    pub usual: (&'a str, &'a str),
    /// Slower scheme, used by every fifth seed outside sweeps.
    pub slow: &'a str,
    /// Command that replays a run, without its seed.
    pub command: &'a str,
    /// True if the protocol tolerates the restoration of old records: it runs [`ROLLBACKS`], too.
    pub rollbacks: bool,
}

/// Parsed options.
#[derive(Default)]
pub(super) struct SimulateArgs {
    pub(super) seeds: Option<u64>,
    pub(super) seed: u64,
    pub(super) sweep: bool,
    pub(super) scenario: Option<String>,
    pub(super) nodes: Option<usize>,
    pub(super) scheme: Option<String>,
    pub(super) threads: Option<NonZeroUsize>,
    pub(super) trace: bool,
}

impl SimulateArgs {
    pub(super) fn seeds(&self) -> u64 {
        self.seeds.unwrap_or(match (self.trace, self.sweep) {
            (true, _) => 1,
            (false, true) => 100_000,
            (false, false) => 100,
        })
    }

    /// The first seed that is not run.
    pub(super) fn end(&self) -> u64 {
        self.seed.saturating_add(self.seeds())
    }

    /// Returns the options other than the seeds, each after a space.
    pub(super) fn rest(&self) -> String {
        let options = [
            self.sweep.then(|| "--sweep".to_owned()),
            self.scenario.as_ref().map(|name| format!("--scenario {name}")),
            self.nodes.map(|nodes| format!("--nodes {nodes}")),
            self.scheme.as_ref().map(|name| format!("--scheme {name}")),
            self.threads.map(|threads| format!("--threads {threads}")),
        ];
        options.into_iter().flatten().fold(String::new(), |all, option| all + " " + &option)
    }

    pub(super) fn threads(&self) -> usize {
        let usual = || if self.trace { NonZeroUsize::MIN } else { all_processors() };
        self.threads.unwrap_or_else(usual).get()
    }
}

fn all_processors() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

impl Program<'_> {
    pub(super) fn presets(&self) -> impl Iterator<Item = &'static (&'static str, &'static str)> + use<> {
        PRESETS.iter().chain(Some(&ROLLBACKS).filter(|_| self.rollbacks))
    }

    pub(super) fn help(&self) -> String {
        let Program { protocol, usual: (usual, note), slow, .. } = self;
        let names: Vec<&str> = self.presets().map(|(name, _)| *name).collect();
        format!(
            "\
Runs {protocol} in the deterministic simulator, with virtual time, faults and Byzantine members.

  --seeds N        number of seeds (default 100; with --sweep 100000)
  --seed S         first seed (default 0)
  --sweep          short runs with {usual}, for many seeds: faults for 4 s instead of 10, and a run ends when
                   every correct member makes progress after the last fault; shows the progress, not each run
  --scenario NAME  scenario of every run (default: each seed uses the next of the list):
                   {}
  --nodes N        number of members (default: 4; 7 for a third of the seeds)
  --scheme NAME    {usual} or {slow} (default: {usual}{note}; {slow} for every fifth seed
                   without --sweep)
  --threads N      number of parallel runs (default: one per processor); does not affect the outcome
  --trace          print every event of the first seed; implies --threads 1 unless given

The first failing seed ends the program with the violation and the command that replays it. Ctrl-C ends it after the
runs in progress and prints what was done. Exit codes: 0 no violation, 1 violation, 2 wrong option, 130 Ctrl-C.",
            names.join(" ")
        )
    }

    /// Returns `None` if help is requested.
    pub(super) fn parse(
        &self,
        mut args: impl Iterator<Item = String>,
    ) -> Result<Option<SimulateArgs>, String> {
        let mut options = SimulateArgs::default();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value; see --help"));
            let number = |text: String| {
                text.parse::<u64>().map_err(|_| format!("{arg}: expected a number, got {text:?}; see --help"))
            };
            match arg.as_str() {
                "--seeds" => {
                    let seeds = Some(number(value()?)?).filter(|seeds| *seeds > 0);
                    options.seeds = Some(seeds.ok_or("--seeds must be at least 1; see --help")?);
                }
                "--seed" => options.seed = number(value()?)?,
                "--sweep" => options.sweep = true,
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
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::program) const PROGRAM: Program<'_> = Program {
        protocol: "P",
        usual: ("fast", ", which is fast"),
        slow: "slow",
        command: "run",
        rollbacks: true,
    };

    pub(in crate::program) fn parse(line: &str) -> Result<Option<SimulateArgs>, String> {
        PROGRAM.parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn command_line_errors_name_their_cause() {
        for (line, said) in [
            ("--seeds", "needs a value"),
            ("--seeds many", "expected a number"),
            ("--scenario none", "unknown scenario"),
            ("--scheme other", "expected slow or fast"),
            ("--threads 0", "at least 1"),
            ("--seeds 0", "at least 1"),
            ("--speed 4", "unknown option"),
        ] {
            let message = parse(line).err().unwrap();
            assert!(message.contains(said), "{line}: {message}");
        }
        assert!(parse("--help").unwrap().is_none());
        assert!(PROGRAM.help().contains("calm wan lossy slow partitions crashes byzantine chaos rollbacks"));
    }

    #[test]
    fn a_trace_has_one_thread_and_one_seed_and_a_sweep_many_seeds() {
        let options = |line| parse(line).unwrap().unwrap();
        assert_eq!((options("--trace").threads(), options("--trace --sweep").seeds()), (1, 1));
        assert_eq!(options("--trace --threads 2").threads(), 2);
        assert_eq!((options("").seeds(), options("--sweep").seeds()), (100, 100_000));
        assert_eq!(options("--sweep --seeds 7").seeds(), 7);
    }
}
