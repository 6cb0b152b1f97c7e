//! The paper's tables and figures.

use std::time::Duration;

use quorate::machine::MemberIndex;
use quorate_abft::signatures::{Bls, Ed25519List, ThresholdScheme};

use super::committee::{Committee, Plan, TRANSACTION};
use super::simulation::{self, Links, Outcome};
use super::threads;
use crate::chart::{Drawing, Lines, Series};
use crate::cities::{REGIONS, latency};
use crate::progress::progress;
use crate::queue::{MILLISECOND, Nanos};
use crate::row::{Row, figure};
use crate::sampling::median;
use crate::table::Table;

pub(super) type Measured = Result<(Vec<Row>, Table), String>;

/// Bits per second of a member's link. The paper's instances had no fixed bandwidth.
const BANDWIDTH: f64 = 1e9;
/// One-way latency at one site.
const LOCAL: Nanos = MILLISECOND / 8;

/// The paper's largest batch.
const LARGEST_BATCH: usize = 2_000_000;

const ED25519: &str = "Ed25519 lists";
const BLS: &str = "BLS shares";
const ECDSA: &str = "ECDSA presignatures";

/// Table III: N = 8, f = 2, 10,000 transactions, all members in one process.
pub(super) fn table_3(quick: bool) -> Measured {
    let plan = Plan { members: 8, faulty: 2, batch: 10_000, encrypted: true };
    let runs = if quick { 3 } else { 10 };
    let mut table = Table::new(
        "abft-table-3",
        "Table III: one epoch of 8 members in one process, 10,000 transactions of 250 B",
        &["signatures", "encrypted, ms", "not encrypted, ms"],
    );
    table.row(["the paper, ECDSA", "238", "–"].map(str::to_owned));
    table.row(["the paper, BLS", "3410", "–"].map(str::to_owned));
    let both = |run: fn(Plan, u64) -> Result<f64, String>| -> Result<[f64; 2], String> {
        Ok([run(plan, runs)?, run(plan.open(), runs)?])
    };
    let mut rows = Vec::new();
    for (name, [encrypted, open], target) in [
        (ECDSA, both(with_presignatures)?, Some(100.0)),
        (BLS, both(in_threads::<Bls>)?, Some(250.0)),
        (ED25519, both(in_threads::<Ed25519List>)?, None),
    ] {
        table.row([name.to_owned(), figure(encrypted), figure(open)]);
        let row = Row::new(format!("Table III: N = 8, 10,000 transactions, {name}"), encrypted, "ms")
            .note(format!("median of {runs}; not encrypted {} ms", figure(open)));
        rows.push(match target {
            Some(target) => row.at_most(target),
            None => row,
        });
    }
    table.note(
        "A thread for each member on this machine's cores; clock time from the proposals to the last decision. As in the paper\n\
         the presignatures are in memory before it, and nothing is stored.",
    );
    Ok((rows, table))
}

fn with_presignatures(plan: Plan, runs: u64) -> Result<f64, String> {
    let committee = Committee::with_presignatures(plan, runs).map_err(|e| e.to_string())?;
    median_time(&committee, runs)
}

fn in_threads<S: ThresholdScheme>(plan: Plan, runs: u64) -> Result<f64, String> {
    let committee = Committee::<S>::deal(plan).map_err(|e| e.to_string())?;
    median_time(&committee, runs)
}

/// The median time of several epochs in milliseconds.
fn median_time<S: ThresholdScheme>(committee: &Committee<S>, runs: u64) -> Result<f64, String> {
    let mut times = Vec::new();
    for epoch in 1..=runs {
        let (time, transactions) = threads::run(committee, epoch)?;
        check(&committee.plan, transactions)?;
        times.push(milliseconds(time));
    }
    Ok(median(&mut times))
}

/// The bare latency at one site: each member proposes one transaction.
pub(super) fn local(quick: bool) -> Measured {
    let mut table = Table::new(
        "abft-local",
        "Bare latency at one site: each member proposes one transaction",
        &["members", "the paper, ms", "Ed25519 lists, ms", "BLS shares, ms", "HoneyBadger, ms", "BEAT0, ms"],
    );
    let mut rows = Vec::new();
    let cases = [(4, 1, 30.0, ["–", "–"]), (7, 2, 50.0, ["1500", "500"]), (16, 5, 120.0, ["–", "–"])];
    for (members, faulty, target, others) in cases {
        let plan = Plan { members, faulty, batch: usize::from(members), encrypted: true };
        let links = Links::even(LOCAL);
        let runs = if quick { 3 } else { 10 };
        let latencies =
            [simulated::<Ed25519List>(plan, &links, runs)?, simulated::<Bls>(plan, &links, runs)?];
        let [ed25519, bls] = [&latencies[0], &latencies[1]].map(|runs| median_latency(runs));
        let [honey, beat] = others;
        let paper = "≤ 120";
        table.row([
            members.to_string(),
            paper.into(),
            figure(ed25519),
            figure(bls),
            honey.into(),
            beat.into(),
        ]);
        rows.push(
            Row::new(format!("bare latency at one site, N = {members}, simulated, {ED25519}"), ed25519, "ms")
                .at_most(target)
                .note(format!("{BLS} {} ms", figure(bls))),
        );
    }
    table.note(SIMULATED);
    table.note("Links of 1/8 ms and 1 Gbit/s. The median over runs of the time until two thirds of the members have decided.");
    Ok((rows, table))
}

/// Figure 1: bare latency over the globe.
pub(super) fn figure_1(quick: bool) -> Measured {
    let mut table = Table::new(
        "abft-figure-1",
        "Figure 1: bare latency over the globe, N = 4f",
        &["members", "Ed25519 lists, s", "BLS shares, s", "processor of a member, s", "sent by a member, MB"],
    );
    let sizes: &[u16] = if quick { &[8, 16] } else { &[8, 16, 32, 64, 100] };
    let (mut rows, mut lines) = (Vec::new(), [Vec::new(), Vec::new()]);
    for &members in sizes {
        progress("abft", format_args!("Figure 1, N = {members}"));
        let plan = Plan { members, faulty: members / 4, batch: usize::from(members), encrypted: true };
        let links = Links::global();
        let runs = if members >= 64 { 1 } else { 3 };
        let ed25519 = simulated::<Ed25519List>(plan, &links, runs)?;
        let ed = median_latency(&ed25519) / 1000.0;
        // With BLS larger committees take many minutes to simulate.
        let bls = if members < 64 {
            Some(median_latency(&simulated::<Bls>(plan, &links, runs)?) / 1000.0)
        } else {
            None
        };
        let bls_shown = bls.map_or_else(|| "–".to_owned(), figure);
        let processor = ed25519.iter().flat_map(|one| &one.processor).copied().max().unwrap_or_default();
        let sent = ed25519.iter().flat_map(|one| &one.sent).copied().max().unwrap_or_default();
        table.row([
            members.to_string(),
            figure(ed),
            bls_shown.clone(),
            figure(processor as f64 / 1e9),
            figure(sent as f64 / 1e6),
        ]);
        for (line, value) in lines.iter_mut().zip([Some(ed), bls]) {
            line.extend(value.map(|value| (f64::from(members), value)));
        }
        let row =
            Row::new(format!("bare latency over the globe, N = {members}, simulated, {ED25519}"), ed, "s");
        let row = row
            .note(format!("processor {} s of a member; {BLS} {bls_shown} s", figure(processor as f64 / 1e9)));
        rows.push(if members == 100 { row.at_most(2.5) } else { row });
    }
    let [ed25519, bls] = lines;
    let series = vec![
        Series::new(ED25519, ed25519),
        Series::new(BLS, bls),
        Series::new("the paper (at most)", vec![(100.0, 7.0)]),
    ];
    table.drawing = Some(Drawing::Lines(Lines::new("members", "seconds", series)));
    table.note(SIMULATED);
    table.note(
        "Fourteen regions on five continents, evenly; latencies from distances (`cities.rs`); 1 Gbit/s. The paper reports less than\n\
         7 s up to 100 members. The time until two thirds of the members have decided; the columns on the right are the most of\n\
         any member with Ed25519 lists.",
    );
    Ok((rows, table))
}

/// Figure 2: throughput over the globe for growing batches.
pub(super) fn figure_2(quick: bool) -> Measured {
    let mut table = Table::new(
        "abft-figure-2",
        "Figure 2: throughput over the globe, one epoch at a time, Ed25519 lists",
        &["members", "B", "epoch, s", "tx/s", "sent by a member, MB", "bytes of the batch × N/(N − 2f), MB"],
    );
    let cases: &[(u16, &[usize])] = if quick {
        &[(8, &[100, 10_000])]
    } else {
        &[
            (8, &[100, 1_000, 10_000, 100_000, 400_000]),
            (32, &[1_000, 10_000, 100_000, 200_000]),
            (64, &[10_000, 100_000]),
            (100, &[1_000, 10_000]),
        ]
    };
    let (mut rows, mut series) = (Vec::new(), Vec::new());
    for (members, batches) in cases.iter().copied() {
        let (mut points, mut best) = (Vec::new(), (0.0, 0));
        let (mut traffic, faulty) = (Traffic::default(), members / 4);
        let expansion = f64::from(members) / f64::from(members - 2 * faulty);
        for &batch in batches {
            progress("abft", format_args!("Figure 2, N = {members}, B = {batch}"));
            let plan = Plan { members, faulty, batch, encrypted: true };
            let outcomes = simulated::<Ed25519List>(plan, &Links::global(), 1)?;
            let seconds = median_latency(&outcomes) / 1000.0;
            let transactions = outcomes.first().map_or(0, |one| one.transactions);
            let rate = transactions as f64 / seconds;
            let sent = outcomes.iter().flat_map(|one| &one.sent).copied().max().unwrap_or_default() as f64;
            let bound = plan.bytes() as f64 * expansion;
            traffic.measured(sent, bound);
            let cells = [seconds, rate, sent / 1e6, bound / 1e6].map(figure);
            table.row([members.to_string(), batch.to_string()].into_iter().chain(cells));
            points.push((batch as f64, rate));
            if rate > best.0 {
                best = (rate, batch);
            }
        }
        let name = format!("throughput over the globe, N = {members}, simulated, {ED25519}");
        let row = Row::new(name, best.0, "tx/s").note(format!("B = {}", best.1));
        rows.push(if members == 32 { row.at_least(80_000.0) } else { row });
        let name = format!("sent by a member / (bytes of the batch × N/(N − 2f)), N = {members}");
        let largest = traffic.computed(LARGEST_BATCH as f64 * TRANSACTION as f64 * expansion);
        rows.push(Row::new(name, largest, "×").at_most(1.2).note(format!(
            "computed for B = 2·10⁶ from the two largest; measured with the largest {} ×",
            figure(traffic.ratio())
        )));
        series.push(Series::new(format!("N = {members}"), points));
    }
    series.push(Series::new("the paper at most", vec![(2e6, 38_700.0)]));
    table.drawing = Some(Drawing::Lines(Lines::new("B, transactions of an epoch", "tx/s", series)));
    table.note(SIMULATED);
    table.note(
        "One epoch at a time, as in the paper; encrypted. Larger batches than these do not fit into this process, which holds the\n\
         data of all members; the paper's largest, B = 2·10⁶, is 500 MB. What a member sends for that one is computed: a part that\n\
         does not depend on the batch, and one in proportion to it.",
    );
    Ok((rows, table))
}

/// Bytes that a member sent for the two largest batches, each with the bytes of the batch × N/(N − 2f).
#[derive(Default)]
struct Traffic {
    before: (f64, f64),
    last: (f64, f64),
}

impl Traffic {
    fn measured(&mut self, sent: f64, bound: f64) {
        self.before = std::mem::replace(&mut self.last, (sent, bound));
    }

    fn ratio(&self) -> f64 {
        self.last.0 / self.last.1
    }

    /// The ratio for a larger batch, on the line through the two.
    fn computed(&self, bound: f64) -> f64 {
        let slope = (self.last.0 - self.before.0) / (self.last.1 - self.before.1);
        (self.last.0 + slope * (bound - self.last.1)) / bound
    }
}

/// The second research question: members with late or lost messages.
pub(super) fn degraded(quick: bool) -> Measured {
    let mut table = Table::new(
        "abft-degraded",
        "Late and lost messages of M of 8 members, f = 2, 10,000 transactions of 250 B",
        &["delay, ms", "loss, %", "M = 0, s", "M = 2, s", "M = 2 / M = 0", "M = 4, s", "M = 4 / M = 0"],
    );
    let plan = Plan { members: 8, faulty: 2, batch: 10_000, encrypted: true };
    let committee = Committee::<Ed25519List>::deal(plan).map_err(|e| e.to_string())?;
    let cases: &[(Nanos, f64)] = if quick {
        &[(500, 0.0)]
    } else {
        &[(100, 0.0), (500, 0.0), (1000, 0.0), (5000, 0.0), (0, 0.05), (0, 0.20)]
    };
    let runs = if quick { 2 } else { 9 };
    let mut rows = Vec::new();
    let mut worst = 0.0f64;
    for (delay, loss) in cases.iter().copied() {
        let mut times = [const { Vec::new() }; 3];
        for epoch in 0..runs {
            // Alternately, so that the costs of all three were taken under the same conditions.
            for (times, degraded) in times.iter_mut().zip([0, 2, 4]) {
                let links = Links { degraded, delay: delay * MILLISECOND, loss, ..Links::even(LOCAL) };
                // With M ≤ f the other members must not notice. With more, all of them wait.
                let outcome = simulation::run(&committee, epoch, &links, &[4, 5, 6, 7])?;
                check(&plan, outcome.transactions)?;
                times.push(last(&outcome) / 1000.0);
            }
        }
        let [none, two, four] = times.each_mut().map(|times| median(times));
        let cells = [none, two, two / none, four, four / none].map(figure);
        table.row([delay.to_string(), figure(loss * 100.0)].into_iter().chain(cells));
        worst = worst.max(two / none);
    }
    rows.push(
        Row::new("latency with M = 2 of 8 members degraded / without, the worst case", worst, "×")
            .at_most(1.1)
            .note("delays to 5 s, losses to 20 %"),
    );
    table.note(SIMULATED);
    table.note(
        "The time until the four members that are never degraded have decided; medians over seeds. A lost message is sent again\n\
         after 200 ms, 400 ms, … The paper: no significant change with M = 2; 17 times the latency with M = 4 and 5,000 ms.",
    );
    Ok((rows, table))
}

const SIMULATED: &str = "Simulated: real machines over links of the given latency and bandwidth. Each member has one processor, and each of its\n\
     inputs costs the processor time that the machine took for it in this run.";

fn simulated<S: ThresholdScheme>(plan: Plan, links: &Links, runs: u64) -> Result<Vec<Outcome>, String> {
    let committee = Committee::<S>::deal(plan).map_err(|e| e.to_string())?;
    let all: Vec<MemberIndex> = (0..plan.members).collect();
    let run = |epoch| {
        let outcome = simulation::run(&committee, epoch, links, &all)?;
        check(&plan, outcome.transactions)?;
        Ok(outcome)
    };
    (0..runs).map(run).collect()
}

/// At least the proposals of N − f members are decided, without repetitions.
fn check(plan: &Plan, transactions: usize) -> Result<(), String> {
    let least = plan.share() * usize::from(plan.members - plan.faulty);
    let most = plan.share() * usize::from(plan.members);
    if (least..=most).contains(&transactions) {
        Ok(())
    } else {
        Err(format!("{transactions} transactions decided, between {least} and {most} expected"))
    }
}

/// The median over runs of the time until two thirds have decided, in milliseconds.
fn median_latency(runs: &[Outcome]) -> f64 {
    let one = |outcome: &Outcome| {
        let mut decided = outcome.decided.clone();
        decided.sort_unstable();
        let at = (decided.len() * 2).div_ceil(3).saturating_sub(1);
        decided.get(at).copied().unwrap_or_default() as f64 / 1e6
    };
    median(&mut runs.iter().map(one).collect::<Vec<_>>())
}

/// When the last member decided, in milliseconds.
fn last(outcome: &Outcome) -> f64 {
    outcome.decided.iter().copied().max().unwrap_or_default() as f64 / 1e6
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

impl Plan {
    fn open(self) -> Self {
        Self { encrypted: false, ..self }
    }
}

impl Links {
    /// Links of one latency.
    fn even(latency: Nanos) -> Self {
        let latency = Box::new(move |_, _| latency);
        Self { latency, bandwidth: BANDWIDTH, degraded: 0, delay: 0, loss: 0.0 }
    }

    /// Members in the regions of a cloud, evenly.
    fn global() -> Self {
        let latency = Box::new(|from: MemberIndex, to: MemberIndex| {
            let city = |member: MemberIndex| REGIONS.get(usize::from(member) % REGIONS.len()).copied();
            city(from).zip(city(to)).map_or(0, |(from, to)| latency(from, to))
        });
        Self { latency, bandwidth: BANDWIDTH, degraded: 0, delay: 0, loss: 0.0 }
    }
}
