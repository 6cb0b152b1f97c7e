use core::fmt;

use super::certificate::read_suite;
use super::statement::Statement;
use crate::committee::{Committee, CommitteeId, Verified};
use crate::machine::MemberIndex;
use crate::scheme::Scheme;
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// One member's signature on a [`Statement`]. That it decoded says nothing about the signature.
///
/// | bytes | field |
/// |---|---|
/// | 1 | suite |
/// | 49 | statement |
/// | 2 | signer |
/// | 48 (MinSig), 96 (MinPk), 64 (Ed25519) | signature |
///
/// Direct links carry BLS signatures uncompressed, twice as long: reading one costs 0.2 µs instead of a square
/// root of 13 µs, which for many votes is most of the work.
#[derive(Clone, PartialEq, Eq)]
pub struct Vote<S: Scheme> {
    statement: Statement,
    signer: MemberIndex,
    signature: S::Signature,
}

impl<S: Scheme> Vote<S> {
    /// Puts a vote together from its parts. Nothing is checked.
    pub fn new(statement: Statement, signer: MemberIndex, signature: S::Signature) -> Self {
        Self { statement, signer, signature }
    }

    /// Signs **without remembering it**: right for statements that a member may contradict (that it stores a
    /// batch, for example), and for tests. What decides anything is signed by a [`Guard`](crate::guard::Guard).
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the statement is of another epoch or the key is no member's.
    pub fn sign_unguarded(
        secret: &S::SecretKey,
        committee: &Committee<S>,
        statement: Statement,
    ) -> Result<Self> {
        let signer =
            committee.position(&S::public_key(secret)).ok_or(Error::WrongContext { what: "signing key" })?;
        statement.check_epoch(committee)?;
        Ok(Self::sign(secret, signer, &committee.id(), statement))
    }

    pub(crate) fn sign(
        secret: &S::SecretKey,
        signer: MemberIndex,
        committee: &CommitteeId,
        statement: Statement,
    ) -> Self {
        let signature = S::sign(secret, &statement.signed_bytes(committee));
        Self { statement, signer, signature }
    }

    /// What was voted for.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Who claims to have voted.
    pub fn signer(&self) -> MemberIndex {
        self.signer
    }

    /// The signature.
    pub fn signature(&self) -> &S::Signature {
        &self.signature
    }

    /// Checks the vote by itself. Cost: one signature verification; a
    /// [`VoteCollector`](super::VoteCollector) does with far less for many.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another epoch, [`Error::UnknownSigner`], and [`Error::BadSignature`] naming the
    /// signer (or what is wrong with the point).
    pub fn verify(self, committee: &Committee<S>) -> Result<Verified<Self>> {
        self.check(committee)?;
        Ok(Verified::assume(self, committee.id()))
    }

    /// As [`verify`](Vote::verify), for a vote that stays where it is.
    ///
    /// # Errors
    /// As [`verify`](Vote::verify).
    pub fn check(&self, committee: &Committee<S>) -> Result<()> {
        self.statement.check_epoch(committee)?;
        let key = committee.key(self.signer).ok_or(Error::UnknownSigner { index: self.signer.into() })?;
        S::verify(key, &self.statement.signed_bytes(&committee.id()), &self.signature)
            .map_err(|error| error.blame(self.signer))
    }

    /// Writes the form for direct links.
    pub fn encode_link(&self, w: &mut Writer) {
        self.encode_head(w);
        S::encode_link(&self.signature, w);
    }

    /// Reads the form for direct links.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub fn decode_link(r: &mut Reader<'_>) -> Result<Self> {
        Self::decode_with(r, S::decode_link)
    }

    pub(super) fn into_signature(self) -> S::Signature {
        self.signature
    }

    fn encode_head(&self, w: &mut Writer) {
        w.u8(S::SUITE);
        self.statement.encode_to(w);
        w.u16(self.signer);
    }

    fn decode_with(
        r: &mut Reader<'_>,
        signature: impl FnOnce(&mut Reader<'_>) -> Result<S::Signature>,
    ) -> Result<Self> {
        read_suite::<S>(r)?;
        let statement = Statement::decode_from(r, &())?;
        Ok(Self { statement, signer: r.u16()?, signature: signature(r)? })
    }
}

impl<S: Scheme> Encode for Vote<S> {
    fn encode_to(&self, w: &mut Writer) {
        self.encode_head(w);
        self.signature.encode_to(w);
    }
}

impl<S: Scheme> Decode for Vote<S> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Self::decode_with(r, |r| S::Signature::decode_from(r, &()))
    }
}

impl<S: Scheme> fmt::Debug for Vote<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vote(member {}, {:?})", self.signer, self.statement)
    }
}
