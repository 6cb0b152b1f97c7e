use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::{
    Certificate, Committee, Equivocation, SecretKey, Signature, Suite, any_of, as_typed, each, lift, lower,
    per_suite, whole, with_scheme, written,
};
use crate::certificate::{self, Kind, Statement, Suspects};
use crate::committee::Verified;
use crate::machine::MemberIndex;
use crate::scheme::Scheme;
use crate::wire::{Decode, Encode};
use crate::{Error, Result};

type VoteOf<S> = certificate::Vote<S>;
type CollectorOf<S> = certificate::VoteCollector<S>;

per_suite! {
    /// A member's signature under a statement, see [`certificate::Vote`].
    #[derive(Clone, PartialEq, Eq)]
    Vote, VoteOf
}

per_suite! {
    /// Gathers votes until some statement has a certificate, see [`certificate::VoteCollector`].
    #[derive(Debug)]
    VoteCollector, CollectorOf
}

/// What adding a vote led to.
#[derive(Debug)]
#[must_use = "a certificate is handed out once"]
pub struct Collected<C = Certificate> {
    /// The certificate, once: when the quorum was reached.
    pub certificate: Option<Verified<C>>,
    /// What was found wrong with this vote or with earlier ones.
    pub faults: Vec<VoteFault>,
}

/// Something is wrong with a vote, see [`certificate::VoteFault`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VoteFault {
    /// The vote does not belong here; it was dropped unchecked.
    Stray {
        /// Whose vote it claims to be.
        signer: MemberIndex,
        /// What differs.
        error: Error,
    },
    /// The signature of the vote, checked alone, is bad.
    BadSignature {
        /// Whose vote it claims to be.
        signer: MemberIndex,
    },
    /// The member signed two contradicting statements.
    Equivocation(Box<Verified<Equivocation>>),
}

impl Vote {
    /// Puts a vote together from its parts. Nothing is checked.
    pub fn new(statement: Statement, signer: MemberIndex, signature: Signature) -> Self {
        each!(signature, Signature, S, signature => VoteOf::<S>::new(statement, signer, signature).into())
    }

    /// Signs **without remembering it**, for tests. A node signs through its [`Guard`](super::Guard).
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the key is no member's, or of another suite or epoch.
    pub fn sign_unguarded(secret: &SecretKey, committee: &Committee, statement: Statement) -> Result<Self> {
        each!(committee, Committee, S, committee => {
            VoteOf::<S>::sign_unguarded(as_typed::<S, _>(secret)?, committee, statement).map(Self::from)
        })
    }

    /// Reads a vote of that suite.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the bytes name another suite, and what is wrong with them.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_scheme!(suite, S => VoteOf::<S>::decode(bytes, &()).map(Self::from))
    }

    /// The canonical bytes.
    pub fn encode(&self) -> Vec<u8> {
        each!(self, Vote, S, vote => vote.encode())
    }

    /// Reads the form for direct links.
    ///
    /// # Errors
    /// As [`decode`](Vote::decode).
    pub fn decode_link(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_scheme!(suite, S => whole(bytes, VoteOf::<S>::decode_link).map(Self::from))
    }

    /// The form for direct links, with an uncompressed signature.
    pub fn encode_link(&self) -> Vec<u8> {
        each!(self, Vote, S, vote => written(|w| vote.encode_link(w)))
    }

    /// What was signed.
    pub fn statement(&self) -> &Statement {
        each!(self, Vote, S, vote => vote.statement())
    }

    /// Who claims to have signed.
    pub fn signer(&self) -> MemberIndex {
        each!(self, Vote, S, vote => vote.signer())
    }

    /// The signature.
    pub fn signature(&self) -> Signature {
        each!(self, Vote, S, vote => any_of::<S, _>(vote.signature().clone()))
    }

    /// Checks the vote by itself. Cost (BLS): one hash, one subgroup check, two pairings.
    ///
    /// # Errors
    /// As [`certificate::Vote::verify`].
    pub fn verify(self, committee: &Committee) -> Result<Verified<Self>> {
        each!(self, Vote, S, vote => vote.verify(committee.try_into()?).map(lift))
    }

    /// As [`verify`](Vote::verify), for a vote that stays where it is.
    ///
    /// # Errors
    /// As [`verify`](Vote::verify).
    pub fn check(&self, committee: &Committee) -> Result<()> {
        each!(self, Vote, S, vote => vote.check(committee.try_into()?))
    }
}

impl fmt::Debug for Vote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each!(self, Vote, S, vote => vote.fmt(f))
    }
}

impl VoteCollector {
    /// An empty collector.
    pub fn new(committee: &Committee, kind: Kind, view: u64) -> Self {
        each!(committee, Committee, S, committee => {
            CollectorOf::<S>::new(Arc::clone(committee), kind, view).into()
        })
    }

    /// As [`certificate::VoteCollector::with_batch_threshold`].
    pub fn with_batch_threshold(self, votes: usize) -> Self {
        each!(self, VoteCollector, S, collector => collector.with_batch_threshold(votes).into())
    }

    /// As [`certificate::VoteCollector::with_failure_limit`], with its warning.
    pub fn with_failure_limit(self, votes: u16) -> Self {
        each!(self, VoteCollector, S, collector => collector.with_failure_limit(votes).into())
    }

    /// Takes a vote in.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a vote of another suite; the collector is as before.
    pub fn add(&mut self, vote: Vote, suspects: &mut Suspects) -> Result<Collected> {
        each!(self, VoteCollector, S, collector => Ok(collector.add(vote.try_into()?, suspects).into()))
    }

    /// Takes in a vote that was checked already, for instance one's own.
    ///
    /// # Errors
    /// As [`add`](VoteCollector::add).
    pub fn add_verified(&mut self, vote: Verified<Vote>, suspects: &mut Suspects) -> Result<Collected> {
        each!(self, VoteCollector, S, collector => Ok(collector.add_verified(lower(vote)?, suspects).into()))
    }

    /// Whose votes are collected.
    pub fn committee(&self) -> Committee {
        each!(self, VoteCollector, S, collector => Arc::clone(collector.committee()).into())
    }

    /// What is collected.
    pub fn topic(&self) -> (Kind, u64) {
        each!(self, VoteCollector, S, collector => collector.topic())
    }

    /// The weight of the votes held for a digest, verified or not.
    pub fn weight_for(&self, digest: &[u8; 32]) -> u128 {
        each!(self, VoteCollector, S, collector => collector.weight_for(digest))
    }

    /// Whether the certificate was handed out.
    pub fn is_done(&self) -> bool {
        each!(self, VoteCollector, S, collector => collector.is_done())
    }
}

impl VoteFault {
    /// Whose vote it is, or claims to be.
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
