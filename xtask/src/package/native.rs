//! Native libraries for packages.

use std::path::Path;
use std::process::Command;

use super::order::{BuildOrder, Profile};
use crate::process::{Outcome, is_on_path};
use crate::steps::Log;
use crate::workspace;

/// Compiles the library of a crate and copies it to `place`.
pub(super) fn put(log: &Log, order: &BuildOrder, package: &str, place: &Path) -> Outcome {
    match order.profile {
        Profile::Tests => crate::build::libraries(log)?,
        Profile::Release => {
            log.run(workspace::cargo().args(["build", "--release", "--package", package])).map(drop)?;
        }
    }
    workspace::copy(&crate::build::library(order.profile.folder(), package), place)?;
    // Names of symbols that are not exported only add size.
    if cfg!(target_os = "linux") && is_on_path("strip") {
        log.run(Command::new("strip").arg("--strip-unneeded").arg(place))?;
    }
    Ok(())
}
