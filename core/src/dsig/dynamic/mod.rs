//! Suites chosen at run time, by configuration or by the suite number of a message. Inputs and outputs are bytes.
//! Where the suite is known at compile time, its type catches more mistakes.

#[macro_use]
mod suite_id;
mod auditor;
mod background;
mod signature;
mod signer;
mod verifier;

pub use auditor::{DynAuditor, DynEntry, verify_all};
pub use background::{
    DynAdmittedAnnouncement, DynBatch, DynPlan, DynVerifiedAnnouncement, DynVerifiedSignature,
};
pub use signature::{reuse, verify, verify_detached, verify_reuse};
pub use signer::{DynAnnounced, DynSigner};
pub use suite_id::SuiteId;
pub use verifier::DynVerifier;
