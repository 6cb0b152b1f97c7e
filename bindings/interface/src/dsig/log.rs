//! Verification without admitted signers: of one signature, of a log, and of evidence.

use quorate::dsig::dynamic::{self, DynAuditor};
use quorate::{Error, Result, any};

use super::{Suite, ed25519};
use crate::Locked;
use crate::keys::PublicKey;

class! {
    /// Verifies a log, one signature after the other, without prior knowledge and with one Ed25519 verification per
    /// batch of keys. It has no list of signers: the caller decides which to trust.
    #[cfg_attr(binding, within = "Dsig")]
    object stateful struct Auditor {
        suite: Suite,
        auditor: Locked<DynAuditor>,
    }:;
    shown |self, f| write!(f, "Auditor({})", self.suite);
    /// Creates an auditor that remembers up to `roots` batches of keys, at least one; the oldest are evicted, and each
    /// takes about 12 kB.
    quick fn new(
        #[cfg_attr(binding, option = "positional")] suite: Option<&Suite>,
        #[cfg_attr(binding, option, default = 1024)] roots: Option<usize>,
    ) -> Self {
        let suite = Suite::chosen(suite);
        let auditor = DynAuditor::new(suite, roots.unwrap_or(1024));
        Self { suite: suite.into(), auditor: Locked::new(auditor) }
    }
    /// The suite.
    getter fn suite(&self) -> Suite { self.suite }
    /// Verifies the next signature of a log.
    /// [`Error::BadSignature`](quorate::Error) if it is not valid.
    /// [`Error::OneTimeReuse`](quorate::Error) if its key signed another message before, in a batch that is remembered.
    quick fn check(&self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()> {
        let mut auditor = self.auditor.lock();
        auditor.check(ed25519(signer)?, message, signature)
    }
}

/// Verifies a signature of any suite without prior knowledge of its batch. Its first byte selects the suite: to accept only
/// one suite, use a verifier or check that byte. Cost: one Ed25519 verification, plus hashes.
/// [`Error::WrongContext`](quorate::Error) for a key of another scheme, and for an unknown suite.
/// [`Error::BadSignature`](quorate::Error) if it is not valid.
pub fn verify(signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()> {
    dynamic::verify(ed25519(signer)?, message, signature)
}

/// Verifies several signatures of one suite, such as those of a log: each entry has a signer, a message and a signature.
/// Returns an outcome for each, in input order: nothing, or the error that an auditor of 1,024 batches would report. Cost:
/// one Ed25519 verification per batch of keys, plus hashes.
/// [`Error::WrongContext`](quorate::Error) for a key of another scheme, and for an unknown suite.
#[cfg_attr(binding, slow)]
pub fn verify_all(suite: &Suite, entries: &[(&PublicKey, &[u8], &[u8])]) -> Result<Vec<Option<Error>>> {
    let entries = entries
        .iter()
        .map(|(signer, message, signature)| Ok((ed25519(signer)?, *message, *signature)))
        .collect::<Result<Vec<_>>>()?;
    Ok(dynamic::verify_all((*suite).into(), &entries).into_iter().map(Result::err).collect())
}

/// Combines two signatures of one one-time key, each with its message, into evidence against the signer, for
/// `verify_reuse`.
/// [`Error::NotEvidence`](quorate::Error) if the keys differ, or the messages do not.
/// [`Error::BadSignature`](quorate::Error) if a signature is not valid.
/// [`Error::WrongContext`](quorate::Error) for a key of another scheme, and for an unknown suite.
pub fn reuse(signer: &PublicKey, first: (&[u8], &[u8]), second: (&[u8], &[u8])) -> Result<Vec<u8>> {
    dynamic::reuse(ed25519(signer)?, first, second)
}

/// Verifies evidence of key reuse without prior knowledge, and returns the culprit.
/// [`Error::NotEvidence`](quorate::Error) if it proves no fault.
/// [`Error::BadSignature`](quorate::Error) if a signature is not valid.
pub fn verify_reuse(suite: &Suite, evidence: &[u8]) -> Result<PublicKey> {
    dynamic::verify_reuse((*suite).into(), evidence).map(|culprit| PublicKey(any::PublicKey::from(culprit)))
}
