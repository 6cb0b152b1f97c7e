use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::key::GroupKey;
use super::presignatures::Presignatures;
use crate::Result;
use crate::any::families::{each, methods, per, with};
use crate::any::threshold::group::Group;
use crate::committee::CommitteeId;
use crate::threshold::Tolerance;
use crate::threshold::ecdsa::{self, Plan};

type DealerOf<G> = ecdsa::TrustedDealer<G>;

per! { secret group:
    /// Generates a key and deals presignatures; **it knows the key**, see [`ecdsa::TrustedDealer`].
    TrustedDealer, DealerOf
}

impl TrustedDealer {
    /// Generates a new key for a committee.
    ///
    /// # Errors
    /// [`Error::Rng`](crate::Error::Rng) if the generator fails.
    pub fn new<R: TryCryptoRng + ?Sized>(
        group: Group,
        committee: CommitteeId,
        tolerance: Tolerance,
        rng: &mut R,
    ) -> Result<Self> {
        with!(group: group, G => DealerOf::<G>::new(committee, tolerance, rng).map(Self::from))
    }

    /// Restores the dealer of a stored key, to deal for further epochs.
    ///
    /// # Errors
    /// As [`ecdsa::TrustedDealer::from_bytes`].
    pub fn from_bytes(
        group: Group,
        committee: CommitteeId,
        tolerance: Tolerance,
        secret: &[u8; 32],
    ) -> Result<Self> {
        with!(group: group, G => DealerOf::<G>::from_bytes(committee, tolerance, secret).map(Self::from))
    }

    /// Deals the presignatures of one epoch and returns those of each party, in the parties' order. **Never deal an
    /// epoch twice.**
    ///
    /// # Errors
    /// As [`ecdsa::TrustedDealer::deal`].
    pub fn deal<R: TryCryptoRng + ?Sized>(
        &self,
        epoch: u64,
        plan: Plan,
        rng: &mut R,
    ) -> Result<Vec<Presignatures>> {
        each!(group: self, TrustedDealer, G, dealer => {
            Ok(dealer.deal(epoch, plan, rng)?.into_iter().map(Presignatures::from).collect())
        })
    }
}

methods! { group: self, TrustedDealer, G, dealer =>
    /// Returns the secret key.
    pub fn to_bytes(&self) -> Zeroizing<[u8; 32]> = dealer.to_bytes();

    /// Returns the public key.
    pub fn key(&self) -> GroupKey = Arc::clone(dealer.key()).into();
}

/// Omits the secret.
impl fmt::Debug for TrustedDealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TrustedDealer({})", self.group())
    }
}
