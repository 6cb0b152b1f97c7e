//! The jar, with the native library for this kind of machine, its pom, and the jars with its sources and documentation.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::native;
use super::order::BuildOrder;
use crate::bindings::kotlin;
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;

/// Replaces the library in Maven's jar by that of the profile; the classes are the same for all profiles.
pub(super) fn build(log: &Log, order: &BuildOrder) -> Outcome<Vec<PathBuf>> {
    let made = kotlin::jar(log)?;
    let stage = workspace::target("xtask/jar");
    // Files of an earlier run must not get into the jar.
    let _ = fs::remove_dir_all(&stage);
    let library = stage.join(kotlin::platform()?).join(workspace::library_name(kotlin::PACKAGE));
    native::put(log, order, kotlin::PACKAGE, &library)?;
    for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
        workspace::copy(&workspace::root().join(license), &stage.join("META-INF").join(license))?;
    }
    let jar = jar_path(order);
    workspace::copy(&made, &jar)?;
    log.run(Command::new("jar").arg("--update").arg("--file").arg(&jar).arg("-C").arg(&stage).arg("."))?;
    with_its_companions(log, order, jar)
}

/// The path of the jar to be built.
pub(crate) fn jar_path(order: &BuildOrder) -> PathBuf {
    order.out.join(format!("quorate-{}.jar", order.version))
}

/// Adds the pom, and the jars with sources and documentation, beside a built jar. Returns all of them.
pub(crate) fn with_its_companions(log: &Log, order: &BuildOrder, jar: PathBuf) -> Outcome<Vec<PathBuf>> {
    let pom = jar.with_extension("pom");
    workspace::copy(&workspace::root().join("bindings/kotlin/pom.xml"), &pom)?;
    let mut files = vec![jar, pom];
    for made in kotlin::documentation_jars(log)? {
        let to = order.out.join(made.file_name().unwrap_or_default());
        workspace::copy(&made, &to)?;
        files.push(to);
    }
    Ok(files)
}
