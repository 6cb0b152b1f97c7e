//! `quorate.threshold`: operations that need t of n members.
//!
//! Names that occur in several of its modules carry the module's name as a prefix here; users import them from the
//! modules without it.

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
