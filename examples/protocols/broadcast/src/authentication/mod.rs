//! Authentication of attestations, in four variants.
//!
//! | | an attestation is | transferable | cost per attestation |
//! |---|---|---|---|
//! | [`Links`] | trusted because the link is authenticated | no | almost none |
//! | [`Eddsa`] | an Ed25519 signature | yes | one signature, one verification |
//! | [`Sodium`] | the same, made by libsodium, for measurements | yes | the same |
//! | [`Dsig`] | a one-time signature under an announced key | yes | hashes; Ed25519 once per batch of keys |

mod dsig;
mod eddsa;
mod links;
mod scheme;
mod sodium;

pub(crate) use dsig::DSIG;
pub use dsig::{Done, Dsig, Job};
pub use eddsa::Eddsa;
pub use links::{Links, Unsigned};
pub use scheme::{Authentication, Finished};
pub use sodium::Sodium;
