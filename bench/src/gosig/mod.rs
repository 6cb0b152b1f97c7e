//! Gosig: the figures of the paper (Li et al., *Gosig: A Scalable and High-Performance Byzantine Consensus for Consortium
//! Blockchains*), and the rows that have targets. Networks of thousands of nodes are simulated.

mod ablation;
mod blocks;
mod collectors;
mod costs;
mod emulation;
mod figures;
mod merges;
mod network;
mod parallel;
mod plain;
mod rounds;
mod signers;
mod simulate;
mod stage;
mod testbed;

use std::thread;

use self::figures::{LINES, Point, Way};
use self::network::Setting;
use self::parallel::run_parallel;
use self::stage::{Case, Outcome};
use crate::cities;
use crate::progress::progress;
use crate::row::Row;
use crate::sampling::SamplePlan;
use crate::table::Table;
use crate::testnet::Testnet;

/// The paper's simulation.
const SLOW: Setting = Setting { cities: &cities::WORLD, bandwidth: 2e6, connection: None, loss: 0.01 };
const SIZES: [usize; 5] = [100, 300, 1000, 3000, 10_000];
const FEW: [usize; 2] = [100, 1000];
/// Measures the rows that have targets, and the paper's figures. Prints its progress on the standard error.
pub(crate) fn measure(quick: bool) -> Result<(Vec<Row>, Vec<Table>), String> {
    let sizes: &[usize] = if quick { &FEW } else { &SIZES };
    let largest = sizes.last().copied().unwrap_or_default();
    progress("gosig", "costs of BLS");
    let (costs, mut rows) =
        costs::measure(SamplePlan::new(quick)).map_err(|error| format!("measuring Gosig: {error}"))?;
    // The longest first, so that no thread starts it last.
    let mut jobs: Vec<(usize, usize)> =
        sizes.iter().rev().flat_map(|nodes| (0..LINES.len()).map(|line| (line, *nodes))).collect();
    jobs.retain(|(line, nodes)| *nodes < 10_000 || *line != LINES.len() - 1);
    let mut points = run_parallel(jobs, |(line, nodes)| {
        let outcome = stage(line, nodes, costs)?;
        progress(
            "gosig",
            format!(
                "Stage II, {nodes} nodes, {}: {:.1} s",
                LINES.get(line).map_or("", |line| line.name),
                outcome.took.as_secs_f64()
            ),
        );
        Ok(Point { line, nodes, outcome })
    })?;
    points.sort_by_key(|point| (point.line, point.nodes));
    rows.extend(figures::rows(&points, largest));
    let mut tables = vec![figures::figure_10(&points, sizes, &costs), figures::completion(&points, largest)];
    let (merged, rounds) = thread::scope(|scope| {
        let merged = scope.spawn(|| merges::measure(largest));
        let rounds = rounds::measure(quick, costs);
        (merged.join(), rounds)
    });
    let merged = merged.map_err(|_| "merging aggregates panicked".to_owned())?;
    rows.extend(merged.map_err(|error| format!("merging aggregates: {error}"))?);
    let (more_rows, more_tables) = rounds?;
    rows.extend(more_rows);
    rows.extend(memory());
    rows.extend(validators(quick)?);
    tables.extend(more_tables);
    progress("gosig", "done");
    Ok((rows, tables))
}

fn stage(line: usize, nodes: usize, costs: costs::Costs) -> Result<Outcome, String> {
    let Some(line) = LINES.get(line) else { return Err("no such line".into()) };
    let silent = if line.silent { (nodes - 1) / 3 } else { 0 };
    let case = Case { nodes, silent, fan_out: line.fan_out, setting: SLOW, costs, seed: 1 };
    match line.way {
        Way::Aggregated => stage::run(&case).map_err(|error| format!("simulating Stage II: {error}")),
        Way::Plain => Ok(plain::run(&case)),
        Way::Collector => Ok(collectors::run(&case)),
    }
}

/// Sixteen real validators under a light load, with each protocol.
fn validators(quick: bool) -> Result<Vec<Row>, String> {
    let measure = |protocol| {
        let seconds = if quick { 8 } else { 30 };
        let net = Testnet { protocol, nodes: 16, ..Testnet::of_four("bls", 1_000, seconds) };
        progress("gosig", net.shown());
        let outcome = net.run()?;
        let name = |what: &str| format!("16 validators, {protocol}, 1,000 tx/s of 512 B: {what}");
        let committed = Row::new(name("committed"), outcome.committed_percent, "%").at_least(95.0);
        let latency = Row::new(name("median latency"), outcome.median_ms, "ms");
        Ok([
            committed.note(format!(
                "{:.0} tx/s; {:.0} % of a core each",
                outcome.tx_per_second, outcome.cpu_percent
            )),
            latency.note(format!("99 % below {:.0} ms, {} undecided", outcome.p99_ms, outcome.timeouts)),
        ])
    };
    let both: Vec<[Row; 2]> = ["gosig", "jolteon"].map(measure).into_iter().collect::<Result<_, String>>()?;
    Ok(both.into_iter().flatten().collect())
}

/// Peak memory of this process.
fn memory() -> Option<Row> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    let row =
        Row::new("memory of all simulations, up to three at a time", kilobytes / 1024.0 / 1024.0, "GiB");
    Some(row.at_most(16.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_required_row_has_its_target() {
        let outcome = Outcome {
            complete: vec![1_000_000_000],
            honest: 1,
            bytes: vec![1],
            highest_count: 1,
            ..Outcome::default()
        };
        let points: Vec<Point> =
            (0..LINES.len()).map(|line| Point { line, nodes: 1000, outcome: outcome.clone() }).collect();
        let rows = figures::rows(&points, 1000);
        for name in [
            "Stage II, 1000 nodes",
            "Stage II, 1000 nodes, a third silent",
            "longest aggregate of a quorum, 1000 nodes",
            "highest count, N = 1000, fan-out 5",
        ] {
            let row = rows.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("no row {name}"));
            assert_eq!(row.is_reached(), Some(true), "{name}");
        }
    }
}
