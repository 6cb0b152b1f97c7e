use core::ops::Deref;

use super::identity::CommitteeId;

/// A value whose signatures were verified against a committee.
///
/// Only the verification functions of this crate create one, so a function that takes it need not verify the signatures
/// again. The type does not say **which** committee it was: compare [`committee`](Verified::committee) with the expected
/// identifier, as the collectors do. Equal identifiers mean equal chain, epoch, suite, keys and weights.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Verified<T> {
    value: T,
    committee: CommitteeId,
}

impl<T> Verified<T> {
    /// Marks a value as verified. Only the verification functions of this crate may call it.
    pub(crate) fn assume(value: T, committee: CommitteeId) -> Self {
        Self { value, committee }
    }

    /// Returns the identifier of the committee against which the value was verified.
    pub fn committee(&self) -> CommitteeId {
        self.committee
    }

    /// Returns the value, no longer marked as verified.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for Verified<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}
