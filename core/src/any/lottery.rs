use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU16;

use super::committee::Committee;
use super::dispatch::{any_of, as_typed, conversions, lift, whole, written, wrong_suite};
use super::keys::{SecretKey, Signature};
use super::suite::Suite;
use crate::Result;
use crate::bls::{MinPk, MinSig};
use crate::committee::Verified;
use crate::machine::MemberIndex;
use crate::sortition::{self, Score, Seed};
use crate::wire::{Decode, Encode};

#[cfg(feature = "gossip")]
use crate::bls::Counted;

type LotteryOf<S> = sortition::Lottery<S>;
type TicketOf<S> = sortition::Ticket<S>;
type ProofOf<S> = sortition::SeedProof<S>;

/// Defines an enum with one variant per suite of unique signatures.
macro_rules! per_vrf {
    ($(#[$doc:meta])* $name:ident, $of:ident) => {
        $(#[$doc])*
        pub enum $name {
            /// BLS12-381 with short signatures.
            MinSig($of<MinSig>),
            /// BLS12-381 with short keys.
            MinPk($of<MinPk>),
            /// BLS12-381 with short signatures, merged with counts.
            #[cfg(feature = "gossip")]
            MinSigCounted($of<Counted<MinSig>>),
            /// BLS12-381 with short keys, merged with counts.
            #[cfg(feature = "gossip")]
            MinPkCounted($of<Counted<MinPk>>),
        }

        conversions!($name, MinSig, $of<MinSig>);
        conversions!($name, MinPk, $of<MinPk>);
        #[cfg(feature = "gossip")]
        conversions!($name, MinSigCounted, $of<Counted<MinSig>>);
        #[cfg(feature = "gossip")]
        conversions!($name, MinPkCounted, $of<Counted<MinPk>>);

        impl $name {
            /// Returns the suite.
            pub fn suite(&self) -> Suite {
                match self {
                    $name::MinSig(_) => Suite::MinSig,
                    $name::MinPk(_) => Suite::MinPk,
                    #[cfg(feature = "gossip")]
                    $name::MinSigCounted(_) => Suite::MinSigCounted,
                    #[cfg(feature = "gossip")]
                    $name::MinPkCounted(_) => Suite::MinPkCounted,
                }
            }
        }
    };
}

/// Evaluates `$body` with the typed value; `$rest` is for enums that have other suites too.
macro_rules! each_vrf {
    ($any:expr, $name:ident, $scheme:ident, $typed:pat => $body:expr $(, $rest:pat => $other:expr)?) => {
        match $any {
            $name::MinSig($typed) => {
                #[allow(dead_code, reason = "not every body names the scheme")]
                type $scheme = MinSig;
                $body
            }
            $name::MinPk($typed) => {
                #[allow(dead_code, reason = "not every body names the scheme")]
                type $scheme = MinPk;
                $body
            }
            #[cfg(feature = "gossip")]
            $name::MinSigCounted($typed) => {
                #[allow(dead_code, reason = "not every body names the scheme")]
                type $scheme = Counted<MinSig>;
                $body
            }
            #[cfg(feature = "gossip")]
            $name::MinPkCounted($typed) => {
                #[allow(dead_code, reason = "not every body names the scheme")]
                type $scheme = Counted<MinPk>;
                $body
            }
            $(#[allow(unreachable_patterns, reason = "without Ed25519 there is no other")] $rest => $other,)?
        }
    };
}

/// Evaluates `$body` with the scheme of a suite, if its signatures are unique.
macro_rules! with_vrf {
    ($suite:expr, $scheme:ident => $body:expr) => {
        match $suite {
            Suite::MinSig => {
                type $scheme = MinSig;
                $body
            }
            Suite::MinPk => {
                type $scheme = MinPk;
                $body
            }
            #[cfg(feature = "gossip")]
            Suite::MinSigCounted => {
                type $scheme = Counted<MinSig>;
                $body
            }
            #[cfg(feature = "gossip")]
            Suite::MinPkCounted => {
                type $scheme = Counted<MinPk>;
                $body
            }
            #[allow(unreachable_patterns, reason = "without Ed25519 there is no other")]
            _ => Err(wrong_suite()),
        }
    };
}

per_vrf! {
    /// One round's lottery among the members of a committee, see [`sortition::Lottery`].
    #[derive(Clone)]
    Lottery, LotteryOf
}

per_vrf! {
    /// A member's claim to have won, see [`sortition::Ticket`].
    #[derive(Clone, PartialEq, Eq)]
    Ticket, TicketOf
}

per_vrf! {
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
        each_vrf!(committee, Committee, S, committee => {
            Ok(LotteryOf::<S>::new(Arc::clone(committee), seed, round, expected).into())
        }, _ => Err(wrong_suite()))
    }

    /// Draws this member's ticket; `None` if it did not win.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the key belongs to no member or to another suite.
    pub fn draw(&self, secret: &SecretKey) -> Result<Option<Verified<Ticket>>> {
        each_vrf!(self, Lottery, S, lottery => {
            Ok(lottery.draw(as_typed::<S, _>(secret)?)?.map(lift))
        })
    }

    /// Returns the committee.
    pub fn committee(&self) -> Committee {
        each_vrf!(self, Lottery, S, lottery => Arc::clone(lottery.committee()).into())
    }

    /// Returns the seed.
    pub fn seed(&self) -> Seed {
        each_vrf!(self, Lottery, S, lottery => lottery.seed())
    }

    /// Returns the round.
    pub fn round(&self) -> u64 {
        each_vrf!(self, Lottery, S, lottery => lottery.round())
    }

    /// Returns the average number of winners.
    pub fn expected(&self) -> NonZeroU16 {
        each_vrf!(self, Lottery, S, lottery => lottery.expected())
    }
}

impl fmt::Debug for Lottery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_vrf!(self, Lottery, S, lottery => lottery.fmt(f))
    }
}

impl Ticket {
    /// Creates a ticket from its parts, without verification.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) for an Ed25519 signature.
    pub fn new(round: u64, member: MemberIndex, signature: Signature) -> Result<Self> {
        each_vrf!(signature, Signature, S, signature => {
            Ok(TicketOf::<S>::new(round, member, signature).into())
        }, _ => Err(wrong_suite()))
    }

    /// Decodes a ticket of a suite.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the bytes name another suite, and decoding errors.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_vrf!(suite, S => TicketOf::<S>::decode(bytes, &()).map(Self::from))
    }

    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> {
        each_vrf!(self, Ticket, S, ticket => ticket.encode())
    }

    /// Decodes the signature of a ticket whose round and member are known.
    ///
    /// # Errors
    /// As [`decode`](Ticket::decode).
    pub fn decode_detached(suite: Suite, bytes: &[u8], round: u64, member: MemberIndex) -> Result<Self> {
        with_vrf!(suite, S => {
            whole(bytes, |r| TicketOf::<S>::decode_detached(r, round, member)).map(Self::from)
        })
    }

    /// Returns the signature alone, for formats that contain the other fields already.
    pub fn encode_detached(&self) -> Vec<u8> {
        each_vrf!(self, Ticket, S, ticket => written(|w| ticket.encode_detached(w)))
    }

    /// Returns the round.
    pub fn round(&self) -> u64 {
        each_vrf!(self, Ticket, S, ticket => ticket.round())
    }

    /// Returns the claimed member.
    pub fn member(&self) -> MemberIndex {
        each_vrf!(self, Ticket, S, ticket => ticket.member())
    }

    /// Returns the signature.
    pub fn signature(&self) -> Signature {
        each_vrf!(self, Ticket, S, ticket => any_of::<S, _>(ticket.signature().clone()))
    }

    /// Verifies that this member won this lottery, see [`sortition::Ticket::verify`] for the order and the cost.
    ///
    /// # Errors
    /// As [`sortition::Ticket::verify`].
    pub fn verify(self, lottery: &Lottery) -> Result<Verified<Self>> {
        each_vrf!(self, Ticket, S, ticket => ticket.verify(lottery.try_into()?).map(lift))
    }

    /// Verifies as [`verify`](Ticket::verify), but by reference.
    ///
    /// # Errors
    /// As [`verify`](Ticket::verify).
    pub fn check(&self, lottery: &Lottery) -> Result<()> {
        each_vrf!(self, Ticket, S, ticket => ticket.check(lottery.try_into()?))
    }
}

impl Verified<Ticket> {
    /// Returns the score of the ticket: the smallest is the best.
    pub fn score(&self) -> Score {
        each_vrf!(&**self, Ticket, S, ticket => Score::from_signature(&ticket.signature().encode()))
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_vrf!(self, Ticket, S, ticket => ticket.fmt(f))
    }
}

impl SeedProof {
    /// Creates a proof from its parts, without verification.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) for an Ed25519 signature.
    pub fn new(signer: MemberIndex, signature: Signature) -> Result<Self> {
        each_vrf!(signature, Signature, S, signature => {
            Ok(ProofOf::<S>::new(signer, signature).into())
        }, _ => Err(wrong_suite()))
    }

    /// Signs this member's proof for a seed.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the key belongs to no member or to another suite, or for a
    /// committee of Ed25519 keys.
    pub fn sign(secret: &SecretKey, committee: &Committee, seed: &Seed) -> Result<Self> {
        each_vrf!(committee, Committee, S, committee => {
            ProofOf::<S>::sign(as_typed::<S, _>(secret)?, committee, seed).map(Self::from)
        }, _ => Err(wrong_suite()))
    }

    /// Returns the seed after `seed`, see [`Seed::next`].
    ///
    /// # Errors
    /// As [`Seed::next`], and [`WrongContext`](crate::Error::WrongContext) for a committee of another suite.
    pub fn next_seed(&self, seed: &Seed, committee: &Committee) -> Result<Seed> {
        each_vrf!(self, SeedProof, S, proof => seed.next(proof, committee.try_into()?))
    }

    /// Decodes a proof of a suite.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the bytes name another suite, and decoding errors.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_vrf!(suite, S => ProofOf::<S>::decode(bytes, &()).map(Self::from))
    }

    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> {
        each_vrf!(self, SeedProof, S, proof => proof.encode())
    }

    /// Decodes the signature of a known member.
    ///
    /// # Errors
    /// As [`decode`](SeedProof::decode).
    pub fn decode_detached(suite: Suite, bytes: &[u8], signer: MemberIndex) -> Result<Self> {
        with_vrf!(suite, S => whole(bytes, |r| ProofOf::<S>::decode_detached(r, signer)).map(Self::from))
    }

    /// Returns the signature alone, for formats that contain the other fields already.
    pub fn encode_detached(&self) -> Vec<u8> {
        each_vrf!(self, SeedProof, S, proof => written(|w| proof.encode_detached(w)))
    }

    /// Returns the claimed signer.
    pub fn signer(&self) -> MemberIndex {
        each_vrf!(self, SeedProof, S, proof => proof.signer())
    }

    /// Returns the signature.
    pub fn signature(&self) -> Signature {
        each_vrf!(self, SeedProof, S, proof => any_of::<S, _>(proof.signature().clone()))
    }
}

impl fmt::Debug for SeedProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_vrf!(self, SeedProof, S, proof => proof.fmt(f))
    }
}
