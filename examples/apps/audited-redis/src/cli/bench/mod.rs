//! Figure 7 of the paper: what a client waits for plain Redis, and for an audited one with each way to sign.

mod crypto;
mod machines;

use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use quorate::dsig::dynamic::SuiteId;
use quorate_audited_redis::client::{Client, Options};
use quorate_audited_redis::failure::Failure;
use quorate_audited_redis::frame::Scheme;
use quorate_audited_redis::keys::Key;
use quorate_audited_redis::resp::encode_command;
use quorate_support::rng::nth_output;
use quorate_support::{say, tell};
use serde::Serialize;

use super::Outcome;
use super::front::interrupted;
use machines::{Direct, Front, Redis};

/// Measures what auditing costs: the latency of each command, one after another, over loopback.
///
/// Starts a redis-server and a front of its own in a temporary folder. The workload is the paper's: keys of 16 bytes,
/// values of 32, one SET to four GETs of which nine in ten find something. `direct` is plain Redis, `none` a front
/// that logs without signatures: what `dsig` and `eddsa` add to `none` is what signatures cost.
#[derive(Debug, Args)]
pub(super) struct Bench {
    /// What to measure, separated by commas: direct, none, eddsa, dsig.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "direct,none,eddsa,dsig")]
    signer: Vec<Way>,
    /// DSig's suite.
    #[arg(long, value_name = "NAME", default_value = "wots-haraka-256", value_parser = super::suite)]
    suite: SuiteId,
    /// Commands that are measured, each way.
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    ops: u32,
    /// When an entry counts as written: `kill` (in the operating system's hands, as the paper measures) or `always`
    /// (on the disk).
    #[arg(long, value_name = "WHEN", default_value = "kill", value_parser = ["kill", "always"])]
    sync: String,
    /// Prints a JSON object.
    #[arg(long)]
    json: bool,
}

/// One column of the figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Direct,
    Front(Scheme),
}

impl std::str::FromStr for Way {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name == "direct" { Ok(Self::Direct) } else { name.parse().map(Self::Front) }
    }
}

#[derive(Serialize)]
struct Report {
    sync: String,
    workload: &'static str,
    results: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    signer: &'static str,
    suite: Option<&'static str>,
    ops: u32,
    /// Microseconds, as everything below.
    p10: f64,
    p50: f64,
    p90: f64,
    p99: f64,
    mean: f64,
    /// Of one signature alone, its keys made beforehand.
    sign: Option<f64>,
    /// Of one verification alone, its batch announced beforehand.
    verify: Option<f64>,
}

impl Bench {
    pub(super) fn run(&self) -> Outcome {
        // One thread, as a client that waits for each answer has: no hand-over is measured that it does not need.
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
            say!("{text}");
        } else {
            print(&report);
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn measure(&self) -> Result<Report, Failure> {
        let folder = tempfile::tempdir().map_err(|error| Failure::failed(error.to_string()))?;
        let redis = Redis::start(folder.path()).await?;
        let key = Key::generate()?;
        let front = Front::start(folder.path(), &redis, &key, &self.sync).await?;
        let mut results = Vec::new();
        for way in &self.signer {
            let mut plain = redis.connect().await?;
            fill(&mut plain).await?;
            let scheme = match way {
                Way::Direct => None,
                Way::Front(scheme) => Some(*scheme),
            };
            let name = scheme.map_or("direct", Scheme::name);
            if !self.json {
                tell!("measuring {name}");
            }
            let latencies = match scheme {
                None => self.latencies(&mut Target::Plain(plain)).await?,
                Some(scheme) => {
                    let options = Options { scheme, suite: self.suite, ..Options::default() };
                    let client = Client::connect(front.address(), &key, options).await?;
                    self.latencies(&mut Target::Audited(client)).await?
                }
            };
            let crypto = scheme.map(|scheme| crypto::measure(scheme, self.suite)).transpose()?.flatten();
            results.push(Line {
                signer: name,
                suite: (scheme == Some(Scheme::Dsig)).then(|| self.suite.name()),
                ops: self.ops,
                p10: percentile(&latencies, 10),
                p50: percentile(&latencies, 50),
                p90: percentile(&latencies, 90),
                p99: percentile(&latencies, 99),
                mean: latencies.iter().sum::<f64>() / latencies.len() as f64,
                sign: crypto.map(|(sign, _)| sign),
                verify: crypto.map(|(_, verify)| verify),
            });
        }
        let workload = "keys of 16 bytes, values of 32; 20 % SET, 80 % GET, 90 % of which find a value";
        Ok(Report { sync: self.sync.clone(), workload, results })
    }

    /// Of each command, sorted.
    async fn latencies(&self, target: &mut Target) -> Result<Vec<f64>, Failure> {
        let warm_up = self.ops / 10 + 50;
        let mut latencies = Vec::with_capacity(self.ops as usize);
        for number in 0..warm_up + self.ops {
            let command = command(number)?;
            let began = Instant::now();
            target.call(&command).await?;
            if number >= warm_up {
                latencies.push(began.elapsed().as_secs_f64() * 1e6);
            }
        }
        latencies.sort_by(f64::total_cmp);
        Ok(latencies)
    }
}

enum Target {
    Plain(Direct),
    Audited(Client),
}

impl Target {
    async fn call(&mut self, command: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Plain(direct) => direct.call(command).await,
            Self::Audited(client) => {
                let answer = client.send(command).await?.answer().await?;
                if answer.entry.is_none() {
                    let text = String::from_utf8_lossy(&answer.reply).into_owned();
                    return Err(Failure::failed(format!("the front refuses the measurement: {text}")));
                }
                Ok(())
            }
        }
    }
}

/// How many keys there are.
const KEYS: u64 = 1000;

/// The workload's command of this number: the same for every way.
fn command(number: u32) -> Result<Vec<u8>, Failure> {
    let random = nth_output(number.into());
    let (key, value) = (random % KEYS, format!("{number:032}"));
    let encoded = match number % 10 {
        0 | 5 => encode_command(&["SET", &format!("{key:016}"), &value]),
        // One GET in ten is for a key that is not there.
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

/// Of sorted values.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or_default()
}

fn print(report: &Report) {
    say!("{}; log: {}; microseconds", report.workload, report.sync);
    say!("{:<24} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}", "", "p10", "p50", "p90", "p99", "sign", "verify");
    for line in &report.results {
        let name = line.suite.map_or(line.signer.to_owned(), |suite| format!("{} {suite}", line.signer));
        let alone = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.2}"));
        say!(
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
    fn percentiles_are_of_the_nearest_rank() {
        let sorted: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!([10, 50, 99].map(|percent| percentile(&sorted, percent)), [10.0, 50.0, 99.0]);
        assert_eq!(percentile(&[7.0], 10), 7.0);
    }

    #[test]
    fn the_workload_is_the_papers() {
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
