//! One party: it spends each presignature on one message, ever, and serves its shares.
//!
//! ```text
//!  requester ─ TLS ─► server ─ queue ─► signer: guard notes it ─► journal: durable ─► share ─► requester
//! ```
//!
//! Requests that wait together are written down together. When the disk fails, no share of them leaves, nothing is signed any
//! more, and the process ends.

mod adopt;
mod crash;
mod durable;
mod misbehave;
mod server;
mod signer;

pub use durable::Durable;
pub use misbehave::Misbehaviour;
pub use server::{Party, PartyConfig};
pub use signer::Signer;
