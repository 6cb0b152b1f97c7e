//! Figure 7 of the paper: latency of the plain application, and of the audited one with each signature scheme.

mod process;
mod target;
mod ticks;

use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, ValueEnum};
use quorate::dsig::dynamic::SuiteId;
use quorate_audit::cli::Outcome;
use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_audit::keys::Key;
use quorate_audit::signed::SignatureScheme;
use quorate_link::Pace;
use quorate_support::pinning::pin;
use quorate_support::{errln, outln};
use serde::Serialize;

use crate::Engine;
use crate::client::{Client, ClientOptions};
use process::ServerProcess;
use target::BenchTarget;
use ticks::Ticks;

/// The requests of a round, the same for each target.
#[derive(Clone, Debug, Default)]
pub struct Workload {
    /// Number of clients. They send from one process, one request at a time.
    pub clients: usize,
    /// Encoded requests that are sent before the measurement, each with the index of its client.
    pub fill: Vec<(usize, Vec<u8>)>,
    /// Encoded requests that are measured.
    pub requests: Vec<(usize, Vec<u8>)>,
}

/// Measures the cost of auditing: the latency of requests, one at a time, between two processes.
///
/// Starts a server for each target and pins client and server to a core each. The workload is the paper's. `plain` executes
/// without signatures and without a log; `none` logs without signatures of clients. A latency begins before the signature and
/// ends with the answer. One-time keys are made and verified between requests, as on the cores that the paper dedicates to the
/// background plane. Of pinned processes the 99th percentile is stated twice: of all requests, and of those that began between
/// the timer ticks of the two cores, which are observed before each round.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Targets to measure, separated by commas: plain, none, eddsa, sodium, dsig. `sodium` is EdDSA of libsodium, for which the
    /// program must be built with the feature `sodium`; then it is one of the default targets.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = target::DEFAULT)]
    signer: Vec<BenchTarget>,
    /// Suite of DSig.
    #[arg(long, value_name = "NAME", default_value = "wots-haraka-256", value_parser = quorate_audit::cli::suite)]
    suite: SuiteId,
    /// Number of measured requests per target and round.
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    ops: u32,
    /// Number of rounds, in which the targets alternate. The round with the lowest p99 of a target (between ticks, if the
    /// processes are pinned) is reported: the least disturbed one on a machine that does other work.
    #[arg(long, value_name = "NUMBER", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// Link between the processes.
    #[arg(long, value_name = "KIND", default_value = "shm")]
    link: LinkKind,
    /// When an entry counts as durable: `kill` (written to the operating system, as in the paper) or `always` (on disk).
    #[arg(long, value_name = "WHEN", default_value = "kill", value_parser = ["kill", "always"])]
    sync: String,
    /// Cores of client and server.
    #[arg(long, value_name = "CLIENT,SERVER", value_delimiter = ',', num_args = 1, default_value = "0,1")]
    cores: Vec<usize>,
    /// Does not pin the processes, and lets them sleep when they are idle.
    #[arg(long)]
    unpinned: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LinkKind {
    /// Shared memory.
    Shm,
    /// TCP over loopback.
    Tcp,
}

#[derive(Serialize)]
struct BenchReport {
    workload: &'static str,
    link: &'static str,
    sync: String,
    ops: u32,
    rounds: u32,
    client_core: Option<usize>,
    server_core: Option<usize>,
    results: Vec<BenchRow>,
}

/// Percentiles in microseconds.
#[derive(Clone, Copy, Serialize)]
struct Percentiles {
    p10: f64,
    p50: f64,
    p90: f64,
    p99: f64,
    /// Of the requests that began between the timer ticks of the cores, if the processes are pinned and most requests did.
    p99_between_ticks: Option<f64>,
    mean: f64,
}

#[derive(Serialize)]
struct BenchRow {
    signer: &'static str,
    suite: Option<&'static str>,
    /// The least disturbed round.
    #[serde(flatten)]
    best: Percentiles,
    /// More than `plain`, at the median and at the 99th percentiles.
    added_p50: Option<f64>,
    added_p99: Option<f64>,
    added_p99_between_ticks: Option<f64>,
    /// Medians of all rounds.
    medians: Vec<f64>,
}

impl BenchArgs {
    /// Runs the command. `workload` returns at least the given number of requests, and `description` is printed.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn run<E: Engine>(
        &self,
        description: &'static str,
        workload: impl Fn(u32) -> Result<Workload, Failure>,
    ) -> Outcome {
        let cores = match (self.unpinned, self.cores.as_slice()) {
            (true, _) => None,
            (false, [client, server]) => Some((*client, *server)),
            _ => return Err(Failure::new(Exit::Usage, "--cores: expected two numbers")),
        };
        if let Some((client, _)) = cores {
            pin(client).or_fail(Exit::Input, format_args!("pinning to core {client}; try --unpinned"))?;
        }
        let warm_up = self.ops / 10 + 50;
        let workload = workload(warm_up.saturating_add(self.ops))?;
        let mut rounds: Vec<Vec<Percentiles>> = vec![Vec::new(); self.signer.len()];
        for round in 1..=self.rounds {
            for (target, results) in self.signer.iter().zip(&mut rounds) {
                if !self.json {
                    errln!("round {round} of {}: {}", self.rounds, target.name());
                }
                results.push(self.measure::<E>(*target, cores, &workload, warm_up as usize)?);
            }
        }
        let report = self.report(description, &rounds, cores);
        if self.json {
            let text = serde_json::to_string(&report).map_err(|error| Failure::failed(error.to_string()))?;
            outln!("{text}");
        } else {
            print(&report);
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Measures one round of a target.
    fn measure<E: Engine>(
        &self,
        target: BenchTarget,
        cores: Option<(usize, usize)>,
        workload: &Workload,
        warm_up: usize,
    ) -> Result<Percentiles, Failure> {
        let folder = tempfile::tempdir().or_fail(Exit::Failed, "a temporary folder")?;
        // Leaves this process on the client's core.
        let observe = |(client, server): (usize, usize)| Ticks::observe(&[server, client]);
        let ticks = cores.map(observe).transpose().or_fail(Exit::Failed, "pinning")?;
        let keys = (0..workload.clients).map(|_| Key::generate()).collect::<Result<Vec<_>, _>>()?;
        let is_plain = target == BenchTarget::Plain;
        let server_key = if E::SIGNS_ANSWERS && !is_plain { Some(Key::generate()?) } else { None };
        if let Some(key) = &server_key {
            key.save(E::application(), &folder.path().join("server.key"))?;
        }
        let listen = match self.link {
            LinkKind::Shm => "shm:bench.sock",
            LinkKind::Tcp => "127.0.0.1:0",
        };
        let signs = server_key.is_some();
        let server = ServerProcess::start(
            folder.path(),
            &keys,
            signs,
            listen,
            &self.sync,
            cores.map(|(_, server)| server),
            target,
        )?;
        let mut clients = Vec::new();
        for key in &keys {
            let options = ClientOptions {
                scheme: target.scheme(),
                library: target.library(),
                suite: self.suite,
                server: server_key.as_ref().map(Key::public).transpose()?,
                pace: if cores.is_some() { Pace::Spin } else { Pace::Sleep },
                ..ClientOptions::default()
            };
            clients.push(Client::<E>::connect(server.endpoint(), key, options)?);
        }
        let mut latencies = Vec::with_capacity(self.ops as usize);
        let mut between_ticks = Vec::with_capacity(self.ops as usize);
        let fill = workload.fill.iter().map(|request| (request, false));
        let requests = (0..).zip(&workload.requests).map(|(number, request)| (request, number >= warm_up));
        for ((client, bytes), is_measured) in fill.chain(requests) {
            let client = clients.get_mut(*client).ok_or_else(|| Failure::failed("no such client"))?;
            let command = E::decode(bytes).or_fail(Exit::Failed, "a request of the workload")?;
            // The background plane.
            client.prepare()?;
            let began = Instant::now();
            client.call(&command)?;
            let latency = began.elapsed().as_secs_f64() * 1e6;
            if is_measured {
                latencies.push(latency);
                if ticks.as_ref().is_some_and(|ticks| !ticks.are_due(began)) {
                    between_ticks.push(latency);
                }
            }
            // The receipt, if the server signs its answers.
            client.receipt()?;
        }
        latencies.sort_by(f64::total_cmp);
        between_ticks.sort_by(f64::total_cmp);
        Ok(Percentiles {
            p10: percentile(&latencies, 10),
            p50: percentile(&latencies, 50),
            p90: percentile(&latencies, 90),
            p99: percentile(&latencies, 99),
            // None if the cores were interrupted so often that few requests remain.
            p99_between_ticks: (between_ticks.len() * 2 > latencies.len())
                .then(|| percentile(&between_ticks, 99)),
            mean: latencies.iter().sum::<f64>() / latencies.len() as f64,
        })
    }

    fn report(
        &self,
        workload: &'static str,
        rounds: &[Vec<Percentiles>],
        cores: Option<(usize, usize)>,
    ) -> BenchReport {
        let tail = |round: &Percentiles| round.p99_between_ticks.unwrap_or(round.p99);
        let least =
            |rounds: &[Percentiles]| rounds.iter().copied().min_by(|a, b| tail(a).total_cmp(&tail(b)));
        let both = || self.signer.iter().zip(rounds);
        let plain = both().find(|(target, _)| **target == BenchTarget::Plain).and_then(|(_, r)| least(r));
        let row = |(target, rounds): (&BenchTarget, &Vec<Percentiles>)| {
            let best = least(rounds)?;
            let plain = plain.filter(|_| *target != BenchTarget::Plain);
            Some(BenchRow {
                signer: target.name(),
                suite: (target.scheme() == SignatureScheme::Dsig).then(|| self.suite.name()),
                best,
                added_p50: plain.map(|plain| best.p50 - plain.p50),
                added_p99: plain.map(|plain| best.p99 - plain.p99),
                added_p99_between_ticks: plain
                    .and_then(|plain| Some(best.p99_between_ticks? - plain.p99_between_ticks?)),
                medians: rounds.iter().map(|round| round.p50).collect(),
            })
        };
        BenchReport {
            workload,
            link: match self.link {
                LinkKind::Shm => "shared memory",
                LinkKind::Tcp => "TCP",
            },
            sync: self.sync.clone(),
            ops: self.ops,
            rounds: self.rounds,
            client_core: cores.map(|(client, _)| client),
            server_core: cores.map(|(_, server)| server),
            results: both().filter_map(row).collect(),
        }
    }
}

/// Returns a percentile of sorted values by nearest rank.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or_default()
}

fn print(report: &BenchReport) {
    outln!("{}", report.workload);
    let place = match (report.client_core, report.server_core) {
        (Some(client), Some(server)) => {
            format!(
                "client with its keys pinned to core {client}, server with its background thread to core {server}"
            )
        }
        _ => "not pinned".to_owned(),
    };
    outln!("{}; log: {}; {place}", report.link, report.sync);
    let lowest = if report.client_core.is_some() { "p99*" } else { "p99" };
    outln!(
        "the round with the lowest {lowest} of {}, {} requests each; microseconds",
        report.rounds,
        report.ops
    );
    outln!("p99*: of the requests that began between the timer ticks of the cores");
    let added = ["p50 added", "p99 added", "p99* added"].map(|name| format!("{name:>10}")).join(" ");
    let latencies = ["p10", "p50", "p90", "p99", "p99*"].map(|name| format!("{name:>8}")).join(" ");
    outln!("{:<24} {latencies} {added}", "");
    for line in &report.results {
        let name = line.suite.map_or(line.signer.to_owned(), |suite| format!("{} {suite}", line.signer));
        let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.2}"));
        let Percentiles { p10, p50, p90, p99, p99_between_ticks, .. } = line.best;
        let latencies = [Some(p10), Some(p50), Some(p90), Some(p99), p99_between_ticks];
        let latencies = latencies.map(|value| format!("{:>8}", number(value))).join(" ");
        let added = [line.added_p50, line.added_p99, line.added_p99_between_ticks];
        outln!("{name:<24} {latencies} {}", added.map(|value| format!("{:>10}", number(value))).join(" "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_use_the_nearest_rank() {
        let sorted: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!([10, 50, 99].map(|percent| percentile(&sorted, percent)), [10.0, 50.0, 99.0]);
        assert_eq!(percentile(&[7.0], 10), 7.0);
    }
}
