//! Real `quorate testnet` processes.

use crate::progress::progress;
use crate::row::{Row, figure};
use crate::testnet::Testnet;

/// Sizes of a committee, with the maximum of their bare latency in milliseconds.
const SIZES: [(u32, f64); 3] = [(4, 30.0), (7, 50.0), (16, 120.0)];
/// Load under which most epochs order a single transaction.
const SINGLE: u32 = 5;

pub(super) fn measure(quick: bool) -> Result<Vec<Row>, String> {
    let seconds = if quick { 5 } else { 20 };
    let mut rows = Vec::new();
    let run = |testnet: Testnet| {
        progress("abft", testnet.shown());
        testnet.run()
    };
    for (nodes, target) in SIZES {
        let one = Testnet {
            protocol: "abft",
            nodes,
            rate: SINGLE,
            tx_size: 250,
            ..Testnet::of_four("ed25519", 0, seconds)
        };
        let outcome = run(one)?;
        rows.push(
            Row::new(format!("bare latency, {nodes} real validators, ed25519"), outcome.median_ms, "ms")
                .at_most(target)
                .note(format!("99 % below {} ms; TLS, persistence", figure(outcome.p99_ms))),
        );
    }
    for rate in [10_000, 30_000] {
        for protocol in ["abft", "jolteon"] {
            let outcome = run(Testnet { protocol, ..Testnet::of_four("ed25519", rate, seconds) })?;
            let name = format!("4 real validators, {protocol}, ed25519, {rate} tx/s of 512 B: median");
            let row = Row::new(name, outcome.median_ms, "ms").note(format!(
                "{} tx/s, {} % committed, 99 % below {} ms",
                figure(outcome.tx_per_second),
                figure(outcome.committed_percent),
                figure(outcome.p99_ms)
            ));
            rows.push(if protocol == "abft" { row.at_most(500.0) } else { row });
        }
    }
    Ok(rows)
}
