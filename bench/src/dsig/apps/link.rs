//! The link in shared memory over which the key-value store and the exchange are measured.

use std::time::Duration;

use serde_json::Value;

use crate::children::Program;
use crate::progress::progress;
use crate::row::{Row, figure};
use crate::sampling::median;

/// Length of the measured message, in bytes.
const MESSAGE: u64 = 64;

/// The program that measures it.
pub(super) struct LinkProgram(Program);

impl LinkProgram {
    pub(super) fn find() -> Result<Self, String> {
        Program::beside("quorate-link").map(Self)
    }

    /// The row with the target, unless there is only one core.
    pub(super) fn measure(&self, quick: bool, limit: Duration) -> Result<Option<Row>, String> {
        let (rounds, count) = if quick { (1, "1000") } else { (5, "100000") };
        let bytes = MESSAGE.to_string();
        let arguments = ["bench", "--json", "--bytes", &bytes, "--count", count];
        let mut reports = Vec::new();
        for round in 1..=rounds {
            progress("dsig", format_args!("link, round {round} of {rounds}"));
            reports.push(self.0.report(&arguments, limit)?);
        }
        row(&reports)
    }
}

/// The row, from the reports of all rounds.
fn row(reports: &[Value]) -> Result<Option<Row>, String> {
    let (mut link, mut plain) = (Vec::new(), Vec::new());
    for report in reports {
        let results = report.get("results").and_then(Value::as_array).ok_or("a report without results")?;
        for result in results.iter().filter(|result| result["bytes"] == MESSAGE) {
            if result["other_core"].is_null() {
                return Ok(None);
            }
            let median = result["p50"].as_f64().ok_or("a result without a median")?;
            match result["transport"].as_str() {
                Some("shared memory") => link.push(median),
                Some("plain ring") => plain.push(median),
                _ => {}
            }
        }
    }
    if link.is_empty() || plain.is_empty() {
        return Err("a report without the link or the plain ring".to_owned());
    }
    let name = format!("link: round trip of a message of {MESSAGE} bytes, pinned");
    let plain = figure(median(&mut plain));
    let note = format!("{plain} µs through a plain ring between two threads");
    Ok(Some(Row::new(name, median(&mut link), "µs").at_most(1.5).note(note)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_row_has_the_medians_of_all_rounds() {
        let report = |link: f64, core: Option<u32>| {
            let result = |transport, bytes, p50| json!({ "transport": transport, "bytes": bytes, "p50": p50, "other_core": core });
            json!({ "results": [
                result("plain ring", 64, link - 0.5), result("shared memory", 64, link), result("shared memory", 1700, 9.0),
                result("TCP", 64, 20.0),
            ] })
        };
        let reports = [1.0, 1.25, 2.0].map(|link| report(link, Some(1)));
        let row = row(&reports).unwrap().unwrap();
        assert_eq!((row.value, row.is_reached()), (1.25, Some(true)));
        assert!(
            row.name.contains("64 bytes") && row.note.starts_with("0.750 µs through"),
            "{} {}",
            row.name,
            row.note
        );
        assert!(super::row(&[report(1.0, None)]).unwrap().is_none(), "one core");
        assert!(super::row(&[json!({ "results": [] })]).is_err());
    }
}
