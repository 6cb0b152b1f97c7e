//! Threshold signatures as the protocols use them: t members sign a statement, and anyone verifies the result.
//!
//! | scheme | signature | share of a signature | dealer |
//! |---|---|---|---|
//! | [`Bls`] | 48 B, unique | 87 B | yes |
//! | [`Ed25519List`] | t signatures of 64 B | 66 B | no |
//! | [`Presigned`] | 65 B with a presignature, 49 B without | 84 B, 88 B | yes |
//!
//! [`Presigned`] is the paper's threshold ECDSA (section II.A.1), and BLS where there is no presignature. A presignature
//! signs once: a member needs records that survive a crash, which only [`chain`](crate::chain) keeps.

mod bls;
mod collector;
mod list;
mod presigned;
mod scheme;

pub use bls::Bls;
pub use collector::Shares;
pub use list::{Ed25519List, ListKey, ListKeyShare, ListShare, ListSignature, ListSigning};
pub use presigned::{
    PLAN_ROUNDS, PresignatureGroup, PresignatureSource, Presigned, PresignedCollector, PresignedKey,
    PresignedKeyShare, PresignedShare, PresignedSignature, Presigner, plan,
};
pub use scheme::{Collected, ShareCollector, Signed, ThresholdScheme};

pub(crate) use collector::Collector;
