use std::io::{BufRead, BufReader};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use quorate_audit::audit::{Expected, Report, audit};
use quorate_audit::clients::KnownClient;
use quorate_audit::failure::Failure;
use quorate_audit::keys::Key;
use quorate_audit::log::{Scan, ScanStep};
use quorate_audit::signed::{SignatureScheme, SignedCommand};
use quorate_link::Endpoint;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::Engine;
use crate::client::{Client, ClientOptions};

/// Time limit for everything that a test waits for.
pub const LIMIT: Duration = Duration::from_secs(120);
/// Names of the clients.
pub const CLIENTS: [&str; 2] = ["alice", "bob"];

/// A program with the command `serve`.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Path of the program: `env!("CARGO_BIN_EXE_...")`.
    pub path: &'static str,
    /// Name of the configuration file and of the socket, without their endings. The server's key is in `<name>.key`.
    pub name: &'static str,
}

/// A folder with a server for the [`CLIENTS`].
pub struct Deployment<E> {
    folder: TempDir,
    program: Program,
    sync: &'static str,
    keys: Vec<(&'static str, Key)>,
    /// The key with which the server signs its answers.
    server_key: Option<Key>,
    pub server: Option<Process>,
    /// Shared memory and TCP.
    pub endpoints: Vec<Endpoint>,
    pub store: [u8; 32],
    engine: PhantomData<E>,
}

/// Process that is killed when dropped.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl<E: Engine> Deployment<E> {
    /// Makes the keys and starts the server. `sync` is that of the configuration.
    pub fn new(program: Program, sync: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let key = Key::generate().unwrap();
            key.save(E::application(), &folder.path().join(format!("{name}.key"))).unwrap();
            key
        };
        let server_key = E::SIGNS_ANSWERS.then(|| make(program.name));
        let keys = CLIENTS.map(|name| (name, make(name))).into();
        let (server, endpoints, store, engine) = (None, Vec::new(), [0; 32], PhantomData);
        let mut deployment =
            Self { folder, program, sync, keys, server_key, server, endpoints, store, engine };
        deployment.start();
        deployment
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn log(&self) -> PathBuf {
        self.path("audit.log")
    }

    /// Name of the configuration file.
    pub fn config(&self) -> String {
        format!("{}.toml", self.program.name)
    }

    pub fn key(&self, name: &str) -> &Key {
        &self.keys.iter().find(|(known, _)| *known == name).unwrap().1
    }

    /// The key with which the server signs its answers.
    pub fn server_key(&self) -> Option<&Key> {
        self.server_key.as_ref()
    }

    /// The public key in hexadecimal.
    pub fn public(&self, name: &str) -> String {
        hex::encode(self.key(name).public().unwrap().as_bytes())
    }

    /// The clients, and the server if it signs its answers.
    pub fn known(&self) -> Vec<KnownClient> {
        let keys = self.keys.iter().map(|(name, key)| (*name, key));
        let keys = keys.chain(self.server_key.iter().map(|key| ("server", key)));
        keys.map(|(name, key)| KnownClient { name: name.to_owned(), key: key.public().unwrap() }).collect()
    }

    /// Writes the configuration, starts the server and returns its JSON output.
    pub fn start(&mut self) -> Json {
        let name = self.program.name;
        let mut text = format!(
            "listen = [\"shm:{name}.sock\", \"127.0.0.1:0\"]\nlog = \"audit.log\"\nrefusals = \"refusals.jsonl\"\n\
             sync = \"{}\"\naccept = [\"dsig\", \"eddsa\"]\n",
            self.sync
        );
        if self.server_key.is_some() {
            text += &format!("key = \"{name}.key\"\n");
        }
        for (name, _) in &self.keys {
            text += &format!("[[client]]\nname = \"{name}\"\nkey = \"{}\"\n", self.public(name));
        }
        std::fs::write(self.path(&self.config()), text).unwrap();
        let mut command = self.command(&["serve", "--json", "--config", &self.config()]);
        self.start_as(&mut command)
    }

    /// Starts the server with a command, such as a shell's.
    pub fn start_as(&mut self, command: &mut Command) -> Json {
        let mut child = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        self.server = Some(Process(child));
        let ready: Json = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        // The path of a socket is relative to the folder.
        let endpoint = |text: &Json| match text.as_str().unwrap().parse().unwrap() {
            Endpoint::SharedMemory(path) => Endpoint::SharedMemory(self.folder.path().join(path)),
            tcp @ Endpoint::Tcp(_) => tcp,
        };
        self.endpoints = ready["listen"].as_array().unwrap().iter().map(endpoint).collect();
        hex::decode_to_slice(ready["store"].as_str().unwrap(), &mut self.store).unwrap();
        ready
    }

    /// Kills the server as a crash does.
    pub fn kill(&mut self) {
        self.server = None;
    }

    /// Stops the server with SIGTERM and waits for its exit.
    pub fn stop(&mut self) {
        self.signal("TERM");
        let mut server = self.server.take().unwrap();
        assert!(server.0.wait().unwrap().success());
    }

    /// Sends a signal to the server, such as `STOP`.
    pub fn signal(&self, name: &str) {
        let id = self.server.as_ref().unwrap().0.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.program.path);
        command.args(arguments).current_dir(self.folder.path());
        command
    }

    /// A command of a shell in the folder, with the program as `$0`.
    pub fn shell(&self, script: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", script, self.program.path]).current_dir(self.folder.path());
        shell
    }

    /// Exit code, standard output, standard error.
    pub fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.command(arguments).stdin(Stdio::null()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    /// A client over shared memory (0) or TCP (1).
    pub fn client_at(&self, endpoint: usize, name: &str, scheme: SignatureScheme) -> Client<E> {
        self.connect(&self.endpoints[endpoint], name, scheme).unwrap()
    }

    pub fn connect(
        &self,
        endpoint: &Endpoint,
        name: &str,
        scheme: SignatureScheme,
    ) -> Result<Client<E>, Failure> {
        connect(endpoint, self.key(name), self.server_key.as_ref(), scheme)
    }

    pub fn audit(&self) -> Report {
        audit(E::application(), &self.log(), &Expected { clients: self.known(), ..Expected::default() })
            .unwrap()
    }

    /// Signer, sequence number and command of each entry of the log.
    pub fn logged(&self) -> Vec<([u8; 32], u64, Vec<Vec<u8>>)> {
        let (mut scan, mut entries) = (Scan::open(E::application(), &self.log()).unwrap(), Vec::new());
        loop {
            let len = match scan.step().unwrap() {
                ScanStep::Entry(raw) => {
                    let signed = SignedCommand::decode(raw.entry.body).unwrap();
                    let words = (E::application().parse)(signed.command).unwrap();
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

    /// Memory of the server process in bytes.
    pub fn memory(&self) -> u64 {
        self.status("VmRSS").trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }

    /// A field of the status of the server process, such as `State`.
    pub fn status(&self, field: &str) -> String {
        let id = self.server.as_ref().unwrap().0.id();
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let fields = status.lines().filter_map(|line| line.split_once(':'));
        fields.filter(|(name, _)| *name == field).map(|(_, value)| value.trim().to_owned()).next().unwrap()
    }
}

/// Options of a client of a server with this key.
pub fn options(server: Option<&Key>, scheme: SignatureScheme) -> ClientOptions {
    let server = server.map(|key| key.public().unwrap());
    ClientOptions { scheme, server, limit: LIMIT, ..ClientOptions::default() }
}

pub fn connect<E: Engine>(
    endpoint: &Endpoint,
    key: &Key,
    server: Option<&Key>,
    scheme: SignatureScheme,
) -> Result<Client<E>, Failure> {
    Client::connect(endpoint, key, options(server, scheme))
}

pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < LIMIT, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
