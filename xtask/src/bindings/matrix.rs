//! Compares the languages: each reads the objects that every other wrote, and the same tour has the same output in all.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{kotlin, node, python, wasm};
use crate::process::Outcome;
use crate::steps::{Log, Steps};
use crate::workspace;

/// Number of suites; each language writes one file per suite.
const SUITES: usize = 5;

/// Adds the steps.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("matrix of languages", |log| {
        let files = workspace::target("xtask/matrix");
        // Remains of an earlier run.
        let _ = fs::remove_dir_all(&files);
        fs::create_dir_all(&files).map_err(|e| format!("{}: {e}", files.display()))?;
        let tools = programs(log, "matrix")?;
        for (_, tool) in &tools {
            log.run(tool().arg("write").arg(&files))?;
        }
        let written = fs::read_dir(&files).map_err(|e| e.to_string())?.count();
        if written != tools.len() * SUITES {
            return Err(format!(
                "expected one file for each of {} languages and {SUITES} suites, found {written}",
                tools.len()
            ));
        }
        for (language, tool) in &tools {
            let output = log.run(tool().arg("read").arg(&files))?;
            if !output.contains(&format!("{written} files read")) {
                return Err(format!("{language} did not read all {written} files"));
            }
        }
        Ok(format!("{} languages read {written} files each", tools.len()))
    });
    steps.add("tour in all languages", |log| {
        let mut outputs: Vec<(&str, String)> = Vec::new();
        for (language, tour) in programs(log, "tour")? {
            outputs.push((language, log.run(&mut tour())?));
        }
        let (_, first) = outputs.first().ok_or("there is no program")?;
        match outputs.iter().find(|(_, output)| output != first) {
            None => Ok(format!("{} languages print the same", outputs.len())),
            Some((language, output)) => Err(format!("{language} prints\n{output}where Rust prints\n{first}")),
        }
    });
}

/// Creates the command that runs a program in one language.
type Program = Box<dyn Fn() -> Command>;

/// Builds the program `matrix` or `tour` in each language.
fn programs(log: &Log, name: &'static str) -> Outcome<Vec<(&'static str, Program)>> {
    crate::build::libraries(log)?;
    let rust = workspace::target("debug/examples").join(name);
    let interpreter = python::environment(log)?;
    let package = python::assemble(log)?;
    node::build(log)?;
    wasm::build(log)?;
    let folder = if name == "tour" { "examples" } else { "test" };
    let javascript = |package: PathBuf| -> Program {
        let script = package.join(folder).join(format!("{name}.mjs"));
        Box::new(move || in_folder("node", &script, &package))
    };
    let python = if name == "tour" { "examples" } else { "tests" };
    let script = workspace::root().join("bindings/python").join(python).join(format!("{name}.py"));
    let class = if name == "tour" { "TourKt" } else { "org.quorate.Matrix" };
    let java = kotlin::program(log, class)?;
    Ok(vec![
        ("Rust", Box::new(move || Command::new(&rust))),
        (
            "Python",
            Box::new(move || {
                let mut python = in_folder(&interpreter, &script, &package);
                python.env("PYTHONPATH", &package).env("PYTHONDONTWRITEBYTECODE", "1");
                python
            }),
        ),
        ("Node", javascript(node::package())),
        ("Kotlin", Box::new(move || cloned(&java))),
        ("WebAssembly", javascript(workspace::root().join("bindings/wasm"))),
    ])
}

fn in_folder(interpreter: impl AsRef<Path>, script: &Path, folder: &Path) -> Command {
    let mut command = Command::new(interpreter.as_ref());
    command.arg(script).current_dir(folder);
    command
}

/// A copy of a command.
fn cloned(command: &Command) -> Command {
    let mut copy = Command::new(command.get_program());
    copy.args(command.get_args());
    copy
}
