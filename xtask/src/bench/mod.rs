//! The measurements of `bench/`.

mod contenders;

use clap::Args;

use crate::process::{Outcome, run_in_terminal};
use crate::steps::Log;
use crate::{environment, workspace};

/// Measures the figures of the README and the report, and prints each beside its target.
///
/// Certificates are measured in one process, networks as real `quorate testnet` processes. All medians are from one run on
/// one machine; `ed` is the time of one ed25519-dalek `verify_strict` in that run. DSig is measured in one process and in
/// the examples that use it: one of them needs `redis-server`, and is left out if it is missing; EdDSA of libsodium beside
/// that of Dalek needs Debian's package libsodium-dev, which is installed if possible, and otherwise left out. ABFT's networks over the
/// globe and Gosig's networks of thousands of nodes are simulated, which takes minutes; up to sixteen validators of each are
/// real, and those of ABFT are also simulated under the same load. Bindings are measured in processes of their languages,
/// beside other libraries from pip and npm.
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
    /// Writes the report and its plots to bench/report.
    #[arg(long)]
    write: bool,
}

/// Package and binary of each program that `bench/src/dsig/apps` measures.
const DSIG_PROGRAMS: &[(&str, &str)] = &[
    ("quorate-audited-kv", "audited-kv"),
    ("quorate-audited-redis", "audited-redis"),
    ("quorate-exchange", "exchange"),
    ("quorate-broadcast", "quorate-broadcast"),
    ("quorate-replicate", "replicate"),
];

pub(crate) fn run(args: &BenchArgs) -> Outcome {
    let wanted = |name| args.groups.is_empty() || args.groups.iter().any(|group| group == name);
    if wanted("network") || wanted("gosig") || wanted("abft") {
        run_in_terminal(workspace::cargo().args(["build", "--release", "--package", "quorate-validator"]))?;
    }
    if wanted("dsig") {
        build_dsig_programs()?;
    }
    let mut command = workspace::cargo();
    command.args(["run", "--quiet", "--release", "--package", "quorate-bench"]);
    if wanted("threshold") {
        environment::for_jerasure(&Log::new("bench threshold"))?;
        command.args(["--features", "jerasure"]);
    }
    command.arg("--").args(&args.groups);
    for (flag, set) in [("--quick", args.quick), ("--json", args.json), ("--write", args.write)] {
        if set {
            command.arg(flag);
        }
    }
    if wanted("bindings") {
        command.arg("--contenders").arg(contenders::prepare(&Log::new("bench bindings"))?);
    }
    run_in_terminal(&mut command)
}

/// Builds the programs that use DSig, with libsodium if it is there or can be installed.
fn build_dsig_programs() -> Outcome {
    let has_sodium = environment::for_sodium(&Log::new("bench libsodium"))
        .inspect_err(|reason| eprintln!("EdDSA of libsodium is not measured: {reason}"))
        .is_ok();
    let mut command = workspace::cargo();
    command.args(["build", "--release"]);
    for (package, binary) in DSIG_PROGRAMS {
        command.args(["--package", package, "--bin", binary]);
        if has_sodium {
            command.args(["--features", &format!("{package}/sodium")]);
        }
    }
    run_in_terminal(&mut command)
}
