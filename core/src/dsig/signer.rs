use alloc::boxed::Box;
use alloc::collections::{BTreeSet, VecDeque};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::marker::PhantomData;
use core::time::Duration;

use rand_core::TryCryptoRng;
use zeroize::{Zeroize, Zeroizing, zeroize_stack};

use super::batch::{Batch, Origin, Plan};
use super::one_time::{Body, OneTime, Room};
use super::process;
use super::short::{Context, block};
use super::signature::{self, Announcement, Signature};
use super::suite::Suite;
use super::tree::MAX_LOG2;
use crate::ed25519::{Ed25519, PublicKey, SecretKey};
use crate::machine::{MemberIndex, Time};
use crate::scheme::{Scheme, SecretBytes, random_32};
use crate::wire::domain;
use crate::{Error, Result};

/// How many keys a signer makes and how long it keeps them.
#[derive(Clone, Debug)]
pub struct SignerConfig {
    /// Keys per batch as a power of two, at most 7.
    pub log2_batch: u8,
    /// A group with fewer keys than this gets another batch, so that it has up to ⌈low_water / batch⌉ + 1 at a time.
    /// Keys in the last quarter of their life do not count, and go when they are replaced. Verifiers must have room for
    /// as many batches of each of their groups ([`announced`](super::VerifierConfig::announced)). A key takes 5 kB in
    /// suites 1 to 3.
    pub low_water: usize,
    /// Keys older than this sign nothing, so that a machine that was copied or put to sleep does not go on with them.
    /// Nor do keys that are newer than the clock by as much; one that is set back by less adds that to their lives.
    ///
    /// They are wiped by the next [`plan`](Signer::plan) and what it plans. A signer that nobody calls wipes nothing:
    /// [`invalidate`](Signer::invalidate) it, or drop it, before it idles.
    pub lifetime: Duration,
}

impl Default for SignerConfig {
    fn default() -> Self {
        Self { log2_batch: MAX_LOG2, low_water: 512, lifetime: Duration::from_secs(10) }
    }
}

/// Makes one-time keys ahead of time and signs with them. It has neither `Clone` nor any serialised form: a copy
/// would use the same keys again, and two signatures of one key are a forgery in waiting.
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
pub struct Signer<S: Suite> {
    identity: Arc<SecretKey>,
    public: PublicKey,
    config: SignerConfig,
    seed: SecretBytes,
    groups: Vec<Group<S>>,
    /// What signs no more, until somebody has the time to wipe it: 128 keys are 600 kB.
    expired: Vec<Batch<S>>,
    copies: Option<Box<dyn FnMut() -> u64 + Send>>,
    /// Of the keys that it has, and of the batches that it takes in.
    origin: Origin,
    /// Of keys that signed. The next are made there, so keys and rooms are never more than there once were keys.
    rooms: Vec<Room>,
}

struct Group<S: Suite> {
    /// `None` for everybody.
    members: Option<BTreeSet<MemberIndex>>,
    batches: VecDeque<Batch<S>>,
}

/// An announcement, and whom to send it to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Announced<S: Suite> {
    /// The members of the batch's group; `None` for everybody.
    pub to: Option<BTreeSet<MemberIndex>>,
    /// What to send.
    pub announcement: Announcement<S>,
}

const SEED: Context = Context::new(domain::DSIG_SEED);

/// How often `prepare` makes a batch that the signer does not take in.
pub(super) const ATTEMPTS: usize = 3;

impl<S: Suite> Signer<S> {
    /// A signer under an identity key. `groups` are sets of likely verifiers; the group of everybody is always
    /// there, as the last. `rng` should be the operating system's.
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
        let origin = Origin { signer: name_of(&seed), place: (process::generation(), 0), life: 0 };
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
            rooms: Vec::new(),
        })
    }

    /// Sets a hook that tells this machine's copies apart: a virtual machine's generation identifier, a counter of
    /// restored checkpoints. It is asked before each signature, and whenever its answer changes, all keys are wiped.
    /// Forks are noticed without it, and what nobody notices expires.
    pub fn detect_copies(&mut self, mut hook: impl FnMut() -> u64 + Send + 'static) {
        self.origin.place.1 = hook();
        self.copies = Some(Box::new(hook));
    }

    /// The key that verifies what this signer signs.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Background work, all of it: makes one batch for the group that is shortest of keys, if any is short. Call
    /// until it returns `None`, and send what it returns. Cost: that of [`Plan::make`].
    ///
    /// # Errors
    /// [`Error::Rng`]; [`Error::Exhausted`] if what [`detect_copies`](Signer::detect_copies) asks answers differently
    /// each time.
    pub fn prepare<R: TryCryptoRng + ?Sized>(
        &mut self,
        rng: &mut R,
        now: Time,
    ) -> Result<Option<Announced<S>>> {
        // Whoever finds that the machine was copied has to begin again.
        for _ in 0..ATTEMPTS {
            let Some(plan) = self.plan(rng, now)? else { return Ok(None) };
            if let Some(announced) = self.add(plan.make()?) {
                return Ok(Some(announced));
            }
        }
        Err(Error::Exhausted)
    }

    /// The first third of [`prepare`](Signer::prepare), for those whose background work has a thread of its own:
    /// `plan` and [`add`](Signer::add) are short and need the signer, [`Plan::make`] is long and does not. One plan
    /// at a time.
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
        self.keep_what_is_ours_alone(now);
        let expired = core::mem::take(&mut self.expired);
        let Some(group) = self.shortest(now) else { return Ok(None) };
        let fresh = random()?;
        let seed = self.renew(&[&*fresh]);
        Ok(Some(Plan {
            seed,
            made: now,
            log2: self.config.log2_batch,
            group,
            origin: self.origin,
            expired,
            rooms: self.rooms.split_off(self.rooms.len().saturating_sub(1 << self.config.log2_batch)),
            identity: self.identity.clone(),
            public: self.public.clone(),
            suite: PhantomData,
        }))
    }

    /// Takes in a batch that this signer planned, here. `None`, and the batch is wiped, if its keys were invalidated in
    /// the meantime, if another signer planned it, or this one before a fork: whoever has its twin may sign with it.
    pub fn add(&mut self, batch: Batch<S>) -> Option<Announced<S>> {
        self.notice_copies();
        let announced = self.announced(&batch)?;
        let config = &self.config;
        let group = self.groups.get_mut(batch.group)?;
        let now = batch.made;
        group.batches.push_back(batch);
        // What expires soon goes as soon as it is replaced: verifiers remember the last batches only.
        while let Some(oldest) = group.batches.front().filter(|oldest| config.is_old(oldest, now)) {
            if group.keys() - oldest.keys.len() < config.low_water {
                break;
            }
            self.expired.extend(group.batches.pop_front());
        }
        Some(announced)
    }

    /// What [`add`](Signer::add) would answer.
    pub(super) fn announced(&self, batch: &Batch<S>) -> Option<Announced<S>> {
        let group = self.groups.get(batch.group).filter(|_| batch.origin == self.origin)?;
        Some(Announced { to: group.members.clone(), announcement: batch.announcement() })
    }

    /// The group that is shortest of keys, if any is short.
    pub(super) fn shortest(&self, now: Time) -> Option<usize> {
        let fresh = |group: &Group<S>| group.keys_of(|batch| !self.config.is_old(batch, now));
        let (keys, group) = self.groups.iter().map(fresh).zip(0..).min()?;
        (keys < self.config.low_water).then_some(group)
    }

    /// What signs no more, for whoever has the time to wipe it: drop it.
    #[cfg(feature = "driver")]
    pub(super) fn take_expired(&mut self) -> Vec<Batch<S>> {
        core::mem::take(&mut self.expired)
    }

    #[cfg(feature = "driver")]
    pub(super) fn config(&self) -> &SignerConfig {
        &self.config
    }

    /// The announcements of all batches that still have keys: for a verifier that comes late or starts again. Batches
    /// expire when somebody says what time it is, so those are among them that did since [`sign`](Signer::sign) or
    /// [`plan`](Signer::plan) was called.
    pub fn announcements(&self) -> impl Iterator<Item = Announced<S>> {
        self.groups.iter().flat_map(|group| {
            let announced = |batch: &Batch<S>| Announced {
                to: group.members.clone(),
                announcement: batch.announcement(),
            };
            group.batches.iter().map(announced)
        })
    }

    /// Signs with a fresh key of the smallest group that contains all of `hint` and has one; an empty hint means
    /// everybody. The hint decides who verifies fast, never who can verify. Cost: one BLAKE3 of the message, one
    /// copy.
    ///
    /// `now`, here and everywhere, must be of a clock that goes on while the machine sleeps or is restored, such as
    /// the time of day: keys expire by it.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if no fresh key is left: call [`prepare`](Signer::prepare), or wait for whoever does, as a
    /// `Driver` can (feature `driver`).
    pub fn sign(&mut self, message: &[u8], hint: &[MemberIndex], now: Time) -> Result<Signature<S>> {
        self.keep_what_is_ours_alone(now);
        let contains = |members: &BTreeSet<_>| !hint.is_empty() && hint.iter().all(|i| members.contains(i));
        let groups = self.groups.iter_mut().filter(|group| group.members.as_ref().is_none_or(contains));
        let batches = groups.filter(|group| !group.batches.is_empty());
        let smallest = batches.min_by_key(|group| group.members.as_ref().map_or(usize::MAX, BTreeSet::len));
        // Written where the caller wants it: to put it together first and to move it then would take half as long again.
        let mut signed: Result<Signature<S>> = Err(Error::Exhausted);
        if let Some(batches) = smallest.map(|group| &mut group.batches)
            && let Some(batch) = batches.front_mut()
            && let Some(key) = batch.keys.pop_front()
        {
            // While the message is hashed.
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
                self.rooms.push(S::OneTime::sign(key.secret, &digest, signature.one_time.bytes_mut()));
            }
            if batch.keys.is_empty() {
                batches.pop_front();
            }
        }
        signed
    }

    /// How many keys are ready in all groups, and expired since [`sign`](Signer::sign) or [`plan`](Signer::plan) was
    /// called.
    pub fn ready(&self) -> usize {
        self.groups.iter().map(Group::keys).sum()
    }

    /// Wipes every key: for whoever learns that the machine was copied, or is about to be.
    pub fn invalidate(&mut self) {
        self.groups.iter_mut().for_each(|group| group.batches.clear());
        self.expired.clear();
        self.origin.life += 1;
        let (Origin { place: (_, copy), life, .. }, process) = (self.origin, process::id());
        // Two copies that come here with one state and one generator still part ways.
        self.renew(&[&process.to_le_bytes(), &copy.to_le_bytes(), &life.to_le_bytes()]);
    }

    /// Those keys go that somebody else has too, and old ones sign no more, whatever the clock says later.
    fn keep_what_is_ours_alone(&mut self, now: Time) {
        self.notice_copies();
        let lifetime = self.config.lifetime;
        for group in &mut self.groups {
            // A clock that went back by as much is as suspicious as an old batch. By less it may: whoever reads it may
            // have to wait for the signer, and clocks are set.
            let fresh = |batch: &Batch<S>| now.since(batch.made).max(batch.made.since(now)) < lifetime;
            while let Some(at) = group.batches.iter().position(|batch| !fresh(batch)) {
                self.expired.extend(group.batches.remove(at));
            }
        }
    }

    /// After a fork both processes hold the same keys, so the child drops them; as does a copied machine.
    fn notice_copies(&mut self) {
        let copy = self.copies.as_mut().map_or(self.origin.place.1, |hook| hook());
        let place = (process::generation(), copy);
        if place != self.origin.place {
            self.origin.place = place;
            self.invalidate();
        }
    }

    /// Replaces the seed by a hash of itself and of `with`, and returns another.
    fn renew(&mut self, with: &[&[u8]]) -> SecretBytes {
        let seed = self.renew_below(with);
        zeroize_stack::<4096>();
        seed
    }

    #[inline(never)]
    fn renew_below(&mut self, with: &[&[u8]]) -> SecretBytes {
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

/// A number that signers of other seeds do not have. Nothing else is hashed of a seed alone.
#[inline(never)]
fn name_of(seed: &SecretBytes) -> [u8; 16] {
    let (mut input, len) = block(&[&**seed]);
    let name = SEED.hash(&input, len);
    input.zeroize();
    *name.first_chunk().unwrap_or(&[0; 16])
}

impl<S: Suite> Group<S> {
    fn keys(&self) -> usize {
        self.keys_of(|_| true)
    }

    fn keys_of(&self, which: impl Fn(&Batch<S>) -> bool) -> usize {
        self.batches.iter().filter(|batch| which(batch)).map(|batch| batch.keys.len()).sum()
    }
}

impl SignerConfig {
    /// Whether a batch is in the last quarter of its life. All of a signer that seldom signs were made together, and
    /// would expire together: they are replaced before.
    fn is_old<S: Suite>(&self, batch: &Batch<S>, now: Time) -> bool {
        now.since(batch.made) >= self.lifetime - self.lifetime / 4
    }
}
