//! The program `quorate-link`: measures the round trip of a link between two processes.
#![forbid(unsafe_code)]

mod plain_ring;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};
use quorate_link::{Closed, Endpoint, Link, Listener, MAX_MESSAGE, Pace, SendError};
use quorate_support::pinning::pin;
use quorate_support::{errln, outln};

quorate_support::exit_codes! {
    enum Exit {
        Done = 0 => "done",
        Failed = 1 => "the link failed",
        Usage = 2 => "the command line is wrong",
    }
}

quorate_support::failure!(
    struct Failure {
        exit: Exit,
    }
);

/// Measures links between two processes.
#[derive(Debug, Parser)]
#[command(name = "quorate-link", version, after_long_help = Exit::help(), max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Bench(BenchArgs),
    Echo(EchoArgs),
}

/// Measures the round trip of a message to another process and a 64-byte answer.
///
/// Starts the other process itself and pins the two to the first two cores. For comparison it measures a plain ring between two
/// threads on these cores, which only polls: two counters and a buffer.
#[derive(Debug, Args)]
struct BenchArgs {
    /// Lengths of the messages, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "64,1700", value_parser = clap::value_parser!(u16).range(1..=MAX_MESSAGE as i64))]
    bytes: Vec<u16>,
    /// Number of measured round trips.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// Time between two round trips; more than 200 shows the cost of a sleeping reader.
    #[arg(long, value_name = "MICROSECONDS", default_value_t = 0)]
    gap: u64,
    /// Both sides sleep when they are idle.
    #[arg(long)]
    sleep: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// Answers the messages of one peer, and ends with it.
#[derive(Debug, Args)]
struct EchoArgs {
    /// Address, `shm:PATH` or `HOST:PORT`.
    #[arg(long)]
    listen: Endpoint,
    /// Pins this process to a core.
    #[arg(long)]
    core: Option<usize>,
    /// Sleeps when idle.
    #[arg(long)]
    sleep: bool,
}

/// Time limit for the peer.
const LIMIT: Duration = Duration::from_secs(10);
/// Length of an answer.
const ANSWER: usize = 64;

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Action::Bench(command) => command.run(),
        Action::Echo(command) => command.run(),
    };
    match outcome {
        Ok(()) => Exit::Done.into(),
        Err(failure) => {
            errln!("{} {failure}", quorate_support::terminal::red("quorate-link:"));
            failure.exit().into()
        }
    }
}

fn pace(sleep: bool) -> Pace {
    if sleep { Pace::Sleep } else { Pace::Spin }
}

impl EchoArgs {
    fn run(&self) -> Result<(), Failure> {
        if let Some(core) = self.core {
            pin(core).or_fail(Exit::Failed, format_args!("pinning to core {core}"))?;
        }
        let mut listener = Listener::bind(&self.listen).or_fail(Exit::Failed, &self.listen)?;
        outln!("{}", listener.endpoint().or_fail(Exit::Failed, &self.listen)?);
        let mut link = loop {
            match listener.accept().or_fail(Exit::Failed, "accepting")? {
                Some(link) => break link,
                None => quorate_link::wait(&[std::os::fd::AsFd::as_fd(&listener)], LIMIT),
            }
        };
        let mut message = Vec::with_capacity(MAX_MESSAGE);
        loop {
            match link.receive_within(&mut message, pace(self.sleep), LIMIT) {
                Ok(true) => {
                    message.truncate(ANSWER);
                    while link.send(&message) == Err(SendError::Full) {
                        std::thread::yield_now();
                    }
                }
                Ok(false) => {}
                Err(Closed) => return Ok(()),
            }
        }
    }
}

impl BenchArgs {
    fn run(&self) -> Result<(), Failure> {
        let folder = std::env::temp_dir().join(format!("quorate-link-{}", std::process::id()));
        let shared = Endpoint::SharedMemory(folder);
        let is_pinned = pin(0).is_ok();
        let other = (is_pinned && last_core() > 0).then_some(1);
        let mut rows = Vec::new();
        if !self.sleep {
            for bytes in &self.bytes {
                let times = plain_ring::with_echo(other, ANSWER, LIMIT, |round_trip| {
                    self.times((*bytes).into(), |message, answer| Ok(round_trip(message, answer)))
                })?;
                rows.push(("plain ring", *bytes, times));
            }
        }
        for (transport, endpoint) in
            [("shared memory", &shared), ("TCP", &Endpoint::Tcp("127.0.0.1:0".into()))]
        {
            for bytes in &self.bytes {
                rows.push((transport, *bytes, self.measure(endpoint, (*bytes).into(), other)?));
            }
        }
        if self.json {
            let rows: Vec<_> = rows
                .iter()
                .map(|(transport, bytes, times)| {
                    serde_json::json!({
                        "transport": transport, "bytes": bytes, "p10": percentile(times, 10),
                        "p50": percentile(times, 50), "p90": percentile(times, 90), "p99": percentile(times, 99),
                        "core": is_pinned.then_some(0), "other_core": other,
                    })
                })
                .collect();
            outln!(
                "{}",
                serde_json::json!({ "count": self.count, "gap": self.gap, "sleep": self.sleep, "results": rows })
            );
            return Ok(());
        }
        for (transport, bytes, times) in &rows {
            let place = match other {
                Some(core) if is_pinned => format!("cores 0 and {core}"),
                _ => "not pinned".to_owned(),
            };
            outln!(
                "{transport:<14} {bytes:>5} bytes, p10 {:>8.3}, median {:>8.3}, p90 {:>8.3}, p99 {:>8.3} µs, {place}",
                percentile(times, 10),
                percentile(times, 50),
                percentile(times, 90),
                percentile(times, 99),
            );
        }
        Ok(())
    }

    /// Returns the times of a link to another process on the core `other`, in microseconds and sorted.
    fn measure(&self, endpoint: &Endpoint, bytes: usize, other: Option<usize>) -> Result<Vec<f64>, Failure> {
        let (mut child, address) = Echo::start(endpoint, other, self.sleep)?;
        let mut link = Link::connect(&address, LIMIT).or_fail(Exit::Failed, &address)?;
        let times = self.times(bytes, |message, answer| {
            link.send(message).or_fail(Exit::Failed, "sending")?;
            link.receive_within(answer, pace(self.sleep), LIMIT).or_fail(Exit::Failed, "receiving")
        })?;
        drop(link);
        let _ = child.0.wait();
        Ok(times)
    }

    /// Returns the times of a round trip in microseconds, sorted. `round_trip` returns false if there was no answer.
    fn times(
        &self,
        bytes: usize,
        mut round_trip: impl FnMut(&[u8], &mut Vec<u8>) -> Result<bool, Failure>,
    ) -> Result<Vec<f64>, Failure> {
        let (message, mut answer) = (vec![7; bytes], Vec::with_capacity(MAX_MESSAGE));
        let mut times = Vec::with_capacity(self.count as usize);
        let warm_up = self.count / 10 + 10;
        for number in 0..warm_up + self.count {
            let began = Instant::now();
            if !round_trip(&message, &mut answer)? {
                return Err(Failure::new(Exit::Failed, "no answer in time"));
            }
            if number >= warm_up {
                times.push(began.elapsed().as_secs_f64() * 1e6);
            }
            if self.gap > 0 {
                std::thread::sleep(Duration::from_micros(self.gap));
            }
        }
        times.sort_by(f64::total_cmp);
        Ok(times)
    }
}

/// Number of the last core of this machine.
fn last_core() -> usize {
    std::fs::read_dir("/sys/devices/system/cpu").map_or(0, |folder| {
        let names = folder.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        names.filter_map(|name| name.strip_prefix("cpu")?.parse().ok()).max().unwrap_or(0)
    })
}

/// The other process, which is killed when dropped.
struct Echo(Child);

impl Echo {
    fn start(endpoint: &Endpoint, core: Option<usize>, sleep: bool) -> Result<(Self, Endpoint), Failure> {
        let program = std::env::current_exe().or_fail(Exit::Failed, "this program")?;
        let mut command = Command::new(program);
        command.args(["echo", "--listen", &endpoint.to_string()]).stdin(Stdio::null()).stdout(Stdio::piped());
        if let Some(core) = core {
            command.args(["--core", &core.to_string()]);
        }
        if sleep {
            command.arg("--sleep");
        }
        let mut child = Self(command.spawn().or_fail(Exit::Failed, "starting the other process")?);
        let mut line = String::new();
        if let Some(output) = child.0.stdout.take() {
            BufReader::new(output).read_line(&mut line).or_fail(Exit::Failed, "the other process")?;
        }
        let address = line.trim().parse().or_fail(Exit::Failed, "the other process did not start")?;
        Ok((child, address))
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns a percentile of sorted values by nearest rank.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or_default()
}
