//! The measurements of `bench/`.

use clap::Args;

use crate::process::{Outcome, loud};
use crate::workspace;

/// Measures what the README and the report state, and prints each figure beside its target.
///
/// Certificates are measured in this process, networks as real `quorate testnet` processes. All medians come from
/// one run on one machine; `ed` is the time of one ed25519-dalek `verify_strict` in that run.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// What to measure: certificates, network; everything if nothing is named.
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
    if options.groups.is_empty() || options.groups.iter().any(|group| group == "network") {
        loud(workspace::cargo().args(["build", "--release", "--package", "quorate-validator"]))?;
    }
    let mut command = workspace::cargo();
    command.args(["run", "--quiet", "--release", "--package", "quorate-bench", "--"]).args(&options.groups);
    for (flag, set) in [("--quick", options.quick), ("--json", options.json), ("--write", options.write)] {
        if set {
            command.arg(flag);
        }
    }
    loud(&mut command)
}
