//! DSig (Aguilera et al., OSDI '24): signatures in about a microsecond. One-time hash-based keys sign, and Ed25519
//! signs those keys in batches, ahead of time.
//!
//! Two planes, both driven by their owner; nothing here starts a thread, unless the feature `driver` is asked for:
//!
//! * **background**: [`Signer::prepare`] makes a batch of up to 128 one-time keys and an [`Announcement`] of it, and
//!   [`Verifier::announce`] checks the batch's Ed25519 signature before any signature arrives;
//! * **foreground**: [`Signer::sign`] takes a key and copies values, [`Verifier::verify`] hashes.
//!
//! A signature stands for itself: whoever missed the announcement, or was never meant to get it, verifies with one
//! Ed25519 verification more ([`Signature::verify`]). It is laid out so, in 1,584 bytes (3,552 in suite 4):
//!
//! | bytes | field |
//! |---|---|
//! | 1 | suite |
//! | 1 | log2 of the batch's size, 0 to 7 |
//! | 2 | index of the key in the batch |
//! | 4 | zero |
//! | 32 | root of the batch's tree |
//! | 12 | salt of the key |
//! | 4 | zero |
//! | 16 | nonce |
//! | 64 | Ed25519 signature of `"quorate-v1-dsig-batch"` ‖ suite ‖ log2 ‖ signer's key ‖ root |
//! | 7·32 | siblings from the leaf to the root, bottom first; zero above the root |
//! | 68·18 or 133·24 | a value of each chain |
//!
//! **One key, one signature.** Two signatures of one key make forgeries easy. So a key is consumed by value and
//! wiped; nothing here can be cloned or serialised; keys expire, are dropped in a forked child, and are made of
//! fresh entropy in each batch; without a key there is [`Error::Exhausted`](crate::Error::Exhausted) and never a
//! second use. A verifier that meets a second use says so.
//!
//! Deviations from the paper: hash calls are tweaked by key, chain and step, where the paper has bitmasks, because
//! untweaked chains can be attacked many at a time; the Ed25519 signature binds suite, size and signer; a key, bound
//! to its salt by its own tree, is a leaf of the batch as it is, because one hash more is a tenth of verifying.
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
//! signature.verify(&alice, b"SET a 1")?;                    // anybody, without the announcement
//! assert!(signature.verify(&alice, b"SET a 2").is_err());
//! # Ok::<(), quorate::Error>(())
//! ```
//!
//! A background plane in a thread of its own holds the lock for moments only, so that signing never waits for it. With
//! the feature `driver` the module `driver` has such a thread: it wakes whoever waits for a key, and tells everybody
//! why it ended. This is how to have one's own:
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
//!         let Some(plan) = plan else { return Ok(()) };      // in earnest: sleep for a while, and go on
//!         let batch = plan.make()?;                          // long, and without the lock
//!         let _to_be_sent = background.lock().unwrap().add(batch);
//!     }
//! });
//! # thread.join().unwrap()?;
//! let signature = foreground.lock().unwrap().sign(b"SET a 1", &[], now())?;
//! # Ok::<(), quorate::Error>(())
//! ```

mod auditor;
mod batch;
mod chain;
#[cfg(feature = "driver")]
pub mod driver;
pub mod dynamic;
mod evidence;
mod fast;
mod haraka;
mod hors;
mod key_tree;
mod one_time;
mod process;
mod short;
mod signature;
mod signer;
mod suite;
mod tree;
mod verifier;
mod wots;

pub use auditor::{Auditor, Entry, verify_all};
pub use batch::{Batch, Plan};
pub use chain::{Blake3, ChainHash, Haraka256, Haraka512, Sha256};
pub use evidence::Reuse;
pub use hors::{HorsF, HorsM};
pub use one_time::OneTime;
pub use signature::{Announcement, Signature};
pub use signer::{Announced, Signer, SignerConfig};
pub use suite::{
    HorsFBlake3, HorsFHaraka256, HorsFSha256, HorsMBlake3, HorsMHaraka256, HorsMSha256, Suite, WotsBlake3,
    WotsBlake3Wide, WotsHaraka256, WotsHaraka512, WotsSha256,
};
pub use verifier::{Admitted, Checked, Verified, Verifier, VerifierConfig};
pub use wots::Wots;
