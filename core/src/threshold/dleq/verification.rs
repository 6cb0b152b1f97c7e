use alloc::boxed::Box;
use alloc::vec::Vec;

use super::batch::Batch;
use super::evidence::{ShareFault, WrongShare};
use super::public::PublicKeys;
use super::purpose::Purpose;
use super::share::{Instance, Share, VerifiedShare};
use crate::{Error, Result};

/// Result of verifying shares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked<P: Purpose> {
    /// Right shares, in order of input.
    pub verified: Vec<VerifiedShare<P>>,
    /// Wrong shares, in order of input.
    pub faults: Vec<ShareFault<P>>,
}

impl<P: Purpose> PublicKeys<P> {
    /// Verifies one share. Cost: one sum of six products, 1.5 multiplications.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the instance belongs to other keys, [`Error::UnknownSigner`], [`Error::BadShare`].
    pub fn verify_share(&self, instance: &Instance<P>, share: &Share<P>) -> Result<VerifiedShare<P>> {
        instance.belongs_to(self.committee(), self.key())?;
        self.threshold().check(share.index)?;
        let checked = self.verify_shares(instance, core::slice::from_ref(share))?;
        let bad = Error::BadShare { members: [share.member()].into() };
        checked.verified.into_iter().next().ok_or(bad)
    }

    /// Verifies many shares of one instance with one sum. If it fails, halves are verified recursively until every
    /// wrong share is found. Indices may repeat. Cost per share: four products of a sum, two of them by 128 bits, 0.6
    /// of a multiplication; and about 2·log₂ n small sums more for each wrong one of n.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the instance belongs to other keys, [`Error::UnknownSigner`]. Wrong shares are no
    /// error: they are in [`Checked::faults`].
    pub fn verify_shares(&self, instance: &Instance<P>, shares: &[Share<P>]) -> Result<Checked<P>> {
        instance.belongs_to(self.committee(), self.key())?;
        let items = Batch::new(self, instance, shares)?;
        let wrong = items.wrong();
        let (mut verified, mut faults) = (Vec::with_capacity(shares.len()), Vec::new());
        let mut wrong = wrong.into_iter().peekable();
        for (place, share) in shares.iter().enumerate() {
            if wrong.next_if_eq(&place).is_some() {
                faults.push(self.fault(instance, share));
            } else {
                verified.push(VerifiedShare::assume(share, instance));
            }
        }
        Ok(Checked { verified, faults })
    }

    fn fault(&self, instance: &Instance<P>, share: &Share<P>) -> ShareFault<P> {
        let evidence = WrongShare::new(instance, share);
        match evidence.verify(self) {
            Ok(_) => ShareFault::Proven(Box::new(evidence)),
            Err(_) => ShareFault::Forged { share: Box::new(*share) },
        }
    }
}
