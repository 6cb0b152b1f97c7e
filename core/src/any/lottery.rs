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

/// An enum with one variant per suite of unique signatures.
macro_rules! per_vrf {
    ($(#[$doc:meta])* $name:ident, $of:ident) => {
        $(#[$doc])*
        pub enum $name {
            /// BLS12-381 with short signatures.
            MinSig($of<MinSig>),
            /// BLS12-381 with short keys.
            MinPk($of<MinPk>),
            /// BLS12-381 with short signatures, whose sums count.
            #[cfg(feature = "gossip")]
            MinSigCounted($of<Counted<MinSig>>),
            /// BLS12-381 with short keys, whose signatures' sums count.
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
            /// Of which suite it is.
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

/// Does the same with the typed value; `$rest` is for enums that have other suites too.
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

/// Does the same with the scheme of a suite, if its signatures are unique.
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
    /// A member's signature on a seed, whose hash is the next one, see [`sortition::SeedProof`].
    #[derive(Clone, PartialEq, Eq)]
    SeedProof, ProofOf
}

impl Lottery {
    /// The lottery of `round`, in which `expected` members win on average.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) for a committee of Ed25519, whose signatures are not unique.
    pub fn new(committee: &Committee, seed: Seed, round: u64, expected: NonZeroU16) -> Result<Self> {
        each_vrf!(committee, Committee, S, committee => {
            Ok(LotteryOf::<S>::new(Arc::clone(committee), seed, round, expected).into())
        }, _ => Err(wrong_suite()))
    }

    /// This member's ticket, if it won.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the key is no member's, or of another suite.
    pub fn draw(&self, secret: &SecretKey) -> Result<Option<Verified<Ticket>>> {
        each_vrf!(self, Lottery, S, lottery => {
            Ok(lottery.draw(as_typed::<S, _>(secret)?)?.map(lift))
        })
    }

    /// Among whom.
    pub fn committee(&self) -> Committee {
        each_vrf!(self, Lottery, S, lottery => Arc::clone(lottery.committee()).into())
    }

    /// The seed.
    pub fn seed(&self) -> Seed {
        each_vrf!(self, Lottery, S, lottery => lottery.seed())
    }

    /// The round.
    pub fn round(&self) -> u64 {
        each_vrf!(self, Lottery, S, lottery => lottery.round())
    }

    /// How many win on average.
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
    /// Puts a ticket together from its parts. Nothing is checked.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) for a signature of Ed25519.
    pub fn new(round: u64, member: MemberIndex, signature: Signature) -> Result<Self> {
        each_vrf!(signature, Signature, S, signature => {
            Ok(TicketOf::<S>::new(round, member, signature).into())
        }, _ => Err(wrong_suite()))
    }

    /// Reads a ticket of that suite.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the bytes name another suite, and what is wrong with them.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_vrf!(suite, S => TicketOf::<S>::decode(bytes, &()).map(Self::from))
    }

    /// The canonical bytes.
    pub fn encode(&self) -> Vec<u8> {
        each_vrf!(self, Ticket, S, ticket => ticket.encode())
    }

    /// Reads the signature of a ticket whose round and member are known.
    ///
    /// # Errors
    /// As [`decode`](Ticket::decode).
    pub fn decode_detached(suite: Suite, bytes: &[u8], round: u64, member: MemberIndex) -> Result<Self> {
        with_vrf!(suite, S => {
            whole(bytes, |r| TicketOf::<S>::decode_detached(r, round, member)).map(Self::from)
        })
    }

    /// The signature alone, for formats that hold the rest already.
    pub fn encode_detached(&self) -> Vec<u8> {
        each_vrf!(self, Ticket, S, ticket => written(|w| ticket.encode_detached(w)))
    }

    /// Of which round.
    pub fn round(&self) -> u64 {
        each_vrf!(self, Ticket, S, ticket => ticket.round())
    }

    /// Whose it is, or claims to be.
    pub fn member(&self) -> MemberIndex {
        each_vrf!(self, Ticket, S, ticket => ticket.member())
    }

    /// The proof.
    pub fn signature(&self) -> Signature {
        each_vrf!(self, Ticket, S, ticket => any_of::<S, _>(ticket.signature().clone()))
    }

    /// Checks that this member won this lottery, see [`sortition::Ticket::verify`] for the order and the cost.
    ///
    /// # Errors
    /// As there.
    pub fn verify(self, lottery: &Lottery) -> Result<Verified<Self>> {
        each_vrf!(self, Ticket, S, ticket => ticket.verify(lottery.try_into()?).map(lift))
    }

    /// As [`verify`](Ticket::verify), for a ticket that stays where it is.
    ///
    /// # Errors
    /// As [`verify`](Ticket::verify).
    pub fn check(&self, lottery: &Lottery) -> Result<()> {
        each_vrf!(self, Ticket, S, ticket => ticket.check(lottery.try_into()?))
    }
}

impl Verified<Ticket> {
    /// What the ticket is worth: the smallest score is the best.
    pub fn score(&self) -> Score {
        each_vrf!(&**self, Ticket, S, ticket => Score::of(&ticket.signature().encode()))
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_vrf!(self, Ticket, S, ticket => ticket.fmt(f))
    }
}

impl SeedProof {
    /// Puts a proof together from its parts. Nothing is checked.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) for a signature of Ed25519.
    pub fn new(signer: MemberIndex, signature: Signature) -> Result<Self> {
        each_vrf!(signature, Signature, S, signature => {
            Ok(ProofOf::<S>::new(signer, signature).into())
        }, _ => Err(wrong_suite()))
    }

    /// This member's proof for a seed.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the key is no member's, or of another suite, or for a committee of
    /// Ed25519.
    pub fn sign(secret: &SecretKey, committee: &Committee, seed: &Seed) -> Result<Self> {
        each_vrf!(committee, Committee, S, committee => {
            ProofOf::<S>::sign(as_typed::<S, _>(secret)?, committee, seed).map(Self::from)
        }, _ => Err(wrong_suite()))
    }

    /// The seed that follows `seed`, see [`Seed::next`].
    ///
    /// # Errors
    /// As there, and [`WrongContext`](crate::Error::WrongContext) for a committee of another suite.
    pub fn next_seed(&self, seed: &Seed, committee: &Committee) -> Result<Seed> {
        each_vrf!(self, SeedProof, S, proof => seed.next(proof, committee.try_into()?))
    }

    /// Reads a proof of that suite.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the bytes name another suite, and what is wrong with them.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_vrf!(suite, S => ProofOf::<S>::decode(bytes, &()).map(Self::from))
    }

    /// The canonical bytes.
    pub fn encode(&self) -> Vec<u8> {
        each_vrf!(self, SeedProof, S, proof => proof.encode())
    }

    /// Reads the signature of a member who is known.
    ///
    /// # Errors
    /// As [`decode`](SeedProof::decode).
    pub fn decode_detached(suite: Suite, bytes: &[u8], signer: MemberIndex) -> Result<Self> {
        with_vrf!(suite, S => whole(bytes, |r| ProofOf::<S>::decode_detached(r, signer)).map(Self::from))
    }

    /// The signature alone, for formats that hold the rest already.
    pub fn encode_detached(&self) -> Vec<u8> {
        each_vrf!(self, SeedProof, S, proof => written(|w| proof.encode_detached(w)))
    }

    /// Whose it is, or claims to be.
    pub fn signer(&self) -> MemberIndex {
        each_vrf!(self, SeedProof, S, proof => proof.signer())
    }

    /// The signature.
    pub fn signature(&self) -> Signature {
        each_vrf!(self, SeedProof, S, proof => any_of::<S, _>(proof.signature().clone()))
    }
}

impl fmt::Debug for SeedProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_vrf!(self, SeedProof, S, proof => proof.fmt(f))
    }
}
