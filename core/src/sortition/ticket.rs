use core::fmt;

use super::score::Score;
use crate::Result;
use crate::committee::Verified;
use crate::machine::MemberIndex;
use crate::scheme::{Vrf, read_suite};
use crate::wire::{Decode, Encode, Reader, Writer};

/// A member's claim to have won a round's [`Lottery`](super::Lottery). A decoded ticket is unverified; only a
/// verified one has a score.
///
/// | bytes | field |
/// |---|---|
/// | 1 | suite |
/// | 8 | round |
/// | 2 | member |
/// | 48 (MinSig), 96 (MinPk) | signature |
///
/// The detached form is the signature alone, for receivers that know the other fields, as in a proposal.
#[derive(Clone, PartialEq, Eq)]
pub struct Ticket<S: Vrf> {
    round: u64,
    member: MemberIndex,
    signature: S::Signature,
}

impl<S: Vrf> Ticket<S> {
    /// Creates a ticket from its parts, without verification.
    pub fn new(round: u64, member: MemberIndex, signature: S::Signature) -> Self {
        Self { round, member, signature }
    }

    /// Returns the round.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// Returns the claimed member.
    pub fn member(&self) -> MemberIndex {
        self.member
    }

    /// Returns the signature.
    pub fn signature(&self) -> &S::Signature {
        &self.signature
    }

    /// Writes the signature alone.
    pub fn encode_detached(&self, w: &mut Writer) {
        self.signature.encode_to(w);
    }

    /// Decodes the signature of a ticket whose round and member are known.
    ///
    /// # Errors
    /// Decoding errors.
    pub fn decode_detached(r: &mut Reader<'_>, round: u64, member: MemberIndex) -> Result<Self> {
        Ok(Self { round, member, signature: S::Signature::decode_from(r, &())? })
    }
}

impl<S: Vrf> Verified<Ticket<S>> {
    /// Returns the score of the ticket. Cost: two compressions.
    pub fn score(&self) -> Score {
        Score::from_signature(&self.signature().encode())
    }
}

impl<S: Vrf> Encode for Ticket<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(S::SUITE);
        w.u64(self.round);
        w.u16(self.member);
        self.encode_detached(w);
    }
}

impl<S: Vrf> Decode for Ticket<S> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        read_suite::<S>(r)?;
        let (round, member) = (r.u64()?, r.u16()?);
        Self::decode_detached(r, round, member)
    }
}

impl<S: Vrf> fmt::Debug for Ticket<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ticket(member {}, round {})", self.member, self.round)
    }
}
