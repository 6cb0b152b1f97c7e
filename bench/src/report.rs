//! The report in bench/report: the figures as JSON, a page, and its plots.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::chart::{Drawing, Lines, Series};
use crate::origin;
use crate::row::figure;
use crate::summary;

/// File with the figures.
const FIGURES: &str = "results.json";

/// Writes the report. Groups that were not measured keep their previous figures and origins.
pub(crate) fn write(measured: &Value) -> Result<(), String> {
    let folder = folder();
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let stored = fs::read(folder.join(FIGURES)).ok();
    let stored = stored.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let figures = format!("{:#}\n", Value::Object(merged(stored, measured)));
    save(&folder.join(FIGURES), &figures)?;
    for (name, text) in rendered(&figures)? {
        save(&folder.join(name), &text)?;
    }
    Ok(())
}

/// Replaces stored groups by measured ones.
fn merged(mut stored: Map<String, Value>, measured: &Value) -> Map<String, Value> {
    let mut origins = stored.get(ORIGINS).and_then(Value::as_object).cloned().unwrap_or_default();
    for (name, value) in measured.as_object().into_iter().flatten().filter(|(_, value)| value.is_array()) {
        stored.insert(name.clone(), value.clone());
        origins.insert(name.clone(), at(measured, "origin").clone());
    }
    stored.insert(ORIGINS.to_owned(), Value::Object(origins));
    stored
}

/// Field of the origins of all groups.
const ORIGINS: &str = "origins";

/// Returns the page and its plots, with the names of their files.
fn rendered(figures: &str) -> Result<Vec<(String, String)>, String> {
    let all: Value = serde_json::from_str(figures).map_err(|e| format!("{FIGURES}: {e}"))?;
    let (mut page, mut files) = (HEADING.to_owned(), Vec::new());
    summary::append(&mut page, &all);
    for group in ["certificates", "network"] {
        rows(&mut page, &all, group);
    }
    for (name, title, field, y_label) in PLOTS {
        let lines = Lines::new("members", *y_label, series(at(&all, "growth"), field));
        if let Some(drawn) = Drawing::Lines(lines).svg(title) {
            files.push((format!("{name}.svg"), drawn));
            // Writing into a String cannot fail, here and below.
            let _ = writeln!(page, "\n![{title}]({name}.svg)");
        }
    }
    growth(&mut page, at(&all, "growth"));
    for group in ["dsig", "threshold", "abft", "gosig"] {
        rows(&mut page, &all, group);
        if group == "abft" && at(&all, group).is_array() {
            page.push_str(ABFT);
            if at(&all, group).to_string().contains(COMPARED) {
                page.push_str(AGREEMENT);
            }
        }
        for table in at(&all, &format!("{group}_paper")).as_array().into_iter().flatten() {
            files.extend(paper(&mut page, table));
        }
    }
    rows(&mut page, &all, "bindings");
    if at(&all, "bindings").is_array() {
        page.push_str(BINDINGS);
    }
    files.push(("README.md".to_owned(), page));
    Ok(files)
}

/// Begin of the page.
const HEADING: &str = "# Report

Written by `cargo xtask bench --write`. Below each heading is the run of its figures: sections of different runs are not to be
compared with each other.

`ed` is the time of one ed25519-dalek `verify_strict`, measured in the same run, in alternation with the compared
code. Times are medians of processor time. Latency is end to end: from the due time of a transaction to its
commit at the validator that received it. All validators of a network, and the load on it, share the machine.
";

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

fn rows(page: &mut String, all: &Value, group: &str) {
    let Some((_, title)) = summary::SECTIONS.iter().find(|(name, _)| *name == group) else { return };
    let Some(rows) = at(all, group).as_array().filter(|rows| !rows.is_empty()) else { return };
    let origin = origin::sentence(at(at(all, ORIGINS), group));
    let _ = write!(
        page,
        "\n## {title}\n\n{origin}\n\n| measurement | result | target | | |\n|---|---:|---:|---|---|\n"
    );
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

/// Writes a table of a paper, its drawing and its notes. Returns the drawing, with the name of its file.
fn paper(page: &mut String, table: &Value) -> Option<(String, String)> {
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
    let drawn = Drawing::from_json(at(table, "drawing")).and_then(|it| it.svg(text("title")));
    let file = drawn.map(|drawn| (format!("{}.svg", text("name")), drawn));
    if let Some((name, _)) = &file {
        let _ = writeln!(page, "\n![{}]({name})", text("title"));
    }
    let notes = texts(at(table, "notes"));
    if !notes.is_empty() {
        let _ = writeln!(page, "\n{}", notes.join("\n"));
    }
    file
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
    use serde_json::json;

    use super::*;

    /// With `QUORATE_WRITE=1` it writes the page and the plots again.
    #[test]
    fn the_page_shows_the_stored_figures() {
        let figures = fs::read_to_string(folder().join(FIGURES)).unwrap();
        for (name, text) in rendered(&figures).unwrap() {
            let file = folder().join(name);
            if std::env::var_os("QUORATE_WRITE").is_some() {
                save(&file, &text).unwrap();
            }
            assert!(fs::read_to_string(&file).unwrap() == text, "{}", file.display());
        }
    }

    #[test]
    fn each_group_keeps_the_origin_of_its_run() {
        let run = |day: &str, group: &str| json!({ "origin": { "date": day }, group: [{ "name": group, "value": 1 }] });
        let first = merged(Map::new(), &run("2001-01-01", "dsig"));
        let both = Value::Object(merged(first, &run("2002-02-02", "gosig")));
        let files = rendered(&both.to_string()).unwrap();
        let (name, page) = files.last().unwrap();
        let place = |text: &str| page.find(text).unwrap();
        assert_eq!(name, "README.md");
        assert!(place("## DSig\n\nMeasured on 2001-01-01") < place("## Gosig\n\nMeasured on 2002-02-02"));
    }
}
