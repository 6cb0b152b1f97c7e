//! The commands that all programs have.

mod audit;
mod keygen;
mod proof;

pub use audit::{AuditArgs, Verdicts};
pub use keygen::KeygenArgs;
pub use proof::{CheckProofArgs, ProveArgs};

use std::process::ExitCode;

use quorate::dsig::dynamic::SuiteId;

use crate::failure::Failure;
use crate::suites::SUITES;

/// Result of a command.
pub type Outcome = Result<ExitCode, Failure>;

/// Parses 32 bytes of 64 hexadecimal digits.
///
/// # Errors
/// A message with the expected format.
pub fn hash(digits: &str) -> Result<[u8; 32], String> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(digits, &mut bytes).map_err(|_| "expected 64 hexadecimal digits".to_owned())?;
    Ok(bytes)
}

/// Parses the name of a suite of DSig that clients may sign with.
///
/// # Errors
/// A message with the names.
pub fn suite(name: &str) -> Result<SuiteId, String> {
    let found = SUITES.into_iter().find(|suite| suite.name() == name);
    found.ok_or_else(|| format!("expected one of {}, got {name:?}", SUITES.map(SuiteId::name).join(", ")))
}
