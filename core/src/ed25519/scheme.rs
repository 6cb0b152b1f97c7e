use alloc::vec::Vec;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::batch;
use super::keys::{PublicKey, SecretKey, Signature};
use crate::machine::MemberIndex;
use crate::scheme::sealed::Sealed;
use crate::scheme::{Claim, Keys, Scheme, SecretBytes, SignerSet, random_32};
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The Ed25519 signature scheme: suite 3.
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
    /// Signatures in ascending order of members.
    type Proof = Vec<(MemberIndex, Signature)>;
    type Cache = ();
    type Ciphersuite = ();

    const STATEMENTS: &'static () = &();

    fn generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<SecretKey> {
        Ok(SecretKey::new(random_32(rng)?))
    }

    fn secret_from_bytes(bytes: &[u8]) -> Result<SecretKey> {
        let wrong =
            Error::WrongLength { what: "Ed25519 secret key", expected: 32, actual: bytes.len() as u64 };
        let bytes: &[u8; 32] = bytes.try_into().map_err(|_| wrong)?;
        Ok(SecretKey::new(SecretBytes::copy_of(bytes)))
    }

    fn secret_to_bytes(secret: &SecretKey) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(*secret.seed())
    }

    fn public_key(secret: &SecretKey) -> PublicKey {
        PublicKey::from_secret(secret)
    }

    fn sign(secret: &SecretKey, message: &[u8]) -> Signature {
        Signature::from_dalek(&secret.sign(message))
    }

    fn verify(key: &PublicKey, message: &[u8], signature: &Signature) -> Result<()> {
        key.verify(message, signature)
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
        // The highest bit is the sign of x, the only part that a negation changes.
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

    fn verify_each(keys: Keys<'_, Self>, signed: &[(MemberIndex, &[u8])], proof: &Self::Proof) -> Result<()> {
        batch::verify(&batch::single_terms(keys.public, signed, proof)?)
    }

    fn bad_signers(
        keys: Keys<'_, Self>,
        signed: &[(MemberIndex, &[u8])],
        proof: &Self::Proof,
    ) -> Vec<MemberIndex> {
        let terms = batch::single_terms(keys.public, signed, proof).unwrap_or_default();
        let bad = terms.iter().zip(proof).filter(|(term, _)| term.verify().is_err());
        bad.map(|(_, (member, _))| *member).collect()
    }

    /// Ignores the entropy: the coefficients always have 128 bits and are derived from all inputs, which costs almost
    /// nothing for this scheme.
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

/// Returns the bytes that a proof of possession of `key` signs, for a secret key that only a token or another program has.
pub fn possession_message(key: &PublicKey) -> Vec<u8> {
    [domain::POSSESSION_ED25519.as_bytes(), key.as_bytes()].concat()
}
