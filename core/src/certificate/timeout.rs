use alloc::vec::Vec;
use core::fmt;

use super::signers;
use super::statement::{Kind, Statement};
use super::vote::Vote;
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::scheme::{Claim, Scheme, read_suite};
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// Maximum number of distinct values in one timeout certificate.
///
/// Honest members name few values; the limit bounds the work of a verification and the memory of a decoded certificate.
/// A committee of up to 1,024 members cannot exceed it. In a larger committee 1,024 colluding members can exhaust it, and
/// a collector then refuses votes with further values.
pub const MAX_TIMEOUT_GROUPS: usize = 1024;

/// A member's vote to give up a view, with a value: in HotStuff-like protocols the view of the highest certificate that
/// the member knows.
///
/// It is a vote on the statement whose digest is the value as eight little-endian bytes followed by 24 zeros.
///
/// | bytes | field |
/// |---|---|
/// | 1 | suite |
/// | 1 | kind |
/// | 8 | epoch |
/// | 8 | view |
/// | 8 | value |
/// | 2 | signer |
/// | as in [`Vote`] | signature |
#[derive(Clone, PartialEq, Eq)]
pub struct TimeoutVote<S: Scheme> {
    value: u64,
    vote: Vote<S>,
}

impl<S: Scheme> TimeoutVote<S> {
    /// Creates a timeout vote from its parts. Nothing is checked.
    pub fn new(
        kind: Kind,
        epoch: u64,
        view: u64,
        value: u64,
        signer: MemberIndex,
        signature: S::Signature,
    ) -> Self {
        Self { value, vote: Vote::new(Self::statement_of(kind, epoch, view, value), signer, signature) }
    }

    /// Returns the statement that a timeout vote signs.
    pub fn statement_of(kind: Kind, epoch: u64, view: u64, value: u64) -> Statement {
        let mut digest = [0; 32];
        if let Some(head) = digest.first_chunk_mut::<8>() {
            *head = value.to_le_bytes();
        }
        Statement { kind, epoch, view, digest }
    }

    /// Signs a timeout vote **without recording it**, for tests. A node signs with its [`Guard`](crate::guard::Guard).
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the key is not a member's.
    pub fn sign_unguarded(
        secret: &S::SecretKey,
        committee: &Committee<S>,
        kind: Kind,
        view: u64,
        value: u64,
    ) -> Result<Self> {
        let statement = Self::statement_of(kind, committee.epoch(), view, value);
        Ok(Self { value, vote: Vote::sign_unguarded(secret, committee, statement)? })
    }

    /// Returns the kind: the phase of the protocol.
    pub fn kind(&self) -> Kind {
        self.vote.statement().kind
    }

    /// Returns the epoch of the committee.
    pub fn epoch(&self) -> u64 {
        self.vote.statement().epoch
    }

    /// Returns the view that the member gives up.
    pub fn view(&self) -> u64 {
        self.vote.statement().view
    }

    /// Returns the value that the member names.
    pub fn value(&self) -> u64 {
        self.value
    }

    /// Returns the claimed signer.
    pub fn signer(&self) -> MemberIndex {
        self.vote.signer()
    }

    /// Returns the underlying vote.
    pub fn as_vote(&self) -> &Vote<S> {
        &self.vote
    }

    /// Verifies the vote alone, as [`Vote::verify`].
    ///
    /// # Errors
    /// As [`Vote::verify`].
    pub fn verify(self, committee: &Committee<S>) -> Result<Verified<Self>> {
        self.vote.check(committee)?;
        Ok(Verified::assume(self, committee.id()))
    }

    /// Verifies as [`verify`](TimeoutVote::verify), but by reference.
    ///
    /// # Errors
    /// As [`Vote::verify`].
    pub fn check(&self, committee: &Committee<S>) -> Result<()> {
        self.vote.check(committee)
    }

    /// Writes the form for direct links, with an uncompressed signature.
    pub fn encode_link(&self, w: &mut Writer) {
        self.encode_head(w);
        S::encode_link(self.vote.signature(), w);
    }

    /// Decodes the form for direct links.
    ///
    /// # Errors
    /// An error that describes the invalid bytes.
    pub fn decode_link(r: &mut Reader<'_>) -> Result<Self> {
        Self::decode_with(r, S::decode_link)
    }

    pub(crate) fn from_vote(value: u64, vote: Vote<S>) -> Self {
        Self { value, vote }
    }

    pub(super) fn into_vote(self) -> Vote<S> {
        self.vote
    }

    fn encode_head(&self, w: &mut Writer) {
        w.u8(S::SUITE);
        w.u8(self.kind().number());
        w.u64(self.epoch());
        w.u64(self.view());
        w.u64(self.value);
        w.u16(self.signer());
    }

    fn decode_with(
        r: &mut Reader<'_>,
        signature: impl FnOnce(&mut Reader<'_>) -> Result<S::Signature>,
    ) -> Result<Self> {
        read_suite::<S>(r)?;
        let (kind, epoch, view) = (Kind::decode_from(r)?, r.u64()?, r.u64()?);
        let (value, signer) = (r.u64()?, r.u16()?);
        Ok(Self::new(kind, epoch, view, value, signer, signature(r)?))
    }
}

impl<S: Scheme> Encode for TimeoutVote<S> {
    fn encode_to(&self, w: &mut Writer) {
        self.encode_head(w);
        self.vote.signature().encode_to(w);
    }
}

impl<S: Scheme> Decode for TimeoutVote<S> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Self::decode_with(r, |r| S::Signature::decode_from(r, &()))
    }
}

impl<S: Scheme> fmt::Debug for TimeoutVote<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TimeoutVote(member {}, view {}, value {})", self.signer(), self.view(), self.value)
    }
}

/// A timeout certificate: proof that a quorum gave up a view.
///
/// The members are grouped by the value that they named, and one aggregate covers the different statements of all groups.
///
/// | bytes | field |
/// |---|---|
/// | 1 | suite |
/// | 1 | kind |
/// | 8 | epoch |
/// | 8 | view |
/// | 2 | number of groups, 1 to [`MAX_TIMEOUT_GROUPS`] |
/// | each group | value 8, then its **signers** in the codec of [`Certificate`](super::Certificate)'s non-signers |
/// | 48 (MinSig), 96 (MinPk), 64 per signer (Ed25519) | the aggregate, or the signatures in ascending order of signers |
///
/// Groups are in strictly ascending order of values, non-empty and disjoint; together they weigh a quorum.
#[derive(Clone, PartialEq, Eq)]
pub struct TimeoutCertificate<S: Scheme> {
    kind: Kind,
    epoch: u64,
    view: u64,
    groups: Vec<(u64, SignerSet)>,
    proof: S::Proof,
}

impl<S: Scheme> TimeoutCertificate<S> {
    /// Returns the kind: the phase of the protocol.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the epoch of the committee.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns the view that the quorum gave up.
    pub fn view(&self) -> u64 {
        self.view
    }

    /// Returns the highest value that a signer named.
    pub fn highest_value(&self) -> u64 {
        self.groups.last().map_or(0, |(value, _)| *value)
    }

    /// Returns the values in ascending order, each with the members that named it.
    pub fn groups(&self) -> &[(u64, SignerSet)] {
        &self.groups
    }

    /// Returns all signers.
    pub fn signers(&self) -> SignerSet {
        let n = self.groups.first().map_or(0, |(_, signers)| signers.committee_len());
        self.groups.iter().fold(SignerSet::new(n), |all, (_, signers)| all.union(signers))
    }

    /// Verifies the signatures. Cost (BLS): per group a hash to the curve, a pairing and an addition per signer; one more
    /// pairing and one subgroup check.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for another epoch or committee size, [`Error::BelowQuorum`], and the errors of
    /// [`Scheme::verify_claims`].
    pub fn verify(self, committee: &Committee<S>) -> Result<Verified<Self>> {
        self.check(committee)?;
        Ok(Verified::assume(self, committee.id()))
    }

    /// Verifies as [`verify`](TimeoutCertificate::verify), but by reference.
    ///
    /// # Errors
    /// As [`verify`](TimeoutCertificate::verify).
    pub fn check(&self, committee: &Committee<S>) -> Result<()> {
        committee.require_epoch(self.epoch)?;
        self.groups.iter().try_for_each(|(_, signers)| committee.require_size(signers))?;
        committee.require_quorum(&self.signers())?;
        let message = |value| {
            TimeoutVote::<S>::statement_of(self.kind, self.epoch, self.view, value)
                .signed_bytes(&committee.id())
        };
        let messages: Vec<_> = self.groups.iter().map(|(value, _)| message(*value)).collect();
        let claims: Vec<Claim<'_>> = self
            .groups
            .iter()
            .zip(&messages)
            .map(|((_, signers), message)| Claim { message, signers })
            .collect();
        S::verify_claims(committee.scheme_keys(), &claims, &self.proof)
    }

    /// Returns the length of the encoding in bytes.
    pub fn encoded_len(&self) -> usize {
        let groups: usize = self.groups.iter().map(|(_, signers)| 8 + signers::encoded_len(signers)).sum();
        1 + 1 + 8 + 8 + 2 + groups + S::proof_len(&self.proof, &self.signers())
    }

    /// Creates a certificate from the verified parts of a collector; the groups ascend by value.
    pub(super) fn from_verified_parts(
        (kind, epoch, view): (Kind, u64, u64),
        groups: Vec<(u64, SignerSet)>,
        proof: S::Proof,
    ) -> Self {
        Self { kind, epoch, view, groups, proof }
    }
}

impl<S: Scheme> Encode for TimeoutCertificate<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(S::SUITE);
        w.u8(self.kind.number());
        w.u64(self.epoch);
        w.u64(self.view);
        w.u16(self.groups.len() as u16);
        for (value, signers) in &self.groups {
            w.u64(*value);
            signers::encode(signers, w);
        }
        S::encode_proof(&self.proof, &self.signers(), w);
    }
}

impl<S: Scheme> Decode<Committee<S>> for TimeoutCertificate<S> {
    fn decode_from(r: &mut Reader<'_>, committee: &Committee<S>) -> Result<Self> {
        read_suite::<S>(r)?;
        let (kind, epoch, view) = (Kind::decode_from(r)?, r.u64()?, r.u64()?);
        committee.require_epoch(epoch)?;
        let (groups, all) = decode_groups(r, committee.len())?;
        committee.require_quorum(&all)?;
        let proof = S::decode_proof(r, &all)?;
        Ok(Self { kind, epoch, view, groups, proof })
    }
}

impl<S: Scheme> fmt::Debug for TimeoutCertificate<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TimeoutCertificate(view {}, groups {:?})", self.view, self.groups)
    }
}

fn decode_groups(r: &mut Reader<'_>, n: u16) -> Result<(Vec<(u64, SignerSet)>, SignerSet)> {
    let count = usize::from(r.u16()?);
    if count > MAX_TIMEOUT_GROUPS.min(n.into()) {
        return Err(Error::TooLarge {
            what: "timeout groups",
            limit: MAX_TIMEOUT_GROUPS.min(n.into()) as u64,
        });
    }
    let mut groups: Vec<(u64, SignerSet)> = Vec::new();
    let mut all = SignerSet::new(n);
    for _ in 0..count {
        let (value, signers) = (r.u64()?, signers::decode(r, n)?);
        if signers.is_empty() || groups.last().is_some_and(|(last, _)| *last >= value) {
            return Err(Error::NonCanonical {
                what: "timeout groups: expected non-empty groups in ascending order",
            });
        }
        for index in signers.iter() {
            if !all.insert(index) {
                return Err(Error::DuplicateSigner { index: index.into() });
            }
        }
        groups.push((value, signers));
    }
    Ok((groups, all))
}
