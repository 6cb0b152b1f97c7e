#![forbid(unsafe_code)]
//! The runtime of a validator around a consensus state machine: authenticated links, a durable store, a mempool, an
//! application, and interfaces for clients.
//!
//! | module | contents |
//! |---|---|
//! | [`config`] | the operator's configuration: addresses, limits, paths |
//! | [`genesis`] | the genesis of a chain: members, keys, weights, parameters |
//! | [`epochs`] | the members from a height on |
//! | [`keys`] | the validator's secret keys on disk |
//! | [`links`] | TLS 1.3 between validators, authenticated by identity keys |
//! | [`protocol`] | the interface between the node and a consensus protocol |
//! | [`runtime`] | drives the replica: persist, then send |
//! | [`signer`] | a process with the voting key and its guard, and its client |
//! | [`store`] | records, blocks and batches on disk |
//! | [`application`] | the meaning of transactions; the ledger is the default |
//! | [`snapshot`] | what a node that joins fetches and checks |
//! | [`proof`] | proofs of transactions and of the state |
//! | [`handle`] | the interface of a running node for clients |
//! | [`client`] | HTTP, the submission stream, metrics |
//!
//! To run your own application, implement [`application::Application`]; to run your own consensus protocol, implement
//! [`protocol::Protocol`]. Then start a [`runtime::Node`] with both.
//!
//! The crate has **not been audited**.

pub mod application;
pub mod client;
pub mod config;
pub mod descriptors;
pub mod epochs;
mod error;
pub mod evidence;
pub mod execution;
pub mod genesis;
pub mod handle;
mod host;
pub mod keys;
pub mod links;
pub mod metrics;
pub mod proof;
pub mod protocol;
pub mod runtime;
pub mod signer;
pub mod snapshot;
pub mod store;

pub use error::{NodeError, Result};
pub use genesis::Contact;
