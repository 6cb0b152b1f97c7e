//! quorate for browsers and other hosts of WebAssembly.
//!
//! One handle per concept of [`quorate::any`], for the classes in `bindings/javascript`, which users see: those check the
//! types and ranges of arguments, own the handles, and describe each item. `web/backend.ts` there calls this crate.
//! Nothing here panics on any input, and no decision is made here.
//!
//! Without the feature `full`, only the verification of certificates is included.
#![allow(missing_docs, reason = "bindings/javascript documents what users see; these are its handles")]
#![allow(unsafe_code, reason = "wasm-bindgen's macro writes the functions that JavaScript calls")]

mod glue;
pub mod lists;

use wasm_bindgen::prelude::wasm_bindgen;

/// The modules that are generated from the declaration of the blocks.
macro_rules! blocks {
    ($($(#[$when:meta])* $name:ident: $about:literal,)*) => {
        $(
            $(#[$when])*
            #[allow(
                clippy::redundant_closure,
                clippy::unused_unit,
                clippy::useless_asref,
                reason = "one form of generated code for all types"
            )]
            pub mod $name {
                #![doc = $about]
                include!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".rs"));
            }
        )*
    };
}

blocks! {
    #[cfg(feature = "full")]
    bls: "BLS aggregates outside committees.",
    certificates: "Certificates: a quorum's signatures on a statement.",
    #[cfg(feature = "full")]
    ciphersuite: "The ciphersuites of other chains' BLS signatures.",
    committee: "Committees: the members that may sign.",
    #[cfg(feature = "full")]
    dsig: "DSig: one-time keys, which Ed25519 signs in batches.",
    #[cfg(feature = "full")]
    erasure: "Messages as shards, some of which restore all.",
    #[cfg(feature = "full")]
    evidence: "Evidence of protocol violations.",
    #[cfg(feature = "full")]
    faults: "Results of adding a vote.",
    #[cfg(feature = "full")]
    gossip: "Aggregates that can be summed in any order, and their gossip.",
    #[cfg(feature = "full")]
    guard: "A key that never signs contradicting statements, and its records.",
    header: "What encoded votes and certificates claim to be.",
    ids: "Identifiers of chains and committees.",
    keys: "Keys, signatures, and proofs of possession.",
    #[cfg(feature = "full")]
    merkle: "Merkle trees.",
    signers: "Sets of members.",
    #[cfg(feature = "full")]
    sortition: "Leader sortition.",
    statement: "Statements that members sign.",
    #[cfg(feature = "full")]
    threshold: "Groups, classes of messages, thresholds, and the cache of combiners.",
    #[cfg(feature = "full")]
    threshold_bls: "Signatures of shared keys.",
    #[cfg(feature = "full")]
    threshold_coin: "The common coin.",
    #[cfg(feature = "full")]
    threshold_ecdsa: "ECDSA with presignatures.",
    #[cfg(feature = "full")]
    threshold_seal: "Files sealed to one recipient.",
    #[cfg(feature = "full")]
    threshold_tdh2: "Threshold encryption.",
    #[cfg(feature = "full")]
    timeouts: "Timeout votes, their collectors and certificates.",
    #[cfg(feature = "full")]
    votes: "Votes and their collectors.",
    #[cfg(feature = "full")]
    wire: "Canonical encoding.",
}

/// The version that JavaScript's copy is compared with.
#[wasm_bindgen]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The codes that JavaScript's copy is compared with.
#[wasm_bindgen]
#[must_use]
pub fn codes() -> Vec<String> {
    quorate::Error::CODES.iter().map(|code| (*code).to_owned()).collect()
}

/// The limits that JavaScript's copies are compared with: members, weight, timeout groups, batch threshold, size of a
/// pool, verification queue of gossip, winners of a lottery.
#[cfg(feature = "full")]
#[wasm_bindgen]
#[must_use]
pub fn limits() -> Vec<String> {
    use quorate::{certificate, committee, gossip, sortition};
    vec![
        committee::MAX_MEMBERS.to_string(),
        committee::MAX_TOTAL_WEIGHT.to_string(),
        certificate::MAX_TIMEOUT_GROUPS.to_string(),
        certificate::DEFAULT_BATCH_THRESHOLD.to_string(),
        gossip::MAX_POOL.to_string(),
        gossip::MAX_STACK.to_string(),
        sortition::EXPECTED_WINNERS.to_string(),
    ]
}

/// The error for evidence with an attestation that the user's function rejects.
#[cfg(feature = "full")]
#[wasm_bindgen(js_name = notEvidence)]
pub fn not_evidence() -> Result<(), wasm_bindgen::JsValue> {
    use crate::glue::OrThrow;
    Err(quorate::Error::NotEvidence).or_throw()
}
