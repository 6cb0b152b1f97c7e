//! `quorate.threshold.ecdsa`: threshold ECDSA with presignatures from a dealer.

mod combining;
mod deal;
mod dealer;
mod plan;
mod presignatures;
mod shares;

pub(crate) use combining::{EcdsaCombiner, Signing};
pub(crate) use deal::{Deal, EcdsaGroupKey, EcdsaSignature};
pub(crate) use dealer::TrustedDealer;
pub(crate) use plan::{Plan, Tag};
pub(crate) use presignatures::{Opener, Presignature, Presignatures};
pub(crate) use shares::{EcdsaShareFault, EcdsaSignatureShare, Opening};
