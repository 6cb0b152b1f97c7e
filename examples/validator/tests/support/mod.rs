//! Runs the binary in isolated directories.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

pub mod chain;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// An isolated directory in which commands run and find only each other.
pub struct Sandbox {
    dir: TempDir,
}

/// Result of a command.
pub struct CommandOutput {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// A running command; killed when dropped.
pub struct Running {
    pub child: Child,
}

impl Sandbox {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// Decides whether the directory stays when this is dropped.
    pub fn keep(&mut self, kept: bool) {
        self.dir.disable_cleanup(kept);
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), content).unwrap();
        name.to_owned()
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quorate"));
        command
            .args(arguments)
            .current_dir(self.dir.path())
            .env("XDG_STATE_HOME", self.dir.path().join("state"))
            .env("TMPDIR", self.dir.path())
            .env_remove("QUORATE_NODE")
            .env_remove("QUORATE_GENESIS")
            .env_remove("QUORATE_TESTNET")
            .env_remove("QUORATE_KEY_PASSWORD")
            .env_remove("QUORATE_KEY_NEW_PASSWORD")
            .env_remove("QUORATE_TOKEN_PIN")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a command to its end. Repeats it while the validator has no proof of its state: it has one as soon as a
    /// committed block contains the state root.
    pub fn run(&self, arguments: &[&str]) -> CommandOutput {
        let deadline = Instant::now() + Duration::from_secs(120);
        loop {
            let done = self.run_once(arguments);
            if !done.stderr.contains("the validator has no proof yet") || Instant::now() > deadline {
                return done;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn run_once(&self, arguments: &[&str]) -> CommandOutput {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        CommandOutput {
            code: status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }

    /// Runs a command that must succeed, and returns its standard output.
    pub fn ok(&self, arguments: &[&str]) -> String {
        let done = self.run(arguments);
        assert_eq!(done.code, 0, "{arguments:?}: {}{}", done.stdout, done.stderr);
        done.stdout
    }

    /// Runs a command that must fail with this exit code and this text in its error.
    pub fn fails(&self, code: i32, text: &str, arguments: &[&str]) {
        let done = self.run(arguments);
        assert_eq!(done.code, code, "{arguments:?}: {}{}", done.stdout, done.stderr);
        assert!(done.stderr.contains(text), "{arguments:?}: expected {text:?} in: {}", done.stderr);
        assert!(!done.stderr.contains("panicked"), "{}", done.stderr);
    }

    /// Starts a command.
    pub fn start(&self, arguments: &[&str]) -> Running {
        Running { child: self.command(arguments).stdin(Stdio::piped()).spawn().unwrap() }
    }
}

impl Running {
    /// Reads standard output until a line contains `text`.
    pub fn wait_for_line(&mut self, text: &str) -> String {
        let mut reader = BufReader::new(self.child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert!(
                reader.read_line(&mut line).unwrap() > 0,
                "the command ended before it printed {text:?}: {}",
                self.errors()
            );
        }
        self.child.stdout = Some(reader.into_inner());
        line
    }

    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &pid]).status().unwrap().success());
    }

    /// Waits for the end and returns the exit code and the unread output.
    pub fn end(mut self) -> CommandOutput {
        // Both pipes are read concurrently: a full pipe would block the command.
        let mut stdout = self.child.stdout.take().unwrap();
        let reading = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = stdout.read_to_string(&mut text);
            text
        });
        let stderr = self.errors();
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        CommandOutput { code, stdout: reading.join().unwrap(), stderr }
    }

    fn errors(&mut self) -> String {
        let mut text = String::new();
        let _ = self.child.stderr.take().unwrap().read_to_string(&mut text);
        text
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until `happened` returns true. Panics with the expectation `what` after two minutes.
pub fn eventually(what: &str, mut happened: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !happened() {
        assert!(Instant::now() < deadline, "not within two minutes: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Returns the response to a GET request.
pub fn get(node: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(node.strip_prefix("http://").unwrap()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

/// Returns the validator processes whose configuration is under `directory`.
pub fn validators_under(directory: &Path) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse() else { continue };
        let arguments = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let arguments = String::from_utf8_lossy(&arguments).replace('\0', " ");
        if arguments.contains(" run --config ") && arguments.contains(&*directory.to_string_lossy()) {
            found.push(pid);
        }
    }
    found
}
