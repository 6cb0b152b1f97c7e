//! The tables and drawings of Figures 1 and 7.

use super::programs::{Load, MeasuredProgram, PaperBreakdown};
use super::samples::{BETWEEN_TICKS, Samples};
use crate::chart::{Bar, Bars, Drawing};
use crate::dsig::costs::Costs;
use crate::row::figure;
use crate::table::Table;

const PARTS: [&str; 2] = ["without signatures", "added by signatures"];

/// A row of Figure 7 with signatures: its name, the signer in the program's report, and the place of its value in the paper.
const SIGNED: [(&str, &str, usize); 3] =
    [("EdDSA, Dalek", "eddsa", 0), ("EdDSA, Sodium", "sodium", 1), ("DSig, wots-haraka-256", "dsig", 2)];

/// A table without figures, and the reason.
pub(super) fn unmeasured(about: &MeasuredProgram, reason: &str) -> Table {
    let mut table = Table::new(about.table, about.title, &[]);
    table.note(reason);
    table
}

/// One program of Figure 7.
pub(super) fn figure_7(
    about: &MeasuredProgram,
    samples: &Samples,
    load: &Load,
    costs: &Costs,
) -> Result<Table, String> {
    let columns = [
        "",
        "p10, µs",
        "median, µs",
        "p90, µs",
        "p99, µs",
        "p99 between ticks, µs",
        "more than plain, µs",
        "of which signatures, µs",
        "sign + verify alone, µs",
        "the same, ed",
        "the paper's median, µs",
    ];
    let mut table = Table::new(about.table, about.title, &columns);
    let unsigned = if about.has_log { "none" } else { about.plain };
    let (plain, none) = (samples.median(about.plain, "p50")?, samples.median(unsigned, "p50")?);
    let mut row = |name: &str, signer: &str, once: Option<f64>, paper: String| {
        let median = samples.median(signer, "p50")?;
        let cells = [name.to_owned()].into_iter().chain(samples.cells(signer)?);
        table.row(cells.chain([
            cell((signer != about.plain).then_some(median - plain)),
            cell((signer != about.plain && signer != unsigned).then_some(median - none)),
            cell(once),
            cell(once.map(|once| once * 1000.0 / costs.ed)),
            paper,
        ]));
        Ok::<_, String>(())
    };
    let paper = &about.paper;
    row("plain", about.plain, None, format!("≈ {}", paper.plain))?;
    let mut bars = vec![samples.bar("plain", about.plain, about.plain)?];
    if about.has_log {
        row("log, no signatures", "none", None, "–".to_owned())?;
        bars.push(samples.bar("log, no signatures", "none", "none")?);
    }
    let mut missing = Vec::new();
    for (name, signer, place) in SIGNED {
        if !samples.has(signer) {
            missing.push(name);
            continue;
        }
        let bound = if signer == "dsig" && paper.dsig_is_bound { "below" } else { "≈" };
        let added = paper.added.get(place).copied().unwrap_or_default();
        let stated = format!("{bound} {} + {added}", paper.plain);
        row(name, signer, alone(about, samples, signer, costs), stated)?;
        bars.push(samples.bar(name, signer, unsigned)?);
    }
    bars.extend(SIGNED.iter().zip(paper.added).map(|((name, signer, _), added)| Bar {
        name: match *signer {
            "dsig" if paper.dsig_is_bound => "DSig, the paper (at most)".to_owned(),
            "dsig" => "DSig, the paper".to_owned(),
            _ => format!("{name}, the paper"),
        },
        values: vec![paper.plain, added],
        whiskers: None,
    }));
    table.drawing = Some(drawing("median latency, µs; lines from the 10th to the 90th percentile", bars));
    table.note(about.note);
    table.note(format!(
        "{} requests, one at a time; medians over alternating rounds. {}",
        load.requests,
        samples.pinning()
    ));
    if samples.median("dsig", BETWEEN_TICKS).is_ok() {
        table.note(
            "Between ticks: of the requests that did not begin shortly before or in a timer tick of one of the cores. The ticks are \
             observed before each round. A request of EdDSA is so long that it meets ticks all the same.",
        );
    }
    if !missing.is_empty() {
        table.note(format!(
            "Not measured: {}. The programs were built without libsodium; `cargo xtask bench dsig` installs Debian's package \
             libsodium-dev, or says what to install.",
            missing.join(", ")
        ));
    }
    let slow = samples.median("dsig", "slow_verifications").unwrap_or_default();
    if slow > 0.0 {
        table.note(format!("In the median round, {slow} verifications preceded their announcement."));
    }
    Ok(table)
}

/// Figure 1: latency and cryptography with EdDSA and with DSig.
pub(super) fn figure_1(measured: &[(&MeasuredProgram, &Samples)]) -> Result<Table, String> {
    let columns = [
        "",
        "without signatures, µs",
        "EdDSA adds, µs",
        "DSig adds, µs",
        "less cryptography, %",
        "less latency, %",
        "the paper: less cryptography, less latency, %",
    ];
    let title = "Figure 1: median latency with EdDSA (Dalek) and with DSig";
    let mut table = Table::new("dsig-figure-1", title, &columns);
    let mut bars = Vec::new();
    for (about, samples) in measured {
        let Some(PaperBreakdown { name, less_cryptography, less_latency }) = &about.figure_1 else {
            continue;
        };
        let without = if about.has_log { "none" } else { about.plain };
        let [none, eddsa, dsig] = [without, "eddsa", "dsig"].map(|signer| samples.median(signer, "p50"));
        let (none, eddsa, dsig) = (none?, eddsa?, dsig?);
        let less = |before: f64, after: f64| (before > 0.0).then(|| 100.0 * (1.0 - after / before));
        table.row([
            (*name).to_owned(),
            figure(none),
            figure(eddsa - none),
            figure(dsig - none),
            cell(less(eddsa - none, dsig - none)),
            cell(less(eddsa, dsig)),
            format!("{less_cryptography}, {less_latency}"),
        ]);
        bars.push(samples.bar(&format!("{name}, EdDSA"), "eddsa", without)?);
        bars.push(samples.bar(&format!("{name}, DSig"), "dsig", without)?);
    }
    table.drawing = Some(drawing("median latency, µs; lines from the 10th to the 90th percentile", bars));
    table.note(
        "The figures are those of Figure 7. \"Without signatures\" includes the log of the key-value store. What our programs do \
         besides the signatures takes longer than in the paper, where it is one message over RDMA: therefore the latency sinks \
         less than the cryptography.",
    );
    Ok(table)
}

/// Time of the signatures of a request and their verifications, without the program.
fn alone(about: &MeasuredProgram, samples: &Samples, signer: &str, costs: &Costs) -> Option<f64> {
    let once = samples.alone(signer).ok().or(match signer {
        "eddsa" => Some((costs.ed_sign + costs.ed_verify) / 1000.0),
        "dsig" => Some(costs.latency() / 1000.0),
        _ => None,
    });
    once.map(|once| about.signatures * once)
}

fn cell(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), figure)
}

fn drawing(x: &str, bars: Vec<Bar>) -> Drawing {
    Drawing::Bars(Bars { x: x.to_owned(), parts: PARTS.map(str::to_owned).to_vec(), bars })
}
