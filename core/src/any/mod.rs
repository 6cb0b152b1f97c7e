//! The building blocks with the suite chosen at run time: by a configuration file, by a peer's genesis, or by another
//! language.
//!
//! There is one type per concept. Each is an enum over the typed blocks; match on the enum to get the typed block, and use
//! `From` to convert back. (Suites 4 and 5 share the key and signature types of suites 1 and 2; construct the variant
//! directly for them.)
//!
//! Values that are combined must be of one suite. With the typed blocks the compiler checks that; here a mismatch is
//! [`Error::WrongContext`](crate::Error::WrongContext) with `what: "suite"`. **The caller names the suite for decoding,
//! never the bytes**: a peer does not choose the cryptography.
//!
//! Threshold signatures, which also have a choice of group and class, are in `threshold` (feature `threshold`).
//!
//! ```
//! use quorate::any::{Certificate, Committee, SecretKey, Suite, UnverifiedKey, Vote, VoteCollector};
//! use quorate::certificate::{Kind, Suspects};
//! use quorate::committee::ChainId;
//!
//! # fn main() -> quorate::Result<()> {
//! let suite = Suite::from_name("ed25519")?; // from a configuration file
//! let secrets = (0..4).map(|_| SecretKey::generate(suite, &mut getrandom::SysRng)).collect::<Result<Vec<_>, _>>()?;
//! let members = secrets.iter().map(|secret| Ok((UnverifiedKey::prove(secret).verify()?, 1)));
//! let committee = Committee::new(ChainId::from_name("example"), 0, members.collect::<quorate::Result<_>>()?)?;
//!
//! let statement = committee.statement(Kind::new(1), 7, [42; 32]);
//! let (mut collector, mut suspects) = (VoteCollector::new(&committee, Kind::new(1), 7), Suspects::new());
//! let mut certificate = None;
//! for secret in &secrets {
//!     let vote = Vote::sign_unguarded(secret, &committee, statement)?;
//!     certificate = certificate.or(collector.add(vote, &mut suspects)?.certificate);
//! }
//! let bytes = certificate.ok_or(quorate::Error::NotEvidence)?.encode();
//! assert_eq!(Certificate::decode(&bytes, &committee)?.verify(&committee)?.signers().len(), 3);
//! # Ok(()) }
//! ```

mod certificates;
mod collectors;
mod committee;
mod dispatch;
mod evidence;
mod families;
mod guard;
#[cfg(feature = "journal")]
mod journaled;
mod keys;
#[cfg(feature = "light")]
mod light;
mod suite;
mod timeouts;
mod votes;

#[cfg(feature = "gossip")]
mod aggregates;
#[cfg(feature = "bls")]
pub mod bls;
#[cfg(feature = "sortition")]
mod lottery;
#[cfg(feature = "threshold")]
pub mod threshold;

#[cfg(feature = "gossip")]
pub use aggregates::{Aggregate, Gossip, Pool};
pub use certificates::Certificate;
pub use collectors::{Collected, TimeoutCollector, VoteCollector, VoteFault};
pub use committee::Committee;
pub(crate) use dispatch::{Choice, ForScheme};
pub use evidence::{Conflict, Equivocation};
pub use guard::Guard;
#[cfg(feature = "journal")]
pub use journaled::JournaledGuard;
pub use keys::{PublicKey, SecretKey, Signature, UnverifiedKey, VerifiedKey};
#[cfg(feature = "light")]
pub use light::LightClient;
#[cfg(feature = "sortition")]
pub use lottery::{Lottery, SeedProof, Ticket};
pub use suite::Suite;
pub use timeouts::{TimeoutCertificate, TimeoutVote};
pub use votes::Vote;
