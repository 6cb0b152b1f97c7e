//! Threshold ECDSA over secp256k1: any 2f + 1 of 3f + 1 parties sign together.
//!
//! A dealer generates a key, deals it, and discards it. Each party is a process with its own share, its own keys and its
//! own disk. A requester asks the parties over TLS and combines their shares into an ordinary ECDSA signature.
//!
//! ```text
//!  dealer ── sealed shares ──► party 0 … n − 1        once, offline
//!         ── public deal ────► parties and requesters
//!  requester ── sign(index, message) ──► each party   journal first, then the share
//!            ◄── share ───────────────
//!            ── open(index, message) ──► a party      only if the shares do not make a signature
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`group`] | the group file: parties and requesters |
//! | [`keys`] | key files |
//! | [`deal`], [`dealer`] | the deal: public part and sealed shares; the dealer |
//! | [`protocol`] | messages between a requester and a party |
//! | [`party`] | a party: spends each presignature once and serves shares |
//! | [`coordinator`] | a requester: asks the parties, combines their shares, names faulty parties |
//! | [`evidence`] | evidence of an invalid share, for third parties |
//! | [`der`] | signatures and keys in the formats of OpenSSL |
//!
//! **Unagreed messages.** The requester chooses the message and can send different messages to two parties.
//! Presignatures are therefore dealt with the threshold ⌊(n + f)/2⌋ + 1: any two sets of that many parties share an
//! honest party, which spends a presignature on one message only. With the threshold f + 1 a malicious requester
//! could obtain two signatures of one presignature, and from them the key.
#![forbid(unsafe_code)]

pub mod coordinator;
pub mod deal;
pub mod dealer;
pub mod der;
pub mod evidence;
pub mod failure;
pub mod files;
pub mod group;
pub mod keys;
pub mod party;
pub mod protocol;
pub mod text;

/// ALPN protocol name.
pub const PROTOCOL: &[u8] = b"quorate-threshold-signing/1";
