//! The core as a crate. It must compile by itself, outside the workspace: [`super::clean`] does that.

use std::fs;
use std::path::PathBuf;

use super::Order;
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;

/// Cargo's package of the core. What it verifies is verified in a clean project instead, and used there.
pub(super) fn build(log: &Log, order: &Order) -> Outcome<Vec<PathBuf>> {
    let folder = workspace::target("xtask/crate");
    let mut cargo = workspace::cargo();
    // A package is made of the working tree, committed or not: it is not published from here.
    cargo
        .args(["package", "--package", "quorate", "--no-verify", "--allow-dirty", "--target-dir"])
        .arg(&folder);
    log.run(&mut cargo)?;
    let name = format!("quorate-{}.crate", order.version);
    let built = order.out.join(&name);
    fs::copy(folder.join("package").join(&name), &built).map_err(|e| format!("{name}: {e}"))?;
    Ok(vec![built])
}
