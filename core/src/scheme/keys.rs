use core::fmt;

use super::Scheme;
use crate::Result;
use crate::wire::{Decode, Encode, Reader, Writer};

/// A public key with a proof of possession that nobody checked yet: what a member hands in.
#[derive(Clone, PartialEq, Eq)]
pub struct UnverifiedKey<S: Scheme> {
    public: S::PublicKey,
    possession: S::Signature,
}

impl<S: Scheme> UnverifiedKey<S> {
    /// Puts together what came in.
    pub fn new(public: S::PublicKey, possession: S::Signature) -> Self {
        Self { public, possession }
    }

    /// The key of `secret` with a fresh proof. Cost: two multiplications and one hash to the curve.
    pub fn prove(secret: &S::SecretKey) -> Self {
        Self { public: S::public_key(secret), possession: S::prove_possession(secret) }
    }

    /// The key, which proves nothing yet.
    pub fn public(&self) -> &S::PublicKey {
        &self.public
    }

    /// The proof as it came in.
    pub fn possession(&self) -> &S::Signature {
        &self.possession
    }

    /// Checks the proof. Cost: one signature verification.
    ///
    /// # Errors
    /// [`Error::BadPossession`](crate::Error::BadPossession).
    pub fn verify(&self) -> Result<VerifiedKey<S>> {
        S::verify_possession(&self.public, &self.possession)?;
        Ok(VerifiedKey { public: self.public.clone() })
    }
}

impl<S: Scheme> Encode for UnverifiedKey<S> {
    fn encode_to(&self, w: &mut Writer) {
        self.public.encode_to(w);
        self.possession.encode_to(w);
    }
}

impl<S: Scheme> Decode for UnverifiedKey<S> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self {
            public: S::PublicKey::decode_from(r, &())?,
            possession: S::Signature::decode_from(r, &())?,
        })
    }
}

impl<S: Scheme> fmt::Debug for UnverifiedKey<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UnverifiedKey").field(&self.public).finish()
    }
}

/// A public key whose owner proved to hold the secret key. It cannot be had in any other way, and a
/// [`Committee`](crate::committee::Committee) takes nothing less: without the proof a member could choose a key
/// that cancels the others' in the aggregate.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VerifiedKey<S: Scheme> {
    public: S::PublicKey,
}

impl<S: Scheme> VerifiedKey<S> {
    /// The key of a secret key at hand needs no proof. Cost: one multiplication.
    pub fn from_secret(secret: &S::SecretKey) -> Self {
        Self { public: S::public_key(secret) }
    }

    /// The key.
    pub fn public(&self) -> &S::PublicKey {
        &self.public
    }

    /// The key.
    pub fn into_public(self) -> S::PublicKey {
        self.public
    }
}

impl<S: Scheme> fmt::Debug for VerifiedKey<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VerifiedKey").field(&self.public).finish()
    }
}
