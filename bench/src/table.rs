//! Tables and plots that compare us with a paper.

use serde_json::{Value, json};

use crate::chart::Series;

/// A table, for people, and what of it is drawn.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Names the plot's file.
    pub(crate) name: &'static str,
    pub(crate) title: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) plot: Option<Plot>,
}

/// Lines over two logarithmic axes.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    pub(crate) series: Vec<Series>,
}

impl Table {
    pub(crate) fn new(name: &'static str, title: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|column| (*column).to_owned()).collect();
        Self { name, title: title.into(), columns, rows: Vec::new(), plot: None }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(crate) fn to_json(&self) -> Value {
        let plot = self.plot.as_ref().map(|plot| {
            let series = |one: &Series| json!({ "name": one.name, "points": one.points });
            json!({ "x": plot.x, "y": plot.y, "series": plot.series.iter().map(series).collect::<Vec<_>>() })
        });
        json!({ "name": self.name, "title": self.title, "columns": self.columns, "rows": self.rows, "plot": plot })
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
        format!("\n{}\n{}\n", self.title, all().map(line).collect::<Vec<_>>().join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new("t", "Title", &["what", "µs"]);
        table.row(["sign".to_owned(), "0.25".to_owned()]);
        assert_eq!(table.text(), "\nTitle\nwhat    µs\nsign  0.25\n");
    }
}
