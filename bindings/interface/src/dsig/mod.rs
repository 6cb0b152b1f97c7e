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

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use quorate::dsig::{SignerConfig, VerifierConfig};

    /// The attributes `default` repeat them, because languages show them.
    #[test]
    fn the_core_has_the_declared_defaults() {
        let SignerConfig { log2_batch, low_water, lifetime } = SignerConfig::default();
        assert_eq!((log2_batch, low_water, lifetime), (7, 512, Duration::from_micros(10_000_000)));
        let VerifierConfig { announced, checked, burst, interval } = VerifierConfig::default();
        assert_eq!((announced, checked, burst, interval), (32, 8, 32, Duration::from_micros(200)));
    }
}
