//! Leader sortition: a lottery that each member plays in secret. A winner can prove that it won.
//!
//! A ticket is a unique signature, so no member has two; the smallest score ranks first. The next [`Seed`] is the hash of
//! another unique signature, so no member can choose it. Ed25519 signatures are not unique, so Ed25519 committees have no
//! lottery.
#![cfg_attr(binding, module = "sortition")]

use core::num::NonZeroU16;

use quorate::Result;
use quorate::any::{self, Suite};
use quorate::committee::Verified;
use quorate::sortition;
use quorate::wire::{Decode, Encode};

use crate::committee::Committee;
use crate::ids::{ChainId, CommitteeId};
use crate::keys::{SecretKey, Signature};

class! {
    /// Randomness of the lotteries, renewed with each block. Members whose chains agree up to its height have the same
    /// seed.
    encoded struct Seed(sortition::Seed): Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| write!(f, "Seed(height={}, value={})", self.height(), hex::encode(self.value()));
    const LEN: u32 = 40 == sortition::Seed::LEN, "Length of an encoded seed in bytes.";
    /// Returns the first seed of a chain, from `bytes` that **no member chose and that were unknown when the keys were
    /// fixed**: control over them is control over the first proposers.
    fn genesis(chain: &ChainId, bytes: &[u8]) -> Self { Self(sortition::Seed::genesis(chain.0, bytes)) }
    /// Decodes the 40 bytes.
    /// [`Error::Malformed`](quorate::Error) for another number of bytes.
    quick fn decode(bytes: &[u8]) -> Result<Self> { sortition::Seed::decode(bytes, &()).map(Self) }
    /// Returns the 40 bytes.
    quick fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Number of proofs that precede it.
    getter fn height(&self) -> u64 { self.0.height() }
    /// Its 32 bytes.
    getter fn value(&self) -> [u8; 32] { *self.0.value() }
    /// Derives the next seed: the hash of the proof. **The protocol determines the prover**, usually the proposer of
    /// the block: compare [`SeedProof::signer`]. Cost: one subgroup check, one hash to the curve, two pairings.
    /// [`Error::UnknownSigner`](quorate::Error) if the committee has no such member.
    /// [`Error::BadSignature`](quorate::Error) if the proof is not the member's signature on this seed.
    /// [`Error::WrongContext`](quorate::Error) for a committee of another suite.
    fn next(&self, proof: &SeedProof, committee: &Committee) -> Result<Seed> {
        proof.0.next_seed(&self.0, &committee.0).map(Self)
    }
}

class! {
    /// A member's signature on a [`Seed`]; its hash is the next seed. It is unique: the member's only choice is whether
    /// to publish it. Until it is published, no other member knows the next seed.
    object struct SeedProof(any::SeedProof): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "SeedProof(signer={}, suite={})", self.signer(), self.suite());
    /// Creates a proof from its parts. Nothing is verified.
    /// [`Error::WrongContext`](quorate::Error) for Ed25519, whose signatures are not unique.
    quick fn new(signer: u16, signature: &Signature) -> Result<Self> {
        any::SeedProof::new(signer, signature.0.clone()).map(Self)
    }
    /// Signs a seed: this member's proof.
    /// [`Error::WrongContext`](quorate::Error) if the key belongs to no member, and for Ed25519, whose signatures are
    /// not unique.
    fn sign(secret: &SecretKey, committee: &Committee, seed: &Seed) -> Result<Self> {
        any::SeedProof::sign(&secret.0, &committee.0, &seed.0).map(Self)
    }
    /// Decodes a proof of that suite.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a proof.
    /// [`Error::WrongContext`](quorate::Error) for another suite.
    fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> { any::SeedProof::decode(suite, bytes).map(Self) }
    /// Returns the canonical encoding.
    quick fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Decodes the signature, where the signer is known.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a signature.
    /// [`Error::WrongContext`](quorate::Error) for another suite.
    fn decode_detached(suite: Suite, bytes: &[u8], signer: u16) -> Result<Self> {
        any::SeedProof::decode_detached(suite, bytes, signer).map(Self)
    }
    /// Returns the signature alone, for formats that contain the rest already.
    quick fn encode_detached(&self) -> Vec<u8> { self.0.encode_detached() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// The signer that the proof names.
    getter fn signer(&self) -> u16 { self.0.signer() }
    /// The signature.
    getter fn signature(&self) -> Signature { Signature(self.0.signature()) }
}

class! {
    /// One round's lottery among the members of a committee. Each member plays in secret, and a winner can prove that
    /// it won. Every member has the same chance, whatever its weight. It needs unique signatures: any suite but
    /// Ed25519.
    object struct Lottery(any::Lottery): Clone, Debug;
    shown |self, f| {
        let (height, round, expected) = (self.0.seed().height(), self.round(), self.expected());
        write!(f, "Lottery(height={height}, round={round}, expected={expected})")
    };
    module const EXPECTED_WINNERS: u16 = 7 == sortition::EXPECTED_WINNERS.get(),
        "Default average number of winners.";
    /// Creates the lottery of `round`, in which `expected` members win on average; 7 by default.
    /// [`Error::WrongContext`](quorate::Error) for a committee of Ed25519.
    quick fn new(
        committee: &Committee,
        seed: &Seed,
        round: u64,
        #[cfg_attr(binding, default = 7)] expected: Option<NonZeroU16>,
    ) -> Result<Self> {
        any::Lottery::new(&committee.0, seed.0, round, expected.unwrap_or(sortition::EXPECTED_WINNERS))
            .map(Self)
    }
    /// Returns this member's ticket, if it won. Cost: one multiplication, one signature.
    /// [`Error::WrongContext`](quorate::Error) if the key belongs to no member.
    fn draw(&self, secret: &SecretKey) -> Result<Option<VerifiedTicket>> {
        Ok(self.0.draw(&secret.0)?.map(VerifiedTicket))
    }
    /// The participating committee.
    getter fn committee(&self) -> Committee { Committee(self.0.committee()) }
    /// The seed.
    getter fn seed(&self) -> Seed { Seed(self.0.seed()) }
    /// The round.
    getter fn round(&self) -> u64 { self.0.round() }
    /// Average number of winners.
    getter fn expected(&self) -> u16 { self.0.expected().get() }
}

class! {
    /// A member's claim to have won. A decoded ticket is not verified yet.
    object struct Ticket(any::Ticket): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "Ticket({})", shown(&self.0));
    /// Creates a ticket from its parts. Nothing is verified.
    /// [`Error::WrongContext`](quorate::Error) for Ed25519, whose signatures are not unique.
    quick fn new(round: u64, member: u16, signature: &Signature) -> Result<Self> {
        any::Ticket::new(round, member, signature.0.clone()).map(Self)
    }
    /// Decodes a ticket of that suite.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a ticket.
    /// [`Error::WrongContext`](quorate::Error) for another suite.
    fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> { any::Ticket::decode(suite, bytes).map(Self) }
    /// Returns the canonical encoding.
    quick fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Decodes the signature of a ticket whose round and member are known.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a signature.
    /// [`Error::WrongContext`](quorate::Error) for another suite.
    fn decode_detached(suite: Suite, bytes: &[u8], round: u64, member: u16) -> Result<Self> {
        any::Ticket::decode_detached(suite, bytes, round, member).map(Self)
    }
    /// Returns the signature alone, for formats that contain the rest already.
    quick fn encode_detached(&self) -> Vec<u8> { self.0.encode_detached() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// Round of the lottery.
    getter fn round(&self) -> u64 { self.0.round() }
    /// Member that the ticket names.
    getter fn member(&self) -> u16 { self.0.member() }
    /// The proof.
    getter fn signature(&self) -> Signature { Signature(self.0.signature()) }
    /// Verifies that this member won this lottery. Cost: one subgroup check and a hash; for a winning ticket, also one
    /// hash to the curve and two pairings.
    /// [`Error::NotDrawn`](quorate::Error) for a ticket that does not win, before any pairing.
    /// [`Error::WrongContext`](quorate::Error) for another round.
    /// [`Error::BadSignature`](quorate::Error) if the proof is not the member's signature.
    /// [`Error::UnknownSigner`](quorate::Error) if the committee has no such member.
    slow fn verify(&self, lottery: &Lottery) -> Result<VerifiedTicket> {
        self.0.clone().verify(&lottery.0).map(VerifiedTicket)
    }
}

class! {
    /// A verified winning ticket. Only verification, or the draw itself, creates one.
    object struct VerifiedTicket(Verified<any::Ticket>): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "VerifiedTicket({})", shown(&self.0));
    /// The verified value.
    getter fn value(&self) -> Ticket { Ticket((*self.0).clone()) }
    /// Committee against which it was verified: compare it with the id of the current one.
    getter fn committee(&self) -> CommitteeId { CommitteeId(self.0.committee()) }
    /// Score of the ticket: the **smallest** score ranks first.
    getter fn score(&self) -> Score { Score(self.0.score()) }
}

class! {
    /// Score of a winning ticket: 32 pseudorandom bytes. The smallest score ranks first; scores compare as byte
    /// strings. Only a verified ticket has one.
    #[cfg_attr(binding, instead = "send its ticket and verify it there")]
    record hex struct Score(sortition::Score): Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| f.write_str(&hex::encode(self.bytes()));
    /// The 32 bytes.
    getter fn bytes(&self) -> [u8; 32] { *self.0.as_bytes() }
}

/// A ticket in texts, which its class and that of verified tickets share.
fn shown(ticket: &any::Ticket) -> String {
    format!("round={}, member={}, suite={}", ticket.round(), ticket.member(), ticket.suite())
}
