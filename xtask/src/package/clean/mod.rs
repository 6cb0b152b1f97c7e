//! Installs each package as a user does, in an empty folder outside the repository, and uses it there.

mod inputs;
pub(crate) mod kotlin;
mod node;
mod python;
mod rust;
mod wasm;

use std::path::PathBuf;

use super::order::{BuildOrder, Part};
use crate::process::Outcome;
use crate::steps::Log;

/// Installs the built files of a package and uses them; returns a text for the step's line.
pub(crate) fn install(part: Part, log: &Log, order: &BuildOrder, files: &[PathBuf]) -> Outcome<String> {
    match part {
        Part::Crate => rust::install(log, order, files),
        Part::Python => python::install(log, order, files),
        Part::Node => node::install(log, order, files),
        Part::Wasm => wasm::install(log, order, files),
        Part::Kotlin => kotlin::install(log, order, files),
    }
}
