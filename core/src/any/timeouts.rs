use alloc::vec::Vec;
use core::fmt;

use super::committee::Committee;
use super::dispatch::{as_typed, each, lift, per_suite, whole, written};
use super::keys::{SecretKey, Signature};
use super::suite::{Suite, with_scheme};
use super::votes::Vote;
use crate::Result;
use crate::certificate::{self, Kind};
use crate::committee::{SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::wire::{Decode, Encode};

type VoteOf<S> = certificate::TimeoutVote<S>;
type CertificateOf<S> = certificate::TimeoutCertificate<S>;

per_suite! {
    /// A member's vote to give up a view, with a value, see [`certificate::TimeoutVote`].
    #[derive(Clone, PartialEq, Eq)]
    TimeoutVote, VoteOf
}

per_suite! {
    /// A proof that a quorum gave up a view, see [`certificate::TimeoutCertificate`].
    #[derive(Clone, PartialEq, Eq)]
    TimeoutCertificate, CertificateOf
}

impl TimeoutVote {
    /// Creates a timeout vote from its parts. Nothing is checked.
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

    /// Signs **without recording it**, for tests. A node signs with its [`Guard`](super::Guard).
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the key is not a member's or of another suite.
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

    /// Decodes a timeout vote of a suite.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the bytes name another suite; otherwise an error
    /// that describes the invalid bytes.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_scheme!(suite, S => VoteOf::<S>::decode(bytes, &()).map(Self::from))
    }

    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> {
        each!(self, TimeoutVote, S, vote => vote.encode())
    }

    /// Decodes the form for direct links.
    ///
    /// # Errors
    /// As [`decode`](TimeoutVote::decode).
    pub fn decode_link(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_scheme!(suite, S => whole(bytes, VoteOf::<S>::decode_link).map(Self::from))
    }

    /// Returns the form for direct links, with an uncompressed signature.
    pub fn encode_link(&self) -> Vec<u8> {
        each!(self, TimeoutVote, S, vote => written(|w| vote.encode_link(w)))
    }

    /// Returns the kind: the phase of the protocol.
    pub fn kind(&self) -> Kind {
        each!(self, TimeoutVote, S, vote => vote.kind())
    }

    /// Returns the epoch of the committee.
    pub fn epoch(&self) -> u64 {
        each!(self, TimeoutVote, S, vote => vote.epoch())
    }

    /// Returns the view that the member gives up.
    pub fn view(&self) -> u64 {
        each!(self, TimeoutVote, S, vote => vote.view())
    }

    /// Returns the value that the member names.
    pub fn value(&self) -> u64 {
        each!(self, TimeoutVote, S, vote => vote.value())
    }

    /// Returns the claimed signer.
    pub fn signer(&self) -> MemberIndex {
        each!(self, TimeoutVote, S, vote => vote.signer())
    }

    /// Returns the underlying vote.
    pub fn as_vote(&self) -> Vote {
        each!(self, TimeoutVote, S, vote => vote.as_vote().clone().into())
    }

    /// Verifies the vote alone.
    ///
    /// # Errors
    /// As [`certificate::Vote::verify`].
    pub fn verify(self, committee: &Committee) -> Result<Verified<Self>> {
        each!(self, TimeoutVote, S, vote => vote.verify(committee.try_into()?).map(lift))
    }

    /// Verifies as [`verify`](TimeoutVote::verify), but by reference.
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

impl TimeoutCertificate {
    /// Decodes a timeout certificate of this committee. The signatures are not yet verified.
    ///
    /// # Errors
    /// As [`Certificate::decode`](super::Certificate::decode).
    pub fn decode(bytes: &[u8], committee: &Committee) -> Result<Self> {
        each!(committee, Committee, S, committee => {
            CertificateOf::<S>::decode(bytes, committee.as_ref()).map(Self::from)
        })
    }

    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> {
        each!(self, TimeoutCertificate, S, certificate => certificate.encode())
    }

    /// Returns the length of the encoding in bytes.
    pub fn encoded_len(&self) -> usize {
        each!(self, TimeoutCertificate, S, certificate => certificate.encoded_len())
    }

    /// Returns the kind: the phase of the protocol.
    pub fn kind(&self) -> Kind {
        each!(self, TimeoutCertificate, S, certificate => certificate.kind())
    }

    /// Returns the epoch of the committee.
    pub fn epoch(&self) -> u64 {
        each!(self, TimeoutCertificate, S, certificate => certificate.epoch())
    }

    /// Returns the view that the quorum gave up.
    pub fn view(&self) -> u64 {
        each!(self, TimeoutCertificate, S, certificate => certificate.view())
    }

    /// Returns the highest value that a signer named.
    pub fn highest_value(&self) -> u64 {
        each!(self, TimeoutCertificate, S, certificate => certificate.highest_value())
    }

    /// Returns the values in ascending order, each with the members that named it.
    pub fn groups(&self) -> &[(u64, SignerSet)] {
        each!(self, TimeoutCertificate, S, certificate => certificate.groups())
    }

    /// Returns all signers.
    pub fn signers(&self) -> SignerSet {
        each!(self, TimeoutCertificate, S, certificate => certificate.signers())
    }

    /// Verifies the signatures; for the cost see [`certificate::TimeoutCertificate::verify`].
    ///
    /// # Errors
    /// As [`certificate::TimeoutCertificate::verify`].
    pub fn verify(self, committee: &Committee) -> Result<Verified<Self>> {
        each!(self, TimeoutCertificate, S, certificate => certificate.verify(committee.try_into()?).map(lift))
    }

    /// Verifies as [`verify`](TimeoutCertificate::verify), but by reference.
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
