//! Threshold ECDSA: each party spends a presignature on a message; enough of the resulting shares combine into a
//! signature, in one round.
//!
//! **One presignature, one message**: two signatures with one presignature reveal the key. Signing therefore records
//! the spent presignature in the guard that also signs votes: make the record durable, then send the share.
#![cfg_attr(binding, module = "threshold/ecdsa")]

mod combining;
mod deal;
mod dealer;
mod key;
mod plan;
mod presignatures;
mod shares;

pub use combining::{Combiner, Fault, Outcome, Signing};
pub use deal::Deal;
pub use dealer::TrustedDealer;
pub use key::{GroupKey, Signature};
pub use plan::{Plan, Tag};
pub use presignatures::{Opener, Presignature, Presignatures, Signed};
pub use shares::{MAX_ATTESTATION, Opening, ShareFault, SignatureShare};
