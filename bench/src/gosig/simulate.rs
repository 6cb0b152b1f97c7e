//! Runs of simulated rounds.

use super::ablation::name_of_rules;
use super::blocks::{Case, Outcome, run};
use crate::progress::progress;
use crate::row::{Row, figure};
use crate::table::Table;

pub(super) const MEGABYTE: u64 = 1_000_000;

pub(super) type Measured = Result<(Vec<Row>, Vec<Table>), String>;

/// Runs a case and prints its result on the standard error.
pub(super) fn simulate(case: &Case) -> Result<Outcome, String> {
    let outcome = run(case).map_err(|error| format!("simulating rounds: {error}"))?;
    let Case { nodes, silent, load, rules, stages, .. } = case;
    progress(
        "gosig",
        format!(
            "rounds of {} s, {nodes} nodes, {silent} silent, {load} tx/s, {}: {} tx/s, {} s, {} of {} rounds, in {:.1} s",
            stages.iter().sum::<u64>() as f64 / 1e9,
            name_of_rules(*rules),
            figure(outcome.throughput),
            figure(outcome.latency),
            outcome.committed.0,
            outcome.committed.1,
            outcome.took.as_secs_f64()
        ),
    );
    Ok(outcome)
}
