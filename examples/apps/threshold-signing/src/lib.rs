//! Parties that sign together. A dealer makes a key that nobody keeps; n parties, each a process with its own share, its own
//! key and its own disk, sign over TLS; whoever asked them combines. The signature is everybody's ECDSA over secp256k1.
//!
//! ```text
//!  dealer ── sealed shares ──► party 0 … n − 1        once, offline
//!         ── public deal ────► everybody
//!  requester ── sign(index, message) ──► each party   journal first, then the share
//!            ◄── share ───────────────
//!            ── open(index, message) ──► a party      only if the shares do not make a signature
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | [`group`] | who the parties and the requesters are |
//! | [`keys`] | their secret keys on disk |
//! | [`deal`], [`dealer`] | what is dealt: the public part and the sealed shares |
//! | [`protocol`] | what travels between a requester and a party |
//! | [`party`] | spends presignatures, each once, and serves shares |
//! | [`coordinator`] | asks parties, combines, names who sent wrong shares |
//! | [`evidence`] | shows to others that a share was wrong |
//! | [`der`] | signatures and keys as OpenSSL reads them |
//!
//! **Unagreed messages.** Whoever asks chooses the message, and may tell two parties two different ones. So presignatures
//! are dealt with the threshold ⌊(n + f)/2⌋ + 1: any two sets of so many parties share an honest one, which spends a
//! presignature on one message only. With f + 1 a lying requester would get two signatures of one presignature, and with
//! them the key.
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

/// What is spoken inside TLS (ALPN).
pub const PROTOCOL: &[u8] = b"quorate-threshold-signing/1";
