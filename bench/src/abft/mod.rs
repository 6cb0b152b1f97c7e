//! ABFT beside its paper (Knudsen et al., *High-Performance Asynchronous Byzantine Fault Tolerance Consensus Protocol*): Table
//! III, Figures 1 and 2, the delays and losses of its second research question, and real validators; and beside Jolteon and
//! Gosig where each leader is delayed.

mod committee;
mod figures;
mod leaders;
mod presignatures;
mod processes;
mod simulation;
mod threads;
mod validators;

use crate::progress::progress;
use crate::row::Row;
use crate::table::Table;

/// Measures a table and its rows; `true` takes fewer samples.
type Figure = fn(bool) -> figures::Measured;

/// Measures all rows and tables. Prints its progress on the standard error.
pub(crate) fn measure(quick: bool) -> Result<(Vec<Row>, Vec<Table>), String> {
    let mut rows = Vec::new();
    let mut tables = Vec::new();
    let all: [(&str, Figure); 7] = [
        ("Table III", figures::table_3),
        ("one site", figures::local),
        ("Figure 1", figures::figure_1),
        ("Figure 2", figures::figure_2),
        ("delays and losses", figures::degraded),
        ("delayed leaders", leaders::measure),
        ("real validators", processes::bare_latency),
    ];
    for (name, measure) in all {
        progress("abft", name);
        let (more, table) = measure(quick)?;
        rows.extend(more);
        tables.push(table);
    }
    progress("abft", "real validators under load");
    rows.extend(processes::loaded(quick)?);
    progress("abft", "done");
    Ok((rows, tables))
}
