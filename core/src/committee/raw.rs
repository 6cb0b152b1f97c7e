//! Signatures of other chains: messages with their own framing, signer sets in their own encoding.

use alloc::vec::Vec;

use rand_core::TryCryptoRng;

use super::Committee;
use crate::machine::MemberIndex;
use crate::scheme::{Claim, Item, Keys, Scheme, SignerSet, find_bad, random_32};
use crate::{Error, Result};

/// A signer set in one of the three encodings that existing blockchains use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawSigners<'a> {
    /// A list of distinct member indices in any order.
    Indices(&'a [u32]),
    /// A bitmap of signers of exactly ⌈n/8⌉ bytes, member 0 in the lowest bit of the first byte.
    LsbFirst(&'a [u8]),
    /// A bitmap of signers of exactly ⌈n/8⌉ bytes, member 0 in the highest bit of the first byte.
    MsbFirst(&'a [u8]),
}

impl<S: Scheme> Committee<S> {
    /// Returns the same committee with another ciphersuite for the messages of another chain. The default is
    /// [`ProofOfPossession`](crate::bls::Ciphersuite::ProofOfPossession). Statements are not affected: votes and
    /// certificates verify as before.
    #[must_use]
    pub fn with_ciphersuite(self, ciphersuite: S::Ciphersuite) -> Self {
        Self { ciphersuite, ..self }
    }

    /// Returns the ciphersuite of the messages of another chain.
    pub fn ciphersuite(&self) -> &S::Ciphersuite {
        &self.ciphersuite
    }

    /// Verifies that `signers` signed the bytes of `message`, for chains with their own framing, and returns the weight
    /// of the signers: **compare it with your threshold**. Cost as [`Scheme::verify_claims`] with one claim, or with
    /// one per signer under [`MessageAugmentation`](crate::bls::Ciphersuite::MessageAugmentation); for a bad Ed25519
    /// proof also one verification per signer.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for a set of another committee size, [`Error::BelowQuorum`] for an empty set, and the errors
    /// of [`Scheme::verify_claims`]. [`Error::BadSignature`] names the members for an Ed25519 proof.
    pub fn verify_raw(&self, message: &[u8], signers: &SignerSet, proof: &S::Proof) -> Result<u128> {
        self.require_signers(signers)?;
        S::verify_claims(self.raw_keys(), &[Claim { message, signers }], proof).map_err(|error| {
            self.with_culprits(error, signers.iter().map(|signer| (signer, message)), proof)
        })?;
        Ok(self.weight_of(signers))
    }

    /// Verifies that each member signed its own message, as in a commit of CometBFT, where the signed bytes of each
    /// vote contain its time, and returns the weight of the members: **compare it with your threshold**. `signed` is in
    /// ascending order of members. Cost as [`Scheme::verify_each`]; for a bad Ed25519 proof also one verification per
    /// member.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`], [`Error::DuplicateSigner`] or [`Error::OutOfOrder`] for the members,
    /// [`Error::BelowQuorum`] without members, and the errors of [`Scheme::verify_each`]. [`Error::BadSignature`] names
    /// the members for an Ed25519 proof.
    pub fn verify_raw_each(&self, signed: &[(MemberIndex, &[u8])], proof: &S::Proof) -> Result<u128> {
        let signers = self.signers_of(signed)?;
        self.require_signers(&signers)?;
        S::verify_each(self.raw_keys(), signed, proof)
            .map_err(|error| self.with_culprits(error, signed.iter().copied(), proof))?;
        Ok(self.weight_of(&signers))
    }

    /// Verifies many claims with their proofs, each as in [`verify_raw`](Committee::verify_raw), and returns the weight
    /// or the error of each. A random linear combination with 64-bit coefficients from `rng` verifies all of them; if
    /// it fails, bisection finds every bad one. Claims with the same signers share a pairing. If the generator fails,
    /// the coefficients have 128 bits and are derived from all inputs. Cost as [`Scheme::verify_many`].
    pub fn verify_raw_batch<R: TryCryptoRng + ?Sized>(
        &self,
        items: &[(Claim<'_>, &S::Proof)],
        rng: &mut R,
    ) -> Vec<Result<u128>> {
        let mut results: Vec<Result<u128>> = items
            .iter()
            .map(|(claim, _)| self.require_signers(claim.signers).map(|()| self.weight_of(claim.signers)))
            .collect();
        let sound = (0..).zip(items).zip(&results).filter(|(_, result)| result.is_ok());
        let sound: Vec<Item<'_, S>> = sound.map(|((i, item), _)| (i, *item)).collect();
        let mut bad = Vec::new();
        find_bad(self.raw_keys(), &sound, random_32(rng).ok().as_deref(), &mut bad);
        for (i, error) in bad {
            if let (Some(result), Some((claim, proof))) = (results.get_mut(i), items.get(i)) {
                let signed = claim.signers.iter().map(|signer| (signer, claim.message));
                *result = Err(self.with_culprits(error, signed, proof));
            }
        }
        results
    }

    /// Returns the members of a list in ascending order as a set.
    pub(crate) fn signers_of(&self, signed: &[(MemberIndex, &[u8])]) -> Result<SignerSet> {
        if let Some(pair) = signed.windows(2).find(|pair| matches!(pair, [(a, _), (b, _)] if a > b))
            && let [_, (index, _)] = pair
        {
            return Err(Error::OutOfOrder { index: (*index).into() });
        }
        SignerSet::from_members(self.len(), signed.iter().map(|(member, _)| *member))
    }

    fn require_signers(&self, signers: &SignerSet) -> Result<()> {
        self.require_size(signers)?;
        if signers.is_empty() { Err(Error::BelowQuorum { signed: 0, needed: 1 }) } else { Ok(()) }
    }

    /// Adds the culprits to the error of a bad proof, if the scheme can identify them.
    fn with_culprits<'a>(
        &self,
        error: Error,
        signed: impl Iterator<Item = (MemberIndex, &'a [u8])>,
        proof: &S::Proof,
    ) -> Error {
        match error {
            Error::BadSignature { .. } => {
                let signed: Vec<_> = signed.collect();
                Error::BadSignature { signers: S::bad_signers(self.raw_keys(), &signed, proof) }
            }
            other => other,
        }
    }

    /// Returns the keys with their cache, for messages of another chain.
    fn raw_keys(&self) -> Keys<'_, S> {
        Keys { ciphersuite: &self.ciphersuite, ..self.scheme_keys() }
    }

    /// Decodes a signer set of this committee from a blockchain's encoding.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`] and [`Error::DuplicateSigner`] for indices; [`Error::WrongLength`] for a bitmap of
    /// another length, [`Error::NonCanonical`] for a bitmap with non-zero padding.
    pub fn signer_set(&self, signers: RawSigners<'_>) -> Result<SignerSet> {
        match signers {
            RawSigners::Indices(indices) => SignerSet::from_members(self.len(), indices.iter().copied()),
            RawSigners::LsbFirst(bytes) => decode_bitmap(self.len(), bytes.iter().copied()),
            RawSigners::MsbFirst(bytes) => {
                decode_bitmap(self.len(), bytes.iter().map(|byte| byte.reverse_bits()))
            }
        }
    }
}

/// Decodes a bitmap of `n` members, the first member in the lowest bit of the first byte.
fn decode_bitmap(n: u16, bytes: impl ExactSizeIterator<Item = u8>) -> Result<SignerSet> {
    let (expected, actual) = (usize::from(n).div_ceil(8), bytes.len());
    if expected != actual {
        return Err(Error::WrongLength {
            what: "signer bitmap",
            expected: expected as u64,
            actual: actual as u64,
        });
    }
    let mut set = SignerSet::new(n);
    let bits: Vec<u32> = (0u32..)
        .zip(bytes)
        .flat_map(|(i, byte)| (0..8).filter(move |b| byte >> b & 1 == 1).map(move |b| i * 8 + b))
        .collect();
    for index in bits {
        if !u16::try_from(index).is_ok_and(|index| set.insert(index)) {
            return Err(Error::NonCanonical { what: "padding of a signer bitmap" });
        }
    }
    Ok(set)
}
