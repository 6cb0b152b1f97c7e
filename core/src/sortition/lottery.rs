use alloc::sync::Arc;
use core::fmt;
use core::num::NonZeroU16;

use super::score::Score;
use super::seed::Seed;
use super::ticket::Ticket;
use crate::committee::{Committee, Verified};
use crate::scheme::Vrf;
use crate::wire::{Encode, Writer, domain};
use crate::{Error, Result};

/// Default for the average number of winners of a round.
pub const EXPECTED_WINNERS: NonZeroU16 = match NonZeroU16::new(7) {
    Some(number) => number,
    None => NonZeroU16::MIN,
};

/// One round's lottery among the members of a committee. All members must use the same four parameters.
pub struct Lottery<S: Vrf> {
    committee: Arc<Committee<S>>,
    seed: Seed,
    round: u64,
    expected: NonZeroU16,
}

impl<S: Vrf> Lottery<S> {
    /// Creates the lottery of `round`, in which `expected` members win on average; if the committee has at most that
    /// number of members, all win.
    pub fn new(committee: Arc<Committee<S>>, seed: Seed, round: u64, expected: NonZeroU16) -> Self {
        Self { committee, seed, round, expected }
    }

    /// Draws this member's ticket; `None` if it did not win. Cost: one multiplication, and one signature.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the key belongs to no member.
    pub fn draw(&self, secret: &S::SecretKey) -> Result<Option<Verified<Ticket<S>>>> {
        let member = self
            .committee
            .position(&S::public_key(secret))
            .ok_or(Error::WrongContext { what: "signing key" })?;
        let ticket = Verified::assume(
            Ticket::new(self.round, member, S::sign(secret, &self.signed_bytes())),
            self.committee.id(),
        );
        Ok(self.wins(&ticket).then_some(ticket))
    }

    /// Returns the committee.
    pub fn committee(&self) -> &Arc<Committee<S>> {
        &self.committee
    }

    /// Returns the seed.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// Returns the round.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// Returns the average number of winners.
    pub fn expected(&self) -> NonZeroU16 {
        self.expected
    }

    /// Returns the bytes that a ticket signs: the domain [`SORTITION_TICKET`](domain::SORTITION_TICKET), the
    /// committee's id, the epoch, the round, the seed.
    pub(super) fn signed_bytes(&self) -> alloc::vec::Vec<u8> {
        let mut w = Writer::with_capacity(domain::SORTITION_TICKET.len() + 48 + Seed::LEN);
        w.raw(domain::SORTITION_TICKET.as_bytes());
        self.committee.id().encode_to(&mut w);
        w.u64(self.committee.epoch());
        w.u64(self.round);
        self.seed.encode_to(&mut w);
        w.into_bytes()
    }

    fn wins(&self, ticket: &Verified<Ticket<S>>) -> bool {
        ticket.score().wins(self.expected.get(), self.committee.len())
    }
}

impl<S: Vrf> Ticket<S> {
    /// Verifies that this member won this lottery. A ticket that does not win is refused before any pairing. Cost:
    /// one subgroup check, one hash to the curve, two pairings.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for another round; [`Error::WrongContext`] for a later index of a repeated key;
    /// [`Error::UnknownSigner`]; [`Error::NotInSubgroup`]; [`Error::NotDrawn`] if it does not win;
    /// [`Error::BadSignature`] naming the member if the signature does not verify, for instance with another seed or
    /// committee.
    pub fn verify(self, lottery: &Lottery<S>) -> Result<Verified<Self>> {
        self.check(lottery)?;
        Ok(Verified::assume(self, lottery.committee().id()))
    }

    /// Verifies as [`verify`](Ticket::verify), but by reference.
    ///
    /// # Errors
    /// As [`verify`](Ticket::verify).
    pub fn check(&self, lottery: &Lottery<S>) -> Result<()> {
        if self.round() != lottery.round() {
            return Err(Error::Mismatch { what: "round", expected: lottery.round(), actual: self.round() });
        }
        let committee = lottery.committee();
        let key = committee.key(self.member()).ok_or(Error::UnknownSigner { index: self.member().into() })?;
        if committee.position(key) != Some(self.member()) {
            return Err(Error::WrongContext { what: "index of a repeated key" });
        }
        let wins = |bytes: &[u8]| {
            let drawn = Score::from_signature(bytes).wins(lottery.expected().get(), committee.len());
            if drawn { Ok(()) } else { Err(Error::NotDrawn) }
        };
        S::verify_unique(key, &lottery.signed_bytes(), self.signature(), wins)
            .map_err(|error| error.blame(self.member()))
    }
}

impl<S: Vrf> Clone for Lottery<S> {
    fn clone(&self) -> Self {
        Self { committee: self.committee.clone(), ..*self }
    }
}

impl<S: Vrf> fmt::Debug for Lottery<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lottery(round {}, {:?}, {:?})", self.round, self.seed, self.committee)
    }
}
