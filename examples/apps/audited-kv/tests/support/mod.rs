//! A real server in its own process.

#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs of it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use quorate_audit::audit::{Expected, Report, audit};
use quorate_audit::clients::KnownClient;
use quorate_audit::keys::Key;
use quorate_audit::log::{Scan, ScanStep};
use quorate_audit::signed::{SignatureScheme, SignedCommand};
use quorate_audited_kv::KV;
use quorate_audited_kv::client::{Client, ClientOptions};
use quorate_link::Endpoint;
use serde_json::Value as Json;
use tempfile::TempDir;

pub const LIMIT: Duration = Duration::from_secs(120);

/// A folder with a server for the clients `alice` and `bob`.
pub struct Deployment {
    folder: TempDir,
    pub server: Option<Process>,
    /// Shared memory and TCP.
    pub endpoints: Vec<Endpoint>,
    pub store: [u8; 32],
    keys: Vec<(&'static str, Key)>,
    sync: &'static str,
}

/// Process that is killed when dropped.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Deployment {
    pub fn new() -> Self {
        Self::with_sync("kill")
    }

    pub fn with_sync(sync: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let keys = ["alice", "bob"].map(|name| {
            let key = Key::generate().unwrap();
            key.save(&KV, &folder.path().join(format!("{name}.key"))).unwrap();
            (name, key)
        });
        let (server, endpoints, store) = (None, Vec::new(), [0; 32]);
        let mut deployment = Self { folder, server, endpoints, store, keys: keys.into(), sync };
        deployment.start();
        deployment
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn log(&self) -> PathBuf {
        self.path("audit.log")
    }

    pub fn key(&self, name: &str) -> &Key {
        &self.keys.iter().find(|(known, _)| *known == name).unwrap().1
    }

    /// The public key in hexadecimal.
    pub fn public(&self, name: &str) -> String {
        hex::encode(self.key(name).public().unwrap().as_bytes())
    }

    pub fn known(&self) -> Vec<KnownClient> {
        let known =
            |(name, key): &(&str, Key)| KnownClient { name: (*name).to_owned(), key: key.public().unwrap() };
        self.keys.iter().map(known).collect()
    }

    /// Starts the server and returns its JSON output.
    pub fn start(&mut self) -> Json {
        let mut text = format!(
            "listen = [\"shm:kv.sock\", \"127.0.0.1:0\"]\nlog = \"audit.log\"\nrefusals = \"refusals.jsonl\"\n\
             sync = \"{}\"\naccept = [\"dsig\", \"eddsa\"]\n",
            self.sync
        );
        for (name, _) in &self.keys {
            text += &format!("[[client]]\nname = \"{name}\"\nkey = \"{}\"\n", self.public(name));
        }
        std::fs::write(self.path("kv.toml"), text).unwrap();
        let mut command = self.command(&["serve", "--json", "--config", "kv.toml"]);
        self.start_as(&mut command)
    }

    pub fn start_as(&mut self, command: &mut Command) -> Json {
        let (process, ready) = ready(command);
        self.server = Some(process);
        let listen = ready["listen"].as_array().unwrap();
        self.endpoints = listen.iter().map(|text| self.endpoint(text.as_str().unwrap())).collect();
        hex::decode_to_slice(ready["store"].as_str().unwrap(), &mut self.store).unwrap();
        ready
    }

    /// The path of a socket is relative to the folder.
    fn endpoint(&self, text: &str) -> Endpoint {
        match text.parse().unwrap() {
            Endpoint::SharedMemory(path) => Endpoint::SharedMemory(self.folder.path().join(path)),
            tcp @ Endpoint::Tcp(_) => tcp,
        }
    }

    /// Kills the server as a crash does.
    pub fn kill(&mut self) {
        self.server = None;
    }

    /// Stops the server with SIGTERM and waits for its exit.
    pub fn stop(&mut self) {
        let mut server = self.server.take().unwrap();
        let id = server.0.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        assert!(server.0.wait().unwrap().success());
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_audited-kv"));
        command.args(arguments).current_dir(self.folder.path());
        command
    }

    /// Exit code, standard output, standard error.
    pub fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.command(arguments).stdin(Stdio::null()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    pub fn client(&self, name: &str) -> Client {
        self.client_at(0, name, SignatureScheme::Dsig)
    }

    /// A client over shared memory (0) or TCP (1).
    pub fn client_at(&self, endpoint: usize, name: &str, scheme: SignatureScheme) -> Client {
        connect(&self.endpoints[endpoint], self.key(name), scheme).unwrap()
    }

    pub fn audit(&self) -> Report {
        audit(&KV, &self.log(), &Expected { clients: self.known(), ..Expected::default() }).unwrap()
    }

    /// Signer, sequence number and request of each entry of the log.
    pub fn logged(&self) -> Vec<([u8; 32], u64, Vec<Vec<u8>>)> {
        let (mut scan, mut entries) = (Scan::open(&KV, &self.log()).unwrap(), Vec::new());
        loop {
            let len = match scan.step().unwrap() {
                ScanStep::Entry(raw) => {
                    let signed = SignedCommand::decode(raw.entry.body).unwrap();
                    let words = (KV.parse)(signed.command).unwrap();
                    entries.push((raw.entry.signer, signed.sequence, words));
                    raw.len()
                }
                ScanStep::End => return entries,
                _ => panic!("the log is damaged"),
            };
            scan.skip(len);
        }
    }

    /// Returns the recorded refusals once there are at least `count`.
    pub fn refusals(&self, count: usize) -> Vec<Json> {
        let read = || -> Vec<Json> {
            let text = std::fs::read_to_string(self.path("refusals.jsonl")).unwrap_or_default();
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
        };
        eventually("refusals are recorded", || read().len() >= count);
        read()
    }
}

pub fn connect(
    endpoint: &Endpoint,
    key: &Key,
    scheme: SignatureScheme,
) -> Result<Client, quorate_audit::failure::Failure> {
    Client::connect(endpoint, key, ClientOptions { scheme, limit: LIMIT, ..ClientOptions::default() })
}

/// Starts a process and waits for its line of JSON.
pub fn ready(command: &mut Command) -> (Process, Json) {
    let mut child = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (Process(child), serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}")))
}

pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < LIMIT, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
