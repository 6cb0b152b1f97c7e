use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::time::Duration;

use rand_core::TryCryptoRng;
use zeroize::{Zeroize, Zeroizing};

use super::chain::KeySalt;
use super::signature::{self, Announcement, Signature};
use super::suite::Suite;
use super::tree::{self, MAX_LOG2, Tree};
use super::wots::OneTime;
use crate::ed25519::{Ed25519, PublicKey, SecretKey};
use crate::machine::{MemberIndex, Time};
use crate::scheme::{Scheme, random_32};
use crate::wire::domain;
use crate::{Error, Result};

/// How many keys a signer makes and how long it keeps them.
#[derive(Clone, Debug)]
pub struct SignerConfig {
    /// Keys per batch as a power of two, at most 7.
    pub log2_batch: u8,
    /// A group with fewer keys than this gets another batch.
    pub low_water: usize,
    /// Keys older than this are wiped, so that a machine that was copied or put to sleep does not go on with them.
    pub lifetime: Duration,
}

impl Default for SignerConfig {
    fn default() -> Self {
        Self { log2_batch: MAX_LOG2, low_water: 512, lifetime: Duration::from_secs(10) }
    }
}

/// Makes one-time keys ahead of time and signs with them. It has neither `Clone` nor any serialised form: a copy
/// would use the same keys again, and two signatures of one key are a forgery in waiting.
pub struct Signer<S: Suite> {
    identity: SecretKey,
    public: PublicKey,
    config: SignerConfig,
    seed: Zeroizing<[u8; 32]>,
    groups: Vec<Group<S>>,
    process: u32,
}

/// `None` for everybody.
struct Group<S: Suite> {
    members: Option<BTreeSet<MemberIndex>>,
    batches: VecDeque<Batch<S>>,
}

struct Batch<S: Suite> {
    made: Time,
    tree: Tree,
    eddsa: [u8; 64],
    /// Taken from the front; the key's place is the batch's size less what is left.
    keys: VecDeque<Key<S>>,
}

struct Key<S: Suite> {
    salt: KeySalt,
    nonce: Zeroizing<[u8; 16]>,
    secret: <S::OneTime as OneTime>::Secret,
}

impl<S: Suite> Signer<S> {
    /// A signer under an identity key. `groups` are sets of likely verifiers; the group of everybody is always
    /// there, as the last.
    ///
    /// # Errors
    /// [`Error::Rng`]; [`Error::TooLarge`] for a batch of more than 2⁷ keys.
    pub fn new<R: TryCryptoRng + ?Sized>(
        identity: SecretKey,
        groups: Vec<BTreeSet<MemberIndex>>,
        config: SignerConfig,
        rng: &mut R,
    ) -> Result<Self> {
        if config.log2_batch > MAX_LOG2 {
            return Err(Error::TooLarge { what: "DSig batch, log2", limit: MAX_LOG2.into() });
        }
        let group = |members| Group { members, batches: VecDeque::new() };
        let groups = groups.into_iter().map(Some).chain([None]).map(group).collect();
        let public = Ed25519::public_key(&identity);
        Ok(Self { identity, public, config, seed: random_32(rng)?, groups, process: process() })
    }

    /// The key that verifies what this signer signs.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Background work: makes one batch for the group that is shortest of keys and says whom to send it to (the
    /// group's members; `None`: everybody). Call until it returns `None`. Cost: 204 chain steps per key, one
    /// Ed25519 signature.
    ///
    /// # Errors
    /// [`Error::Rng`].
    #[allow(clippy::type_complexity, reason = "a pair with an optional set")]
    pub fn prepare<R: TryCryptoRng + ?Sized>(
        &mut self,
        rng: &mut R,
        now: Time,
    ) -> Result<Option<(Option<BTreeSet<MemberIndex>>, Announcement<S>)>> {
        self.wipe_what_is_not_ours_alone(now);
        let low_water = self.config.low_water;
        let Some(at) = (0..self.groups.len())
            .filter_map(|at| Some((self.groups.get(at)?.keys(), at)))
            .min()
            .filter(|(keys, _)| *keys < low_water)
            .map(|(_, at)| at)
        else {
            return Ok(None);
        };
        let batch = self.batch(&*random_32(rng)?, now)?;
        let announcement = Announcement {
            log2: batch.tree.log2(),
            eddsa: batch.eddsa,
            leaves: batch.tree.leaves().to_vec(),
            suite: PhantomData,
        };
        let Some(group) = self.groups.get_mut(at) else { return Ok(None) };
        group.batches.push_back(batch);
        Ok(Some((group.members.clone(), announcement)))
    }

    /// Signs with a fresh key of the smallest group that contains all of `hint`; an empty hint means everybody.
    /// The hint decides who verifies fast, never who can verify. Cost: one BLAKE3 of the message, one copy.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if no fresh key is left: call [`prepare`](Signer::prepare), or wait for whoever does.
    pub fn sign(&mut self, message: &[u8], hint: &[MemberIndex], now: Time) -> Result<Signature<S>> {
        self.wipe_what_is_not_ours_alone(now);
        let contains = |members: &BTreeSet<_>| !hint.is_empty() && hint.iter().all(|i| members.contains(i));
        let group = self
            .groups
            .iter_mut()
            .filter(|group| group.members.as_ref().is_none_or(contains))
            .min_by_key(|group| group.members.as_ref().map_or(usize::MAX, BTreeSet::len))
            .ok_or(Error::Exhausted)?;
        while group.batches.front().is_some_and(|batch| batch.keys.is_empty()) {
            group.batches.pop_front();
        }
        let batch = group.batches.front_mut().ok_or(Error::Exhausted)?;
        let index = (batch.tree.leaves().len() - batch.keys.len()) as u16;
        let key = batch.keys.pop_front().ok_or(Error::Exhausted)?;
        let root = batch.tree.root();
        let digest = signature::digest(&root, index, &key.nonce, message);
        let mut one_time = Vec::with_capacity(S::OneTime::SIGNATURE_LEN);
        S::OneTime::sign(key.secret, &digest, &mut one_time);
        Ok(Signature {
            log2: batch.tree.log2(),
            index,
            root,
            salt: key.salt,
            nonce: *key.nonce,
            eddsa: batch.eddsa,
            siblings: batch.tree.siblings(index),
            one_time,
            suite: PhantomData,
        })
    }

    /// How many keys are ready in all groups.
    pub fn ready(&self) -> usize {
        self.groups.iter().map(Group::keys).sum()
    }

    /// Wipes every key: for whoever learns that the machine was copied, or is about to be.
    pub fn invalidate(&mut self) {
        for group in &mut self.groups {
            group.batches.clear();
        }
        // What comes after is made of fresh entropy anyway; the old seed is of no use to anybody.
        self.seed.zeroize();
    }

    /// After a fork both processes hold the same keys, so the child drops them; old ones go in any case.
    fn wipe_what_is_not_ours_alone(&mut self, now: Time) {
        let process = process();
        if process != self.process {
            self.invalidate();
            self.process = process;
        }
        let lifetime = self.config.lifetime;
        for group in &mut self.groups {
            // A clock that went back is as suspicious as an old batch.
            group.batches.retain(|batch| batch.made <= now && now.since(batch.made) < lifetime);
        }
    }

    fn batch(&mut self, fresh: &[u8; 32], made: Time) -> Result<Batch<S>> {
        let mut mixer = domain::hasher(domain::DSIG_SEED);
        mixer.update(&*self.seed).update(fresh);
        let mut output = mixer.finalize_xof();
        let mut seed = Zeroizing::new([0; 32]);
        output.fill(&mut *seed);
        output.fill(&mut *self.seed);
        let (mut keys, mut leaves) = (VecDeque::new(), Vec::new());
        for index in 0..1u16 << self.config.log2_batch {
            let mut hasher = domain::hasher(domain::DSIG_SECRETS);
            hasher.update(&*seed).update(&[S::NUMBER]).update(&index.to_le_bytes());
            let mut secrets = hasher.finalize_xof();
            let (mut salt, mut nonce) = ([0; 12], Zeroizing::new([0; 16]));
            secrets.fill(&mut salt);
            secrets.fill(&mut *nonce);
            let (secret, public) = S::OneTime::generate(&mut secrets, &salt);
            leaves.push(tree::leaf(S::NUMBER, &salt, &public));
            keys.push_back(Key { salt, nonce, secret });
        }
        let tree = Tree::new(self.config.log2_batch, leaves).ok_or(Error::Exhausted)?;
        let signed = signature::batch_bytes::<S>(tree.log2(), self.public.as_bytes(), &tree.root());
        let eddsa = Ed25519::sign(&self.identity, &signed).to_bytes();
        Ok(Batch { made, tree, eddsa, keys })
    }
}

impl<S: Suite> Group<S> {
    fn keys(&self) -> usize {
        self.batches.iter().map(|batch| batch.keys.len()).sum()
    }
}

/// Which process this is, where there are processes.
fn process() -> u32 {
    #[cfg(all(feature = "std", not(target_family = "wasm")))]
    return std::process::id();
    #[cfg(not(all(feature = "std", not(target_family = "wasm"))))]
    return 0;
}
