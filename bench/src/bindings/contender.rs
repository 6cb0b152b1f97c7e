//! Contenders: this process, or a program in another language.
//!
//! The first argument of a program is the file of inputs. It checks that it accepts valid and refuses forged inputs, and
//! then describes itself in one line of JSON: `{"about": "…", "operations": ["…"]}`. For each line
//! `OPERATION RUNS WARM-UPS` it repeats the operation as a warm-up, then RUNS times, and prints the processor time of the
//! runs in nanoseconds. It ends at the end of its input.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::sampling;

/// Operations by name.
pub(super) type Operations<'a> = BTreeMap<&'static str, Box<dyn FnMut() + 'a>>;

/// A library that can be measured.
pub(super) struct Contender<'a> {
    /// The name in the table.
    pub(super) name: String,
    /// Versions, for the note.
    pub(super) about: String,
    place: Place<'a>,
}

enum Place<'a> {
    Here(Operations<'a>),
    There(Program),
}

struct Program {
    child: Child,
    /// `None` after the request to end.
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    operations: Vec<String>,
}

impl<'a> Contender<'a> {
    /// A contender in this process.
    pub(super) fn in_process(name: &str, about: &str, operations: Operations<'a>) -> Self {
        Self { name: name.to_owned(), about: about.to_owned(), place: Place::Here(operations) }
    }

    /// Starts the program of a description `{"name", "command": […], "environment": {…}}`, and waits until it is ready.
    pub(super) fn start(description: &Value, world: &Path) -> Result<Self, String> {
        let name = description.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let failed = |reason: String| format!("{name}: {reason}");
        let mut child = command(description)
            .ok_or_else(|| failed("there is no command".to_owned()))?
            .arg(world)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| failed(e.to_string()))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("it has no pipes".to_owned()));
        };
        let operations = Vec::new();
        let mut program =
            Program { child, requests: Some(requests), answers: BufReader::new(answers), operations };
        let hello = program.line().map_err(failed)?;
        let hello: Value = serde_json::from_str(&hello).map_err(|e| failed(format!("{e}: {hello}")))?;
        let about = hello.get("about").and_then(Value::as_str).unwrap_or_default().to_owned();
        let listed = hello.get("operations").and_then(Value::as_array).into_iter().flatten();
        program.operations = listed.filter_map(|operation| operation.as_str().map(str::to_owned)).collect();
        Ok(Self { name, about, place: Place::There(program) })
    }

    /// Returns true if it offers this operation.
    pub(super) fn offers(&self, operation: &str) -> bool {
        match &self.place {
            Place::Here(operations) => operations.contains_key(operation),
            Place::There(program) => program.operations.iter().any(|offered| offered == operation),
        }
    }

    /// Runs an operation this number of times, and returns the nanoseconds of one run.
    pub(super) fn run(&mut self, operation: &str, runs: u32, warm_ups: u32) -> Result<f64, String> {
        let nanos = match &mut self.place {
            Place::Here(operations) => {
                let work = operations.get_mut(operation).ok_or("no such operation")?;
                (0..warm_ups).for_each(|_| work());
                sampling::time(runs, work).as_nanos() as f64
            }
            Place::There(program) => {
                program.order(operation, runs, warm_ups).map_err(|e| format!("{}: {e}", self.name))?
            }
        };
        Ok(nanos / f64::from(runs))
    }
}

impl Program {
    fn order(&mut self, operation: &str, runs: u32, warm_ups: u32) -> Result<f64, String> {
        let requests = self.requests.as_mut().ok_or("it ended")?;
        writeln!(requests, "{operation} {runs} {warm_ups}")
            .and_then(|()| requests.flush())
            .map_err(|e| e.to_string())?;
        let line = self.line()?;
        line.parse().map_err(|_| format!("{operation}: {line}"))
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(0) => Err("it ended; its error output is above".to_owned()),
            Ok(_) => Ok(line.trim().to_owned()),
            Err(e) => Err(e.to_string()),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.requests.take());
        // An error here cannot be reported.
        let _ = self.child.wait();
    }
}

/// A command from its JSON description.
pub(super) fn command(description: &Value) -> Option<Command> {
    let mut words = description.get("command")?.as_array()?.iter().filter_map(Value::as_str);
    let mut command = Command::new(words.next()?);
    command.args(words);
    for (name, value) in description.get("environment").and_then(Value::as_object).into_iter().flatten() {
        command.env(name, value.as_str()?);
    }
    Some(command)
}
