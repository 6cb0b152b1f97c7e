use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;

use super::fast;
use super::one_time::Body;
use super::signature::{Announcement, Signature};
use super::suite::Suite;
use super::tree::Tree;
use crate::ed25519::PublicKey;
use crate::machine::Time;
use crate::wire::Decode;
use crate::{Error, Result};

/// The bounds of what a verifier remembers per signer.
#[derive(Clone, Debug)]
pub struct VerifierConfig {
    /// Announced batches; the oldest goes first, with what its keys signed. About 12 kB each; 0 counts as 1.
    ///
    /// Those that a signer still signs with should all fit, or its signatures verify slowly: for each group that this
    /// verifier is in, and for everybody, ⌈[`low_water`](super::SignerConfig::low_water) / batch⌉ + 1. The default does
    /// for the signer's defaults and four groups: 5 · (4 + 1) = 25.
    pub announced: usize,
    /// Batches whose root was checked in the foreground; the oldest goes first, with what its keys signed. About 12 kB
    /// each; 0 counts as 1.
    pub checked: usize,
    /// Announcements that may come at once. A signer that begins, or whose keys all expired, has
    /// ⌈[`low_water`](super::SignerConfig::low_water) / batch⌉ for each group.
    pub burst: u32,
    /// How often one more may come.
    pub interval: core::time::Duration,
}

impl Default for VerifierConfig {
    fn default() -> Self {
        Self { announced: 32, checked: 8, burst: 32, interval: core::time::Duration::from_micros(200) }
    }
}

/// Verifies signatures of known signers, fast where their batch was announced. Driven by its owner: nothing happens
/// between calls.
pub struct Verifier<S: Suite> {
    config: VerifierConfig,
    signers: BTreeMap<PublicKey, Peer>,
    revoked: Option<Box<Revocation>>,
    suite: PhantomData<S>,
}

type Revocation = dyn Fn(&PublicKey) -> bool + Send + Sync;

struct Peer {
    announced: VecDeque<Known>,
    checked: VecDeque<Known>,
    tokens: u32,
    refilled: Time,
}

/// A root under which the signer's Ed25519 signature was verified.
pub(super) struct Known {
    eddsa: [u8; 64],
    root: [u8; 32],
    tree: Tree,
    /// What each key signed; a key has one digest.
    used: Vec<Option<[u8; 32]>>,
}

/// An announcement that may be looked at: its signer is known and within its allowance.
pub struct Admitted<S: Suite> {
    signer: PublicKey,
    suite: PhantomData<S>,
}

/// An announcement that holds.
pub struct Checked<S: Suite> {
    signer: PublicKey,
    known: Known,
    suite: PhantomData<S>,
}

/// A signature that holds by itself; whether its key signed something else, [`Verifier::remember`] says.
#[must_use]
pub struct Verified<S: Suite> {
    signer: PublicKey,
    known: Known,
    index: u16,
    digest: [u8; 64],
    suite: PhantomData<S>,
}

impl<S: Suite> Verifier<S> {
    /// A verifier that knows nobody yet.
    pub fn new(config: VerifierConfig) -> Self {
        Self { config, signers: BTreeMap::new(), revoked: None, suite: PhantomData }
    }

    /// Lets a signer in. Does nothing if it is known. Memory: the configured batches per signer, 480 kB by default.
    pub fn admit(&mut self, signer: PublicKey) {
        let tokens = self.config.burst;
        self.signers.entry(signer).or_insert_with(|| Peer {
            announced: VecDeque::new(),
            checked: VecDeque::new(),
            tokens,
            refilled: Time::default(),
        });
    }

    /// Forgets a signer: all of its signatures are refused from now on. Returns whether it was known.
    pub fn revoke(&mut self, signer: &PublicKey) -> bool {
        self.signers.remove(signer).is_some()
    }

    /// Sets a hook that is asked before every verification and announcement whether a key is revoked: a list that
    /// somebody else keeps. It should cost no more than a lookup.
    pub fn check_revocation(&mut self, hook: impl Fn(&PublicKey) -> bool + Send + Sync + 'static) {
        self.revoked = Some(Box::new(hook));
    }

    /// Background work, all of it: takes in an announcement of the peer that it came from over an authenticated
    /// link. A stranger's costs a lookup, one too many a subtraction; any other 127 hashes and one Ed25519
    /// verification.
    ///
    /// # Errors
    /// Those of [`admit_announcement`](Verifier::admit_announcement) and [`Admitted::check`].
    pub fn announce(&mut self, signer: &PublicKey, announcement: &[u8], now: Time) -> Result<()> {
        let checked = self.admit_announcement(signer, now)?.check(announcement)?;
        self.learn(checked)
    }

    /// The first third of [`announce`](Verifier::announce), for those whose background work has a thread of its own:
    /// this and [`learn`](Verifier::learn) are short and need the verifier, [`Admitted::check`] is long and does
    /// not. So an announcement, however hostile, never costs the foreground more than a lookup.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for strangers and the revoked, [`Error::RateLimited`].
    pub fn admit_announcement(&mut self, signer: &PublicKey, now: Time) -> Result<Admitted<S>> {
        let config = self.config.clone();
        self.peer(signer)?.take_token(&config, now)?;
        Ok(Admitted { signer: signer.clone(), suite: PhantomData })
    }

    /// Takes in an announcement that holds. The oldest gives way.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the signer was forgotten or revoked in the meantime.
    pub fn learn(&mut self, checked: Checked<S>) -> Result<()> {
        let limit = self.config.announced;
        let peer = self.peer(&checked.signer)?;
        let mut known = checked.known;
        if peer.announced.iter().any(|other| other.has_keys_of(&known.root, known.tree.log2())) {
            return Ok(());
        }
        // What keys of this batch signed before it was announced stays known.
        let earlier = peer.checked.iter().position(|other| other.has_keys_of(&known.root, known.tree.log2()));
        if let Some(at) = earlier {
            known.used = peer.checked.remove(at).map(|other| other.used).unwrap_or_default();
        }
        push(&mut peer.announced, known, limit);
        Ok(())
    }

    /// Whether [`verify`](Verifier::verify) would not need an Ed25519 verification. Cost: one lookup, and the revocation
    /// hook.
    pub fn can_verify_fast(&self, signer: &PublicKey, signature: &Signature<S>) -> bool {
        let peer = self.signers.get(signer).filter(|_| !self.is_revoked(signer));
        peer.is_some_and(|peer| peer.known().any(|known| known.matches(signature)))
    }

    /// Verifies a signature. It is accepted exactly if [`Signature::verify`] accepts it, whatever was announced, and
    /// its key signed nothing else that is remembered. Cost: two lookups; one BLAKE3 of the message, about 102 chain
    /// steps in suites 1 to 3; and unless [`can_verify_fast`](Verifier::can_verify_fast), 7 hashes and one Ed25519
    /// verification.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for strangers and the revoked, [`Error::BadSignature`], and [`Error::OneTimeReuse`]
    /// if the signature is valid but its key signed something else before: with both signatures that is evidence
    /// ([`Reuse`](super::Reuse)). A verifier remembers digests only, so whoever wants evidence keeps the messages and
    /// signatures that it verified.
    pub fn verify(&mut self, signer: &PublicKey, message: &[u8], signature: &Signature<S>) -> Result<()> {
        if self.verify_fast(signer, message, signature)? {
            return Ok(());
        }
        self.remember(signature.verified(signer, message)?)
    }

    /// The first third of [`verify`](Verifier::verify), for those whose threads share a verifier: this and
    /// [`remember`](Verifier::remember) are short and need it, [`Signature::verified`] is long and does not. `false`
    /// if the signature is still to be verified, because its batch is not known. Cost: that of
    /// [`verify`](Verifier::verify) without Ed25519.
    ///
    /// # Errors
    /// Those of [`verify`](Verifier::verify).
    pub fn verify_fast(
        &mut self,
        signer: &PublicKey,
        message: &[u8],
        signature: &Signature<S>,
    ) -> Result<bool> {
        let peer = self.peer(signer)?;
        let Some(known) = peer.known_mut().find(|known| known.matches(signature)) else { return Ok(false) };
        // The message is hashed meanwhile.
        fast::fetch(signature.one_time.bytes());
        let digest = signature.digest(message);
        let leaf = signature.leaf(&digest).ok_or_else(Error::bad_signature)?;
        known.admit(signature, leaf, &digest)?;
        Ok(true)
    }

    /// The last third of [`verify`](Verifier::verify): whether the signer is still trusted, and signed nothing else
    /// with this key. Cost: two lookups.
    ///
    /// # Errors
    /// [`Error::WrongContext`] and [`Error::OneTimeReuse`], as of [`verify`](Verifier::verify).
    pub fn remember(&mut self, verified: Verified<S>) -> Result<()> {
        let limit = self.config.checked;
        let Verified { signer, known, index, digest, .. } = verified;
        let peer = self.peer(&signer)?;
        // The same keys, be it under another Ed25519 signature.
        if let Some(twin) = peer.known_mut().find(|other| other.has_keys_of(&known.root, known.tree.log2())) {
            return twin.note(index, &digest);
        }
        push(&mut peer.checked, known, limit);
        Ok(())
    }

    fn is_revoked(&self, signer: &PublicKey) -> bool {
        self.revoked.as_ref().is_some_and(|revoked| revoked(signer))
    }

    fn peer(&mut self, signer: &PublicKey) -> Result<&mut Peer> {
        if self.is_revoked(signer) {
            return Err(Error::WrongContext { what: "revoked signer" });
        }
        self.signers.get_mut(signer).ok_or(Error::WrongContext { what: "signer" })
    }
}

impl<S: Suite> Admitted<S> {
    /// Decodes and checks an announcement. Cost: 127 hashes and one Ed25519 verification.
    ///
    /// # Errors
    /// What decoding reports, [`Error::WrongContext`] for another suite, and [`Error::BadSignature`].
    pub fn check(self, announcement: &[u8]) -> Result<Checked<S>> {
        let announcement = Announcement::<S>::decode(announcement, &())?;
        let tree = announcement.tree(&self.signer)?;
        let (root, used) = (tree.root(), vec![None; announcement.keys()]);
        let known = Known { eddsa: announcement.eddsa, root, tree, used };
        Ok(Checked { signer: self.signer, known, suite: PhantomData })
    }
}

impl<S: Suite> Signature<S> {
    /// The second third of [`Verifier::verify`]. Cost: that of [`verify`](Signature::verify).
    ///
    /// # Errors
    /// [`Error::BadSignature`].
    pub fn verified(&self, signer: &PublicKey, message: &[u8]) -> Result<Verified<S>> {
        let digest = self.digest(message);
        let leaf = self.leaf(&digest).ok_or_else(Error::bad_signature)?;
        let mut known = Known::of_root(self);
        known.admit(self, leaf, &digest)?;
        self.verify_root(signer)?;
        Ok(Verified { signer: signer.clone(), known, index: self.index, digest, suite: PhantomData })
    }
}

impl Peer {
    fn take_token(&mut self, config: &VerifierConfig, now: Time) -> Result<()> {
        // A clock that was set back would earn nothing until it is where it was.
        self.refilled = self.refilled.min(now);
        let interval = config.interval.as_micros().max(1);
        let earned = now.since(self.refilled).as_micros() / interval;
        if earned > 0 {
            // What is left of the interval counts for the next one.
            let spent = u64::try_from(earned.saturating_mul(interval)).unwrap_or(u64::MAX);
            self.refilled = Time(self.refilled.0.saturating_add(spent));
            let earned = u32::try_from(earned).unwrap_or(u32::MAX);
            self.tokens = self.tokens.saturating_add(earned).min(config.burst);
        }
        self.tokens = self.tokens.checked_sub(1).ok_or(Error::RateLimited)?;
        Ok(())
    }

    fn known(&self) -> impl Iterator<Item = &Known> {
        self.announced.iter().chain(&self.checked)
    }

    fn known_mut(&mut self) -> impl Iterator<Item = &mut Known> {
        self.announced.iter_mut().chain(&mut self.checked)
    }
}

impl Known {
    /// Of a signature whose Ed25519 signature is still to be verified.
    pub(super) fn of_root<S: Suite>(signature: &Signature<S>) -> Self {
        let Signature { log2, root, eddsa, .. } = *signature;
        Self { eddsa, root, tree: Tree::of_root(log2, &root), used: vec![None; 1 << log2] }
    }

    pub(super) fn matches<S: Suite>(&self, signature: &Signature<S>) -> bool {
        self.eddsa == signature.eddsa && self.has_keys_of(&signature.root, signature.log2)
    }

    /// Whether an index means the same key in both. A root alone does not tell: its signer may have signed it as that
    /// of two leaves and as that of four.
    fn has_keys_of(&self, root: &[u8; 32], log2: u8) -> bool {
        self.root == *root && self.tree.log2() == log2
    }

    /// Checks the path from a signature's leaf, and that its key signed nothing else.
    pub(super) fn admit<S: Suite>(
        &mut self,
        signature: &Signature<S>,
        leaf: [u8; 32],
        digest: &[u8; 64],
    ) -> Result<()> {
        if !self.tree.admits(leaf, signature.index, &signature.siblings) {
            return Err(Error::bad_signature());
        }
        self.note(signature.index, digest)
    }

    pub(super) fn note(&mut self, index: u16, digest: &[u8; 64]) -> Result<()> {
        let (Some(slot), Some(digest)) = (self.used.get_mut(usize::from(index)), digest.first_chunk()) else {
            return Err(Error::bad_signature());
        };
        if slot.get_or_insert(*digest) == digest { Ok(()) } else { Err(Error::OneTimeReuse) }
    }
}

fn push(queue: &mut VecDeque<Known>, known: Known, limit: usize) {
    if queue.len() >= limit.max(1) {
        queue.pop_front();
    }
    queue.push_back(known);
}
