//! Whole rounds, compared with the paper's emulation and testbed.

use super::costs::Costs;
use super::simulate::Measured;
use super::{emulation, testbed};

/// Measures the rounds of both.
pub(super) fn measure(quick: bool, costs: Costs) -> Measured {
    let (mut rows, mut tables) = emulation::measure(quick, costs)?;
    let (more_rows, more_tables) = testbed::measure(quick, costs)?;
    rows.extend(more_rows);
    tables.extend(more_tables);
    Ok((rows, tables))
}
