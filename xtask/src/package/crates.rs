//! The core as a crate. [`super::clean`] checks that it compiles outside the workspace.

use std::fs;
use std::path::PathBuf;

use super::order::BuildOrder;
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;

/// Packs the core with cargo, without cargo's verification: the clean project compiles and uses it instead.
pub(crate) fn build(log: &Log, order: &BuildOrder) -> Outcome<Vec<PathBuf>> {
    let folder = workspace::target("xtask/crate");
    let mut cargo = workspace::cargo();
    // From the working tree, committed or not: nothing is published from here.
    cargo
        .args(["package", "--package", "quorate", "--no-verify", "--allow-dirty", "--target-dir"])
        .arg(&folder);
    log.run(&mut cargo)?;
    let name = format!("quorate-{}.crate", order.version);
    let built = order.out.join(&name);
    fs::copy(folder.join("package").join(&name), &built).map_err(|e| format!("{name}: {e}"))?;
    Ok(vec![built])
}
