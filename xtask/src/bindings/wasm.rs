//! The npm package `quorate-wasm`.

use std::fs;
use std::path::PathBuf;

use crate::process::Outcome;
use crate::steps::{Log, Steps};
use crate::wasm::{self, Pack};
use crate::{environment, workspace};

/// Adds the step.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("wasm binding", |log| {
        let module = build(log)?;
        let chromium = environment::chromium(log)?;
        let bytes = fs::metadata(&module).map_err(|e| format!("{}: {e}", module.display()))?.len();
        Ok(format!("{} kB, {chromium}", bytes / 1000))
    });
}

/// Builds the module of the package.
fn build(log: &Log) -> Outcome<PathBuf> {
    let pack = Pack { name: "quorate", optimise: Some("-O3"), ..Pack::of("quorate-wasm") };
    wasm::build(log, &pack, &workspace::root().join("bindings/wasm/dist"))
}
