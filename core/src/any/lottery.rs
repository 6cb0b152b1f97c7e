use alloc::sync::Arc;
use alloc::vec::Vec;
use core::num::NonZeroU16;

use super::committee::Committee;
use super::dispatch::{any_of, as_typed, lift, whole, written, wrong_suite};
use super::families::{each, methods, per, with};
use super::keys::{SecretKey, Signature};
use super::suite::Suite;
use crate::Result;
use crate::committee::Verified;
use crate::machine::MemberIndex;
use crate::sortition::{self, Score, Seed};
use crate::wire::{Decode, Encode};

type LotteryOf<S> = sortition::Lottery<S>;
type TicketOf<S> = sortition::Ticket<S>;
type ProofOf<S> = sortition::SeedProof<S>;

per! { vrf:
    /// One round's lottery among the members of a committee, see [`sortition::Lottery`].
    #[derive(Clone)]
    Lottery, LotteryOf
}

per! { vrf:
    /// A member's claim to have won, see [`sortition::Ticket`].
    #[derive(Clone, PartialEq, Eq)]
    Ticket, TicketOf
}

per! { vrf:
    /// A member's signature on a seed, whose hash is the next seed, see [`sortition::SeedProof`].
    #[derive(Clone, PartialEq, Eq)]
    SeedProof, ProofOf
}

impl Lottery {
    /// Creates the lottery of `round`, in which `expected` members win on average.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) for a committee of Ed25519 keys, whose signatures are not unique.
    pub fn new(committee: &Committee, seed: Seed, round: u64, expected: NonZeroU16) -> Result<Self> {
        each!(vrf: committee, Committee, S, committee => {
            Ok(LotteryOf::<S>::new(Arc::clone(committee), seed, round, expected).into())
        }, _ => Err(wrong_suite()))
    }
}

methods! { vrf: self, Lottery, S, lottery =>
    /// Draws this member's ticket; `None` if it did not win.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the key belongs to no member or to another suite.
    pub fn draw(&self, secret: &SecretKey) -> Result<Option<Verified<Ticket>>> =
        Ok(lottery.draw(as_typed::<S, _>(secret)?)?.map(lift));

    /// Returns the committee.
    pub fn committee(&self) -> Committee = Arc::clone(lottery.committee()).into();

    /// Returns the seed.
    pub fn seed(&self) -> Seed = lottery.seed();

    /// Returns the round.
    pub fn round(&self) -> u64 = lottery.round();

    /// Returns the average number of winners.
    pub fn expected(&self) -> NonZeroU16 = lottery.expected();
}

impl Ticket {
    /// Creates a ticket from its parts, without verification.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) for an Ed25519 signature.
    pub fn new(round: u64, member: MemberIndex, signature: Signature) -> Result<Self> {
        each!(vrf: signature, Signature, S, signature => {
            Ok(TicketOf::<S>::new(round, member, signature).into())
        }, _ => Err(wrong_suite()))
    }

    /// Decodes a ticket of a suite.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the bytes name another suite, and decoding errors.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with!(vrf: suite, S => TicketOf::<S>::decode(bytes, &()).map(Self::from), _ => Err(wrong_suite()))
    }

    /// Decodes the signature of a ticket whose round and member are known.
    ///
    /// # Errors
    /// As [`decode`](Ticket::decode).
    pub fn decode_detached(suite: Suite, bytes: &[u8], round: u64, member: MemberIndex) -> Result<Self> {
        with!(vrf: suite, S => {
            whole(bytes, |r| TicketOf::<S>::decode_detached(r, round, member)).map(Self::from)
        }, _ => Err(wrong_suite()))
    }
}

methods! { vrf: self, Ticket, S, ticket =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = ticket.encode();

    /// Returns the signature alone, for formats that contain the other fields already.
    pub fn encode_detached(&self) -> Vec<u8> = written(|w| ticket.encode_detached(w));

    /// Returns the round.
    pub fn round(&self) -> u64 = ticket.round();

    /// Returns the claimed member.
    pub fn member(&self) -> MemberIndex = ticket.member();

    /// Returns the signature.
    pub fn signature(&self) -> Signature = any_of::<S, _>(ticket.signature().clone());

    /// Verifies that this member won this lottery, see [`sortition::Ticket::verify`] for the order and the cost.
    ///
    /// # Errors
    /// As [`sortition::Ticket::verify`].
    pub fn verify(self, lottery: &Lottery) -> Result<Verified<Self>> =
        ticket.verify(lottery.try_into()?).map(lift);

    /// Verifies as [`verify`](Ticket::verify), but by reference.
    ///
    /// # Errors
    /// As [`verify`](Ticket::verify).
    pub fn check(&self, lottery: &Lottery) -> Result<()> = ticket.check(lottery.try_into()?);
}

impl Verified<Ticket> {
    /// Returns the score of the ticket: the smallest is the best.
    pub fn score(&self) -> Score {
        each!(vrf: &**self, Ticket, S, ticket => Score::from_signature(&ticket.signature().encode()))
    }
}

impl SeedProof {
    /// Creates a proof from its parts, without verification.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) for an Ed25519 signature.
    pub fn new(signer: MemberIndex, signature: Signature) -> Result<Self> {
        each!(vrf: signature, Signature, S, signature => {
            Ok(ProofOf::<S>::new(signer, signature).into())
        }, _ => Err(wrong_suite()))
    }

    /// Signs this member's proof for a seed.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the key belongs to no member or to another suite, or for a
    /// committee of Ed25519 keys.
    pub fn sign(secret: &SecretKey, committee: &Committee, seed: &Seed) -> Result<Self> {
        each!(vrf: committee, Committee, S, committee => {
            ProofOf::<S>::sign(as_typed::<S, _>(secret)?, committee, seed).map(Self::from)
        }, _ => Err(wrong_suite()))
    }

    /// Decodes a proof of a suite.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the bytes name another suite, and decoding errors.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with!(vrf: suite, S => ProofOf::<S>::decode(bytes, &()).map(Self::from), _ => Err(wrong_suite()))
    }

    /// Decodes the signature of a known member.
    ///
    /// # Errors
    /// As [`decode`](SeedProof::decode).
    pub fn decode_detached(suite: Suite, bytes: &[u8], signer: MemberIndex) -> Result<Self> {
        with!(vrf: suite, S => {
            whole(bytes, |r| ProofOf::<S>::decode_detached(r, signer)).map(Self::from)
        }, _ => Err(wrong_suite()))
    }
}

methods! { vrf: self, SeedProof, S, proof =>
    /// Returns the seed after `seed`, see [`Seed::next`].
    ///
    /// # Errors
    /// As [`Seed::next`], and [`WrongContext`](crate::Error::WrongContext) for a committee of another suite.
    pub fn next_seed(&self, seed: &Seed, committee: &Committee) -> Result<Seed> =
        seed.next(proof, committee.try_into()?);

    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = proof.encode();

    /// Returns the signature alone, for formats that contain the other fields already.
    pub fn encode_detached(&self) -> Vec<u8> = written(|w| proof.encode_detached(w));

    /// Returns the claimed signer.
    pub fn signer(&self) -> MemberIndex = proof.signer();

    /// Returns the signature.
    pub fn signature(&self) -> Signature = any_of::<S, _>(proof.signature().clone());
}
