//! Inputs of the audited Redis: frames, commands, replies and proofs from untrusted sources, and its log after a crash.

pub(crate) mod log;
pub(crate) mod wire;

use std::sync::LazyLock;

use quorate::dsig::{Signer, SignerConfig, WotsBlake3};
use quorate::ed25519::{Ed25519, PublicKey, SecretKey};
use quorate::machine::Time;
use quorate::scheme::Scheme as _;
use quorate::wire::Encode;
use quorate_audited_redis::frame::{SignatureScheme, SignedCommand, message};
use quorate_audited_redis::resp::encode_command;
use rand::SeedableRng;
use rand::rngs::StdRng;

const STORE: [u8; 32] = [5; 32];
const NOW: Time = Time(8);

static KEY: LazyLock<PublicKey> = LazyLock::new(|| Ed25519::public_key(&secret()));

/// A client's first commands for a store, signed alternately with DSig and EdDSA.
static BODIES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(bodies);

#[allow(clippy::expect_used)] // the fixture is the same on every run
fn secret() -> SecretKey {
    Ed25519::secret_from_bytes(&[3; 32]).expect("32 bytes")
}

#[allow(clippy::expect_used)] // the fixture is the same on every run
fn bodies() -> Vec<Vec<u8>> {
    let config = SignerConfig { log2_batch: 2, low_water: 1, ..SignerConfig::default() };
    let mut rng = StdRng::seed_from_u64(1);
    let mut keys = Signer::<WotsBlake3>::new(secret(), vec![], config, &mut rng).expect("a signer");
    keys.prepare(&mut rng, NOW).expect("a batch");
    let commands = [&["SET", "a", ""][..], &["GET", "a"], &["PING"], &["RPUSH", "list", "1", "\r\n"]];
    (1..)
        .zip(commands)
        .map(|(sequence, command)| {
            let command = &encode_command(command).expect("a command");
            let message = message(&STORE, sequence, NOW, command);
            let (scheme, signature) = match sequence % 2 {
                0 => (SignatureScheme::Dsig, keys.sign(&message, &[], NOW).expect("a key").encode()),
                _ => (SignatureScheme::Eddsa, Ed25519::sign(&secret(), &message).to_bytes().to_vec()),
            };
            let mut body = Vec::new();
            SignedCommand { scheme, sequence, time: NOW, signature: &signature, command }
                .encode_to(&mut body);
            body
        })
        .collect()
}

/// A proof of each command.
fn proofs() -> impl Iterator<Item = Vec<u8>> {
    BODIES.iter().map(|body| [&b"QAPROOF1"[..], &STORE, KEY.as_bytes(), body].concat())
}
