//! DSig (Aguilera et al., OSDI '24): signatures in about a microsecond. One-time hash-based keys sign, and Ed25519
//! signs those keys in batches, ahead of time.
//!
//! The caller drives two planes; this module starts no thread, except in `driver` (feature `driver`):
//!
//! * **background**: [`Signer::prepare`] makes a batch of up to 128 one-time keys and its [`Announcement`], and
//!   [`Verifier::announce`] verifies the batch's Ed25519 signature before the first signature arrives;
//! * **foreground**: [`Signer::sign`] consumes a key and copies values, [`Verifier::verify`] hashes.
//!
//! A signature is self-contained: a verifier without the announcement verifies it at the cost of one additional
//! Ed25519 verification ([`Signature::verify`]). It has 1,584 bytes (3,552 in suite 4):
//!
//! | bytes | field |
//! |---|---|
//! | 1 | suite |
//! | 1 | log2 of the batch size, 0 to 7 |
//! | 2 | index of the key in the batch |
//! | 4 | zero |
//! | 32 | root of the batch's tree |
//! | 12 | salt of the key |
//! | 4 | zero |
//! | 16 | nonce |
//! | 64 | Ed25519 signature of `"quorate-v1-dsig-batch"` ‖ suite ‖ log2 ‖ signer's key ‖ root |
//! | 7·32 | siblings from the leaf to the root, bottom first; zeros above the root |
//! | 68·18 or 133·24 | one value of each chain |
//!
//! **One key, one signature.** Two signatures of one key make forgeries easy. So a key is consumed by value and
//! wiped; signers, plans and batches cannot be cloned or serialised; keys expire, are dropped in a forked child, and
//! each batch uses fresh entropy. Without a key, signing fails with [`Error::Exhausted`](crate::Error::Exhausted). A
//! verifier reports a reused key as [`Error::OneTimeReuse`](crate::Error::OneTimeReuse).
//!
//! Deviations from the paper: hash calls are tweaked by key, chain and step instead of masked, because untweaked
//! chains allow multi-target attacks; the Ed25519 signature binds suite, batch size and signer; a public key is a leaf
//! of the batch without a further hash, which would cost a tenth of verification: its own tree binds it to its salt.
//!
//! ```
//! use quorate::dsig::{Signature, Signer, SignerConfig, Verifier, VerifierConfig, WotsBlake3};
//! use quorate::ed25519::Ed25519;
//! use quorate::machine::Time;
//! use quorate::scheme::Scheme;
//! use quorate::wire::{Decode, Encode};
//!
//! let (mut rng, now) = (getrandom::SysRng, Time(1));
//! let config = SignerConfig { log2_batch: 3, low_water: 1, ..SignerConfig::default() };
//! let mut signer = Signer::<WotsBlake3>::new(Ed25519::generate(&mut rng)?, vec![], config, &mut rng)?;
//! let alice = signer.public_key().clone();
//! let mut verifier = Verifier::<WotsBlake3>::new(VerifierConfig::default());
//! verifier.admit(alice.clone());
//!
//! while let Some(announced) = signer.prepare(&mut rng, now)? {
//!     verifier.announce(&alice, &announced.announcement.encode(), now)?;
//! }
//! let bytes = signer.sign(b"SET a 1", &[], now)?.encode();
//! assert_eq!(bytes.len(), 1_584);
//!
//! let signature = Signature::decode(&bytes, &())?;
//! assert!(verifier.can_verify_fast(&alice, &signature));
//! verifier.verify(&alice, b"SET a 1", &signature)?;
//! signature.verify(&alice, b"SET a 1")?;                    // without the announcement
//! assert!(signature.verify(&alice, b"SET a 2").is_err());
//! # Ok::<(), quorate::Error>(())
//! ```
//!
//! A thread for the background plane holds the lock only briefly, so that signing never waits for it. The module
//! `driver` (feature `driver`) has such a thread, which also wakes callers that wait for a key and reports why it
//! ended. To write your own:
//!
//! ```
//! # use quorate::dsig::{Signer, SignerConfig, WotsBlake3};
//! # use quorate::ed25519::Ed25519;
//! # use quorate::machine::Time;
//! # use quorate::scheme::Scheme;
//! use std::sync::{Arc, Mutex};
//! use std::time::{SystemTime, UNIX_EPOCH};
//!
//! fn now() -> Time {
//!     Time(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as u64))
//! }
//!
//! let config = SignerConfig { log2_batch: 3, low_water: 16, ..SignerConfig::default() };
//! let mut rng = getrandom::SysRng;
//! let signer = Signer::<WotsBlake3>::new(Ed25519::generate(&mut rng)?, vec![], config, &mut rng)?;
//! let foreground = Arc::new(Mutex::new(signer));
//! let background = foreground.clone();
//! let thread = std::thread::spawn(move || -> quorate::Result<()> {
//!     loop {
//!         let plan = background.lock().unwrap().plan(&mut getrandom::SysRng, now())?;
//!         let Some(plan) = plan else { return Ok(()) };      // a real thread sleeps and continues
//!         let batch = plan.make()?;                          // slow, without the lock
//!         let _to_be_sent = background.lock().unwrap().add(batch);
//!     }
//! });
//! # thread.join().unwrap()?;
//! let signature = foreground.lock().unwrap().sign(b"SET a 1", &[], now())?;
//! # Ok::<(), quorate::Error>(())
//! ```

mod auditor;
mod batch;
mod block;
mod cell;
#[cfg(feature = "driver")]
pub mod driver;
pub mod dynamic;
mod evidence;
mod fast;
mod haraka;
mod hash_chain;
mod hors;
mod key_tree;
mod one_time;
mod process;
mod signature;
mod signer;
mod signer_config;
mod single_block;
mod suite;
mod tree;
mod verifier;
mod wots;

pub use auditor::{Auditor, Entry, verify_all};
pub use batch::{Batch, Plan};
pub use evidence::Reuse;
pub use hash_chain::{Blake3, ChainHash, Haraka256, Haraka512, Sha256};
pub use hors::{HorsF, HorsM};
pub use one_time::OneTimeScheme;
pub use signature::{Announcement, Signature};
pub use signer::{Announced, Signer};
pub use signer_config::SignerConfig;
pub use suite::{
    DsigSuite, HorsFBlake3, HorsFHaraka256, HorsFSha256, HorsMBlake3, HorsMHaraka256, HorsMSha256,
    WotsBlake3, WotsBlake3Wide, WotsHaraka256, WotsHaraka512, WotsSha256,
};
pub use verifier::{AdmittedAnnouncement, VerifiedAnnouncement, VerifiedSignature, Verifier, VerifierConfig};
pub use wots::Wots;
