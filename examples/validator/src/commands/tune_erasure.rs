use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quorate::Error;
use quorate::erasure::tuner::{Row, SearchSpace, Table, Workload, hill_climb, sample_len};
use quorate::erasure::{Coding, ErasureSuite, Packets, Shape};
use quorate::wire::{Decode, Encode};
use quorate_support::terminal::{count, millis};
use quorate_support::{errln, outln};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::exit::{Exit, Failure, OrFail};

/// Minimum duration of a sample. Shorter work is repeated.
const SAMPLE: Duration = Duration::from_millis(20);
/// Work of at least this duration is measured once.
const LONG: Duration = Duration::from_secs(1);
/// Number of samples. Their median is the cost.
const SAMPLES: usize = 3;

/// Find the fastest erasure code on this machine for each committee and batch size.
///
/// A message is split into data shards and extended by parity shards; any set of shards as large as the set of data
/// shards restores it. The command measures encoding, decoding with f lost shards, and decoding with 2f lost shards, and
/// adds the fastest parameters to a table that `quorate::erasure::tuner::Table` reads.
///
/// Suites: `leopard`, over GF(2^16); `gf8`, over GF(2^8); and `jerasure`, the ABFT paper's, whose word sizes w and packet
/// sizes p are searched by hill climbing. It needs a binary built with `--features jerasure`.
///
/// The code determines the bytes of the shards: all members of a committee must use the same row of the same table.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  quorate tune-erasure --members 4,10 --batch 100,1000 --table erasure.table
  quorate tune-erasure --members 100 --faulty 25 --batch 100,100000,2000000   (the ABFT paper's table IV)
  quorate tune-erasure --show --table erasure.table

Ctrl-C ends the command after the current measurement and keeps the results so far in the table.")]
pub(crate) struct TuneErasure {
    /// Number of members N; several values separated by commas.
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "4,10,40,100")]
    members: Vec<u16>,

    /// Number of faulty members f. Default: the maximum that N tolerates.
    #[arg(long, value_name = "F")]
    faulty: Option<u16>,

    /// Transactions per batch B; several values separated by commas.
    #[arg(long, value_name = "B", value_delimiter = ',', default_value = "100,1000,10000")]
    batch: Vec<u32>,

    /// Size of a transaction in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 250, value_parser = clap::value_parser!(u32).range(1..))]
    tx_size: u32,

    /// Table to extend; it is created if it does not exist.
    #[arg(long, value_name = "FILE", default_value = "erasure.table")]
    table: PathBuf,

    /// Number of word sizes to search beyond the smallest.
    #[arg(long, value_name = "COUNT", default_value_t = 2)]
    words: u8,

    /// Seed of the starting points of the searches.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Print the table without measuring.
    #[arg(long)]
    show: bool,

    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Reason for an early end of a search.
enum Stop {
    /// The user pressed Ctrl-C.
    Requested,
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Failed(error)
    }
}

impl TuneErasure {
    /// Measures, then writes and prints the table.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let mut table = load(&self.table)?;
        let mut is_complete = true;
        if !self.show {
            let plan = self.plan()?;
            let stop_requested = Arc::new(AtomicBool::new(false));
            let (words, seed, stop) = (self.words, self.seed, stop_requested.clone());
            let mut work = tokio::task::spawn_blocking(move || measure(&plan, words, seed, &stop));
            let outcome = tokio::select! {
                outcome = &mut work => outcome,
                _ = tokio::signal::ctrl_c() => {
                    stop_requested.store(true, Ordering::Relaxed);
                    errln!("ending after this measurement");
                    work.await
                }
            };
            let (rows, outcome) = outcome.or_fail(Exit::Failed, "the measurement failed")?;
            let not_inserted =
                |error| Failure::new(Exit::Setup, format!("{}: {error}", self.table.display()));
            rows.iter().try_for_each(|row| table.insert(*row)).map_err(not_inserted)?;
            if !rows.is_empty() {
                save(&self.table, &table)?;
            }
            match outcome {
                Ok(()) => {}
                Err(Stop::Requested) => is_complete = false,
                Err(Stop::Failed(error)) => return Err(Failure::new(Exit::Failed, error.to_string())),
            }
        }
        self.print(&table, is_complete);
        Ok(())
    }

    /// Returns the shapes and message lengths to measure.
    fn plan(&self) -> Result<Vec<(Shape, usize)>, Failure> {
        let usage = |error: Error| Failure::new(Exit::Usage, error.to_string());
        let mut plan = Vec::new();
        for members in &self.members {
            let faulty = self.faulty.unwrap_or(members.saturating_sub(1) / 3);
            let shape = Shape::for_committee(*members, faulty).map_err(usage)?;
            for batch in &self.batch {
                let message = usize::try_from(u64::from(*batch) * u64::from(self.tx_size));
                let message = message.unwrap_or(usize::MAX);
                Coding::new(ErasureSuite::Leopard, shape, message).map_err(usage)?;
                plan.push((shape, message));
            }
        }
        Ok(plan)
    }

    fn print(&self, table: &Table, is_complete: bool) {
        if self.json {
            let rows: Vec<Value> = table.rows().iter().map(as_json).collect();
            let table = self.table.display().to_string();
            outln!("{}", json!({ "table": table, "complete": is_complete, "rows": rows }));
            return;
        }
        outln!(
            "{:>6} {:>6} {:>14}  {:<9} {:>3} {:>6} {:>10}",
            "data",
            "parity",
            "bytes",
            "suite",
            "w",
            "p",
            "time"
        );
        for row in table.rows() {
            let is_best = table.best(row.shape(), row.message(), |_| true) == Some(row);
            let (word, packet) = parameters(row.suite());
            let line = format!(
                "{:>6} {:>6} {:>14}  {:<9} {word:>3} {packet:>6} {:>10} {}",
                row.shape().data(),
                row.shape().parity(),
                count(row.message() as u64),
                row.suite().name(),
                millis(row.cost() as f64 / 1e6),
                if is_best { "fastest" } else { "" }
            );
            outln!("{}", line.trim_end());
        }
        if !is_complete {
            errln!("interrupted; run the same command again to complete the table");
        }
    }
}

/// Measures all suites for each shape and length. Returns the measured rows even after an early end.
fn measure(
    plan: &[(Shape, usize)],
    words: u8,
    seed: u64,
    stop_requested: &AtomicBool,
) -> (Vec<Row>, Result<(), Stop>) {
    let mut rows = Vec::new();
    for (shape, message) in plan {
        errln!("{} + {} shards, {} bytes", shape.data(), shape.parity(), count(*message as u64));
        for suite in [ErasureSuite::Leopard, ErasureSuite::Gf8] {
            if suite.allow(*shape).is_ok() {
                match cost(*shape, *message, suite, stop_requested)
                    .and_then(|cost| row(*shape, *message, suite, cost))
                {
                    Ok(row) => rows.push(row),
                    Err(stop) => return (rows, Err(stop)),
                }
            }
        }
        match search(*shape, *message, words, seed, stop_requested) {
            Ok(found) => rows.extend(found),
            Err(stop) => return (rows, Err(stop)),
        }
    }
    (rows, Ok(()))
}

/// Searches for the best parameters of suite 3; `None` without the feature, or for unsupported shapes.
fn search(
    shape: Shape,
    message: usize,
    words: u8,
    seed: u64,
    stop_requested: &AtomicBool,
) -> Result<Option<Row>, Stop> {
    let is_available = Packets::new(8, 0).is_ok_and(|packets| ErasureSuite::Jerasure(packets).is_available());
    let Ok(space) = SearchSpace::new(shape, message, words) else { return Ok(None) };
    if !is_available || shape.parity() == 0 {
        return Ok(None);
    }
    let measure = |packets| cost(shape, message, ErasureSuite::Jerasure(packets), stop_requested);
    match hill_climb(&space, seed, measure)?.best() {
        Some(best) => row(shape, message, ErasureSuite::Jerasure(best.packets), best.cost).map(Some),
        None => Ok(None),
    }
}

/// Nanoseconds for encoding and for decoding with f and 2f lost shards. Long messages are sampled.
fn cost(shape: Shape, message: usize, suite: ErasureSuite, stop_requested: &AtomicBool) -> Result<u64, Stop> {
    if stop_requested.load(Ordering::Relaxed) {
        return Err(Stop::Requested);
    }
    let sample = sample_len(suite, message);
    let mut work = Workload::new(Coding::new(suite, shape, message)?, sample)?;
    let mut timed = |runs: u32| -> Result<Duration, Stop> {
        let began = Instant::now();
        for _ in 0..runs {
            work.run()?;
        }
        Ok(began.elapsed() / runs)
    };
    let once = timed(1)?.max(Duration::from_nanos(100));
    let mut samples = [once; SAMPLES];
    if once < LONG {
        let runs = u32::try_from(SAMPLE.as_nanos() / once.as_nanos()).unwrap_or(u32::MAX).clamp(1, 100_000);
        for sample in &mut samples {
            *sample = timed(runs)?;
        }
    }
    samples.sort();
    let median = samples.get(SAMPLES / 2).copied().unwrap_or(once);
    let median = median.mul_f64(message.max(1) as f64 / sample.max(1) as f64);
    let (word, packet) = parameters(suite);
    let label = format!("{} {word} {packet}", suite.name());
    errln!("  {:<18} {:>10}", label.trim_end(), millis(median.as_secs_f64() * 1e3));
    Ok(u64::try_from(median.as_nanos()).unwrap_or(u64::MAX))
}

fn row(shape: Shape, message: usize, suite: ErasureSuite, cost: u64) -> Result<Row, Stop> {
    Ok(Row::new(shape, message, suite, cost)?)
}

/// Word and packet size as text; empty for suites without them.
fn parameters(suite: ErasureSuite) -> (String, String) {
    match suite {
        ErasureSuite::Jerasure(packets) => (packets.word().to_string(), packets.packet().to_string()),
        _ => Default::default(),
    }
}

fn as_json(row: &Row) -> Value {
    let (word, packet) = match row.suite() {
        ErasureSuite::Jerasure(packets) => (json!(packets.word()), json!(packets.packet())),
        _ => (Value::Null, Value::Null),
    };
    json!({
        "data": row.shape().data(),
        "parity": row.shape().parity(),
        "bytes": row.message(),
        "suite": row.suite().name(),
        "word": word,
        "packet": packet,
        "nanoseconds": row.cost(),
    })
}

/// Reads the table, or returns an empty one if the file does not exist.
fn load(path: &Path) -> Result<Table, Failure> {
    let doing = || format!("cannot read {} as a table", path.display());
    match fs::read(path) {
        Ok(bytes) => Table::decode(&bytes, &()).or_fail(Exit::Setup, doing()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Table::default()),
        Err(error) => Err(error).or_fail(Exit::Setup, doing()),
    }
}

/// Replaces the file atomically, so that a concurrent reader never sees a partial file.
fn save(path: &Path, table: &Table) -> Result<(), Failure> {
    let doing = || format!("cannot write {}", path.display());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder).or_fail(Exit::Setup, doing())?;
    file.write_all(&table.encode()).or_fail(Exit::Setup, doing())?;
    file.as_file().sync_all().or_fail(Exit::Setup, doing())?;
    file.persist(path).or_fail(Exit::Setup, doing())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(stop_requested: bool) -> (Vec<Row>, Result<(), Stop>) {
        let shape = Shape::for_committee(4, 1).unwrap();
        measure(&[(shape, 1000), (shape, 2000)], 0, 1, &AtomicBool::new(stop_requested))
    }

    #[test]
    fn a_saved_table_loads_with_equal_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("erasure.table");
        let mut table = load(&path).unwrap();
        assert!(table.rows().is_empty());
        let (rows, outcome) = rows(false);
        assert!(outcome.is_ok() && rows.len() >= 4);
        rows.iter().for_each(|row| table.insert(*row).unwrap());
        save(&path, &table).unwrap();
        save(&path, &table).unwrap();
        assert_eq!(load(&path).unwrap(), table);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
        fs::write(&path, b"something else").unwrap();
        assert_eq!(load(&path).unwrap_err().exit(), Exit::Setup);
    }

    #[test]
    fn a_stop_request_ends_the_measurement() {
        let (rows, outcome) = rows(true);
        assert!(rows.is_empty() && matches!(outcome, Err(Stop::Requested)));
    }
}
