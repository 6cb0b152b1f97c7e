//! Timeouts: a quorum gives up a view.

use quorate::Result;
use quorate::any::{self, Suite};
use quorate::certificate::{self, Kind};
use quorate::ed25519::Ed25519;

use crate::committee::Committee;
use crate::faults::{CollectedTimeouts, VoteFault, faults};
use crate::ids::CommitteeId;
use crate::keys::{SecretKey, Signature};
use crate::signers::{SignerSet, Suspects};
use crate::statement::Statement;
use crate::votes::{Topic, Vote};
use crate::{Locked, progress};

class! {
    /// A quorum's certificate that it gave up a view. The members are grouped by the values that they named, and one
    /// aggregate covers the statements of all groups. A decoded certificate is not verified yet.
    object struct TimeoutCertificate(any::TimeoutCertificate): Clone, Debug, PartialEq, Eq;
    shown |self, f| {
        let (kind, epoch, view) = (self.kind(), self.epoch(), self.view());
        let (highest, signers, suite) = (self.highest_value(), self.0.signers(), self.suite());
        let (size, of) = (signers.len(), signers.committee_len());
        write!(f, "TimeoutCertificate(kind={kind}, epoch={epoch}, view={view}, highest_value={highest}, ")?;
        write!(f, "signers={size}/{of}, suite={suite})")
    };
    module const MAX_TIMEOUT_GROUPS: u32 = 1_024 == certificate::MAX_TIMEOUT_GROUPS,
        "Maximum number of different values in a timeout certificate.";
    /// Decodes a timeout certificate of that committee: checks its form, epoch and quorum, not its signatures.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a timeout certificate.
    /// [`Error::NonCanonical`](quorate::Error) for another encoding than the canonical one.
    /// [`Error::WrongContext`](quorate::Error) for another suite or epoch.
    /// [`Error::BelowQuorum`](quorate::Error) for too few signers.
    fn decode(bytes: &[u8], committee: &Committee) -> Result<Self> {
        any::TimeoutCertificate::decode(bytes, &committee.0).map(Self)
    }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Length of the encoding in bytes.
    getter computed fn encoded_len(&self) -> usize { self.0.encoded_len() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// Phase of the protocol: each phase has a kind of its own.
    getter fn kind(&self) -> u8 { self.0.kind().number() }
    /// The committee's epoch.
    getter fn epoch(&self) -> u64 { self.0.epoch() }
    /// The abandoned view.
    getter fn view(&self) -> u64 { self.0.view() }
    /// The highest value that a signer named.
    getter fn highest_value(&self) -> u64 { self.0.highest_value() }
    /// The values, ascending, each with the members that named it.
    getter fn groups(&self) -> Vec<TimeoutGroup> {
        let group = |(value, signers): &(u64, _)| TimeoutGroup {
            value: *value,
            signers: quorate::committee::SignerSet::clone(signers).into(),
        };
        self.0.groups().iter().map(group).collect()
    }
    /// All signers, as a new set each time.
    getter fn signers(&self) -> SignerSet { self.0.signers().into() }
    /// Verifies the signatures. Cost (BLS): as a certificate, plus one pairing and one hash to the curve for each
    /// further value.
    /// [`Error::WrongContext`](quorate::Error) for another committee.
    /// [`Error::BelowQuorum`](quorate::Error) for too few signers.
    /// [`Error::BadSignature`](quorate::Error) if the proof is not valid.
    /// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
    slow fn verify(&self, committee: &Committee) -> Result<VerifiedTimeoutCertificate> {
        self.0.clone().verify(&committee.0).map(VerifiedTimeoutCertificate)
    }
    /// About how many bytes it holds.
    size fn size(&self) -> usize { self.0.encoded_len() }
}

crate::verified::verified! { VerifiedTimeoutCertificate, TimeoutCertificate }

/// The members of a timeout certificate that named the same value.
pub struct TimeoutGroup {
    /// The value that they named.
    pub value: u64,
    /// The members.
    pub signers: SignerSet,
}

class! {
    /// Collects timeout votes of one kind and view until a quorum, with whatever values, makes a certificate. It works
    /// like a collector of votes. Threads may share it.
    object struct TimeoutCollector(Locked<any::TimeoutCollector>): Debug;
    shown |self, f| {
        let Topic { kind, view } = self.topic();
        write!(f, "TimeoutCollector(kind {kind}, view {view}, {})", progress(self.is_done()))
    };
    /// Creates an empty collector. The options are those of a collector of votes: fewer than `batch_threshold` pending
    /// votes are verified one by one; after `failure_limit` invalid votes, further votes of a member are dropped
    /// unverified, **only for links that authenticate each vote's signer**.
    quick fn new(
        committee: &Committee,
        kind: u8,
        view: u64,
        #[cfg_attr(binding, option)] batch_threshold: Option<usize>,
        #[cfg_attr(binding, option)] failure_limit: Option<u16>,
    ) -> Self {
        let mut inner = any::TimeoutCollector::new(&committee.0, Kind::new(kind), view);
        if let Some(votes) = batch_threshold {
            inner = inner.with_batch_threshold(votes);
        }
        if let Some(votes) = failure_limit {
            inner = inner.with_failure_limit(votes);
        }
        Self(Locked::new(inner))
    }
    /// Adds a timeout vote. The result contains the certificate, if this vote completed it, and the faults found.
    /// [`Error::WrongContext`](quorate::Error) for a vote of another suite.
    fn add(&self, vote: &TimeoutVote, suspects: &Suspects) -> Result<CollectedTimeouts> {
        let vote = vote.0.clone();
        self.0.lock().add(vote, &mut suspects.lock()).map(CollectedTimeouts::from)
    }
    /// Adds a timeout vote that was verified for the same committee, for instance the member's own, and does not verify
    /// it again. One that was verified for another committee counts as unverified.
    /// [`Error::WrongContext`](quorate::Error) for a vote of another suite.
    #[cfg_attr(binding, overload = "add")]
    fn add_verified(&self, vote: &VerifiedTimeoutVote, suspects: &Suspects) -> Result<CollectedTimeouts> {
        let vote = vote.0.clone();
        self.0.lock().add_verified(vote, &mut suspects.lock()).map(CollectedTimeouts::from)
    }
    /// Committee whose votes are collected.
    getter fn committee(&self) -> Committee { Committee(self.0.lock().committee()) }
    /// Kind and view of the collected votes.
    getter fn topic(&self) -> Topic { self.0.lock().topic().into() }
    /// Weight of the collected timeout votes, verified or not.
    getter computed fn weight(&self) -> u128 { self.0.lock().weight() }
    /// True if the collected votes weigh more than a third, **verified or not**.
    getter computed fn has_honest(&self) -> bool { self.0.lock().has_honest() }
    /// Verifies the pending votes, if they may suffice, and returns whether the **verified** votes weigh more than a
    /// third, so that at least one honest member gave up the view; and the faults found.
    fn verify_honest(&self, suspects: &Suspects) -> HonestCheck {
        let (honest, found) = self.0.lock().verify_honest(&mut suspects.lock());
        HonestCheck { honest, faults: faults(found) }
    }
    /// True if the certificate was returned.
    getter fn is_done(&self) -> bool { self.0.lock().is_done() }
}

impl From<any::Collected<any::TimeoutCertificate>> for CollectedTimeouts {
    fn from(collected: any::Collected<any::TimeoutCertificate>) -> Self {
        let certificate = collected.certificate.map(VerifiedTimeoutCertificate);
        Self { certificate, faults: faults(collected.faults) }
    }
}

/// Result of verifying the pending votes of a collector.
pub struct HonestCheck {
    /// True if verified votes weigh more than a third.
    pub honest: bool,
    /// Faults found in pending votes.
    pub faults: Vec<VoteFault>,
}

class! {
    /// A member's vote to give up a view. It names a value, in HotStuff-like protocols the view of the highest
    /// certificate that the member knows.
    object struct TimeoutVote(pub(crate) any::TimeoutVote): Clone, Debug, PartialEq, Eq;
    shown |self, f| {
        let (kind, epoch, view) = (self.kind(), self.epoch(), self.view());
        let (value, signer, suite) = (self.value(), self.signer(), self.suite());
        write!(f, "TimeoutVote(kind={kind}, epoch={epoch}, view={view}, ")?;
        write!(f, "value={value}, signer={signer}, suite={suite})")
    };
    /// Creates a timeout vote from its parts. Nothing is verified.
    fields quick fn new(kind: u8, epoch: u64, view: u64, value: u64, signer: u16, signature: &Signature) -> Self {
        Self(any::TimeoutVote::new(Kind::new(kind), epoch, view, value, signer, signature.0.clone()))
    }
    /// Returns the statement that a timeout vote signs: its digest is the value as eight little-endian bytes and 24
    /// zeros.
    quick fn statement_of(kind: u8, epoch: u64, view: u64, value: u64) -> Statement {
        // It is the same in every suite.
        Statement(certificate::TimeoutVote::<Ed25519>::statement_of(Kind::new(kind), epoch, view, value))
    }
    /// Signs **without recording it**, for tests. A node signs through its `Guard`.
    /// [`Error::WrongContext`](quorate::Error) for another suite, or a key that belongs to no member.
    fn sign_unguarded(
        secret: &SecretKey,
        committee: &Committee,
        kind: u8,
        view: u64,
        value: u64,
    ) -> Result<Self> {
        any::TimeoutVote::sign_unguarded(&secret.0, &committee.0, Kind::new(kind), view, value).map(Self)
    }
    /// Decodes a timeout vote of that suite.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a timeout vote.
    /// [`Error::NonCanonical`](quorate::Error) for a signature in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for a signature that is the neutral element.
    /// [`Error::WrongContext`](quorate::Error) for a timeout vote of another suite.
    fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> { any::TimeoutVote::decode(suite, bytes).map(Self) }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Decodes the form for direct links.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a timeout vote.
    /// [`Error::NonCanonical`](quorate::Error) for a signature in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for a signature that is the neutral element.
    /// [`Error::WrongContext`](quorate::Error) for a timeout vote of another suite.
    fn decode_link(suite: Suite, bytes: &[u8]) -> Result<Self> {
        any::TimeoutVote::decode_link(suite, bytes).map(Self)
    }
    /// Returns the form for direct links, with an uncompressed signature: longer, and decoded without a square root.
    fn encode_link(&self) -> Vec<u8> { self.0.encode_link() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// Phase of the protocol: each phase has a kind of its own.
    getter fn kind(&self) -> u8 { self.0.kind().number() }
    /// The committee's epoch.
    getter fn epoch(&self) -> u64 { self.0.epoch() }
    /// The abandoned view.
    getter fn view(&self) -> u64 { self.0.view() }
    /// The value that the member names.
    getter fn value(&self) -> u64 { self.0.value() }
    /// The signer that the vote names.
    getter fn signer(&self) -> u16 { self.0.signer() }
    /// The signature.
    getter fn signature(&self) -> Signature { Signature(self.0.as_vote().signature()) }
    /// Returns the underlying vote.
    quick fn as_vote(&self) -> Vote { Vote(self.0.as_vote()) }
    /// Verifies this vote alone. Cost: one signature verification.
    /// [`Error::WrongContext`](quorate::Error) for another committee.
    /// [`Error::UnknownSigner`](quorate::Error) for a signer outside the committee.
    /// [`Error::BadSignature`](quorate::Error), which names the signer, if the signature is not valid.
    /// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
    slow fn verify(&self, committee: &Committee) -> Result<VerifiedTimeoutVote> {
        self.0.clone().verify(&committee.0).map(VerifiedTimeoutVote)
    }
}

crate::verified::verified! { VerifiedTimeoutVote, TimeoutVote }
