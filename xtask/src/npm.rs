//! npm, as every task calls it: exactly what a lock file names, and nothing that runs while it is installed.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::bindings::node;
use crate::process::Outcome;
use crate::steps::Log;

/// Installs what `package-lock.json` of a folder names into its `node_modules`, unless it is there already.
pub(crate) fn install(log: &Log, folder: &Path) -> Outcome {
    node::tools(log)?;
    let lock = folder.join("package-lock.json");
    let wanted = fs::read(&lock).map_err(|e| format!("{}: {e}", lock.display()))?;
    let stamp = folder.join("node_modules/.quorate-lock");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    npm.current_dir(folder).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    log.run(&mut npm)?;
    fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))
}
