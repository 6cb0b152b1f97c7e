use core::fmt;

use super::counts::Counts;
use super::traits::Scheme;
use crate::Result;

/// A scheme whose signatures on one message can be summed even if a member's signature is in the sum more than once.
///
/// Order-free aggregates need this property. A sum verifies against the sum of each signer's key times its count.
///
/// | suite | scheme |
/// |---|---|
/// | 4 | [`bls::Counted<MinSig>`](crate::bls::Counted) |
/// | 5 | [`bls::Counted<MinPk>`](crate::bls::Counted) |
/// | 240 | `scheme::Toy` (feature `toy`), for simulations only |
pub trait Additive: Scheme<Proof = CountedProof<<Self as Scheme>::Signature>> {
    /// Sums signatures. Nothing is verified. Cost: one addition per signature.
    ///
    /// # Errors
    /// [`Error::Infinity`](crate::Error::Infinity) if they cancel, or if `signatures` is empty.
    fn add(signatures: &[&Self::Signature]) -> Result<Self::Signature>;

    /// Subtracts Σ timesᵢ·signatureᵢ from `from`. Nothing is verified. Cost: one short multiplication per part.
    ///
    /// # Errors
    /// [`Error::Infinity`](crate::Error::Infinity) if nothing is left.
    fn subtract(from: &Self::Signature, parts: &[(u16, &Self::Signature)]) -> Result<Self::Signature>;
}

/// A sum of signatures with the count of each signer's signature in it.
#[derive(Clone, PartialEq, Eq)]
pub struct CountedProof<T> {
    pub(crate) signature: T,
    pub(crate) counts: Counts,
}

impl<T> CountedProof<T> {
    /// Returns the sum.
    pub fn signature(&self) -> &T {
        &self.signature
    }

    /// Returns the count of each signer's signature.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }
}

impl<T: fmt::Debug> fmt::Debug for CountedProof<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CountedProof({:?}, {:?})", self.signature, self.counts)
    }
}
