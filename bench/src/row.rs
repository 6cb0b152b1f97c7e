//! A figure and its target.

use serde_json::{Value, json};

/// One figure.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Name of the measurement.
    pub(crate) name: String,
    /// The figure.
    pub(crate) value: f64,
    /// Its unit, for people.
    pub(crate) unit: &'static str,
    /// Its target, if it has one.
    pub(crate) target: Option<Target>,
    /// Further information.
    pub(crate) note: String,
}

/// Target of a figure.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// At most this value.
    AtMost(f64),
    /// At least this value.
    AtLeast(f64),
    /// At least the first value and at most the second.
    Between(f64, f64),
}

impl Row {
    /// A figure without a target.
    pub(crate) fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { name: name.into(), value, unit, target: None, note: String::new() }
    }

    /// Sets the maximum of the figure.
    pub(crate) fn at_most(self, limit: f64) -> Self {
        Self { target: Some(Target::AtMost(limit)), ..self }
    }

    /// Sets the minimum of the figure.
    pub(crate) fn at_least(self, limit: f64) -> Self {
        Self { target: Some(Target::AtLeast(limit)), ..self }
    }

    /// Sets the minimum and the maximum of the figure.
    pub(crate) fn between(self, low: f64, high: f64) -> Self {
        Self { target: Some(Target::Between(low, high)), ..self }
    }

    /// Adds information about the figure.
    pub(crate) fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// Returns whether the target is reached; `None` without a target.
    pub(crate) fn is_reached(&self) -> Option<bool> {
        self.target.map(|target| match target {
            Target::AtMost(limit) => self.value <= limit,
            Target::AtLeast(limit) => self.value >= limit,
            Target::Between(low, high) => (low..=high).contains(&self.value),
        })
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "target": self.target.map(|_| self.target_text()),
            "reached": self.is_reached(),
            "note": self.note,
        })
    }

    fn target_text(&self) -> String {
        match self.target {
            None => String::new(),
            Some(Target::AtMost(limit)) => format!("≤ {}", figure(limit)),
            Some(Target::AtLeast(limit)) => format!("≥ {}", figure(limit)),
            Some(Target::Between(low, high)) => format!("{}–{}", figure(low), figure(high)),
        }
    }
}

/// A number with three or four significant digits.
pub(crate) fn figure(value: f64) -> String {
    match value.abs() {
        v if v >= 1000.0 || (v >= 1.0 && v.fract() == 0.0) => format!("{value:.0}"),
        v if v >= 100.0 => format!("{value:.1}"),
        v if v >= 10.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// The rows as a table for a terminal.
pub(crate) fn table(title: &str, rows: &[Row]) -> String {
    let mut text = format!("\n{title:<58} {:>10} {:<7} {:>9}\n", "measured", "", "target");
    for row in rows {
        let verdict = match row.is_reached() {
            Some(true) => "reached",
            Some(false) => "MISSED",
            None => "",
        };
        let line = format!(
            "{:<58} {:>10} {:<7} {:>9} {verdict:<7} {}",
            row.name,
            figure(row.value),
            row.unit,
            row.target_text(),
            row.note
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Number of reached targets.
pub(crate) fn summary(rows: &[Row]) -> String {
    let verdicts: Vec<bool> = rows.iter().filter_map(Row::is_reached).collect();
    let reached = verdicts.iter().filter(|reached| **reached).count();
    format!("\ntargets: {reached} reached, {} missed", verdicts.len() - reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_bound_in_its_direction() {
        assert_eq!(Row::new("a", 1.0, "").at_most(1.0).is_reached(), Some(true));
        assert_eq!(Row::new("a", 1.1, "").at_most(1.0).is_reached(), Some(false));
        assert_eq!(Row::new("a", 0.9, "").at_least(1.0).is_reached(), Some(false));
        assert_eq!(Row::new("a", 0.9, "").is_reached(), None);
        let between = |value| Row::new("a", value, "").between(0.8, 1.2);
        assert_eq!(
            [0.79, 0.8, 1.2, 1.21].map(|value| between(value).is_reached() == Some(true)),
            [false, true, true, false]
        );
        assert_eq!(between(1.0).target_text(), "0.800–1.200");
    }

    #[test]
    fn the_summary_counts_targets_only() {
        let rows = [
            Row::new("a", 1.0, "").at_most(2.0),
            Row::new("b", 3.0, "").at_most(2.0),
            Row::new("c", 0.0, ""),
        ];
        assert_eq!(summary(&rows).trim(), "targets: 1 reached, 1 missed");
    }
}
