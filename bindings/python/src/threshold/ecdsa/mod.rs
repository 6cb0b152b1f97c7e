//! `quorate.threshold.ecdsa`: ECDSA by many, from presignatures that a dealer gave them.

mod combining;
mod dealing;
mod plan;
mod presignatures;
mod shares;

pub(crate) use combining::{EcdsaCombiner, Signing};
pub(crate) use dealing::{Deal, EcdsaGroupKey, EcdsaSignature, TrustedDealer};
pub(crate) use plan::{Plan, Tag};
pub(crate) use presignatures::{Opener, Presignature, Presignatures};
pub(crate) use shares::{EcdsaShareFault, EcdsaSignatureShare, Opening};
