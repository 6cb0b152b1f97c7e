use alloc::sync::Arc;
use alloc::vec::Vec;

use zeroize::Zeroizing;

use super::combining::Signing;
use super::key::GroupKey;
use super::shares::{Opening, SignatureShare};
use super::tag::Tag;
use crate::Result;
use crate::any::families::{each, methods, per, with};
use crate::any::guard::Guard;
use crate::any::threshold::group::Group;
use crate::guard::GuardRecord;
use crate::machine::MemberIndex;
use crate::threshold::ecdsa::{self, Curve, Deal};
use crate::threshold::{Agreement, Class};

#[cfg(doc)]
use crate::Error;

type PresignaturesOf<G> = ecdsa::Presignatures<G>;
type PresignatureOf<C, G> = ecdsa::Presignature<G, C>;
type OpenerOf<G> = ecdsa::Opener<G>;

per! { group:
    /// One party's presignatures of one epoch, see [`ecdsa::Presignatures`].
    Presignatures, PresignaturesOf
}

per! { class:
    /// One presignature, which signs one message, see [`ecdsa::Presignature`].
    #[must_use = "a presignature that is taken and dropped is lost"]
    Presignature, PresignatureOf
}

per! { group:
    /// Opens a share that was sent, see [`ecdsa::Opener`].
    Opener, OpenerOf
}

/// Result of signing. Process the fields in order.
#[must_use = "the record must be durable before the share leaves"]
#[derive(Debug)]
pub struct Signed {
    /// The guard's record: make it durable first. `None` if a durable reservation covers the presignature.
    pub record: Option<GuardRecord>,
    /// The share: send it once the record is durable.
    pub share: SignatureShare,
    /// The opener: keep it until the signature exists, in case an opening is requested.
    pub opener: Opener,
}

impl Presignatures {
    /// Decodes the encoding of [`to_bytes`](Presignatures::to_bytes) for a group.
    ///
    /// # Errors
    /// As [`ecdsa::Presignatures::from_bytes`].
    pub fn from_bytes(group: Group, bytes: &[u8]) -> Result<Self> {
        with!(group: group, G => PresignaturesOf::<G>::from_bytes(bytes).map(Self::from))
    }

    /// Takes the presignature of a tag.
    ///
    /// # Errors
    /// As [`ecdsa::Presignatures::take`].
    pub fn take(&mut self, tag: Tag) -> Result<Presignature> {
        each!(group: self, Presignatures, G, all => match tag {
            Tag::Agreed(tag) => all.take(tag).map(Presignature::from),
            Tag::Unagreed(tag) => all.take(tag).map(Presignature::from),
        })
    }

    /// Returns the instance for combining shares of a message under a tag, whether or not this party's presignature
    /// is spent.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for a tag of another epoch, [`Error::WrongContext`] for one of another plan.
    pub fn signing(&self, tag: Tag, message: &[u8]) -> Result<Signing> {
        each!(group: self, Presignatures, G, all => match tag {
            Tag::Agreed(tag) => all.signing(tag, message).map(Signing::from),
            Tag::Unagreed(tag) => all.signing(tag, message).map(Signing::from),
        })
    }
}

methods! { group: self, Presignatures, G, all =>
    /// Returns all presignatures encoded: **secret**, to be [sealed](crate::threshold::seal) for its party.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if any was taken: only the dealer writes files.
    pub fn to_bytes(&self) -> Result<Zeroizing<Vec<u8>>> = all.to_bytes();

    /// Returns the member that owns the presignatures.
    pub fn member(&self) -> MemberIndex = all.member();

    /// Returns the committee's public key.
    pub fn key(&self) -> GroupKey = Arc::clone(all.key()).into();

    /// Returns the public part of the deal.
    pub fn deal(&self) -> &Arc<Deal> = all.deal();

    /// Returns the number of presignatures left.
    pub fn left(&self) -> usize = all.left();

    /// Verifies the dealer's data for one index.
    ///
    /// # Errors
    /// As [`ecdsa::Presignatures::audit`].
    pub fn audit(&self, index: u32) -> Result<()> = all.audit(index);

    /// Ends the epoch: wipes the remaining presignatures, and makes the guard refuse them from now on. Make the
    /// record durable.
    pub fn destroy(self, guard: &mut Guard) -> GuardRecord =
        each!(guard, Guard, S, guard => all.destroy(guard));
}

impl Presignature {
    /// Returns the class of the tag.
    pub fn agreement(&self) -> Agreement {
        each!(class: self, Presignature, C, _ => C::AGREEMENT)
    }

    /// Signs a message, after the guard has recorded the use. **The record must be durable before the share leaves.**
    /// Under an agreed tag the caller guarantees that no honest party ever signs another message with it.
    ///
    /// # Errors
    /// As [`ecdsa::Presignature::sign`]. The presignature is lost in this case too.
    pub fn sign(self, guard: &mut Guard, message: &[u8]) -> Result<Signed> {
        fn typed<G: Curve, C: Class>(
            presignature: PresignatureOf<C, G>,
            guard: &mut Guard,
            message: &[u8],
        ) -> Result<Signed>
        where
            SignatureShare: From<ecdsa::SignatureShare<G>>,
            Opener: From<OpenerOf<G>>,
        {
            let signed = each!(guard, Guard, S, guard => presignature.sign(guard, message))?;
            let ecdsa::Signed { record, share, opener } = signed;
            Ok(Signed { record, share: share.into(), opener: opener.into() })
        }
        each!(class: self, Presignature, C, presignature => typed(presignature, guard, message))
    }
}

impl Opener {
    /// Returns the opening, for a process that has the share.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the dealer made a mistake.
    pub fn open(&self) -> Result<Opening> {
        each!(group: self, Opener, G, opener => opener.open().map(Opening::from))
    }
}
