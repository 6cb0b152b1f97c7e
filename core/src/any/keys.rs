use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

#[cfg(feature = "bls")]
use super::dispatch::wrong_suite;
use super::dispatch::{any_of, as_typed, typed, whole, written};
use super::families::{each, methods, per, with};
use super::suite::Suite;
use crate::Result;
#[cfg(feature = "bls")]
use crate::bls::Ciphersuite;
use crate::scheme::{self, Scheme};
use crate::wire::{Decode, Encode};

type SecretOf<S> = <S as Scheme>::SecretKey;
type PublicOf<S> = <S as Scheme>::PublicKey;
type SignatureOf<S> = <S as Scheme>::Signature;
type UnverifiedOf<S> = scheme::UnverifiedKey<S>;
type VerifiedOf<S> = scheme::VerifiedKey<S>;

per! { secret keys:
    /// A secret key. It is wiped when dropped, does not implement `Clone`, and its `Debug` output has only the suite.
    SecretKey, SecretOf
}

per! { keys:
    /// A decoded public key, see [`Scheme::PublicKey`].
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
    PublicKey, PublicOf
}

per! { keys:
    /// A decoded signature, see [`Scheme::Signature`].
    #[derive(Clone, PartialEq, Eq)]
    Signature, SignatureOf
}

per! { suite:
    /// A public key with an unverified proof of possession, see [`scheme::UnverifiedKey`].
    #[derive(Clone, PartialEq, Eq)]
    UnverifiedKey, UnverifiedOf
}

per! { suite:
    /// A public key whose owner proved possession of the secret key, see [`scheme::VerifiedKey`].
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
    VerifiedKey, VerifiedOf
}

impl SecretKey {
    /// Generates a key from 32 bytes of a cryptographic random number generator.
    ///
    /// # Errors
    /// [`Error::Rng`](crate::Error::Rng) if the generator fails.
    pub fn generate<R: TryCryptoRng + ?Sized>(suite: Suite, rng: &mut R) -> Result<Self> {
        with!(suite, S => S::generate(rng).map(any_of::<S, Self>))
    }

    /// Decodes a secret key.
    ///
    /// # Errors
    /// [`Error::WrongLength`](crate::Error::WrongLength) unless `bytes` has 32 bytes,
    /// [`Error::Malformed`](crate::Error::Malformed) if they are not a valid key.
    pub fn from_bytes(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with!(suite, S => S::secret_from_bytes(bytes).map(any_of::<S, Self>))
    }

    /// Signs message bytes for another chain, see [`Ciphersuite::sign`].
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) for a ciphersuite other than the default unless the suite is 1 or
    /// 2.
    #[cfg(feature = "bls")]
    pub fn sign_with(&self, ciphersuite: &Ciphersuite, message: &[u8]) -> Result<Signature> {
        match self {
            Self::MinSig(secret) => Ok(Signature::MinSig(ciphersuite.sign(secret, message))),
            Self::MinPk(secret) => Ok(Signature::MinPk(ciphersuite.sign(secret, message))),
            #[cfg(any(feature = "ed25519", feature = "gossip"))]
            other if *ciphersuite == Ciphersuite::default() => Ok(other.sign(message)),
            #[cfg(any(feature = "ed25519", feature = "gossip"))]
            _ => Err(wrong_suite()),
        }
    }
}

methods! { suite: self, SecretKey, S, secret =>
    /// Returns the key as 32 bytes, for a key file. Keep them secret.
    pub fn to_bytes(&self) -> Zeroizing<[u8; 32]> = S::secret_to_bytes(secret);

    /// Returns the public key. Cost: one multiplication.
    pub fn public_key(&self) -> PublicKey = any_of::<S, _>(S::public_key(secret));

    /// Signs message bytes without framing, see [`Scheme::sign`]. Consensus code signs with a [`Guard`](super::Guard).
    pub fn sign(&self, message: &[u8]) -> Signature = any_of::<S, _>(S::sign(secret, message));

    /// Makes a proof of possession of the secret key.
    pub fn prove_possession(&self) -> Signature = any_of::<S, _>(S::prove_possession(secret));
}

/// Omits the key.
impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({})", self.suite())
    }
}

impl PublicKey {
    /// Decodes a key of a suite. Cost (BLS): a square root and a subgroup check.
    ///
    /// # Errors
    /// [`Malformed`](crate::Error::Malformed), [`NonCanonical`](crate::Error::NonCanonical),
    /// [`NotInSubgroup`](crate::Error::NotInSubgroup), [`Infinity`](crate::Error::Infinity).
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with!(suite, S => PublicOf::<S>::decode(bytes, &()).map(any_of::<S, Self>))
    }

    /// Verifies one signature of another chain, see [`Ciphersuite::verify`].
    ///
    /// # Errors
    /// As [`Ciphersuite::verify`], and [`WrongContext`](crate::Error::WrongContext) for a signature of another suite,
    /// or for a ciphersuite other than the default unless the suite is 1 or 2.
    #[cfg(feature = "bls")]
    pub fn verify_with(
        &self,
        ciphersuite: &Ciphersuite,
        message: &[u8],
        signature: &Signature,
    ) -> Result<()> {
        match (self, signature) {
            (Self::MinSig(key), Signature::MinSig(signature)) => ciphersuite.verify(key, message, signature),
            (Self::MinPk(key), Signature::MinPk(signature)) => ciphersuite.verify(key, message, signature),
            (key, signature) if *ciphersuite == Ciphersuite::default() => key.verify(message, signature),
            _ => Err(wrong_suite()),
        }
    }
}

methods! { suite: self, PublicKey, S, key =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = key.encode();

    /// Verifies one signature over the message bytes, see [`Scheme::verify`].
    ///
    /// # Errors
    /// As [`Scheme::verify`], and [`WrongContext`](crate::Error::WrongContext) for a signature of another suite.
    pub fn verify(&self, message: &[u8], signature: &Signature) -> Result<()> =
        S::verify(key, message, as_typed::<S, _>(signature)?);

    /// Verifies a proof of possession.
    ///
    /// # Errors
    /// [`BadPossession`](crate::Error::BadPossession), or [`WrongContext`](crate::Error::WrongContext) for a proof of
    /// another suite.
    pub fn verify_possession(&self, possession: &Signature) -> Result<()> =
        S::verify_possession(key, as_typed::<S, _>(possession)?);
}

impl Signature {
    /// Decodes a signature of a suite.
    ///
    /// # Errors
    /// [`Malformed`](crate::Error::Malformed), [`NonCanonical`](crate::Error::NonCanonical),
    /// [`Infinity`](crate::Error::Infinity).
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with!(suite, S => SignatureOf::<S>::decode(bytes, &()).map(any_of::<S, Self>))
    }

    /// Decodes the form for direct links.
    ///
    /// # Errors
    /// As [`decode`](Signature::decode).
    pub fn decode_link(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with!(suite, S => whole(bytes, S::decode_link).map(any_of::<S, Self>))
    }
}

methods! { suite: self, Signature, S, signature =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = signature.encode();

    /// Returns the form for direct links: uncompressed where that saves the receiver a square root.
    pub fn encode_link(&self) -> Vec<u8> = written(|w| S::encode_link(signature, w));
}

impl UnverifiedKey {
    /// Creates an unverified key from its parts.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the two are of different suites.
    pub fn new(public: PublicKey, possession: Signature) -> Result<Self> {
        each!(public, PublicKey, S, key => Ok(UnverifiedOf::<S>::new(key, typed::<S, _>(possession)?).into()))
    }

    /// Returns the public key of `secret` with a new proof of possession.
    pub fn prove(secret: &SecretKey) -> Self {
        each!(secret, SecretKey, S, secret => UnverifiedOf::<S>::prove(secret).into())
    }

    /// Decodes a key and its proof.
    ///
    /// # Errors
    /// As [`PublicKey::decode`] and [`Signature::decode`].
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with!(suite, S => UnverifiedOf::<S>::decode(bytes, &()).map(Self::from))
    }
}

methods! { suite: self, UnverifiedKey, S, key =>
    /// Returns the encoding of the key followed by that of the proof.
    pub fn encode(&self) -> Vec<u8> = key.encode();

    /// Returns the public key, whose proof is unverified.
    pub fn public(&self) -> PublicKey = any_of::<S, _>(key.public().clone());

    /// Returns the unverified proof of possession.
    pub fn possession(&self) -> Signature = any_of::<S, _>(key.possession().clone());

    /// Verifies the proof. Cost: one signature verification.
    ///
    /// # Errors
    /// [`BadPossession`](crate::Error::BadPossession).
    pub fn verify(&self) -> Result<VerifiedKey> = key.verify().map(VerifiedKey::from);
}

impl VerifiedKey {
    /// Returns the public key of a secret key; no proof is needed.
    pub fn from_secret(secret: &SecretKey) -> Self {
        each!(secret, SecretKey, S, secret => VerifiedOf::<S>::from_secret(secret).into())
    }

    /// Returns the public key.
    pub fn public(&self) -> PublicKey {
        each!(self, VerifiedKey, S, key => any_of::<S, _>(key.public().clone()))
    }
}
