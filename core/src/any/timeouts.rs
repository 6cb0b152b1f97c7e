use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::{
    Collected, Committee, SecretKey, Signature, Suite, Vote, VoteFault, as_typed, each, lift, lower,
    per_suite, whole, with_scheme, written,
};
use crate::Result;
use crate::certificate::{self, Kind, Suspects};
use crate::committee::{SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::wire::{Decode, Encode};

type VoteOf<S> = certificate::TimeoutVote<S>;
type CollectorOf<S> = certificate::TimeoutCollector<S>;
type CertificateOf<S> = certificate::TimeoutCertificate<S>;

per_suite! {
    /// A member gives a view up and names a value, see [`certificate::TimeoutVote`].
    #[derive(Clone, PartialEq, Eq)]
    TimeoutVote, VoteOf
}

per_suite! {
    /// Gathers timeout votes, see [`certificate::TimeoutCollector`].
    #[derive(Debug)]
    TimeoutCollector, CollectorOf
}

per_suite! {
    /// A quorum gave up a view, see [`certificate::TimeoutCertificate`].
    #[derive(Clone, PartialEq, Eq)]
    TimeoutCertificate, CertificateOf
}

impl TimeoutVote {
    /// Puts a timeout vote together from its parts. Nothing is checked.
    pub fn new(
        kind: Kind,
        epoch: u64,
        view: u64,
        value: u64,
        signer: MemberIndex,
        signature: Signature,
    ) -> Self {
        each!(signature, Signature, S, signature => {
            VoteOf::<S>::new(kind, epoch, view, value, signer, signature).into()
        })
    }

    /// Signs **without remembering it**, for tests. A node signs through its [`Guard`](super::Guard).
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the key is no member's, or of another suite.
    pub fn sign_unguarded(
        secret: &SecretKey,
        committee: &Committee,
        kind: Kind,
        view: u64,
        value: u64,
    ) -> Result<Self> {
        each!(committee, Committee, S, committee => {
            VoteOf::<S>::sign_unguarded(as_typed::<S, _>(secret)?, committee, kind, view, value).map(Self::from)
        })
    }

    /// Reads a timeout vote of that suite.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the bytes name another suite, and what is wrong with them.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_scheme!(suite, S => VoteOf::<S>::decode(bytes, &()).map(Self::from))
    }

    /// The canonical bytes.
    pub fn encode(&self) -> Vec<u8> {
        each!(self, TimeoutVote, S, vote => vote.encode())
    }

    /// Reads the form for direct links.
    ///
    /// # Errors
    /// As [`decode`](TimeoutVote::decode).
    pub fn decode_link(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_scheme!(suite, S => whole(bytes, VoteOf::<S>::decode_link).map(Self::from))
    }

    /// The form for direct links, with an uncompressed signature.
    pub fn encode_link(&self) -> Vec<u8> {
        each!(self, TimeoutVote, S, vote => written(|w| vote.encode_link(w)))
    }

    /// The phase of the protocol.
    pub fn kind(&self) -> Kind {
        each!(self, TimeoutVote, S, vote => vote.kind())
    }

    /// The committee's term.
    pub fn epoch(&self) -> u64 {
        each!(self, TimeoutVote, S, vote => vote.epoch())
    }

    /// The view that is given up.
    pub fn view(&self) -> u64 {
        each!(self, TimeoutVote, S, vote => vote.view())
    }

    /// The value that the member names.
    pub fn value(&self) -> u64 {
        each!(self, TimeoutVote, S, vote => vote.value())
    }

    /// Who claims to have signed.
    pub fn signer(&self) -> MemberIndex {
        each!(self, TimeoutVote, S, vote => vote.signer())
    }

    /// The plain vote that it is.
    pub fn as_vote(&self) -> Vote {
        each!(self, TimeoutVote, S, vote => vote.as_vote().clone().into())
    }

    /// Checks the vote by itself.
    ///
    /// # Errors
    /// As [`certificate::Vote::verify`].
    pub fn verify(self, committee: &Committee) -> Result<Verified<Self>> {
        each!(self, TimeoutVote, S, vote => vote.verify(committee.try_into()?).map(lift))
    }

    /// As [`verify`](TimeoutVote::verify), for a vote that stays where it is.
    ///
    /// # Errors
    /// As [`verify`](TimeoutVote::verify).
    pub fn check(&self, committee: &Committee) -> Result<()> {
        each!(self, TimeoutVote, S, vote => vote.check(committee.try_into()?))
    }
}

impl fmt::Debug for TimeoutVote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each!(self, TimeoutVote, S, vote => vote.fmt(f))
    }
}

impl TimeoutCollector {
    /// An empty collector.
    pub fn new(committee: &Committee, kind: Kind, view: u64) -> Self {
        each!(committee, Committee, S, committee => {
            CollectorOf::<S>::new(Arc::clone(committee), kind, view).into()
        })
    }

    /// As [`certificate::VoteCollector::with_batch_threshold`].
    pub fn with_batch_threshold(self, votes: usize) -> Self {
        each!(self, TimeoutCollector, S, collector => collector.with_batch_threshold(votes).into())
    }

    /// As [`certificate::VoteCollector::with_failure_limit`], with its warning.
    pub fn with_failure_limit(self, votes: u16) -> Self {
        each!(self, TimeoutCollector, S, collector => collector.with_failure_limit(votes).into())
    }

    /// Takes a timeout vote in.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) for a vote of another suite; the collector is as before.
    pub fn add(
        &mut self,
        vote: TimeoutVote,
        suspects: &mut Suspects,
    ) -> Result<Collected<TimeoutCertificate>> {
        each!(self, TimeoutCollector, S, collector => Ok(collector.add(vote.try_into()?, suspects).into()))
    }

    /// Takes in a timeout vote that was checked already, for instance one's own.
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

    /// Whose votes are collected.
    pub fn committee(&self) -> Committee {
        each!(self, TimeoutCollector, S, collector => Arc::clone(collector.committee()).into())
    }

    /// What is collected.
    pub fn topic(&self) -> (Kind, u64) {
        each!(self, TimeoutCollector, S, collector => collector.topic())
    }

    /// The weight of the timeout votes held, verified or not.
    pub fn weight(&self) -> u128 {
        each!(self, TimeoutCollector, S, collector => collector.weight())
    }

    /// As [`certificate::TimeoutCollector::has_honest`].
    pub fn has_honest(&self) -> bool {
        each!(self, TimeoutCollector, S, collector => collector.has_honest())
    }

    /// As [`certificate::TimeoutCollector::verify_honest`].
    pub fn verify_honest(&mut self, suspects: &mut Suspects) -> (bool, Vec<VoteFault>) {
        each!(self, TimeoutCollector, S, collector => {
            let (honest, faults) = collector.verify_honest(suspects);
            (honest, faults.into_iter().map(VoteFault::from).collect())
        })
    }

    /// Whether the certificate was handed out.
    pub fn is_done(&self) -> bool {
        each!(self, TimeoutCollector, S, collector => collector.is_done())
    }
}

impl TimeoutCertificate {
    /// Reads a timeout certificate of this committee. The signatures are not checked yet.
    ///
    /// # Errors
    /// As [`Certificate::decode`](super::Certificate::decode).
    pub fn decode(bytes: &[u8], committee: &Committee) -> Result<Self> {
        each!(committee, Committee, S, committee => {
            CertificateOf::<S>::decode(bytes, committee.as_ref()).map(Self::from)
        })
    }

    /// The canonical bytes.
    pub fn encode(&self) -> Vec<u8> {
        each!(self, TimeoutCertificate, S, certificate => certificate.encode())
    }

    /// Bytes of the encoding.
    pub fn encoded_len(&self) -> usize {
        each!(self, TimeoutCertificate, S, certificate => certificate.encoded_len())
    }

    /// The phase of the protocol.
    pub fn kind(&self) -> Kind {
        each!(self, TimeoutCertificate, S, certificate => certificate.kind())
    }

    /// The committee's term.
    pub fn epoch(&self) -> u64 {
        each!(self, TimeoutCertificate, S, certificate => certificate.epoch())
    }

    /// The view that was given up.
    pub fn view(&self) -> u64 {
        each!(self, TimeoutCertificate, S, certificate => certificate.view())
    }

    /// The highest value that a signer named.
    pub fn highest_value(&self) -> u64 {
        each!(self, TimeoutCertificate, S, certificate => certificate.highest_value())
    }

    /// The values, ascending, each with the members who named it.
    pub fn groups(&self) -> &[(u64, SignerSet)] {
        each!(self, TimeoutCertificate, S, certificate => certificate.groups())
    }

    /// Everybody who signed.
    pub fn signers(&self) -> SignerSet {
        each!(self, TimeoutCertificate, S, certificate => certificate.signers())
    }

    /// Checks the signatures, see [`certificate::TimeoutCertificate::verify`] for the cost.
    ///
    /// # Errors
    /// As there.
    pub fn verify(self, committee: &Committee) -> Result<Verified<Self>> {
        each!(self, TimeoutCertificate, S, certificate => certificate.verify(committee.try_into()?).map(lift))
    }

    /// As [`verify`](TimeoutCertificate::verify), for a certificate that stays where it is.
    ///
    /// # Errors
    /// As [`verify`](TimeoutCertificate::verify).
    pub fn check(&self, committee: &Committee) -> Result<()> {
        each!(self, TimeoutCertificate, S, certificate => certificate.check(committee.try_into()?))
    }
}

impl fmt::Debug for TimeoutCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each!(self, TimeoutCertificate, S, certificate => certificate.fmt(f))
    }
}
