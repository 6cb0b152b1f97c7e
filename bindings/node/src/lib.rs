//! The native half of the npm package `quorate`.
//!
//! Users do not call it: `bindings/javascript` has the classes, which check the types and ranges of arguments
//! by name. Here each method is one function on opaque handles, which have the type of their content, so that no
//! other JavaScript object is accepted. An error is a message in JSON, which `node/backend.ts` there converts to a subclass of
//! `QuorateError`.
//!
//! Most modules are generated from `bindings/interface`. By hand are those of [`handle`]s, and [`glue`].
#![allow(unsafe_code, reason = "#[napi] generates the calls of Node's C interface; only `handle` writes any")]
#![allow(missing_docs, reason = "the functions are documented where users see them, in bindings/javascript")]

pub mod glue;
pub mod handle;

/// The modules that are generated from the declaration of the blocks.
macro_rules! blocks {
    ($($name:ident: $about:literal,)*) => {
        $(
            #[allow(clippy::type_complexity, reason = "generated signatures write their types out")]
            pub mod $name {
                #![doc = $about]
                include!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".rs"));
            }
        )*
    };
}

blocks! {
    bls: "BLS aggregates outside committees.",
    certificates: "Certificates: a quorum's signatures on a statement.",
    ciphersuite: "The ciphersuites of other chains' BLS signatures.",
    committee: "Committees: the members that may sign.",
    dsig: "DSig: one-time keys, which Ed25519 signs in batches.",
    erasure: "Messages as shards, some of which restore all.",
    evidence: "Evidence of protocol violations.",
    faults: "Results of adding a vote.",
    gossip: "Aggregates that can be summed in any order, and their gossip.",
    guard: "A key that never signs contradicting statements, and its records.",
    header: "What encoded votes and certificates claim to be.",
    ids: "Identifiers of chains and committees.",
    keys: "Keys, signatures, and proofs of possession.",
    merkle: "Merkle trees.",
    signers: "Sets of members.",
    sortition: "Leader sortition.",
    statement: "Statements that members sign.",
    threshold: "Groups, classes of messages, thresholds, and the cache of combiners.",
    threshold_bls: "Signatures of shared keys.",
    threshold_coin: "The common coin.",
    threshold_ecdsa: "ECDSA with presignatures.",
    threshold_seal: "Files sealed to one recipient.",
    threshold_tdh2: "Threshold encryption.",
    timeouts: "Timeout votes, their collectors and certificates.",
    votes: "Votes and their collectors.",
    wire: "Canonical encoding.",
}
