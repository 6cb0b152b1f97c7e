//! Tables and drawings that compare us with a paper.

use serde_json::{Value, json};

use crate::chart::Drawing;

/// A table and its chart.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Names the drawing's file.
    pub(crate) name: &'static str,
    pub(crate) title: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) drawing: Option<Drawing>,
    /// Sentences about the measurement and its limits.
    pub(crate) notes: Vec<String>,
}

impl Table {
    pub(crate) fn new(name: &'static str, title: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|column| (*column).to_owned()).collect();
        Self { name, title: title.into(), columns, rows: Vec::new(), drawing: None, notes: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "title": self.title,
            "columns": self.columns,
            "rows": self.rows,
            "drawing": self.drawing.as_ref().map(Drawing::to_json),
            "notes": self.notes,
        })
    }

    /// For a terminal.
    pub(crate) fn text(&self) -> String {
        let all = || [&self.columns].into_iter().chain(&self.rows);
        let width =
            |column: usize| all().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
        let line = |row: &Vec<String>| {
            let cells = row.iter().enumerate().map(|(column, cell)| {
                let room = width(column).unwrap_or_default().saturating_sub(cell.chars().count());
                if column == 0 {
                    format!("{cell}{}", " ".repeat(room))
                } else {
                    format!("{}{cell}", " ".repeat(room))
                }
            });
            cells.collect::<Vec<_>>().join("  ")
        };
        let lines = all().filter(|row| !row.is_empty()).map(line).chain(self.notes.iter().cloned());
        format!("\n{}\n{}\n", self.title, lines.collect::<Vec<_>>().join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_notes_come_last() {
        let mut table = Table::new("t", "Title", &["what", "µs"]);
        table.row(["sign".to_owned(), "0.25".to_owned()]);
        assert_eq!(table.text(), "\nTitle\nwhat    µs\nsign  0.25\n");
        table.note("On one core.");
        assert_eq!(table.text(), "\nTitle\nwhat    µs\nsign  0.25\nOn one core.\n");
    }
}
