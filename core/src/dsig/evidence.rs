use alloc::vec::Vec;

use super::signature::Signature;
use super::suite::Suite;
use crate::ed25519::PublicKey;
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// Two messages that one one-time key signed: proof that the signer is broken, copied or dishonest, for anybody who
/// knows its public key. Nobody else can make it from one signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reuse<S: Suite> {
    signer: PublicKey,
    first: (Vec<u8>, Signature<S>),
    second: (Vec<u8>, Signature<S>),
}

/// The longest message that evidence carries.
const MAX_MESSAGE: usize = 1 << 24;

impl<S: Suite> Reuse<S> {
    /// Puts two signatures side by side.
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

    /// Whom it proves guilty.
    pub fn culprit(&self) -> &PublicKey {
        &self.signer
    }

    /// Checks it, with nothing known beforehand. The keys are the same if their leaves are, be it in two batches.
    ///
    /// # Errors
    /// [`Error::NotEvidence`] if the keys differ or what they signed does not, [`Error::BadSignature`].
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

/// signer 32 ‖ two times: message with its length as u32 ‖ signature.
impl<S: Suite> Encode for Reuse<S> {
    fn encode_to(&self, w: &mut Writer) {
        self.signer.encode_to(w);
        for (message, signature) in [&self.first, &self.second] {
            w.bytes(message);
            signature.encode_to(w);
        }
    }
}

/// The bytes only: it still is to be verified.
impl<S: Suite> Decode for Reuse<S> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let signer = PublicKey::decode_from(r, &())?;
        let mut one = || -> Result<_> {
            let message = r.bytes("message of DSig evidence", MAX_MESSAGE)?.to_vec();
            Ok((message, Signature::decode_from(r, &())?))
        };
        Ok(Self { signer, first: one()?, second: one()? })
    }
}
