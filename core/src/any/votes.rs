use alloc::vec::Vec;

use super::committee::Committee;
use super::dispatch::{any_of, as_typed, lift, whole, written};
use super::families::{each, methods, per, with};
use super::keys::{SecretKey, Signature};
use super::suite::Suite;
use crate::Result;
use crate::certificate::{self, Statement};
use crate::committee::Verified;
use crate::machine::MemberIndex;
use crate::wire::{Decode, Encode};

type VoteOf<S> = certificate::Vote<S>;

per! { suite:
    /// A member's signature on a statement, see [`certificate::Vote`].
    #[derive(Clone, PartialEq, Eq)]
    Vote, VoteOf
}

impl Vote {
    /// Creates a vote from its parts. Nothing is checked.
    pub fn new(statement: Statement, signer: MemberIndex, signature: Signature) -> Self {
        each!(signature, Signature, S, signature => VoteOf::<S>::new(statement, signer, signature).into())
    }

    /// Signs **without recording it**, for tests. A node signs with its [`Guard`](super::Guard).
    ///
    /// # Errors
    /// [`Error::WrongContext`](crate::Error::WrongContext) if the key is not a member's or of another suite or epoch.
    pub fn sign_unguarded(secret: &SecretKey, committee: &Committee, statement: Statement) -> Result<Self> {
        each!(committee, Committee, S, committee => {
            VoteOf::<S>::sign_unguarded(as_typed::<S, _>(secret)?, committee, statement).map(Self::from)
        })
    }

    /// Decodes a vote of a suite.
    ///
    /// # Errors
    /// [`Error::Mismatch`](crate::Error::Mismatch) if the bytes name another suite; otherwise an error
    /// that describes the invalid bytes.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with!(suite, S => VoteOf::<S>::decode(bytes, &()).map(Self::from))
    }

    /// Decodes the form for direct links.
    ///
    /// # Errors
    /// As [`decode`](Vote::decode).
    pub fn decode_link(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with!(suite, S => whole(bytes, VoteOf::<S>::decode_link).map(Self::from))
    }
}

methods! { suite: self, Vote, S, vote =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = vote.encode();

    /// Returns the form for direct links, with an uncompressed signature.
    pub fn encode_link(&self) -> Vec<u8> = written(|w| vote.encode_link(w));

    /// Returns the signed statement.
    pub fn statement(&self) -> &Statement = vote.statement();

    /// Returns the claimed signer.
    pub fn signer(&self) -> MemberIndex = vote.signer();

    /// Returns the signature.
    pub fn signature(&self) -> Signature = any_of::<S, _>(vote.signature().clone());

    /// Verifies the vote alone. Cost (BLS): one hash, one subgroup check, two pairings.
    ///
    /// # Errors
    /// As [`certificate::Vote::verify`].
    pub fn verify(self, committee: &Committee) -> Result<Verified<Self>> =
        vote.verify(committee.try_into()?).map(lift);

    /// Verifies as [`verify`](Vote::verify), but by reference.
    ///
    /// # Errors
    /// As [`verify`](Vote::verify).
    pub fn check(&self, committee: &Committee) -> Result<()> = vote.check(committee.try_into()?);
}
