use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::certificates::Certificate;
use super::committee::Committee;
use super::dispatch::{lift, lower};
use super::evidence::Equivocation;
use super::families::{each, methods, per};
use super::timeouts::{TimeoutCertificate, TimeoutVote};
use super::votes::Vote;
use crate::certificate::{self, Kind, Suspects};
use crate::committee::Verified;
use crate::machine::MemberIndex;
use crate::scheme::Scheme;
use crate::{Error, Result};

type CollectorOf<S> = certificate::VoteCollector<S>;
type TimeoutCollectorOf<S> = certificate::TimeoutCollector<S>;

per! { suite:
    /// Collects votes until one statement has a certificate, see [`certificate::VoteCollector`].
    VoteCollector, CollectorOf
}

per! { suite:
    /// Collects timeout votes until a quorum forms a certificate, see [`certificate::TimeoutCollector`].
    TimeoutCollector, TimeoutCollectorOf
}

/// Result of adding a vote to a collector.
#[derive(Debug)]
#[must_use = "a certificate is returned only once"]
pub struct Collected<C = Certificate> {
    /// The certificate; returned once, when the quorum is reached.
    pub certificate: Option<Verified<C>>,
    /// Faults found in this vote or in earlier ones.
    pub faults: Vec<VoteFault>,
}

/// A fault of a vote, see [`certificate::VoteFault`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VoteFault {
    /// The vote does not belong to the collector; it was dropped unverified.
    Stray {
        /// The claimed signer.
        signer: MemberIndex,
        /// The reason.
        error: Error,
    },
    /// The vote's signature, verified alone, is bad.
    BadSignature {
        /// The claimed signer.
        signer: MemberIndex,
    },
    /// The member signed two contradicting statements.
    Equivocation(Box<Verified<Equivocation>>),
}

impl VoteCollector {
    /// Creates an empty collector.
    pub fn new(committee: &Committee, kind: Kind, view: u64) -> Self {
        each!(committee, Committee, S, committee => {
            CollectorOf::<S>::new(Arc::clone(committee), kind, view).into()
        })
    }
}

methods! { suite: self, VoteCollector, S, collector =>
    /// Sets the batch threshold, see [`certificate::VoteCollector::with_batch_threshold`].
    pub fn with_batch_threshold(self, votes: usize) -> Self = collector.with_batch_threshold(votes).into();

    /// Sets a limit on bad votes; heed the warning of [`certificate::VoteCollector::with_failure_limit`].
    pub fn with_failure_limit(self, votes: u16) -> Self = collector.with_failure_limit(votes).into();

    /// Adds a vote.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a vote of another suite; the collector is unchanged.
    pub fn add(&mut self, vote: Vote, suspects: &mut Suspects) -> Result<Collected> =
        Ok(collector.add(vote.try_into()?, suspects).into());

    /// Adds a verified vote, for instance the node's own.
    ///
    /// # Errors
    /// As [`add`](VoteCollector::add).
    pub fn add_verified(&mut self, vote: Verified<Vote>, suspects: &mut Suspects) -> Result<Collected> =
        Ok(collector.add_verified(lower(vote)?, suspects).into());

    /// Returns the committee whose votes are collected.
    pub fn committee(&self) -> Committee = Arc::clone(collector.committee()).into();

    /// Returns the kind and view of the collected votes.
    pub fn topic(&self) -> (Kind, u64) = collector.topic();

    /// Returns the weight of the held votes for a digest, verified or not.
    pub fn weight_for(&self, digest: &[u8; 32]) -> u128 = collector.weight_for(digest);

    /// Returns true if the certificate was returned.
    pub fn is_done(&self) -> bool = collector.is_done();
}

impl TimeoutCollector {
    /// Creates an empty collector.
    pub fn new(committee: &Committee, kind: Kind, view: u64) -> Self {
        each!(committee, Committee, S, committee => {
            TimeoutCollectorOf::<S>::new(Arc::clone(committee), kind, view).into()
        })
    }

    /// Adds a timeout vote.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) for a vote of another suite; the collector is unchanged.
    pub fn add(
        &mut self,
        vote: TimeoutVote,
        suspects: &mut Suspects,
    ) -> Result<Collected<TimeoutCertificate>> {
        each!(self, TimeoutCollector, S, collector => Ok(collector.add(vote.try_into()?, suspects).into()))
    }

    /// Adds a verified timeout vote, for instance the node's own.
    ///
    /// # Errors
    /// As [`add`](TimeoutCollector::add).
    pub fn add_verified(
        &mut self,
        vote: Verified<TimeoutVote>,
        suspects: &mut Suspects,
    ) -> Result<Collected<TimeoutCertificate>> {
        each!(self, TimeoutCollector, S, collector => Ok(collector.add_verified(lower(vote)?, suspects).into()))
    }

    /// Verifies pending votes and returns true if the verified ones weigh more than a third, see
    /// [`certificate::TimeoutCollector::verify_honest`].
    pub fn verify_honest(&mut self, suspects: &mut Suspects) -> (bool, Vec<VoteFault>) {
        each!(self, TimeoutCollector, S, collector => {
            let (honest, faults) = collector.verify_honest(suspects);
            (honest, faults.into_iter().map(VoteFault::from).collect())
        })
    }
}

methods! { suite: self, TimeoutCollector, S, collector =>
    /// Sets the batch threshold, see [`certificate::VoteCollector::with_batch_threshold`].
    pub fn with_batch_threshold(self, votes: usize) -> Self = collector.with_batch_threshold(votes).into();

    /// Sets a limit on bad votes; heed the warning of [`certificate::VoteCollector::with_failure_limit`].
    pub fn with_failure_limit(self, votes: u16) -> Self = collector.with_failure_limit(votes).into();

    /// Returns the committee whose votes are collected.
    pub fn committee(&self) -> Committee = Arc::clone(collector.committee()).into();

    /// Returns the kind and view of the collected votes.
    pub fn topic(&self) -> (Kind, u64) = collector.topic();

    /// Returns the weight of the held timeout votes, verified or not.
    pub fn weight(&self) -> u128 = collector.weight();

    /// Returns true if the held votes, verified or not, weigh more than a third, see
    /// [`certificate::TimeoutCollector::has_honest`].
    pub fn has_honest(&self) -> bool = collector.has_honest();

    /// Returns true if the certificate was returned.
    pub fn is_done(&self) -> bool = collector.is_done();
}

impl VoteFault {
    /// Returns the signer, or the claimed signer, of the vote.
    pub fn signer(&self) -> MemberIndex {
        match self {
            VoteFault::Stray { signer, .. } | VoteFault::BadSignature { signer } => *signer,
            VoteFault::Equivocation(evidence) => evidence.signer(),
        }
    }
}

impl<S: Scheme> From<certificate::VoteFault<S>> for VoteFault
where
    Equivocation: From<certificate::Equivocation<S>>,
{
    fn from(fault: certificate::VoteFault<S>) -> Self {
        match fault {
            certificate::VoteFault::Stray { signer, error } => VoteFault::Stray { signer, error },
            certificate::VoteFault::BadSignature { signer } => VoteFault::BadSignature { signer },
            certificate::VoteFault::Equivocation(evidence) => {
                VoteFault::Equivocation(Box::new(lift(*evidence)))
            }
        }
    }
}

impl<S: Scheme, C: From<T>, T> From<certificate::Collected<S, T>> for Collected<C>
where
    VoteFault: From<certificate::VoteFault<S>>,
{
    fn from(collected: certificate::Collected<S, T>) -> Self {
        Self {
            certificate: collected.certificate.map(lift),
            faults: collected.faults.into_iter().map(VoteFault::from).collect(),
        }
    }
}
