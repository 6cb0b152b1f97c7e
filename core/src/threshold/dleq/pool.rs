use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;

use super::evidence::ShareFault;
use super::keys::Purpose;
use super::public::PublicKeys;
use super::share::{Instance, Share, VerifiedShare};
use crate::Result;
use crate::machine::MemberIndex;
use crate::threshold::lagrange;

/// What came of one share more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collected<T, P: Purpose> {
    /// The result, once.
    pub output: Option<T>,
    /// Shares that turned out to be wrong.
    pub faults: Vec<ShareFault<P>>,
}

/// The shares of one instance that have come so far: one of each member, checked or not.
///
/// A share is checked when it matters and not before. A second, different share in a member's name has the first one
/// checked, so that a forged one cannot keep the member's own out.
pub(crate) struct Pool<P: Purpose> {
    pub(crate) keys: Arc<PublicKeys<P>>,
    pub(crate) instance: Instance<P>,
    pending: BTreeMap<MemberIndex, Share<P>>,
    verified: BTreeMap<MemberIndex, VerifiedShare<P>>,
}

impl<P: Purpose> Pool<P> {
    /// # Errors
    /// [`Error::WrongContext`](crate::Error::WrongContext) if the instance belongs to other keys.
    pub(crate) fn new(keys: Arc<PublicKeys<P>>, instance: Instance<P>) -> Result<Self> {
        instance.belongs_to(keys.committee(), keys.key())?;
        Ok(Self { keys, instance, pending: BTreeMap::new(), verified: BTreeMap::new() })
    }

    /// Takes a share in.
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

    /// Whether enough are here, checked or not.
    pub(crate) fn is_enough(&self) -> bool {
        self.pending.len() + self.verified.len() >= usize::from(self.keys.threshold().needed())
    }

    /// Checks what is not checked yet.
    pub(crate) fn settle(&mut self, faults: &mut Vec<ShareFault<P>>) -> Result<()> {
        let shares: Vec<_> = core::mem::take(&mut self.pending).into_values().collect();
        let checked = self.keys.verify_shares(&self.instance, &shares)?;
        self.verified.extend(checked.verified.into_iter().map(|share| (share.member(), share)));
        faults.extend(checked.faults);
        Ok(())
    }

    /// x·B, if enough checked shares are here.
    pub(crate) fn combine(&self, cache: &mut lagrange::Cache<Scalar>) -> Result<Option<RistrettoPoint>> {
        if self.verified.len() < usize::from(self.keys.threshold().needed()) {
            return Ok(None);
        }
        let shares: Vec<_> = self.verified.values().copied().collect();
        self.keys.combine(&self.instance, &shares, cache).map(Some)
    }

    /// What comes of the shares as they are, checked or not: perhaps x·B.
    pub(crate) fn guess(&self, cache: &mut lagrange::Cache<Scalar>) -> Result<RistrettoPoint> {
        let checked = self.verified.values().map(|share| (share.index(), *share.point()));
        let pending = self.pending.values().map(|share| (share.index, share.point));
        self.keys.interpolate(checked.chain(pending).collect(), cache)
    }
}
