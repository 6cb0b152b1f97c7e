use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;

use super::evidence::ShareFault;
use super::public::PublicKeys;
use super::purpose::Purpose;
use super::share::{Instance, Share, VerifiedShare};
use crate::Result;
use crate::machine::MemberIndex;
use crate::threshold::lagrange;

/// Result of adding a share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collected<T, P: Purpose> {
    /// The output; returned once.
    pub output: Option<T>,
    /// Shares that failed verification.
    pub faults: Vec<ShareFault<P>>,
}

/// The shares of one instance received so far: one per member, verified or not.
///
/// A share is verified only when the result matters. A second, different share of a member causes the first to be
/// verified, so that a forged share cannot displace the member's own.
pub(crate) struct SharePool<P: Purpose> {
    pub(crate) keys: Arc<PublicKeys<P>>,
    pub(crate) instance: Instance<P>,
    pending: BTreeMap<MemberIndex, Share<P>>,
    verified: BTreeMap<MemberIndex, VerifiedShare<P>>,
}

impl<P: Purpose> SharePool<P> {
    /// # Errors
    /// [`Error::WrongContext`](crate::Error::WrongContext) if the instance belongs to other keys.
    pub(crate) fn new(keys: Arc<PublicKeys<P>>, instance: Instance<P>) -> Result<Self> {
        instance.belongs_to(keys.committee(), keys.key())?;
        Ok(Self { keys, instance, pending: BTreeMap::new(), verified: BTreeMap::new() })
    }

    /// Adds a share.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`](crate::Error::UnknownSigner).
    pub(crate) fn hold(&mut self, share: Share<P>, faults: &mut Vec<ShareFault<P>>) -> Result<()> {
        self.keys.threshold().check(share.index)?;
        let member = share.member();
        if self.verified.contains_key(&member) {
            return Ok(());
        }
        if let Some(first) = self.pending.get(&member).filter(|first| **first != share) {
            let checked = self.keys.verify_shares(&self.instance, core::slice::from_ref(first))?;
            self.pending.remove(&member);
            faults.extend(checked.faults);
            if let Some(good) = checked.verified.into_iter().next() {
                self.verified.insert(member, good);
                return Ok(());
            }
        }
        self.pending.insert(member, share);
        Ok(())
    }

    /// Returns true if there are enough shares, verified or not.
    pub(crate) fn is_enough(&self) -> bool {
        self.pending.len() + self.verified.len() >= usize::from(self.keys.threshold().needed())
    }

    /// Verifies the pending shares.
    pub(crate) fn verify_pending(&mut self, faults: &mut Vec<ShareFault<P>>) -> Result<()> {
        let shares: Vec<_> = core::mem::take(&mut self.pending).into_values().collect();
        let checked = self.keys.verify_shares(&self.instance, &shares)?;
        self.verified.extend(checked.verified.into_iter().map(|share| (share.member(), share)));
        faults.extend(checked.faults);
        Ok(())
    }

    /// Returns x·B if there are enough verified shares.
    pub(crate) fn combine(&self, cache: &mut lagrange::Cache<Scalar>) -> Result<Option<RistrettoPoint>> {
        if self.verified.len() < usize::from(self.keys.threshold().needed()) {
            return Ok(None);
        }
        let shares: Vec<_> = self.verified.values().copied().collect();
        self.keys.combine(&self.instance, &shares, cache).map(Some)
    }

    /// Combines the shares as they are, verified or not. The result may be wrong.
    pub(crate) fn guess(&self, cache: &mut lagrange::Cache<Scalar>) -> Result<RistrettoPoint> {
        let checked = self.verified.values().map(|share| (share.index(), *share.point()));
        let pending = self.pending.values().map(|share| (share.index, share.point));
        self.keys.interpolate(checked.chain(pending).collect(), cache)
    }
}
