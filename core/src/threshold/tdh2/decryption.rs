use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use curve25519_dalek::scalar::Scalar;

use super::ciphertext::ValidCiphertext;
use super::payload::Opened;
use super::{DecryptionShare, PublicKeys, ShareFault, Tdh2};
use crate::threshold::dleq::{Collected, Pool};
use crate::threshold::lagrange;
use crate::{Error, Result};

/// Collects the shares of one ciphertext until it opens. The module's page says in which order it combines and checks.
pub struct Decryption {
    ciphertext: ValidCiphertext,
    pool: Pool<Tdh2>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// All shares may still be good.
    Hopeful,
    /// One was wrong: shares are checked before they are used.
    Careful,
    /// It opened, or never will.
    Done,
}

impl Decryption {
    /// # Errors
    /// [`Error::WrongContext`] if the ciphertext was checked for other keys.
    pub fn new(keys: Arc<PublicKeys>, ciphertext: ValidCiphertext) -> Result<Self> {
        let pool = Pool::new(keys, ciphertext.instance().clone())?;
        Ok(Self { ciphertext, pool, state: State::Hopeful })
    }

    /// Takes a share in, and opens the ciphertext if that makes enough. Cost: nothing before there are enough; then that of
    /// [`ValidCiphertext::combine`]. If a share was wrong, that of [`PublicKeys::verify_shares`] and once more that of
    /// combining; after that each share that comes is checked by itself.
    ///
    /// The output is the payload, or [`Error::BadCiphertext`] if the author encrypted nothing sensible; both are final.
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

    /// Whether it is open, or known never to open.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    fn try_open(
        &mut self,
        cache: &mut lagrange::Cache<Scalar>,
        faults: &mut Vec<ShareFault>,
    ) -> Result<Option<Result<Vec<u8>>>> {
        if self.state == State::Hopeful {
            match self.ciphertext.open(self.pool.guess(cache)?) {
                // Some share was wrong.
                Opened::OtherKey => self.state = State::Careful,
                // The key fits its commitment, so the shares were right.
                opened => return Ok(Some(self.finish(opened))),
            }
        }
        self.pool.settle(faults)?;
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
