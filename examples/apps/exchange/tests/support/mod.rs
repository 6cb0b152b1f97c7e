//! A real exchange in its own process, and logs that a dishonest exchange wrote.

#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs of it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::time::Duration;

use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme as _;
use quorate_audit::audit::{Expected, Finding, Report, audit};
use quorate_audit::clients::KnownClient;
use quorate_audit::failure::Failure;
use quorate_audit::keys::Key;
use quorate_audit::log::{LogWriter, NewEntry, Scan, ScanStep, SyncPolicy};
use quorate_audit::signed::{SignatureScheme, SignedCommand};
use quorate_exchange::EXCHANGE;
use quorate_exchange::answer::Answer;
use quorate_exchange::book::Book;
use quorate_exchange::command::Command;
use quorate_exchange::judge::judge;
use quorate_link::Endpoint;
use quorate_service::client::{Client, ClientOptions};
use quorate_service::receipt::Receipt;
use serde_json::Value as Json;
use tempfile::TempDir;

pub const LIMIT: Duration = Duration::from_secs(120);
pub const TRADERS: [&str; 2] = ["alice", "bob"];

/// Keys of the exchange and of the traders, in a folder.
pub struct Keys {
    pub folder: TempDir,
    pub exchange: Key,
    pub traders: [Key; 2],
}

impl Keys {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let key = Key::generate().unwrap();
            key.save(&EXCHANGE, &folder.path().join(format!("{name}.key"))).unwrap();
            key
        };
        let (exchange, traders) = (make("exchange"), TRADERS.map(make));
        Self { folder, exchange, traders }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn known(&self) -> Vec<KnownClient> {
        let known = |name: &str, key: &Key| KnownClient { name: name.to_owned(), key: key.public().unwrap() };
        let traders = TRADERS.iter().zip(&self.traders).map(|(name, key)| known(name, key));
        traders.chain([known("exchange", &self.exchange)]).collect()
    }

    /// The audit of the log, and the first fault of the book.
    pub fn audit(&self, log: &Path) -> (Report, Option<Finding>) {
        let expected = Expected { clients: self.known(), ..Expected::default() };
        let report = audit(&EXCHANGE, log, &expected).unwrap();
        let finding = judge(log, &public(&self.exchange), None).unwrap();
        (report, finding)
    }
}

pub fn public(key: &Key) -> [u8; 32] {
    *key.public().unwrap().as_bytes()
}

pub fn command(text: &str) -> Command {
    Command::from_words(&text.split(' ').collect::<Vec<_>>()).unwrap()
}

/// Writes a log as a server does, with answers that a test may change.
pub struct Forger<'a> {
    keys: &'a Keys,
    log: LogWriter,
    book: Book,
    sequences: [u64; 3],
}

impl<'a> Forger<'a> {
    pub fn new(keys: &'a Keys, name: &str) -> Self {
        let (log, _) = LogWriter::open(&EXCHANGE, &keys.path(name), SyncPolicy::Kill, |_| ()).unwrap();
        Self { keys, log, book: Book::default(), sequences: [0; 3] }
    }

    /// Logs an order of a trader with the answer of the rules, changed by the exchange, and returns the signed receipt.
    pub fn order(&mut self, trader: usize, text: &str, change: impl FnOnce(&mut Answer)) -> Vec<u8> {
        let (entry, bytes) = self.unanswered(trader, text);
        let mut answer = self.book.execute(entry, &public(&self.keys.traders[trader]), &command(text));
        change(&mut answer);
        let body = self.receipt(entry, trader, &bytes, &answer);
        self.append(2, &body);
        body
    }

    /// Logs an order of a trader without executing it.
    pub fn unanswered(&mut self, trader: usize, text: &str) -> (u64, Vec<u8>) {
        let mut bytes = Vec::new();
        command(text).encode_to(&mut bytes).unwrap();
        let body = self.sign(trader, &bytes);
        (self.append(trader, &body), bytes)
    }

    /// Signs a receipt of the trader's last order.
    pub fn receipt(&mut self, entry: u64, trader: usize, command: &[u8], answer: &Answer) -> Vec<u8> {
        let (mut encoded, mut bytes) = (Vec::new(), Vec::new());
        answer.encode_to(&mut encoded);
        let (signer, sequence) = (public(&self.keys.traders[trader]), self.sequences[trader]);
        Receipt { entry, signer, sequence, command, answer: &encoded }.encode_into(&mut bytes);
        self.sign(2, &bytes)
    }

    /// Signs the next command of a trader, or with 2 of the exchange.
    pub fn sign(&mut self, signer: usize, command: &[u8]) -> Vec<u8> {
        self.sequences[signer] += 1;
        let (sequence, time) = (self.sequences[signer], Time(1_000_000));
        let message = EXCHANGE.message(self.log.store(), sequence, time, command);
        let signature = Ed25519::sign(&self.key(signer).secret_key().unwrap(), &message).to_bytes();
        let mut body = Vec::new();
        let scheme = SignatureScheme::Eddsa;
        SignedCommand { scheme, sequence, time, signature: &signature, command }.encode_to(&mut body);
        body
    }

    pub fn append(&mut self, signer: usize, body: &[u8]) -> u64 {
        let signer = public(self.key(signer));
        self.log.append([NewEntry { received: 1_000_000, signer, body }]).unwrap()
    }

    pub fn store(&self) -> [u8; 32] {
        *self.log.store()
    }

    fn key(&self, signer: usize) -> &'a Key {
        self.keys.traders.get(signer).unwrap_or(&self.keys.exchange)
    }
}

/// Process that is killed when dropped.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A folder with a server for the traders.
pub struct Deployment {
    pub keys: Keys,
    pub server: Option<Running>,
    /// Shared memory and TCP.
    pub endpoints: Vec<Endpoint>,
    pub store: [u8; 32],
}

impl Deployment {
    pub fn new() -> Self {
        let mut deployment = Self { keys: Keys::new(), server: None, endpoints: Vec::new(), store: [0; 32] };
        deployment.start();
        deployment
    }

    pub fn log(&self) -> PathBuf {
        self.keys.path("audit.log")
    }

    /// Starts the server and returns its JSON output.
    pub fn start(&mut self) -> Json {
        let mut text = "listen = [\"shm:exchange.sock\", \"127.0.0.1:0\"]\nlog = \"audit.log\"\nkey = \"exchange.key\"\n\
             refusals = \"refusals.jsonl\"\nsync = \"kill\"\naccept = [\"dsig\", \"eddsa\"]\n"
            .to_owned();
        for (name, key) in TRADERS.iter().zip(&self.keys.traders) {
            text += &format!("[[client]]\nname = \"{name}\"\nkey = \"{}\"\n", hex::encode(public(key)));
        }
        std::fs::write(self.keys.path("exchange.toml"), text).unwrap();
        let mut command = self.command(&["serve", "--json", "--config", "exchange.toml"]);
        let mut child = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        self.server = Some(Running(child));
        let ready: Json = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        // The path of a socket is relative to the folder.
        let endpoint = |text: &Json| match text.as_str().unwrap().parse().unwrap() {
            Endpoint::SharedMemory(path) => Endpoint::SharedMemory(self.keys.path(path.to_str().unwrap())),
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
        let mut server = self.server.take().unwrap();
        let id = server.0.id().to_string();
        assert!(Process::new("kill").args(["-TERM", &id]).status().unwrap().success());
        assert!(server.0.wait().unwrap().success());
    }

    pub fn command(&self, arguments: &[&str]) -> Process {
        let mut command = Process::new(env!("CARGO_BIN_EXE_exchange"));
        command.args(arguments).current_dir(self.keys.folder.path());
        command
    }

    /// Exit code, standard output, standard error.
    pub fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.command(arguments).stdin(Stdio::null()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    pub fn client(&self, trader: usize) -> Client<Book> {
        connect(&self.endpoints[trader], &self.keys.traders[trader], &self.keys.exchange).unwrap()
    }

    /// Asserts that the audit finds nothing, and returns the number of entries.
    pub fn audited(&self) -> u64 {
        let (report, finding) = self.keys.audit(&self.log());
        assert!(report.ok && finding.is_none(), "{:?} {finding:?}", report.findings);
        report.entries
    }
}

pub fn connect(endpoint: &Endpoint, trader: &Key, exchange: &Key) -> Result<Client<Book>, Failure> {
    let server = Some(exchange.public().unwrap());
    let scheme = SignatureScheme::Eddsa;
    Client::connect(
        endpoint,
        trader,
        ClientOptions { scheme, server, limit: LIMIT, ..ClientOptions::default() },
    )
}

/// Offset and length of each entry of a log.
pub fn entries(log: &Path) -> Vec<(usize, usize)> {
    let (mut scan, mut entries) = (Scan::open(&EXCHANGE, log).unwrap(), Vec::new());
    loop {
        let offset = scan.offset() as usize;
        let len = match scan.step().unwrap() {
            ScanStep::Entry(raw) => raw.len(),
            ScanStep::End => return entries,
            _ => panic!("the log is damaged"),
        };
        entries.push((offset, len));
        scan.skip(len);
    }
}
