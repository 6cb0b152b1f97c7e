use alloc::boxed::Box;

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::traits::VartimeMultiscalarMul;

use super::element::Element;
use super::public::PublicKeys;
use super::purpose::Purpose;
use super::share::{Instance, Share};
use crate::machine::MemberIndex;
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// A share that failed verification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ShareFault<P: Purpose> {
    /// The member itself made the wrong share: publicly verifiable evidence.
    Proven(Box<WrongShare<P>>),
    /// The share carries a member's index, but does not prove that the member made it. Evidence only together with the
    /// signature or the link that delivered it.
    Forged {
        /// The received share.
        share: Box<Share<P>>,
    },
}

impl<P: Purpose> ShareFault<P> {
    /// Returns the member named in the share.
    pub fn member(&self) -> MemberIndex {
        match self {
            ShareFault::Proven(evidence) => evidence.share.member(),
            ShareFault::Forged { share } => share.member(),
        }
    }
}

/// Evidence that a member made a wrong share. The first equation of its proof holds, which only the holder of xᵢ (and
/// its dealer) can achieve; the second does not hold, which no correct member causes on any base. 194 bytes,
/// verifiable with the verification keys alone; neither the ciphertext nor the coin's name is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrongShare<P: Purpose> {
    base: Element,
    context: [u8; 32],
    share: Share<P>,
}

impl<P: Purpose> WrongShare<P> {
    pub(super) fn new(instance: &Instance<P>, share: &Share<P>) -> Self {
        Self { base: instance.base, context: instance.context, share: *share }
    }

    /// Verifies the evidence with the keys alone, and returns the culprit. Cost: two small sums.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`]; [`Error::NotEvidence`] if the share is right, or not provably the member's own.
    pub fn verify(&self, keys: &PublicKeys<P>) -> Result<MemberIndex> {
        let (share, member) = (&self.share, self.share.member());
        let key = keys.verification_key(member).ok_or(Error::UnknownSigner { index: member.into() })?;
        let c = share.challenge_on(&self.base, &self.context, key).scalar();
        let first = RistrettoPoint::vartime_double_scalar_mul_basepoint(&-c, key.point(), &share.z);
        let second =
            RistrettoPoint::vartime_multiscalar_mul([share.z, -c], [self.base.point(), share.point.point()]);
        if first == *share.a1.point() && second != *share.a2.point() {
            Ok(member)
        } else {
            Err(Error::NotEvidence)
        }
    }
}

/// Encoding: base 32 ‖ context 32 ‖ share 130.
impl<P: Purpose> Encode for WrongShare<P> {
    fn encode_to(&self, w: &mut Writer) {
        self.base.encode_to(w);
        w.raw(&self.context);
        self.share.encode_to(w);
    }
}

/// Decodes without verification: call [`verify`](WrongShare::verify).
impl<P: Purpose> Decode for WrongShare<P> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let base = Element::decode_from(r, "base of a wrong share")?;
        Ok(Self { base, context: r.array()?, share: Share::decode_from(r, &())? })
    }
}
