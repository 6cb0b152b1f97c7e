//! Whole rounds against the paper's emulation and testbed.

use super::blocks::{Case, Outcome, run};
use super::costs::Costs;
use super::{emulation, say, testbed};
use crate::row::{Row, figure};
use crate::table::Table;

pub(super) const MEGABYTE: u64 = 1_000_000;

pub(super) type Measured = Result<(Vec<Row>, Vec<Table>), String>;

/// Measures all of it.
pub(super) fn measure(quick: bool, costs: Costs) -> Measured {
    let (mut rows, mut tables) = emulation::measure(quick, costs)?;
    let (more_rows, more_tables) = testbed::measure(quick, costs)?;
    rows.extend(more_rows);
    tables.extend(more_tables);
    Ok((rows, tables))
}

/// Runs a case, and says so.
pub(super) fn simulate(case: &Case) -> Result<Outcome, String> {
    let outcome = run(case).map_err(|error| format!("simulating rounds: {error}"))?;
    let Case { nodes, silent, load, rules, stages, .. } = case;
    say(format!(
        "rounds of {} s, {nodes} nodes, {silent} silent, {load} tx/s, {}: {} tx/s, {} s, {} of {} rounds, in {:.1} s",
        stages.iter().sum::<u64>() as f64 / 1e9,
        testbed::named(*rules),
        figure(outcome.throughput),
        figure(outcome.latency),
        outcome.committed.0,
        outcome.committed.1,
        outcome.took.as_secs_f64()
    ));
    Ok(outcome)
}
