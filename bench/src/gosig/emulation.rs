//! Thousands of nodes at 20 Mbps with blocks of 12 MB: the paper's section 6.3 and its Figure 8.

use std::cmp::Reverse;

use super::blocks::{Case, Outcome, Rules};
use super::costs::Costs;
use super::network::Setting;
use super::parallel::run_parallel;
use super::simulate::{MEGABYTE, Measured, simulate};
use crate::chart::{Drawing, Lines, Scale, Series};
use crate::cities;
use crate::queue::{MILLISECOND, Nanos, SECOND};
use crate::row::{Row, figure};
use crate::table::Table;

pub(super) const FAST: Setting =
    Setting { cities: &cities::WORLD, bandwidth: 20e6, connection: None, loss: 0.0 };

/// The paper's rounds, and ours: shorter, with more transactions and fewer copies of each.
const ROUNDS: [(Nanos, f64, usize); 2] = [(7500 * MILLISECOND, 3000.0, 3), (5 * SECOND, 3400.0, 2)];

/// Runs both, and returns the rows that have targets.
pub(super) fn measure(quick: bool, costs: Costs) -> Measured {
    let nodes = if quick { 300 } else { 5000 };
    let case = |(stage, load, copies): (Nanos, f64, usize)| Case {
        nodes,
        silent: 0,
        setting: FAST,
        costs,
        stages: [stage; 2],
        block: 12 * MEGABYTE,
        load,
        bundle: 250,
        rounds: 5,
        copies,
        retry: SECOND,
        rules: Rules::ALL,
        seed: 1,
    };
    let cases = ROUNDS.map(case).to_vec();
    let mut all = run_parallel(cases, |case| Ok((case, simulate(&case)?)))?;
    all.sort_by_key(|(case, _)| Reverse(case.stages));
    let mut table = Table::new(
        "gosig-figure-8",
        format!("Figure 8: {nodes} nodes at 20 Mbps, blocks of 12 MB"),
        &[
            "",
            "offered, tx/s",
            "committed, tx/s",
            "from submission to commit, s",
            "rounds committed",
            "sent by a node, Mbps",
            "copies of a transaction",
        ],
    );
    let paper =
        ["the paper: rounds of 15 s, forwarded 3 times", "3000", "3000", "23.9", "–", "above 16.7", "–"];
    table.row(paper.map(str::to_owned));
    for (case, outcome) in &all {
        table.row([
            format!("rounds of {} s, forwarded {} times", seconds(case), case.copies),
            figure(case.load),
            figure(outcome.throughput),
            figure(outcome.latency),
            format!("{} of {}", outcome.committed.0, outcome.committed.1),
            figure(outcome.sent / 1e6),
            figure(outcome.copies),
        ]);
    }
    let mut rows = Vec::new();
    if let [(long, theirs), .., (short, ours)] = all.as_slice() {
        rows.push(
            Row::new(format!("{nodes} nodes, 20 Mbps, blocks of 12 MB"), ours.throughput, "tx/s")
                .at_least(3000.0)
                .note(format!(
                    "rounds of {} s, {} tx/s offered; the paper: 3,000 with 5,000 nodes and rounds of 15 s",
                    seconds(short),
                    figure(short.load)
                )),
        );
        rows.push(
            Row::new("the same, from submission to commit", ours.latency, "s")
                .at_most(23.9)
                .note("the paper: 23.9 s"),
        );
        rows.push(
            Row::new(
                format!("{nodes} nodes, rounds of {} s as the paper's", seconds(long)),
                theirs.throughput,
                "tx/s",
            )
            .note(format!(
                "{} s from submission to commit; {} tx/s offered",
                figure(theirs.latency),
                figure(long.load)
            )),
        );
        table.drawing = Some(steps(ours));
    }
    table.note(
        "Votes use `core::gossip`; the spreading of transactions and blocks is a model of \
         `examples/protocols/gosig`\n\
         (`blocks/mod.rs` lists the rules and the differences). Ours has `transaction_fanout = 2`, `retry = 1 s`, \
         and 12 MB for the\n\
         first block; a transaction that is forwarded twice misses every fifth node, which requests it when a \
         block names it.\n\
         No packet is lost, as in the paper's emulation. The chart shows the shorter rounds: the share of nodes \
         that had each part,\n\
         by time since the proposal.",
    );
    Ok((rows, vec![table]))
}

fn seconds(case: &Case) -> f64 {
    case.stages.iter().sum::<Nanos>() as f64 / 1e9
}

/// The spreading of a block.
fn steps(outcome: &Outcome) -> Drawing {
    let names = ["header", "body", "transactions", "quorum of P", "committed"];
    let series = names.iter().zip(&outcome.steps).map(|(name, times)| {
        let len = times.len().max(1);
        let points = (0..=50).filter_map(|part| {
            let place = ((len - 1) * part) / 50;
            // The proposer has all parts at once: a time of zero has no place on a logarithmic axis.
            let at = times.get(place).copied().filter(|at| *at > 0.0)?;
            Some((at, 100.0 * (place + 1) as f64 / len as f64))
        });
        Series::new(*name, points.collect())
    });
    Drawing::Lines(Lines {
        x: "s since the proposal".into(),
        y: "% of nodes".into(),
        scale: Scale::Linear,
        series: series.collect(),
    })
}
