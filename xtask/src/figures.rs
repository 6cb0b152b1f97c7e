//! Figures that documents quote from the report of measurements: a table after the comment `<!-- figures -->`, whose rows
//! are a measurement of the report by its name, and one of its cells there.

use std::fs;

use crate::process::Outcome;
use crate::workspace;

/// The comment before a table with figures.
const MARK: &str = "<!-- figures -->";
/// The report that `cargo xtask bench --write` writes.
const REPORT: &str = "bench/report/README.md";

/// The rows of the report's tables.
pub(crate) struct Report {
    rows: Vec<Vec<String>>,
}

impl Report {
    pub(crate) fn read() -> Outcome<Self> {
        let file = workspace::root().join(REPORT);
        let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        Ok(Self::parse(&text))
    }

    fn parse(text: &str) -> Self {
        Self { rows: text.lines().filter_map(cells).collect() }
    }

    /// The number of figures in a document, and the problems of those that the report does not have.
    pub(crate) fn compare(&self, document: &str) -> (usize, Vec<String>) {
        let figures: Vec<Vec<String>> = figures(document);
        let problems = figures.iter().filter_map(|row| {
            let [name, figure, ..] = row.as_slice() else { return Some(format!("figures: no row: {row:?}")) };
            let found: Vec<&Vec<String>> = self.rows.iter().filter(|row| row.first() == Some(name)).collect();
            if found.is_empty() {
                return Some(format!("figures: {REPORT} has no measurement `{name}`"));
            }
            let has = found.iter().any(|row| row.iter().skip(1).any(|cell| cell == figure));
            let now = found.iter().map(|row| row.join(" | ")).collect::<Vec<_>>().join("; ");
            (!has).then(|| format!("figures: expected {figure} in {REPORT}, found: {now}"))
        });
        (figures.len(), problems.collect())
    }

    /// Replaces the figures of a document that the report no longer has by those of the same unit in it.
    pub(crate) fn update(&self, document: &str) -> String {
        let mut parts = document.split(MARK);
        let mut updated = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (table, rest) = part.split_at(part.find("\n\n").unwrap_or(part.len()));
            updated += MARK;
            updated += &self.update_table(table);
            updated += rest;
        }
        updated
    }

    fn update_table(&self, table: &str) -> String {
        let mut updated = table.to_owned();
        for row in table.lines().filter_map(cells) {
            let [name, figure, ..] = row.as_slice() else { continue };
            let found = self.rows.iter().filter(|row| row.first() == Some(name));
            let measured: Vec<&String> = found.flat_map(|row| row.iter().skip(1)).collect();
            let now = measured.iter().find(|cell| unit(cell).is_some() && unit(cell) == unit(figure));
            if let Some(now) = now.filter(|_| !measured.contains(&figure)) {
                updated = updated.replace(&format!("| {name} | {figure} |"), &format!("| {name} | {now} |"));
            }
        }
        updated
    }
}

/// The unit after a number; `None` if the cell does not begin with a number, or has no unit.
fn unit(cell: &str) -> Option<&str> {
    let rest = cell.trim_start_matches(|sign: char| sign.is_ascii_digit() || ".,".contains(sign));
    (rest.len() < cell.len()).then(|| rest.trim()).filter(|unit| !unit.is_empty())
}

/// The rows of the tables with figures, without their headers.
fn figures(document: &str) -> Vec<Vec<String>> {
    let tables = document.split(MARK).skip(1);
    let rows = tables.flat_map(|table| table.trim_start().lines().map_while(cells).skip(2));
    rows.collect()
}

/// The cells of a row of a table.
fn cells(line: &str) -> Option<Vec<String>> {
    let line = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(line.split('|').map(|cell| cell.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_must_be_in_the_row_of_its_measurement() {
        let report = Report::parse(
            "| measurement | result | |\n|---|---:|---|\n| sign | 2 ed | 7 µs |\n| verify | 3 ed | |\n",
        );
        let document =
            |row: &str| format!("text\n<!-- figures -->\n| a | b |\n|---|---|\n{row}\n\n| sign | 9 |\n");
        assert_eq!(report.compare(&document("| sign | 7 µs |\n| verify | 3 ed |")), (2, vec![]));
        assert_eq!(report.compare(&document("| sign | 3 ed |")).1.len(), 1);
        assert_eq!(report.compare(&document("| decode | 3 ed |")).1.len(), 1);
        assert_eq!(report.compare("| sign | 9 |"), (0, vec![]));
    }

    #[test]
    fn a_new_report_replaces_figures_of_the_same_unit() {
        let report =
            Report::parse("| sign | 2 ed, 7 µs | |\n| sign | 2 ed | ≤ 3 | 7 µs |\n| verify | 3 ed | |\n");
        let before = "<!-- figures -->\n| a | b |\n|---|---|\n| sign | 9.5 ed | x |\n| verify | 3 ed |\n| hash | 1 |\n\n| sign | 9.5 ed |";
        let after = report.update(before);
        assert_eq!(after, before.replace("| sign | 9.5 ed | x |", "| sign | 2 ed | x |"));
    }
}
