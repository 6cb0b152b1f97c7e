//! Presignatures, each of which signs one message.

use quorate::any::threshold::ecdsa as any;
use quorate::{Error, Result};

use super::{Deal, GroupKey, Opening, SignatureShare, Signing, Tag};
use crate::guard::{Guard, GuardRecord};
use crate::threshold::{Agreement, Group};
use crate::{Locked, SecretBytes};

/// Bytes of a presignature in memory.
const PRESIGNATURE: usize = 161;

class! {
    /// One party's presignatures of one epoch; each signs **one** message. Only the dealer writes the file. After a
    /// crash it is read again, and the guard's journal lists the spent presignatures.
    object secret struct Presignatures {
        group: Group,
        member: u16,
        key: GroupKey,
        deal: Deal,
        all: Once<any::Presignatures>,
    }: Debug;
    shown |self, f| {
        let Self { group, member, deal, .. } = self;
        let destroyed = if self.is_spent() { ", destroyed" } else { "" };
        write!(f, "Presignatures({group}, member {member}, epoch {}{destroyed})", deal.epoch())
    };
    /// Decodes a file for that group. The caller keeps the bytes and overwrites them.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not those of a file.
    /// [`Error::NonCanonical`](quorate::Error) for a point or a number in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for the neutral element.
    /// [`Error::UnknownSigner`](quorate::Error) if the deal has no such party.
    /// [`Error::WrongContext`](quorate::Error) for another group, or if its parts do not belong together.
    fn from_bytes(group: &Group, bytes: &[u8]) -> Result<Self> {
        any::Presignatures::from_bytes((*group).into(), bytes).map(Self::from_core)
    }
    /// Returns the file, **secret**, for the dealer to seal.
    /// [`Error::Exhausted`](quorate::Error) after the first [`Presignatures::take`].
    fn to_bytes(&self) -> Result<SecretBytes> { self.all.with(|all| all.to_bytes())? }
    /// Their group.
    getter fn group(&self) -> Group { self.group }
    /// Index of their party.
    getter fn member(&self) -> u16 { self.member }
    /// The committee's public key.
    getter fn key(&self) -> GroupKey { self.key.clone() }
    /// Public part of the deal.
    getter fn deal(&self) -> Deal { self.deal.clone() }
    /// Number of presignatures left.
    /// [`Error::Exhausted`](quorate::Error) after [`Presignatures::destroy`].
    getter fn left(&self) -> Result<usize> { self.all.with(|all| all.left()) }
    /// Takes the presignature of a tag.
    /// [`Error::Exhausted`](quorate::Error) if it was taken before.
    /// [`Error::WrongContext`](quorate::Error) for a tag of another epoch or plan.
    fn take(&self, tag: &Tag) -> Result<Presignature> {
        let presignature = self.all.with(|all| all.take(tag.0))??;
        let (group, agreement) = (presignature.group().into(), presignature.agreement().into());
        Ok(Presignature { group, agreement, one: Once::new(presignature) })
    }
    /// Returns the input for combining shares of a message under a tag, whether or not this party's presignature is
    /// spent.
    /// [`Error::WrongContext`](quorate::Error) for a tag of another epoch or plan.
    /// [`Error::Exhausted`](quorate::Error) after [`Presignatures::destroy`].
    fn signing(&self, tag: &Tag, message: &[u8]) -> Result<Signing> {
        self.all.with(|all| all.signing(tag.0, message))?.map(Signing)
    }
    /// Checks the dealer's material for one index.
    /// [`Error::WrongContext`](quorate::Error) if it is wrong.
    /// [`Error::Exhausted`](quorate::Error) if the presignature was taken.
    fn audit(&self, index: u32) -> Result<()> { self.all.with(|all| all.audit(index))? }
    /// Ends the epoch: wipes the remaining presignatures, and makes the guard refuse all of them from now on. **Make
    /// the record durable.**
    /// [`Error::Exhausted`](quorate::Error) if they were destroyed before.
    fn destroy(&self, guard: &Guard) -> Result<GuardRecord> {
        self.all.take().map(|all| GuardRecord(all.destroy(&mut guard.lock())))
    }
    /// True once they are destroyed.
    spent fn is_spent(&self) -> bool { self.all.is_spent() }
    /// About how many bytes they hold.
    size fn size(&self) -> usize { self.left().map_or(0, |left| left.saturating_mul(PRESIGNATURE)) }
}

impl Presignatures {
    pub(super) fn from_core(all: any::Presignatures) -> Self {
        Self {
            group: all.group().into(),
            member: all.member(),
            key: GroupKey(all.key()),
            deal: Deal(all.deal().clone()),
            all: Once::new(all),
        }
    }
}

class! {
    /// One presignature, which signs one message.
    object secret struct Presignature {
        group: Group,
        agreement: Agreement,
        one: Once<any::Presignature>,
    }: Debug;
    shown |self, f| {
        let spent = if self.is_spent() { ", spent" } else { "" };
        write!(f, "Presignature({}, {}{spent})", self.group, self.agreement)
    };
    /// Signs a message, after the guard has recorded the use of the presignature. **Make the record durable before the
    /// share leaves.** The presignature is consumed, even if this fails. Use an agreed tag only for a message that no
    /// honest party contradicts.
    /// [`Error::Exhausted`](quorate::Error) on a second call, or if the presignature is burnt or its epoch is closed.
    /// [`Error::Contradiction`](quorate::Error) if the guard's journal shows that it signed another message.
    fn sign(&self, guard: &Guard, message: &[u8]) -> Result<Signed> {
        let any::Signed { record, share, opener } = self.one.take()?.sign(&mut guard.lock(), message)?;
        let record = record.map(GuardRecord);
        Ok(Signed { record, share: SignatureShare(share), opener: Opener(opener) })
    }
    /// Its group.
    getter fn group(&self) -> Group { self.group }
    /// Class of its tag.
    getter fn agreement(&self) -> Agreement { self.agreement }
    /// True once it has signed.
    spent fn is_spent(&self) -> bool { self.one.is_spent() }
}

/// Result of signing. Process its fields in this order.
pub struct Signed {
    /// Make this durable first. Absent if the presignature lies in a block whose reservation is durable.
    pub record: Option<GuardRecord>,
    /// Send this next.
    pub share: SignatureShare,
    /// Keep this until the signature exists, in case a member requests an opening.
    pub opener: Opener,
}

class! {
    /// Opens a share that was sent, if another member requests it because the signature does not verify.
    object secret struct Opener(any::Opener): Debug;
    shown |self, f| f.write_str("Opener()");
    /// Returns the opening, for the holders of the share.
    /// [`Error::WrongContext`](quorate::Error) if the dealer made a mistake.
    fn open(&self) -> Result<Opening> { self.0.open().map(Opening) }
}

/// A value that can be taken once; after that, it is [`Error::Exhausted`].
#[derive(Debug)]
struct Once<T>(Locked<Option<T>>);

impl<T> Once<T> {
    fn new(value: T) -> Self {
        Self(Locked::new(Some(value)))
    }

    /// Works on the value.
    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Result<R> {
        self.0.lock().as_mut().map(work).ok_or(Error::Exhausted)
    }

    /// Takes the value out permanently.
    fn take(&self) -> Result<T> {
        self.0.lock().take().ok_or(Error::Exhausted)
    }

    /// Returns true if the value was taken.
    fn is_spent(&self) -> bool {
        self.0.lock().is_none()
    }
}
