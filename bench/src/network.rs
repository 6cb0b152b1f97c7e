//! The rows about whole networks: real processes, real links, real disks, all on this machine.

use crate::row::Row;
use crate::testnet::{Outcome, Testnet};

/// Fraction of the transactions that must commit.
const ENOUGH_PERCENT: f64 = 95.0;
/// Rates among which the highest sustainable one is searched.
const RATES: &[u32] = &[60_000, 80_000, 100_000, 120_000, 140_000, 160_000, 200_000];

/// Schemes of votes.
const SCHEMES: [&str; 2] = ["bls", "ed25519"];

/// Measures all rows; with `talk`, prints its progress on the standard error.
pub(crate) fn measure(quick: bool, talk: bool) -> Result<Vec<Row>, String> {
    let run = |net: &Testnet| {
        if talk {
            eprintln!("running {}", net.shown());
        }
        net.run()
    };
    let seconds = if quick { 8 } else { 30 };
    let mut rows = Vec::new();
    for rate in [60_000, 100_000] {
        for scheme in SCHEMES {
            let outcome = run(&Testnet::of_four(scheme, rate, seconds))?;
            rows.extend(full_load(scheme, rate, &outcome));
        }
    }
    for scheme in SCHEMES {
        rows.push(highest_rate(scheme, if quick { 5 } else { 15 }, &run)?);
    }
    rows.push(one_dead(seconds, &run)?);
    for scheme in SCHEMES {
        rows.extend(twenty(scheme, seconds, &run)?);
    }
    rows.push(idle(if quick { 6 } else { 20 }, &run)?);
    Ok(rows)
}

fn full_load(scheme: &str, rate: u32, outcome: &Outcome) -> [Row; 3] {
    let name = |what: &str| format!("4 nodes, {scheme}, {rate} tx/s of 512 B: {what}");
    [
        Row::new(name("committed"), outcome.committed_percent, "%")
            .at_least(ENOUGH_PERCENT)
            .note(format!("{:.0} tx/s", outcome.tx_per_second)),
        Row::new(name("median latency"), outcome.median_ms, "ms")
            .at_most(250.0)
            .note(format!("99 % below {:.0} ms", outcome.p99_ms)),
        Row::new(name("timeouts"), outcome.timeouts, "").at_most(0.0),
    ]
}

/// The highest of [`RATES`] at which enough transactions commit.
fn highest_rate(
    scheme: &'static str,
    seconds: u32,
    run: &impl Fn(&Testnet) -> Result<Outcome, String>,
) -> Result<Row, String> {
    let mut best = (0, String::new());
    for &rate in RATES {
        let outcome = run(&Testnet::of_four(scheme, rate, seconds))?;
        if outcome.committed_percent < ENOUGH_PERCENT {
            break;
        }
        best = (
            rate,
            format!(
                "{:.2} % committed, median {:.0} ms, 99 % below {:.0} ms",
                outcome.committed_percent, outcome.median_ms, outcome.p99_ms
            ),
        );
    }
    let name = format!("4 nodes, {scheme}: highest rate of which 95 % commits");
    Ok(Row::new(name, best.0.into(), "tx/s").at_least(200_000.0).note(best.1))
}

fn one_dead(seconds: u32, run: &impl Fn(&Testnet) -> Result<Outcome, String>) -> Result<Row, String> {
    let whole = Testnet::of_four("bls", 5_000, seconds);
    let reduced = Testnet { kill: Some((1, 2)), ..whole.clone() };
    let (whole, reduced) = (run(&whole)?, run(&reduced)?);
    Ok(Row::new(
        "4 nodes, bls, 5000 tx/s: median, 1 killed / fault-free",
        reduced.median_ms / whole.median_ms,
        "×",
    )
    .at_most(2.0)
    .note(format!("{:.0} ms / {:.0} ms", reduced.median_ms, whole.median_ms)))
}

fn twenty(
    scheme: &'static str,
    seconds: u32,
    run: &impl Fn(&Testnet) -> Result<Outcome, String>,
) -> Result<[Row; 2], String> {
    let outcome = run(&Testnet { nodes: 20, ..Testnet::of_four(scheme, 2_000, seconds) })?;
    let name = |what: &str| format!("20 nodes, {scheme}, 2000 tx/s of 512 B: {what}");
    Ok([
        Row::new(name("committed"), outcome.committed_percent, "%").at_least(ENOUGH_PERCENT),
        Row::new(name("median latency"), outcome.median_ms, "ms")
            .at_most(200.0)
            .note(format!("99 % below {:.0} ms", outcome.p99_ms)),
    ])
}

fn idle(seconds: u32, run: &impl Fn(&Testnet) -> Result<Outcome, String>) -> Result<Row, String> {
    let outcome = run(&Testnet::of_four("bls", 0, seconds))?;
    Ok(Row::new("4 nodes, bls, no load: processor per node", outcome.cpu_percent, "%").at_most(5.0))
}
