//! DSig: one-time keys that sign in about a microsecond; Ed25519 signs these keys in batches, ahead of time.
//!
//! A signer prepares and announces batches in the background. A verifier that has received the announcement of a batch
//! verifies its signatures with hashes alone. Without the announcement, it needs one more Ed25519 verification.
#![cfg_attr(binding, module = "dsig")]

mod log;
mod signer;
mod suite;
mod verifier;

pub use log::{Auditor, reuse, verify, verify_all, verify_reuse};
pub use signer::{Announced, Signer};
pub use suite::{Suite, signature_len, suites};
pub use verifier::Verifier;

use quorate::{Result, ed25519};

use crate::keys::PublicKey;

/// Batches are signed with Ed25519 only.
fn ed25519(key: &PublicKey) -> Result<&ed25519::PublicKey> {
    (&key.0).try_into()
}
