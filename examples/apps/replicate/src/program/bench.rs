use std::path::Path as FilePath;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use quorate::ed25519::SecretKey;
use quorate_broadcast::authentication::Sodium;
use quorate_replicate::application::Counter;
use quorate_replicate::node::client::Client;
use quorate_replicate::node::group::{self, ClientEntry, Group, GroupFile, ReplicaEntry, Signer};
use quorate_replicate::node::server::{Event, Options, Server};
use quorate_replicate::node::{Exit, Failure, OrFail};
use quorate_replicate::{Path, Status};
use quorate_support::{errln, outln};
use serde::Serialize;

use crate::signer::{Make, WithSigner, with_signer};

/// Time limit for connecting, and for each request.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The largest ratio of the slow path's medians, DSig to Ed25519, that the paper's uBFT suggests.
const TARGET: f64 = 0.35;

/// Measure the latency of operations of 8 bytes, as in figure 7 of the DSig paper.
///
/// One client sends one operation at a time. The replicas and the client are threads of this process, linked by the same rings in
/// shared memory that separate processes use, and share the processors of this machine. A latency begins before the request is
/// sent and ends with the (f + 1)-th equal answer. A program with the feature `sodium` also measures Ed25519 of libsodium. One-time keys are made and verified between requests, as on the cores that
/// the paper dedicates to the background plane.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  replicate bench
  replicate bench --requests 1000 --json
  replicate bench --records kill        with records in files, as with `run --sync kill`")]
pub(crate) struct BenchArgs {
    /// Number f of faulty replicas to tolerate, with 3f + 1 replicas.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=5))]
    faulty: u16,

    /// Number of measured operations per row.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    requests: u32,

    /// Number of operations before the measurement.
    #[arg(long, default_value_t = 500)]
    warm_up: u32,

    /// Pause between two operations in microseconds.
    #[arg(long, value_name = "MICROSECONDS", default_value_t = 100)]
    gap: u64,

    /// Storage of the replicas' records. In the paper nothing is durable.
    #[arg(long, value_enum, default_value_t = Records::Memory)]
    records: Records,

    /// End with exit code 8 if the ratio is above the target.
    #[arg(long)]
    check: bool,

    /// Print the results as one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Records {
    /// In memory, lost with the process.
    Memory,
    /// In files that survive a kill.
    Kill,
    /// In files, synchronised with the disk before anything is sent.
    Always,
}

#[derive(Debug, Serialize)]
struct Report {
    replicas: u16,
    operation_bytes: u32,
    requests: u32,
    records: Records,
    results: Vec<Row>,
    /// Medians of the slow path, DSig to Ed25519.
    ratio: f64,
    target: f64,
}

#[derive(Debug, Serialize)]
struct Row {
    path: &'static str,
    signer: &'static str,
    p10: f64,
    p50: f64,
    p90: f64,
    p99: f64,
    mean: f64,
    /// Slots that the replicas decided on the fast path, on the slow path, and by reports of others.
    decided: [u64; 3],
    /// Verifications that unexpectedly needed Ed25519, and all verifications, of all replicas.
    slow_verifications: u64,
    verifications: u64,
}

/// One row.
#[derive(Clone, Copy)]
struct Measure<'a> {
    bench: &'a BenchArgs,
    path: Path,
    signer: Signer,
}

/// A replica in its own thread.
struct Running {
    thread: JoinHandle<Result<Status, Failure>>,
    ready: Arc<AtomicBool>,
}

impl BenchArgs {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let replicas = 3 * self.faulty + 1;
        if !self.json {
            outln!(
                "{replicas} replicas and a client as threads, rings in shared memory; µs from request to answer"
            );
            outln!("{:<6} {:<8} {:>9} {:>9} {:>9} {:>9}", "path", "signer", "p10", "median", "p90", "p99");
        }
        let measure = |path, signer| Measure { bench: self, path, signer };
        let shown = |row: Row| {
            if !self.json {
                row.print();
            }
            row
        };
        let mut results = vec![shown(with_signer(Signer::Dsig, measure(Path::Fast, Signer::Dsig))?)];
        let eddsa = shown(with_signer(Signer::Eddsa, measure(Path::Slow, Signer::Eddsa))?);
        let eddsa_median = eddsa.p50;
        results.push(eddsa);
        if quorate_sodium::is_linked() {
            // The replicas' file names the signatures, not who makes them.
            results.push(shown(measure(Path::Slow, Signer::Eddsa).call::<Sodium>()?));
        }
        let dsig = shown(with_signer(Signer::Dsig, measure(Path::Slow, Signer::Dsig))?);
        let ratio = (dsig.p50 / eddsa_median * 1000.0).round() / 1000.0;
        results.push(dsig);
        if self.json {
            let BenchArgs { requests, records, .. } = *self;
            let report =
                Report { replicas, operation_bytes: 8, requests, records, results, ratio, target: TARGET };
            outln!("{}", serde_json::to_string(&report).or_fail(Exit::Failed, "cannot encode the results")?);
        } else {
            outln!("slow path, DSig to Ed25519: {ratio:.3} of the median; target at most {TARGET}");
        }
        if self.check && (ratio.is_nan() || ratio > TARGET) {
            return Err(Failure::new(Exit::Missed, format!("the ratio {ratio:.3} is above {TARGET}")));
        }
        Ok(())
    }
}

impl WithSigner for Measure<'_> {
    type Output = Result<Row, Failure>;

    fn call<A: Make>(self) -> Result<Row, Failure> {
        let folder = tempfile::tempdir().or_fail(Exit::Failed, "a temporary folder")?;
        let replicas = usize::from(3 * self.bench.faulty + 1);
        let keys = (0..replicas).map(|_| group::generate()).collect::<Result<Vec<_>, _>>()?;
        let client = group::generate()?;
        let entry = |(i, key): (usize, &SecretKey)| ReplicaEntry {
            name: format!("replica{i}"),
            listen: format!("shm:{i}.sock"),
            key: group::public(key),
        };
        let file = GroupFile {
            signer: self.signer,
            checkpoint: 64,
            replica: keys.iter().enumerate().map(entry).collect(),
            client: vec![ClientEntry { name: "client".to_owned(), key: group::public(&client) }],
        };
        let group = Group::new(file, folder.path())?;
        let stop = Arc::new(AtomicBool::new(false));
        let mut running = Vec::new();
        for (i, key) in keys.into_iter().enumerate() {
            running.push(self.start::<A>(&group, key, folder.path().join(format!("data{i}")), &stop)?);
        }
        let measured = self.drive(&group, client, &running);
        stop.store(true, Ordering::Relaxed);
        let mut statuses = Vec::new();
        for replica in running {
            let ended = replica.thread.join();
            statuses.push(ended.map_err(|_| Failure::new(Exit::Failed, "a replica's thread panicked"))??);
        }
        Ok(self.row(A::NAME, measured?, &statuses))
    }
}

impl Measure<'_> {
    fn start<A: Make>(
        self,
        group: &Group,
        key: SecretKey,
        data: std::path::PathBuf,
        stop: &Arc<AtomicBool>,
    ) -> Result<Running, Failure> {
        let ready = Arc::new(AtomicBool::new(false));
        let (group, flag, stop) = (group.clone(), ready.clone(), stop.clone());
        let (path, records) = (self.path, self.bench.records);
        let work = move || -> Result<Status, Failure> {
            let authentication =
                A::make(group.committee.clone(), group::copy(&key)?).or_fail(Exit::Failed, "signatures")?;
            let mut parameters = group.parameters();
            // A replica that is not scheduled for a while is not down.
            (parameters.path, parameters.fast_timeout) = (path, Duration::from_secs(1));
            parameters.suspect = Duration::from_secs(10);
            let data: Option<&FilePath> = (records != Records::Memory).then_some(&data);
            let sync = records == Records::Always;
            let options = Options { group: &group, key, parameters, data, sync, spin: true };
            let mut server = Server::start(options, authentication, Counter::default())?;
            while !stop.load(Ordering::Relaxed) {
                server.poll()?;
                flag.store(server.is_ready(), Ordering::Relaxed);
                for event in server.events() {
                    if let Event::Fault { culprit, code, .. } = event {
                        errln!("replica {culprit} violated the protocol: {code}");
                    }
                }
            }
            Ok(server.status())
        };
        let thread = thread::Builder::new().name("replica".to_owned()).spawn(work);
        Ok(Running { thread: thread.or_fail(Exit::Failed, "starting a thread")?, ready })
    }

    /// Returns the latencies in microseconds, sorted.
    fn drive(&self, group: &Group, key: SecretKey, running: &[Running]) -> Result<Vec<f64>, Failure> {
        wait_for(running)?;
        let mut client = Client::connect(group, key)?;
        let mut latencies = Vec::with_capacity(self.bench.requests as usize);
        for number in 0..self.bench.warm_up + self.bench.requests {
            let began = Instant::now();
            client.call(1u64.to_le_bytes(), TIMEOUT)?;
            if number >= self.bench.warm_up {
                latencies.push(began.elapsed().as_secs_f64() * 1e6);
            }
            thread::sleep(Duration::from_micros(self.bench.gap));
            wait_for(running)?;
        }
        latencies.sort_by(f64::total_cmp);
        Ok(latencies)
    }

    fn row(&self, signer: &'static str, sorted: Vec<f64>, statuses: &[Status]) -> Row {
        let at = |percent| (percentile(&sorted, percent) * 10.0).round() / 10.0;
        let mean = sorted.iter().sum::<f64>() / sorted.len().max(1) as f64;
        let mut decided = [0; 3];
        for status in statuses {
            decided.iter_mut().zip(status.decided).for_each(|(sum, count)| *sum += count);
        }
        let slow_verifications = statuses.iter().map(|status| status.verified.1).sum();
        let fast: u64 = statuses.iter().map(|status| status.verified.0).sum();
        Row {
            path: if self.path == Path::Fast { "fast" } else { "slow" },
            signer: if self.path == Path::Fast { "none" } else { signer },
            p10: at(10),
            p50: at(50),
            p90: at(90),
            p99: at(99),
            mean: (mean * 10.0).round() / 10.0,
            decided,
            slow_verifications,
            verifications: fast + slow_verifications,
        }
    }
}

/// Waits until all replicas are connected and have prepared their keys.
fn wait_for(running: &[Running]) -> Result<(), Failure> {
    let began = Instant::now();
    while !running.iter().all(|replica| replica.ready.load(Ordering::Relaxed)) {
        if let Some(ended) = running.iter().find(|replica| replica.thread.is_finished()) {
            return Err(Failure::new(Exit::Failed, format!("{:?} ended", ended.thread.thread().name())));
        }
        if began.elapsed() > TIMEOUT {
            let text = "the replicas do not connect; check whether this machine is overloaded";
            return Err(Failure::new(Exit::Unreachable, text));
        }
        thread::sleep(Duration::from_micros(50));
    }
    Ok(())
}

impl Row {
    fn print(&self) {
        let Row { path, signer, p10, p50, p90, p99, .. } = self;
        outln!("{path:<6} {signer:<8} {p10:>9.1} {p50:>9.1} {p90:>9.1} {p99:>9.1}");
        if self.slow_verifications > 0 {
            outln!("  {} of {} verifications were slow", self.slow_verifications, self.verifications);
        }
    }
}

/// Returns a percentile of sorted values by nearest rank.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or_default()
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
