//! The same blocks with the suite chosen at run time: by a configuration file, by a peer's genesis, or by another
//! language. One type per concept; each is an enum of the typed ones, which can be matched out of it and put back
//! with `From`. (The keys and signatures of suites 4 and 5 have the types of those of suites 1 and 2: theirs are put back
//! as a variant.)
//!
//! What is put together must be of one suite. The typed blocks let the compiler see to that; here it is
//! [`Error::WrongContext`] with `what: "suite"`. **The caller names the suite that bytes are decoded as, never the
//! bytes**: a peer does not choose the cryptography.
//!
//! Threshold signatures, whose choice is of a group and a class besides, are in `threshold` (feature `threshold`).
//!
//! ```
//! use quorate::any::{Certificate, Committee, SecretKey, Suite, UnverifiedKey, Vote, VoteCollector};
//! use quorate::certificate::{Kind, Suspects};
//! use quorate::committee::ChainId;
//!
//! # fn main() -> quorate::Result<()> {
//! let suite = Suite::from_name("ed25519")?; // from a configuration file
//! let secrets = (0..4).map(|_| SecretKey::generate(suite, &mut getrandom::SysRng)).collect::<Result<Vec<_>, _>>()?;
//! let members = secrets.iter().map(|secret| Ok((UnverifiedKey::prove(secret).verify()?, 1)));
//! let committee = Committee::new(ChainId::from_name("example"), 0, members.collect::<quorate::Result<_>>()?)?;
//!
//! let statement = committee.statement(Kind::new(1), 7, [42; 32]);
//! let (mut collector, mut suspects) = (VoteCollector::new(&committee, Kind::new(1), 7), Suspects::new());
//! let mut certificate = None;
//! for secret in &secrets {
//!     let vote = Vote::sign_unguarded(secret, &committee, statement)?;
//!     certificate = certificate.or(collector.add(vote, &mut suspects)?.certificate);
//! }
//! let bytes = certificate.ok_or(quorate::Error::NotEvidence)?.encode();
//! assert_eq!(Certificate::decode(&bytes, &committee)?.verify(&committee)?.signers().len(), 3);
//! # Ok(()) }
//! ```

mod certificates;
mod committee;
mod evidence;
mod guard;
mod keys;
mod suite;
mod timeouts;
mod votes;

#[cfg(feature = "gossip")]
mod aggregates;
#[cfg(feature = "bls")]
pub mod bls;
#[cfg(feature = "sortition")]
mod lottery;
#[cfg(feature = "threshold")]
pub mod threshold;

#[cfg(feature = "gossip")]
pub use aggregates::{Aggregate, Gossip, Pool};
pub use certificates::Certificate;
pub use committee::Committee;
pub use evidence::{Conflict, Equivocation};
pub use guard::Guard;
pub use keys::{PublicKey, SecretKey, Signature, UnverifiedKey, VerifiedKey};
#[cfg(feature = "sortition")]
pub use lottery::{Lottery, SeedProof, Ticket};
pub use suite::Suite;
pub use timeouts::{TimeoutCertificate, TimeoutCollector, TimeoutVote};
pub use votes::{Collected, Vote, VoteCollector, VoteFault};

use alloc::vec::Vec;

use crate::committee::Verified;
use crate::scheme::Scheme;
use crate::wire::Reader;
use crate::{Error, Result};

/// Typed values of the scheme `S` among those of all suites. That is what `From` and `TryFrom` say too, where types tell
/// suites apart. Those of keys and signatures do not: suites 4 and 5 have the ones of 1 and 2, so the scheme must be
/// named.
pub(crate) trait Of<S: Scheme>: Sized {
    /// What there is of that scheme.
    type Typed;

    /// As a value of any suite.
    fn of(typed: Self::Typed) -> Self;

    /// Back.
    fn into_typed(self) -> Result<Self::Typed>;

    /// A look at it.
    fn as_typed(&self) -> Result<&Self::Typed>;
}

/// A typed value of `S` as one of any suite.
fn any_of<S: Scheme, A: Of<S>>(typed: A::Typed) -> A {
    A::of(typed)
}

/// The typed value of `S` that this one must be.
fn typed<S: Scheme, A: Of<S>>(any: A) -> Result<A::Typed> {
    any.into_typed()
}

/// As [`typed`], to look at.
fn as_typed<S: Scheme, A: Of<S>>(any: &A) -> Result<&A::Typed> {
    any.as_typed()
}

/// An enum with one variant per suite, and the ways into it and out of it.
macro_rules! per_suite {
    ($(#[$doc:meta])* $name:ident, $of:ident) => {
        $crate::any::per_suite!(keys: $(#[$doc])* $name, $of);
        #[cfg(feature = "gossip")]
        $crate::any::conversions!($name, MinSigCounted, $of<$crate::bls::Counted<$crate::bls::MinSig>>);
        #[cfg(feature = "gossip")]
        $crate::any::conversions!($name, MinPkCounted, $of<$crate::bls::Counted<$crate::bls::MinPk>>);
    };
    // Where the types of suites 4 and 5 are those of 1 and 2: from those comes a value of suite 1 or 2.
    (keys: $(#[$doc:meta])* $name:ident, $of:ident) => {
        $(#[$doc])*
        pub enum $name {
            /// BLS12-381 with short signatures.
            #[cfg(feature = "bls")]
            MinSig($of<$crate::bls::MinSig>),
            /// BLS12-381 with short keys.
            #[cfg(feature = "bls")]
            MinPk($of<$crate::bls::MinPk>),
            /// Ed25519.
            #[cfg(feature = "ed25519")]
            Ed25519($of<$crate::ed25519::Ed25519>),
            /// BLS12-381 with short signatures, whose sums count.
            #[cfg(feature = "gossip")]
            MinSigCounted($of<$crate::bls::Counted<$crate::bls::MinSig>>),
            /// BLS12-381 with short keys, whose signatures' sums count.
            #[cfg(feature = "gossip")]
            MinPkCounted($of<$crate::bls::Counted<$crate::bls::MinPk>>),
        }

        #[cfg(feature = "bls")]
        $crate::any::conversions!($name, MinSig, $of<$crate::bls::MinSig>);
        #[cfg(feature = "bls")]
        $crate::any::conversions!($name, MinPk, $of<$crate::bls::MinPk>);
        #[cfg(feature = "ed25519")]
        $crate::any::conversions!($name, Ed25519, $of<$crate::ed25519::Ed25519>);

        #[cfg(feature = "bls")]
        $crate::any::of_scheme!($name, MinSig, $of, $crate::bls::MinSig);
        #[cfg(feature = "bls")]
        $crate::any::of_scheme!($name, MinPk, $of, $crate::bls::MinPk);
        #[cfg(feature = "ed25519")]
        $crate::any::of_scheme!($name, Ed25519, $of, $crate::ed25519::Ed25519);
        #[cfg(feature = "gossip")]
        $crate::any::of_scheme!($name, MinSigCounted, $of, $crate::bls::Counted<$crate::bls::MinSig>);
        #[cfg(feature = "gossip")]
        $crate::any::of_scheme!($name, MinPkCounted, $of, $crate::bls::Counted<$crate::bls::MinPk>);

        impl $name {
            /// Of which suite it is.
            pub fn suite(&self) -> $crate::any::Suite {
                match self {
                    #[cfg(feature = "bls")]
                    $name::MinSig(_) => $crate::any::Suite::MinSig,
                    #[cfg(feature = "bls")]
                    $name::MinPk(_) => $crate::any::Suite::MinPk,
                    #[cfg(feature = "ed25519")]
                    $name::Ed25519(_) => $crate::any::Suite::Ed25519,
                    #[cfg(feature = "gossip")]
                    $name::MinSigCounted(_) => $crate::any::Suite::MinSigCounted,
                    #[cfg(feature = "gossip")]
                    $name::MinPkCounted(_) => $crate::any::Suite::MinPkCounted,
                }
            }
        }
    };
}

/// [`Of`] for one scheme.
macro_rules! of_scheme {
    ($name:ident, $variant:ident, $of:ident, $scheme:ty) => {
        impl $crate::any::Of<$scheme> for $name {
            type Typed = $of<$scheme>;

            fn of(typed: Self::Typed) -> Self {
                $name::$variant(typed)
            }

            #[allow(unreachable_patterns, reason = "with one suite compiled in there is one variant")]
            fn into_typed(self) -> $crate::Result<Self::Typed> {
                match self {
                    $name::$variant(typed) => Ok(typed),
                    _ => Err($crate::any::wrong_suite()),
                }
            }

            #[allow(unreachable_patterns, reason = "with one suite compiled in there is one variant")]
            fn as_typed(&self) -> $crate::Result<&Self::Typed> {
                match self {
                    $name::$variant(typed) => Ok(typed),
                    _ => Err($crate::any::wrong_suite()),
                }
            }
        }
    };
}

/// `From` the typed value, and `TryFrom` back.
macro_rules! conversions {
    ($name:ident, $variant:ident, $typed:ty) => {
        $crate::any::conversions!($name, $variant, $typed, $crate::any::wrong_suite());
    };
    ($name:ident, $variant:ident, $typed:ty, $wrong:expr) => {
        impl From<$typed> for $name {
            fn from(typed: $typed) -> Self {
                $name::$variant(typed)
            }
        }

        impl TryFrom<$name> for $typed {
            type Error = $crate::Error;

            #[allow(unreachable_patterns, reason = "with one suite compiled in there is one variant")]
            fn try_from(any: $name) -> $crate::Result<Self> {
                match any {
                    $name::$variant(typed) => Ok(typed),
                    _ => Err($wrong),
                }
            }
        }

        impl<'a> TryFrom<&'a $name> for &'a $typed {
            type Error = $crate::Error;

            #[allow(unreachable_patterns, reason = "with one suite compiled in there is one variant")]
            fn try_from(any: &'a $name) -> $crate::Result<Self> {
                match any {
                    $name::$variant(typed) => Ok(typed),
                    _ => Err($wrong),
                }
            }
        }
    };
}

/// Does the same with the typed value of whichever suite it is; `$scheme` names the scheme in it.
macro_rules! each {
    ($any:expr, $name:ident, $scheme:ident, $typed:pat => $body:expr) => {
        match $any {
            #[cfg(feature = "bls")]
            $name::MinSig($typed) => {
                #[allow(dead_code, reason = "not every body names the scheme")]
                type $scheme = $crate::bls::MinSig;
                $body
            }
            #[cfg(feature = "bls")]
            $name::MinPk($typed) => {
                #[allow(dead_code, reason = "not every body names the scheme")]
                type $scheme = $crate::bls::MinPk;
                $body
            }
            #[cfg(feature = "ed25519")]
            $name::Ed25519($typed) => {
                #[allow(dead_code, reason = "not every body names the scheme")]
                type $scheme = $crate::ed25519::Ed25519;
                $body
            }
            #[cfg(feature = "gossip")]
            $name::MinSigCounted($typed) => {
                #[allow(dead_code, reason = "not every body names the scheme")]
                type $scheme = $crate::bls::Counted<$crate::bls::MinSig>;
                $body
            }
            #[cfg(feature = "gossip")]
            $name::MinPkCounted($typed) => {
                #[allow(dead_code, reason = "not every body names the scheme")]
                type $scheme = $crate::bls::Counted<$crate::bls::MinPk>;
                $body
            }
        }
    };
}

/// Does the same with the scheme of a suite under the name `$scheme`.
macro_rules! with_scheme {
    ($suite:expr, $scheme:ident => $body:expr) => {
        match $suite {
            #[cfg(feature = "bls")]
            $crate::any::Suite::MinSig => {
                type $scheme = $crate::bls::MinSig;
                $body
            }
            #[cfg(feature = "bls")]
            $crate::any::Suite::MinPk => {
                type $scheme = $crate::bls::MinPk;
                $body
            }
            #[cfg(feature = "ed25519")]
            $crate::any::Suite::Ed25519 => {
                type $scheme = $crate::ed25519::Ed25519;
                $body
            }
            #[cfg(feature = "gossip")]
            $crate::any::Suite::MinSigCounted => {
                type $scheme = $crate::bls::Counted<$crate::bls::MinSig>;
                $body
            }
            #[cfg(feature = "gossip")]
            $crate::any::Suite::MinPkCounted => {
                type $scheme = $crate::bls::Counted<$crate::bls::MinPk>;
                $body
            }
        }
    };
}

pub(crate) use {conversions, each, of_scheme, per_suite, with_scheme};

fn wrong_suite() -> Error {
    Error::WrongContext { what: "suite" }
}

/// The checked typed value as a checked value of any suite.
fn lift<T, U: From<T>>(verified: Verified<T>) -> Verified<U> {
    let committee = verified.committee();
    Verified::assume(verified.into_inner().into(), committee)
}

/// The other way.
fn lower<T: TryFrom<U, Error = Error>, U>(verified: Verified<U>) -> Result<Verified<T>> {
    let committee = verified.committee();
    Ok(Verified::assume(verified.into_inner().try_into()?, committee))
}

/// Checks those that are of the suite, and puts the verdicts where the others left gaps.
fn batch<T: TryFrom<U>, U: From<T>>(
    all: Vec<U>,
    verify: impl FnOnce(Vec<T>) -> Vec<Result<Verified<T>>>,
) -> Vec<Result<Verified<U>>> {
    let typed: Vec<_> = all.into_iter().map(|any| T::try_from(any).ok()).collect();
    let fits: Vec<bool> = typed.iter().map(Option::is_some).collect();
    let mut verdicts = verify(typed.into_iter().flatten().collect()).into_iter();
    let verdict = |fits| match fits {
        true => verdicts.next().unwrap_or_else(|| Err(wrong_suite())).map(lift),
        false => Err(wrong_suite()),
    };
    fits.into_iter().map(verdict).collect()
}

/// What `read` makes of exactly `bytes`.
fn whole<T>(bytes: &[u8], read: impl FnOnce(&mut Reader<'_>) -> Result<T>) -> Result<T> {
    let mut reader = Reader::new(bytes);
    let value = read(&mut reader)?;
    reader.finish()?;
    Ok(value)
}

/// What `write` writes.
fn written(write: impl FnOnce(&mut crate::wire::Writer)) -> Vec<u8> {
    let mut writer = crate::wire::Writer::new();
    write(&mut writer);
    writer.into_bytes()
}
