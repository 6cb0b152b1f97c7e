//! Ed25519 signatures under **one verification rule** that a single check and a batch obey alike.
//!
//! A signature `(R, s)` of key `A` on message `m` is accepted if and only if
//!
//! 1. `A` and `R` are canonical encodings of curve points and `A` is not of small order,
//! 2. `s` is below the group order, and
//! 3. `8·(s·B − R − k·A) = 0` with `k = SHA-512(R ‖ A ‖ m)`.
//!
//! The equation is the cofactored one of RFC 8032, section 5.1.7. Libraries usually check the cofactorless one
//! for single signatures, and no random linear combination can agree with that: a torsion component vanishes
//! from the combination with probability 1/8. Two validators, one of which batches, would then disagree on a
//! certificate, and the chain would split. With the factor 8 torsion plays no part on either side, so both
//! accept exactly the same signatures (the page `spec/ed25519.md` has the argument and the test cases).
//!
//! Signing is standard and deterministic: every standard verifier accepts our signatures.
//!
//! ```
//! use quorate::ed25519::{Ed25519, PublicKey, Signature};
//! use quorate::scheme::Scheme;
//! use quorate::wire::{Decode, Encode};
//!
//! let secret = Ed25519::generate(&mut getrandom::SysRng)?;
//! let (key, signature) = (Ed25519::public_key(&secret).encode(), Ed25519::sign(&secret, b"hello").encode());
//! // Elsewhere, from 32 and 64 bytes:
//! let (key, signature) = (PublicKey::decode(&key, &())?, Signature::decode(&signature, &())?);
//! assert!(Ed25519::verify(&key, b"hello", &signature).is_ok());
//! assert_eq!(Ed25519::verify(&key, b"other", &signature).unwrap_err().code(), "BAD_SIGNATURE");
//! # Ok::<(), quorate::Error>(())
//! ```

mod batch;
mod keys;

use alloc::vec::Vec;

use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::traits::IsIdentity;
use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

pub use keys::{PublicKey, SecretKey, Signature};

use crate::machine::MemberIndex;
use crate::scheme::sealed::Sealed;
use crate::scheme::{Claim, Keys, Scheme, SecretBytes, SignerSet, random_32};
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The scheme: suite 3.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ed25519 {}

impl Sealed for Ed25519 {}

impl Scheme for Ed25519 {
    const SUITE: u8 = 3;
    const NAME: &'static str = "ed25519";
    const SUMMED: bool = false;

    type SecretKey = SecretKey;
    type PublicKey = PublicKey;
    type Signature = Signature;
    /// Ascending by member.
    type Proof = Vec<(MemberIndex, Signature)>;
    type Cache = ();

    fn generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<SecretKey> {
        Ok(SecretKey::new(random_32(rng)?))
    }

    fn secret_from_bytes(bytes: &[u8]) -> Result<SecretKey> {
        let bytes: &[u8; 32] =
            bytes.try_into().map_err(|_| Error::Malformed { what: "Ed25519 secret key" })?;
        Ok(SecretKey::new(SecretBytes::copy_of(bytes)))
    }

    fn secret_to_bytes(secret: &SecretKey) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(*secret.seed())
    }

    fn public_key(secret: &SecretKey) -> PublicKey {
        PublicKey::of(secret)
    }

    fn sign(secret: &SecretKey, message: &[u8]) -> Signature {
        Signature::of(&secret.sign(message))
    }

    fn verify(key: &PublicKey, message: &[u8], signature: &Signature) -> Result<()> {
        let r = signature.r_point().ok_or_else(Error::bad_signature)?;
        let k = signature.challenge(key, message);
        let expected = EdwardsPoint::vartime_double_scalar_mul_basepoint(&k, &key.negated(), signature.s());
        if (expected - r).mul_by_cofactor().is_identity() { Ok(()) } else { Err(Error::bad_signature()) }
    }

    fn prove_possession(secret: &SecretKey) -> Signature {
        Self::sign(secret, &possession_message(&Self::public_key(secret)))
    }

    fn verify_possession(key: &PublicKey, possession: &Signature) -> Result<()> {
        Self::verify(key, &possession_message(key), possession).map_err(|_| Error::BadPossession)
    }

    fn encode_link(signature: &Signature, w: &mut Writer) {
        signature.encode_to(w);
    }

    fn decode_link(r: &mut Reader<'_>) -> Result<Signature> {
        Signature::decode_from(r, &())
    }

    fn cache(_: &[PublicKey]) -> Result<()> {
        Ok(())
    }

    fn relation_tag(key: &PublicKey) -> Vec<u8> {
        // The highest bit is the sign of x, all that a negation changes.
        let mut bytes = key.as_bytes().to_vec();
        if let Some(last) = bytes.last_mut() {
            *last &= 0x7f;
        }
        bytes
    }

    fn combine(signatures: &[(MemberIndex, &Signature)]) -> Self::Proof {
        let mut proof: Self::Proof =
            signatures.iter().map(|(i, signature)| (*i, (*signature).clone())).collect();
        proof.sort_by_key(|(i, _)| *i);
        proof
    }

    fn merge(proofs: &[&Self::Proof]) -> Self::Proof {
        let mut merged: Self::Proof = proofs.iter().flat_map(|proof| proof.iter().cloned()).collect();
        merged.sort_by_key(|(i, _)| *i);
        merged
    }

    fn verify_claims(keys: Keys<'_, Self>, claims: &[Claim<'_>], proof: &Self::Proof) -> Result<()> {
        batch::verify(&batch::terms(keys.public, claims, proof)?)
    }

    /// The coefficients are always 128 bits and derived from all inputs: they cost next to nothing here.
    fn locate(_: Keys<'_, Self>, _: &[u8], _: &[(MemberIndex, &Signature)]) -> Option<MemberIndex> {
        None
    }

    fn verify_many(
        keys: Keys<'_, Self>,
        items: &[(Claim<'_>, &Self::Proof)],
        _: Option<&[u8; 32]>,
    ) -> Result<()> {
        let mut all = Vec::new();
        for (claim, proof) in items {
            all.extend(batch::terms(keys.public, &[*claim], proof)?);
        }
        batch::verify(&all)
    }

    fn encode_proof(proof: &Self::Proof, _: &SignerSet, w: &mut Writer) {
        for (_, signature) in proof {
            signature.encode_to(w);
        }
    }

    fn decode_proof(r: &mut Reader<'_>, signers: &SignerSet) -> Result<Self::Proof> {
        signers.iter().map(|i| Ok((i, Signature::decode_from(r, &())?))).collect()
    }

    fn proof_len(proof: &Self::Proof, _: &SignerSet) -> usize {
        64 * proof.len()
    }
}

fn possession_message(key: &PublicKey) -> Vec<u8> {
    [domain::POSSESSION_ED25519.as_bytes(), key.as_bytes()].concat()
}
