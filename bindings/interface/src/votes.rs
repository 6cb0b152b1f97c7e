//! Votes: each member's signature on a statement, and the collector that makes a certificate of them.

use quorate::Result;
use quorate::any::{self, Suite};
use quorate::certificate::{self, Kind};

use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::faults::{Collected, faults};
use crate::ids::CommitteeId;
use crate::keys::{SecretKey, Signature};
use crate::signers::Suspects;
use crate::statement::{Statement, shown};
use crate::{Locked, exactly, progress};

class! {
    /// Collects the votes of one kind and view until one statement has a certificate. It stores at most one vote per
    /// member and verifies nothing until it has a quorum; then it verifies all signatures as one, and identifies
    /// invalid ones only if that fails. Threads may share it.
    object struct VoteCollector(Locked<any::VoteCollector>): Debug;
    shown |self, f| {
        let Topic { kind, view } = self.topic();
        write!(f, "VoteCollector(kind {kind}, view {view}, {})", progress(self.is_done()))
    };
    module const DEFAULT_BATCH_THRESHOLD: u32 = 2 == certificate::DEFAULT_BATCH_THRESHOLD,
        "Fewer pending votes than this are verified one by one, unless a collector is created with another threshold.";
    /// Creates an empty collector. Fewer than `batch_threshold` pending votes are verified one by one; by default
    /// [`DEFAULT_BATCH_THRESHOLD`]. After `failure_limit` invalid votes, further votes of a member are dropped
    /// unverified; by default there is no limit. Set one **only for links that authenticate each vote's signer**: on
    /// other links any sender could silence a member.
    quick fn new(
        committee: &Committee,
        kind: u8,
        view: u64,
        #[cfg_attr(binding, option)] batch_threshold: Option<usize>,
        #[cfg_attr(binding, option)] failure_limit: Option<u16>,
    ) -> Self {
        let mut inner = any::VoteCollector::new(&committee.0, Kind::new(kind), view);
        if let Some(votes) = batch_threshold {
            inner = inner.with_batch_threshold(votes);
        }
        if let Some(votes) = failure_limit {
            inner = inner.with_failure_limit(votes);
        }
        Self(Locked::new(inner))
    }
    /// Adds a vote. The result contains the certificate, if this vote completed it, and the faults found. On a link
    /// that authenticates its sender, reject votes in another member's name before this call.
    /// [`Error::WrongContext`](quorate::Error) for a vote of another suite.
    fn add(&self, vote: &Vote, suspects: &Suspects) -> Result<Collected> {
        let vote = vote.0.clone();
        self.0.lock().add(vote, &mut suspects.lock()).map(Collected::from)
    }
    /// Adds a vote that was verified for the same committee, for instance the member's own, and does not verify it
    /// again. One that was verified for another committee counts as unverified.
    /// [`Error::WrongContext`](quorate::Error) for a vote of another suite.
    #[cfg_attr(binding, overload = "add")]
    fn add_verified(&self, vote: &VerifiedVote, suspects: &Suspects) -> Result<Collected> {
        let vote = vote.0.clone();
        self.0.lock().add_verified(vote, &mut suspects.lock()).map(Collected::from)
    }
    /// Committee whose votes are collected.
    getter fn committee(&self) -> Committee { Committee(self.0.lock().committee()) }
    /// Kind and view of the collected votes.
    getter fn topic(&self) -> Topic { self.0.lock().topic().into() }
    /// Returns the weight of the votes for a digest of 32 bytes, verified or not.
    /// [`Error::Malformed`](quorate::Error) for a digest of another length.
    quick fn weight_for(&self, digest: &[u8]) -> Result<u128> {
        Ok(self.0.lock().weight_for(&exactly(digest, "digest")?))
    }
    /// True if the certificate was returned.
    getter fn is_done(&self) -> bool { self.0.lock().is_done() }
}

impl From<any::Collected> for Collected {
    fn from(collected: any::Collected) -> Self {
        let certificate = collected.certificate.map(VerifiedCertificate);
        Self { certificate, faults: faults(collected.faults) }
    }
}

/// Subject of a collector.
pub struct Topic {
    /// Phase of the protocol whose votes are collected.
    pub kind: u8,
    /// View whose votes are collected.
    pub view: u64,
}

impl From<(Kind, u64)> for Topic {
    fn from((kind, view): (Kind, u64)) -> Self {
        Self { kind: kind.number(), view }
    }
}

class! {
    /// One member's signature on a statement. A decoded vote is not verified yet.
    object struct Vote(pub(crate) any::Vote): Clone, Debug, PartialEq, Eq;
    shown |self, f| {
        let (statement, signer, suite) = (shown(self.0.statement()), self.signer(), self.suite());
        write!(f, "Vote({statement}, signer={signer}, suite={suite})")
    };
    /// Creates a vote from its parts. Nothing is verified.
    quick fn new(statement: &Statement, signer: u16, signature: &Signature) -> Self {
        Self(any::Vote::new(statement.0, signer, signature.0.clone()))
    }
    /// Signs **without recording it**, for statements that a member may contradict, and for tests. Use a `Guard` to
    /// sign anything that a protocol acts on.
    /// [`Error::WrongContext`](quorate::Error) for another epoch or suite, or a key that belongs to no member.
    fn sign_unguarded(secret: &SecretKey, committee: &Committee, statement: &Statement) -> Result<Self> {
        any::Vote::sign_unguarded(&secret.0, &committee.0, statement.0).map(Self)
    }
    /// Decodes a vote of that suite.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a vote.
    /// [`Error::NonCanonical`](quorate::Error) for a signature in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for a signature that is the neutral element.
    /// [`Error::WrongContext`](quorate::Error) for a vote of another suite.
    fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> { any::Vote::decode(suite, bytes).map(Self) }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Decodes the form for direct links.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a vote.
    /// [`Error::NonCanonical`](quorate::Error) for a signature in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for a signature that is the neutral element.
    /// [`Error::WrongContext`](quorate::Error) for a vote of another suite.
    fn decode_link(suite: Suite, bytes: &[u8]) -> Result<Self> {
        any::Vote::decode_link(suite, bytes).map(Self)
    }
    /// Returns the form for direct links, with an uncompressed signature: longer, and decoded without a square root.
    fn encode_link(&self) -> Vec<u8> { self.0.encode_link() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// The signed statement.
    getter fn statement(&self) -> Statement { Statement(*self.0.statement()) }
    /// The signer that the vote names.
    getter fn signer(&self) -> u16 { self.0.signer() }
    /// The signature.
    getter fn signature(&self) -> Signature { Signature(self.0.signature()) }
    /// Verifies this vote alone. Cost: one signature verification; a collector verifies many votes at far lower cost.
    /// [`Error::WrongContext`](quorate::Error) for another committee.
    /// [`Error::UnknownSigner`](quorate::Error) for a signer outside the committee.
    /// [`Error::BadSignature`](quorate::Error), which names the signer, if the signature is not valid.
    /// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
    slow fn verify(&self, committee: &Committee) -> Result<VerifiedVote> {
        self.0.clone().verify(&committee.0).map(VerifiedVote)
    }
}

crate::verified::verified! { VerifiedVote, Vote }
