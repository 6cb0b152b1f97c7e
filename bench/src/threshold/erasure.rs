//! Erasure coding: the rows that have targets, and the ABFT paper's Table IV with the tuner's results here.

use quorate::erasure::tuner::{SearchResult, SearchSpace, Workload, hill_climb, sample_len};
use quorate::erasure::{CheckedShard, Coder, Coding, ErasureSuite, Packets, Shape};
use quorate::{Error, Result};

use crate::chart::{Drawing, Lines, Series};
use crate::row::{Row, figure};
use crate::sampling::{Case, SamplePlan, median, medians, time};
use crate::table::Table;

/// The paper's committee: 50 data shards, 50 parity shards.
const MEMBERS: (u16, u16) = (100, 25);
/// The paper's transactions.
const TRANSACTION: usize = 250;
/// The paper's batches, and its times in µs with p = 1 and with p = 8,192; w = 7.
const TABLE_4: [(usize, f64, f64); 3] =
    [(100, 206.0, 30_877.0), (100_000, 144_860.0, 27_805.0), (2_000_000, 2_929_800.0, 56_702.0)];
/// A message of 25 MB.
const LARGE: usize = 25_000_000;

/// Measures the rows that have targets, and the paper's table.
pub(super) fn measure(quick: bool) -> Result<(Vec<Row>, Vec<Table>)> {
    let care = SamplePlan::new(quick);
    let mut rows = Vec::new();
    for suite in [ErasureSuite::Leopard, ErasureSuite::Gf8] {
        rows.extend(large(suite, care)?);
    }
    rows.extend(small(care)?);
    let mut table = Table::new(
        "erasure-table-4",
        "Table IV: encode 250 B × B for 100 members, 25 faulty; ms. Above 32 MB, and with p < 64 above 1 MB, scaled",
        &[
            "B",
            "paper, p = 1",
            "paper, p = 8192",
            "p = 1",
            "best (w, p)",
            "is",
            "× of p = 1",
            "leopard",
            "gf8",
        ],
    );
    let mut lines =
        [ErasureSuite::Leopard.name(), ErasureSuite::Gf8.name(), "jerasure, p = 1", "jerasure, best (w, p)"]
            .map(|name| Series::new(name, vec![]));
    for paper in TABLE_4 {
        rows.extend(tuned(paper, quick, &mut table, &mut lines)?);
    }
    let paper = |name, like, time: fn((usize, f64, f64)) -> f64| {
        let points = TABLE_4.map(|row| (row.0 as f64, time(row) / 1e3));
        Series::dashed(name, like, points.to_vec())
    };
    let paper = [paper("the paper, p = 1", 2, |row| row.1), paper("the paper, p = 8192", 3, |row| row.2)];
    let series = lines.into_iter().filter(|line| !line.points.is_empty()).chain(paper).collect();
    table.drawing = Some(Drawing::Lines(Lines::new("B, transactions of 250 B", "ms to encode", series)));
    table.note(
        "The paper's Jerasure ran on an Intel i7-3770K. Here packets have p bytes; \
         the paper does not say in what unit it counts p. Leopard and gf8 have nothing to tune.",
    );
    if !ErasureSuite::Jerasure(Packets::new(7, 0)?).is_available() {
        table.note("Jerasure could not be built here: it needs autoconf, automake, libtool and libclang.");
    }
    Ok((rows, vec![table]))
}

/// Gigabytes of message per second, with 100 members.
fn large(suite: ErasureSuite, care: SamplePlan) -> Result<Vec<Row>> {
    let coding = coding(suite, MEMBERS, LARGE)?;
    let work = || Workload::new(coding, LARGE);
    let (mut encode, mut decode_f, mut decode_2f) = (work()?, work()?, work()?);
    let (mut sender, mut receiver) = (Coder::new(coding)?, Coder::new(coding)?);
    let message: Vec<u8> = (0..LARGE).map(|at| (at % 251) as u8).collect();
    let sent = sender.disperse(&message)?;
    let shards = coding.shape().shards();
    let late: Vec<CheckedShard> =
        (shards - coding.shape().data()..shards).map(|index| sent.shard(index)).collect::<Result<_>>()?;
    drop(sent);
    let mut cases = [
        Case::new(|| encode.encode()),
        Case::new(|| decode_f.decode_f()),
        Case::new(|| decode_2f.decode_2f()),
        Case::new(|| sender.disperse(&message)),
        Case::new(|| receiver.decode(&late)),
    ];
    let times = medians(&mut cases, care);
    let name = suite.name();
    let whats = [
        format!("encode, N = 100, 25 MB, {name}"),
        format!("decode with f lost, {name}"),
        format!("decode with 2f lost, {name}"),
        format!("encode and commit to the shards, {name}"),
        format!("decode with 2f lost and check the sender, {name}"),
    ];
    let row = |(what, time): (String, f64)| {
        Row::new(what, LARGE as f64 / time, "GB/s").note(format!("{:.1} ms", time / 1e6))
    };
    let mut rows: Vec<Row> = whats.into_iter().zip(times).map(row).collect();
    for (row, target) in rows.iter_mut().zip([1.0, 0.4, 0.4]) {
        *row = row.clone().at_least(target);
    }
    Ok(rows)
}

/// The sizes at which the code over GF(2⁸) decodes faster.
fn small(care: SamplePlan) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (members, message) in [((8, 2), 25_000), ((8, 2), 1_000_000), ((100, 25), 25_000)] {
        let work = |suite| Workload::new(coding(suite, members, message)?, message);
        let (mut leopard, mut gf8) = (work(ErasureSuite::Leopard)?, work(ErasureSuite::Gf8)?);
        let mut cases = [Case::new(|| leopard.decode_2f()), Case::new(|| gf8.decode_2f())];
        let times = medians(&mut cases, care);
        for (name, time) in ["leopard", "gf8"].into_iter().zip(times) {
            let what = format!("decode with 2f lost, N = {}, {} kB, {name}", members.0, message / 1000);
            rows.push(Row::new(what, time / 1000.0, "µs"));
        }
    }
    Ok(rows)
}

/// One row of the paper's table, and how the best parameters compare with p = 1.
fn tuned(
    (batch, one, large): (usize, f64, f64),
    quick: bool,
    table: &mut Table,
    lines: &mut [Series; 4],
) -> Result<Vec<Row>> {
    let message = batch * TRANSACTION;
    let encode = |suite| Ok::<_, Error>(encode_time(coding(suite, MEMBERS, message)?, message)? / 1e6);
    let (leopard, gf8) = (encode(ErasureSuite::Leopard)?, encode(ErasureSuite::Gf8)?);
    let jerasure = |packets| encode(ErasureSuite::Jerasure(packets));
    let first = Packets::new(7, 0)?;
    let mut cells = vec![batch.to_string(), figure(one / 1e3), figure(large / 1e3)];
    let mut rows = Vec::new();
    let mut times = vec![leopard, gf8];
    if ErasureSuite::Jerasure(first).is_available() {
        let found = search(message, if quick { 0 } else { 2 })?;
        let best = found.best().map_or(first, |trial| trial.packets);
        let (plain, tuned) = (jerasure(first)?, jerasure(best)?);
        let parameters = format!("({}, {})", best.word(), best.packet());
        times.extend([plain, tuned]);
        cells.extend([figure(plain), parameters.clone(), figure(tuned), figure(plain / tuned)]);
        let what = format!("encode, B = {batch}: the tuner's (w, p) against p = 1");
        let paper = one / large;
        let row = Row::new(what, plain / tuned, "×").note(format!("{parameters}; the paper: {paper:.3} ×"));
        // For the smallest batch p = 1 was the paper's best.
        rows.push(if paper > 1.0 { row.at_least(paper) } else { row });
    } else {
        cells.extend(["–"; 4].map(str::to_owned));
    }
    cells.extend([figure(leopard), figure(gf8)]);
    for (line, time) in lines.iter_mut().zip(times) {
        line.points.push((batch as f64, time));
    }
    table.row(cells);
    Ok(rows)
}

/// The paper's search, with its measure: encode, decode with f lost, decode with 2f lost.
fn search(message: usize, successors: u8) -> Result<SearchResult> {
    let shape = Shape::for_committee(MEMBERS.0, MEMBERS.1)?;
    hill_climb(&SearchSpace::new(shape, message, successors)?, 1, |packets| {
        let suite = ErasureSuite::Jerasure(packets);
        let sample = sample_len(suite, message);
        let mut work = Workload::new(coding(suite, MEMBERS, message)?, sample)?;
        let mut outcome = Ok(());
        let time = time(1, &mut || outcome = work.run());
        outcome.map(|()| (time.as_nanos() as f64 * message as f64 / sample as f64) as u64)
    })
}

/// Nanoseconds of encoding: the median of three samples of a hundredth of a second or one run, of a part of the message
/// if that is enough.
fn encode_time(coding: Coding, message: usize) -> Result<f64> {
    let sample = sample_len(coding.suite(), message);
    let mut work = Workload::new(coding, sample)?;
    let mut outcome = Ok(());
    let mut timed =
        |runs: u32| time(runs, &mut || outcome = work.encode()).as_nanos() as f64 / f64::from(runs);
    let runs = (1e7 / timed(1).max(1.0)).clamp(1.0, 1e4) as u32;
    let mut samples = [timed(runs), timed(runs), timed(runs)];
    outcome.map(|()| median(&mut samples) * message as f64 / sample as f64)
}

fn coding(suite: ErasureSuite, (members, faulty): (u16, u16), message: usize) -> Result<Coding> {
    Coding::new(suite, Shape::for_committee(members, faulty)?, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_factors_are_those_of_its_text() {
        let factors = TABLE_4.map(|(_, one, large)| one / large);
        assert!((factors[1] - 5.21).abs() < 0.005 && (factors[2] - 51.67).abs() < 0.005);
        assert!(factors[0] < 1.0, "for the smallest batch p = 1 was better");
    }
}
