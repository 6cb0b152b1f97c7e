//! Signed logs of both engines, the same on every run.

use std::sync::LazyLock;

use quorate::ed25519::{Ed25519, PublicKey, SecretKey};
use quorate::machine::Time;
use quorate::scheme::Scheme as _;
use quorate::wire::domain;
use quorate_audit::Application;
use quorate_audit::log::Entry;
use quorate_audit::signed::{SignatureScheme, SignedCommand};
use quorate_exchange::book::Book;
use quorate_service::Origin;
use quorate_service::receipt::Receipt;

use super::commands::Commands;
use super::input::executed;

/// Store of all logs.
pub(super) const STORE: [u8; 32] = [5; 32];
/// Time of all signatures and entries.
const NOW: Time = Time(8);
/// Number of clients. The key after theirs is that of the server.
pub(super) const CLIENTS: usize = 2;

/// Public keys of the clients and of the server.
pub(super) static KEYS: LazyLock<[PublicKey; CLIENTS + 1]> =
    LazyLock::new(|| [0, 1, 2].map(|signer| Ed25519::public_key(&secret(signer))));

/// A log.
pub(super) struct SignedLog {
    /// The file.
    pub(super) bytes: Vec<u8>,
    /// The signed command of each entry.
    pub(super) bodies: Vec<Vec<u8>>,
    /// Command, answer, and sequence number of each command.
    pub(super) executed: Vec<Logged>,
}

/// A command in a log.
pub(super) struct Logged {
    /// Index of the signer.
    pub(super) signer: usize,
    pub(super) entry: u64,
    pub(super) sequence: u64,
    pub(super) answer: Vec<u8>,
    /// The server's signed receipt, if it signs its answers.
    pub(super) receipt: Option<Vec<u8>>,
}

/// The public key of a signer.
pub(super) fn public(signer: usize) -> [u8; 32] {
    KEYS.get(signer).map(|key| *key.as_bytes()).unwrap_or_default()
}

/// The log of the [examples](Commands::examples), which the clients send in turn.
pub(super) fn log<E: Commands>() -> SignedLog {
    let application = E::application();
    let header = [&application.log_magic[..], &STORE].concat();
    let chain = *domain::hasher(application.log_domain).update(&header).finalize().as_bytes();
    let mut log = LogMaker { application, bytes: header, chain, bodies: Vec::new(), sequences: [0; 3] };
    let (mut state, mut done) = (E::default(), Vec::new());
    for (number, bytes) in E::examples().iter().enumerate() {
        let signer = number % CLIENTS;
        let (entry, sequence) = log.append(signer, bytes);
        let Ok(command) = E::decode(bytes) else { continue };
        let answer = executed(&mut state, &Origin { entry, signer: public(signer) }, &command);
        let receipt = E::SIGNS_ANSWERS.then(|| {
            let receipt =
                Receipt { entry, signer: public(signer), sequence, command: bytes, answer: &answer };
            let mut encoded = Vec::new();
            receipt.encode_into(&mut encoded);
            log.append(CLIENTS, &encoded);
            log.bodies.last().cloned().unwrap_or_default()
        });
        done.push(Logged { signer, entry, sequence, answer, receipt });
    }
    SignedLog { bytes: log.bytes, bodies: log.bodies, executed: done }
}

/// The log of the exchange.
pub(super) fn exchange_log() -> &'static SignedLog {
    static LOG: LazyLock<SignedLog> = LazyLock::new(log::<Book>);
    &LOG
}

/// Appends signed commands.
struct LogMaker {
    application: &'static Application,
    bytes: Vec<u8>,
    chain: [u8; 32],
    bodies: Vec<Vec<u8>>,
    sequences: [u64; CLIENTS + 1],
}

impl LogMaker {
    /// Returns entry and sequence number.
    fn append(&mut self, signer: usize, command: &[u8]) -> (u64, u64) {
        let number = self.bodies.len() as u64 + 1;
        let sequence = self.sequences.get(signer).copied().unwrap_or_default() + 1;
        if let Some(last) = self.sequences.get_mut(signer) {
            *last = sequence;
        }
        let body = signed(self.application, signer, sequence, command);
        let entry =
            Entry { number, durable: number - 1, received: NOW.0, signer: public(signer), body: &body };
        self.chain = entry.encode_to(self.application, &self.chain, &mut self.bytes);
        self.bodies.push(body);
        (number, sequence)
    }
}

/// A command that a key signed with Ed25519.
pub(super) fn signed(application: &Application, signer: usize, sequence: u64, command: &[u8]) -> Vec<u8> {
    let message = application.message(&STORE, sequence, NOW, command);
    let signature = Ed25519::sign(&secret(signer), &message).to_bytes();
    let (scheme, mut body) = (SignatureScheme::Eddsa, Vec::new());
    SignedCommand { scheme, sequence, time: NOW, signature: &signature, command }.encode_to(&mut body);
    body
}

#[allow(clippy::expect_used)] // the fixture is the same on every run
fn secret(signer: usize) -> SecretKey {
    Ed25519::secret_from_bytes(&[signer as u8 + 1; 32]).expect("32 bytes")
}
