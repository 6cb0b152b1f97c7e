//! ABFT beside its paper (Knudsen et al., *High-Performance Asynchronous Byzantine Fault Tolerance Consensus Protocol*): Table
//! III, Figures 1 and 2, the delays and losses of its second research question, and real validators.

mod committee;
mod figures;
mod processes;
mod simulation;
mod threads;

use crate::progress::progress;
use crate::row::Row;
use crate::table::Table;

/// Measures all rows and tables. Prints its progress on the standard error.
pub(crate) fn measure(quick: bool) -> Result<(Vec<Row>, Vec<Table>), String> {
    let mut rows = Vec::new();
    let mut tables = Vec::new();
    let measured =
        [figures::table_3, figures::local, figures::figure_1, figures::figure_2, figures::degraded];
    for (name, measure) in
        ["Table III", "one site", "Figure 1", "Figure 2", "delays and losses"].iter().zip(measured)
    {
        progress("abft", name);
        let (more, table) = measure(quick)?;
        rows.extend(more);
        tables.push(table);
    }
    progress("abft", "real validators");
    rows.extend(processes::measure(quick)?);
    progress("abft", "done");
    Ok((rows, tables))
}
