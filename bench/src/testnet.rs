//! Runs `testnet` of the release binary and reads its report.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::sampling::median;

/// One run of a network.
#[derive(Clone, Debug)]
pub(crate) struct Testnet {
    pub(crate) protocol: &'static str,
    pub(crate) nodes: u32,
    pub(crate) scheme: &'static str,
    /// Transactions per second.
    pub(crate) rate: f64,
    pub(crate) tx_size: u32,
    pub(crate) seconds: u32,
    /// Seconds after the start at which a validator is killed.
    pub(crate) kill: Option<(u32, u32)>,
}

/// Result of a run.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) committed_percent: f64,
    pub(crate) tx_per_second: f64,
    pub(crate) median_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) timeouts: f64,
    /// Processor time of a validator in percent of a core, the median of all.
    pub(crate) cpu_percent: f64,
    /// Number of blocks during the load.
    pub(crate) blocks: f64,
    /// Processor time of all validators during the load in seconds, by the names of their threads.
    pub(crate) threads: BTreeMap<String, f64>,
}

impl Testnet {
    /// Four validators, 512-byte transactions.
    pub(crate) fn of_four(scheme: &'static str, rate: u32, seconds: u32) -> Self {
        Self { protocol: "jolteon", nodes: 4, scheme, rate: rate.into(), tx_size: 512, seconds, kill: None }
    }

    /// The command line, for output.
    pub(crate) fn shown(&self) -> String {
        format!("quorate {}", self.arguments().join(" "))
    }

    /// Runs the network to its end.
    pub(crate) fn run(&self) -> Result<Outcome, String> {
        let output = Command::new(binary()?)
            .args(self.arguments())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .output()
            .map_err(|e| format!("{}: {e}", self.shown()))?;
        let failed = |what: &str| {
            let errors = String::from_utf8_lossy(&output.stderr);
            format!("`{}` {what}; its error output:\n{errors}", self.shown())
        };
        let report: Value =
            serde_json::from_slice(&output.stdout).map_err(|_| failed("printed no JSON object"))?;
        if !output.status.success() {
            return Err(failed("failed"));
        }
        let used = || report.get("usage").and_then(Value::as_array).into_iter().flatten();
        let mut usage: Vec<f64> = used().filter_map(|node| node.get("cpu_percent")?.as_f64()).collect();
        let mut threads: BTreeMap<String, f64> = BTreeMap::new();
        for (name, seconds) in used().filter_map(|node| node.get("threads")?.as_object()).flatten() {
            *threads.entry(name.clone()).or_default() += seconds.as_f64().unwrap_or_default();
        }
        let number = |path: &str| report.pointer(path).and_then(Value::as_f64);
        Ok(Outcome {
            committed_percent: number("/committed_percent").unwrap_or(0.0),
            tx_per_second: number("/tx_per_second").unwrap_or(0.0),
            median_ms: number("/latency_ms/median").unwrap_or(f64::INFINITY),
            p99_ms: number("/latency_ms/p99").unwrap_or(f64::INFINITY),
            timeouts: number("/timeouts").unwrap_or(f64::INFINITY),
            cpu_percent: median(&mut usage),
            blocks: number("/blocks_per_second").unwrap_or(0.0) * f64::from(self.seconds),
            threads,
        })
    }

    fn arguments(&self) -> Vec<String> {
        let mut list: Vec<String> = ["testnet", "--json"].map(str::to_owned).to_vec();
        let mut option = |name: &str, value: String| list.extend([name.to_owned(), value]);
        option("--protocol", self.protocol.to_owned());
        option("--nodes", self.nodes.to_string());
        option("--scheme", self.scheme.to_owned());
        option("--rate", self.rate.to_string());
        option("--tx-size", self.tx_size.to_string());
        option("--duration", self.seconds.to_string());
        if let Some((validator, at)) = self.kill {
            option("--kill", format!("{validator}@{at}"));
        }
        list
    }
}

/// The binary that `cargo xtask bench` built: beside this one.
fn binary() -> Result<PathBuf, String> {
    let here = env::current_exe().map_err(|e| e.to_string())?;
    let binary = here.with_file_name("quorate");
    if binary.exists() {
        Ok(binary)
    } else {
        Err(format!("{} is not built: run `cargo xtask bench`, which builds it", binary.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_has_all_options() {
        let net = Testnet { kill: Some((1, 4)), ..Testnet::of_four("bls", 5000, 20) };
        assert_eq!(
            net.shown(),
            "quorate testnet --json --protocol jolteon --nodes 4 --scheme bls --rate 5000 --tx-size 512 --duration 20 \
             --kill 1@4"
        );
    }
}
