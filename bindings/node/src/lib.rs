//! The native half of the npm package `quorate`.
//!
//! Users do not call it: `bindings/javascript` has the classes, which check the types and ranges of arguments
//! by name. Here each method is one function on opaque handles, which have the type of their content, so that no
//! other JavaScript object is accepted. An error is a message in JSON, which `node/backend.ts` there converts to a subclass of
//! `QuorateError`.
//!
//! | module | concepts |
//! |---|---|
//! | [`keys`] | secret and public keys, signatures, possession |
//! | [`committee`] | chain and committee identifiers, signer sets, committees |
//! | [`raw`], [`ciphersuite`] | signatures of other chains |
//! | [`votes`] | statements, votes, suspects, collectors |
//! | [`certificates`], [`header`] | certificates, single and in batches; what an encoding claims to be |
//! | [`timeouts`] | timeout votes, their collectors and certificates |
//! | [`evidence`] | equivocations, conflicts |
//! | [`guard`] | a key that never signs contradicting statements, and its records |
//! | [`merkle`], [`wire`], [`bls`] | trees, encoding, aggregates |
//! | [`gossip`] | aggregates that can be summed in any order, and their gossip |
//! | [`sortition`] | leader sortition |
//! | [`dsig`] | one-time keys that Ed25519 signs in batches |
//! | [`threshold`] | threshold encryption, coins and signatures |
//! | [`erasure`] | messages as shards, some of which restore all |
//! | [`handle`] | values that JavaScript's objects own, and when they are dropped |
//! | [`glue`] | errors, bytes, work off the main thread |
#![allow(unsafe_code, reason = "#[napi] generates the calls of Node's C interface; only `handle` writes any")]
#![allow(missing_docs, reason = "the functions are documented where users see them, in bindings/javascript")]

pub mod bls;
pub mod certificates;
pub mod ciphersuite {
    //! The ciphersuites of other chains' BLS signatures.
    include!(concat!(env!("OUT_DIR"), "/ciphersuite.rs"));
}
pub mod committee;
pub mod dsig;
pub mod erasure {
    //! Messages as shards, some of which restore all.
    include!(concat!(env!("OUT_DIR"), "/erasure.rs"));
}
pub mod evidence;
pub mod glue;
pub mod gossip;
pub mod guard;
pub mod handle;
pub mod header {
    //! What encoded votes and certificates claim to be.
    include!(concat!(env!("OUT_DIR"), "/header.rs"));
}
pub mod keys;
pub mod merkle {
    //! Merkle trees.
    include!(concat!(env!("OUT_DIR"), "/merkle.rs"));
}
pub mod raw;
pub mod sortition;
pub mod threshold;
pub mod timeouts;
pub mod votes;
pub mod wire;

use napi_derive::napi;

/// Constants of the package and the core.
#[napi(object, object_from_js = false)]
pub struct Constants {
    pub version: String,
    pub codes: Vec<String>,
    pub domains: Vec<String>,
    pub max_members: u32,
    pub max_total_weight: u128,
    pub max_timeout_groups: u32,
    pub default_batch_threshold: u32,
    pub gossip_pool: u32,
    pub gossip_stack: u32,
    pub expected_winners: u16,
    pub suites: Vec<String>,
    pub suite_numbers: Vec<u8>,
}

#[napi(catch_unwind)]
pub fn constants() -> Constants {
    use quorate::any::Suite;
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    Constants {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        codes: texts(quorate::Error::CODES),
        domains: texts(quorate::wire::domain::ALL),
        max_members: quorate::committee::MAX_MEMBERS as u32,
        max_total_weight: quorate::committee::MAX_TOTAL_WEIGHT,
        max_timeout_groups: quorate::certificate::MAX_TIMEOUT_GROUPS as u32,
        default_batch_threshold: quorate::certificate::DEFAULT_BATCH_THRESHOLD as u32,
        gossip_pool: quorate::gossip::MAX_POOL as u32,
        gossip_stack: quorate::gossip::MAX_STACK as u32,
        expected_winners: quorate::sortition::EXPECTED_WINNERS.get(),
        suites: Suite::ALL.iter().map(|suite| suite.name().to_owned()).collect(),
        suite_numbers: Suite::ALL.iter().map(|suite| suite.number()).collect(),
    }
}
