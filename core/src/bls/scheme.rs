use alloc::vec::Vec;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::ciphersuite::Ciphersuite;
use super::ffi::{Group, Scalar};
use super::group::{MinPk, MinSig, Variant};
use super::keys::{PublicKey, SecretKey, Signature};
use super::locate;
use super::pairing::{self, Cache};
use crate::machine::MemberIndex;
use crate::scheme::{Claim, Keys, Scheme, SignerSet, SumCheck, Vrf, random_32};
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

macro_rules! scheme {
    ($variant:ty) => {
        impl Scheme for $variant {
            const SUITE: u8 = <Self as Variant>::SUITE.0;
            const NAME: &'static str = <Self as Variant>::SUITE.1;
            const SUMMED: bool = true;

            type SecretKey = SecretKey<Self>;
            type PublicKey = PublicKey<Self>;
            type Signature = Signature<Self>;
            type Proof = Signature<Self>;
            type Cache = Cache<Self>;
            type Ciphersuite = Ciphersuite;

            const STATEMENTS: &'static Ciphersuite = &Ciphersuite::ProofOfPossession;

            fn generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<SecretKey<Self>> {
                Ok(SecretKey::new(Scalar::derive(&*random_32(rng)?)))
            }

            fn secret_from_bytes(bytes: &[u8]) -> Result<SecretKey<Self>> {
                let what = "BLS secret key";
                let wrong = Error::WrongLength { what, expected: 32, actual: bytes.len() as u64 };
                let scalar = Scalar::from_bytes(bytes.try_into().map_err(|_| wrong)?);
                scalar.map(SecretKey::new).ok_or(Error::Malformed { what })
            }

            fn secret_to_bytes(secret: &SecretKey<Self>) -> Zeroizing<[u8; 32]> {
                secret.scalar.to_bytes()
            }

            fn public_key(secret: &SecretKey<Self>) -> PublicKey<Self> {
                secret.public_key()
            }

            fn sign(secret: &SecretKey<Self>, message: &[u8]) -> Signature<Self> {
                secret.sign(message, Self::TAGS.proven)
            }

            fn verify(key: &PublicKey<Self>, message: &[u8], signature: &Signature<Self>) -> Result<()> {
                pairing::verify::<Self>(&[(key.point(), message)], Self::TAGS.proven, signature)
            }

            fn prove_possession(secret: &SecretKey<Self>) -> Signature<Self> {
                secret.sign(secret.public_key().as_bytes(), Self::TAGS.possession)
            }

            fn verify_possession(key: &PublicKey<Self>, possession: &Signature<Self>) -> Result<()> {
                pairing::verify_possession(key, possession)
            }

            fn encode_link(signature: &Signature<Self>, w: &mut Writer) {
                signature.encode_uncompressed(w);
            }

            fn decode_link(r: &mut Reader<'_>) -> Result<Signature<Self>> {
                Signature::decode_uncompressed(r)
            }

            fn cache(keys: &[PublicKey<Self>]) -> Result<Cache<Self>> {
                Cache::new(keys)
            }

            #[cfg(feature = "group-sums")]
            fn add_group_sums(cache: &mut Cache<Self>) {
                cache.add_group_sums();
            }

            #[cfg(feature = "group-sums")]
            fn group_sums_size(cache: &Cache<Self>) -> usize {
                cache.group_sums_size()
            }

            fn relation_tag(key: &PublicKey<Self>) -> Vec<u8> {
                // The third bit of a compressed point is the sign of y, the only part that a negation changes.
                let mut bytes = key.as_bytes().to_vec();
                if let Some(first) = bytes.first_mut() {
                    *first &= !0x20;
                }
                bytes
            }

            fn combine(signatures: &[(MemberIndex, &Signature<Self>)]) -> Signature<Self> {
                Signature::sum(signatures.iter().map(|(_, signature)| *signature))
            }

            fn merge(proofs: &[&Signature<Self>]) -> Signature<Self> {
                Signature::sum(proofs.iter().copied())
            }

            fn verify_claims(
                keys: Keys<'_, Self>,
                claims: &[Claim<'_>],
                proof: &Signature<Self>,
            ) -> Result<()> {
                pairing::verify_claims(keys, claims, proof)
            }

            fn verify_each(
                keys: Keys<'_, Self>,
                signed: &[(MemberIndex, &[u8])],
                proof: &Signature<Self>,
            ) -> Result<()> {
                pairing::verify_each(keys, signed, proof)
            }

            fn verify_sum(
                keys: Keys<'_, Self>,
                claim: Claim<'_>,
                signatures: &[(MemberIndex, &Signature<Self>)],
                search: bool,
            ) -> SumCheck<Signature<Self>> {
                locate::verify_sum(keys.public, keys.cache, claim, signatures, search)
            }

            fn verify_many(
                keys: Keys<'_, Self>,
                items: &[(Claim<'_>, &Signature<Self>)],
                entropy: Option<&[u8; 32]>,
            ) -> Result<()> {
                match items {
                    [] => Ok(()),
                    [(claim, proof)] => Self::verify_claims(keys, &[*claim], proof),
                    _ => pairing::verify_many(keys, items, entropy),
                }
            }

            fn encode_proof(proof: &Signature<Self>, _: &SignerSet, w: &mut Writer) {
                proof.encode_to(w);
            }

            fn decode_proof(r: &mut Reader<'_>, _: &SignerSet) -> Result<Signature<Self>> {
                Signature::decode_from(r, &())
            }

            fn proof_len(_: &Signature<Self>, _: &SignerSet) -> usize {
                <<Self as Variant>::Sig as Group>::COMPRESSED_LEN
            }
        }

        impl Vrf for $variant {
            fn verify_unique<T>(
                key: &PublicKey<Self>,
                message: &[u8],
                signature: &Signature<Self>,
                accept: impl FnOnce(&[u8]) -> Result<T>,
            ) -> Result<T> {
                pairing::verify_unique(key, message, signature, accept)
            }
        }
    };
}

scheme!(MinSig);
scheme!(MinPk);
