//! The first screen of the report: how many targets each section reaches, every target that is missed, and the figures that
//! decide whether the papers' results hold here.

use std::fmt::Write;

use serde_json::Value;

use crate::row::figure;

/// Groups of the figures, and their headings in the page.
pub(crate) const SECTIONS: &[(&str, &str)] = &[
    ("certificates", "Certificates"),
    ("network", "Networks"),
    ("dsig", "DSig"),
    ("threshold", "Threshold blocks"),
    ("abft", "ABFT"),
    ("gosig", "Gosig"),
    ("bindings", "Bindings"),
];

/// Figures of the summary: group, row, and what the papers or the rival state.
const FIGURES: &[(&str, &str, &str)] = &[
    ("certificates", "verify a certificate, n = 1000, 333 absent / plain blst", "1 is plain blst"),
    ("certificates", "67 votes → verified certificate, BLS MinSig", "Ed25519: the next row"),
    ("certificates", "67 votes → verified certificate, Ed25519", ""),
    ("dsig", "sign, wots-haraka-256", "the paper: 0.7 µs"),
    ("dsig", "verify, announced, wots-haraka-256", "the paper: 5.1 µs"),
    ("dsig", "sign with background work, one core, wots-haraka-256", "the paper: 131 k/s"),
    ("threshold", "encode, B = 2000000: the tuner's (w, p) against p = 1", "the paper: 51.67 ×"),
    ("abft", "Table III: N = 8, 10,000 transactions, ECDSA presignatures", "the paper: 238 ms"),
    ("abft", "bare latency over the globe, N = 100, simulated, Ed25519 lists", "the paper: below 7 s"),
    ("abft", "throughput over the globe, N = 32, simulated, Ed25519 lists", "the paper: at most 38,700 tx/s"),
    ("gosig", "Stage II, 10000 nodes", "the paper: 6.68 s"),
    ("gosig", "5000 nodes, 20 Mbps, blocks of 12 MB", "the paper: 3,000 tx/s"),
    ("bindings", "verify, BLS MinSig: Python", "1.05 × Rust, and 5 µs"),
    ("bindings", "load and verify the first, in a page", ""),
];

/// Appends the summary to the page.
pub(crate) fn append(page: &mut String, all: &Value) {
    let rows = |group: &str| all.get(group).and_then(Value::as_array).into_iter().flatten();
    page.push_str(
        "\n## Summary\n\n| section | measured on | targets | reached | missed |\n|---|---|---:|---:|---:|\n",
    );
    let mut missed = String::new();
    for (group, title) in SECTIONS {
        let verdicts: Vec<bool> = rows(group).filter_map(|row| row.get("reached")?.as_bool()).collect();
        let reached = verdicts.iter().filter(|reached| **reached).count();
        if rows(group).next().is_none() {
            continue;
        }
        let anchor = title.to_lowercase().replace(' ', "-");
        let date = all.pointer(&format!("/origins/{group}/date")).and_then(Value::as_str).unwrap_or("–");
        // Writing into a String cannot fail, here and below.
        let _ = writeln!(
            page,
            "| [{title}](#{anchor}) | {date} | {} | {reached} | {} |",
            verdicts.len(),
            verdicts.len() - reached
        );
        for row in rows(group).filter(|row| row.get("reached").and_then(Value::as_bool) == Some(false)) {
            let _ = writeln!(
                missed,
                "| {title}: {} | {} | {} |",
                text(row, "name"),
                result(row),
                text(row, "target")
            );
        }
    }
    if !missed.is_empty() {
        let _ = write!(page, "\n| missed | result | target |\n|---|---:|---:|\n{missed}");
    }
    page.push_str("\n| selected figures | result | compare |\n|---|---:|---|\n");
    for (group, name, compare) in FIGURES {
        for row in rows(group).filter(|row| text(row, "name") == *name) {
            let _ = writeln!(page, "| {name} | {} | {compare} |", result(row));
        }
    }
}

fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The figure with its unit; for a fraction of `ed` also the note, which begins with the time.
fn result(row: &Value) -> String {
    let value = row.get("value").and_then(Value::as_f64).map_or_else(|| "–".to_owned(), figure);
    let (unit, note) = (text(row, "unit"), text(row, "note"));
    let time = note.split(';').next().filter(|time| unit == "ed" && time.ends_with(" µs"));
    time.map_or_else(|| format!("{value} {unit}"), |time| format!("{value} {unit}, {time}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_missed_target_is_in_the_summary() {
        let row = |name: &str, reached: Option<bool>| json!({ "name": name, "value": 2, "unit": "ed", "target": "≤ 1", "reached": reached, "note": "9 µs; more" });
        let all = json!({
            "dsig": [row("slow", Some(false)), row("fast", Some(true)), row("plain", None)],
            "gosig": [row("Stage II, 10000 nodes", Some(true))],
            "origins": { "dsig": { "date": "2001-02-03" } },
        });
        let mut page = String::new();
        append(&mut page, &all);
        for expected in [
            "| [DSig](#dsig) | 2001-02-03 | 2 | 1 | 1 |",
            "| [Gosig](#gosig) | – | 1 | 1 | 0 |",
            "| DSig: slow | 2 ed, 9 µs | ≤ 1 |",
            "| Stage II, 10000 nodes | 2 ed, 9 µs | the paper: 6.68 s |",
        ] {
            assert!(page.contains(expected), "{expected} is not in {page}");
        }
        assert!(!page.contains("fast") && !page.contains("Certificates"), "{page}");
    }

    #[test]
    fn every_selected_figure_is_in_the_report() {
        let report =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/report/results.json")).unwrap();
        let all: Value = serde_json::from_str(&report).unwrap();
        for (group, name, _) in FIGURES {
            let found = all[group].as_array().into_iter().flatten().any(|row| row["name"] == *name);
            assert!(found, "{group}: {name}");
        }
    }
}
