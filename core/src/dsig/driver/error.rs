use core::fmt;
use std::io;

use crate::Error;

/// Errors of a [`Driver`](super::Driver). Failures of threads and processes are here and not in [`Error`], which all
/// languages share.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DriverError {
    /// An error of the signer. [`Error::Exhausted`]: no key is ready, or none was ready in time; or, as the reason
    /// why the thread ended, the hook of [`detect_copies`](super::super::Signer::detect_copies) returns a different
    /// value on each call. [`Error::Rng`]: the generator failed, the thread has ended, and the remaining keys are
    /// used up.
    Signer(Error),
    /// This process is a fork. It has no thread, and the keys belong to its parent.
    Forked,
    /// The owner's closure or clock panicked on the thread, which has ended, and the remaining keys are used up.
    Panicked,
    /// The system cannot start a thread.
    NoThread(io::ErrorKind),
}

impl DriverError {
    /// The codes that are not in [`Error::CODES`].
    pub const CODES: &'static [&'static str] = &["FORKED", "PANICKED", "NO_THREAD"];

    /// Returns a short, stable code: one of [`Error::CODES`] or of [`CODES`](DriverError::CODES).
    pub fn code(&self) -> &'static str {
        match self {
            DriverError::Signer(error) => error.code(),
            DriverError::Forked => "FORKED",
            DriverError::Panicked => "PANICKED",
            DriverError::NoThread(_) => "NO_THREAD",
        }
    }
}

impl From<Error> for DriverError {
    fn from(error: Error) -> Self {
        DriverError::Signer(error)
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DriverError::Signer(error) => error.fmt(f),
            DriverError::Forked => f.write_str(
                "this is a forked process, which has neither the driver's thread nor its keys; start a new driver",
            ),
            DriverError::Panicked => {
                f.write_str("the owner's closure or clock panicked on the driver's thread; fix it and start a new driver")
            }
            DriverError::NoThread(kind) => {
                write!(f, "cannot start a thread ({kind}); call `prepare` yourself")
            }
        }
    }
}

impl core::error::Error for DriverError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            DriverError::Signer(error) => Some(error),
            _ => None,
        }
    }
}
