//! Macros and helpers that dispatch from the types of this module to the typed ones.

use alloc::vec::Vec;

use crate::committee::Verified;
use crate::scheme::Scheme;
use crate::wire::{Reader, Writer};
use crate::{Error, Result};

/// Conversion between a type of this module and the typed value of the scheme `S`.
///
/// `From` and `TryFrom` suffice where each suite has its own type. For keys and signatures they do not, because suites 4
/// and 5 share the types of suites 1 and 2, so the conversion must name the scheme.
pub(crate) trait ForScheme<S: Scheme>: Sized {
    /// The typed value.
    type Typed;

    /// Converts from the typed value.
    fn from_typed(typed: Self::Typed) -> Self;

    /// Converts into the typed value; fails for a value of another suite.
    fn into_typed(self) -> Result<Self::Typed>;

    /// Borrows the typed value; fails for a value of another suite.
    fn as_typed(&self) -> Result<&Self::Typed>;
}

/// Converts a typed value of the scheme `S` into a value of any suite.
pub(crate) fn any_of<S: Scheme, A: ForScheme<S>>(typed: A::Typed) -> A {
    A::from_typed(typed)
}

/// Converts a value of any suite into the typed value of the scheme `S`.
pub(crate) fn typed<S: Scheme, A: ForScheme<S>>(any: A) -> Result<A::Typed> {
    any.into_typed()
}

/// Borrows the typed value of the scheme `S`.
pub(crate) fn as_typed<S: Scheme, A: ForScheme<S>>(any: &A) -> Result<&A::Typed> {
    any.as_typed()
}

/// Defines an enum with one variant per suite, and its conversions.
macro_rules! per_suite {
    ($(#[$doc:meta])* $name:ident, $of:ident) => {
        $crate::any::per_suite!(keys: $(#[$doc])* $name, $of);
        #[cfg(feature = "gossip")]
        $crate::any::conversions!($name, MinSigCounted, $of<$crate::bls::Counted<$crate::bls::MinSig>>);
        #[cfg(feature = "gossip")]
        $crate::any::conversions!($name, MinPkCounted, $of<$crate::bls::Counted<$crate::bls::MinPk>>);
    };
    // For keys and signatures, whose types suites 4 and 5 share with 1 and 2: `From` gives a value of suite 1 or 2.
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
            /// BLS12-381 with short signatures and sums with counts.
            #[cfg(feature = "gossip")]
            MinSigCounted($of<$crate::bls::Counted<$crate::bls::MinSig>>),
            /// BLS12-381 with short keys and sums with counts.
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
        $crate::any::for_scheme!($name, MinSig, $of, $crate::bls::MinSig);
        #[cfg(feature = "bls")]
        $crate::any::for_scheme!($name, MinPk, $of, $crate::bls::MinPk);
        #[cfg(feature = "ed25519")]
        $crate::any::for_scheme!($name, Ed25519, $of, $crate::ed25519::Ed25519);
        #[cfg(feature = "gossip")]
        $crate::any::for_scheme!($name, MinSigCounted, $of, $crate::bls::Counted<$crate::bls::MinSig>);
        #[cfg(feature = "gossip")]
        $crate::any::for_scheme!($name, MinPkCounted, $of, $crate::bls::Counted<$crate::bls::MinPk>);

        impl $name {
            /// Returns the suite of this value.
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

/// Implements [`ForScheme`] for one scheme.
macro_rules! for_scheme {
    ($name:ident, $variant:ident, $of:ident, $scheme:ty) => {
        impl $crate::any::ForScheme<$scheme> for $name {
            type Typed = $of<$scheme>;

            fn from_typed(typed: Self::Typed) -> Self {
                $name::$variant(typed)
            }

            #[allow(unreachable_patterns, reason = "there is only one variant if one suite is compiled in")]
            fn into_typed(self) -> $crate::Result<Self::Typed> {
                match self {
                    $name::$variant(typed) => Ok(typed),
                    other => Err($crate::any::mismatched_suite(
                        $crate::any::Suite::$variant.number(),
                        other.suite().number(),
                    )),
                }
            }

            #[allow(unreachable_patterns, reason = "there is only one variant if one suite is compiled in")]
            fn as_typed(&self) -> $crate::Result<&Self::Typed> {
                match self {
                    $name::$variant(typed) => Ok(typed),
                    other => Err($crate::any::mismatched_suite(
                        $crate::any::Suite::$variant.number(),
                        other.suite().number(),
                    )),
                }
            }
        }
    };
}

/// Implements `From` for the typed value and `TryFrom` back.
macro_rules! conversions {
    ($name:ident, $variant:ident, $typed:ty) => {
        $crate::any::conversions!(
            $name, $variant, $typed,
            other => $crate::any::mismatched_suite($crate::any::Suite::$variant.number(), other.suite().number())
        );
    };
    ($name:ident, $variant:ident, $typed:ty, $other:ident => $wrong:expr) => {
        impl From<$typed> for $name {
            fn from(typed: $typed) -> Self {
                $name::$variant(typed)
            }
        }

        impl TryFrom<$name> for $typed {
            type Error = $crate::Error;

            #[allow(unreachable_patterns, reason = "there is only one variant if one suite is compiled in")]
            fn try_from(any: $name) -> $crate::Result<Self> {
                match any {
                    $name::$variant(typed) => Ok(typed),
                    $other => Err($wrong),
                }
            }
        }

        impl<'a> TryFrom<&'a $name> for &'a $typed {
            type Error = $crate::Error;

            #[allow(unreachable_patterns, reason = "there is only one variant if one suite is compiled in")]
            fn try_from(any: &'a $name) -> $crate::Result<Self> {
                match any {
                    $name::$variant(typed) => Ok(typed),
                    $other => Err($wrong),
                }
            }
        }
    };
    ($name:ident, $variant:ident, $typed:ty, $wrong:expr) => {
        $crate::any::conversions!($name, $variant, $typed, _other => $wrong);
    };
}

/// Evaluates an expression with the typed value of any suite; `$scheme` names its scheme.
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

pub(crate) use {conversions, each, for_scheme, per_suite};

/// Returns the error for a value of the suite with the number `actual` where `expected` is required.
pub(crate) fn mismatched_suite(expected: u8, actual: u8) -> Error {
    Error::Mismatch { what: "suite", expected: expected.into(), actual: actual.into() }
}

/// Returns the error for a value of a suite that does not support the operation.
pub(crate) fn wrong_suite() -> Error {
    Error::WrongContext { what: "suite" }
}

/// Converts a verified typed value into a verified value of any suite.
pub(crate) fn lift<T, U: From<T>>(verified: Verified<T>) -> Verified<U> {
    let committee = verified.committee();
    Verified::assume(verified.into_inner().into(), committee)
}

/// Converts a verified value of any suite into a verified typed value.
pub(crate) fn lower<T: TryFrom<U, Error = Error>, U>(verified: Verified<U>) -> Result<Verified<T>> {
    let committee = verified.committee();
    Ok(Verified::assume(verified.into_inner().try_into()?, committee))
}

/// Verifies the values of the suite together and returns a result for each value, in their order.
pub(crate) fn batch<T: TryFrom<U, Error = Error>, U: From<T>>(
    all: Vec<U>,
    verify: impl FnOnce(Vec<T>) -> Vec<Result<Verified<T>>>,
) -> Vec<Result<Verified<U>>> {
    let (mut typed, mut errors) = (Vec::new(), Vec::new());
    for any in all {
        match T::try_from(any) {
            Ok(value) => {
                typed.push(value);
                errors.push(None);
            }
            Err(error) => errors.push(Some(error)),
        }
    }
    let mut verdicts = verify(typed).into_iter();
    let verdict = |error| match error {
        Some(error) => Err(error),
        None => verdicts.next().unwrap_or_else(|| Err(wrong_suite())).map(lift),
    };
    errors.into_iter().map(verdict).collect()
}

/// Decodes a value with `read`, which must consume `bytes` exactly.
pub(crate) fn whole<T>(bytes: &[u8], read: impl FnOnce(&mut Reader<'_>) -> Result<T>) -> Result<T> {
    let mut reader = Reader::new(bytes);
    let value = read(&mut reader)?;
    reader.finish()?;
    Ok(value)
}

/// Returns the bytes that `write` writes.
pub(crate) fn written(write: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut writer = Writer::new();
    write(&mut writer);
    writer.into_bytes()
}
