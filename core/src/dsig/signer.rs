use alloc::boxed::Box;
use alloc::collections::{BTreeSet, VecDeque};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::marker::PhantomData;

use rand_core::TryCryptoRng;
use zeroize::{Zeroize, Zeroizing, zeroize_stack};

use super::batch::{Batch, Origin, Plan};
use super::block::{Context, block};
use super::one_time::{KeyBuffer, OneTimeScheme, SignatureBytes};
use super::process;
use super::signature::{self, Announcement, Signature};
use super::signer_config::SignerConfig;
use super::suite::DsigSuite;
use super::tree::MAX_LOG2;
use crate::ed25519::{Ed25519, PublicKey, SecretKey};
use crate::machine::{MemberIndex, Time};
use crate::scheme::{Scheme, SecretBytes, random_32};
use crate::wire::domain;
use crate::{Error, Result};

/// Generates one-time keys ahead of time and signs with them. It has no `Clone` and no serialised form: a copy would
/// reuse keys, and two signatures of one key make forgeries easy.
///
/// ```compile_fail,E0277
/// fn copy<T: Clone>() {}
/// copy::<quorate::dsig::Signer<quorate::dsig::WotsBlake3>>();
/// ```
/// ```compile_fail,E0277
/// fn write<T: quorate::wire::Encode>() {}
/// write::<quorate::dsig::Signer<quorate::dsig::WotsBlake3>>();
/// ```
/// ```compile_fail,E0277
/// fn print<T: std::fmt::Debug>() {}
/// print::<quorate::dsig::Signer<quorate::dsig::WotsBlake3>>();
/// ```
pub struct Signer<S: DsigSuite> {
    identity: Arc<SecretKey>,
    public: PublicKey,
    config: SignerConfig,
    seed: SecretBytes,
    groups: Vec<Group<S>>,
    /// Expired batches, to be wiped outside of the signing path: 128 keys are 600 kB.
    expired: Vec<Batch<S>>,
    copies: Option<Box<dyn FnMut() -> u64 + Send>>,
    /// Origin of the keys held, and of the batches accepted.
    origin: Origin,
    /// Memory of used keys, reused for the next ones. There are never more buffers than there once were keys.
    buffers: Vec<KeyBuffer>,
}

struct Group<S: DsigSuite> {
    /// Members of the group; `None` for the group of all verifiers.
    members: Option<BTreeSet<MemberIndex>>,
    batches: VecDeque<Batch<S>>,
}

/// An announcement and its recipients.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Announced<S: DsigSuite> {
    /// Members of the batch's group; `None` for all verifiers.
    pub to: Option<BTreeSet<MemberIndex>>,
    /// The announcement to send.
    pub announcement: Announcement<S>,
}

const SEED: Context = Context::new(domain::DSIG_SEED);

/// Maximum number of batches that `prepare` makes and the signer refuses.
pub(super) const ATTEMPTS: usize = 3;

impl<S: DsigSuite> Signer<S> {
    /// Creates a signer with an identity key. `groups` are sets of likely verifiers; the group of all verifiers is
    /// always appended. `rng` should be the operating system's.
    ///
    /// # Errors
    /// [`Error::Rng`]; [`Error::TooLarge`] for a batch of more than 2⁷ keys.
    pub fn new<R: TryCryptoRng + ?Sized>(
        identity: SecretKey,
        groups: Vec<BTreeSet<MemberIndex>>,
        config: SignerConfig,
        rng: &mut R,
    ) -> Result<Self> {
        Self::with_seed(identity, groups, config, random_32(rng)?)
    }

    pub(super) fn with_seed(
        identity: SecretKey,
        groups: Vec<BTreeSet<MemberIndex>>,
        config: SignerConfig,
        seed: SecretBytes,
    ) -> Result<Self> {
        if config.log2_batch > MAX_LOG2 {
            return Err(Error::TooLarge { what: "DSig batch, log2", limit: MAX_LOG2.into() });
        }
        let group = |members| Group { members, batches: VecDeque::new() };
        let groups = groups.into_iter().map(Some).chain([None]).map(group).collect();
        let origin = Origin { signer: signer_id(&seed), place: (process::generation(), 0), invalidations: 0 };
        zeroize_stack::<4096>();
        let public = Ed25519::public_key(&identity);
        Ok(Self {
            identity: Arc::new(identity),
            public,
            config,
            seed,
            groups,
            expired: Vec::new(),
            copies: None,
            origin,
            buffers: Vec::new(),
        })
    }

    /// Sets a hook that detects copies of this machine, for example by a virtual machine's generation identifier or a
    /// counter of restored checkpoints. The signer calls it before each signature and wipes all keys when the
    /// returned value changes. Forks are detected without a hook; for copies that stay undetected, the keys' lifetime
    /// is the bound.
    pub fn detect_copies(&mut self, mut hook: impl FnMut() -> u64 + Send + 'static) {
        self.origin.place.1 = hook();
        self.copies = Some(Box::new(hook));
    }

    /// Returns the key that verifies this signer's signatures.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Performs all background work: makes one batch for the group with the fewest keys, if any group is below
    /// `low_water`. Call until it returns `None`, and send each returned announcement. Cost: that of [`Plan::make`].
    ///
    /// # Errors
    /// [`Error::Rng`]; [`Error::Exhausted`] if the hook of [`detect_copies`](Signer::detect_copies) returns a
    /// different value on each call.
    pub fn prepare<R: TryCryptoRng + ?Sized>(
        &mut self,
        rng: &mut R,
        now: Time,
    ) -> Result<Option<Announced<S>>> {
        // A copy detected meanwhile discards the batch; try again.
        for _ in 0..ATTEMPTS {
            let Some(plan) = self.plan(rng, now)? else { return Ok(None) };
            if let Some(announced) = self.add(plan.make()?) {
                return Ok(Some(announced));
            }
        }
        Err(Error::Exhausted)
    }

    /// First step of [`prepare`](Signer::prepare), for background work on a separate thread: `plan` and
    /// [`add`](Signer::add) are short and need the signer, [`Plan::make`] is long and does not. Make one plan at a
    /// time.
    ///
    /// # Errors
    /// [`Error::Rng`].
    pub fn plan<R: TryCryptoRng + ?Sized>(&mut self, rng: &mut R, now: Time) -> Result<Option<Plan<S>>> {
        self.plan_from(&mut || random_32(rng), now)
    }

    pub(super) fn plan_from(
        &mut self,
        random: &mut dyn FnMut() -> Result<SecretBytes>,
        now: Time,
    ) -> Result<Option<Plan<S>>> {
        self.drop_stale_keys(now);
        let expired = core::mem::take(&mut self.expired);
        let Some(group) = self.shortest(now) else {
            self.fetch_next();
            return Ok(None);
        };
        let fresh = random()?;
        let seed = self.renew(&[&*fresh]);
        Ok(Some(Plan {
            seed,
            made: now,
            log2: self.config.log2_batch,
            group,
            origin: self.origin,
            expired,
            buffers: self.buffers.split_off(self.buffers.len().saturating_sub(1 << self.config.log2_batch)),
            identity: self.identity.clone(),
            public: self.public.clone(),
            suite: PhantomData,
        }))
    }

    /// Prefetches the keys that the next signatures of the groups use.
    fn fetch_next(&self) {
        let next = self.groups.iter().filter_map(|group| group.batches.front()?.keys.front());
        next.for_each(|key| S::OneTime::fetch(&key.secret));
    }

    /// Adds a batch that this signer planned in this process. Returns `None` and wipes the batch if its keys were
    /// invalidated in the meantime, if another signer planned it, or if this signer planned it before a fork: a twin
    /// of the batch may sign with the same keys.
    pub fn add(&mut self, batch: Batch<S>) -> Option<Announced<S>> {
        self.detect_copy();
        let announced = self.announced(&batch)?;
        let config = &self.config;
        let group = self.groups.get_mut(batch.group)?;
        let now = batch.made;
        group.batches.push_back(batch);
        // Drop batches near expiry once they are replaced: verifiers remember the latest batches only.
        while let Some(oldest) = group.batches.front().filter(|oldest| config.is_old(oldest, now)) {
            if group.keys() - oldest.keys.len() < config.low_water {
                break;
            }
            self.expired.extend(group.batches.pop_front());
        }
        Some(announced)
    }

    /// Returns the announcement that [`add`](Signer::add) would return for a batch.
    pub(super) fn announced(&self, batch: &Batch<S>) -> Option<Announced<S>> {
        let group = self.groups.get(batch.group).filter(|_| batch.origin == self.origin)?;
        Some(Announced { to: group.members.clone(), announcement: batch.announcement() })
    }

    /// Returns the group with the fewest fresh keys, if it is below `low_water`.
    pub(super) fn shortest(&self, now: Time) -> Option<usize> {
        let fresh = |group: &Group<S>| group.keys_of(|batch| !self.config.is_old(batch, now));
        let (keys, group) = self.groups.iter().map(fresh).zip(0..).min()?;
        (keys < self.config.low_water).then_some(group)
    }

    /// Takes the expired batches. Dropping them wipes them, which takes a while.
    #[cfg(feature = "driver")]
    pub(super) fn take_expired(&mut self) -> Vec<Batch<S>> {
        core::mem::take(&mut self.expired)
    }

    #[cfg(feature = "driver")]
    pub(super) fn config(&self) -> &SignerConfig {
        &self.config
    }

    /// Returns the announcements of all batches that still have keys, for a verifier that joins late or restarts.
    /// Includes batches that expired after the last call of [`sign`](Signer::sign) or [`plan`](Signer::plan), because
    /// only these calls pass the time.
    pub fn announcements(&self) -> impl Iterator<Item = Announced<S>> {
        self.groups.iter().flat_map(|group| {
            let announced = |batch: &Batch<S>| Announced {
                to: group.members.clone(),
                announcement: batch.announcement(),
            };
            group.batches.iter().map(announced)
        })
    }

    /// Signs with a fresh key of the smallest group that contains all of `hint` and has one; an empty hint selects
    /// the group of all verifiers. The hint decides which verifiers are fast; all can verify. Cost: one BLAKE3 of the
    /// message, one copy.
    ///
    /// `now`, here and in every method, must be from a clock that advances while the machine sleeps or is restored,
    /// such as the time of day: keys expire by it.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if no fresh key is left: call [`prepare`](Signer::prepare), or wait for the thread that
    /// does, as a `Driver` can (feature `driver`).
    pub fn sign(&mut self, message: &[u8], hint: &[MemberIndex], now: Time) -> Result<Signature<S>> {
        self.drop_stale_keys(now);
        let contains = |members: &BTreeSet<_>| !hint.is_empty() && hint.iter().all(|i| members.contains(i));
        let groups = self.groups.iter_mut().filter(|group| group.members.as_ref().is_none_or(contains));
        let batches = groups.filter(|group| !group.batches.is_empty());
        let smallest = batches.min_by_key(|group| group.members.as_ref().map_or(usize::MAX, BTreeSet::len));
        // Built in place: building it first and moving it would take half as long again.
        let mut signed: Result<Signature<S>> = Err(Error::Exhausted);
        if let Some(batches) = smallest.map(|group| &mut group.batches)
            && let Some(batch) = batches.front_mut()
            && let Some(key) = batch.keys.pop_front()
        {
            // Prefetch while the message is hashed.
            S::OneTime::fetch(&key.secret);
            let index = (batch.tree.leaves().len() - batch.keys.len() - 1) as u16;
            let digest = signature::digest(&batch.tree.root(), index, &key.nonce, message);
            signed = Ok(Signature::<S>::blank());
            if let Ok(signature) = &mut signed {
                signature.log2 = batch.tree.log2();
                signature.index = index;
                signature.root = batch.tree.root();
                signature.salt = key.salt;
                signature.nonce = *key.nonce;
                signature.eddsa = batch.eddsa;
                batch.tree.write_siblings(index, &mut signature.siblings);
                self.buffers.push(S::OneTime::sign(key.secret, &digest, signature.one_time.bytes_mut()));
            }
            if batch.keys.is_empty() {
                batches.pop_front();
            }
        }
        signed
    }

    /// Returns the number of keys ready in all groups, including keys that expired after the last call of
    /// [`sign`](Signer::sign) or [`plan`](Signer::plan).
    pub fn ready(&self) -> usize {
        self.groups.iter().map(Group::keys).sum()
    }

    /// Wipes every key. Call it before the machine is copied, or when a copy is detected.
    pub fn invalidate(&mut self) {
        self.groups.iter_mut().for_each(|group| group.batches.clear());
        self.expired.clear();
        self.origin.invalidations += 1;
        let (Origin { place: (_, copy), invalidations, .. }, process) = (self.origin, process::id());
        // Two copies with the same state and generator still diverge here.
        self.renew(&[&process.to_le_bytes(), &copy.to_le_bytes(), &invalidations.to_le_bytes()]);
    }

    /// Drops keys that a copy may hold, and expires old batches permanently, whatever the clock returns later.
    fn drop_stale_keys(&mut self, now: Time) {
        self.detect_copy();
        let lifetime = self.config.lifetime;
        for group in &mut self.groups {
            // A clock that went back by the lifetime is as suspicious as an old batch. Less is acceptable: a caller
            // may read the clock and then wait for the signer, and clocks are adjusted.
            let fresh = |batch: &Batch<S>| now.since(batch.made).max(batch.made.since(now)) < lifetime;
            while let Some(at) = group.batches.iter().position(|batch| !fresh(batch)) {
                self.expired.extend(group.batches.remove(at));
            }
        }
    }

    /// Drops all keys in a forked child or a copied machine, because both sides hold the same keys.
    fn detect_copy(&mut self) {
        let copy = self.copies.as_mut().map_or(self.origin.place.1, |hook| hook());
        let place = (process::generation(), copy);
        if place != self.origin.place {
            self.origin.place = place;
            self.invalidate();
        }
    }

    /// Replaces the seed with a hash of itself and `with`, and returns another hash of them.
    fn renew(&mut self, with: &[&[u8]]) -> SecretBytes {
        let seed = self.renew_inner(with);
        zeroize_stack::<4096>();
        seed
    }

    #[inline(never)]
    fn renew_inner(&mut self, with: &[&[u8]]) -> SecretBytes {
        let (mut input, mut len) = block(&[&*self.seed]);
        for part in with {
            if let Some(slot) = input.get_mut(len..len + part.len()) {
                slot.copy_from_slice(part);
                len += part.len();
            }
        }
        let output = Zeroizing::new(SEED.extended(&input, len, 0));
        input.zeroize();
        let (one, other) = output.split_at(32);
        let part = |from: &[u8]| {
            let Ok(bytes) = SecretBytes::filled(|bytes| {
                bytes.copy_from_slice(from);
                Ok::<(), Infallible>(())
            });
            bytes
        };
        self.seed = part(other);
        part(one)
    }
}

/// Returns an identifier that no signer of another seed has. No other hash has the seed as its only input.
#[inline(never)]
fn signer_id(seed: &SecretBytes) -> [u8; 16] {
    let (mut input, len) = block(&[&**seed]);
    let name = SEED.hash(&input, len);
    input.zeroize();
    *name.first_chunk().unwrap_or(&[0; 16])
}

impl<S: DsigSuite> Group<S> {
    fn keys(&self) -> usize {
        self.keys_of(|_| true)
    }

    fn keys_of(&self, which: impl Fn(&Batch<S>) -> bool) -> usize {
        self.batches.iter().filter(|batch| which(batch)).map(|batch| batch.keys.len()).sum()
    }
}
