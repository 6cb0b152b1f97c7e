//! Threshold ECDSA with presignatures, and BLS where there are none.
//!
//! A dealer deals the presignatures of an epoch to the members. Each presignature signs once, by the map of
//! [`tag`](quorate::threshold::ecdsa::tag): the statement alone determines the presignature. A member signs a statement of
//! an epoch for which it has them with its presignature; past the deal, and from the view after the 20th on, with BLS.
//! Members verify both signatures in all epochs, so that they need not agree on which of them have presignatures.
//!
//! * **Safety** does not depend on it: a member signs at most one statement for each purpose, whatever the scheme, and the
//!   thresholds of both schemes are the same.
//! * **Progress.** t shares of one scheme yield a signature. With the presignatures of enough members these are ECDSA's; past
//!   the deal they are those of BLS. Should an epoch make no progress because some members lack presignatures, the others
//!   [fall back](super::ThresholdScheme::fall_back): they sign again, without them.
//!
//! **One use.** [`Presigner`] keeps a presignature with its first statement, and the guard's record of it becomes durable
//! before a share leaves. The same statement yields the same share after a crash, another statement none at all: a member
//! whose guard refuses has signed something that it does not know of, and signs nothing in its place. If presignatures of an
//! epoch disappear while it runs, the member signs with BLS whatever the guard allows, with the same records. It
//! has then forgotten the signatures that it combined, and counts as faulty in this epoch.

mod collector;
mod group;
mod presigner;
mod scheme;
mod statement;
#[cfg(test)]
mod tests;
mod types;

pub use collector::PresignedCollector;
pub use group::{PLAN_ROUNDS, PresignatureGroup, plan};
pub use presigner::{PresignatureSource, Presigner};
pub use scheme::{PresignedKey, PresignedKeyShare};
pub use types::{Presigned, PresignedShare, PresignedSignature};
