//! Helpers that dispatch from the types of this module to the typed ones.

use alloc::vec::Vec;

use crate::committee::Verified;
use crate::scheme::Scheme;
use crate::wire::{Reader, Writer};
use crate::{Error, Result};

/// A property that distinguishes the variants of an enum: the suite, the group, or the class of a tag.
pub(crate) trait Choice: Sized {
    /// Returns the error for a value of `actual` where `self` is required; `what` names the property.
    fn mismatch(self, _actual: Self, what: &'static str) -> Error {
        Error::WrongContext { what }
    }
}

/// Conversion between a type of this module and the typed value of the scheme or group `S`, or of the class
/// `S` in the group `G`.
///
/// `From` and `TryFrom` suffice where each suite has its own type. For keys and signatures they do not, because suites 4
/// and 5 share the types of suites 1 and 2, so the conversion must name the scheme.
pub(crate) trait ForScheme<S, G = ()>: Sized {
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
