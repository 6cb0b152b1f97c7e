//! Conversion of arguments from Python: bytes and integers, checked before they reach the core.

use core::num::NonZeroU16;
use core::ops::Deref;

use pyo3::buffer::PyBuffer;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyBufferError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString};
use pyo3::{Borrowed, PyClass};
use quorate::Error;
use zeroize::Zeroizing;

use crate::failure::Outcome;

/// Bytes from Python: `bytes` are borrowed; every other buffer is copied, because its owner may write to it while the
/// interpreter is released. The copy is wiped, since it may be a secret.
pub(crate) enum Bytes {
    Held(PyBackedBytes),
    Copied(Zeroizing<Vec<u8>>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Held(bytes) => bytes,
            Bytes::Copied(bytes) => bytes,
        }
    }
}

impl FromPyObject<'_, '_> for Bytes {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Bytes::Held(bytes.to_owned().into()));
        }
        let py = object.py();
        let buffer = PyBuffer::<u8>::get(&object).map_err(|error| {
            if error.is_instance_of::<PyBufferError>(py) {
                PyTypeError::new_err(format!("expected a buffer of bytes: {}", error.value(py)))
            } else if error.is_instance_of::<PyTypeError>(py) {
                expected("bytes or another buffer", &object)
            } else {
                error
            }
        })?;
        Ok(Bytes::Copied(Zeroizing::new(buffer.to_vec(py)?)))
    }
}

impl Bytes {
    /// For a call on another thread: `bytes` stay as they are; any other buffer becomes an immutable copy.
    pub(crate) fn into_python<'py>(self, py: Python<'py>) -> Bound<'py, PyBytes> {
        match self {
            Bytes::Held(bytes) => match bytes.into_pyobject(py) {
                Ok(bytes) => bytes,
                Err(never) => match never {},
            },
            Bytes::Copied(bytes) => PyBytes::new(py, &bytes),
        }
    }
}

/// Returns a `bytes` object with a copy of the bytes.
pub(crate) fn python_bytes<'py>(py: Python<'py>, bytes: impl AsRef<[u8]>) -> Bound<'py, PyBytes> {
    PyBytes::new(py, bytes.as_ref())
}

/// The items of an iterable, at most one more than `MAX`. A `Vec` would reserve memory for the length that `len()`
/// claims, which can exceed the available memory.
pub(crate) struct List<T, const MAX: usize = MAX_ITEMS>(Vec<T>);

/// Maximum number of items of any other list: four million.
pub(crate) const MAX_ITEMS: usize = 1 << 22;

impl<T> List<T> {
    /// Returns all items, or [`Error::TooLarge`] if there are more than [`MAX_ITEMS`].
    pub(crate) fn all(self) -> Outcome<Vec<T>> {
        if self.0.len() > MAX_ITEMS {
            return Err(Error::TooLarge { what: "list", limit: MAX_ITEMS as u64 }.into());
        }
        Ok(self.0)
    }
}

impl<T, const MAX: usize> List<T, MAX> {
    /// The empty list.
    pub(crate) const NONE: Self = Self(Vec::new());

    /// Returns all items, or one more than the maximum: the core reports the excess.
    pub(crate) fn counted(self) -> Vec<T> {
        self.0
    }
}

impl<'py, T: FromPyObjectOwned<'py>, const MAX: usize> FromPyObject<'_, 'py> for List<T, MAX> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return Err(expected("an iterable of items", &object));
        }
        let mut items = Vec::new();
        for item in object.try_iter()?.take(MAX + 1) {
            items.push(item?.extract().map_err(Into::into)?);
        }
        Ok(Self(items))
    }
}

/// An argument whose conversion may have failed, for calls that must do some work even then.
pub(crate) struct TriedArgument<T>(pub(crate) PyResult<T>);

impl<'a, 'py, T: FromPyObject<'a, 'py>> FromPyObject<'a, 'py> for TriedArgument<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(object.extract().map_err(Into::into)))
    }
}

/// Integer types by meaning, so that an error can name the argument; pyo3 names it only for wrong types.
macro_rules! integers {
    ($($name:ident: $integer:ty, $argument:literal;)*) => {$(
        #[derive(Clone, Copy)]
        pub(crate) struct $name(pub(crate) $integer);

        impl pyo3::FromPyObject<'_, '_> for $name {
            type Error = pyo3::PyErr;

            fn extract(object: pyo3::Borrowed<'_, '_, pyo3::PyAny>) -> pyo3::PyResult<Self> {
                let range = <$integer as $crate::convert::Range>::RANGE;
                let named = |error| $crate::convert::named(&object, error, $argument, range);
                object.extract().map($name).map_err(named)
            }
        }
    )*};
}

pub(crate) use integers;

/// The least and the greatest number of an integer type.
pub(crate) trait Range {
    const RANGE: (u128, u128);
}

macro_rules! ranges {
    ($($integer:ty)*) => {$(
        impl Range for $integer {
            const RANGE: (u128, u128) = (<$integer>::MIN as u128, <$integer>::MAX as u128);
        }
    )*};
}

ranges! { u8 u16 u32 u64 u128 }

impl Range for NonZeroU16 {
    const RANGE: (u128, u128) = (1, u16::MAX as u128);
}

/// The error of an integer out of range, or of an object that is no integer, with the argument's name; any other error
/// stays as it is.
pub(crate) fn named(
    object: &Bound<'_, PyAny>,
    error: PyErr,
    argument: &str,
    (least, most): (u128, u128),
) -> PyErr {
    let py = object.py();
    if error.is_instance_of::<PyOverflowError>(py) || error.is_instance_of::<PyValueError>(py) {
        PyOverflowError::new_err(format!("{argument} must be from {least} to {most}"))
    } else if error.is_instance_of::<PyTypeError>(py) && !object.hasattr("__index__").unwrap_or(true) {
        PyTypeError::new_err(format!("{argument} must be an int, not {}", type_of(object)))
    } else {
        error
    }
}

/// The `TypeError` for an object of another type. pyo3 adds a note with the argument's name.
pub(crate) fn expected(what: &str, object: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("expected {what}, not {}", type_of(object)))
}

fn type_of(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "another type".to_owned(), |name| name.to_string())
}

/// An argument of one of two classes.
pub(crate) enum Either<'py, A, B> {
    First(Bound<'py, A>),
    Second(Bound<'py, B>),
}

impl<'py, A: PyClass, B: PyClass> FromPyObject<'_, 'py> for Either<'py, A, B> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(first) = object.cast::<A>() {
            return Ok(Self::First(first.to_owned()));
        }
        let wrong = |_| expected(&format!("{} or {}", A::NAME, B::NAME), &object);
        object.cast::<B>().map(|second| Self::Second(second.to_owned())).map_err(wrong)
    }
}

/// The same as a `usize`; a number that does not fit exceeds every possible size.
pub(crate) fn size(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
