//! A real exchange in its own process, and logs that a dishonest exchange wrote.

#![allow(dead_code, unreachable_pub, unused_imports, reason = "each test takes what it needs of it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

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
use quorate_service::client::Client;
use quorate_service::receipt::Receipt;
use quorate_service::testing::{Program, sign_with_one_key};
use tempfile::TempDir;

pub use quorate_service::testing::{CLIENTS as TRADERS, LIMIT};

pub const PROGRAM: Program = Program { path: env!("CARGO_BIN_EXE_exchange"), name: "exchange" };

/// Keys of the exchange and of the traders, in a folder.
pub struct Keys {
    folder: PathBuf,
    /// The folder of keys that no deployment has.
    _own: Option<TempDir>,
    pub exchange: Key,
    pub traders: [Key; 2],
}

impl Keys {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in TRADERS.into_iter().chain(["exchange"]) {
            let file = folder.path().join(format!("{name}.key"));
            Key::generate().unwrap().save(&EXCHANGE, &file).unwrap();
        }
        let keys = Self::in_folder(folder.path().to_owned());
        Self { _own: Some(folder), ..keys }
    }

    /// The keys in the files of a folder.
    fn in_folder(folder: PathBuf) -> Self {
        let load = |name: &str| Key::load(&EXCHANGE, &folder.join(format!("{name}.key"))).unwrap();
        let (exchange, traders) = (load("exchange"), TRADERS.map(load));
        Self { folder, _own: None, exchange, traders }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
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

/// The encoding of a command.
pub fn encoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    command(text).encode_to(&mut bytes).unwrap();
    bytes
}

/// Writes a log as a server does, with answers that a test may change.
pub struct Forger<'a> {
    keys: &'a Keys,
    log: LogWriter,
    book: Book,
    sequences: [u64; 3],
    /// Time of receipt of the next entries, at least that of the last one. All commands are signed at [`SIGNED_AT`].
    pub received: u64,
    /// True if traders sign with DSig and always with the same one-time key.
    pub reuses_keys: bool,
}

/// Time of all signatures of a [`Forger`], in microseconds.
pub const SIGNED_AT: Time = Time(1_000_000);

impl<'a> Forger<'a> {
    pub fn new(keys: &'a Keys, name: &str) -> Self {
        let (log, _) = LogWriter::open(&EXCHANGE, &keys.path(name), SyncPolicy::Kill, |_| ()).unwrap();
        let (book, sequences, received) = (Book::default(), [0; 3], SIGNED_AT.0);
        Self { keys, log, book, sequences, received, reuses_keys: false }
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
        let bytes = encoded(text);
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
        let (sequence, time) = (self.sequences[signer], SIGNED_AT);
        let message = EXCHANGE.message(self.log.store(), sequence, time, command);
        let (scheme, signature) = if self.reuses_keys && signer < self.keys.traders.len() {
            (SignatureScheme::Dsig, sign_with_one_key(self.key(signer), &message))
        } else {
            let signature = Ed25519::sign(&self.key(signer).secret_key().unwrap(), &message).to_bytes();
            (SignatureScheme::Eddsa, signature.to_vec())
        };
        let mut body = Vec::new();
        SignedCommand { scheme, sequence, time, signature: &signature, command }.encode_to(&mut body);
        body
    }

    pub fn append(&mut self, signer: usize, body: &[u8]) -> u64 {
        let signer = public(self.key(signer));
        self.log.append([NewEntry { received: self.received, signer, body }]).unwrap()
    }

    pub fn store(&self) -> [u8; 32] {
        *self.log.store()
    }

    fn key(&self, signer: usize) -> &'a Key {
        self.keys.traders.get(signer).unwrap_or(&self.keys.exchange)
    }
}

/// A folder with a server for the traders.
pub struct Deployment {
    pub keys: Keys,
    running: quorate_service::testing::Deployment<Book>,
}

impl Deployment {
    pub fn new() -> Self {
        quorate_service::testing::Deployment::new(PROGRAM, "kill").into()
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

impl From<quorate_service::testing::Deployment<Book>> for Deployment {
    fn from(running: quorate_service::testing::Deployment<Book>) -> Self {
        Self { keys: Keys::in_folder(running.path("")), running }
    }
}

impl Deref for Deployment {
    type Target = quorate_service::testing::Deployment<Book>;

    fn deref(&self) -> &Self::Target {
        &self.running
    }
}

impl DerefMut for Deployment {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.running
    }
}

/// A trader whose orders are signed with EdDSA.
pub fn connect(endpoint: &Endpoint, trader: &Key, exchange: &Key) -> Result<Client<Book>, Failure> {
    quorate_service::testing::connect(endpoint, trader, Some(exchange), SignatureScheme::Eddsa)
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
