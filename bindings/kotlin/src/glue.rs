//! Conversions between the core's types and those that cross to Kotlin.

use std::fmt;
use std::num::NonZeroU16;
use std::sync::{Mutex, MutexGuard, PoisonError};

use quorate::any::Suite;
use quorate::{Detail as CoreDetail, Error};

/// The one code that the core does not define: the object was closed or its ownership was transferred.
pub(crate) const CLOSED: &str = "CLOSED";

pub(crate) type Result<T> = std::result::Result<T, NativeFailure>;

/// An error of the core in a form that crosses to Kotlin.
#[derive(Debug, uniffi::Record)]
pub(crate) struct Failure {
    code: String,
    text: String,
    culprits: Vec<u16>,
    details: Vec<Detail>,
}

/// A field of an error.
#[derive(Debug, uniffi::Enum)]
pub(crate) enum Detail {
    Text { name: String, value: String },
    Number { name: String, value: Uint128 },
    Members { name: String, value: Vec<u16> },
}

/// Error of every fallible call.
#[derive(Debug, uniffi::Error)]
pub(crate) enum NativeFailure {
    Failed { failure: Failure },
}

impl NativeFailure {
    /// Ownership of the object's secret was transferred during this call.
    pub(crate) fn closed(what: &str) -> Self {
        let text = format!("{what} was closed or consumed");
        Self::Failed {
            failure: Failure { code: CLOSED.to_owned(), text, culprits: Vec::new(), details: Vec::new() },
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let details = error.details().into_iter().map(|(name, detail)| {
            let name = name.to_owned();
            match detail {
                CoreDetail::Text(value) => Detail::Text { name, value: value.to_owned() },
                CoreDetail::Number(value) => Detail::Number { name, value: Uint128(value) },
                CoreDetail::Members(value) => Detail::Members { name, value },
                newer => Detail::Text { name, value: format!("{newer:?}") },
            }
        });
        Self {
            code: error.code().to_owned(),
            text: error.to_string(),
            culprits: error.culprits().to_vec(),
            details: details.collect(),
        }
    }
}

impl From<Error> for NativeFailure {
    fn from(error: Error) -> Self {
        Self::Failed { failure: error.into() }
    }
}

impl fmt::Display for NativeFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Failed { failure } = self;
        write!(f, "{}: {}", failure.code, failure.text)
    }
}

impl std::error::Error for NativeFailure {}

/// A 128-bit integer; Kotlin sees a `BigInteger`, which crosses as its big-endian bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uint128(pub(crate) u128);

uniffi::custom_type!(Uint128, Vec<u8>, {
    lower: |number| number.0.to_be_bytes().to_vec(),
    try_lift: |bytes| {
        // `BigInteger.toByteArray` adds a sign byte if the highest bit of the number is set.
        let digits = match bytes.as_slice() {
            [0, digits @ ..] => digits,
            digits => digits,
        };
        if digits.len() > 16 {
            uniffi::deps::anyhow::bail!("more than 128 bits");
        }
        Ok(Self(digits.iter().fold(0, |number, digit| number << 8 | u128::from(*digit))))
    },
});

/// A byte string of any length, or of one length.
pub(crate) fn owned(bytes: impl Into<Vec<u8>>) -> Vec<u8> {
    bytes.into()
}

/// A number that Kotlin checked: zero never occurs.
pub(crate) fn non_zero(number: u16) -> Result<NonZeroU16> {
    Ok(NonZeroU16::new(number).ok_or(Error::Malformed { what: "number from 1 to 65535" })?)
}

/// A panic under the lock leaves the value consistent, so the next caller may continue.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[uniffi::export]
fn suite_name(number: u8) -> Result<String> {
    Ok(Suite::from_number(number)?.name().to_owned())
}

#[uniffi::export]
fn suite_from_name(name: String) -> Result<u8> {
    Ok(Suite::from_name(&name)?.number())
}
