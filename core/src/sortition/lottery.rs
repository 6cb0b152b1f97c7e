use alloc::sync::Arc;
use core::fmt;
use core::num::NonZeroU16;

use super::seed::Seed;
use super::ticket::Ticket;
use crate::committee::{Committee, Verified};
use crate::scheme::Vrf;
use crate::wire::{Encode, Writer, domain};
use crate::{Error, Result};

/// How many members win a round on average, unless a chain decides otherwise.
pub const EXPECTED_WINNERS: NonZeroU16 = match NonZeroU16::new(7) {
    Some(number) => number,
    None => NonZeroU16::MIN,
};

/// One round's lottery among the members of a committee. All who compare tickets must use the same four parameters.
pub struct Lottery<S: Vrf> {
    committee: Arc<Committee<S>>,
    seed: Seed,
    round: u64,
    expected: NonZeroU16,
}

impl<S: Vrf> Lottery<S> {
    /// The lottery of `round`, in which `expected` members win on average; where there are no more members than that, all
    /// of them do.
    pub fn new(committee: Arc<Committee<S>>, seed: Seed, round: u64, expected: NonZeroU16) -> Self {
        Self { committee, seed, round, expected }
    }

    /// This member's ticket, if it won. Cost: one multiplication, and one signature.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the key is no member's.
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

    /// Among whom.
    pub fn committee(&self) -> &Arc<Committee<S>> {
        &self.committee
    }

    /// The seed.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// The round.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// How many win on average.
    pub fn expected(&self) -> NonZeroU16 {
        self.expected
    }

    /// The bytes that a ticket signs: the domain [`SORTITION_TICKET`](domain::SORTITION_TICKET), the committee's id, the
    /// epoch, the round, the seed.
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
