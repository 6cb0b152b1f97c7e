//! Coverage-guided fuzzing without nightly: libFuzzer, linked through `libfuzzer-sys`, and the compiler's own
//! coverage pass, whose options are stable.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::process::{Outcome, output_of, run_in_terminal};
use crate::steps::Log;
use crate::{environment, workspace};

/// Fuzzes one target or all targets in turn, and stores inputs in target/fuzz/corpus.
///
/// `cargo test --package quorate-fuzz` runs the same targets briefly and deterministically. After a crash the input is in
/// target/fuzz/artifacts, and the output explains how to run it again.
#[derive(Debug, Args)]
pub(crate) struct FuzzArgs {
    /// The target; all targets by default.
    target: Option<String>,
    /// Seconds for each target.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Lists the targets and exits.
    #[arg(long)]
    list: bool,
    /// Runs these input files once instead of searching for new ones (requires a target).
    #[arg(long, value_name = "FILE", requires = "target", num_args = 1..)]
    replay: Vec<PathBuf>,
}

/// Maximum number of seeds of a target in `cargo xtask test`, evenly chosen. Three targets have over 30,000, which take
/// longer than the run, and which the deterministic tests run anyway.
const BRIEF_SEEDS: usize = 2_000;
/// Seconds for each target in `cargo xtask test`. The seeds always run; the search takes what they leave.
const BRIEF_SECONDS: u64 = 1;
/// The same for [`DEEP_TARGETS`] of them, which each commit chooses, so that over many commits every target gets them.
const DEEP_SECONDS: u64 = 6;
/// Maximum seconds for one input in `cargo xtask test`. The step has the lowest priority, so an input that takes half a second
/// of processor time may wait long for it.
const BRIEF_TIMEOUT: u64 = 300;
/// Number of targets that a commit chooses.
const DEEP_TARGETS: usize = 4;
/// Longest input that libFuzzer generates, in bytes: longer than every message that the targets read.
const LONGEST: usize = 64 * 1024;

/// Compiler flags for coverage. libFuzzer reads 8-bit counters and the table of program points; the trace of comparisons
/// helps it guess magic values; there is one codegen unit because the pass runs per unit.
const COVERAGE: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
    "-Cdebug-assertions=on",
    "-Coverflow-checks=on",
    "--cfg=fuzzing",
];

/// Name prefixes of the targets for the inputs of whole programs.
const PROGRAMS: &[&str] =
    &["audited-kv-", "audited-redis-", "exchange-", "node-", "replicate-", "service-", "threshold-signing-"];

pub(crate) fn run(args: &FuzzArgs) -> Outcome {
    let with_programs = |target: &String| PROGRAMS.iter().any(|program| target.starts_with(program));
    environment::for_jerasure(&Log::new("fuzz"))?;
    let effort = Effort::Thorough { programs: args.target.as_ref().is_none_or(with_programs) };
    let program = build(effort, run_in_terminal)?;
    let targets = targets(&program)?;
    if args.list {
        println!("{}", targets.join("\n"));
        return Ok(());
    }
    if let Some(target) = &args.target {
        if !targets.contains(target) {
            return Err(format!("unknown target `{target}`; expected one of:\n{}", targets.join("\n")));
        }
        if !args.replay.is_empty() {
            return run_in_terminal(fuzzer(&program, target)?.args(&args.replay));
        }
    }
    for target in targets.iter().filter(|name| args.target.as_ref().is_none_or(|wanted| wanted == *name)) {
        println!("== {target}, {} s", args.seconds);
        run_in_terminal(&mut search(&program, target, args.seconds, usize::MAX)?)?;
    }
    Ok(())
}

/// The step of `cargo xtask test`.
pub(crate) fn brief(log: &Log) -> Outcome<String> {
    let program = build(Effort::Brief, |command| log.run(command).map(drop))?;
    let targets = targets(&program)?;
    let commit = output_of(Command::new("git").current_dir(workspace::root()).args(["rev-parse", "HEAD"]));
    let deep = chosen(&targets, &commit.unwrap_or_default());
    for target in &targets {
        let seconds = if deep.contains(&target) { DEEP_SECONDS } else { BRIEF_SECONDS };
        let mut command = search(&program, target, seconds, BRIEF_SEEDS)?;
        log.run(command.arg(format!("-timeout={BRIEF_TIMEOUT}")))?;
    }
    let names: Vec<&str> = deep.into_iter().map(String::as_str).collect();
    Ok(format!(
        "{} targets, {BRIEF_SECONDS} s each, {DEEP_SECONDS} s for {}",
        targets.len(),
        names.join(", ")
    ))
}

/// The targets that a commit chooses: neighbours, beginning where its hash says.
fn chosen<'a>(targets: &'a [String], commit: &str) -> Vec<&'a String> {
    let hash = commit.get(..8).and_then(|digits| usize::from_str_radix(digits, 16).ok()).unwrap_or(0);
    let start = hash.checked_rem(targets.len()).unwrap_or(0);
    targets.iter().cycle().skip(start).take(DEEP_TARGETS.min(targets.len())).collect()
}

/// How much compiling a run is worth.
#[derive(Clone, Copy, Debug)]
enum Effort {
    /// A run of seconds: without the targets of whole programs and Jerasure, and with little optimisation, none of it for
    /// the core, because compiling either takes longer than the run.
    Brief,
    /// A run of minutes or hours: optimised, with Jerasure, and with the targets of whole programs if `programs`.
    Thorough { programs: bool },
}

/// Builds the targets.
fn build(effort: Effort, run: impl FnOnce(&mut Command) -> Outcome) -> Outcome<PathBuf> {
    let (folder, features, with_programs, opt_level) = match effort {
        Effort::Brief => ("fuzz/brief", "libfuzzer", false, 1),
        Effort::Thorough { programs } => ("fuzz/build", "libfuzzer,jerasure", programs, 3),
    };
    let folder = workspace::target(folder);
    let mut command = workspace::cargo();
    command.args([
        "build",
        "--release",
        "--package",
        "quorate-fuzz",
        "--bin",
        "fuzz",
        "--features",
        features,
    ]);
    if !with_programs {
        command.arg("--no-default-features");
    }
    // Link-time optimisation would merge the units that the coverage pass numbered.
    command.args([
        "--config",
        "profile.release.lto=false",
        "--config",
        "profile.release.debug='line-tables-only'",
    ]);
    command.args(["--config", &format!("profile.release.opt-level={opt_level}")]);
    if let Effort::Brief = effort {
        for package in ["quorate", "quorate-fuzz"] {
            command.args(["--config", &format!("profile.release.package.{package}.opt-level=0")]);
        }
    }
    // Naming the target keeps the flags away from build scripts, which have no libFuzzer to call into.
    command.args(["--target", &host()?]).arg("--target-dir").arg(&folder);
    command.env_remove("CARGO_ENCODED_RUSTFLAGS").env("RUSTFLAGS", COVERAGE.join(" "));
    run(&mut command)?;
    Ok(folder.join(host()?).join("release/fuzz"))
}

fn host() -> Outcome<String> {
    let version = output_of(Command::new("rustc").arg("-vV")).unwrap_or_default();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "`rustc -vV` names no host".to_owned())
}

fn targets(program: &PathBuf) -> Outcome<Vec<String>> {
    let listed = output_of(Command::new(program).env("QUORATE_FUZZ_TARGET", "list"));
    let names = listed.ok_or_else(|| format!("{} listed no targets", program.display()))?;
    Ok(names.lines().map(str::to_owned).collect())
}

/// libFuzzer on one target, with its corpus and no more than `limit` of its seeds.
fn search(program: &PathBuf, target: &str, seconds: u64, limit: usize) -> Outcome<Command> {
    let corpus = workspace::target("fuzz/corpus").join(target);
    fs::create_dir_all(&corpus).map_err(|e| format!("{}: {e}", corpus.display()))?;
    let mut seeds = Command::new(program);
    seeds.env("QUORATE_FUZZ_TARGET", target).env("QUORATE_FUZZ_SEEDS", &corpus);
    seeds.env("QUORATE_FUZZ_SEED_LIMIT", limit.to_string());
    output_of(&mut seeds).ok_or_else(|| format!("cannot write the seeds of `{target}`"))?;
    let mut command = fuzzer(program, target)?;
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-max_len={LONGEST}")).arg(&corpus);
    Ok(command)
}

fn fuzzer(program: &PathBuf, target: &str) -> Outcome<Command> {
    let artifacts = workspace::target("fuzz/artifacts").join(target);
    fs::create_dir_all(&artifacts).map_err(|e| format!("{}: {e}", artifacts.display()))?;
    let mut command = Command::new(program);
    command.env("QUORATE_FUZZ_TARGET", target);
    // An input that exceeds this time or memory is a finding too.
    command.args(["-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=0"]);
    command.arg(format!("-artifact_prefix={}/", artifacts.display()));
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_chooses_neighbours() {
        let targets: Vec<String> = (0..10).map(|number| format!("target-{number}")).collect();
        assert_eq!(chosen(&targets, "00000008ffff"), ["target-8", "target-9", "target-0", "target-1"]);
        assert_eq!(chosen(&targets, ""), ["target-0", "target-1", "target-2", "target-3"], "without git");
        assert_eq!(chosen(&targets[..2], "00000001"), ["target-1", "target-0"]);
        assert!(chosen(&[], "00000001").is_empty());
        let all: Vec<&String> = (0..10).flat_map(|hash| chosen(&targets, &format!("{hash:08x}"))).collect();
        assert!(targets.iter().all(|target| all.contains(&target)));
    }
}
