use alloc::vec::Vec;

use super::committee::Committee;
use super::dispatch::{as_typed, lift, whole, written};
use super::families::{each, methods, per, with};
use super::keys::{SecretKey, Signature};
use super::suite::Suite;
use super::votes::Vote;
use crate::Result;
use crate::certificate::{self, Kind};
use crate::committee::{SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::wire::{Decode, Encode};

type VoteOf<S> = certificate::TimeoutVote<S>;
type CertificateOf<S> = certificate::TimeoutCertificate<S>;

per! { suite:
    /// A member's vote to give up a view, with a value, see [`certificate::TimeoutVote`].
    #[derive(Clone, PartialEq, Eq)]
    TimeoutVote, VoteOf
}

per! { suite:
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
        with!(suite, S => VoteOf::<S>::decode(bytes, &()).map(Self::from))
    }

    /// Decodes the form for direct links.
    ///
    /// # Errors
    /// As [`decode`](TimeoutVote::decode).
    pub fn decode_link(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with!(suite, S => whole(bytes, VoteOf::<S>::decode_link).map(Self::from))
    }
}

methods! { suite: self, TimeoutVote, S, vote =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = vote.encode();

    /// Returns the form for direct links, with an uncompressed signature.
    pub fn encode_link(&self) -> Vec<u8> = written(|w| vote.encode_link(w));

    /// Returns the kind: the phase of the protocol.
    pub fn kind(&self) -> Kind = vote.kind();

    /// Returns the epoch of the committee.
    pub fn epoch(&self) -> u64 = vote.epoch();

    /// Returns the view that the member gives up.
    pub fn view(&self) -> u64 = vote.view();

    /// Returns the value that the member names.
    pub fn value(&self) -> u64 = vote.value();

    /// Returns the claimed signer.
    pub fn signer(&self) -> MemberIndex = vote.signer();

    /// Returns the underlying vote.
    pub fn as_vote(&self) -> Vote = vote.as_vote().clone().into();

    /// Verifies the vote alone.
    ///
    /// # Errors
    /// As [`certificate::Vote::verify`].
    pub fn verify(self, committee: &Committee) -> Result<Verified<Self>> =
        vote.verify(committee.try_into()?).map(lift);

    /// Verifies as [`verify`](TimeoutVote::verify), but by reference.
    ///
    /// # Errors
    /// As [`verify`](TimeoutVote::verify).
    pub fn check(&self, committee: &Committee) -> Result<()> = vote.check(committee.try_into()?);
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
}

methods! { suite: self, TimeoutCertificate, S, certificate =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = certificate.encode();

    /// Returns the length of the encoding in bytes.
    pub fn encoded_len(&self) -> usize = certificate.encoded_len();

    /// Returns the kind: the phase of the protocol.
    pub fn kind(&self) -> Kind = certificate.kind();

    /// Returns the epoch of the committee.
    pub fn epoch(&self) -> u64 = certificate.epoch();

    /// Returns the view that the quorum gave up.
    pub fn view(&self) -> u64 = certificate.view();

    /// Returns the highest value that a signer named.
    pub fn highest_value(&self) -> u64 = certificate.highest_value();

    /// Returns the values in ascending order, each with the members that named it.
    pub fn groups(&self) -> &[(u64, SignerSet)] = certificate.groups();

    /// Returns all signers.
    pub fn signers(&self) -> SignerSet = certificate.signers();

    /// Verifies the signatures; for the cost see [`certificate::TimeoutCertificate::verify`].
    ///
    /// # Errors
    /// As [`certificate::TimeoutCertificate::verify`].
    pub fn verify(self, committee: &Committee) -> Result<Verified<Self>> =
        certificate.verify(committee.try_into()?).map(lift);

    /// Verifies as [`verify`](TimeoutCertificate::verify), but by reference.
    ///
    /// # Errors
    /// As [`verify`](TimeoutCertificate::verify).
    pub fn check(&self, committee: &Committee) -> Result<()> = certificate.check(committee.try_into()?);
}
