//! The verified aggregates of one statement.

use quorate::any;
use quorate::{Result, gossip};

use super::{Aggregate, Parameters, VerifiedAggregate, signed};
use crate::Locked;
use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::signers::SignerSet;
use crate::statement::Statement;

/// Maximum number of aggregates in a pool.
#[cfg_attr(binding, within = "Pool")]
pub const MAX_POOL: u32 = 8;

const _: () = assert!(MAX_POOL as usize == gossip::MAX_POOL);

/// Some verified aggregates of one statement from any source, and single signatures: the sum of those that can be added
/// with low counts. A gossip uses one beside its own sums; a protocol with another dissemination method needs only this.
/// Threads may share it.
#[derive(Debug)]
#[cfg_attr(binding, object)]
pub struct Pool(Locked<any::Pool>);

impl Pool {
    calls! {
        /// Creates an empty pool of member `me`.
        /// [`Error::WrongContext`](quorate::Error) for a suite without counts.
        fn new(
            committee: &Committee,
            me: u16,
            statement: &Statement,
            parameters: Option<&Parameters>,
        ) -> Result<Self> {
            any::Pool::new(&committee.0, me, statement.0, Parameters::chosen(parameters)).map(Self::from_core)
        }
        /// The signed statement.
        getter fn statement(&self) -> Statement { Statement(*self.0.lock().statement()) }
        /// Returns true if [`Pool::insert`] would accept this: it adds a new signer, and there is no certificate yet. It
        /// uses no cryptography, so call it before verifying.
        /// [`Error::WrongContext`](quorate::Error) for another committee or statement.
        /// [`Error::TooLarge`](quorate::Error) for a count above the limit.
        quick fn wants(&self, aggregate: &Aggregate) -> Result<bool> { self.0.lock().wants(&aggregate.0) }
        /// Inserts a verified aggregate. Returns false if it changes nothing.
        /// [`Error::WrongContext`](quorate::Error) for another committee or statement.
        /// [`Error::TooLarge`](quorate::Error) for a count above the limit.
        fn insert(&self, aggregate: &VerifiedAggregate) -> Result<bool> {
            self.0.lock().insert(aggregate.0.clone())
        }
        /// A new set of all members whose signature is in some aggregate of the pool.
        getter fn signers(&self) -> SignerSet { self.0.lock().signers().clone().into() }
        /// The sum of all aggregates that can be added, or that of the certificate; nothing if the pool is empty.
        getter fn best(&self) -> Option<VerifiedAggregate> { self.0.lock().best().map(VerifiedAggregate) }
        /// All aggregates in the pool.
        getter fn aggregates(&self) -> Vec<VerifiedAggregate> {
            self.0.lock().aggregates().into_iter().map(VerifiedAggregate).collect()
        }
        /// The certificate, once the signers are a quorum.
        getter fn certificate(&self) -> Option<VerifiedCertificate> {
            self.0.lock().certificate().map(VerifiedCertificate)
        }
    }

    pub(super) fn from_core(pool: any::Pool) -> Self {
        Self(Locked::new(pool))
    }
}

shown! {
    Pool: |self, f| {
        f.write_str("Pool(")?;
        signed(f, &self.signers())?;
        f.write_str(")")
    };
}
