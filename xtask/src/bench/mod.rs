//! The measurements of `bench/`.

mod contenders;

use clap::Args;

use crate::process::{Outcome, loud};
use crate::steps::Log;
use crate::{environment, workspace};

/// Measures what the README and the report state, and prints each figure beside its target.
///
/// Certificates are measured in this process, networks as real `quorate testnet` processes. All medians come from
/// one run on one machine; `ed` is the time of one ed25519-dalek `verify_strict` in that run. DSig is measured in this
/// process, and in the examples that use it: one of them needs `redis-server`, and is left out where it is missing.
/// Gosig's networks of thousands of nodes are simulated, which takes minutes; sixteen of its validators are real.
/// Bindings are measured in processes of their languages, next to other libraries of these, which are installed from
/// pip and npm.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// What to measure: certificates, dsig, threshold, gosig, network, bindings; everything if nothing is named.
    groups: Vec<String>,
    /// Fewer samples, shorter networks: to see that it works, not to quote.
    #[arg(long)]
    quick: bool,
    /// One JSON object instead of the table.
    #[arg(long)]
    json: bool,
    /// Write the report and its plots to bench/report.
    #[arg(long)]
    write: bool,
}

pub(crate) fn run(options: &Options) -> Outcome {
    let wanted = |name| options.groups.is_empty() || options.groups.iter().any(|group| group == name);
    if wanted("network") || wanted("gosig") {
        loud(workspace::cargo().args(["build", "--release", "--package", "quorate-validator"]))?;
    }
    if wanted("dsig") {
        let programs = ["--bin", "audited-redis", "--bin", "quorate-broadcast"];
        let packages = ["--package", "quorate-audited-redis", "--package", "quorate-broadcast"];
        loud(workspace::cargo().args(["build", "--release"]).args(packages).args(programs))?;
    }
    let mut command = workspace::cargo();
    command.args(["run", "--quiet", "--release", "--package", "quorate-bench"]);
    if wanted("threshold") {
        environment::for_jerasure(&Log::of("bench threshold"))?;
        command.args(["--features", "jerasure"]);
    }
    command.arg("--").args(&options.groups);
    for (flag, set) in [("--quick", options.quick), ("--json", options.json), ("--write", options.write)] {
        if set {
            command.arg(flag);
        }
    }
    if wanted("bindings") {
        command.arg("--contenders").arg(contenders::prepare(&Log::of("bench bindings"))?);
    }
    loud(&mut command)
}
