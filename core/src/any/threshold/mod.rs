//! Threshold signatures with group, class and suite chosen at run time, see [`crate::threshold`].
//!
//! | module | wraps | chosen at run time |
//! |---|---|---|
//! | [`ecdsa`] | [`crate::threshold::ecdsa`] | [`Group`], and [`Agreement`](crate::threshold::Agreement) by the [`Tag`](ecdsa::Tag) |
//! | `bls` | [`crate::threshold::bls`] (feature `bls`) | [`Suite`](super::Suite) |
//!
//! Threshold encryption, the coin and sealed files have one group and need no wrapper; their combiners use a part of
//! the same [`Cache`]. Objects used together must have the same group, or the call fails with [`Error::WrongContext`]
//! and `what: "group"`.
//!
//! The class is checked at run time instead of by a type: a tag comes only from a
//! [`Plan`](crate::threshold::ecdsa::Plan), which determines the class of each index, and a presignature has the
//! threshold of the tag with which it was taken.
//!
//! ```
//! use quorate::any::threshold::{Cache, Group, ecdsa};
//! use quorate::any::{Guard, SecretKey, Suite};
//! use quorate::committee::{ChainId, CommitteeId};
//! use quorate::threshold::{Tolerance, ecdsa::Plan};
//!
//! # fn main() -> quorate::Result<()> {
//! # let mut rng = getrandom::SysRng;
//! # let committee = CommitteeId([7; 32]);
//! let group = Group::from_name("secp256k1")?; // from a configuration file
//! let dealer = ecdsa::TrustedDealer::new(group, committee, Tolerance::new(4, 1)?, &mut rng)?;
//! let plan = Plan::Unagreed { count: 16 };
//! let mut parties = dealer.deal(1, plan, &mut rng)?;
//!
//! let tag = plan.unagreed(1, 0)?.into();
//! let mut combiner = ecdsa::Combiner::new(parties[0].signing(tag, b"pay 5 to Bob")?);
//! let (mut log, mut cache) = (vec![], Cache::default());
//! for party in &mut parties {
//!     let secret = SecretKey::generate(Suite::from_name("ed25519")?, &mut rng)?;
//!     let mut guard = Guard::new(secret, ChainId::from_name("example"));
//!     let signed = party.take(tag)?.sign(&mut guard, b"pay 5 to Bob")?;
//!     log.extend(signed.record); // make it durable before the share leaves
//!     let outcome = combiner.add(&mut cache, signed.share.member(), signed.share)?;
//!     if let Some(signature) = outcome.signature {
//!         dealer.key().verify(tag, b"pay 5 to Bob", &signature)?;
//!     }
//! }
//! assert_eq!(combiner.counts().combinations, 1);
//! # Ok(()) }
//! ```

#[cfg(feature = "bls")]
pub mod bls;
mod cache;
pub mod ecdsa;
mod group;
mod outcome;

pub use cache::Cache;
pub use group::Group;
pub use outcome::Outcome;

#[cfg(doc)]
use crate::Error;
