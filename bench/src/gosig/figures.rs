//! Stage II compared with the paper's Figure 10, and its cost for each node.

use super::costs::Costs;
use super::stage::Outcome;
use crate::chart::{Drawing, Lines, Scale, Series};
use crate::row::{Row, figure};
use crate::table::Table;

/// The way in which signatures spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Aggregated.
    Aggregated,
    /// Separately.
    Plain,
    /// Through a collector.
    Collector,
}

/// A line of the figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) name: &'static str,
    pub(super) way: Way,
    pub(super) fan_out: usize,
    /// True if a third of the nodes is silent.
    pub(super) silent: bool,
}

const fn line(name: &'static str, way: Way, fan_out: usize, silent: bool) -> Line {
    Line { name, way, fan_out, silent }
}

/// Ours first, then with a third silent.
pub(super) const LINES: [Line; 7] = [
    line("fan-out 5", Way::Aggregated, 5, false),
    line("a third silent", Way::Aggregated, 5, true),
    line("fan-out 1", Way::Aggregated, 1, false),
    line("fan-out 20", Way::Aggregated, 20, false),
    line("without aggregation", Way::Plain, 5, false),
    line("a collector, threshold signatures", Way::Collector, 5, false),
    line("fan-out 1, a third silent", Way::Aggregated, 1, true),
];

/// The numbers in the paper's text: line, nodes, seconds. Its figure prints no others.
const PAPER: [(usize, f64, f64); 4] =
    [(0, 5000.0, 3.70), (0, 10_000.0, 6.68), (1, 10_000.0, 11.31), (4, 10_000.0, 26.72)];

/// A line's run with a number of nodes.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) line: usize,
    pub(super) nodes: usize,
    pub(super) outcome: Outcome,
}

impl Point {
    /// `None` if some nodes did not finish.
    fn seconds(&self) -> Option<f64> {
        self.outcome.completion().map(|at| at as f64 / 1e9)
    }
}

fn at(points: &[Point], line: usize, nodes: usize) -> Option<&Point> {
    points.iter().find(|point| point.line == line && point.nodes == nodes)
}

/// The rows with targets, which are for the largest run.
pub(super) fn rows(points: &[Point], largest: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let seconds = |line| at(points, line, largest).map(|point| point.seconds().unwrap_or(f64::INFINITY));
    let p = |point: &Point| point.outcome.prepared.last().map_or(f64::NAN, |at| *at as f64 / 1e9);
    for (line, limit) in [(0, 4.0), (1, 7.0)] {
        let Some(point) = at(points, line, largest) else { continue };
        let (name, paper) = if line == 0 { ("", "6.68") } else { (", a third silent", "11.31") };
        let row = Row::new(
            format!("Stage II, {largest} nodes{name}"),
            point.seconds().unwrap_or(f64::INFINITY),
            "s",
        );
        rows.push(row.at_most(limit).note(format!(
            "all honest nodes hold TC; P after {} s; the paper: {paper} s with 10,000",
            figure(p(point))
        )));
    }
    if let (Some(with), Some(without)) = (seconds(0), seconds(4)) {
        rows.push(
            Row::new(format!("without aggregation / with, {largest} nodes"), without / with, "×")
                .note(format!("{} s; the paper: 4 ×", figure(without))),
        );
    }
    if let (Some(with), Some(collector)) = (seconds(0), seconds(5)) {
        rows.push(
            Row::new(
                format!("a collector of threshold signatures / gossip, {largest} nodes"),
                collector / with,
                "×",
            )
            .note(format!("{} s; the paper: above 20 s", figure(collector))),
        );
    }
    if let Some(point) = at(points, 0, largest) {
        let Outcome { longest, bytes, honest, messages, verified, busy, took, events, .. } = &point.outcome;
        let each = |all: u64| all as f64 / *honest as f64;
        rows.push(
            Row::new(format!("longest aggregate of a quorum, {largest} nodes"), *longest as f64, "B")
                .at_most(5000.0)
                .note("the paper: 40,256 B, 20 kB compressed"),
        );
        rows.push(
            Row::new(
                format!("sent by a node, P and TC, {largest} nodes"),
                each(bytes.iter().sum()) / 1000.0,
                "kB",
            )
            .note(format!(
                "the busiest {} kB; headers and repetitions included",
                figure(bytes.last().copied().unwrap_or(0) as f64 / 1000.0)
            )),
        );
        rows.push(Row::new(format!("messages of a node, {largest} nodes"), each(*messages), "").note(
            format!(
                "{} aggregates verified, its processor busy for {} ms",
                figure(each(*verified)),
                figure(each(*busy) / 1e6)
            ),
        ));
        rows.push(
            Row::new(format!("simulating Stage II, {largest} nodes"), took.as_secs_f64(), "s")
                .note(format!("{:.1} million events; processor time of one thread", *events as f64 / 1e6)),
        );
    }
    if let Some(point) = at(points, 0, 1000) {
        rows.push(
            Row::new("highest count, N = 1000, fan-out 5", point.outcome.highest_count.into(), "")
                .at_most(16.0)
                .note("of all aggregates that were sent"),
        );
    }
    if let Some(point) = at(points, 1, 1000) {
        rows.push(Row::new("the same, a third silent", point.outcome.highest_count.into(), "").at_most(16.0));
    }
    rows
}

/// Figure 10.
pub(super) fn figure_10(points: &[Point], sizes: &[usize], costs: &Costs) -> Table {
    let mut columns = vec!["nodes"];
    columns.extend(LINES.iter().map(|line| line.name));
    columns.push("the paper");
    let mut table =
        Table::new("gosig-figure-10", "Figure 10: until all honest nodes hold a TC certificate, s", &columns);
    for &nodes in sizes {
        let cells = (0..LINES.len()).map(|line| {
            at(points, line, nodes)
                .map_or("–".into(), |point| point.seconds().map_or("never".into(), figure))
        });
        let paper = match nodes {
            5000 => "3.70",
            10_000 => "6.68; a third silent 11.31; without aggregation 4 ×; a collector above 20",
            _ => "–",
        };
        table.row([nodes.to_string()].into_iter().chain(cells).chain([paper.to_owned()]));
    }
    let series = LINES.iter().enumerate().map(|(number, line)| {
        let of = points.iter().filter(|point| point.line == number);
        Series::new(line.name, of.filter_map(|point| Some((point.nodes as f64, point.seconds()?))).collect())
    });
    let paper = [(0, "the paper"), (1, "the paper, a third silent"), (4, "the paper, without aggregation")]
        .map(|(like, name)| {
            let points =
                PAPER.iter().filter(|(line, ..)| *line == like).map(|(_, nodes, seconds)| (*nodes, *seconds));
            Series::dashed(name, like, points.collect())
        });
    table.drawing = Some(Drawing::Lines(Lines::new("nodes", "s", series.chain(paper).collect())));
    table.note(format!(
        "20 cities, 2 Mbps each way, 1 % of packets lost, clocks up to 50 ms apart, silent nodes are initially \
         unknown. Nodes run\n\
         `core::gossip` with a scheme without cost; their simulated processors are busy for the time that BLS \
         takes here:\n\
         {} µs to check an aggregate, {} µs for each further one of a batch, {} µs for each signer. Latencies are \
         computed\n\
         (`cities.rs`), because the paper does not print its matrix. Its nodes took 11 ms to check an aggregate and 8 µs for each signer.\n\
         The lines without aggregation and with a collector are models (`plain.rs`, `collectors.rs`).",
        figure(costs.single / 1000.0),
        figure(costs.another / 1000.0),
        figure(costs.signer / 1000.0)
    ));
    table
}

/// The completion times of the largest run, by node.
pub(super) fn completion(points: &[Point], largest: usize) -> Table {
    let columns = [
        "",
        "first, s",
        "half, s",
        "99 %, s",
        "last, s",
        "sent by a node, kB",
        "messages",
        "verified",
        "highest count",
    ];
    let title = format!("Stage II with {largest} nodes");
    let mut table = Table::new("gosig-stage", title, &columns);
    let mut series = Vec::new();
    for (number, line) in LINES.iter().enumerate() {
        let Some(point) = at(points, number, largest) else { continue };
        let outcome = &point.outcome;
        for (what, times, shown) in
            [("P", &outcome.prepared, line.way == Way::Aggregated), ("TC", &outcome.complete, true)]
        {
            let share = |share: f64| match times.len() {
                0 => "never".to_owned(),
                len => times
                    .get(((len - 1) as f64 * share) as usize)
                    .map_or("–".into(), |at| figure(*at as f64 / 1e9)),
            };
            if shown && number < 2 || what == "TC" && matches!(number, 4 | 5) {
                let step = (times.len() / 50).max(1);
                let place = |(place, at): (usize, &u64)| {
                    (*at as f64 / 1e9, 100.0 * (place + 1) as f64 / outcome.honest as f64)
                };
                let name = format!("{what}, {}", line.name);
                let last = times.len().saturating_sub(1);
                let of = times.iter().enumerate().filter(|(place, _)| place % step == 0 || *place == last);
                series.push(Series::new(name, of.map(place).collect()));
            }
            let each = |all: u64| figure(all as f64 / outcome.honest.max(1) as f64);
            let rest = if what == "TC" {
                let bytes: u64 = outcome.bytes.iter().sum();
                let (verified, highest) = match line.way {
                    Way::Aggregated => (each(outcome.verified), outcome.highest_count.to_string()),
                    _ => ("–".into(), "–".into()),
                };
                [
                    figure(bytes as f64 / 1000.0 / outcome.honest.max(1) as f64),
                    each(outcome.messages),
                    verified,
                    highest,
                ]
            } else {
                [(); 4].map(|()| String::new())
            };
            let cells = [format!("{what}, {}", line.name), share(0.0), share(0.5), share(0.99), share(1.0)];
            table.row(cells.into_iter().chain(rest));
        }
    }
    table.drawing = Some(Drawing::Lines(Lines {
        x: "s".into(),
        y: "% of honest nodes that hold a certificate".into(),
        scale: Scale::Linear,
        series,
    }));
    table
}
