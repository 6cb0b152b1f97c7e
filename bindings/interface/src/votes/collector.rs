//! Collecting votes into a certificate.

use quorate::Result;
use quorate::any;
use quorate::certificate::{self, Kind};

use super::{VerifiedVote, Vote};
use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::faults::{Collected, faults};
use crate::signers::Suspects;
use crate::{Locked, exactly, progress};

/// Fewer pending votes than this are verified one by one, unless a collector is created with another threshold.
#[cfg_attr(binding, within = "VoteCollector")]
pub const DEFAULT_BATCH_THRESHOLD: u32 = 2;

const _: () = assert!(DEFAULT_BATCH_THRESHOLD as usize == certificate::DEFAULT_BATCH_THRESHOLD);

/// Collects the votes of one kind and view until one statement has a certificate. It stores at most one vote per member
/// and verifies nothing until it has a quorum; then it verifies all signatures as one, and identifies invalid ones only
/// if that fails. Threads may share it.
#[derive(Debug)]
#[cfg_attr(binding, object)]
pub struct VoteCollector(Locked<any::VoteCollector>);

impl VoteCollector {
    /// Creates an empty collector. Fewer than `batch_threshold` pending votes are verified one by one; by default
    /// [`DEFAULT_BATCH_THRESHOLD`]. After `failure_limit` invalid votes, further votes of a member are dropped
    /// unverified; by default there is no limit. Set one **only for links that authenticate each vote's signer**: on
    /// other links any sender could silence a member.
    #[cfg_attr(binding, quick)]
    pub fn new(
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

    calls! {
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
}

impl From<any::Collected> for Collected {
    fn from(collected: any::Collected) -> Self {
        let certificate = collected.certificate.map(VerifiedCertificate);
        Self { certificate, faults: faults(collected.faults) }
    }
}

/// Subject of a collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(binding, data)]
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

shown! {
    VoteCollector: |self, f| {
        let Topic { kind, view } = self.topic();
        write!(f, "VoteCollector(kind {kind}, view {view}, {})", progress(self.is_done()))
    };
}
