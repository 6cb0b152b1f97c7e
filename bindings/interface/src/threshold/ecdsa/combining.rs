//! Combining shares into a signature.

use quorate::Result;
use quorate::any::threshold as any;
use quorate::machine;

use super::super::WithCache;
use super::{Deal, GroupKey, Opening, ShareFault, Signature, SignatureShare, Tag};
use crate::progress;
use crate::threshold::{Cache, Counts, Group};

class! {
    /// A message under a tag: the subject of a combiner.
    object struct Signing(pub(super) any::ecdsa::Signing): Clone, Debug;
    shown |self, f| {
        let tag = self.0.tag();
        write!(f, "Signing({}, epoch {}, index {})", self.0.group(), tag.epoch(), tag.index())
    };
    /// Creates the subject of a combiner without a party's file; parties call `signing` of their presignatures. A wrong
    /// nonce makes every combination fail.
    /// [`Error::Malformed`](quorate::Error) for a nonce of another length.
    /// [`Error::WrongContext`](quorate::Error) if key, deal and tag do not belong together.
    fn new(key: &GroupKey, deal: &Deal, nonce: &[u8], tag: &Tag, message: &[u8]) -> Result<Self> {
        any::ecdsa::Signing::new(&key.0, deal.0.clone(), nonce, tag.0, message).map(Self)
    }
    /// Its group.
    getter fn group(&self) -> Group { self.0.group().into() }
    /// The message.
    getter fn message(&self) -> &[u8] { self.0.message() }
    /// Public part of the presignature, which all signings of this tag share: the encoded R.
    getter fn nonce(&self) -> &[u8] { self.0.nonce() }
    /// Its tag.
    getter fn tag(&self) -> Tag { Tag(self.0.tag()) }
}

class! {
    /// Combines shares into a signature: optimistically at first; only if that fails, it checks each share and
    /// identifies the wrong ones. Threads may share it.
    object struct Combiner { signing: Signing, inner: WithCache<any::ecdsa::Combiner> }: Debug;
    shown |self, f| {
        let (tag, progress) = (self.signing.0.tag(), progress(self.signature().is_some()));
        write!(f, "Combiner(epoch {}, index {}, {progress})", tag.epoch(), tag.index())
    };
    /// Creates a combiner without shares. Combiners that share a `cache` reuse the Lagrange coefficients of recent sets
    /// of members.
    fn new(signing: &Signing, cache: Option<&Cache>) -> Self {
        let combiner = any::ecdsa::Combiner::new(signing.0.clone());
        Self { signing: signing.clone(), inner: WithCache::new(combiner, cache) }
    }
    /// Adds a share received over a link that authenticates `sender`.
    /// [`Error::WrongContext`](quorate::Error) for a share of another message, or of another party than the sender.
    /// [`Error::UnknownSigner`](quorate::Error) if there is no such party.
    /// [`Error::DuplicateSigner`](quorate::Error) for a second share of a party.
    /// [`Error::BadShare`](quorate::Error) from a party that sent a wrong share before.
    fn add(&self, sender: u16, share: &SignatureShare) -> Result<Outcome> {
        let share = share.0.clone();
        self.inner.with(|combiner, cache| combiner.add(cache, sender, share)).map(Outcome::from)
    }
    /// Adds the opening of `member`'s share, from any sender. It is ignored unless it was requested.
    /// [`Error::WrongContext`](quorate::Error) if the opening does not match the deal or the share.
    fn open(&self, member: u16, opening: &Opening) -> Result<Outcome> {
        self.inner.with(|combiner, cache| combiner.open(cache, member, &opening.0)).map(Outcome::from)
    }
    /// The signing whose shares it collects.
    getter fn signing(&self) -> Signing { self.signing.clone() }
    /// The signature, once it exists.
    getter fn signature(&self) -> Option<Signature> {
        self.inner.with(|combiner, _| combiner.signature()).map(Signature)
    }
    /// Work done so far.
    getter fn counts(&self) -> Counts { self.inner.with(|combiner, _| combiner.counts()).into() }
}

/// Result of adding a share or an opening.
pub struct Outcome {
    /// The signature, once it exists.
    pub signature: Option<Signature>,
    /// Members whose share openings are needed; request them.
    pub wanted: Vec<u16>,
    /// Members that sent wrong shares.
    pub faults: Vec<Fault>,
}

/// A party sent a wrong share.
pub struct Fault {
    /// The member at fault.
    pub culprit: u16,
    /// The evidence against it.
    pub evidence: ShareFault,
}

impl From<any::Outcome<any::ecdsa::Signature, any::ecdsa::ShareFault>> for Outcome {
    fn from(outcome: any::Outcome<any::ecdsa::Signature, any::ecdsa::ShareFault>) -> Self {
        let fault = |machine::Fault { culprit, evidence }| Fault { culprit, evidence: ShareFault(evidence) };
        Self {
            signature: outcome.signature.map(Signature),
            wanted: outcome.wanted,
            faults: outcome.faults.into_iter().map(fault).collect(),
        }
    }
}
