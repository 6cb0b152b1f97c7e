//! Collectors, which make certificates of votes, and of timeout votes.

use quorate::Result;
use quorate::any;
use quorate::certificate::{self, Kind};

use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::faults::{Collected, CollectedTimeouts, VoteFault, faults};
use crate::signers::Suspects;
use crate::timeouts::{TimeoutVote, VerifiedTimeoutCertificate, VerifiedTimeoutVote};
use crate::votes::{VerifiedVote, Vote};
use crate::{Locked, exactly, progress};

class! {
    /// Collects the votes of one kind and view until one statement has a certificate. It stores at most one vote per
    /// member and verifies nothing until it has a quorum; then it verifies all signatures as one, and identifies
    /// invalid ones only if that fails. Threads may share it.
    object struct VoteCollector(Locked<any::VoteCollector>): Debug;
    module const DEFAULT_BATCH_THRESHOLD: u32 = 2 == certificate::DEFAULT_BATCH_THRESHOLD,
        "Fewer pending votes than this are verified one by one, unless a collector is created with another threshold.";
    /// Returns the weight of the votes for a digest of 32 bytes, verified or not.
    /// [`Error::Malformed`](quorate::Error) for a digest of another length.
    quick fn weight_for(&self, digest: &[u8]) -> Result<u128> {
        Ok(self.0.lock().weight_for(&exactly(digest, "digest")?))
    }
}

crate::collecting::collector! { VoteCollector, Vote, VerifiedVote, Certificate, VerifiedCertificate, Collected }

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
    /// Collects timeout votes of one kind and view until a quorum, with whatever values, makes a certificate. It works
    /// like a collector of votes. Threads may share it.
    object struct TimeoutCollector(Locked<any::TimeoutCollector>): Debug;
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
}

crate::collecting::collector! {
    TimeoutCollector, TimeoutVote, VerifiedTimeoutVote, TimeoutCertificate, VerifiedTimeoutCertificate, CollectedTimeouts
}

/// Result of verifying the pending votes of a collector.
pub struct HonestCheck {
    /// True if verified votes weigh more than a third.
    pub honest: bool,
    /// Faults found in pending votes.
    pub faults: Vec<VoteFault>,
}
