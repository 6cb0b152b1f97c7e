//! Builds the packages for other languages and runs their tests.

pub(crate) mod generated;
pub(crate) mod javascript;
pub(crate) mod kotlin;
mod matrix;
pub(crate) mod node;
pub(crate) mod python;
pub(crate) mod stub;
pub(crate) mod wasm;

use crate::coverage;
use crate::steps::Steps;

/// Adds a step for each language.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("bindings' coverage", coverage::check);
    javascript::add_to(steps);
    kotlin::add_to(steps);
    node::add_to(steps);
    python::add_to(steps);
    wasm::add_to(steps);
    matrix::add_to(steps);
}
