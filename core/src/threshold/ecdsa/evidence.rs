use alloc::boxed::Box;
use alloc::vec::Vec;

use super::curve::Curve;
use super::deal::{Deal, Opening};
use super::key::GroupKey;
use super::share::SignatureShare;
use crate::machine::MemberIndex;
use crate::threshold::decode::decode;
use crate::threshold::index::MAX_PARTIES;
use crate::threshold::index::ShareIndex;
use crate::threshold::tolerance::Agreement;
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// Maximum length of a message in evidence, in bytes.
const MAX_MESSAGE: usize = 1 << 24;

/// Evidence of a wrong share. Any holder of the [`Deal`] can verify it if the share is
/// [attested](SignatureShare::attested_bytes). Without attestation it convinces only the process that received the
/// share over a link that authenticates the sender.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShareFault<G: Curve>(Kind<G>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind<G: Curve> {
    /// The share does not match the presignature that the dealer gave to its party.
    Opened { message: Vec<u8>, share: SignatureShare<G>, opening: Box<Opening<G>> },
    /// The share is off the polynomial of t + f others.
    Outlier { share: SignatureShare<G>, others: Vec<SignatureShare<G>> },
}

impl<G: Curve> ShareFault<G> {
    pub(super) fn opened(message: Vec<u8>, share: SignatureShare<G>, opening: Opening<G>) -> Self {
        Self(Kind::Opened { message, share, opening: Box::new(opening) })
    }

    pub(super) fn outlier(share: SignatureShare<G>, others: Vec<SignatureShare<G>>) -> Self {
        Self(Kind::Outlier { share, others })
    }

    /// Returns the wrong share.
    pub fn share(&self) -> &SignatureShare<G> {
        match &self.0 {
            Kind::Opened { share, .. } | Kind::Outlier { share, .. } => share,
        }
    }

    /// Verifies the evidence and returns the culprit. `attested` verifies a member's attestation: its arguments are
    /// the member, the bytes and the attestation, and it is called for every share of the evidence.
    ///
    /// t + f other shares prove an outlier, because at least t of them are honest if at most f parties are faulty.
    ///
    /// # Errors
    /// [`Error::NotEvidence`] if the share is right or is not proven wrong, [`Error::WrongContext`] for evidence of
    /// another key or deal, and the errors of `attested`.
    pub fn verify(
        &self,
        key: &GroupKey<G>,
        deal: &Deal,
        mut attested: impl FnMut(MemberIndex, &[u8], &[u8]) -> Result<()>,
    ) -> Result<MemberIndex> {
        deal.require(key)?;
        let share = self.share();
        deal.require_epoch("epoch of the share", share.epoch)?;
        if share.index >= deal.plan.count() {
            return Err(Error::WrongContext { what: "presignature of the share" });
        }
        let mut attested =
            |share: &SignatureShare<G>| attested(share.member, &share.attested_bytes(), share.attestation());
        match &self.0 {
            Kind::Opened { message, opening, .. } => {
                attested(share)?;
                self.verify_opened(key, deal, message, opening)?;
            }
            Kind::Outlier { others, .. } => {
                others.iter().chain([share]).try_for_each(&mut attested)?;
                verify_outlier(key, deal, share, others)?;
            }
        }
        Ok(share.member)
    }

    fn verify_opened(
        &self,
        key: &GroupKey<G>,
        deal: &Deal,
        message: &[u8],
        opening: &Opening<G>,
    ) -> Result<()> {
        let share = self.share();
        let slot = key.slot(share.epoch, share.index);
        if share.digest != slot.digest(message) {
            return Err(Error::WrongContext { what: "message of the share" });
        }
        if opening.member != share.member || opening.index() != share.index {
            return Err(Error::NotEvidence);
        }
        opening.verify(deal)?;
        let (h, r) = (G::h(&slot, &opening.nonce, message), G::r(&slot, &opening.nonce));
        if opening.verify_share(h, r, share.s)? { Err(Error::NotEvidence) } else { Ok(()) }
    }
}

fn verify_outlier<G: Curve>(
    key: &GroupKey<G>,
    deal: &Deal,
    share: &SignatureShare<G>,
    others: &[SignatureShare<G>],
) -> Result<()> {
    let tolerance = key.tolerance();
    if deal.plan.agreement(share.index) != Some(Agreement::Agreed) {
        return Err(Error::NotEvidence);
    }
    let threshold = tolerance.threshold_of(Agreement::Agreed);
    let same = |other: &SignatureShare<G>| {
        (other.epoch, other.index, other.digest) == (share.epoch, share.index, share.digest)
    };
    let enough = usize::from(threshold.needed()) + usize::from(tolerance.faulty());
    if others.len() < enough || !others.iter().all(same) {
        return Err(Error::NotEvidence);
    }
    let mut points = Vec::with_capacity(others.len() + 1);
    for share in others.iter().chain([share]) {
        let index = ShareIndex::from_member(share.member)?;
        threshold.check(index)?;
        points.push((index, share.s));
    }
    // The other shares agree exactly if the culprit is the only outlier.
    let culprit = ShareIndex::from_member(share.member)?;
    match decode(threshold.needed(), &points) {
        Ok(decoded) if decoded.culprits == [culprit] => Ok(()),
        Err(error @ Error::DuplicateSigner { .. }) => Err(error),
        _ => Err(Error::NotEvidence),
    }
}

/// Encoding: 1 ‖ message with its length as u32 ‖ share ‖ opening, or 2 ‖ share ‖ the others with their count as u32.
impl<G: Curve> Encode for ShareFault<G> {
    fn encode_to(&self, w: &mut Writer) {
        match &self.0 {
            Kind::Opened { message, share, opening } => {
                w.u8(1);
                w.bytes(message);
                share.encode_to(w);
                opening.encode_to(w);
            }
            Kind::Outlier { share, others } => {
                w.u8(2);
                share.encode_to(w);
                w.list(others);
            }
        }
    }
}

/// Decodes without verification: call [`verify`](ShareFault::verify).
impl<G: Curve> Decode for ShareFault<G> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        match r.u8()? {
            1 => {
                let message = r.bytes("message of share evidence", MAX_MESSAGE)?.to_vec();
                let share = SignatureShare::decode_from(r, &())?;
                Ok(Self::opened(message, share, Opening::decode_from(r, &())?))
            }
            2 => {
                let share = SignatureShare::decode_from(r, &())?;
                Ok(Self::outlier(share, r.list("shares of share evidence", MAX_PARTIES.into(), &())?))
            }
            _ => Err(Error::Malformed { what: "share evidence" }),
        }
    }
}
