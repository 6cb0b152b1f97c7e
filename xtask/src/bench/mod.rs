//! The measurements of `bench/`.

mod contenders;

use std::process::Command;

use clap::Args;

use crate::process::{Outcome, run_in_terminal};
use crate::steps::Log;
use crate::{documents, environment, workspace};

/// Measures the figures of the README and the report, and prints each beside its target.
///
/// Certificates are measured in one process, networks as real `quorate testnet` processes. All medians are from one run on
/// one machine; `ed` is the time of one ed25519-dalek `verify_strict` in that run. DSig is measured in one process and in
/// the examples that use it: one of them needs `redis-server`, and is left out if it is missing; EdDSA of libsodium beside
/// that of Dalek needs Debian's package libsodium-dev, which is installed if possible, and otherwise left out. ABFT's networks over the
/// globe and Gosig's networks of thousands of nodes are simulated, which takes minutes; up to sixteen validators of each are
/// real, and those of ABFT are also simulated under the same load. All programs are built together, with the features that
/// any of them needs. Bindings are measured in processes of their languages, beside other libraries from pip and npm.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Groups to measure: certificates, dsig, threshold, abft, gosig, network, bindings; all by default.
    groups: Vec<String>,
    /// Takes fewer samples and runs shorter networks: to test the benchmarks, not to quote.
    #[arg(long)]
    quick: bool,
    /// Prints one JSON object instead of the table.
    #[arg(long)]
    json: bool,
    /// Writes the report and its plots to bench/report, and the figures that documents quote from it.
    #[arg(long)]
    write: bool,
}

/// Packages of the programs that `bench/src/dsig/apps` measures.
const DSIG_PROGRAMS: &[&str] = &[
    "quorate-audited-kv",
    "quorate-audited-redis",
    "quorate-exchange",
    "quorate-broadcast",
    "quorate-replicate",
];

pub(crate) fn run(args: &BenchArgs) -> Outcome {
    let wanted = |name| args.groups.is_empty() || args.groups.iter().any(|group| group == name);
    // One call, so that all programs share the same build of the libraries.
    let mut build = workspace::cargo();
    build.args(["build", "--release", "--bins", "--package", "quorate-bench"]);
    if wanted("network") || wanted("gosig") || wanted("abft") {
        build.args(["--package", "quorate-validator"]);
    }
    if wanted("dsig") {
        add_dsig_programs(&mut build);
    }
    if wanted("threshold") {
        environment::for_jerasure(&Log::new("bench threshold"))?;
        build.args(["--features", "quorate-bench/jerasure"]);
    }
    run_in_terminal(&mut build)?;
    let mut command = Command::new(workspace::target("release").join("quorate-bench"));
    command.current_dir(workspace::root()).args(&args.groups);
    for (flag, set) in [("--quick", args.quick), ("--json", args.json), ("--write", args.write)] {
        if set {
            command.arg(flag);
        }
    }
    if wanted("bindings") {
        command.arg("--contenders").arg(contenders::prepare(&Log::new("bench bindings"))?);
    }
    run_in_terminal(&mut command)?;
    if args.write { documents::update_figures() } else { Ok(()) }
}

/// Package of the program that measures the links of those programs.
const LINK_PROGRAM: &str = "quorate-link";

/// Adds the programs that use DSig to a build, with libsodium if it is there or can be installed.
fn add_dsig_programs(build: &mut Command) {
    let has_sodium = environment::for_sodium(&Log::new("bench libsodium"))
        .inspect_err(|reason| eprintln!("EdDSA of libsodium is not measured: {reason}"))
        .is_ok();
    build.args(["--package", LINK_PROGRAM]);
    for package in DSIG_PROGRAMS {
        build.args(["--package", package]);
        if has_sodium {
            build.args(["--features", &format!("{package}/sodium")]);
        }
    }
}
