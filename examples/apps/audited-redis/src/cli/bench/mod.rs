//! Figure 7 of the paper: latency of plain Redis, and of an audited one with each signature scheme.

mod crypto;
mod machines;
mod target;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use quorate::dsig::dynamic::SuiteId;
use quorate_audited_redis::client::{Client, ClientOptions};
use quorate_audited_redis::eddsa::EddsaLibrary;
use quorate_audited_redis::failure::{Exit, Failure, OrFail};
use quorate_audited_redis::frame::SignatureScheme;
use quorate_audited_redis::keys::Key;
use quorate_audited_redis::resp::encode_command;
use quorate_support::pinning::pin;
use quorate_support::rng::nth_output;
use quorate_support::{errln, outln};
use serde::Serialize;

use super::common::{Outcome, interrupted};
use machines::{Direct, Front, Redis};
use target::BenchTarget;

/// Measures the cost of auditing: the latency of commands, one at a time, over loopback.
///
/// Starts a redis-server and a front in a temporary folder. The workload is the paper's: keys of 16 bytes, values
/// of 32, one SET per four GETs, of which nine in ten find a value. `direct` is plain Redis, `none` a front that
/// logs without signatures: the difference between `none` and `dsig` or `eddsa` is the cost of signatures.
///
/// Client, front and Redis are pinned to one core, because they work one after another, and to wake a process on another core
/// takes longer than its work. One-time keys are made and verified between commands, as on the cores that the paper dedicates
/// to the background plane. The targets take turns of 500 commands, and a percentile is the median of those of the turns: work
/// that the machine does in fewer than half of the turns hardly changes it. The same holds for the tail: the p99 is that of a
/// usual turn.
#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// Targets to measure, separated by commas: direct, none, eddsa, sodium, dsig. `sodium` is EdDSA of libsodium, for which
    /// the program must be built with the feature `sodium`; then it is one of the default targets.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = target::DEFAULT)]
    signer: Vec<BenchTarget>,
    /// Suite of DSig.
    #[arg(long, value_name = "NAME", default_value = "wots-haraka-256", value_parser = super::common::suite)]
    suite: SuiteId,
    /// Number of measured commands per target.
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    ops: u32,
    /// When an entry counts as durable: `kill` (written to the operating system, as in the paper) or `always` (on
    /// disk).
    #[arg(long, value_name = "WHEN", default_value = "kill", value_parser = ["kill", "always"])]
    sync: String,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    /// Core of all processes.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, conflicts_with = "unpinned")]
    core: usize,
    /// Pins no process.
    #[arg(long)]
    unpinned: bool,
}

#[derive(Serialize)]
struct BenchReport {
    sync: String,
    /// Core of all processes.
    core: Option<usize>,
    workload: &'static str,
    results: Vec<BenchRow>,
}

#[derive(Serialize)]
struct BenchRow {
    signer: &'static str,
    suite: Option<&'static str>,
    ops: u32,
    /// Microseconds, like all fields below.
    p10: f64,
    p50: f64,
    p90: f64,
    p99: f64,
    mean: f64,
    /// Time of one signature, with keys made in advance.
    sign: Option<f64>,
    /// Time of one verification, with the batch announced in advance.
    verify: Option<f64>,
}

impl BenchArgs {
    pub(super) fn run(&self) -> Outcome {
        if !self.unpinned {
            // The child processes inherit it.
            pin(self.core)
                .or_fail(Exit::Input, format_args!("pinning to core {}; try --unpinned", self.core))?;
        }
        // A single thread, like a client that waits for each answer: no thread switches are measured.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::failed(format!("starting: {error}")))?;
        let report = runtime.block_on(async {
            tokio::select! {
                report = self.measure() => report.map(Some),
                () = interrupted()? => Ok(None),
            }
        })?;
        let Some(report) = report else { return Ok(ExitCode::from(130)) };
        if self.json {
            let text = serde_json::to_string(&report).map_err(|error| Failure::failed(error.to_string()))?;
            outln!("{text}");
        } else {
            print(&report);
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn measure(&self) -> Result<BenchReport, Failure> {
        let folder = tempfile::tempdir().map_err(|error| Failure::failed(error.to_string()))?;
        let redis = Redis::start(folder.path()).await?;
        // A connection for each: the front accepts only one with a key.
        let keys = self.signer.iter().map(|_| Key::generate()).collect::<Result<Vec<_>, _>>()?;
        let front = |library| Front::start(folder.path(), &redis, &keys, &self.sync, library);
        let dalek = front(EddsaLibrary::Dalek).await?;
        // A front verifies with one library.
        let sodium = match self.signer.contains(&BenchTarget::Sodium) {
            true => Some(front(EddsaLibrary::Sodium).await?),
            false => None,
        };
        let mut connections = Vec::new();
        for (target, key) in self.signer.iter().zip(&keys) {
            let mut plain = redis.connect().await?;
            fill(&mut plain).await?;
            let library = target.library();
            connections.push(match target.scheme() {
                None => Connection::Plain(plain),
                Some(scheme) => {
                    let front = sodium.as_ref().filter(|_| library == EddsaLibrary::Sodium).unwrap_or(&dalek);
                    let suite = self.suite;
                    let options = ClientOptions { scheme, library, suite, ..ClientOptions::default() };
                    Connection::Audited(Client::connect(front.address(), key, options).await?)
                }
            });
        }
        let turns = self.turns(&mut connections).await?;
        let mut results = Vec::new();
        for (target, turns) in self.signer.iter().zip(&turns) {
            let (scheme, library) = (target.scheme(), target.library());
            let crypto =
                scheme.map(|scheme| crypto::measure(scheme, library, self.suite)).transpose()?.flatten();
            results.push(BenchRow {
                signer: target.name(),
                suite: (scheme == Some(SignatureScheme::Dsig)).then(|| self.suite.name()),
                ops: self.ops,
                p10: median_of(turns, |turn| percentile(turn, 10)),
                p50: median_of(turns, |turn| percentile(turn, 50)),
                p90: median_of(turns, |turn| percentile(turn, 90)),
                p99: median_of(turns, |turn| percentile(turn, 99)),
                mean: median_of(turns, |turn| turn.iter().sum::<f64>() / turn.len() as f64),
                sign: crypto.map(|(sign, _)| sign),
                verify: crypto.map(|(_, verify)| verify),
            });
        }
        let workload = "keys of 16 bytes, values of 32; 20 % SET, 80 % GET, 90 % of which find a value";
        let core = (!self.unpinned).then_some(self.core);
        Ok(BenchReport { sync: self.sync.clone(), core, workload, results })
    }

    /// Returns the latencies of each turn of each target, sorted. The targets alternate, because a machine is not always equally
    /// fast.
    async fn turns(&self, targets: &mut [Connection]) -> Result<Vec<Vec<Vec<f64>>>, Failure> {
        let warm_up = self.ops / 10 + 50;
        let end = warm_up + self.ops;
        let mut turns = vec![Vec::new(); targets.len()];
        let first = std::iter::once(0..warm_up);
        let measured = (warm_up..end).step_by(TURN).map(|start| start..end.min(start + TURN as u32));
        for numbers in first.chain(measured) {
            let is_measured = numbers.start >= warm_up;
            if is_measured && !self.json && (numbers.start - warm_up).is_multiple_of(PROGRESS) {
                errln!("{} of {} commands", numbers.start - warm_up, self.ops);
            }
            for (target, turns) in targets.iter_mut().zip(&mut turns) {
                let mut latencies = Vec::with_capacity(TURN);
                for number in numbers.clone() {
                    let command = command(number)?;
                    target.prepare().await;
                    let began = Instant::now();
                    target.call(&command).await?;
                    latencies.push(began.elapsed().as_secs_f64() * 1e6);
                }
                if is_measured {
                    latencies.sort_by(f64::total_cmp);
                    turns.push(latencies);
                }
            }
        }
        Ok(turns)
    }
}

enum Connection {
    Plain(Direct),
    Audited(Client),
}

impl Connection {
    /// Lets the background plane work, of which the client sees only its own half.
    async fn prepare(&self) {
        if let Self::Audited(client) = self
            && client.prepared().await
        {
            // Without sleep, so that the core does not sleep either.
            let began = Instant::now();
            while began.elapsed() < VERIFICATION {
                std::thread::yield_now();
            }
        }
    }

    async fn call(&mut self, command: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Plain(direct) => direct.call(command).await,
            Self::Audited(client) => {
                let answer = client.send(command).await?.answer().await?;
                if answer.entry.is_none() {
                    let text = String::from_utf8_lossy(&answer.reply).into_owned();
                    return Err(Failure::failed(format!("the front refused a command: {text}")));
                }
                Ok(())
            }
        }
    }
}

/// Number of commands of a target before the next one's turn.
const TURN: usize = 500;
/// Number of commands between two reports of progress.
const PROGRESS: u32 = 2000;
/// Time for the front to verify an announcement.
const VERIFICATION: Duration = Duration::from_millis(5);
/// Number of keys.
const KEYS: u64 = 1000;

/// Returns the command with this number, the same for each target.
fn command(number: u32) -> Result<Vec<u8>, Failure> {
    let random = nth_output(number.into());
    let (key, value) = (random % KEYS, format!("{number:032}"));
    let encoded = match number % 10 {
        0 | 5 => encode_command(&["SET", &format!("{key:016}"), &value]),
        // One GET in ten is for a missing key.
        _ if (random >> 32) % 10 == 9 => encode_command(&["GET", &format!("{:016}", key + KEYS)]),
        _ => encode_command(&["GET", &format!("{key:016}")]),
    };
    encoded.map_err(|reason| Failure::failed(reason.to_string()))
}

async fn fill(redis: &mut Direct) -> Result<(), Failure> {
    for key in 0..KEYS {
        let command = encode_command(&["SET", &format!("{key:016}"), &format!("{key:032}")]);
        redis.call(&command.map_err(|reason| Failure::failed(reason.to_string()))?).await?;
    }
    Ok(())
}

/// Returns a percentile of sorted values by nearest rank.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or_default()
}

/// Returns the median over turns.
fn median_of(turns: &[Vec<f64>], figure: impl Fn(&[f64]) -> f64) -> f64 {
    let mut figures: Vec<f64> = turns.iter().map(|turn| figure(turn)).collect();
    figures.sort_by(f64::total_cmp);
    percentile(&figures, 50)
}

fn print(report: &BenchReport) {
    let place = report.core.map_or("not pinned".to_owned(), |core| format!("all processes on core {core}"));
    outln!("{}; log: {}; {place}; microseconds", report.workload, report.sync);
    outln!("{:<24} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}", "", "p10", "p50", "p90", "p99", "sign", "verify");
    for line in &report.results {
        let name = line.suite.map_or(line.signer.to_owned(), |suite| format!("{} {suite}", line.signer));
        let alone = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.2}"));
        outln!(
            "{name:<24} {:>8.1} {:>8.1} {:>8.1} {:>8.1} {:>8} {:>8}",
            line.p10,
            line.p50,
            line.p90,
            line.p99,
            alone(line.sign),
            alone(line.verify)
        );
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

    #[test]
    fn a_minority_of_disturbed_turns_sets_no_percentile() {
        let turns = [vec![1.0, 2.0], vec![100.0, 200.0], vec![1.0, 3.0]];
        assert_eq!(median_of(&turns, |turn| percentile(turn, 90)), 3.0);
    }

    #[test]
    fn the_workload_matches_the_paper() {
        let all: Vec<_> = (0..10_000).map(|number| command(number).unwrap()).collect();
        let is = |bytes: &[u8], name: &str| bytes.windows(3).any(|word| word == name.as_bytes());
        assert_eq!(all.iter().filter(|bytes| is(bytes, "SET")).count(), 2000);
        let gets: Vec<_> = all.iter().filter(|bytes| is(bytes, "GET")).collect();
        let not_there =
            gets.iter().filter(|bytes| String::from_utf8_lossy(bytes).contains("\n0000000000001"));
        let share = not_there.count() * 100 / gets.len();
        assert!((8..13).contains(&share), "{share} %");
    }
}
