//! The rows of the table.

use super::contender::Contender;
use super::rounds::{SamplePlan, medians};
use super::world::{MEMBERS, SYNC_MEMBERS};
use crate::row::{Row, figure};

/// Maximum overhead of a native binding over Rust: a factor, and nanoseconds per call.
const SLOWER: f64 = 1.05;
const CALL: f64 = 5_000.0;
/// Maximum factor of WebAssembly over native code.
const WASM: f64 = 8.0;
/// Maximum time of WebAssembly to verify a DSig signature, in microseconds.
const WASM_DSIG: f64 = 25.0;
/// The contender that is not a native binding.
const WASM_NAME: &str = "wasm in Node";
/// The native bindings.
const BINDINGS: &[&str] = &["Python", "Node", "Kotlin"];

/// Verifying one certificate of a hundred members.
pub(super) fn certificates(all: &mut [Contender<'_>], care: SamplePlan) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (operation, what, is_target) in [
        ("verify-min-sig", "verify, BLS MinSig", true),
        ("decode-min-sig", "decode and verify, BLS MinSig", true),
        ("verify-min-pk", "verify, BLS MinPk", true),
        // Its batch allocates and frees 200 kB. Whether the allocator requests new pages from the system each time, which
        // costs up to a quarter, depends on the rest of the process's heap.
        ("verify-ed25519", "verify, Ed25519", false),
    ] {
        eprintln!("measuring: {what}");
        let times = medians(all, operation, care)?;
        let Some(rust) = times.first().copied().flatten() else { continue };
        rows.push(Row::new(format!("{what}, n = {MEMBERS}: Rust"), rust / 1000.0, "µs"));
        for (contender, time) in measured(all, &times) {
            let name = format!("{what}: {}", contender.name);
            if BINDINGS.contains(&contender.name.as_str()) {
                let limit = SLOWER * rust + CALL;
                let row = Row::new(name, time / 1000.0, "µs");
                let row = if is_target { row.at_most(limit / 1000.0) } else { row };
                let more = (time - rust) / 1000.0;
                rows.push(row.note(format!(
                    "{} × Rust, {more:+.1} µs; {}",
                    figure(time / rust),
                    contender.about
                )));
            } else if contender.name == WASM_NAME {
                let row = Row::new(name, time / rust, "× Rust").at_most(WASM);
                rows.push(row.note(format!("{} ms; {}", figure(time / 1e6), contender.about)));
            }
        }
    }
    Ok(rows)
}

/// Ethereum's sync committee, verified by each contender that supports it.
pub(super) fn sync(all: &mut [Contender<'_>], care: SamplePlan) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (operation, what) in [
        ("sync-cached", "committee with cached keys"),
        ("sync-keys", "decoded keys, summed each time"),
        ("sync-bytes", "keys from bytes, checked each time"),
    ] {
        eprintln!("measuring: {SYNC_MEMBERS} keys, {what}");
        let times = medians(all, operation, care)?;
        let Some(rust) = times.first().copied().flatten() else { continue };
        rows.push(Row::new(format!("{SYNC_MEMBERS} keys, {what}: Rust"), rust / 1e6, "ms"));
        for (contender, time) in measured(all, &times) {
            let name = format!("{SYNC_MEMBERS} keys, {what}: {}", contender.name);
            let note = format!("{} × Rust; {}", figure(time / rust), contender.about);
            rows.push(Row::new(name, time / 1e6, "ms").note(note));
        }
    }
    Ok(rows)
}

/// A DSig signature of an announced batch, verified by each contender that supports it.
pub(super) fn dsig(all: &mut [Contender<'_>], care: SamplePlan) -> Result<Vec<Row>, String> {
    let what = "verify DSig, announced, wots-blake3";
    eprintln!("measuring: {what}");
    let times = medians(all, "dsig-verify", care)?;
    let Some(rust) = times.first().copied().flatten() else { return Ok(Vec::new()) };
    let mut rows = vec![Row::new(format!("{what}: Rust"), rust / 1000.0, "µs")];
    for (contender, time) in measured(all, &times) {
        let row = Row::new(format!("{what}: {}", contender.name), time / 1000.0, "µs");
        let row = if contender.name == WASM_NAME { row.at_most(WASM_DSIG) } else { row };
        rows.push(row.note(format!("{} × Rust; {}", figure(time / rust), contender.about)));
    }
    Ok(rows)
}

/// All contenders with a result, except Rust.
fn measured<'a, 'c>(
    all: &'a [Contender<'c>],
    times: &'a [Option<f64>],
) -> impl Iterator<Item = (&'a Contender<'c>, f64)> {
    all.iter().zip(times).skip(1).filter_map(|(contender, time)| Some((contender, (*time)?)))
}
