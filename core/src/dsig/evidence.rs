use alloc::vec::Vec;

use super::signature::Signature;
use super::suite::DsigSuite;
use crate::ed25519::PublicKey;
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// Evidence that a one-time key signed two messages: its signer is faulty or dishonest, or its machine was copied.
/// Anyone who knows the signer's public key can verify it. It cannot be forged from a single signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reuse<S: DsigSuite> {
    signer: PublicKey,
    first: (Vec<u8>, Signature<S>),
    second: (Vec<u8>, Signature<S>),
}

/// Maximum length of a message in evidence, in bytes.
const MAX_MESSAGE: usize = 1 << 24;

impl<S: DsigSuite> Reuse<S> {
    /// Combines two signatures of the same key to evidence.
    ///
    /// # Errors
    /// As [`verify`](Reuse::verify); [`Error::TooLarge`] for a message above 16 MiB.
    pub fn new(
        signer: PublicKey,
        first: (Vec<u8>, Signature<S>),
        second: (Vec<u8>, Signature<S>),
    ) -> Result<Self> {
        if first.0.len().max(second.0.len()) > MAX_MESSAGE {
            return Err(Error::TooLarge { what: "message of DSig evidence", limit: MAX_MESSAGE as u64 });
        }
        let reuse = Self { signer, first, second };
        reuse.verify()?;
        Ok(reuse)
    }

    /// Returns the signer at fault.
    pub fn culprit(&self) -> &PublicKey {
        &self.signer
    }

    /// Verifies the evidence without prior state. Keys are equal if their leaves are, even in two batches.
    ///
    /// # Errors
    /// [`Error::NotEvidence`] if the keys differ or the messages do not; [`Error::BadSignature`].
    pub fn verify(&self) -> Result<()> {
        let [(m, one), (n, other)] = [&self.first, &self.second];
        let (p, q) = (one.digest(m), other.digest(n));
        if p == q || one.leaf(&p) != other.leaf(&q) {
            return Err(Error::NotEvidence);
        }
        one.verify(&self.signer, m)?;
        other.verify(&self.signer, n)
    }
}

/// Encoding: signer 32 ‖ twice: message with its length as u32 ‖ signature.
impl<S: DsigSuite> Encode for Reuse<S> {
    fn encode_to(&self, w: &mut Writer) {
        self.signer.encode_to(w);
        for (message, signature) in [&self.first, &self.second] {
            w.bytes(message);
            signature.encode_to(w);
        }
    }
}

/// Decodes without verification: call [`verify`](Reuse::verify).
impl<S: DsigSuite> Decode for Reuse<S> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let signer = PublicKey::decode_from(r, &())?;
        let mut one = || -> Result<_> {
            let message = r.bytes("message of DSig evidence", MAX_MESSAGE)?.to_vec();
            Ok((message, Signature::decode_from(r, &())?))
        };
        Ok(Self { signer, first: one()?, second: one()? })
    }
}
