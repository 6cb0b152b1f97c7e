use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use zeroize::{Zeroize, Zeroizing};

use super::curve::Curve;
use super::deal::{Deal, OPENINGS, Opening, nonce};
use super::key::GroupKey;
use super::share::SignatureShare;
use super::signing::Signing;
use super::slot::Slot;
use super::tag::Tag;
#[cfg(feature = "journal")]
use crate::guard::JournaledGuard;
use crate::guard::{Guard, GuardRecord, Spend};
use crate::machine::MemberIndex;
use crate::merkle::Hash;
use crate::scheme::Scheme;
use crate::threshold::group::Field;
use crate::threshold::tolerance::Class;
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// One party's presignatures of one epoch, from a [`TrustedDealer`](super::TrustedDealer). A presignature taken from
/// it is removed; the remaining ones are wiped on drop.
///
/// File: 160 bytes (ristretto255) or 161 (secp256k1) for each presignature, whatever the number of parties. Memory:
/// about 50 bytes more.
pub struct Presignatures<G: Curve> {
    key: Arc<GroupKey<G>>,
    deal: Arc<Deal>,
    member: MemberIndex,
    public: Arc<Public<G>>,
    secrets: Vec<Option<Secrets<G>>>,
}

/// The public part of a party's presignatures: R and r, and the leaf of its opening, for each index.
pub(super) struct Public<G: Curve> {
    /// r is precomputed, which saves a hash in signing.
    pub(super) nonces: Arc<[(G::Nonce, G::Scalar)]>,
    pub(super) leaves: Vec<Hash>,
}

/// The shares of k, of χ = k·x, and of zero. They stay at one heap address and are wiped on drop.
pub(super) struct Secrets<G: Curve>(pub(super) Box<[G::Scalar; 3]>);

impl<G: Curve> Drop for Secrets<G> {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(Zeroize::zeroize);
    }
}

/// One presignature. It signs one message: it cannot be cloned or used twice.
///
/// ```compile_fail,E0382
/// # use quorate::{guard::Guard, scheme::Scheme, threshold::Agreed, threshold::ecdsa::{Curve, Presignature}};
/// fn twice<G: Curve, S: Scheme>(presignature: Presignature<G, Agreed>, guard: &mut Guard<S>) {
///     let one = presignature.sign(guard, b"one");
///     let two = presignature.sign(guard, b"two");
/// }
/// ```
///
/// ```compile_fail,E0599
/// # use quorate::{threshold::Agreed, threshold::ecdsa::{Curve, Presignature}};
/// fn copy<G: Curve>(presignature: &Presignature<G, Agreed>) {
///     let second = presignature.clone();
///     second.left_over();
/// }
/// ```
#[must_use = "a presignature that is taken and dropped is lost"]
pub struct Presignature<G: Curve, C: Class> {
    slot: Slot,
    secrets: Secrets<G>,
    member: MemberIndex,
    public: Arc<Public<G>>,
    class: PhantomData<C>,
}

/// Result of signing. Process the fields in order.
#[must_use = "the record must be durable before the share leaves"]
#[derive(Debug)]
pub struct Signed<G: Curve> {
    /// The guard's record: make it durable first. `None` if a durable reservation covers the presignature.
    pub record: Option<GuardRecord>,
    /// The share: send it once the record is durable.
    pub share: SignatureShare<G>,
    /// The opener: keep it until the signature exists, in case an opening is requested.
    pub opener: Opener<G>,
}

/// Opens a share that was sent, if the signature fails to verify. It can do nothing else. Wiped on drop.
pub struct Opener<G: Curve> {
    secrets: Secrets<G>,
    member: MemberIndex,
    index: u32,
    public: Arc<Public<G>>,
}

impl<G: Curve> Presignatures<G> {
    pub(super) fn new(
        key: Arc<GroupKey<G>>,
        deal: Arc<Deal>,
        member: MemberIndex,
        public: Public<G>,
        secrets: Vec<Secrets<G>>,
    ) -> Self {
        let secrets = secrets.into_iter().map(Some).collect();
        Self { key, deal, member, public: Arc::new(public), secrets }
    }

    /// Returns the member that owns the presignatures.
    pub fn member(&self) -> MemberIndex {
        self.member
    }

    /// Returns the committee's public key.
    pub fn key(&self) -> &Arc<GroupKey<G>> {
        &self.key
    }

    /// Returns the public part of the deal.
    pub fn deal(&self) -> &Arc<Deal> {
        &self.deal
    }

    /// Returns the number of presignatures left.
    pub fn left(&self) -> usize {
        self.secrets.iter().filter(|secrets| secrets.is_some()).count()
    }

    /// Takes the presignature of a tag. Cost: negligible.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if it was taken before, [`Error::WrongContext`] for a tag of another epoch or plan.
    pub fn take<C: Class>(&mut self, tag: Tag<C>) -> Result<Presignature<G, C>> {
        self.nonce(tag)?;
        let secrets = self.secrets.get_mut(tag.index() as usize).and_then(Option::take);
        Ok(Presignature {
            slot: self.key.slot(tag.epoch(), tag.index()),
            secrets: secrets.ok_or(Error::Exhausted)?,
            member: self.member,
            public: self.public.clone(),
            class: PhantomData,
        })
    }

    /// Returns the instance for combining shares of a message under a tag, whether or not this party's presignature
    /// is spent.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for a tag of another epoch, [`Error::WrongContext`] for one of another plan.
    pub fn signing<C: Class>(&self, tag: Tag<C>, message: &[u8]) -> Result<Signing<G, C>> {
        let nonce = *self.nonce(tag)?;
        Signing::new(self.key.clone(), self.deal.clone(), nonce, tag, message)
    }

    /// Returns the encoded R. It is public: a process without a party's file [combines](Signing::new) with it.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for a tag of another epoch, [`Error::WrongContext`] for one of another plan.
    pub fn nonce<C: Class>(&self, tag: Tag<C>) -> Result<&G::Nonce> {
        self.deal.require_epoch("epoch of the tag", tag.epoch())?;
        self.deal.plan.require(tag)?;
        self.public.nonces.get(tag.index() as usize).map(|(nonce, _)| nonce).ok_or(Error::Exhausted)
    }

    /// Verifies the dealer's data for one index: the openings of this party's shares must match the tree. The dealer
    /// is trusted, so this detects mistakes only. Cost: three multiplications.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if they do not match, [`Error::Exhausted`] if the presignature was taken.
    pub fn audit(&self, index: u32) -> Result<()> {
        let secrets = self.secrets.get(index as usize).and_then(Option::as_ref).ok_or(Error::Exhausted)?;
        open(secrets, self.member, index, &self.public).map(drop)
    }

    /// Ends the epoch: wipes the remaining presignatures, and makes the guard refuse them from now on, even from a
    /// copy of the file. Make the record durable.
    pub fn destroy<S: Scheme>(self, guard: &mut Guard<S>) -> GuardRecord {
        guard.close_epoch(&self.key.id().0, self.deal.epoch)
    }

    /// Returns all presignatures encoded, the key first: **secret**, to be [sealed](crate::threshold::seal) for its
    /// party.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if any was taken: only the dealer writes files.
    pub fn to_bytes(&self) -> Result<Zeroizing<Vec<u8>>> {
        let mut head = Writer::new();
        self.key.encode_to(&mut head);
        head.u16(self.member);
        self.deal.encode_to(&mut head);
        // Allocate the full length at once: a growing vector leaves copies behind.
        let len = head.len() + self.secrets.len() * Self::EACH;
        let mut bytes = Zeroizing::new(Vec::with_capacity(len));
        bytes.extend_from_slice(&head.into_bytes());
        for (((nonce, _), leaf), secrets) in
            self.public.nonces.iter().zip(&self.public.leaves).zip(&self.secrets)
        {
            let secrets = secrets.as_ref().ok_or(Error::Exhausted)?;
            bytes.extend_from_slice(nonce.as_ref());
            bytes.extend_from_slice(leaf);
            for secret in &*secrets.0 {
                bytes.extend_from_slice(&*Zeroizing::new(secret.to_bytes()));
            }
        }
        Ok(bytes)
    }

    /// Decodes the encoding of [`to_bytes`](Presignatures::to_bytes). Cost: two hashes for each presignature.
    ///
    /// # Errors
    /// Decoding errors; [`Error::WrongContext`] if key, deal and leaves do not match.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut r = Reader::new(bytes);
        let key = GroupKey::<G>::decode_from(&mut r, &())?;
        let member = r.u16()?;
        let deal = Deal::decode_from(&mut r, &())?;
        deal.require(&key)?;
        let count = deal.plan.count() as usize;
        if r.remaining() != count * Self::EACH {
            return Err(Error::Malformed { what: "length of a presignature file" });
        }
        let slot = key.slot(deal.epoch, 0);
        let (mut nonces, mut leaves, mut secrets) = (Vec::new(), Vec::new(), Vec::with_capacity(count));
        for _ in 0..count {
            let nonce = nonce::<G>(&mut r)?;
            nonces.push((nonce, G::r(&slot, &nonce)));
            leaves.push(r.array()?);
            secrets.push(Secrets::<G>::decode(&mut r)?);
        }
        r.finish()?;
        let unknown = Error::UnknownSigner { index: member.into() };
        if OPENINGS.root(&leaves) != *deal.roots.get(usize::from(member)).ok_or(unknown)? {
            return Err(Error::WrongContext { what: "root of the openings" });
        }
        let public = Public { nonces: nonces.into(), leaves };
        Ok(Self::new(Arc::new(key), Arc::new(deal), member, public, secrets))
    }

    /// Bytes of R, a leaf and three shares.
    const EACH: usize = G::ELEMENT_LEN + 4 * 32;
}

impl<G: Curve> Secrets<G> {
    fn decode(r: &mut Reader<'_>) -> Result<Self> {
        let mut secrets = Self(Box::new([G::Scalar::ZERO; 3]));
        for secret in &mut *secrets.0 {
            *secret = G::Scalar::decode_from(r, "share of a presignature")?;
        }
        Ok(secrets)
    }
}

impl<G: Curve, C: Class> Presignature<G, C> {
    /// Signs a message: s = h·k + r·χ + e, after the guard has recorded the use. **The record must be durable before
    /// the share leaves.** Cost: two multiplications in the field, and two hashes of the message.
    ///
    /// Under an [`AgreedTag`](super::AgreedTag) the caller guarantees that no honest party ever signs another message
    /// with the same tag.
    ///
    /// # Errors
    /// As [`Guard::spend`]. The presignature is lost in this case too.
    pub fn sign<S: Scheme>(self, guard: &mut Guard<S>, message: &[u8]) -> Result<Signed<G>> {
        let Self { slot, secrets, member, public, .. } = self;
        let Slot { key, epoch, index } = slot;
        let (nonce, r) = public.nonces.get(index as usize).ok_or(Error::Exhausted)?;
        let digest = slot.digest(message);
        let record = guard.spend(&Spend { key: key.0, epoch, index, digest })?;
        let h = G::h(&slot, nonce, message);
        let [k, chi, e] = &*secrets.0;
        let share = SignatureShare::new(member, &slot, digest, h * *k + *r * *chi + *e);
        Ok(Signed { record, share, opener: Opener { secrets, member, index, public } })
    }
}

#[cfg(feature = "journal")]
impl<G: Curve, C: Class> Presignature<G, C> {
    /// Signs a message as [`sign`](Presignature::sign) does, and returns once the record of the use is durable in a journal.
    ///
    /// # Errors
    /// As [`JournaledGuard::spend`]. The presignature is lost in this case too.
    pub fn sign_journaled<S: Scheme>(
        self,
        guard: &mut JournaledGuard<S>,
        message: &[u8],
    ) -> Result<Signed<G>> {
        guard.record_use(|guard| self.sign(guard, message).map(|signed| (signed.record, signed)))
    }
}

impl<G: Curve> Opener<G> {
    /// Returns the opening, for a process that has the share. Cost: three multiplications, and a hash for each
    /// presignature of the epoch.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the dealer made a mistake.
    pub fn open(&self) -> Result<Opening<G>> {
        open(&self.secrets, self.member, self.index, &self.public)
    }
}

fn open<G: Curve>(
    secrets: &Secrets<G>,
    member: MemberIndex,
    index: u32,
    public: &Public<G>,
) -> Result<Opening<G>> {
    let (nonce, _) = *public.nonces.get(index as usize).ok_or(Error::Exhausted)?;
    let base = G::decode_element(&mut Reader::new(nonce.as_ref()), "nonce of a presignature")?;
    let elements = secrets.0.each_ref().map(|secret| G::times(&base, secret));
    let leaf = Opening::<G>::leaf(&nonce, &G::encode_all(&elements));
    if public.leaves.get(index as usize) != Some(&leaf) {
        return Err(Error::WrongContext { what: "openings of the deal" });
    }
    Ok(Opening { member, nonce, elements, path: OPENINGS.path(&public.leaves, index as usize)? })
}

/// Omits the secrets.
impl<G: Curve> fmt::Debug for Presignatures<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Presignatures({} left of member {}, epoch {})", self.left(), self.member, self.deal.epoch)
    }
}

/// Omits the secrets.
impl<G: Curve, C: Class> fmt::Debug for Presignature<G, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Presignature").field("slot", &self.slot).finish_non_exhaustive()
    }
}

/// Omits the secrets.
impl<G: Curve> fmt::Debug for Opener<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opener").field("index", &self.index).finish_non_exhaustive()
    }
}
