//! Native libraries, as packages hold them.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::Path;
use std::process::Command;

use super::Order;
use crate::process::{Outcome, is_there};
use crate::steps::Log;
use crate::workspace;

/// Compiles the library of a crate and puts it there. Cargo is asked for the same packages at once as where the tests
/// compile it, for what is asked for together decides on the features of dependencies.
pub(super) fn put(log: &Log, order: &Order, package: &str, with: &[&str], place: &Path) -> Outcome {
    let mut cargo = workspace::cargo();
    cargo.args(["build", "--package", package, "--profile", order.profile.name()]);
    log.run(cargo.args(with.iter().flat_map(|other| ["--package", other])))?;
    let name = format!("{DLL_PREFIX}{}{DLL_SUFFIX}", package.replace('-', "_"));
    let built = workspace::target(order.profile.folder()).join(name);
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::copy(&built, place).map_err(|e| format!("{}: {e}", built.display()))?;
    // The names of what is not exported: nothing but size depends on them.
    if cfg!(target_os = "linux") && is_there("strip") {
        log.run(Command::new("strip").arg("--strip-unneeded").arg(place))?;
    }
    Ok(())
}
