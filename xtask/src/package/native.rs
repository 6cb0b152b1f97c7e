//! Native libraries, as packages hold them.

use std::path::Path;
use std::process::Command;

use super::{Order, Profile};
use crate::process::{Outcome, is_there};
use crate::steps::Log;
use crate::workspace;

/// Compiles the library of a crate and puts it there.
pub(super) fn put(log: &Log, order: &Order, package: &str, place: &Path) -> Outcome {
    match order.profile {
        Profile::Tests => workspace::libraries(log)?,
        Profile::Release => {
            log.run(workspace::cargo().args(["build", "--release", "--package", package])).map(drop)?;
        }
    }
    workspace::copy(&workspace::library(order.profile.folder(), package), place)?;
    // The names of what is not exported: nothing but size depends on them.
    if cfg!(target_os = "linux") && is_there("strip") {
        log.run(Command::new("strip").arg("--strip-unneeded").arg(place))?;
    }
    Ok(())
}
