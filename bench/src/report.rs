//! The report in bench/report: the figures as JSON, a page, and its plots.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::chart::{Drawing, Lines, Series};
use crate::row::figure;

/// Writes the report. Groups that were not measured keep their previous figures.
pub(crate) fn write(measured: &Value) -> Result<(), String> {
    let folder = folder();
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let file = folder.join("results.json");
    let mut all: Map<String, Value> =
        fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    for (name, value) in measured.as_object().into_iter().flatten() {
        all.insert(name.clone(), value.clone());
    }
    let all = Value::Object(all);
    save(&file, &format!("{all:#}\n"))?;
    let mut page = heading(&all);
    for (group, title) in [("certificates", "Certificates"), ("network", "Networks")] {
        rows(&mut page, title, at(&all, group));
    }
    for (name, title, field, y_label) in PLOTS {
        let lines = Lines::new("members", *y_label, series(at(&all, "growth"), field));
        if let Some(drawn) = Drawing::Lines(lines).svg(title) {
            save(&folder.join(format!("{name}.svg")), &drawn)?;
            // Writing into a String cannot fail, here and below.
            let _ = writeln!(page, "\n![{title}]({name}.svg)");
        }
    }
    growth(&mut page, at(&all, "growth"));
    for (group, tables, title) in [
        ("dsig", "dsig_paper", "DSig"),
        ("threshold", "threshold_paper", "Threshold blocks"),
        ("abft", "abft_paper", "ABFT"),
        ("gosig", "gosig_paper", "Gosig"),
    ] {
        rows(&mut page, title, at(&all, group));
        if group == "abft" && at(&all, group).is_array() {
            page.push_str(ABFT);
            if at(&all, group).to_string().contains(COMPARED) {
                page.push_str(AGREEMENT);
            }
        }
        for table in at(&all, tables).as_array().into_iter().flatten() {
            paper(&mut page, &folder, table)?;
        }
    }
    rows(&mut page, "Bindings", at(&all, "bindings"));
    if at(&all, "bindings").is_array() {
        page.push_str(BINDINGS);
    }
    save(&folder.join("README.md"), &page)
}

/// Notes about the table of bindings.
const BINDINGS: &str = "
Each contender is a separate process with its keys ready, and samples alternate between contenders. Each refused a forged
signature before its measurement; the browser's page after it, so that the first verification is the measured one. A
certificate has a quorum of a hundred members, 67 signers. Of a sync committee's 512 keys 501 signed, under Ethereum's
ciphersuite. The time of Node is that of the whole process, of the others that of the calling thread. In a browser it is
wall-clock time, from the page's request for the package to its first verified certificate, in a new browser context each
time, with a server on the same machine.
";

/// Notes about the figures of ABFT.
const ABFT: &str = "
Figures of ABFT are taken in three ways. Table III: real machines in one process, a thread for each member. Rows with *real* in
their name: `quorate testnet`, that is processes with TLS over loopback and durable records. Rows and tables with *simulated* in
their name or note, and Figures 1 and 2: real machines over simulated links, with processor times measured in the same run.
";

/// End of the names of the rows that compare real validators and their simulation.
pub(crate) const COMPARED: &str = "simulated / real";
/// A note about these rows.
const AGREEMENT: &str = "
For 4, 7 and 16 members the real validators and their simulation run under the same load; they must agree within 20 %, or the
simulation is wrong.
";

/// File, title, field of a point, label.
const PLOTS: &[(&str, &str, &str, &str)] = &[
    ("collect", "From a quorum's votes to a verified certificate", "collect_ed", "ed25519 verifications"),
    ("verify", "Verifying a certificate of a quorum", "verify_ed", "ed25519 verifications"),
    ("bytes", "Bytes of a certificate of a quorum", "bytes", "bytes"),
];

fn at<'a>(value: &'a Value, field: &str) -> &'a Value {
    value.get(field).unwrap_or(&Value::Null)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("report")
}

fn save(file: &Path, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))
}

fn heading(all: &Value) -> String {
    let machine = |field: &str| match at(at(all, "machine"), field) {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let care =
        if at(all, "quick").as_bool() == Some(true) { "\n\n**A quick run: do not quote it.**" } else { "" };
    format!(
        "# Report\n\nWritten by `cargo xtask bench --write` on {}, {} cores, {}.{care}\n\n\
         `ed` is the time of one ed25519-dalek `verify_strict`, measured in the same run, in alternation with the compared\n\
         code. Times are medians of processor time. Latency is end to end: from the due time of a transaction to its\n\
         commit at the validator that received it. All validators of a network, and the load on it, share the machine.\n",
        machine("processor"),
        machine("cores"),
        machine("compiler")
    )
}

fn rows(page: &mut String, title: &str, rows: &Value) {
    let Some(rows) = rows.as_array().filter(|rows| !rows.is_empty()) else { return };
    let _ = write!(page, "\n## {title}\n\n| measurement | result | target | | |\n|---|---:|---:|---|---|\n");
    for row in rows {
        let text = |field: &str| at(row, field).as_str().unwrap_or_default().to_owned();
        let verdict = match at(row, "reached").as_bool() {
            Some(true) => "reached",
            Some(false) => "**missed**",
            None => "",
        };
        let value = at(row, "value").as_f64().map_or_else(|| "–".to_owned(), figure);
        let _ = writeln!(
            page,
            "| {} | {value} {} | {} | {verdict} | {} |",
            text("name"),
            text("unit"),
            text("target"),
            text("note")
        );
    }
}

/// Writes a table of a paper, its drawing and its notes.
fn paper(page: &mut String, folder: &Path, table: &Value) -> Result<(), String> {
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let text = |field: &str| at(table, field).as_str().unwrap_or_default();
    let columns = texts(at(table, "columns"));
    // Writing into a String cannot fail, here and below.
    let _ = writeln!(page, "\n### {}", text("title"));
    if !columns.is_empty() {
        let _ = write!(page, "\n| {} |\n|---|", columns.join(" | "));
        let _ = writeln!(page, "{}", "---:|".repeat(columns.len().saturating_sub(1)));
    }
    for row in at(table, "rows").as_array().into_iter().flatten() {
        let _ = writeln!(page, "| {} |", texts(row).join(" | "));
    }
    if let Some(drawn) = Drawing::from_json(at(table, "drawing")).and_then(|it| it.svg(text("title"))) {
        save(&folder.join(format!("{}.svg", text("name"))), &drawn)?;
        let _ = writeln!(page, "\n![{}]({}.svg)", text("title"), text("name"));
    }
    let notes = texts(at(table, "notes"));
    if !notes.is_empty() {
        let _ = writeln!(page, "\n{}", notes.join("\n"));
    }
    Ok(())
}

fn series(points: &Value, field: &str) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for point in points.as_array().into_iter().flatten() {
        let name = at(point, "scheme").as_str().unwrap_or_default();
        let (Some(x), Some(y)) = (at(point, "members").as_f64(), at(point, field).as_f64()) else { continue };
        match all.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push((x, y)),
            None => all.push(Series::new(name, vec![(x, y)])),
        }
    }
    all
}

fn growth(page: &mut String, points: &Value) {
    let Some(points) = points.as_array().filter(|points| !points.is_empty()) else { return };
    page.push_str(
        "\n| scheme | members | votes → certificate | verify | bytes |\n|---|---:|---:|---:|---:|\n",
    );
    for point in points {
        let number = |field: &str| at(point, field).as_f64().map_or_else(|| "–".to_owned(), figure);
        let _ = writeln!(
            page,
            "| {} | {} | {} ed, {} µs | {} ed, {} µs | {} |",
            at(point, "scheme").as_str().unwrap_or_default(),
            number("members"),
            number("collect_ed"),
            number("collect_us"),
            number("verify_ed"),
            number("verify_us"),
            number("bytes")
        );
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_stored_report_has_the_current_notes() {
        let stored = include_str!("../report/README.md");
        assert!(stored.ends_with(super::BINDINGS) && stored.contains(super::ABFT));
    }
}
