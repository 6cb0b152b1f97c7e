//! A party: spends each presignature on at most one message and serves its shares.
//!
//! ```text
//!  requester ─ TLS ─► server ─ queue ─► signer: guard records it ─► journal: durable ─► share ─► requester
//! ```
//!
//! Requests that wait at the same time share one write to the disk. If the disk fails, none of their shares is
//! sent, the party signs nothing more, and the process exits.

mod crash;
mod durable;
mod misbehave;
mod server;
mod share_binding;
mod signer;

pub use durable::Durable;
pub use misbehave::Misbehaviour;
pub use server::{Party, PartyConfig};
pub use signer::Signer;
