use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use curve25519_dalek::scalar::Scalar;

use super::keys::{DecryptionShare, PublicKeys, ShareFault, Tdh2};
use super::payload::Opened;
use super::validation::ValidCiphertext;
use crate::threshold::dleq::{Collected, SharePool};
use crate::threshold::lagrange;
use crate::{Error, Result};

/// Collects the shares of one ciphertext until it opens. The [module](super) describes the order of combining and
/// verifying.
pub struct Decryption {
    ciphertext: ValidCiphertext,
    pool: SharePool<Tdh2>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No wrong share is known: combine before verifying.
    Optimistic,
    /// A share was wrong: verify shares before combining.
    Verifying,
    /// The result was returned.
    Done,
}

impl Decryption {
    /// Creates a combiner without shares.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the ciphertext was verified for other keys.
    pub fn new(keys: Arc<PublicKeys>, ciphertext: ValidCiphertext) -> Result<Self> {
        let pool = SharePool::new(keys, ciphertext.instance().clone())?;
        Ok(Self { ciphertext, pool, state: State::Optimistic })
    }

    /// Adds a share, and opens the ciphertext if there are enough. Cost: nothing until there are enough; then that of
    /// [`ValidCiphertext::combine`]. If a share was wrong, that of [`PublicKeys::verify_shares`] and of a second
    /// combination; after that each share is verified by itself.
    ///
    /// The output is the payload, or [`Error::BadCiphertext`] if the author's payload does not open; both are final.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`].
    pub fn add(
        &mut self,
        share: DecryptionShare,
        cache: &mut lagrange::Cache<Scalar>,
    ) -> Result<Collected<Result<Vec<u8>>, Tdh2>> {
        let mut faults = Vec::new();
        if self.state == State::Done {
            return Ok(Collected { output: None, faults });
        }
        self.pool.hold(share, &mut faults)?;
        let output = if self.pool.is_enough() { self.try_open(cache, &mut faults)? } else { None };
        Ok(Collected { output, faults })
    }

    /// Returns true if the result was returned.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    fn try_open(
        &mut self,
        cache: &mut lagrange::Cache<Scalar>,
        faults: &mut Vec<ShareFault>,
    ) -> Result<Option<Result<Vec<u8>>>> {
        if self.state == State::Optimistic {
            match self.ciphertext.open(self.pool.guess(cache)?) {
                // Some share was wrong.
                Opened::OtherKey => self.state = State::Verifying,
                // The key matches its commitment, so the shares were right.
                opened => return Ok(Some(self.finish(opened))),
            }
        }
        self.pool.verify_pending(faults)?;
        let Some(secret) = self.pool.combine(cache)? else { return Ok(None) };
        let opened = self.ciphertext.open(secret);
        Ok(Some(self.finish(opened)))
    }

    fn finish(&mut self, opened: Opened) -> Result<Vec<u8>> {
        self.state = State::Done;
        match opened {
            Opened::Plaintext(plaintext) => Ok(plaintext),
            Opened::Broken | Opened::OtherKey => Err(Error::BadCiphertext),
        }
    }
}

impl fmt::Debug for Decryption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Decryption").field(self.ciphertext.label()).finish()
    }
}
