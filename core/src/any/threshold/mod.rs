//! Threshold signatures with the group, the class and the suite chosen at run time, see [`crate::threshold`].
//!
//! | module | of what | chosen |
//! |---|---|---|
//! | [`ecdsa`] | [`crate::threshold::ecdsa`] | [`Group`], and [`Agreement`](crate::threshold::Agreement) by the [`Tag`](ecdsa::Tag) |
//! | `bls` | [`crate::threshold::bls`] (feature `bls`) | [`Suite`](super::Suite) |
//!
//! Threshold encryption, the coin and sealed files have one group and need none of this; their combiners take a part of
//! the same [`Cache`]. What is put together must be of one group: [`Error::WrongContext`] with `what: "group"` if not.
//!
//! The class is a type no more, and checked where it was one: a tag comes from a [`Plan`](crate::threshold::ecdsa::Plan)
//! only, which knows the class of each index, and a presignature takes the threshold of the tag it was taken with.
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
//!     log.extend(signed.record); // durable now, and only now the share may leave
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
pub mod ecdsa;
mod group;

pub use group::Group;

use alloc::vec::Vec;

use crate::Error;
use crate::machine::{Fault, MemberIndex};
use crate::threshold::combiner::{self, Instance};
use crate::threshold::{self, Field, lagrange};

type ScalarOf<G> = <G as threshold::Group>::Scalar;

/// Lagrange coefficients of all groups, see [`lagrange::Cache`]. One serves everything that combines: what takes the cache
/// of one group takes [`as_mut`](AsMut::as_mut) of this one.
#[derive(Debug)]
pub struct Cache {
    ristretto255: lagrange::Cache<ScalarOf<threshold::Ristretto255>>,
    secp256k1: lagrange::Cache<ScalarOf<threshold::Secp256k1>>,
    #[cfg(feature = "bls")]
    bls: lagrange::Cache<crate::bls::Fr>,
}

/// What follows from a share or an opening, see [`combiner::Outcome`].
#[must_use = "faults are to be recorded and openings to be asked for"]
#[derive(Debug)]
pub struct Outcome<S, E> {
    /// The signature, once there is one.
    pub signature: Option<S>,
    /// Ask these members for the openings of their shares.
    pub wanted: Vec<MemberIndex>,
    /// Who sent wrong shares.
    pub faults: Vec<Fault<E>>,
}

impl Cache {
    /// A cache of at most so many sets of members for each group, at least one.
    pub fn new(capacity: usize) -> Self {
        Self {
            ristretto255: lagrange::Cache::new(capacity),
            secp256k1: lagrange::Cache::new(capacity),
            #[cfg(feature = "bls")]
            bls: lagrange::Cache::new(capacity),
        }
    }
}

impl Default for Cache {
    fn default() -> Self {
        Self::new(lagrange::Cache::<ScalarOf<threshold::Ristretto255>>::DEFAULT_CAPACITY)
    }
}

/// Also the one of threshold encryption and of the coin.
impl AsMut<lagrange::Cache<ScalarOf<threshold::Ristretto255>>> for Cache {
    fn as_mut(&mut self) -> &mut lagrange::Cache<ScalarOf<threshold::Ristretto255>> {
        &mut self.ristretto255
    }
}

impl AsMut<lagrange::Cache<ScalarOf<threshold::Secp256k1>>> for Cache {
    fn as_mut(&mut self) -> &mut lagrange::Cache<ScalarOf<threshold::Secp256k1>> {
        &mut self.secp256k1
    }
}

#[cfg(feature = "bls")]
impl AsMut<lagrange::Cache<crate::bls::Fr>> for Cache {
    fn as_mut(&mut self) -> &mut lagrange::Cache<crate::bls::Fr> {
        &mut self.bls
    }
}

impl<I: Instance, S: From<I::Signature>, E: From<I::Evidence>> From<combiner::Outcome<I>> for Outcome<S, E> {
    fn from(outcome: combiner::Outcome<I>) -> Self {
        let fault =
            |fault: Fault<I::Evidence>| Fault { culprit: fault.culprit, evidence: fault.evidence.into() };
        Self {
            signature: outcome.signature.map(S::from),
            wanted: outcome.wanted,
            faults: outcome.faults.into_iter().map(fault).collect(),
        }
    }
}

/// The part of a cache that some combiner takes.
fn part<F: Field>(cache: &mut Cache) -> &mut lagrange::Cache<F>
where
    Cache: AsMut<lagrange::Cache<F>>,
{
    cache.as_mut()
}

fn wrong_group() -> Error {
    Error::WrongContext { what: "group" }
}
