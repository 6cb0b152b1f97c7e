use alloc::sync::Arc;

use crate::committee::{ChainId, Committee};
use crate::ed25519::Ed25519;
use crate::scheme::Scheme;
use crate::{Error, Result};

/// The two committees of an epoch: the same members in the same order, with the same weights.
#[derive(Clone, Debug)]
pub struct Committees<S: Scheme> {
    voters: Arc<Committee<S>>,
    identities: Arc<Committee<Ed25519>>,
}

impl<S: Scheme> Committees<S> {
    /// Combines the committee of voting keys, whose certificates commit blocks, with that of identity keys, which sign
    /// Jolteon's proposals and allow Gosig's changes of the members.
    ///
    /// # Errors
    /// [`Error::BadCommittee`] if they differ in chain, epoch, number of members or a weight.
    pub fn new(voters: Arc<Committee<S>>, identities: Arc<Committee<Ed25519>>) -> Result<Self> {
        let equal_weights = || (0..voters.len()).all(|i| voters.weight(i) == identities.weight(i));
        let context = (voters.chain(), voters.epoch(), voters.len());
        if context != (identities.chain(), identities.epoch(), identities.len()) || !equal_weights() {
            return Err(Error::BadCommittee {
                rule: "voters and identities differ in chain, epoch, number of members or weights",
            });
        }
        Ok(Self { voters, identities })
    }

    /// Returns the committee of voting keys.
    pub fn voters(&self) -> &Arc<Committee<S>> {
        &self.voters
    }

    /// Returns the committee of identity keys.
    pub fn identities(&self) -> &Arc<Committee<Ed25519>> {
        &self.identities
    }

    /// Returns the epoch.
    pub fn epoch(&self) -> u64 {
        self.voters.epoch()
    }

    /// Returns the chain.
    pub fn chain(&self) -> ChainId {
        self.voters.chain()
    }
}
