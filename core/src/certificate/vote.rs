use core::fmt;

use super::statement::Statement;
use crate::committee::{Committee, CommitteeId, Verified};
use crate::machine::MemberIndex;
use crate::scheme::{Scheme, read_suite};
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// One member's signature on a [`Statement`]. The signature of a decoded vote is not yet verified.
///
/// | bytes | field |
/// |---|---|
/// | 1 | suite |
/// | 49 | statement |
/// | 2 | signer |
/// | 48 (MinSig), 96 (MinPk), 64 (Ed25519) | signature |
///
/// Direct links carry BLS signatures uncompressed, which are twice as long: decoding one costs 0.2 µs instead of a
/// square root of 13 µs, which for many votes is most of the work.
#[derive(Clone, PartialEq, Eq)]
pub struct Vote<S: Scheme> {
    statement: Statement,
    signer: MemberIndex,
    signature: S::Signature,
}

impl<S: Scheme> Vote<S> {
    /// Creates a vote from its parts. Nothing is checked.
    pub fn new(statement: Statement, signer: MemberIndex, signature: S::Signature) -> Self {
        Self { statement, signer, signature }
    }

    /// Signs a vote **without recording it**.
    ///
    /// Use it for statements that a member may contradict (for example that it stores a batch) and for tests. Sign
    /// statements that decide anything with a [`Guard`](crate::guard::Guard).
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the key is not a member's, [`Error::Mismatch`] if the statement is of another epoch.
    pub fn sign_unguarded(
        secret: &S::SecretKey,
        committee: &Committee<S>,
        statement: Statement,
    ) -> Result<Self> {
        let signer = committee.require_member(&S::public_key(secret))?;
        committee.require_epoch(statement.epoch)?;
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

    /// Returns the signed statement.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Returns the claimed signer.
    pub fn signer(&self) -> MemberIndex {
        self.signer
    }

    /// Returns the signature.
    pub fn signature(&self) -> &S::Signature {
        &self.signature
    }

    /// Verifies this vote alone. Cost: one signature verification; a [`VoteCollector`](super::VoteCollector) needs far
    /// less per vote.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for another epoch, [`Error::UnknownSigner`], [`Error::BadSignature`] with the signer as
    /// culprit, [`Error::NotInSubgroup`].
    pub fn verify(self, committee: &Committee<S>) -> Result<Verified<Self>> {
        self.check(committee)?;
        Ok(Verified::assume(self, committee.id()))
    }

    /// Verifies as [`verify`](Vote::verify), but by reference.
    ///
    /// # Errors
    /// As [`verify`](Vote::verify).
    pub fn check(&self, committee: &Committee<S>) -> Result<()> {
        committee.require_epoch(self.statement.epoch)?;
        let key = committee.key(self.signer).ok_or(Error::UnknownSigner { index: self.signer.into() })?;
        S::verify(key, &self.statement.signed_bytes(&committee.id()), &self.signature)
            .map_err(|error| error.blame(self.signer))
    }

    /// Writes the form for direct links, with an uncompressed BLS signature.
    pub fn encode_link(&self, w: &mut Writer) {
        self.encode_head(w);
        S::encode_link(&self.signature, w);
    }

    /// Decodes the form for direct links.
    ///
    /// # Errors
    /// An error that describes the invalid bytes.
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
