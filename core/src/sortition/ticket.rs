use core::fmt;

use super::lottery::Lottery;
use super::score::Score;
use crate::committee::Verified;
use crate::machine::MemberIndex;
use crate::scheme::{Vrf, read_suite};
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// A member's claim to have won a round's [`Lottery`]. That it decoded says nothing about it; only a verified one has a
/// score.
///
/// | bytes | field |
/// |---|---|
/// | 1 | suite |
/// | 8 | round |
/// | 2 | member |
/// | 48 (MinSig), 96 (MinPk) | signature |
///
/// The detached form is the signature alone, where the receiver knows the rest, as in a proposal.
#[derive(Clone, PartialEq, Eq)]
pub struct Ticket<S: Vrf> {
    round: u64,
    member: MemberIndex,
    signature: S::Signature,
}

impl<S: Vrf> Ticket<S> {
    /// Puts a ticket together from its parts. Nothing is checked.
    pub fn new(round: u64, member: MemberIndex, signature: S::Signature) -> Self {
        Self { round, member, signature }
    }

    /// Of which round.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// Whose it is, or claims to be.
    pub fn member(&self) -> MemberIndex {
        self.member
    }

    /// The proof.
    pub fn signature(&self) -> &S::Signature {
        &self.signature
    }

    /// Checks that this member won this lottery. A ticket that does not win is refused before any pairing. Cost: one
    /// subgroup check, one hash to the curve, two pairings.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another round, or for a later index of a repeated key; [`Error::UnknownSigner`];
    /// [`Error::NotInSubgroup`]; [`Error::NotDrawn`] if it does not win; [`Error::BadSignature`] naming the member if it
    /// is not its ticket, for instance of another seed or another committee.
    pub fn verify(self, lottery: &Lottery<S>) -> Result<Verified<Self>> {
        self.check(lottery)?;
        Ok(Verified::assume(self, lottery.committee().id()))
    }

    /// As [`verify`](Ticket::verify), for a ticket that stays where it is.
    ///
    /// # Errors
    /// As [`verify`](Ticket::verify).
    pub fn check(&self, lottery: &Lottery<S>) -> Result<()> {
        if self.round != lottery.round() {
            return Err(Error::WrongContext { what: "round" });
        }
        let committee = lottery.committee();
        let key = committee.key(self.member).ok_or(Error::UnknownSigner { index: self.member.into() })?;
        if committee.position(key) != Some(self.member) {
            return Err(Error::WrongContext { what: "index of a repeated key" });
        }
        let judge = |bytes: &[u8]| {
            let drawn = Score::of(bytes).wins(lottery.expected().get(), committee.len());
            if drawn { Ok(()) } else { Err(Error::NotDrawn) }
        };
        S::verify_unique(key, &lottery.signed_bytes(), &self.signature, judge)
            .map_err(|error| error.blame(self.member))
    }

    /// Writes the signature alone.
    pub fn encode_detached(&self, w: &mut Writer) {
        self.signature.encode_to(w);
    }

    /// Reads the signature of a ticket whose round and member are known.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub fn decode_detached(r: &mut Reader<'_>, round: u64, member: MemberIndex) -> Result<Self> {
        Ok(Self { round, member, signature: S::Signature::decode_from(r, &())? })
    }
}

impl<S: Vrf> Verified<Ticket<S>> {
    /// What the ticket is worth. Cost: two compressions.
    pub fn score(&self) -> Score {
        Score::of(&self.signature().encode())
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
