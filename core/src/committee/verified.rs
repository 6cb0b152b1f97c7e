use core::ops::Deref;

use super::CommitteeId;

/// A value that was checked against a committee. Only this crate's checks make one, so a function that takes it
/// need not check the signatures again. **Which** committee it was is not in the type: compare
/// [`committee`](Verified::committee) with the id of the one at hand, as the collectors do. Equal ids mean equal chain,
/// epoch, suite, keys and weights.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Verified<T> {
    value: T,
    committee: CommitteeId,
}

impl<T> Verified<T> {
    /// For this crate's checks only.
    pub(crate) fn assume(value: T, committee: CommitteeId) -> Self {
        Self { value, committee }
    }

    /// Against which committee the value was checked.
    pub fn committee(&self) -> CommitteeId {
        self.committee
    }

    /// The value alone, which forgets that it was checked.
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
