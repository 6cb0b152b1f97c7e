use core::fmt;
use std::io;

use crate::Error;

/// Why a [`Driver`](super::Driver) did not do what it was asked for. What can only go wrong where there are threads
/// and processes is here, and not in [`Error`], which all languages share.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DriverError {
    /// What the signer says. [`Error::Exhausted`]: no key is ready, or none came in time; or, as the thread's end, the
    /// hook of [`detect_copies`](super::super::Signer::detect_copies) answers differently each time. [`Error::Rng`]:
    /// the generator failed, the thread has ended, and the keys that it left are used up.
    Signer(Error),
    /// This process was forked off. The thread did not come along, and the keys are its parent's.
    Forked,
    /// Something that the owner gave, its closure or its clock, panicked on the thread, which has ended; and the keys
    /// that it left are used up.
    Panicked,
    /// The system gives no thread.
    NoThread(io::ErrorKind),
}

impl DriverError {
    /// The codes that are not of [`Error::CODES`].
    pub const CODES: &'static [&'static str] = &["FORKED", "PANICKED", "NO_THREAD"];

    /// A short code that never changes its meaning: one of [`Error::CODES`] or of [`CODES`](DriverError::CODES).
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
                "this process was forked off and has neither the driver's thread nor its keys; start a driver of its own",
            ),
            DriverError::Panicked => {
                f.write_str("the driver's thread panicked in what its owner gave it; mend that and start another driver")
            }
            DriverError::NoThread(kind) => {
                write!(f, "no thread can be started ({kind}); call `prepare` yourself")
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
