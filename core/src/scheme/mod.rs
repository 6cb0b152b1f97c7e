//! What a committee and its certificates need of a signature scheme, so that one API serves BLS and Ed25519.
//!
//! | suite | scheme | key | signature | a certificate carries |
//! |---|---|---|---|---|
//! | 1 | [`bls::MinSig`](crate::bls::MinSig) | 96 B | 48 B (96 B on links) | one aggregate signature |
//! | 2 | [`bls::MinPk`](crate::bls::MinPk) | 48 B | 96 B (192 B on links) | one aggregate signature |
//! | 3 | [`ed25519::Ed25519`](crate::ed25519::Ed25519) | 32 B | 64 B | one signature per signer |
//! | 4 | [`bls::Counted<MinSig>`](crate::bls::Counted) | 96 B | 48 B (96 B on links) | one sum, and how often each signer is in it |
//! | 5 | [`bls::Counted<MinPk>`](crate::bls::Counted) | 48 B | 96 B (192 B on links) | likewise |
//!
//! The trait is sealed: the soundness of certificates rests on what these schemes guarantee.

#[cfg(feature = "gossip")]
mod additive;
#[cfg(any(feature = "bls", feature = "ed25519", feature = "threshold"))]
mod coefficients;
#[cfg(feature = "gossip")]
mod counts;
mod keys;
mod secret;
mod signers;
#[cfg(feature = "toy")]
pub mod toy;
mod vrf;

use alloc::vec::Vec;
use core::fmt::Debug;
use core::hash::Hash;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

#[cfg(feature = "gossip")]
pub use additive::{Additive, CountedProof};
#[cfg(any(feature = "bls", feature = "ed25519", feature = "threshold"))]
pub(crate) use coefficients::coefficients;
#[cfg(feature = "gossip")]
pub use counts::Counts;
pub use keys::{UnverifiedKey, VerifiedKey};
pub(crate) use secret::SecretBytes;
pub use signers::SignerSet;
#[cfg(feature = "toy")]
pub use toy::Toy;
pub use vrf::Vrf;

use crate::machine::MemberIndex;
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// A signature scheme that committees can use.
pub trait Scheme: sealed::Sealed + Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// The suite byte of every encoding that depends on the scheme.
    const SUITE: u8;
    /// A short name for people and configuration files.
    const NAME: &'static str;
    /// Whether a proof is one sum. If not, checking signatures one by one costs little more than checking them
    /// together, and finding a bad one by halves would be a waste.
    const SUMMED: bool;

    /// A secret key. It stays in one place on the heap until it is dropped, which wipes it, and has neither `Clone`
    /// nor `Debug`.
    type SecretKey: Send + Sync;
    /// A public key that decoded: canonical, in the prime-order subgroup, not of small order.
    type PublicKey: Clone + Eq + Ord + Hash + Debug + Encode + Decode + Send + Sync;
    /// A signature that decoded. Whether it verifies, and for BLS whether it is in the subgroup, is still open.
    type Signature: Clone + Eq + Debug + Encode + Decode + Send + Sync;
    /// What a certificate carries for its signers: one aggregate (BLS), or a signature of each (Ed25519).
    type Proof: Clone + Eq + Debug + Send + Sync;
    /// What is prepared once of a committee's keys.
    type Cache: Clone + Debug + Send + Sync;

    /// A new secret key from 32 bytes of a cryptographic generator.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails.
    fn generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self::SecretKey>;

    /// Reads a secret key back.
    ///
    /// # Errors
    /// [`Error::Malformed`] unless there are exactly 32 bytes that are a valid key.
    fn secret_from_bytes(bytes: &[u8]) -> Result<Self::SecretKey>;

    /// The secret key as 32 bytes, for a key file. Treat them as what they are.
    fn secret_to_bytes(secret: &Self::SecretKey) -> Zeroizing<[u8; 32]>;

    /// The public key of a secret key.
    fn public_key(secret: &Self::SecretKey) -> Self::PublicKey;

    /// Signs bytes as they are: the raw API of the scheme's standard, without any framing of ours. Consensus code
    /// signs statements through a [`Guard`](crate::guard::Guard) instead.
    fn sign(secret: &Self::SecretKey, message: &[u8]) -> Self::Signature;

    /// Checks one signature over bytes as they are. Cost: BLS one hash to the curve, one subgroup check, two
    /// pairings; Ed25519 one double scalar multiplication and two decompressions.
    ///
    /// # Errors
    /// [`Error::BadSignature`], [`Error::NotInSubgroup`], [`Error::Infinity`].
    fn verify(key: &Self::PublicKey, message: &[u8], signature: &Self::Signature) -> Result<()>;

    /// Proves that the secret key of a public key is known.
    fn prove_possession(secret: &Self::SecretKey) -> Self::Signature;

    /// Checks a proof of possession. Cost as [`verify`](Scheme::verify).
    ///
    /// # Errors
    /// [`Error::BadPossession`].
    fn verify_possession(key: &Self::PublicKey, possession: &Self::Signature) -> Result<()>;

    /// Writes a signature for a direct link: uncompressed where that saves the receiver a square root.
    fn encode_link(signature: &Self::Signature, w: &mut Writer);

    /// Reads what [`encode_link`](Scheme::encode_link) wrote.
    ///
    /// # Errors
    /// [`Error::Malformed`], [`Error::NonCanonical`], [`Error::Infinity`].
    fn decode_link(r: &mut Reader<'_>) -> Result<Self::Signature>;

    /// Prepares a committee's keys. Cost: one addition per key.
    ///
    /// # Errors
    /// [`Error::Infinity`] if the keys sum to the point at infinity.
    fn cache(keys: &[Self::PublicKey]) -> Result<Self::Cache>;

    /// Bytes that are the same for a key and its negation, and for no other key: committees refuse both twins.
    fn relation_tag(key: &Self::PublicKey) -> Vec<u8>;

    /// Puts signatures of distinct members, ascending by index, together. Nothing is verified. Cost: one addition
    /// per signature (BLS).
    fn combine(signatures: &[(MemberIndex, &Self::Signature)]) -> Self::Proof;

    /// Puts proofs of disjoint signer sets together.
    fn merge(proofs: &[&Self::Proof]) -> Self::Proof;

    /// Checks that every claim's signers signed the claim's message; claims have disjoint signers and one proof
    /// together. Cost (BLS): a hash to the curve and a pairing per claim, one pairing and one subgroup check, and
    /// at most half a committee's additions per claim. Cost (Ed25519): one multiscalar multiplication of two
    /// points per signer.
    ///
    /// # Errors
    /// [`Error::BadSignature`], [`Error::NotInSubgroup`], [`Error::Infinity`].
    fn verify_claims(keys: Keys<'_, Self>, claims: &[Claim<'_>], proof: &Self::Proof) -> Result<()>;

    /// Guesses which of these signatures on one message, of which the sum is wrong, is the bad one, assuming that
    /// there is only one. It is a place to look at first and proves nothing. Cost (BLS): two times two pairings, two
    /// short multiplications per signature, and a multiplication in the target field per signature.
    fn locate(
        keys: Keys<'_, Self>,
        message: &[u8],
        signatures: &[(MemberIndex, &Self::Signature)],
    ) -> Option<MemberIndex>;

    /// Checks many independent proofs at once by a random linear combination, with 64-bit coefficients from
    /// `entropy`, or with 128-bit coefficients derived from all inputs without it. Cost (BLS): per proof a hash,
    /// a subgroup check and two short multiplications; a pairing per distinct signer set, and one.
    ///
    /// # Errors
    /// As [`verify_claims`](Scheme::verify_claims); an error does not say which proof is bad.
    fn verify_many(
        keys: Keys<'_, Self>,
        items: &[(Claim<'_>, &Self::Proof)],
        entropy: Option<&[u8; 32]>,
    ) -> Result<()>;

    /// Writes the proof of `signers`.
    fn encode_proof(proof: &Self::Proof, signers: &SignerSet, w: &mut Writer);

    /// Reads the proof of `signers`.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    fn decode_proof(r: &mut Reader<'_>, signers: &SignerSet) -> Result<Self::Proof>;

    /// Bytes of the encoded proof of `signers`.
    fn proof_len(proof: &Self::Proof, signers: &SignerSet) -> usize;
}

/// A committee's keys, as the scheme needs them.
#[derive(Debug)]
pub struct Keys<'a, S: Scheme> {
    /// In the order of the members.
    pub public: &'a [S::PublicKey],
    /// What [`Scheme::cache`] made of them.
    pub cache: &'a S::Cache,
}

impl<S: Scheme> Clone for Keys<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Scheme> Copy for Keys<'_, S> {}

/// These signers signed this message, it is claimed.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// The signed bytes.
    pub message: &'a [u8],
    /// Who signed them; never empty.
    pub signers: &'a SignerSet,
}

/// 32 random bytes.
pub(crate) fn random_32<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<SecretBytes> {
    SecretBytes::filled(|bytes| rng.try_fill_bytes(bytes).map_err(|_| Error::Rng))
}

/// Reads the suite byte, which must be the scheme's.
pub(crate) fn read_suite<S: Scheme>(r: &mut Reader<'_>) -> Result<()> {
    if r.u8()? == S::SUITE { Ok(()) } else { Err(Error::WrongContext { what: "suite" }) }
}
