//! `examples/clients/watch`: clients in other languages follow a real testnet, also through servers that give wrong answers.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::bindings::{kotlin, node, python};
use crate::process::Outcome;
use crate::steps::{Log, Steps};
use crate::{npm, workspace};

/// Adds the step.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("watch", |log| {
        let quorate = crate::build::binary(log, "quorate")?;
        let python = Python::prepare(log)?;
        let in_node = prepare_node(log)?;
        compile_kotlin(log)?;
        python.check_types(log)?;
        let mut network = python.command("tests/network.py");
        network.push(quorate.into());
        let in_kotlin = vec![folder().join("kotlin/watch.sh").into()];
        for watcher in [python.command("python/watch.py"), in_node("node/watch.mjs"), in_kotlin] {
            network.push("--".into());
            network.extend(watcher);
        }
        let seen = passed(&log.run(&mut python.process(&network))?)?;
        Ok(format!("{seen} cases on networks"))
    });
}

/// A program and its arguments.
type CommandLine = Vec<OsString>;

/// An interpreter that finds the package `quorate`.
struct Python {
    interpreter: PathBuf,
    package: PathBuf,
}

impl Python {
    fn prepare(log: &Log) -> Outcome<Self> {
        Ok(Self { interpreter: python::environment(log)?, package: python::assemble(log)? })
    }

    fn command(&self, file: &str) -> CommandLine {
        vec![self.interpreter.clone().into(), folder().join(file).into()]
    }

    /// A process for a command line; Python programs find the package.
    fn process(&self, command: &[OsString]) -> Command {
        let mut process = Command::new(command.first().unwrap_or(&OsString::new()));
        process.args(command.iter().skip(1));
        process.env("PYTHONPATH", &self.package).env("PYTHONDONTWRITEBYTECODE", "1");
        process
    }

    /// Checks the program's types against the package's stubs.
    fn check_types(&self, log: &Log) -> Outcome {
        let mut mypy = self.process(&[self.interpreter.clone().into()]);
        mypy.current_dir(folder().join("python")).env("MYPYPATH", &self.package);
        mypy.env("MYPY_CACHE_DIR", workspace::target("xtask/mypy"));
        log.run(mypy.args(["-m", "mypy", "--strict", "watch.py"])).map(drop)
    }
}

/// Installs the package `quorate` for Node; returns a function that makes the command line of a program.
fn prepare_node(log: &Log) -> Outcome<impl Fn(&str) -> CommandLine> {
    node::build(log)?;
    npm::install(log, &folder().join("node"))?;
    Ok(|file: &str| vec!["node".into(), folder().join(file).into()])
}

/// Compiles the Kotlin program to where `watch.sh` expects it.
fn compile_kotlin(log: &Log) -> Outcome {
    let package = format!("-Dquorate.jar={}", kotlin::jar(log)?.display());
    kotlin::maven_in(log, &folder().join("kotlin"), &["compile", &package]).map(drop)
}

fn folder() -> PathBuf {
    workspace::root().join("examples/clients/watch")
}

/// The number in `93 passed, 0 failed`.
fn passed(output: &str) -> Outcome<String> {
    let number = output.lines().rev().find_map(|line| line.strip_suffix(" passed, 0 failed"));
    number.map(str::to_owned).ok_or_else(|| "expected a line `N passed, 0 failed`".to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_number_of_passed_tests_is_found() {
        assert_eq!(super::passed("noise\n93 passed, 0 failed\n").unwrap(), "93");
        assert!(super::passed("93 passed, 1 failed\n").is_err());
        assert!(super::passed("").is_err());
    }
}
