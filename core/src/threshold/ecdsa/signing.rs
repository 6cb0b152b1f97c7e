use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::curve::Curve;
use super::deal::{Deal, Opening};
use super::evidence::ShareFault;
use super::key::GroupKey;
use super::share::SignatureShare;
use super::signature::Signature;
use super::slot::Slot;
use super::tag::Tag;
use crate::threshold::combiner::Instance;
use crate::threshold::decode::decode;
use crate::threshold::index::{ShareIndex, Threshold};
use crate::threshold::lagrange;
use crate::threshold::tolerance::{Agreement, Class};
use crate::{Error, Result};

/// A message under a tag, for a [`Combiner`](crate::threshold::Combiner) of its shares. The class of the tag
/// determines the threshold.
#[derive(Clone)]
pub struct Signing<G: Curve, C: Class> {
    key: Arc<GroupKey<G>>,
    deal: Arc<Deal>,
    tag: Tag<C>,
    slot: Slot,
    nonce: G::Nonce,
    message: Vec<u8>,
    digest: [u8; 32],
    h: G::Scalar,
    r: G::Scalar,
}

impl<G: Curve, C: Class> Signing<G, C> {
    /// Creates an instance without a party's file; parties call
    /// [`Presignatures::signing`](super::Presignatures::signing). With a wrong nonce every combination fails.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if key, deal and tag do not match.
    pub fn new(
        key: Arc<GroupKey<G>>,
        deal: Arc<Deal>,
        nonce: G::Nonce,
        tag: Tag<C>,
        message: &[u8],
    ) -> Result<Self> {
        deal.require(&key)?;
        deal.require_epoch("epoch of the tag", tag.epoch())?;
        deal.plan.require(tag)?;
        let slot = key.slot(tag.epoch(), tag.index());
        let (h, r) = (G::h(&slot, &nonce, message), G::r(&slot, &nonce));
        Ok(Self {
            digest: slot.digest(message),
            key,
            deal,
            tag,
            slot,
            nonce,
            message: message.to_vec(),
            h,
            r,
        })
    }

    /// Returns the message.
    pub fn message(&self) -> &[u8] {
        &self.message
    }

    /// Returns the encoded R, an argument of [`new`](Signing::new) for processes without a party's file.
    pub fn nonce(&self) -> &G::Nonce {
        &self.nonce
    }

    /// Returns the tag.
    pub fn tag(&self) -> Tag<C> {
        self.tag
    }

    /// Returns the signature with this s, if it verifies. Cost: as [`GroupKey::verify`].
    fn finish(&self, s: G::Scalar) -> Option<Signature<G>> {
        let signature = Signature::new(&self.nonce, &self.r, s)?;
        self.key.verify_numbers(&signature, self.h, self.r).then_some(signature)
    }
}

impl<G: Curve, C: Class> Instance for Signing<G, C> {
    type Scalar = G::Scalar;
    type Share = SignatureShare<G>;
    type Opening = Opening<G>;
    type Signature = Signature<G>;
    type Evidence = ShareFault<G>;

    fn threshold(&self) -> Threshold {
        self.key.tolerance().threshold::<C>()
    }

    fn faulty(&self) -> u16 {
        self.key.tolerance().faulty()
    }

    fn index(&self, share: &SignatureShare<G>) -> Result<ShareIndex> {
        // The digest also binds key, epoch and index.
        if share.digest != self.digest || share.epoch != self.slot.epoch || share.index != self.slot.index {
            return Err(Error::WrongContext { what: "message or presignature of the share" });
        }
        let index = ShareIndex::from_member(share.member)?;
        self.threshold().check(index)?;
        Ok(index)
    }

    fn combine(&self, coefficients: &[G::Scalar], shares: &[&SignatureShare<G>]) -> Option<Signature<G>> {
        self.finish(lagrange::interpolate(coefficients, shares.iter().map(|share| share.s)))
    }

    /// Cost, with an opening: three multiplications in one pass, a square root, and a hash for each level of the
    /// tree.
    fn check(&self, share: &SignatureShare<G>, opening: Option<&Opening<G>>) -> Result<Option<bool>> {
        let Some(opening) = opening else { return Ok(None) };
        if opening.member != share.member || opening.index() != share.index || opening.nonce != self.nonce {
            return Err(Error::WrongContext { what: "share of the opening" });
        }
        opening.verify(&self.deal)?;
        opening.verify_share(self.h, self.r, share.s).map(Some)
    }

    fn evidence(&self, share: &SignatureShare<G>, opening: Option<&Opening<G>>) -> ShareFault<G> {
        match opening {
            Some(opening) => ShareFault::opened(self.message.clone(), share.clone(), opening.clone()),
            None => ShareFault::outlier(share.clone(), Vec::new()),
        }
    }

    fn can_decode(&self) -> bool {
        C::AGREEMENT == Agreement::Agreed
    }

    fn decode(&self, shares: &[&SignatureShare<G>]) -> Option<(Signature<G>, Vec<ShareIndex>)> {
        let points: Option<Vec<_>> =
            shares.iter().map(|share| Some((ShareIndex::from_member(share.member).ok()?, share.s))).collect();
        let decoded = decode(self.threshold().needed(), &points?).ok()?;
        Some((self.finish(decoded.secret())?, decoded.culprits))
    }

    fn evidence_of_outlier(
        &self,
        outlier: &SignatureShare<G>,
        others: &[&SignatureShare<G>],
    ) -> ShareFault<G> {
        ShareFault::outlier(outlier.clone(), others.iter().map(|share| (*share).clone()).collect())
    }
}

impl<G: Curve, C: Class> fmt::Debug for Signing<G, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signing").field("slot", &self.slot).finish_non_exhaustive()
    }
}
