use alloc::collections::{BTreeMap, VecDeque};

use super::signature::{Announcement, Signature, batch_bytes};
use super::suite::Suite;
use super::tree::{self, Tree};
use crate::ed25519::PublicKey;
use crate::machine::Time;
use crate::wire::Decode;
use crate::{Error, Result};

/// The bounds of what a verifier remembers per signer.
#[derive(Clone, Debug)]
pub struct VerifierConfig {
    /// Announced batches; the oldest goes first. About 8 kB each.
    pub announced: usize,
    /// Batches whose root was checked in the foreground. About 6 kB each at most.
    pub checked: usize,
    /// Announcements that may come at once.
    pub burst: u32,
    /// How often one more may come.
    pub interval: core::time::Duration,
}

impl Default for VerifierConfig {
    fn default() -> Self {
        Self { announced: 8, checked: 8, burst: 16, interval: core::time::Duration::from_micros(200) }
    }
}

/// Verifies signatures of known signers, fast where their batch was announced. Driven by its owner: nothing happens
/// between calls.
pub struct Verifier<S: Suite> {
    config: VerifierConfig,
    signers: BTreeMap<PublicKey, Peer>,
    suite: core::marker::PhantomData<S>,
}

struct Peer {
    announced: VecDeque<Known>,
    checked: VecDeque<Known>,
    tokens: u32,
    refilled: Time,
}

/// A root under which the signer's Ed25519 signature was verified.
struct Known {
    log2: u8,
    root: [u8; 32],
    eddsa: [u8; 64],
    tree: Option<Tree>,
    /// What each key signed; a key has one digest.
    used: BTreeMap<u16, [u8; 32]>,
}

impl<S: Suite> Verifier<S> {
    /// A verifier that knows nobody yet.
    pub fn new(config: VerifierConfig) -> Self {
        Self { config, signers: BTreeMap::new(), suite: core::marker::PhantomData }
    }

    /// Lets a signer in. Does nothing if it is known.
    pub fn admit(&mut self, signer: PublicKey) {
        let tokens = self.config.burst;
        self.signers.entry(signer).or_insert_with(|| Peer {
            announced: VecDeque::new(),
            checked: VecDeque::new(),
            tokens,
            refilled: Time::default(),
        });
    }

    /// Revokes a signer: all of its signatures are refused from now on. Returns whether it was known.
    pub fn revoke(&mut self, signer: &PublicKey) -> bool {
        self.signers.remove(signer).is_some()
    }

    /// Background work: takes in an announcement. A stranger's costs a lookup, one too many a subtraction; any other
    /// 127 hashes and one Ed25519 verification.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for strangers and other suites, [`Error::RateLimited`], what decoding reports, and
    /// [`Error::BadSignature`].
    pub fn announce(&mut self, signer: &PublicKey, announcement: &[u8], now: Time) -> Result<()> {
        let peer = self.signers.get_mut(signer).ok_or(Error::WrongContext { what: "signer" })?;
        peer.take_token(&self.config, now)?;
        let Announcement { log2, eddsa, leaves, .. } = Announcement::<S>::decode(announcement, &())?;
        let tree = Tree::new(log2, leaves).ok_or(Error::Malformed { what: "DSig announcement" })?;
        let root = tree.root();
        if peer.find(&root).is_some_and(|known| known.tree.is_some()) {
            return Ok(());
        }
        signer.verify_strict(&batch_bytes::<S>(log2, signer.as_bytes(), &root), &eddsa)?;
        // What keys of this batch signed before it was announced stays known.
        let used = peer.checked.iter().position(|known| known.root == root);
        let used = used.and_then(|at| peer.checked.remove(at)).map(|known| known.used).unwrap_or_default();
        push(&mut peer.announced, Known { log2, root, eddsa, tree: Some(tree), used }, self.config.announced);
        Ok(())
    }

    /// Whether [`verify`](Verifier::verify) would not need an Ed25519 verification. Cost: one lookup.
    pub fn can_verify_fast(&self, signer: &PublicKey, signature: &Signature<S>) -> bool {
        self.signers
            .get(signer)
            .and_then(|peer| {
                peer.announced.iter().chain(&peer.checked).find(|known| known.matches(signature))
            })
            .is_some()
    }

    /// Verifies a signature. It is accepted exactly if [`Signature::verify`] accepts it, whatever was announced. Many
    /// signatures of a batch in a row, as in a log, cost one Ed25519 verification together.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for strangers, [`Error::BadSignature`], and [`Error::OneTimeReuse`] if the signature
    /// is valid but its key signed something else before: keep both signatures, they are evidence.
    pub fn verify(&mut self, signer: &PublicKey, message: &[u8], signature: &Signature<S>) -> Result<()> {
        let peer = self.signers.get_mut(signer).ok_or(Error::WrongContext { what: "signer" })?;
        let digest = signature.digest(message);
        let leaf = signature.leaf(&digest).ok_or_else(Error::bad_signature)?;
        if let Some(known) = peer.find_matching(signature) {
            known.check_path(signature, leaf)?;
            return known.note(signature.index, digest);
        }
        if tree::climb(leaf, signature.index, signature.log2, &signature.siblings) != signature.root {
            return Err(Error::bad_signature());
        }
        let signed = batch_bytes::<S>(signature.log2, signer.as_bytes(), &signature.root);
        signer.verify_strict(&signed, &signature.eddsa)?;
        if let Some(known) = peer.find(&signature.root) {
            // Valid under another Ed25519 signature of the same root: the same keys.
            return known.note(signature.index, digest);
        }
        let Signature { log2, root, eddsa, .. } = *signature;
        let used = BTreeMap::from([(signature.index, digest)]);
        push(&mut peer.checked, Known { log2, root, eddsa, tree: None, used }, self.config.checked);
        Ok(())
    }
}

impl Peer {
    fn take_token(&mut self, config: &VerifierConfig, now: Time) -> Result<()> {
        let interval = config.interval.as_micros().max(1);
        let earned = now.since(self.refilled).as_micros() / interval;
        if earned > 0 {
            self.tokens =
                self.tokens.saturating_add(u32::try_from(earned).unwrap_or(u32::MAX)).min(config.burst);
            self.refilled = now;
        }
        self.tokens = self.tokens.checked_sub(1).ok_or(Error::RateLimited)?;
        Ok(())
    }

    fn find(&mut self, root: &[u8; 32]) -> Option<&mut Known> {
        self.announced.iter_mut().chain(&mut self.checked).find(|known| known.root == *root)
    }

    fn find_matching<S: Suite>(&mut self, signature: &Signature<S>) -> Option<&mut Known> {
        self.announced.iter_mut().chain(&mut self.checked).find(|known| known.matches(signature))
    }
}

impl Known {
    fn matches<S: Suite>(&self, signature: &Signature<S>) -> bool {
        self.root == signature.root && self.eddsa == signature.eddsa && self.log2 == signature.log2
    }

    /// The siblings are compared too: a signature that only those accept who have the tree would prove nothing to
    /// a third party.
    fn check_path<S: Suite>(&self, signature: &Signature<S>, leaf: [u8; 32]) -> Result<()> {
        let index = signature.index;
        let holds = match &self.tree {
            Some(tree) => {
                tree.leaves().get(usize::from(index)) == Some(&leaf)
                    && tree.siblings(index) == signature.siblings
            }
            None => tree::climb(leaf, index, self.log2, &signature.siblings) == self.root,
        };
        if holds { Ok(()) } else { Err(Error::bad_signature()) }
    }

    fn note(&mut self, index: u16, digest: [u8; 32]) -> Result<()> {
        if *self.used.entry(index).or_insert(digest) == digest { Ok(()) } else { Err(Error::OneTimeReuse) }
    }
}

fn push(queue: &mut VecDeque<Known>, known: Known, limit: usize) {
    if queue.len() >= limit.max(1) {
        queue.pop_front();
    }
    queue.push_back(known);
}
