use quorate::committee::{Committee, CommitteeId};
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};
use quorate_broadcast::authentication::Authentication;

use crate::value::Value;

/// BLAKE3 digest.
pub type Digest = [u8; 32];

/// A statement that a replica signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// The replica accepts no other value in this slot and view.
    Prepare(Ballot),
    /// The replica holds the [`Certificate`] of this value.
    Commit(Ballot),
    /// The replica has this state after the slot.
    Checkpoint {
        /// The slot.
        slot: u64,
        /// Digest of the state.
        digest: Digest,
    },
    /// The replica takes part in no earlier view and reports what it accepted.
    ViewChange {
        /// Digest of the report.
        digest: Digest,
    },
    /// The leader begins a view with these reports.
    NewView {
        /// Digest of the reports.
        digest: Digest,
    },
}

/// A value in a slot and a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ballot {
    /// The view.
    pub view: u64,
    /// The slot.
    pub slot: u64,
    /// The value.
    pub value: Value,
}

impl Statement {
    /// Returns the bytes that a replica signs: the prefix 30, the group 32, the replica u16, the kind u8, the fields.
    pub fn bytes(&self, group: &CommitteeId, replica: MemberIndex) -> Vec<u8> {
        let mut w = Writer::with_capacity(128);
        w.raw(domain::REPLICATE_STATEMENT.as_bytes());
        w.raw(&group.0);
        w.u16(replica);
        match self {
            Statement::Prepare(ballot) => {
                w.u8(1);
                ballot.encode_to(&mut w);
            }
            Statement::Commit(ballot) => {
                w.u8(2);
                ballot.encode_to(&mut w);
            }
            Statement::Checkpoint { slot, digest } => {
                w.u8(3);
                w.u64(*slot);
                w.raw(digest);
            }
            Statement::ViewChange { digest } => {
                w.u8(4);
                w.raw(digest);
            }
            Statement::NewView { digest } => {
                w.u8(5);
                w.raw(digest);
            }
        }
        w.into_bytes()
    }
}

impl Encode for Ballot {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.view);
        w.u64(self.slot);
        self.value.encode_to(w);
    }
}

/// Decodes a ballot in a group with the given number of clients.
impl Decode<u16> for Ballot {
    fn decode_from(r: &mut Reader<'_>, clients: &u16) -> Result<Self> {
        Ok(Self { view: r.u64()?, slot: r.u64()?, value: Value::decode_from(r, clients)? })
    }
}

/// Signatures of n − f replicas under one statement, in ascending order of the replicas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate<S>(Vec<(MemberIndex, S)>);

impl<S> Certificate<S> {
    /// Creates a certificate of the first `quorum` signatures; `None` if there are fewer.
    pub(crate) fn new(signatures: impl Iterator<Item = (MemberIndex, S)>, quorum: usize) -> Option<Self> {
        let signatures: Vec<_> = signatures.take(quorum).collect();
        (signatures.len() == quorum).then_some(Self(signatures))
    }

    /// Verifies all signatures with the group alone. Cost: n − f verifications.
    ///
    /// # Errors
    /// [`Error::BelowQuorum`], [`Error::UnknownSigner`], and the error of the first invalid signature.
    pub fn verify<A>(&self, group: &Committee<Ed25519>, statement: &Statement) -> Result<()>
    where
        A: Authentication<Signature = S>,
    {
        let needed = quorum(group.len());
        if self.0.len() < needed {
            return Err(Error::BelowQuorum { signed: self.0.len() as u128, needed: needed as u128 });
        }
        let id = group.id();
        self.0.iter().try_for_each(|(replica, signature)| {
            let key = group.key(*replica).ok_or(Error::UnknownSigner { index: (*replica).into() })?;
            A::verify_alone(key, &statement.bytes(&id, *replica), signature)
        })
    }
}

impl<S: Encode> Encode for Certificate<S> {
    fn encode_to(&self, w: &mut Writer) {
        for (replica, signature) in &self.0 {
            w.u16(*replica);
            signature.encode_to(w);
        }
    }
}

/// Decodes a certificate in a group with the given number of replicas.
impl<S: Decode> Decode<u16> for Certificate<S> {
    fn decode_from(r: &mut Reader<'_>, replicas: &u16) -> Result<Self> {
        let mut signatures: Vec<(MemberIndex, S)> = Vec::with_capacity(quorum(*replicas));
        for _ in 0..quorum(*replicas) {
            let replica = r.u16()?;
            if replica >= *replicas {
                return Err(Error::UnknownSigner { index: replica.into() });
            }
            if signatures.last().is_some_and(|(last, _)| *last >= replica) {
                return Err(Error::OutOfOrder { index: replica.into() });
            }
            signatures.push((replica, S::decode_from(r, &())?));
        }
        Ok(Self(signatures))
    }
}

/// Evidence that a replica signed `Prepare` for two values in one slot and view. Verifiable with the group alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equivocation<S> {
    /// The replica at fault.
    pub culprit: MemberIndex,
    /// The view.
    pub view: u64,
    /// The slot.
    pub slot: u64,
    /// Two values with the culprit's signatures, the smaller value first.
    pub votes: [(Value, S); 2],
}

impl<S> Equivocation<S> {
    /// Creates evidence in canonical order.
    pub(crate) fn new(
        culprit: MemberIndex,
        view: u64,
        slot: u64,
        one: (Value, S),
        other: (Value, S),
    ) -> Self {
        let votes = if one.0 < other.0 { [one, other] } else { [other, one] };
        Self { culprit, view, slot, votes }
    }

    /// Verifies both signatures with the group alone.
    ///
    /// # Errors
    /// [`Error::NotEvidence`] if the values are equal or out of order; [`Error::UnknownSigner`]; [`Error::BadSignature`].
    pub fn verify<A>(&self, group: &Committee<Ed25519>) -> Result<()>
    where
        A: Authentication<Signature = S>,
    {
        let [(one, _), (other, _)] = &self.votes;
        if !A::TRANSFERABLE || one >= other {
            return Err(Error::NotEvidence);
        }
        let key = group.key(self.culprit).ok_or(Error::UnknownSigner { index: self.culprit.into() })?;
        self.votes.iter().try_for_each(|(value, signature)| {
            let ballot = Ballot { view: self.view, slot: self.slot, value: *value };
            A::verify_alone(key, &Statement::Prepare(ballot).bytes(&group.id(), self.culprit), signature)
        })
    }
}

impl<S: Encode> Encode for Equivocation<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u16(self.culprit);
        w.u64(self.view);
        w.u64(self.slot);
        for (value, signature) in &self.votes {
            value.encode_to(w);
            signature.encode_to(w);
        }
    }
}

/// Decodes evidence in a group with the given numbers of replicas and clients.
impl<S: Decode> Decode<(u16, u16)> for Equivocation<S> {
    fn decode_from(r: &mut Reader<'_>, (replicas, clients): &(u16, u16)) -> Result<Self> {
        let (culprit, view, slot) = (r.u16()?, r.u64()?, r.u64()?);
        if culprit >= *replicas {
            return Err(Error::UnknownSigner { index: culprit.into() });
        }
        let mut vote = || Ok::<_, Error>((Value::decode_from(r, clients)?, S::decode_from(r, &())?));
        let votes = [vote()?, vote()?];
        if votes[0].0 >= votes[1].0 {
            return Err(Error::NonCanonical { what: "equivocation: values are not in ascending order" });
        }
        Ok(Self { culprit, view, slot, votes })
    }
}

/// Returns the maximum number f of faulty replicas of n = 3f + 1.
pub fn faulty(replicas: u16) -> usize {
    usize::from(replicas.saturating_sub(1)) / 3
}

/// Returns n − f, the number of replicas of a certificate.
pub fn quorum(replicas: u16) -> usize {
    usize::from(replicas) - faulty(replicas)
}
