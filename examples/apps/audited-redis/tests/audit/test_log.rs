use std::path::PathBuf;
use std::time::Duration;

use quorate::dsig::SignerConfig;
use quorate::dsig::dynamic::SuiteId;
use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme as _;
use quorate_audited_redis::REDIS;
use quorate_audited_redis::audit::{Expected, Report, audit};
use quorate_audited_redis::config::{KnownClient, SyncPolicy};
use quorate_audited_redis::frame::{SignatureScheme, SignedCommand, message};
use quorate_audited_redis::keys::Key;
use quorate_audited_redis::log::{HEADER, LogWriter, NewEntry, OVERHEAD};
use quorate_audited_redis::resp::encode_command;
use quorate_audited_redis::suites::{DynSigner, signer};

/// A log with alternating commands of two clients, signed with DSig, and every fourth with EdDSA.
pub(crate) struct TestLog {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) clients: Vec<KnownClient>,
    pub(crate) keys: Vec<Key>,
    pub(crate) bytes: Vec<u8>,
    /// Offset of each entry, from entry 1 on, and the end offset.
    pub(crate) starts: Vec<usize>,
    pub(crate) store: [u8; 32],
}

/// Creates a log of `count` entries.
pub(crate) fn make_log(count: u64) -> TestLog {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let keys: Vec<_> = (0..2).map(|_| Key::generate().unwrap()).collect();
    let names = ["alice", "bob"];
    let clients = keys.iter().zip(names);
    let clients: Vec<_> =
        clients.map(|(key, name)| KnownClient { name: name.into(), key: key.public().unwrap() }).collect();
    let mut signers: Vec<_> = keys.iter().map(dsig_signer).collect();
    let (mut log, _) = LogWriter::open(&REDIS, &path, SyncPolicy::Kill, |_| ()).unwrap();
    let (store, mut starts) = (*log.store(), vec![HEADER]);
    for number in 1..=count {
        let (client, sequence) = ((number % 2) as usize, number.div_ceil(2));
        let body =
            signed_body(&store, &keys[client], &mut *signers[client], sequence, number % 4 == 0, number);
        let signer = *clients[client].key.as_bytes();
        log.append([NewEntry { received: number, signer, body: &body }]).unwrap();
        starts.push(starts.last().unwrap() + OVERHEAD + body.len());
    }
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len(), *starts.last().unwrap());
    TestLog { folder, clients, keys, bytes, starts, store }
}

/// Returns a DSig signer with a prepared batch of one-time keys.
pub(crate) fn dsig_signer(key: &Key) -> Box<dyn DynSigner> {
    let config = SignerConfig { log2_batch: 4, low_water: 64, lifetime: Duration::from_secs(600) };
    let mut signer = signer(SuiteId::WotsBlake3, key.secret_key().unwrap(), config).unwrap();
    while let Some(work) = signer.plan(Time(1)).unwrap() {
        signer.add(work().unwrap()).unwrap();
    }
    signer
}

/// Returns the encoding of a signed command that sets `key` to `value`.
pub(crate) fn signed_body(
    store: &[u8; 32],
    key: &Key,
    dsig: &mut dyn DynSigner,
    sequence: u64,
    eddsa: bool,
    value: u64,
) -> Vec<u8> {
    let command = encode_command(&["SET", "key", &value.to_string()]).unwrap();
    let (time, mut body) = (Time(1000 + sequence), Vec::new());
    let message = message(store, sequence, time, &command);
    let (scheme, signature) = if eddsa {
        (SignatureScheme::Eddsa, Ed25519::sign(&key.secret_key().unwrap(), &message).to_bytes().to_vec())
    } else {
        (SignatureScheme::Dsig, dsig.sign(&message, Time(1)).unwrap())
    };
    SignedCommand { scheme, sequence, time, signature: &signature, command: &command }.encode_to(&mut body);
    body
}

impl TestLog {
    pub(crate) fn entry(&self, number: usize) -> &[u8] {
        &self.bytes[self.starts[number - 1]..self.starts[number]]
    }

    pub(crate) fn start(&self, number: usize) -> u64 {
        self.starts[number - 1] as u64
    }

    /// Returns the bytes of a log with these entries.
    pub(crate) fn with_entries(&self, entries: &[usize]) -> Vec<u8> {
        let mut bytes = self.bytes[..HEADER].to_vec();
        entries.iter().for_each(|number| bytes.extend_from_slice(self.entry(*number)));
        bytes
    }

    pub(crate) fn path(&self, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join("tampered");
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn audit(&self, bytes: &[u8]) -> Report {
        let expected = Expected { clients: self.clients.clone(), ..Expected::default() };
        audit(&REDIS, &self.path(bytes), &expected).unwrap()
    }

    pub(crate) fn found(&self, bytes: &[u8]) -> Vec<(&'static str, u64, u64)> {
        let report = self.audit(bytes);
        assert_eq!(report.ok, report.findings.is_empty());
        report.findings.iter().map(|finding| (finding.code, finding.entry, finding.offset)).collect()
    }

    /// Returns a log as a malicious front could write it: new numbers and new hashes for these entries.
    pub(crate) fn rewritten(&self, entries: &[(usize, Vec<u8>)]) -> Vec<u8> {
        let path = self.folder.path().join("rewritten");
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, &self.bytes[..HEADER]).unwrap();
        let (mut log, _) = LogWriter::open(&REDIS, &path, SyncPolicy::Kill, |_| ()).unwrap();
        for (client, body) in entries {
            let signer = *self.clients[*client].key.as_bytes();
            log.append([NewEntry { received: 1, signer, body }]).unwrap();
        }
        std::fs::read(&path).unwrap()
    }

    /// Returns the index of the client and the signed command.
    pub(crate) fn signed(&self, number: usize) -> (usize, Vec<u8>) {
        let entry = self.entry(number);
        (number % 2, entry[OVERHEAD - 32..entry.len() - 32].to_vec())
    }
}
