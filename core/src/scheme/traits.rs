use alloc::vec::Vec;
use core::fmt::Debug;
use core::hash::Hash;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::sealed::Sealed;
use super::signers::SignerSet;
use crate::machine::MemberIndex;
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// A signature scheme that committees can use.
pub trait Scheme: Sealed + Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// Suite byte of every encoding that depends on the scheme.
    const SUITE: u8;
    /// Short name of the suite, for people and configuration files.
    const NAME: &'static str;
    /// True if a proof is one sum of signatures. Otherwise single checks cost little more than a combined check, and
    /// bisection to find a bad signature would be a waste.
    const SUMMED: bool;

    /// A secret key. It stays at one address on the heap, is wiped when dropped, and implements neither `Clone` nor
    /// `Debug`.
    type SecretKey: Send + Sync;
    /// A decoded public key: canonical, in the prime-order subgroup, not of small order.
    type PublicKey: Clone + Eq + Ord + Hash + Debug + Encode + Decode + Send + Sync;
    /// A decoded signature. It is not yet verified and, for BLS, not yet known to be in the subgroup.
    type Signature: Clone + Eq + Debug + Encode + Decode + Send + Sync;
    /// The proof in a certificate: one aggregate signature (BLS) or one signature per signer (Ed25519).
    type Proof: Clone + Eq + Debug + Send + Sync;
    /// Data precomputed once from a committee's keys.
    type Cache: Clone + Debug + Send + Sync;
    /// The rules by which another chain signs messages: [`bls::Ciphersuite`](crate::bls::Ciphersuite) for BLS, and an
    /// empty type for schemes with a single rule.
    type Ciphersuite: Clone + Debug + Default + Eq + Send + Sync + 'static;

    /// The ciphersuite of all statements.
    const STATEMENTS: &'static Self::Ciphersuite;

    /// Generates a secret key from 32 bytes of a cryptographic random number generator.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails.
    fn generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self::SecretKey>;

    /// Decodes a secret key.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless `bytes` has 32 bytes, [`Error::Malformed`] if they are not a valid key.
    fn secret_from_bytes(bytes: &[u8]) -> Result<Self::SecretKey>;

    /// Returns the secret key as 32 bytes, for a key file. Keep them secret.
    fn secret_to_bytes(secret: &Self::SecretKey) -> Zeroizing<[u8; 32]>;

    /// Returns the public key of a secret key.
    fn public_key(secret: &Self::SecretKey) -> Self::PublicKey;

    /// Signs the message bytes without any framing, as the scheme's standard defines. Consensus code signs statements
    /// through a [`Guard`](crate::guard::Guard) instead.
    fn sign(secret: &Self::SecretKey, message: &[u8]) -> Self::Signature;

    /// Verifies one signature over the message bytes. Cost (BLS): one hash to the curve, one subgroup check, two
    /// pairings. Cost (Ed25519): one double scalar multiplication and two decompressions.
    ///
    /// # Errors
    /// [`Error::BadSignature`], [`Error::NotInSubgroup`], [`Error::Infinity`].
    fn verify(key: &Self::PublicKey, message: &[u8], signature: &Self::Signature) -> Result<()>;

    /// Makes a proof of possession of the secret key.
    fn prove_possession(secret: &Self::SecretKey) -> Self::Signature;

    /// Verifies a proof of possession. Cost as [`verify`](Scheme::verify).
    ///
    /// # Errors
    /// [`Error::BadPossession`].
    fn verify_possession(key: &Self::PublicKey, possession: &Self::Signature) -> Result<()>;

    /// Writes a signature in its form for direct links: uncompressed where that saves the receiver a square root.
    fn encode_link(signature: &Self::Signature, w: &mut Writer);

    /// Decodes a signature in its form for direct links.
    ///
    /// # Errors
    /// [`Error::Malformed`], [`Error::Truncated`], [`Error::NonCanonical`], [`Error::Infinity`].
    fn decode_link(r: &mut Reader<'_>) -> Result<Self::Signature>;

    /// Precomputes data from a committee's keys. Cost: one addition per key.
    ///
    /// # Errors
    /// [`Error::Infinity`] if the keys sum to the point at infinity.
    fn cache(keys: &[Self::PublicKey]) -> Result<Self::Cache>;

    /// Extends the precomputed data by sums of groups of keys, see
    /// [`Committee::with_group_sums`](crate::committee::Committee::with_group_sums). Does nothing for schemes that sum no
    /// keys. Cost (BLS): 32 additions per key.
    #[cfg(feature = "group-sums")]
    fn add_group_sums(_: &mut Self::Cache) {}

    /// Returns the size in bytes of the sums of groups; 0 without them.
    #[cfg(feature = "group-sums")]
    fn group_sums_size(_: &Self::Cache) -> usize {
        0
    }

    /// Returns bytes that are equal for a key and its negation and differ for all other keys. Committees use them to
    /// refuse related keys.
    fn relation_tag(key: &Self::PublicKey) -> Vec<u8>;

    /// Combines signatures of distinct members, ascending by index, into a proof. Nothing is verified. Cost (BLS): one
    /// addition per signature.
    fn combine(signatures: &[(MemberIndex, &Self::Signature)]) -> Self::Proof;

    /// Merges proofs of disjoint signer sets.
    fn merge(proofs: &[&Self::Proof]) -> Self::Proof;

    /// Verifies that the signers of each claim signed the claim's message. The claims have disjoint signers and share
    /// one proof. Cost (BLS): per claim a hash to the curve, a pairing and additions of at most half the committee;
    /// one more pairing and one subgroup check. Cost (Ed25519): one multiscalar multiplication of two points per
    /// signer.
    ///
    /// # Errors
    /// [`Error::BadSignature`], [`Error::NotInSubgroup`], [`Error::Infinity`]; [`Error::WrongContext`] if the signer
    /// sets do not fit the keys or the proof; [`Error::OutOfOrder`] and [`Error::DuplicateSigner`] for an Ed25519 proof
    /// that is not strictly ascending by member.
    fn verify_claims(keys: Keys<'_, Self>, claims: &[Claim<'_>], proof: &Self::Proof) -> Result<()>;

    /// Verifies that each member signed its own message. The members are in ascending order and share one proof. Cost
    /// (BLS): per member a hash to the curve and a pairing; one more pairing and one subgroup check. Cost (Ed25519): as
    /// [`verify_claims`](Scheme::verify_claims).
    ///
    /// # Errors
    /// As [`verify_claims`](Scheme::verify_claims), and [`Error::UnknownSigner`].
    fn verify_each(keys: Keys<'_, Self>, signed: &[(MemberIndex, &[u8])], proof: &Self::Proof) -> Result<()>;

    /// Returns the members whose signature in a proof of [`verify_each`](Scheme::verify_each) is bad; none for schemes
    /// whose proof is one sum. Cost (Ed25519): one verification per member.
    fn bad_signers(_: Keys<'_, Self>, _: &[(MemberIndex, &[u8])], _: &Self::Proof) -> Vec<MemberIndex> {
        Vec::new()
    }

    /// Combines signatures, one by each of the claim's signers in ascending order, and verifies the proof. If it is bad
    /// and `search` is true, tries to find the only bad signature. Cost (BLS): one addition per signature and
    /// [`verify_claims`](Scheme::verify_claims); a search costs two times two pairings, a subgroup check, and per signature
    /// two short multiplications.
    fn verify_sum(
        keys: Keys<'_, Self>,
        claim: Claim<'_>,
        signatures: &[(MemberIndex, &Self::Signature)],
        _search: bool,
    ) -> SumCheck<Self::Proof> {
        let proof = Self::combine(signatures);
        match Self::verify_claims(keys, &[claim], &proof) {
            Ok(()) => SumCheck::Good(proof),
            Err(_) => SumCheck::Bad,
        }
    }

    /// Verifies many independent proofs at once by a random linear combination. The coefficients have 64 bits and come
    /// from `entropy`; without it they have 128 bits and are derived from all inputs. Cost (BLS): per proof a hash, a
    /// subgroup check and two short multiplications; one pairing per distinct signer set, and one more.
    ///
    /// # Errors
    /// As [`verify_claims`](Scheme::verify_claims); an error does not identify the bad proof.
    fn verify_many(
        keys: Keys<'_, Self>,
        items: &[(Claim<'_>, &Self::Proof)],
        entropy: Option<&[u8; 32]>,
    ) -> Result<()>;

    /// Writes the proof of `signers`.
    fn encode_proof(proof: &Self::Proof, signers: &SignerSet, w: &mut Writer);

    /// Decodes the proof of `signers`.
    ///
    /// # Errors
    /// An error that describes the invalid bytes.
    fn decode_proof(r: &mut Reader<'_>, signers: &SignerSet) -> Result<Self::Proof>;

    /// Returns the length in bytes of the encoded proof of `signers`.
    fn proof_len(proof: &Self::Proof, signers: &SignerSet) -> usize;
}

/// A committee's keys with their precomputed data.
#[derive(Debug)]
pub struct Keys<'a, S: Scheme> {
    /// Public keys in the order of the members.
    pub public: &'a [S::PublicKey],
    /// Data that [`Scheme::cache`] computed from the keys.
    pub cache: &'a S::Cache,
    /// The ciphersuite of the members' signatures.
    pub ciphersuite: &'a S::Ciphersuite,
}

impl<'a, S: Scheme> Keys<'a, S> {
    /// Returns the keys of a committee, for the verification of statements.
    pub fn new(public: &'a [S::PublicKey], cache: &'a S::Cache) -> Self {
        Self { public, cache, ciphersuite: S::STATEMENTS }
    }
}

impl<S: Scheme> Clone for Keys<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Scheme> Copy for Keys<'_, S> {}

/// The claim that a set of members signed a message.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// Signed bytes.
    pub message: &'a [u8],
    /// The claimed signers; never empty.
    pub signers: &'a SignerSet,
}

/// Result of [`Scheme::verify_sum`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SumCheck<P> {
    /// The proof verifies.
    Good(P),
    /// The proof does not verify, and one signature is known to be bad.
    OneBad {
        /// The signer of the bad signature.
        signer: MemberIndex,
        /// The proof of the other signatures, which verifies.
        others: P,
    },
    /// The proof does not verify.
    Bad,
}

impl<P> SumCheck<P> {
    /// Converts the proof.
    pub(crate) fn map<Q>(self, convert: impl FnOnce(P) -> Q) -> SumCheck<Q> {
        match self {
            Self::Good(proof) => SumCheck::Good(convert(proof)),
            Self::OneBad { signer, others } => SumCheck::OneBad { signer, others: convert(others) },
            Self::Bad => SumCheck::Bad,
        }
    }
}

/// Reads the suite byte and checks that it is the scheme's.
pub(crate) fn read_suite<S: Scheme>(r: &mut Reader<'_>) -> Result<()> {
    match r.u8()? {
        suite if suite == S::SUITE => Ok(()),
        suite => Err(Error::Mismatch { what: "suite", expected: S::SUITE.into(), actual: suite.into() }),
    }
}
