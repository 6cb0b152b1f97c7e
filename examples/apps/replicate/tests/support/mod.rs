//! Replicas as processes.

#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs of it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use quorate_replicate::node::client::Client;
use quorate_replicate::node::group::{self, Group};
use tempfile::TempDir;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_replicate");
pub const LIMIT: Duration = Duration::from_secs(60);

/// Process that is killed when dropped.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A group whose replicas are processes.
pub struct Deployment {
    folder: TempDir,
    pub replicas: Vec<Option<Process>>,
    /// Standard output and standard error of each replica.
    pub log: Vec<PathBuf>,
    /// Options of `run`.
    pub options: &'static [&'static str],
    /// Maximum size of a file in blocks of 512 bytes, as on a full disk.
    pub file_limit: Option<u32>,
}

impl Deployment {
    pub fn new(signer: &str) -> Self {
        let mut deployment = Self::stopped(signer, &["--sync", "kill"]);
        (0..4).for_each(|i| deployment.start(i));
        deployment
    }

    /// A group whose replicas are not started.
    pub fn stopped(signer: &str, options: &'static [&'static str]) -> Self {
        Self::for_clients(2, signer, options)
    }

    /// A group for a number of clients whose replicas are not started.
    pub fn for_clients(clients: u16, signer: &str, options: &'static [&'static str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("group");
        let clients = clients.to_string();
        let made =
            replicate(&["init", "--clients", &clients, "--signer", signer, "--out", out.to_str().unwrap()]);
        assert!(made.status.success(), "{made:?}");
        let log = (0..4).map(|i| folder.path().join(format!("replica{i}.out"))).collect();
        Self { folder, replicas: (0..4).map(|_| None).collect(), log, options, file_limit: None }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("group").join(name)
    }

    pub fn start(&mut self, i: usize) {
        let output = std::fs::OpenOptions::new().create(true).append(true).open(&self.log[i]).unwrap();
        let mut command = match self.file_limit {
            None => Command::new(PROGRAM),
            Some(limit) => {
                // With an error instead of a signal.
                let script = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$0\" \"$@\"");
                let mut shell = Command::new("sh");
                shell.args(["-c", &script, PROGRAM]);
                shell
            }
        };
        let child = command
            .args(["run", "--json", "--suspect", "400"])
            .args(self.options)
            .arg("--group")
            .arg(self.path("group.toml"))
            .arg("--key")
            .arg(self.path(&format!("replica{i}.key")))
            .arg("--data")
            .arg(self.path(&format!("replica{i}")))
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        self.replicas[i] = Some(Process(child));
        let socket = self.path(&format!("replica{i}.sock"));
        eventually(&format!("replica {i} listens"), || {
            std::os::unix::net::UnixStream::connect(&socket).is_ok()
        });
    }

    /// `kill -9`.
    pub fn kill(&mut self, i: usize) {
        self.replicas[i] = None;
    }

    pub fn signal(&self, i: usize, signal: &str) {
        let process = self.replicas[i].as_ref().unwrap().0.id();
        assert!(Command::new("kill").args([signal, &process.to_string()]).status().unwrap().success());
    }

    /// What a replica has printed so far.
    pub fn output(&self, i: usize) -> String {
        std::fs::read_to_string(&self.log[i]).unwrap_or_default()
    }

    /// Runs the program for the group, with the group file as the last argument.
    pub fn run(&self, arguments: &[&str]) -> Output {
        let group = self.path("group.toml");
        Command::new(PROGRAM).args(arguments).arg("--group").arg(group).output().unwrap()
    }

    pub fn group(&self) -> Group {
        Group::load(&self.path("group.toml")).unwrap()
    }

    pub fn client(&self, i: usize) -> Client {
        let (group, path) = (self.group(), self.path(&format!("client{i}.key")));
        let mut client = None;
        eventually("replicas accept the client", || {
            client = Client::connect(&group, group::load(&path).unwrap()).ok();
            client.is_some()
        });
        client.unwrap()
    }

    pub fn add(&self, client: &mut Client, number: u64) -> u64 {
        let accepted = client.call(number.to_le_bytes(), LIMIT).unwrap_or_else(|failure| {
            let logs: Vec<_> = (0..4).map(|i| self.output(i)).collect();
            panic!("{failure}: {logs:?}")
        });
        assert!(accepted.liars.is_empty());
        u64::from_le_bytes(accepted.answer)
    }
}

pub fn replicate(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).output().unwrap()
}

pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < LIMIT, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}
