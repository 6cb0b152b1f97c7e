//! A remote signer: a process that holds a validator's voting key and the journal of its signatures, for one validator.
//!
//! `spec/signer.md` has the protocol. [`SigningService`] is the signer: it signs a statement only if its
//! [`JournaledGuard`](quorate::guard::JournaledGuard) permits it, and answers once the record is durable. [`RemoteSigner`] is the
//! validator's side: it takes the place of the secret key in a [`Guard`](quorate::guard::Guard).
//!
//! ```text
//!   validator                                      signer
//!   identity key            TLS 1.3, both ways     another identity key
//!   Guard(RemoteSigner) ── statement ───────────►  JournaledGuard(voting key)
//!                       ◄── signature or refusal ──
//! ```
//!
//! The voting key is in a key file, or in a [`token`] that signs with Ed25519.
//!
//! A stolen or restored validator cannot make the key sign twice: the signer's journal decides. An attacker on the
//! validator's machine can ask for signatures while the validator is connected, but for no contradicting ones.

mod address;
mod client;
mod error;
mod message;
mod pace;
mod service;
mod timed;
pub mod token;

pub use address::SignerAddress;
pub use client::RemoteSigner;
pub use error::SignerError;
pub use message::{Answer, MAX_FRAME, Refusal, Request};
pub use service::SigningService;

/// Protocol inside TLS (ALPN).
const PROTOCOL: &[u8] = b"quorate-signer/1";
