//! Whole rounds against the paper's emulation and testbed: its Figures 2, 6, 8, and what its text says of them.

use super::blocks::{Case, Outcome, Rules, run};
use super::costs::Costs;
use super::network::{Connection, Setting};
use super::queue::{MILLISECOND, Nanos, SECOND};
use super::{cities, say, side_by_side};
use crate::chart::{Drawing, Lines, Scale, Series};
use crate::row::{Row, figure};
use crate::table::Table;

/// The paper's emulation.
const FAST: Setting = Setting { cities: &cities::WORLD, bandwidth: 20e6, connection: None, loss: 0.0 };
/// The paper's testbed: half a gigabit in a region, 15 to 250 megabits for a connection between two.
const TESTBED: Setting = Setting {
    cities: &cities::REGIONS,
    bandwidth: 500e6,
    connection: Some(Connection { near: 250e6, far: 15e6 }),
    loss: 0.0,
};
/// Transactions per second that are offered to the testbed.
const LOADS: [f64; 6] = [4e3, 8e3, 12e3, 16e3, 20e3, 28e3];
const MEGABYTE: u64 = 1_000_000;

type Measured = Result<(Vec<Row>, Vec<Table>), String>;

/// Measures all of it.
pub(super) fn measure(quick: bool, costs: Costs) -> Measured {
    let (mut rows, mut tables) = emulation(quick, costs)?;
    let (more_rows, more_tables) = testbed(quick, costs)?;
    rows.extend(more_rows);
    tables.extend(more_tables);
    Ok((rows, tables))
}

fn simulate(case: &Case) -> Result<Outcome, String> {
    let outcome = run(case).map_err(|error| format!("simulating rounds: {error}"))?;
    let Case { nodes, silent, load, rules, .. } = case;
    say(format!(
        "rounds, {nodes} nodes, {silent} silent, {load} tx/s, {}: {} tx/s, {} s, {} of {} rounds, in {:.1} s",
        named(*rules),
        figure(outcome.throughput),
        figure(outcome.latency),
        outcome.committed.0,
        outcome.committed.1,
        outcome.took.as_secs_f64()
    ));
    Ok(outcome)
}

/// Thousands of nodes at 20 Mbps, blocks of 12 MB.
fn emulation(quick: bool, costs: Costs) -> Measured {
    let nodes = if quick { 300 } else { 5000 };
    let case = |stages: [Nanos; 2], load: f64, copies: usize| Case {
        nodes,
        silent: 0,
        setting: FAST,
        costs,
        stages,
        block: 12 * MEGABYTE,
        load,
        bundle: 250,
        rounds: 5,
        copies,
        rules: Rules::ALL,
        seed: 1,
    };
    let half = 7500 * MILLISECOND;
    let cases = vec![case([half, half], 3000.0, 3), case([5 * SECOND, 5 * SECOND], 3800.0, 2)];
    let mut all = side_by_side(cases, |case| Ok((case.load, case, simulate(&case)?)))?;
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut table = Table::new(
        "gosig-figure-8",
        format!("Rounds of {nodes} nodes at 20 Mbps, blocks of 12 MB"),
        &[
            "",
            "offered, tx/s",
            "committed, tx/s",
            "from submission to commit, s",
            "rounds committed",
            "sent by a node, Mbps",
        ],
    );
    table.row(["the paper: rounds of 15 s", "3000", "3000", "23.9", "–", "above 16.7"].map(str::to_owned));
    for (_, case, outcome) in &all {
        let seconds = case.stages.iter().sum::<Nanos>() / SECOND;
        table.row([
            format!("rounds of {seconds} s, transactions passed on {} times", case.copies),
            figure(case.load),
            figure(outcome.throughput),
            figure(outcome.latency),
            format!("{} of {}", outcome.committed.0, outcome.committed.1),
            figure(outcome.sent / 1e6),
        ]);
    }
    let mut rows = Vec::new();
    if let Some((_, case, outcome)) = all.last() {
        let seconds = case.stages.iter().sum::<Nanos>() / SECOND;
        rows.push(
            Row::new(format!("{nodes} nodes, 20 Mbps, blocks of 12 MB"), outcome.throughput, "tx/s")
                .at_least(3000.0)
                .note(format!("rounds of {seconds} s; the paper: 3,000 with 5,000 nodes and 15 s")),
        );
        rows.push(
            Row::new("the same, from submission to commit", outcome.latency, "s")
                .at_most(23.9)
                .note("the paper: 23.9 s"),
        );
        table.drawing = Some(steps(outcome));
    }
    if let Some((_, _, outcome)) = all.first().filter(|_| all.len() > 1) {
        rows.push(
            Row::new(format!("{nodes} nodes, rounds of 15 s as the paper's"), outcome.throughput, "tx/s")
                .note(format!("{} s from submission to commit", figure(outcome.latency))),
        );
    }
    table.note(
        "Votes are `core::gossip` itself; how transactions and blocks spread is a model (`blocks/mod.rs` has its rules). The drawing is\n\
         of the shorter rounds: how many nodes had what, after a block was proposed (the paper's Figure 8).",
    );
    Ok((rows, vec![table]))
}

/// How a block gets around.
fn steps(outcome: &Outcome) -> Drawing {
    let names = ["header", "body", "transactions", "quorum of P", "quorum of TC"];
    let series = names.iter().zip(&outcome.steps).map(|(name, times)| {
        let len = times.len().max(1);
        let points = (0..=50).filter_map(|part| {
            let place = ((len - 1) * part) / 50;
            Some((*times.get(place)?, 100.0 * (place + 1) as f64 / len as f64))
        });
        Series::new(*name, points.collect())
    });
    Drawing::Lines(Lines {
        x: "s after the proposal".into(),
        y: "% of the nodes that had it".into(),
        scale: Scale::Linear,
        series: series.collect(),
    })
}

/// What is switched on, of the paper's Figure 6; what it reached in tx/s.
const ABLATION: [(&str, Rules, &str); 6] = [
    ("nothing", Rules::NONE, "2000"),
    ("pipelining of rounds", Rules { round_pipelining: true, ..Rules::NONE }, "3500"),
    ("pipelining of stages", Rules { stage_pipelining: true, ..Rules::NONE }, "3500"),
    ("5 segments", Rules { segments: 5, ..Rules::NONE }, "8000"),
    ("all three", Rules { asynchronous: false, ..Rules::ALL }, "15000"),
    ("all three, transactions by themselves", Rules::ALL, "–"),
];

fn named(rules: Rules) -> &'static str {
    ABLATION.iter().find(|(_, known, _)| *known == rules).map_or("", |(name, ..)| name)
}

/// 280 nodes in 14 regions.
fn testbed(quick: bool, costs: Costs) -> Measured {
    let (nodes, silent) = if quick { (70, 17) } else { (280, 70) };
    let case = |load: f64, silent, rules| Case {
        nodes,
        silent,
        setting: TESTBED,
        costs,
        stages: [5 * SECOND, 5 * SECOND],
        block: 60 * MEGABYTE,
        load,
        bundle: 250,
        rounds: 6,
        copies: 3,
        rules,
        seed: 1,
    };
    let loads: &[f64] = if quick { &LOADS[..2] } else { &LOADS };
    let mut cases = Vec::new();
    for load in loads.iter().rev() {
        cases.extend([case(*load, 0, Rules::ALL), case(*load, silent, Rules::ALL)]);
        cases.extend(ABLATION.iter().take(5).map(|(_, rules, _)| case(*load, 0, *rules)));
    }
    let all = side_by_side(cases, |case| Ok((case, simulate(&case)?)))?;
    let at = |load: f64, silent: usize, rules: Rules| {
        let is = |case: &Case| case.load == load && case.silent == silent && case.rules == rules;
        all.iter().find(|(case, _)| is(case)).map(|(_, outcome)| outcome)
    };
    let mut figure_2 = Table::new(
        "gosig-figure-2",
        format!("Figure 2: {nodes} nodes in 14 regions, rounds of 10 s, blocks of 60 MB"),
        &[
            "offered, tx/s",
            "committed, tx/s",
            "latency, s",
            &format!("{silent} silent, tx/s"),
            "latency, s",
            "the paper: tx/s, s",
        ],
    );
    let mut series = [
        Series::new(format!("{nodes} nodes"), vec![]),
        Series::new(format!("{silent} of them silent"), vec![]),
    ];
    for load in loads {
        let mut cells = vec![figure(*load)];
        for (silent, line) in [0, silent].into_iter().zip(&mut series) {
            let Some(outcome) = at(*load, silent, Rules::ALL) else { continue };
            cells.extend([figure(outcome.throughput), figure(outcome.latency)]);
            line.points.push((*load, outcome.throughput));
        }
        cells.push(if *load == 16e3 { "15,000, 15.8; 70 silent 12,000".into() } else { "–".into() });
        figure_2.row(cells);
    }
    let paper = [("the paper, at most", 0, 15e3), ("the paper, 70 silent, at most", 1, 12e3)];
    let paper = paper.map(|(name, like, most)| Series::dashed(name, like, vec![(16e3, most)]));
    figure_2.drawing = Some(Drawing::Lines(Lines {
        x: "offered, tx/s".into(),
        y: "committed, tx/s".into(),
        scale: Scale::Linear,
        series: series.into_iter().chain(paper).collect(),
    }));
    figure_2.note(
        "A block of 60 MB every 10 s is 24,000 tx/s: more cannot be committed. The paper's machines stopped at 16,000; what they did\n\
         besides sending (a virtual machine of two cores, Java) is not in the simulation.",
    );
    let mut figure_6 = Table::new(
        "gosig-figure-6",
        "Figure 6: what each optimisation is worth",
        &["switched on", "most committed, tx/s", "of 10 s rounds, latency then, s", "the paper, tx/s"],
    );
    for (name, rules, paper) in ABLATION {
        let outcomes = loads.iter().filter_map(|load| at(*load, 0, rules));
        let best = outcomes.max_by(|a, b| a.throughput.total_cmp(&b.throughput));
        let Some(best) = best else { continue };
        figure_6.row([name.to_owned(), figure(best.throughput), figure(best.latency), paper.to_owned()]);
    }
    figure_6.note("The same network; the best of the loads of Figure 2. In all lines but the last transactions travel in the segments of blocks.");
    Ok((Vec::new(), vec![figure_2, figure_6]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ablation_has_its_name() {
        for (name, rules, _) in ABLATION {
            assert_eq!(named(rules), name);
        }
    }
}
