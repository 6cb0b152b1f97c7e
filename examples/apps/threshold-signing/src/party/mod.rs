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
mod misbehave;
mod server;
mod signer;

pub use misbehave::Misbehaviour;
pub use server::{Party, Settings};
pub use signer::Signer;

use quorate::guard::GuardRecord;

/// What makes records durable. [`Journal`](quorate_node::store::Journal) does; tests have others.
pub trait Durable: Send {
    /// Makes records durable, all of them, before it returns.
    ///
    /// # Errors
    /// Why not. Nothing is asked again then.
    fn append(&mut self, records: &[GuardRecord]) -> Result<(), String>;
}

impl Durable for quorate_node::store::Journal {
    fn append(&mut self, records: &[GuardRecord]) -> Result<(), String> {
        quorate_node::store::Journal::append(self, records).map_err(|e| e.to_string())
    }
}
