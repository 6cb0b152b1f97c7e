//! The test programs of the workspace, run side by side: many of them wait for networks, and cargo runs one at a time.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::Value;

use crate::environment;
use crate::fingerprint::{self, Fingerprint};
use crate::process::Outcome;
use crate::steps::{Log, tests_in};
use crate::workspace;

/// Test programs that mostly wait for processes and networks, and so leave a processor idle. Beside them run programs that
/// compute.
const WAITING: &[&str] = &[
    "testnet", "torture", "epochs", "members", "network", "kill", "hostile", "front", "memory", "refusals",
    "sidecar", "program", "cli",
];

/// Which test programs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// All of them.
    Always,
    /// Those that did not pass yet, or whose files changed: the program itself, the programs of its crate, which tests
    /// start, and the vectors, which tests read.
    IfChanged,
}

/// Compiles all unit and integration tests, and runs those of the crates for which `wanted` is true.
///
/// All tests are compiled, also to run few of them: with fewer crates cargo would choose other features and compile
/// dependencies again. All programs are run, also after a failure.
pub(crate) fn run(log: &Log, wanted: impl Fn(&str) -> bool, repeat: Repeat) -> Outcome<String> {
    let listed =
        log.run(workspace::test_command().args(["--no-run", "--message-format", "json-render-diagnostics"]))?;
    let mut programs: Vec<TestProgram> = listed.lines().filter_map(TestProgram::parse).collect();
    programs.retain(|program| wanted(&program.package));
    let data = DATA.contents()?;
    let started: Vec<Started> = listed.lines().filter_map(Started::parse).collect();
    for program in &mut programs {
        program.hash = program.hash(&started, &data)?;
    }
    let all = programs.len();
    if repeat == Repeat::IfChanged {
        programs.retain(|program| !fingerprint::passed_with(&program.file_name(), &program.hash));
    }
    let unchanged = all - programs.len();
    if programs.iter().any(TestProgram::needs_token) {
        environment::for_softhsm(log)?;
    }
    programs.sort_by_key(|program| {
        WAITING.iter().position(|name| *name == program.name).unwrap_or(WAITING.len())
    });
    let waiting = Mutex::new(VecDeque::from(programs));
    let results = Mutex::new(Vec::new());
    let lanes = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for lane in 0..lanes {
            let (waiting, results) = (&waiting, &results);
            // Half of the lanes begin with the programs that wait, the others with those that compute.
            let next = move || {
                let mut waiting = locked(waiting);
                if lane % 2 == 0 { waiting.pop_front() } else { waiting.pop_back() }
            };
            scope.spawn(move || {
                while let Some(program) = next() {
                    let result = program.run(log);
                    locked(results).push(result);
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (passed, failed): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    if failed.is_empty() {
        let tests = tests_in(&passed.into_iter().flatten().collect::<String>());
        Ok(match unchanged {
            0 => tests,
            unchanged => format!("{tests}; {unchanged} programs unchanged since they last passed"),
        })
    } else {
        Err(failed.into_iter().filter_map(Result::err).collect::<Vec<_>>().join("\n"))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Files that test programs read.
const DATA: Fingerprint =
    Fingerprint { name: "test programs", inputs: &["spec", "README.md", "examples", "bindings/interface"] };

/// A compiled program that a test of its crate may start.
struct Started {
    package: String,
    program: PathBuf,
}

impl Started {
    /// Reads one of cargo's messages; returns `None` if it announces no program, or one of tests.
    fn parse(line: &str) -> Option<Self> {
        let (package, program, is_test) = announced(line)?;
        (!is_test).then_some(Self { package, program })
    }
}

/// Package and file of the program that one of cargo's messages announces, and whether its tests are in it.
fn announced(line: &str) -> Option<(String, PathBuf, bool)> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_test = message.pointer("/profile/test").and_then(Value::as_bool)?;
    let program = message.get("executable").and_then(Value::as_str)?;
    // `path+file:///folder#name@0.1.0`, or `path+file:///folder/name#0.1.0`.
    let id = message.get("package_id").and_then(Value::as_str)?;
    let (path, version) = id.rsplit_once('#')?;
    let package = match version.split_once('@') {
        Some((name, _)) => name,
        None => path.rsplit('/').next()?,
    };
    Some((package.to_owned(), program.into(), is_test))
}

/// A compiled test program of one crate.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TestProgram {
    package: String,
    name: String,
    pub(crate) program: PathBuf,
    folder: PathBuf,
    /// Hash of all files that its result depends on.
    hash: String,
}

impl TestProgram {
    /// Reads one of cargo's messages; returns `None` if it announces no test program.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let (package, program, is_test) = announced(line)?;
        let message: Value = serde_json::from_str(line).ok()?;
        let name = message.pointer("/target/name").and_then(Value::as_str)?.to_owned();
        let manifest = Path::new(message.get("manifest_path").and_then(Value::as_str)?);
        let folder = manifest.parent()?.to_path_buf();
        is_test.then_some(Self { package, name, program, folder, hash: String::new() })
    }

    /// Returns true for the tests of a voting key in a token.
    fn needs_token(&self) -> bool {
        self.package == "quorate-validator" && self.name == "token"
    }

    fn file_name(&self) -> String {
        self.program.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Hash of the program, of those of its crate, and of the data.
    fn hash(&self, started: &[Started], data: &str) -> Outcome<String> {
        let of_crate = started.iter().filter(|one| one.package == self.package).map(|one| &one.program);
        fingerprint::hash_of(of_crate.chain([&self.program])).map(|hash| format!("{hash} {data}"))
    }

    /// Runs the program as cargo does, with a log of its own.
    fn run(&self, log: &Log) -> Outcome<String> {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        let output = log.run_beside(&mut command, &self.file_name())?;
        fingerprint::record(&self.file_name(), &self.hash)?;
        Ok(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_are_read_from_messages_of_cargo() {
        let line = r#"{"reason":"compiler-artifact","package_id":"path+file:///r/core#quorate@0.1.0","manifest_path":"/r/core/Cargo.toml","target":{"name":"bls"},"profile":{"test":true},"executable":"/t/quorate-1"}"#;
        let test = TestProgram {
            package: "quorate".into(),
            name: "bls".into(),
            program: "/t/quorate-1".into(),
            folder: "/r/core".into(),
            hash: String::new(),
        };
        assert_eq!(TestProgram::parse(line), Some(test));
        assert!(Started::parse(line).is_none());
        let started = line.replace("true", "false");
        assert_eq!(TestProgram::parse(&started), None);
        assert_eq!(Started::parse(&started).unwrap().program, Path::new("/t/quorate-1"));
        assert_eq!(TestProgram::parse("   Compiling quorate"), None);
    }
}
