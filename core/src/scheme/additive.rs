use core::fmt;

use super::{Counts, Scheme};
use crate::Result;

/// A scheme whose signatures on one message add up, also where a member's is in the sum more than once: what an
/// order-free aggregate needs. It verifies a sum against every signer's key times its count.
///
/// | suite | scheme |
/// |---|---|
/// | 4 | [`bls::Counted<MinSig>`](crate::bls::Counted) |
/// | 5 | [`bls::Counted<MinPk>`](crate::bls::Counted) |
/// | 240 | `scheme::Toy` (feature `toy`), for simulations only |
pub trait Additive: Scheme<Proof = CountedProof<<Self as Scheme>::Signature>> {
    /// The sum of signatures. Nothing is verified. Cost: one addition each.
    ///
    /// # Errors
    /// [`Error::Infinity`](crate::Error::Infinity) if they cancel, or if there are none.
    fn add(signatures: &[&Self::Signature]) -> Result<Self::Signature>;

    /// `from` without Σ timesᵢ·signatureᵢ. Nothing is verified. Cost: one short multiplication each.
    ///
    /// # Errors
    /// [`Error::Infinity`](crate::Error::Infinity) if nothing is left.
    fn subtract(from: &Self::Signature, parts: &[(u16, &Self::Signature)]) -> Result<Self::Signature>;
}

/// A sum of signatures, and how often each signer's is in it.
#[derive(Clone, PartialEq, Eq)]
pub struct CountedProof<T> {
    pub(crate) signature: T,
    pub(crate) counts: Counts,
}

impl<T> CountedProof<T> {
    /// The sum.
    pub fn signature(&self) -> &T {
        &self.signature
    }

    /// How often each signer's signature is in it.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }
}

impl<T: fmt::Debug> fmt::Debug for CountedProof<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CountedProof({:?}, {:?})", self.signature, self.counts)
    }
}
