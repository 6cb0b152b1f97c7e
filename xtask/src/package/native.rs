//! Native libraries for packages.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::order::{BuildOrder, Profile};
use crate::process::{Outcome, is_on_path};
use crate::steps::Log;
use crate::workspace;

/// Compiles the library of a crate; returns its path. It has the names of all symbols.
pub(super) fn compile(log: &Log, order: &BuildOrder, package: &str) -> Outcome<PathBuf> {
    match order.profile {
        Profile::Tests => crate::build::libraries(log)?,
        Profile::Release => {
            log.run(workspace::cargo().args(["build", "--release", "--package", package])).map(drop)?;
        }
    }
    Ok(crate::build::library(order.profile.folder(), package))
}

/// Compiles the library of a crate and copies it to `place`.
pub(super) fn put(log: &Log, order: &BuildOrder, package: &str, place: &Path) -> Outcome {
    workspace::copy(&compile(log, order, package)?, place)?;
    // Names of symbols that are not exported only add size.
    if cfg!(target_os = "linux") && is_on_path("strip") {
        log.run(Command::new("strip").arg("--strip-unneeded").arg(place))?;
    }
    Ok(())
}
