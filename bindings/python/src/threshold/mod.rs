//! `quorate.threshold`: what t of n members can do together, and fewer cannot.
//!
//! Names that several of its modules have carry the name of their module in front here; users import them from there
//! without it.

mod bls;
mod cache;
mod coin;
mod common;
mod dleq;
mod ecdsa;
mod once;
mod seal;
mod tdh2;

pub(crate) use bls::{
    BlsCombiner, BlsGroupKey, BlsKeyShare, BlsShareFault, BlsSignatureShare, bls_beacon, bls_deal,
};
pub(crate) use cache::Cache;
pub(crate) use coin::{
    Coin, CoinKeyShare, CoinName, CoinPublicKeys, CoinShare, CoinValue, CoinVerifiedShare, CoinWrongShare,
    Toss,
};
pub(crate) use common::{Threshold, Tolerance};
pub(crate) use ecdsa::{
    Deal, EcdsaCombiner, EcdsaGroupKey, EcdsaShareFault, EcdsaSignature, EcdsaSignatureShare, Opener,
    Opening, Plan, Presignature, Presignatures, Signing, Tag, TrustedDealer,
};
pub(crate) use seal::{SealingKey, SealingPublicKey};
pub(crate) use tdh2::{
    Ciphertext, Decryption, DecryptionShare, EncryptionKey, Tdh2KeyShare, Tdh2PublicKeys, Tdh2VerifiedShare,
    Tdh2WrongShare, ValidCiphertext,
};
