//! Installs the jar in an empty Maven project and runs a Kotlin program there.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::package::order::BuildOrder;
use crate::package::sandbox::{self, Sandbox};
use crate::package::{old_processor, smoke, version};
use crate::process::{Outcome, output_of};
use crate::steps::Log;
use crate::workspace;

/// Folder of our packages in a Maven repository.
const GROUP_PATH: [&str; 3] = ["org", "quorate", "quorate"];

pub(super) fn install(log: &Log, order: &BuildOrder, files: &[PathBuf]) -> Outcome<String> {
    check_documentation(log, files)?;
    let sandbox = Sandbox::new("kotlin")?;
    let classes = compile_tour(log, &sandbox, order, files)?;
    let run = |mut java: Command| log.run(java.args(["-cp", &classes, "TourKt"]));
    smoke::check_tour(&run(sandbox.command("java"))?, &order.version)?;
    let mut notes = vec![
        "sources and documentation".to_owned(),
        "in a Maven project".to_owned(),
        sandbox::isolation().to_owned(),
    ];
    if let Some(emulator) = old_processor::emulator(log)? {
        let mut java = emulator.command(&sandbox, &java()?);
        // The collector with the fewest threads, because the emulator runs them one at a time.
        java.args(["-XX:+UseSerialGC", "-Xshare:auto"]);
        smoke::check_tour(&run(java)?, &order.version)?;
        notes.push(emulator.description());
    }
    Ok(notes.join(", "))
}

/// Compiles the tour in the sandbox, against the built jar and its dependencies; returns the path of all classes.
pub(crate) fn compile_tour(
    log: &Log,
    sandbox: &Sandbox,
    order: &BuildOrder,
    files: &[PathBuf],
) -> Outcome<String> {
    let kotlin = version::kotlin_version()?;
    sandbox.put("pom.xml", &smoke::POM.replace("QUORATE", &order.version).replace("KOTLIN", &kotlin))?;
    sandbox.put("src/main/kotlin/Tour.kt", smoke::KOTLIN)?;
    let repository = repository(sandbox, order, files)?;
    let mut maven = sandbox.command("mvn");
    maven.args(["-B", "-ntp", "-Dkotlin.compiler.daemon=false", "-Dmdep.outputFile=classpath"]);
    maven.arg(format!("-Dmaven.repo.local={}", repository.display()));
    log.run(maven.args(["compile", "dependency:build-classpath"]))?;
    let found = sandbox.path("classpath");
    let found = fs::read_to_string(&found).map_err(|e| format!("{}: {e}", found.display()))?;
    Ok(format!("target/classes:{}", found.trim()))
}

/// Checks that editors find the sources and the documentation of classes, both of those written by hand and of the
/// generated ones, and that no internal class is documented.
fn check_documentation(log: &Log, files: &[PathBuf]) -> Outcome {
    let wanted = [
        ("-sources.jar", ["org/quorate/Quorate.kt", "org/quorate/Merkle.kt"]),
        ("-javadoc.jar", ["org/quorate/Quorate.html", "org/quorate/Merkle.html"]),
    ];
    for (ending, wanted) in wanted {
        let file = files.iter().find(|file| file.to_string_lossy().ends_with(ending));
        let file = file.ok_or_else(|| format!("no file ends in {ending}"))?;
        let listed = log.run(Command::new("jar").arg("--list").arg("--file").arg(file))?;
        let missing = wanted.into_iter().find(|name| !listed.lines().any(|line| line == *name));
        if let Some(name) = missing {
            return Err(format!("{}: expected {name} in it", file.display()));
        }
        let internal = listed.lines().find(|line| line.starts_with("org/quorate/internal/"));
        if let Some(name) = internal.filter(|_| ending == "-javadoc.jar") {
            return Err(format!("{}: unexpected {name}, which is internal", file.display()));
        }
    }
    Ok(())
}

/// The path of `java`: the emulator does not search the path.
fn java() -> Outcome<PathBuf> {
    let output = output_of(Command::new("sh").args(["-c", "java -XshowSettings:properties -version 2>&1"]));
    let home = output
        .as_deref()
        .and_then(|output| output.lines().find_map(|line| line.trim().strip_prefix("java.home = ")));
    home.map(|home| Path::new(home).join("bin/java"))
        .ok_or_else(|| "java printed no property java.home".to_owned())
}

/// A Maven repository with links to the user's repository for other packages, and only the built files for quorate.
fn repository(sandbox: &Sandbox, order: &BuildOrder, files: &[PathBuf]) -> Outcome<PathBuf> {
    let repository = sandbox.path("repository");
    let user_repository =
        env::var_os("HOME").map(|home| Path::new(&home).join(".m2/repository")).unwrap_or_default();
    let (mut from, mut to) = (user_repository, repository.clone());
    for name in GROUP_PATH {
        link_all_but(&from, &to, name)?;
        (from, to) = (from.join(name), to.join(name));
    }
    let place = to.join(&order.version);
    for file in files {
        workspace::copy(file, &place.join(file.file_name().unwrap_or_default()))?;
    }
    Ok(repository)
}

fn link_all_but(from: &Path, to: &Path, name: &str) -> Outcome {
    fs::create_dir_all(to).map_err(|e| format!("{}: {e}", to.display()))?;
    // Without this folder Maven downloads everything.
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        if entry.file_name() != OsStr::new(name) {
            symlink(entry.path(), to.join(entry.file_name()))
                .map_err(|e| format!("{}: {e}", to.display()))?;
        }
    }
    Ok(())
}
