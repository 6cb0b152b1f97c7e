//! Collecting timeout votes into a certificate.

use quorate::Result;
use quorate::any;
use quorate::certificate::Kind;

use super::{TimeoutVote, VerifiedTimeoutCertificate, VerifiedTimeoutVote};
use crate::committee::Committee;
use crate::faults::{CollectedTimeouts, VoteFault, faults};
use crate::signers::Suspects;
use crate::votes::Topic;
use crate::{Locked, progress};

/// Collects timeout votes of one kind and view until a quorum, with whatever values, makes a certificate. It works like
/// a collector of votes. Threads may share it.
#[derive(Debug)]
#[cfg_attr(binding, object)]
pub struct TimeoutCollector(Locked<any::TimeoutCollector>);

impl TimeoutCollector {
    /// Creates an empty collector. The options are those of a collector of votes: fewer than `batch_threshold` pending
    /// votes are verified one by one; after `failure_limit` invalid votes, further votes of a member are dropped
    /// unverified, **only for links that authenticate each vote's signer**.
    #[cfg_attr(binding, quick)]
    pub fn new(
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

    calls! {
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
}

impl From<any::Collected<any::TimeoutCertificate>> for CollectedTimeouts {
    fn from(collected: any::Collected<any::TimeoutCertificate>) -> Self {
        let certificate = collected.certificate.map(VerifiedTimeoutCertificate);
        Self { certificate, faults: faults(collected.faults) }
    }
}

/// Result of verifying the pending votes of a collector.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(binding, data)]
pub struct HonestCheck {
    /// True if verified votes weigh more than a third.
    pub honest: bool,
    /// Faults found in pending votes.
    pub faults: Vec<VoteFault>,
}

shown! {
    TimeoutCollector: |self, f| {
        let Topic { kind, view } = self.topic();
        write!(f, "TimeoutCollector(kind {kind}, view {view}, {})", progress(self.is_done()))
    };
}
