/// A counter that never decreases, stored where a rollback of the guard's records does not reach it.
///
/// A copy of a data directory that is restored later lacks the records of the signatures made since, and a guard restored
/// from it would sign again. The counter shows that: examples are a file on another disk, a counter of a TPM, and a remote
/// signer. The order is fixed:
///
/// 1. the record is durable;
/// 2. [`advance`](MonotonicCounter::advance) with the record's [mark](super::GuardRecord::mark) has returned;
/// 3. the signature leaves.
///
/// A crash between 1 and 2 leaves a record above the counter, which is harmless. In the other order, a crash would be
/// reported as a rollback.
pub trait MonotonicCounter {
    /// Error of the storage.
    type Error;

    /// Returns the highest value that [`advance`](MonotonicCounter::advance) was called with; 0 for a new counter.
    ///
    /// # Errors
    /// If the counter cannot be read. Do not start a guard then.
    fn read(&mut self) -> Result<u64, Self::Error>;

    /// Raises the counter to `value`, and returns once that is durable. A lower value changes nothing.
    ///
    /// # Errors
    /// If the value may not be durable. The signature must not leave then.
    fn advance(&mut self, value: u64) -> Result<(), Self::Error>;
}

/// The value of a [`MonotonicCounter`] at the start of a guard: the highest mark of a signature that may have left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Floor(u64);

impl Floor {
    /// Reads the counter.
    ///
    /// # Errors
    /// Those of the counter.
    pub fn read<C: MonotonicCounter>(counter: &mut C) -> Result<Self, C::Error> {
        counter.read().map(Self)
    }

    #[cfg(feature = "journal")]
    pub(super) const fn new(mark: u64) -> Self {
        Self(mark)
    }

    /// Returns the value that was read.
    pub fn mark(self) -> u64 {
        self.0
    }

    /// Returns the view of the last signature that may have left.
    pub fn view(self) -> u64 {
        self.0 >> 8
    }
}
