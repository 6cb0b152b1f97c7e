//! The commands that all programs have.

mod audit;
mod keygen;
mod proof;

pub use audit::AuditArgs;
pub use keygen::KeygenArgs;
pub use proof::{CheckProofArgs, ProveArgs};

use std::process::ExitCode;

use crate::failure::Failure;

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
