//! Figure 10: latency at increasing throughput. One thread signs at given times and sends; another receives and verifies.

use std::hint::spin_loop;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use quorate::dsig::WotsHaraka256;
use quorate::machine::Time;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::costs::Costs;
use super::error::failed;
use super::sides::{Sides, SigningSide, VerifyingSide, eddsa, one_core, own_cores};
use crate::chart::{Drawing, Lines, Series};
use crate::progress::progress;
use crate::row::figure;
use crate::sampling::{median, without_preemption};
use crate::table::Table;

/// Loads, as fractions of the throughput computed from the costs. Above the last, queues grow without bound.
const LOADS: [f64; 9] = [0.1, 0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1];
/// Maximum number of signatures in transit.
const CHANNEL: usize = 1024;
/// Maximum number of signatures in one run of a load.
const MOST_SIGNATURES: usize = 8192;

/// The lines of the figure, and a table of them.
pub(super) fn figure_10(quick: bool, costs: &Costs) -> Result<Table, String> {
    let title = "Figure 10: latency and throughput, one core for each side";
    let mut table = Table::new("dsig-figure-10", title, &COLUMNS);
    if thread::available_parallelism().map_or(1, usize::from) < 2 {
        table.columns.clear();
        table.note("Not measured: the two sides need a core each, and this machine has one.");
        return Ok(table);
    }
    let (rounds, time) = if quick { (1, 0.03) } else { (5, 0.15) };
    let mut lines = lines(costs);
    for round in 1..=rounds {
        progress("dsig", format_args!("Figure 10, round {round} of {rounds}"));
        for line in &mut lines {
            line.measure(time, round)?;
        }
    }
    fill(&mut table, &lines, costs.ed);
    Ok(table)
}

const COLUMNS: [&str; 9] = [
    "",
    "intervals",
    "lightest load, k/s",
    "median, µs",
    "median, ed",
    "median at most doubled up to, k/s",
    "median there, µs",
    "at most, k/s",
    "the paper: up to, k/s, at, µs",
];

/// A signature kind at increasing loads.
struct Line {
    name: &'static str,
    sides: fn() -> quorate::Result<Sides>,
    exponential: bool,
    paper: &'static str,
    /// Per second, ascending.
    loads: Vec<Load>,
}

struct Load {
    rate: f64,
    runs: Vec<Run>,
}

/// Result of one run of a load.
struct Run {
    per_second: f64,
    /// In nanoseconds.
    median: f64,
    /// True if neither thread was preempted.
    undisturbed: bool,
}

/// Result of all runs of a load.
struct Point {
    per_second: f64,
    median: f64,
}

fn lines(costs: &Costs) -> Vec<Line> {
    let per_second = |slowest: &[f64]| 1e9 / slowest.iter().copied().fold(0.0, f64::max);
    let eddsa_rate = per_second(&[costs.ed_sign, costs.ed_verify]);
    let together = per_second(&[costs.generate + costs.sign, costs.announce + costs.verify]);
    let foreground = per_second(&[costs.sign, costs.verify]);
    // The background core cannot make keys faster than this.
    let background = per_second(&[costs.generate, costs.announce]);
    let own_cores = || own_cores::<WotsHaraka256>(MOST_SIGNATURES);
    let with = |exponential| {
        let line = |name, sides, paper, loads| {
            let paper = if exponential { "–" } else { paper };
            Line { name, sides, exponential, paper, loads }
        };
        [
            line("EdDSA", || Ok(eddsa()), "56, 56 (two cores)", loads(eddsa_rate, f64::INFINITY)),
            line("DSig, planes together", one_core::<WotsHaraka256>, "–", loads(together, f64::INFINITY)),
            line("DSig, foreground alone", own_cores, "137, 7.8 (two cores)", loads(foreground, background)),
        ]
    };
    [false, true].into_iter().flat_map(with).collect()
}

/// Fractions of a rate, up to a limit.
fn loads(rate: f64, limit: f64) -> Vec<Load> {
    let rates = LOADS.iter().map(|part| part * rate.min(limit));
    rates.filter(|rate| *rate <= limit).map(|rate| Load { rate, runs: vec![] }).collect()
}

impl Line {
    fn label(&self) -> String {
        format!("{}, {}", self.name, self.intervals())
    }

    fn intervals(&self) -> &'static str {
        if self.exponential { "exponential" } else { "constant" }
    }

    fn measure(&mut self, seconds: f64, seed: u64) -> Result<(), String> {
        for load in &mut self.loads {
            let count = ((load.rate * seconds) as usize).clamp(256, MOST_SIGNATURES);
            let gaps = gaps(load.rate, count, self.exponential.then_some(seed));
            load.runs.push(run((self.sides)().map_err(failed)?, &gaps)?);
        }
        Ok(())
    }

    fn points(&self) -> Vec<Point> {
        self.loads.iter().filter_map(Load::point).collect()
    }
}

impl Load {
    /// Median of the runs without preemption, or of all runs if there are none.
    fn point(&self) -> Option<Point> {
        let disturbed = !self.runs.iter().any(|run| run.undisturbed);
        let good: Vec<&Run> = self.runs.iter().filter(|run| run.undisturbed || disturbed).collect();
        let of = |field: fn(&Run) -> f64| median(&mut good.iter().map(|run| field(run)).collect::<Vec<_>>());
        let point = Point { per_second: of(|run| run.per_second), median: of(|run| run.median) };
        (!good.is_empty()).then_some(point)
    }
}

/// Time between two due signatures.
fn gaps(rate: f64, count: usize, exponential: Option<u64>) -> Vec<Duration> {
    let mean = 1.0 / rate;
    match exponential {
        None => vec![Duration::from_secs_f64(mean); count],
        Some(seed) => {
            let mut rng = StdRng::seed_from_u64(seed);
            // From 53 bits, never 0.
            let mut part = || ((rng.next_u64() >> 11) as f64 + 1.0) / (1u64 << 53) as f64;
            (0..count).map(|_| Duration::from_secs_f64(-part().ln() * mean)).collect()
        }
    }
}

enum Transfer {
    Announcement(Vec<u8>),
    Signed { due: Instant, message: [u8; 8], signature: Vec<u8> },
}

/// Latencies from the due time of each signature to the result of its verification.
fn run(sides: Sides, gaps: &[Duration]) -> Result<Run, String> {
    let Sides { mut signer, mut verifier } = sides;
    let (transfers, arriving) = sync_channel(CHANNEL);
    // Both threads are running by then.
    let begin = Instant::now() + Duration::from_millis(2);
    let (signed, verified) = thread::scope(|scope| {
        let verifying =
            scope.spawn(move || without_preemption(|| verify_all(&mut *verifier, &arriving, begin)));
        let signed = without_preemption(|| sign_all(&mut *signer, &transfers, begin, gaps));
        // The other side ends when the channel is closed.
        drop(transfers);
        (signed, verifying.join())
    });
    let (verified, verifier_undisturbed) =
        verified.map_err(|_| "the verifying thread ended unexpectedly".to_owned())?;
    let (mut latencies, last) = verified?;
    signed.0?;
    let took = last.saturating_duration_since(begin).as_secs_f64();
    let per_second = latencies.len() as f64 / took;
    // The first ones run with cold caches.
    let mut warm = latencies.split_off(latencies.len() / 10);
    Ok(Run { per_second, median: median(&mut warm), undisturbed: signed.1 && verifier_undisturbed })
}

fn sign_all(
    signer: &mut dyn SigningSide,
    transfers: &SyncSender<Transfer>,
    begin: Instant,
    gaps: &[Duration],
) -> Result<(), String> {
    let (mut due, mut spins) = (begin, 0);
    for (number, gap) in (0u64..).zip(gaps) {
        due += *gap;
        loop {
            let early = Instant::now() < due;
            if !early && !signer.lacks_keys() {
                break;
            }
            match signer.run_background(clock(begin)).map_err(failed)? {
                Some(announcement) => send_blocking(transfers, Transfer::Announcement(announcement))?,
                None if early => pause(&mut spins),
                None => return Err("the signer has no keys left".to_owned()),
            }
        }
        let message = number.to_le_bytes();
        let signature = signer.sign(&message, clock(begin)).map_err(failed)?;
        send_blocking(transfers, Transfer::Signed { due, message, signature })?;
    }
    Ok(())
}

/// Latency of each in nanoseconds, and the time of the last.
fn verify_all(
    verifier: &mut dyn VerifyingSide,
    arriving: &Receiver<Transfer>,
    begin: Instant,
) -> Result<(Vec<f64>, Instant), String> {
    let (mut latencies, mut last, mut spins) = (Vec::new(), begin, 0);
    loop {
        match arriving.try_recv() {
            Ok(Transfer::Announcement(announcement)) => {
                verifier.receive_announcement(&announcement, clock(begin)).map_err(failed)?;
            }
            Ok(Transfer::Signed { due, message, signature }) => {
                verifier.verify(&message, &signature).map_err(failed)?;
                last = Instant::now();
                latencies.push(last.saturating_duration_since(due).as_nanos() as f64);
            }
            Err(TryRecvError::Empty) => pause(&mut spins),
            Err(TryRecvError::Disconnected) => return Ok((latencies, last)),
        }
    }
}

/// Waits while too many signatures are in transit.
fn send_blocking(transfers: &SyncSender<Transfer>, mut transfer: Transfer) -> Result<(), String> {
    let mut spins = 0;
    loop {
        match transfers.try_send(transfer) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Full(back)) => transfer = back,
            // The other thread reports the error.
            Err(TrySendError::Disconnected(_)) => return Err("the verifying side ended".to_owned()),
        }
        pause(&mut spins);
    }
}

/// Polls, because a sleeping thread wakes up too late for such latencies; yields from time to time.
fn pause(spins: &mut u32) {
    *spins = spins.wrapping_add(1);
    if spins.is_multiple_of(256) { thread::yield_now() } else { spin_loop() }
}

fn clock(begin: Instant) -> Time {
    Time(u64::try_from(begin.elapsed().as_micros()).unwrap_or(u64::MAX))
}

fn fill(table: &mut Table, lines: &[Line], ed: f64) {
    let micros = |nanos: f64| figure(nanos / 1000.0);
    let kilo = |per_second: f64| figure(per_second / 1000.0);
    for line in lines {
        let points = line.points();
        let Some(first) = points.first() else { continue };
        let steady =
            points.iter().take_while(|point| point.median <= 2.0 * first.median).last().unwrap_or(first);
        let most = points.iter().map(|point| point.per_second).fold(0.0, f64::max);
        table.row([
            line.name.to_owned(),
            line.intervals().to_owned(),
            kilo(first.per_second),
            micros(first.median),
            figure(first.median / ed),
            kilo(steady.per_second),
            micros(steady.median),
            kilo(most),
            line.paper.to_owned(),
        ]);
    }
    let drawn = |line: &Line| {
        let points =
            line.points().iter().map(|point| (point.per_second / 1000.0, point.median / 1000.0)).collect();
        let place = lines.iter().position(|other| other.name == line.name).unwrap_or_default();
        if line.exponential {
            Series::dashed(line.label(), place, points)
        } else {
            Series::new(line.label(), points)
        }
    };
    let papers = [("EdDSA, the paper", 0, (56.0, 56.0)), ("DSig, the paper", 2, (137.0, 7.8))];
    let papers = papers.map(|(name, like, point)| Series::dashed(name, like, vec![point]));
    let series = lines.iter().map(drawn).chain(papers).collect();
    table.drawing =
        Some(Drawing::Lines(Lines::new("thousand signatures per second", "median latency, µs", series)));
    table.note(
        "From the due time of a signature to the result of its verification, including waiting. The sides \
         exchange bytes through a queue in memory, without kernel and network. In the paper each side has two \
         cores; EdDSA uses both for messages, and DSig one for each plane. Here each side has one core. Planes \
         together: keys are made when no signature is due, or when no keys are left; signatures that become due \
         meanwhile wait. Foreground alone: keys are made and announcements verified in advance and provided batch \
         by batch, as by a background core, and the line ends at the throughput of such a core.",
    );
    let runs = || lines.iter().flat_map(|line| &line.loads).flat_map(|load| &load.runs);
    let disturbed = runs().filter(|run| !run.undisturbed).count();
    if disturbed > 0 {
        table.note(format!(
            "In {disturbed} of {} runs a thread was preempted; such runs count only if all runs of a load were \
             preempted.",
            runs().count()
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_have_their_mean() {
        assert_eq!(gaps(1000.0, 3, None), [Duration::from_millis(1); 3]);
        let all = gaps(1000.0, 10_000, Some(1));
        let mean = all.iter().sum::<Duration>().as_secs_f64() / 10_000.0;
        assert!((0.0009..0.0011).contains(&mean), "{mean}");
        let short = all.iter().filter(|gap| **gap < Duration::from_millis(1)).count();
        assert!((6000..6600).contains(&short), "63 % lie below the mean: {short}");
    }

    #[test]
    fn every_signature_is_verified() {
        let gaps = gaps(100_000.0, 700, None);
        for sides in [eddsa(), one_core::<WotsHaraka256>().unwrap(), own_cores::<WotsHaraka256>(700).unwrap()]
        {
            let run = run(sides, &gaps).unwrap();
            assert!(run.per_second > 0.0 && run.median > 0.0);
        }
    }

    #[test]
    fn a_side_that_fails_ends_the_run() {
        let Sides { verifier, .. } = one_core::<WotsHaraka256>().unwrap();
        let Sides { signer, .. } = eddsa();
        assert!(run(Sides { signer, verifier }, &gaps(1e6, 5000, None)).is_err());
        let too_few = own_cores::<WotsHaraka256>(1).unwrap();
        assert!(run(too_few, &gaps(1e6, 500, None)).err().unwrap().contains("no keys left"));
    }

    #[test]
    fn disturbed_runs_count_only_if_there_are_no_others() {
        let run = |median, undisturbed| Run { per_second: median, median, undisturbed };
        let point = |runs| Load { rate: 1.0, runs }.point().map(|point| point.median);
        assert_eq!(point(vec![run(1.0, true), run(9.0, false), run(8.0, false)]), Some(1.0));
        assert_eq!(point(vec![run(9.0, false), run(8.0, false), run(7.0, false)]), Some(8.0));
        assert_eq!(point(vec![]), None);
    }
}
