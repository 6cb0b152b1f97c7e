use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;

use super::fast;
use super::one_time::SignatureBytes;
use super::signature::{Announcement, Signature};
use super::suite::DsigSuite;
use super::tree::Tree;
use crate::ed25519::PublicKey;
use crate::machine::Time;
use crate::wire::Decode;
use crate::{Error, Result};

/// Limits on the state that a verifier stores per signer.
#[derive(Clone, Debug)]
pub struct VerifierConfig {
    /// Maximum number of announced batches; the oldest is evicted, with the record of the digests that its keys
    /// signed. About 12 kB each; 0 counts as 1.
    ///
    /// Signatures verify slowly if their batch was evicted, so the limit should cover all batches in use:
    /// ⌈[`low_water`](super::SignerConfig::low_water) / batch⌉ + 1 for each group that contains this verifier, and
    /// the same for the group of all verifiers. The default covers the signer's defaults with four groups: 5 · (4 +
    /// 1) = 25.
    pub announced: usize,
    /// Maximum number of batches whose root was verified in the foreground; the oldest is evicted, with the record of
    /// the digests that its keys signed. About 12 kB each; 0 counts as 1.
    pub checked: usize,
    /// Maximum burst of announcements. A signer that starts, or whose keys all expired, sends
    /// ⌈[`low_water`](super::SignerConfig::low_water) / batch⌉ for each group.
    pub burst: u32,
    /// Interval at which one more announcement is allowed.
    pub interval: core::time::Duration,
}

impl Default for VerifierConfig {
    fn default() -> Self {
        Self { announced: 32, checked: 8, burst: 32, interval: core::time::Duration::from_micros(200) }
    }
}

/// Verifies signatures of known signers, and does so fast if their batch was announced. All work happens within
/// calls.
pub struct Verifier<S: DsigSuite> {
    config: VerifierConfig,
    signers: BTreeMap<PublicKey, SignerState>,
    revoked: Option<Box<Revocation>>,
    suite: PhantomData<S>,
}

type Revocation = dyn Fn(&PublicKey) -> bool + Send + Sync;

struct SignerState {
    announced: VecDeque<KnownBatch>,
    checked: VecDeque<KnownBatch>,
    tokens: u32,
    refilled: Time,
}

/// A batch whose root has a valid Ed25519 signature of the signer.
pub(super) struct KnownBatch {
    eddsa: [u8; 64],
    root: [u8; 32],
    tree: Tree,
    /// Digest that each key signed. A key may sign one digest only.
    used: Vec<Option<[u8; 32]>>,
}

/// Permission to verify an announcement: its signer is known and within its rate limit.
pub struct AdmittedAnnouncement<S: DsigSuite> {
    signer: PublicKey,
    suite: PhantomData<S>,
}

/// A verified announcement.
pub struct VerifiedAnnouncement<S: DsigSuite> {
    signer: PublicKey,
    known: KnownBatch,
    suite: PhantomData<S>,
}

/// A valid signature. [`Verifier::remember`] reports if its key signed another message.
#[must_use]
pub struct VerifiedSignature<S: DsigSuite> {
    signer: PublicKey,
    known: KnownBatch,
    index: u16,
    digest: [u8; 64],
    suite: PhantomData<S>,
}

impl<S: DsigSuite> Verifier<S> {
    /// Creates a verifier that knows no signer yet.
    pub fn new(config: VerifierConfig) -> Self {
        Self { config, signers: BTreeMap::new(), revoked: None, suite: PhantomData }
    }

    /// Adds a signer. Does nothing if it is known. Memory: the configured batches per signer, 480 kB by default.
    pub fn admit(&mut self, signer: PublicKey) {
        let tokens = self.config.burst;
        self.signers.entry(signer).or_insert_with(|| SignerState {
            announced: VecDeque::new(),
            checked: VecDeque::new(),
            tokens,
            refilled: Time::default(),
        });
    }

    /// Removes a signer: all its signatures are refused from now on. Returns whether it was known.
    pub fn revoke(&mut self, signer: &PublicKey) -> bool {
        self.signers.remove(signer).is_some()
    }

    /// Sets a hook that returns true for revoked keys. It is called before every verification and announcement, and
    /// should cost no more than a lookup.
    pub fn check_revocation(&mut self, hook: impl Fn(&PublicKey) -> bool + Send + Sync + 'static) {
        self.revoked = Some(Box::new(hook));
    }

    /// Performs all background work: verifies an announcement that arrived from the signer over an authenticated
    /// link. Cost: a lookup for an unknown signer, a subtraction above the rate limit; otherwise 127 hashes and one
    /// Ed25519 verification.
    ///
    /// # Errors
    /// Those of [`admit_announcement`](Verifier::admit_announcement) and [`AdmittedAnnouncement::check`].
    pub fn announce(&mut self, signer: &PublicKey, announcement: &[u8], now: Time) -> Result<()> {
        let checked = self.admit_announcement(signer, now)?.check(announcement)?;
        self.learn(checked)
    }

    /// First step of [`announce`](Verifier::announce), for background work on a separate thread: this and
    /// [`learn`](Verifier::learn) are short and need the verifier, [`AdmittedAnnouncement::check`] is long and does not. Thus an
    /// announcement, however hostile, never costs the foreground more than a lookup.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for unknown and revoked signers, [`Error::RateLimited`].
    pub fn admit_announcement(&mut self, signer: &PublicKey, now: Time) -> Result<AdmittedAnnouncement<S>> {
        let config = self.config.clone();
        self.state(signer)?.take_token(&config, now)?;
        Ok(AdmittedAnnouncement { signer: signer.clone(), suite: PhantomData })
    }

    /// Stores a verified announcement and evicts the oldest one if the limit is reached.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the signer was removed or revoked in the meantime.
    pub fn learn(&mut self, checked: VerifiedAnnouncement<S>) -> Result<()> {
        let limit = self.config.announced;
        let state = self.state(&checked.signer)?;
        let mut known = checked.known;
        if state.announced.iter().any(|other| other.has_root(&known.root, known.tree.log2())) {
            return Ok(());
        }
        // Keep the record of the digests that keys of this batch signed before it was announced.
        let earlier = state.checked.iter().position(|other| other.has_root(&known.root, known.tree.log2()));
        if let Some(at) = earlier {
            known.used = state.checked.remove(at).map(|other| other.used).unwrap_or_default();
        }
        push(&mut state.announced, known, limit);
        Ok(())
    }

    /// Returns true if [`verify`](Verifier::verify) would need no Ed25519 verification. Cost: one lookup, and the
    /// revocation hook.
    pub fn can_verify_fast(&self, signer: &PublicKey, signature: &Signature<S>) -> bool {
        let state = self.signers.get(signer).filter(|_| !self.is_revoked(signer));
        state.is_some_and(|state| state.known().any(|known| known.matches(signature)))
    }

    /// Verifies a signature. It is accepted exactly if [`Signature::verify`] accepts it, whatever was announced, and
    /// no other message signed by its key is on record. Cost: two lookups; one BLAKE3 of the message, about 102 chain
    /// steps in suites 1 to 3; and unless [`can_verify_fast`](Verifier::can_verify_fast), 7 hashes and one Ed25519
    /// verification.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for unknown and revoked signers, [`Error::BadSignature`], and [`Error::OneTimeReuse`]
    /// if the signature is valid but its key signed another message before: the two signatures are evidence
    /// ([`Reuse`](super::Reuse)). A verifier stores digests only, so a caller that wants evidence must keep the
    /// messages and signatures that it verified.
    pub fn verify(&mut self, signer: &PublicKey, message: &[u8], signature: &Signature<S>) -> Result<()> {
        if self.verify_fast(signer, message, signature)? {
            return Ok(());
        }
        self.remember(signature.verify_detached(signer, message)?)
    }

    /// First step of [`verify`](Verifier::verify), for threads that share a verifier: this and
    /// [`remember`](Verifier::remember) are short and need it, [`Signature::verify_detached`] is long and does not. Returns
    /// `false` if the batch is unknown, so the signature remains to be verified. Cost: that of
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
        let state = self.state(signer)?;
        let Some(known) = state.known_mut().find(|known| known.matches(signature)) else { return Ok(false) };
        // Prefetch while the message is hashed.
        fast::fetch(signature.one_time.bytes());
        let digest = signature.digest(message);
        let leaf = signature.leaf(&digest).ok_or_else(Error::bad_signature)?;
        known.admit(signature, leaf, &digest)?;
        Ok(true)
    }

    /// Last step of [`verify`](Verifier::verify): checks that the signer is still trusted and that the key signed no
    /// other message. Cost: two lookups.
    ///
    /// # Errors
    /// [`Error::WrongContext`] and [`Error::OneTimeReuse`], as in [`verify`](Verifier::verify).
    pub fn remember(&mut self, verified: VerifiedSignature<S>) -> Result<()> {
        let limit = self.config.checked;
        let VerifiedSignature { signer, known, index, digest, .. } = verified;
        let state = self.state(&signer)?;
        // The same keys, possibly under another Ed25519 signature.
        if let Some(twin) = state.known_mut().find(|other| other.has_root(&known.root, known.tree.log2())) {
            return twin.note(index, &digest);
        }
        push(&mut state.checked, known, limit);
        Ok(())
    }

    fn is_revoked(&self, signer: &PublicKey) -> bool {
        self.revoked.as_ref().is_some_and(|revoked| revoked(signer))
    }

    fn state(&mut self, signer: &PublicKey) -> Result<&mut SignerState> {
        if self.is_revoked(signer) {
            return Err(Error::WrongContext { what: "revoked signer" });
        }
        self.signers.get_mut(signer).ok_or(Error::WrongContext { what: "signer" })
    }
}

impl<S: DsigSuite> AdmittedAnnouncement<S> {
    /// Decodes and verifies an announcement. Cost: 127 hashes and one Ed25519 verification.
    ///
    /// # Errors
    /// Decoding errors, [`Error::WrongContext`] for another suite, and [`Error::BadSignature`].
    pub fn check(self, announcement: &[u8]) -> Result<VerifiedAnnouncement<S>> {
        let announcement = Announcement::<S>::decode(announcement, &())?;
        let tree = announcement.tree(&self.signer)?;
        let (root, used) = (tree.root(), vec![None; announcement.keys()]);
        let known = KnownBatch { eddsa: announcement.eddsa, root, tree, used };
        Ok(VerifiedAnnouncement { signer: self.signer, known, suite: PhantomData })
    }
}

impl<S: DsigSuite> Signature<S> {
    /// Second step of [`Verifier::verify`]. Cost: that of [`verify`](Signature::verify).
    ///
    /// # Errors
    /// [`Error::BadSignature`].
    pub fn verify_detached(&self, signer: &PublicKey, message: &[u8]) -> Result<VerifiedSignature<S>> {
        let digest = self.digest(message);
        let leaf = self.leaf(&digest).ok_or_else(Error::bad_signature)?;
        let mut known = KnownBatch::unverified(self);
        known.admit(self, leaf, &digest)?;
        self.verify_root(signer)?;
        Ok(VerifiedSignature { signer: signer.clone(), known, index: self.index, digest, suite: PhantomData })
    }
}

impl SignerState {
    fn take_token(&mut self, config: &VerifierConfig, now: Time) -> Result<()> {
        // After a clock was set back, refill from its new value on.
        self.refilled = self.refilled.min(now);
        let interval = config.interval.as_micros().max(1);
        let earned = now.since(self.refilled).as_micros() / interval;
        if earned > 0 {
            // The remainder counts towards the next interval.
            let spent = u64::try_from(earned.saturating_mul(interval)).unwrap_or(u64::MAX);
            self.refilled = Time(self.refilled.0.saturating_add(spent));
            let earned = u32::try_from(earned).unwrap_or(u32::MAX);
            self.tokens = self.tokens.saturating_add(earned).min(config.burst);
        }
        self.tokens = self.tokens.checked_sub(1).ok_or(Error::RateLimited)?;
        Ok(())
    }

    /// Returns the known batches, the latest first: signers use the keys of one of their latest batches.
    fn known(&self) -> impl Iterator<Item = &KnownBatch> {
        self.announced.iter().rev().chain(self.checked.iter().rev())
    }

    fn known_mut(&mut self) -> impl Iterator<Item = &mut KnownBatch> {
        self.announced.iter_mut().rev().chain(self.checked.iter_mut().rev())
    }
}

impl KnownBatch {
    /// Creates the record of a signature's batch; its Ed25519 signature remains to be verified.
    pub(super) fn unverified<S: DsigSuite>(signature: &Signature<S>) -> Self {
        let Signature { log2, root, eddsa, .. } = *signature;
        Self { eddsa, root, tree: Tree::from_root(log2, &root), used: vec![None; 1 << log2] }
    }

    pub(super) fn matches<S: DsigSuite>(&self, signature: &Signature<S>) -> bool {
        self.eddsa == signature.eddsa && self.has_root(&signature.root, signature.log2)
    }

    /// Returns true if an index means the same key in both batches. The root alone does not show that: its signer may
    /// have signed it as the root of two leaves and as that of four.
    fn has_root(&self, root: &[u8; 32], log2: u8) -> bool {
        self.root == *root && self.tree.log2() == log2
    }

    /// Verifies the path from a signature's leaf, and that its key signed no other digest.
    pub(super) fn admit<S: DsigSuite>(
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

fn push(queue: &mut VecDeque<KnownBatch>, known: KnownBatch, limit: usize) {
    if queue.len() >= limit.max(1) {
        queue.pop_front();
    }
    queue.push_back(known);
}
