//! npm: installs exactly the versions of a lock file, and runs no install scripts.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::environment;
use crate::process::{Outcome, is_on_path, output_of};
use crate::steps::Log;

/// The oldest release line of Node that the package supports.
const OLDEST: u32 = 20;

/// Installs the packages of a folder's `package-lock.json` into its `node_modules`, unless they are there already.
pub(crate) fn install(log: &Log, folder: &Path) -> Outcome {
    // Steps run in parallel, and two installations into one folder would damage it.
    static LOCK: Mutex<()> = Mutex::new(());
    let _guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    tools(log)?;
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

/// Installs Node and npm on Debian where they are missing; returns Node's version.
pub(crate) fn tools(log: &Log) -> Outcome<String> {
    static FOUND: OnceLock<String> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found.clone());
    }
    // One after the other: some packages of Node include npm and conflict with Debian's npm.
    for (tool, package) in [("node", "nodejs"), ("npm", "npm")] {
        if !is_on_path(tool) {
            environment::install(log, &[package])?;
        }
    }
    let version = output_of(Command::new("node").arg("--version")).unwrap_or_default();
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(major) if major >= OLDEST => Ok(FOUND.get_or_init(|| format!("node {version}")).clone()),
        _ => Err(format!("expected Node {OLDEST} or newer with npm, found `{version}`; install it")),
    }
}
