use core::fmt;

use super::traits::Scheme;
use crate::Result;
use crate::wire::{Decode, Encode, Reader, Writer};

/// A public key with an unverified proof of possession, as a member submits it.
#[derive(Clone, PartialEq, Eq)]
pub struct UnverifiedKey<S: Scheme> {
    public: S::PublicKey,
    possession: S::Signature,
}

impl<S: Scheme> UnverifiedKey<S> {
    /// Creates an unverified key from its parts.
    pub fn new(public: S::PublicKey, possession: S::Signature) -> Self {
        Self { public, possession }
    }

    /// Returns the public key of `secret` with a new proof of possession. Cost: two multiplications and one hash to the
    /// curve.
    pub fn prove(secret: &S::SecretKey) -> Self {
        Self { public: S::public_key(secret), possession: S::prove_possession(secret) }
    }

    /// Returns the public key, whose proof is unverified.
    pub fn public(&self) -> &S::PublicKey {
        &self.public
    }

    /// Returns the unverified proof of possession.
    pub fn possession(&self) -> &S::Signature {
        &self.possession
    }

    /// Verifies the proof of possession. Cost: one signature verification.
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

/// A public key whose owner proved possession of the secret key.
///
/// Only [`UnverifiedKey::verify`] and the owner of the secret key can make one, and a
/// [`Committee`](crate::committee::Committee) accepts nothing less: without the proof a member could choose a key that
/// cancels the keys of other members in the aggregate (a rogue-key attack).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VerifiedKey<S: Scheme> {
    public: S::PublicKey,
}

impl<S: Scheme> VerifiedKey<S> {
    /// Returns the public key of a secret key; no proof is needed. Cost: one multiplication.
    pub fn from_secret(secret: &S::SecretKey) -> Self {
        Self { public: S::public_key(secret) }
    }

    /// Returns the public key.
    pub fn public(&self) -> &S::PublicKey {
        &self.public
    }

    /// Converts into the public key.
    pub fn into_public(self) -> S::PublicKey {
        self.public
    }
}

impl<S: Scheme> fmt::Debug for VerifiedKey<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VerifiedKey").field(&self.public).finish()
    }
}
