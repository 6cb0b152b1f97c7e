//! A page that only verifies certificates: its download, and its first verification.

use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use super::contender::command;
use crate::row::{Row, figure};
use crate::sampling::median;

/// Maximum compressed download of such a page, in bytes.
const SIZE: f64 = 160_000.0;
/// Maximum time from the request for the package to the first verified certificate, in milliseconds.
const FIRST: f64 = 150.0;

/// Runs the browser of the description.
pub(super) fn measure(description: &Value, world: &Path, quick: bool) -> Result<Vec<Row>, String> {
    let mut command = command(description).ok_or("load: there is no command")?;
    eprintln!("measuring: the first verification in a browser");
    command.arg(if quick { "3" } else { "15" }).arg(world);
    let output = command.stderr(Stdio::inherit()).output().map_err(|e| format!("load: {e}"))?;
    if !output.status.success() {
        return Err(format!("load: the browser's script failed ({})", output.status));
    }
    let found: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("load: {e}"))?;
    let size = found.get("size").and_then(Value::as_f64).ok_or("load: no size")?;
    let mut rows =
        vec![Row::new("wasm for certificates only, gzipped", size / 1000.0, "kB").at_most(SIZE / 1000.0)];
    let browser = found.get("browser").and_then(Value::as_str).unwrap_or_default();
    for (field, place) in [("inPage", "page"), ("inWorker", "Worker")] {
        let loads = found.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if loads.is_empty() {
            continue;
        }
        let of = |part: &str| {
            let times = loads.iter().filter_map(|load| load.get(part)?.as_f64());
            median(&mut times.collect::<Vec<_>>())
        };
        let [load, committee, verify, warm] = ["load", "committee", "verify", "warm"].map(of).map(figure);
        rows.push(
            Row::new(format!("load and verify the first, in a {place}"), of("total"), "ms")
                .at_most(FIRST)
                .note(format!(
                    "load {load}, committee of 100 {committee}, verify {verify}, later {warm} ms; median of {}; \
                     {browser}",
                    loads.len()
                )),
        );
    }
    Ok(rows)
}
