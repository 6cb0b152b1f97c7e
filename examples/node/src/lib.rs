#![forbid(unsafe_code)]
//! A whole validator node around a consensus state machine: authenticated links, a durable store, a mempool, an
//! application, and what clients need.
//!
//! | module | what it does |
//! |---|---|
//! | [`config`] | the operator's file: addresses, limits, places |
//! | [`genesis`] | the chain's file: members, keys, weights, parameters |
//! | [`epochs`] | who the members are from which height on |
//! | [`keys`] | the validator's secret keys on disk |
//! | [`links`] | TLS 1.3 between validators, each end pinned to its identity key |
//! | [`protocol`] | the interface between the node and a consensus protocol |
//! | [`runtime`] | drives the state machine: persist, then send |
//! | [`store`] | records, blocks and batches on disk |
//! | [`application`] | what transactions mean; the ledger is the default |
//! | [`proof`] | a transaction's proof of inclusion |
//! | [`handle`] | everything a client side needs of a running node |
//! | [`client`] | HTTP, the submission stream, metrics |
//!
//! To run a chain of your own, implement [`application::Application`] and start a [`runtime::Node`] with it.
//!
//! The crate has **not been audited**.

pub mod application;
pub mod client;
pub mod config;
pub mod epochs;
mod error;
pub mod execution;
pub mod genesis;
pub mod handle;
pub mod keys;
pub mod links;
pub mod metrics;
pub mod proof;
pub mod protocol;
pub mod runtime;
pub mod store;

pub use error::{NodeError, Result};
pub use genesis::Contact;
