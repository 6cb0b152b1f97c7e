use core::num::NonZeroU16;

use super::group::Field;
use crate::machine::MemberIndex;
use crate::{Error, Result};

/// Maximum number of parties that share a secret. Lagrange coefficients cost t² and decoding n², so this bounds the
/// cost that a message can cause to a fraction of a second.
pub const MAX_PARTIES: u16 = 1_024;

/// Position of a party's share on the polynomial: 1 to 65,535. Zero, the position of the secret, is no index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ShareIndex(NonZeroU16);

impl ShareIndex {
    /// Returns the index of a committee's member: its member index plus one.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`] for 65,535, which no committee has.
    pub fn from_member(member: MemberIndex) -> Result<Self> {
        let one_above = member.checked_add(1).and_then(NonZeroU16::new);
        one_above.map(Self).ok_or(Error::UnknownSigner { index: member.into() })
    }

    /// Returns the member.
    pub fn member(self) -> MemberIndex {
        self.0.get() - 1
    }

    /// Returns the index, 1 to 65,535.
    pub fn get(self) -> u16 {
        self.0.get()
    }

    /// Returns the index as a scalar.
    pub fn scalar<F: Field>(self) -> F {
        F::from_u64(self.0.get().into())
    }

    /// Returns the indices of the first `parties` members.
    pub fn all(parties: u16) -> impl Iterator<Item = Self> {
        (1..=parties).filter_map(NonZeroU16::new).map(Self)
    }
}

/// A threshold: any `needed` of `parties` shares yield the secret, and fewer reveal nothing about it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Threshold {
    needed: u16,
    parties: u16,
}

impl Threshold {
    /// Creates a threshold.
    ///
    /// # Errors
    /// [`Error::BadCommittee`] unless 1 ≤ needed ≤ parties ≤ [`MAX_PARTIES`].
    pub fn new(needed: u16, parties: u16) -> Result<Self> {
        if parties > MAX_PARTIES {
            return Err(Error::BadCommittee { rule: "a secret is shared among at most 1,024 parties" });
        }
        if needed == 0 || needed > parties {
            return Err(Error::BadCommittee {
                rule: "a threshold is at least 1 and at most the number of parties",
            });
        }
        Ok(Self { needed, parties })
    }

    /// Creates a threshold from numbers that a [`Tolerance`](super::Tolerance) has validated.
    pub(super) fn trusted(needed: u16, parties: u16) -> Self {
        Self { needed, parties }
    }

    /// Returns the number of shares that yield the secret.
    pub fn needed(self) -> u16 {
        self.needed
    }

    /// Returns the number of shares.
    pub fn parties(self) -> u16 {
        self.parties
    }

    /// Checks that an index belongs to one of the parties.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`].
    pub fn check(self, index: ShareIndex) -> Result<()> {
        if index.get() <= self.parties {
            Ok(())
        } else {
            Err(Error::UnknownSigner { index: index.member().into() })
        }
    }
}
