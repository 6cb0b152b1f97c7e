use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use zeroize::Zeroizing;

use super::{GroupKey, Opening, SignatureShare, Signing};
use crate::any::dispatch::{conversions, each};
use crate::any::guard::Guard;
use crate::any::threshold::Group;
use crate::any::threshold::group::{each_class, each_group, per_class, per_group, with_group};
use crate::guard::GuardRecord;
use crate::machine::MemberIndex;
use crate::threshold::ecdsa::{self, AgreedTag, Curve, Deal, UnagreedTag};
use crate::threshold::{Agreement, Class};
use crate::{Error, Result};

type PresignaturesOf<G> = ecdsa::Presignatures<G>;
type PresignatureOf<G, C> = ecdsa::Presignature<G, C>;
type OpenerOf<G> = ecdsa::Opener<G>;

/// One presignature of one epoch, and the class of messages that it may sign, see [`ecdsa::Tag`]. It comes from a
/// [`Plan`](ecdsa::Plan), by `into`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tag {
    /// For what the parties agree on: f + 1 shares.
    Agreed(AgreedTag),
    /// For what somebody chooses: ⌊(N + f)/2⌋ + 1 shares.
    Unagreed(UnagreedTag),
}

conversions!(Tag, Agreed, AgreedTag, Error::WrongContext { what: "class of the tag" });
conversions!(Tag, Unagreed, UnagreedTag, Error::WrongContext { what: "class of the tag" });

per_group! {
    /// One party's presignatures of one epoch, see [`ecdsa::Presignatures`].
    Presignatures, PresignaturesOf
}

per_class! {
    /// One presignature, which signs one message, see [`ecdsa::Presignature`].
    #[must_use = "a presignature that is taken and dropped is lost"]
    Presignature, PresignatureOf
}

per_group! {
    /// Opens a share that was sent, see [`ecdsa::Opener`].
    Opener, OpenerOf
}

/// What signing gives. Carry it out in this order.
#[must_use = "the record must be durable before the share leaves"]
#[derive(Debug)]
pub struct Signed {
    /// Make it durable first. `None` if the presignature lies in a block whose reservation is durable.
    pub record: Option<GuardRecord>,
    /// Then send it.
    pub share: SignatureShare,
    /// Keep it until the signature is made, in case somebody asks for an opening.
    pub opener: Opener,
}

impl Tag {
    /// The epoch.
    pub fn epoch(self) -> u64 {
        match self {
            Tag::Agreed(tag) => tag.epoch(),
            Tag::Unagreed(tag) => tag.epoch(),
        }
    }

    /// The index within the epoch.
    pub fn index(self) -> u32 {
        match self {
            Tag::Agreed(tag) => tag.index(),
            Tag::Unagreed(tag) => tag.index(),
        }
    }

    /// The class.
    pub fn agreement(self) -> Agreement {
        match self {
            Tag::Agreed(_) => Agreement::Agreed,
            Tag::Unagreed(_) => Agreement::Unagreed,
        }
    }
}

impl Presignatures {
    /// Reads what [`to_bytes`](Presignatures::to_bytes) wrote for that group.
    ///
    /// # Errors
    /// As [`ecdsa::Presignatures::from_bytes`].
    pub fn from_bytes(group: Group, bytes: &[u8]) -> Result<Self> {
        with_group!(group, G => PresignaturesOf::<G>::from_bytes(bytes).map(Self::from))
    }

    /// All of it as bytes: **secret**, to be [sealed](crate::threshold::seal) for its party.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if any was taken: a file is written by the dealer, and never by a party.
    pub fn to_bytes(&self) -> Result<Zeroizing<Vec<u8>>> {
        each_group!(self, Presignatures, G, all => all.to_bytes())
    }

    /// Whose they are.
    pub fn member(&self) -> MemberIndex {
        each_group!(self, Presignatures, G, all => all.member())
    }

    /// The committee's public key.
    pub fn key(&self) -> GroupKey {
        each_group!(self, Presignatures, G, all => Arc::clone(all.key()).into())
    }

    /// What was dealt, as far as everybody may know it.
    pub fn deal(&self) -> &Arc<Deal> {
        each_group!(self, Presignatures, G, all => all.deal())
    }

    /// How many are left.
    pub fn left(&self) -> usize {
        each_group!(self, Presignatures, G, all => all.left())
    }

    /// Takes the presignature of a tag.
    ///
    /// # Errors
    /// As [`ecdsa::Presignatures::take`].
    pub fn take(&mut self, tag: Tag) -> Result<Presignature> {
        each_group!(self, Presignatures, G, all => match tag {
            Tag::Agreed(tag) => all.take(tag).map(Presignature::from),
            Tag::Unagreed(tag) => all.take(tag).map(Presignature::from),
        })
    }

    /// What combines shares of a message under a tag, be the own presignature spent or not.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a tag of another epoch or plan.
    pub fn signing(&self, tag: Tag, message: &[u8]) -> Result<Signing> {
        each_group!(self, Presignatures, G, all => match tag {
            Tag::Agreed(tag) => all.signing(tag, message).map(Signing::from),
            Tag::Unagreed(tag) => all.signing(tag, message).map(Signing::from),
        })
    }

    /// Checks what the dealer gave for one index.
    ///
    /// # Errors
    /// As [`ecdsa::Presignatures::audit`].
    pub fn audit(&self, index: u32) -> Result<()> {
        each_group!(self, Presignatures, G, all => all.audit(index))
    }

    /// Ends the epoch: wipes what is left, and has the guard refuse these presignatures from now on. Make the record
    /// durable.
    pub fn destroy(self, guard: &mut Guard) -> GuardRecord {
        each_group!(self, Presignatures, G, all => each!(guard, Guard, S, guard => all.destroy(guard)))
    }
}

/// Without secrets.
impl fmt::Debug for Presignatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_group!(self, Presignatures, G, all => all.fmt(f))
    }
}

impl Presignature {
    /// Signs a message with it, after the guard has noted what it is spent on. **The record must be durable before the
    /// share leaves.** Under an agreed tag the caller knows that no honest party ever signs another message with it.
    ///
    /// # Errors
    /// As [`ecdsa::Presignature::sign`]. The presignature is gone then too.
    pub fn sign(self, guard: &mut Guard, message: &[u8]) -> Result<Signed> {
        fn typed<G: Curve, C: Class>(
            presignature: PresignatureOf<G, C>,
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
        each_class!(self, Presignature, presignature => typed(presignature, guard, message))
    }
}

/// Without secrets.
impl fmt::Debug for Presignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_class!(self, Presignature, presignature => presignature.fmt(f))
    }
}

impl Opener {
    /// The opening, for whoever has the share.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the dealer made a mistake.
    pub fn open(&self) -> Result<Opening> {
        each_group!(self, Opener, G, opener => opener.open().map(Opening::from))
    }
}

/// Without secrets.
impl fmt::Debug for Opener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_group!(self, Opener, G, opener => opener.fmt(f))
    }
}
