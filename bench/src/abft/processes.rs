//! Real `quorate testnet` processes; and their bare latency beside a simulation of the same validators.

use super::figures::Measured;
use super::validators::{Computer, Load, ThreadTimes};
use crate::progress::progress;
use crate::report::COMPARED;
use crate::row::{Row, figure};
use crate::table::Table;
use crate::testnet::{Outcome, Testnet};

/// A committee whose bare latency is measured.
struct Size {
    members: u16,
    /// Transactions per second. Each one, and the two blocks after it that name its state, are complete before the next one:
    /// the latency contains no other epoch.
    rate: f64,
    /// Seconds of real load.
    seconds: u32,
    /// Number of simulated transactions.
    simulated: usize,
    /// Maximum of the bare latency in milliseconds.
    target: f64,
}

const SIZES: [Size; 3] = [
    Size { members: 4, rate: 5.0, seconds: 20, simulated: 60, target: 30.0 },
    Size { members: 7, rate: 2.5, seconds: 20, simulated: 30, target: 50.0 },
    Size { members: 16, rate: 0.5, seconds: 30, simulated: 10, target: 120.0 },
];

/// The bare latency of real validators, and of simulated ones on a computer like this one.
pub(super) fn bare_latency(quick: bool) -> Measured {
    let mut table = Table::new(
        "abft-validators",
        "Bare latency of validators that share this machine: real processes, and simulated",
        &[
            "members",
            "real, ms",
            "simulated, ms",
            COMPARED,
            "real, 99 %, ms",
            "processor for a block, real, ms",
            "simulated, ms",
        ],
    );
    let mut computer = Computer::this()?;
    let (mut rows, mut is_fitted) = (Vec::new(), false);
    for size in SIZES {
        let seconds = if quick { size.seconds / 2 } else { size.seconds };
        let real = run(Testnet {
            protocol: "abft",
            nodes: size.members.into(),
            rate: size.rate,
            tx_size: 250,
            ..Testnet::of_four("ed25519", 0, seconds)
        })?;
        let load = Load::new(size.rate, if quick { size.simulated / 2 } else { size.simulated });
        progress("abft", format_args!("the same {} validators, simulated", size.members));
        if !std::mem::replace(&mut is_fitted, true) {
            computer.fit(size.members, load, &per_block(&real))?;
        }
        let simulated = computer.run(size.members, load)?;
        let (latency, ratio) = (simulated.median_ms(), simulated.median_ms() / real.median_ms);
        let processor = per_block(&real).values().sum::<f64>() * 1000.0;
        table.row([size.members.to_string()].into_iter().chain(
            [real.median_ms, latency, ratio, real.p99_ms, processor, simulated.processor_ms()].map(figure),
        ));
        let name = |what: &str| format!("bare latency, {} validators, ed25519, {what}", size.members);
        rows.push(
            Row::new(name("real processes over loopback"), real.median_ms, "ms").at_most(size.target).note(
                format!(
                    "99 % below {} ms; TLS, persistence; processor {} ms for a block, all validators",
                    figure(real.p99_ms),
                    figure(processor)
                ),
            ),
        );
        rows.push(
            Row::new(name("simulated"), latency, "ms").note(format!(
                "processor {} ms for a block, all validators",
                figure(simulated.processor_ms())
            )),
        );
        rows.push(Row::new(name(COMPARED), ratio, "×").between(0.8, 1.2));
    }
    table.note(NOTE);
    table.note(format!("The costs: {}.", computer.describe()));
    Ok((rows, table))
}

const NOTE: &str = "Medians from the due time of a transaction to its commit at the validator that received it, one transaction at a time.\n\
     Real: `quorate testnet --protocol abft`, TLS over loopback and durable records. Simulated: the real chains, with the threads\n\
     of the node, which share the processors of this machine. The state machines cost the processor time that they take in the\n\
     simulation; durable writes and wake-ups are measured alone; the rest of a node is fitted to the processor time of the\n\
     threads of the four real validators, not to their latency. So all simulated latencies are predictions, and the processor\n\
     time of 7 and 16 members.";

/// The processor time of the validators' threads for a block, in seconds.
fn per_block(outcome: &Outcome) -> ThreadTimes {
    let blocks = outcome.blocks.max(1.0);
    outcome.threads.iter().map(|(name, time)| (name.clone(), time / blocks)).collect()
}

fn run(testnet: Testnet) -> Result<Outcome, String> {
    progress("abft", testnet.shown());
    testnet.run()
}

/// Real validators under load, beside Jolteon.
pub(super) fn loaded(quick: bool) -> Result<Vec<Row>, String> {
    let seconds = if quick { 5 } else { 20 };
    let mut rows = Vec::new();
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
