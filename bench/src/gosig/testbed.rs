//! 280 nodes in 14 regions: the paper's Figures 2 and 6, and the effect of each optimisation.

use super::ablation::ABLATION;
use super::blocks::{Case, Outcome, Rules};
use super::costs::Costs;
use super::network::{Connection, Setting};
use super::parallel::run_parallel;
use super::simulate::{MEGABYTE, Measured, simulate};
use crate::chart::{Drawing, Lines, Scale, Series};
use crate::cities;
use crate::queue::{MILLISECOND, Nanos, SECOND};
use crate::row::figure;
use crate::table::Table;

/// The paper's testbed: half a gigabit in a region, 15 to 250 megabits for a connection between two.
pub(super) const TESTBED: Setting = Setting {
    cities: &cities::REGIONS,
    bandwidth: 500e6,
    connection: Some(Connection { near: 250e6, far: 15e6 }),
    loss: 0.0,
};
/// Offered transactions per second in Figure 2.
const LOADS: [f64; 6] = [4e3, 8e3, 12e3, 16e3, 20e3, 28e3];
/// Offered transactions per second in Figure 6: from below the throughput of its lowest line to the limit of a block.
const STEPS: [f64; 8] = [1e3, 2e3, 4e3, 6e3, 8e3, 12e3, 18e3, 24e3];
/// Stage lengths in milliseconds of the test for the shortest rounds, and its load.
const STAGES: [u64; 6] = [500, 750, 1000, 1500, 2500, 5000];
const LIGHT: f64 = 4e3;
const ROUND: [Nanos; 2] = [5 * SECOND; 2];

type Ran = (Case, Outcome);

/// Runs all loads with all rules.
pub(super) fn measure(quick: bool, costs: Costs) -> Measured {
    let (nodes, silent) = if quick { (70, 17) } else { (280, 70) };
    let base = Case {
        nodes,
        silent: 0,
        setting: TESTBED,
        costs,
        stages: ROUND,
        block: 60 * MEGABYTE,
        load: LIGHT,
        bundle: 250,
        rounds: 6,
        copies: 3,
        retry: SECOND / 2,
        rules: Rules::ALL,
        seed: 1,
    };
    let loads: &[f64] = if quick { &LOADS[..2] } else { &LOADS };
    let steps: &[f64] = if quick { &STEPS[1..3] } else { &STEPS };
    let stages: &[u64] = if quick { &STAGES[2..4] } else { &STAGES };
    let mut cases = Vec::new();
    for load in loads.iter().rev() {
        cases.extend([0, silent].map(|silent| Case { load: *load, silent, ..base }));
    }
    for (_, rules, _) in ABLATION {
        cases.extend(steps.iter().map(|load| Case { load: *load, rules, ..base }));
        // Short bundles: a round has few of the long ones.
        cases.extend(stages.iter().map(|stage| Case {
            stages: [*stage * MILLISECOND; 2],
            rules,
            bundle: 50,
            rounds: 10,
            ..base
        }));
    }
    let all = run_parallel(cases, |case| Ok((case, simulate(&case)?)))?;
    Ok((Vec::new(), vec![figure_2(&all, loads, silent), figure_6(&all), lengths(&all, stages)]))
}

fn figure_2(all: &[Ran], loads: &[f64], silent: usize) -> Table {
    let nodes = all.first().map_or(0, |(case, _)| case.nodes);
    let mut table = Table::new(
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
            let is = |case: &Case| (case.load, case.silent, case.rules) == (*load, silent, Rules::ALL);
            let found = all.iter().find(|(case, _)| is(case) && case.stages == ROUND);
            let Some((_, outcome)) = found else { continue };
            cells.extend([figure(outcome.throughput), figure(outcome.latency)]);
            line.points.push((*load, outcome.throughput));
        }
        cells.push(if *load == 16e3 { "15,000, 15.8; 70 silent 12,000".into() } else { "–".into() });
        table.row(cells);
    }
    let paper = [("the paper, at most", 0, 15e3), ("the paper, 70 silent, at most", 1, 12e3)];
    let paper = paper.map(|(name, like, most)| Series::dashed(name, like, vec![(16e3, most)]));
    table.drawing = Some(Drawing::Lines(Lines {
        x: "offered, tx/s".into(),
        y: "committed, tx/s".into(),
        scale: Scale::Linear,
        series: series.into_iter().chain(paper).collect(),
    }));
    table.note(
        "A block of 60 MB every 10 s is 24,000 tx/s: more cannot be committed. The paper's machines stopped at 16,000; their other work\n\
         (in Java, on virtual machines with two cores) is not simulated; only the votes use the real implementation.",
    );
    table
}

/// The run with the highest throughput under some rules.
fn most(all: &[Ran], rules: Rules) -> Option<&Ran> {
    let of = all.iter().filter(|(case, _)| case.rules == rules && case.silent == 0 && case.stages == ROUND);
    of.max_by(|(_, a), (_, b)| a.throughput.total_cmp(&b.throughput))
}

fn figure_6(all: &[Ran]) -> Table {
    let mut table = Table::new(
        "gosig-figure-6",
        "Figure 6: effect of each optimisation with rounds of 10 s",
        &["enabled", "highest committed, tx/s", "latency at that rate, s", "the paper, tx/s"],
    );
    for (name, rules, paper) in ABLATION {
        let Some((_, outcome)) = most(all, rules) else { continue };
        table.row([name.to_owned(), figure(outcome.throughput), figure(outcome.latency), paper.to_owned()]);
    }
    let line = |(name, rules, _): &(&str, Rules, &str)| {
        let of = all.iter().filter(|(case, _)| {
            case.rules == *rules && case.silent == 0 && case.stages == ROUND && STEPS.contains(&case.load)
        });
        let mut points: Vec<(f64, f64)> =
            of.map(|(case, outcome)| (case.load, outcome.throughput.max(0.0))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.dedup_by(|a, b| a.0 == b.0);
        Series::new(*name, points)
    };
    let drawn = [0, 2, 3, 4, 5, 9, 10];
    table.drawing = Some(Drawing::Lines(Lines {
        x: "offered, tx/s".into(),
        y: "committed, tx/s".into(),
        scale: Scale::Linear,
        series: drawn.iter().filter_map(|place| ABLATION.get(*place)).map(line).collect(),
    }));
    table.note(
        "In all lines except the last, transactions travel in the segments of blocks. The first five are not \
         options of ours: here a\n\
         member that lacks a block at the start of Stage II may prepare it later in Stage II, and no segment is \
         longer than 2 MiB. These\n\
         two rules have most of the effect of pipelining and segments in the paper, so that the lines below them \
         differ less.",
    );
    table
}

/// The table of the shortest rounds.
fn lengths(all: &[Ran], stages: &[u64]) -> Table {
    let mut columns = vec!["enabled".to_owned()];
    columns.extend(stages.iter().map(|stage| format!("{} s", *stage as f64 / 500.0)));
    columns.push("shortest that commits, s".to_owned());
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let title = format!("Shortest rounds, {} tx/s: from submission to commit, s", figure(LIGHT));
    let mut table = Table::new("gosig-rounds", title, &columns);
    let mut series = Vec::new();
    for (number, (name, rules, _)) in ABLATION.iter().enumerate() {
        let (mut cells, mut points, mut shortest) = (vec![(*name).to_owned()], Vec::new(), None);
        for stage in stages {
            let stages = [*stage * MILLISECOND; 2];
            let is = |case: &Case| case.rules == *rules && case.stages == stages && case.bundle == 50;
            let Some((_, outcome)) = all.iter().find(|(case, _)| is(case)) else { continue };
            if outcome.throughput >= LIGHT * 0.95 && outcome.committed.0 == outcome.committed.1 {
                let length = *stage as f64 / 500.0;
                cells.push(figure(outcome.latency));
                points.push((length, outcome.latency));
                shortest = shortest.or(Some(length));
            } else {
                cells.push(format!("{} tx/s", figure(outcome.throughput)));
            }
        }
        cells.push(shortest.map_or("–".into(), figure));
        table.row(cells);
        if number > 4 {
            series.push(Series::new(*name, points));
        }
    }
    table.drawing = Some(Drawing::Lines(Lines {
        x: "length of a round, s".into(),
        y: "from submission to commit, s".into(),
        scale: Scale::Linear,
        series,
    }));
    table.note(
        "Where rounds fail or transactions fall behind, the committed rate instead of the latency. A round must \
         be long enough to spread\n\
         a block and its signatures. Pipelining of rounds starts a block when the previous one is committed, \
         before the clock's round:\n\
         this leaves more time for its spreading, but names transactions earlier and thereby increases their \
         latency.",
    );
    table
}
