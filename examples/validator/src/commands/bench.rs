use std::path::PathBuf;
use std::time::Duration;

use quorate_support::terminal::count;
use quorate_support::{errln, outln};
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::load::{Format, Load, LoadReport, Payloads, Plan};
use crate::target::Target;

/// Default of the maximum time after a load for transactions in flight to commit.
pub(crate) const DRAIN_SECONDS: f64 = 1.0;
/// Largest transaction that any chain accepts. The validators enforce the chain's own limit.
const MAX_TRANSACTION: usize = 8 << 20;
/// Maximum time for an overloaded network to recover.
const SETTLE: Duration = Duration::from_secs(60);
/// Percentage of transactions that must commit for a rate to count as sustained.
const SUSTAINED_PERCENT: f64 = 95.0;
/// A ramp ends when its bounds are within this factor: the highest rate is then known to within 5 %.
const PRECISION: f64 = 1.05;

/// Load running validators and measure.
///
/// The load is open-loop: transactions fall due at the given rate, whether or not earlier ones have committed. Latency
/// is measured from the moment a transaction falls due to the moment the client learns of its commit, so waiting
/// transactions count. Transactions are spread evenly over the validators' submission streams.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples (while `quorate testnet --rate 0` runs):
  quorate bench --rate 20000 --tx-size 512 --duration 30
  quorate bench --ramp --rate 10000 --json")]
pub(crate) struct Bench {
    /// Transactions per second over all validators; with --ramp, the first rate.
    #[arg(long, default_value_t = 1000.0, value_parser = rate)]
    rate: f64,

    /// Size of a transaction in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    tx_size: u32,

    /// Duration of the load in seconds; with --ramp, of each step.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    duration: f64,

    /// Maximum number of seconds after the load for transactions in flight to commit.
    #[arg(long, value_name = "SECONDS", default_value_t = DRAIN_SECONDS, value_parser = seconds)]
    drain: f64,

    /// Send the transactions of a file, repeatedly, instead of random bytes.
    #[arg(long, value_name = "FILE")]
    transactions: Option<PathBuf>,

    /// Format of the file.
    #[arg(long, value_enum, default_value_t = Format::Auto, requires = "transactions")]
    format: Format,

    /// Find the highest sustained rate: at least 95 % commits, also in the second half of the load.
    #[arg(long)]
    ramp: bool,

    /// Print one JSON object.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    target: Target,
}

/// One step of a ramp.
#[derive(Debug, Serialize)]
struct Step {
    rate: f64,
    #[serde(flatten)]
    report: LoadReport,
}

/// Result of a ramp.
#[derive(Debug, Serialize)]
struct RampReport {
    highest_rate: Option<f64>,
    steps: Vec<Step>,
}

impl Bench {
    /// Runs the load and prints the measurements.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let targets = self.streams().await?;
        if self.ramp {
            return self.climb(&targets).await;
        }
        let report = self.load(&targets, self.rate).await?;
        if self.json {
            outln!("{}", json(&report)?);
        } else {
            report.print();
        }
        Ok(())
    }

    /// Returns the stream addresses of the validators that answer.
    async fn streams(&self) -> Result<Vec<String>, Failure> {
        let mut streams = Vec::new();
        let mut failure = Failure::new(Exit::Unreachable, "no validator accepts streams");
        for api in self.target.apis()? {
            match api.stream().await {
                Ok(stream) => streams.push(stream),
                Err(error) => failure = error,
            }
        }
        if streams.is_empty() { Err(failure) } else { Ok(streams) }
    }

    async fn load(&self, targets: &[String], rate: f64) -> Result<LoadReport, Failure> {
        let payloads = match &self.transactions {
            Some(path) => Payloads::file(path, self.format, true, MAX_TRANSACTION)?,
            None => Payloads::random(self.tx_size as usize),
        };
        let load = Load::start(Plan { targets: targets.to_vec(), rate, payloads }).await;
        let half = Duration::from_secs_f64(self.duration / 2.0);
        tokio::select! {
            () = async {
                tokio::time::sleep(half).await;
                load.mark();
                tokio::time::sleep(half).await;
            } => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        load.finish(Duration::from_secs_f64(self.drain)).await
    }

    /// Waits until no validator has pending transactions: they would count against the next step.
    async fn settle(&self) -> Result<(), Failure> {
        let deadline = tokio::time::Instant::now() + SETTLE;
        for api in self.target.apis()? {
            while api.status().await.is_ok_and(|status| status.pending_transactions > 0) {
                if tokio::time::Instant::now() > deadline {
                    return Ok(());
                }
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
        Ok(())
    }

    /// Doubles the rate until it is not sustained, then bisects until the bounds are close enough.
    async fn climb(&self, targets: &[String]) -> Result<(), Failure> {
        let (mut steps, mut held, mut broken) = (Vec::new(), None, None);
        let mut rate = self.rate;
        loop {
            let report = self.load(targets, rate).await?;
            // A short burst may commit entirely although the network cannot sustain its rate.
            let is_held = report.committed_percent >= SUSTAINED_PERCENT
                && report.steady_tx_per_second >= rate * SUSTAINED_PERCENT / 100.0;
            errln!("{:>9} tx/s: {}", count(rate as u64), report.line());
            steps.push(Step { rate, report });
            if is_held {
                held = Some(rate);
            } else {
                broken = Some(rate);
                self.settle().await?;
            }
            rate = match (held, broken) {
                (Some(low), None) => low * 2.0,
                (Some(low), Some(high)) if high / low > PRECISION => (low * high).sqrt(),
                (None, Some(high)) if high > 10.0 => high / 2.0,
                _ => break,
            };
        }
        let report = RampReport { highest_rate: held, steps };
        if self.json {
            outln!("{}", json(&report)?);
        } else if let Some(rate) = report.highest_rate {
            outln!("highest sustained rate: {} tx/s", count(rate as u64));
        }
        Ok(())
    }
}

/// Parses a rate on the command line.
pub(crate) fn rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text.parse().map_err(|_| "expected a number of transactions per second".to_owned())?;
    if (0.001..=10_000_000.0).contains(&rate) {
        Ok(rate)
    } else {
        Err("expected a rate from 0.001 to 10,000,000".into())
    }
}

/// Parses a duration in seconds on the command line.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    if (0.0..=1e8).contains(&seconds) {
        Ok(seconds)
    } else {
        Err("expected a duration from 0 to 100,000,000 s".into())
    }
}

fn json<T: Serialize>(value: &T) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::new(Exit::Failed, error.to_string()))
}
