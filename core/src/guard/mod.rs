//! A signing key that never signs contradicting statements.
//!
//! A [`Guard`] owns a validator's secret key and signs statements under one rule: per kind, the pair (epoch, view) of
//! signed statements strictly increases; the last pair may repeat only with the **identical statement**, which gives
//! the same vote again. Whatever errors the consensus code makes, and whatever state it loses in a crash, the key never
//! signs two contradicting statements.
//!
//! Each signature comes with a [`GuardRecord`] of fixed size:
//!
//! 1. `sign` returns the vote and the record, and keeps the record in memory.
//! 2. The caller makes the record **durable** (file and directory).
//! 3. Only then does the vote leave.
//!
//! After a crash [`Guard::restore`] takes the records: all of them or only the last one of each kind, in any order. A
//! record that was lost before it was durable does no harm, because its vote never left. If making a record durable
//! fails, drop the vote and stop; the guard in memory continues to refuse contradicting statements.
//!
//! A record names its key, chain and suite. A data directory that was copied to another validator or used for another
//! chain is therefore refused.
//!
//! | bytes | field of a record |
//! |---|---|
//! | 32 | binding: BLAKE3 under [`GUARD`](crate::wire::domain::GUARD) of suite 1, chain 32, public key |
//! | 1 | kind |
//! | 8 | epoch |
//! | 8 | view |
//! | 32 | [identity](crate::certificate::Statement::identity) of the statement, which binds the committee |
//!
//! A member of a threshold key records its spent presignatures in the same journal ([`spend`](Guard::spend)). The rule
//! for them is simpler: each presignature signs at most one message. These records have the same form with another
//! binding, which is BLAKE3 over the same bytes followed by a byte 1:
//!
//! | kind | meaning | epoch | view | identity |
//! |---|---|---|---|---|
//! | 0 | one presignature is spent | its epoch | first 4 bytes of the key's id · 2³² + index | digest that it signs |
//! | 1 | a block of 1,024 is reserved | its epoch | … · 2³² + index / 1,024 | zero |
//! | 2 | an epoch and all earlier ones are closed | the epoch | … · 2³² | zero |
//!
//! # Guard your own chain
//!
//! A `JournaledGuard` (feature `journal`) has its records in a directory and performs the three steps: a
//! vote cannot be had before its record is durable. One process can open a directory, and a journal never starts anew by
//! itself. Statements of the chain's own form are hashed into the digest.
//!
//! ```
//! # #[cfg(all(feature = "journal", feature = "ed25519"))] {
//! use quorate::certificate::Kind;
//! use quorate::committee::{ChainId, Committee};
//! use quorate::ed25519::Ed25519;
//! use quorate::guard::JournaledGuard;
//! use quorate::scheme::{Scheme, VerifiedKey};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! const PREVOTE: Kind = Kind::new(1); // one kind per phase of the protocol
//!
//! # let directory = tempfile::tempdir()?;
//! # let directory = directory.path().join("signatures");
//! let secret = Ed25519::generate(&mut getrandom::SysRng)?;
//! let key_file = Ed25519::secret_to_bytes(&secret);
//! let chain = ChainId::from_name("my chain");
//! let committee = Committee::<Ed25519>::new(chain, 0, vec![(VerifiedKey::from_secret(&secret), 1)])?;
//!
//! // Once, when the key is made:
//! let mut guard = JournaledGuard::<Ed25519>::create(&directory, secret, chain)?;
//! let vote = guard.sign(&committee, committee.statement(PREVOTE, 5, [1; 32]))?; // durable; it may leave
//! drop(guard);
//!
//! // At each start after that:
//! let secret = Ed25519::secret_from_bytes(key_file.as_ref())?;
//! let mut guard = JournaledGuard::<Ed25519>::open(&directory, secret, chain)?;
//! let refused = guard.sign(&committee, committee.statement(PREVOTE, 5, [2; 32]));
//! assert_eq!(refused.unwrap_err().code(), "CONTRADICTION");
//! assert!(guard.sign(&committee, committee.statement(PREVOTE, 5, [1; 32]))? == vote);
//! # Ok(()) } main().unwrap(); }
//! ```
//!
//! # Rollback
//!
//! Records can also be lost **without a crash**: a data directory is copied while the process runs, or restored from a
//! backup. The guard alone cannot detect that. [`Guard::restore_above`] takes a [`Floor`], which a [`MonotonicCounter`]
//! outside the data directory gives: the highest *mark*, view · 256 + kind, of a signature that may have left. A guard with
//! such a floor signs in strictly ascending order of marks, over all kinds, and nothing up to the floor; the last statement
//! of a kind may repeat. Views from 2⁵⁶ on are refused, because they have no marks. If the records end below the floor, [`Guard::is_stale`] says so. Views must not begin anew with an
//! epoch then.
//!
//! A guard cannot detect **two processes with one key**: each process would be consistent by itself. Nor does it relate
//! one kind to another: the rule that a member that gave up a view no longer votes in it belongs to the protocol.
//!
//! ```
//! # #[cfg(feature = "ed25519")] {
//! use quorate::certificate::Kind;
//! use quorate::committee::{ChainId, Committee};
//! use quorate::ed25519::Ed25519;
//! use quorate::guard::Guard;
//! use quorate::scheme::{Scheme, VerifiedKey};
//!
//! # fn main() -> quorate::Result<()> {
//! let secret = Ed25519::generate(&mut getrandom::SysRng)?;
//! let on_disk = Ed25519::secret_to_bytes(&secret);
//! let chain = ChainId::from_name("example");
//! let committee = Committee::<Ed25519>::new(chain, 0, vec![(VerifiedKey::from_secret(&secret), 1)])?;
//!
//! let mut guard = Guard::<Ed25519>::new(secret, chain);
//! let (vote, record) = guard.sign(&committee, committee.statement(Kind::new(1), 5, [1; 32]))?;
//! let log = vec![record];                       // once the record is durable, `vote` may leave
//!
//! // After a crash, the same key and the log:
//! let mut guard = Guard::<Ed25519>::restore(Ed25519::secret_from_bytes(on_disk.as_ref())?, chain, log)?;
//! let refused = guard.sign(&committee, committee.statement(Kind::new(1), 5, [2; 32]));
//! assert_eq!(refused.unwrap_err().code(), "CONTRADICTION");
//! let (again, _) = guard.sign(&committee, committee.statement(Kind::new(1), 5, [1; 32]))?;
//! assert!(again == vote);
//! # Ok(()) } main().unwrap(); }
//! ```

mod counter;
#[cfg(feature = "slashing-protection")]
pub mod ethereum;
mod external;
#[allow(clippy::module_inception)]
mod guard;
#[cfg(feature = "journal")]
mod journal;
mod record;
mod spending;

pub use counter::{Floor, MonotonicCounter};
pub use external::ExternalKey;
pub use guard::Guard;
#[cfg(feature = "journal")]
pub use journal::{JournalFile, JournaledGuard};
pub use record::GuardRecord;
pub use spending::{PRESIGNATURES_PER_BLOCK, Spend};
