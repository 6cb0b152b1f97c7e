use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::{Suite, any_of, as_typed, each, per_suite, typed, whole, with_scheme, written};
use crate::Result;
use crate::scheme::{self, Scheme};
use crate::wire::{Decode, Encode};

type SecretOf<S> = <S as Scheme>::SecretKey;
type PublicOf<S> = <S as Scheme>::PublicKey;
type SignatureOf<S> = <S as Scheme>::Signature;
type UnverifiedOf<S> = scheme::UnverifiedKey<S>;
type VerifiedOf<S> = scheme::VerifiedKey<S>;

per_suite! { keys:
    /// A secret key. It wipes itself, has no `Clone`, and prints its suite only.
    SecretKey, SecretOf
}

per_suite! { keys:
    /// A public key that decoded, see [`Scheme::PublicKey`].
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
    PublicKey, PublicOf
}

per_suite! { keys:
    /// A signature that decoded, see [`Scheme::Signature`].
    #[derive(Clone, PartialEq, Eq)]
    Signature, SignatureOf
}

per_suite! {
    /// A public key with a proof of possession that nobody checked yet, see [`scheme::UnverifiedKey`].
    #[derive(Clone, PartialEq, Eq)]
    UnverifiedKey, UnverifiedOf
}

per_suite! {
    /// A public key whose owner proved to hold the secret key, see [`scheme::VerifiedKey`].
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
    VerifiedKey, VerifiedOf
}

impl SecretKey {
    /// A new key from 32 bytes of a cryptographic generator.
    ///
    /// # Errors
    /// [`Error::Rng`](crate::Error::Rng) if the generator fails.
    pub fn generate<R: TryCryptoRng + ?Sized>(suite: Suite, rng: &mut R) -> Result<Self> {
        with_scheme!(suite, S => S::generate(rng).map(any_of::<S, Self>))
    }

    /// Reads a key back.
    ///
    /// # Errors
    /// [`Error::Malformed`](crate::Error::Malformed) unless there are exactly 32 bytes that are a valid key.
    pub fn from_bytes(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_scheme!(suite, S => S::secret_from_bytes(bytes).map(any_of::<S, Self>))
    }

    /// The key as 32 bytes, for a key file. Treat them as what they are.
    pub fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        each!(self, SecretKey, S, secret => S::secret_to_bytes(secret))
    }

    /// The public key. Cost: one multiplication.
    pub fn public_key(&self) -> PublicKey {
        each!(self, SecretKey, S, secret => any_of::<S, _>(S::public_key(secret)))
    }

    /// Signs bytes as they are, see [`Scheme::sign`]. Consensus code signs through a [`Guard`](super::Guard).
    pub fn sign(&self, message: &[u8]) -> Signature {
        each!(self, SecretKey, S, secret => any_of::<S, _>(S::sign(secret, message)))
    }

    /// Proves that the secret key is known.
    pub fn prove_possession(&self) -> Signature {
        each!(self, SecretKey, S, secret => any_of::<S, _>(S::prove_possession(secret)))
    }
}

/// Without the key.
impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({})", self.suite())
    }
}

impl PublicKey {
    /// Reads a key of that suite. Cost (BLS): a square root and a subgroup check.
    ///
    /// # Errors
    /// [`Malformed`](crate::Error::Malformed), [`NonCanonical`](crate::Error::NonCanonical),
    /// [`NotInSubgroup`](crate::Error::NotInSubgroup), [`Infinity`](crate::Error::Infinity).
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_scheme!(suite, S => PublicOf::<S>::decode(bytes, &()).map(any_of::<S, Self>))
    }

    /// The canonical bytes.
    pub fn encode(&self) -> Vec<u8> {
        each!(self, PublicKey, S, key => key.encode())
    }

    /// Checks one signature over bytes as they are, see [`Scheme::verify`].
    ///
    /// # Errors
    /// As there, and [`WrongContext`](crate::Error::WrongContext) for a signature of another suite.
    pub fn verify(&self, message: &[u8], signature: &Signature) -> Result<()> {
        each!(self, PublicKey, S, key => S::verify(key, message, as_typed::<S, _>(signature)?))
    }

    /// Checks a proof of possession.
    ///
    /// # Errors
    /// [`BadPossession`](crate::Error::BadPossession), or [`WrongContext`](crate::Error::WrongContext) for one of
    /// another suite.
    pub fn verify_possession(&self, possession: &Signature) -> Result<()> {
        each!(self, PublicKey, S, key => S::verify_possession(key, as_typed::<S, _>(possession)?))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each!(self, PublicKey, S, key => key.fmt(f))
    }
}

impl Signature {
    /// Reads a signature of that suite.
    ///
    /// # Errors
    /// [`Malformed`](crate::Error::Malformed), [`NonCanonical`](crate::Error::NonCanonical),
    /// [`Infinity`](crate::Error::Infinity).
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_scheme!(suite, S => SignatureOf::<S>::decode(bytes, &()).map(any_of::<S, Self>))
    }

    /// The canonical bytes.
    pub fn encode(&self) -> Vec<u8> {
        each!(self, Signature, S, signature => signature.encode())
    }

    /// Reads the form for direct links.
    ///
    /// # Errors
    /// As [`decode`](Signature::decode).
    pub fn decode_link(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_scheme!(suite, S => whole(bytes, S::decode_link).map(any_of::<S, Self>))
    }

    /// The form for direct links: uncompressed where that saves the receiver a square root.
    pub fn encode_link(&self) -> Vec<u8> {
        each!(self, Signature, S, signature => written(|w| S::encode_link(signature, w)))
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each!(self, Signature, S, signature => signature.fmt(f))
    }
}

impl UnverifiedKey {
    /// Puts together what came in.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the two are of different suites.
    pub fn new(public: PublicKey, possession: Signature) -> Result<Self> {
        each!(public, PublicKey, S, key => Ok(UnverifiedOf::<S>::new(key, typed::<S, _>(possession)?).into()))
    }

    /// The key of `secret` with a fresh proof.
    pub fn prove(secret: &SecretKey) -> Self {
        each!(secret, SecretKey, S, secret => UnverifiedOf::<S>::prove(secret).into())
    }

    /// Reads a key and its proof.
    ///
    /// # Errors
    /// As [`PublicKey::decode`] and [`Signature::decode`].
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_scheme!(suite, S => UnverifiedOf::<S>::decode(bytes, &()).map(Self::from))
    }

    /// The key's bytes, then the proof's.
    pub fn encode(&self) -> Vec<u8> {
        each!(self, UnverifiedKey, S, key => key.encode())
    }

    /// The key, which proves nothing yet.
    pub fn public(&self) -> PublicKey {
        each!(self, UnverifiedKey, S, key => any_of::<S, _>(key.public().clone()))
    }

    /// The proof as it came in.
    pub fn possession(&self) -> Signature {
        each!(self, UnverifiedKey, S, key => any_of::<S, _>(key.possession().clone()))
    }

    /// Checks the proof. Cost: one signature verification.
    ///
    /// # Errors
    /// [`BadPossession`](crate::Error::BadPossession).
    pub fn verify(&self) -> Result<VerifiedKey> {
        each!(self, UnverifiedKey, S, key => key.verify().map(VerifiedKey::from))
    }
}

impl fmt::Debug for UnverifiedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each!(self, UnverifiedKey, S, key => key.fmt(f))
    }
}

impl VerifiedKey {
    /// The key of a secret key at hand needs no proof.
    pub fn from_secret(secret: &SecretKey) -> Self {
        each!(secret, SecretKey, S, secret => VerifiedOf::<S>::from_secret(secret).into())
    }

    /// The key.
    pub fn public(&self) -> PublicKey {
        each!(self, VerifiedKey, S, key => any_of::<S, _>(key.public().clone()))
    }
}

impl fmt::Debug for VerifiedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each!(self, VerifiedKey, S, key => key.fmt(f))
    }
}
