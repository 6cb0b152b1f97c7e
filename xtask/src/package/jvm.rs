//! The jar with the native library for this kind of machine in it, and its pom.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::{Order, Profile, native};
use crate::bindings::kotlin;
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;

/// Maven's jar, with the library replaced by that of the profile: the classes are the same for all profiles.
pub(super) fn build(log: &Log, order: &Order) -> Outcome<Vec<PathBuf>> {
    let made = kotlin::jar(log)?;
    let stage = workspace::target("xtask/jar");
    // What an earlier run staged must not slip in.
    let _ = fs::remove_dir_all(&stage);
    let library = stage.join(kotlin::platform()?).join(kotlin::library_name());
    let with: &[&str] = match order.profile {
        Profile::Tests => &["uniffi-bindgen"],
        Profile::Release => &[],
    };
    native::put(log, order, "quorate-kotlin", with, &library)?;
    let copied = |from: PathBuf, to: PathBuf| {
        fs::copy(&from, &to).map_err(|e| format!("{}: {e}", from.display())).map(|_| to)
    };
    let information = stage.join("META-INF");
    fs::create_dir_all(&information).map_err(|e| format!("{}: {e}", information.display()))?;
    for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copied(workspace::root().join(license), information.join(license))?;
    }
    let name = format!("quorate-{}", order.version);
    let jar = copied(made, order.out.join(format!("{name}.jar")))?;
    log.run(Command::new("jar").arg("--update").arg("--file").arg(&jar).arg("-C").arg(&stage).arg("."))?;
    let pom =
        copied(workspace::root().join("bindings/kotlin/pom.xml"), order.out.join(format!("{name}.pom")))?;
    Ok(vec![jar, pom])
}
