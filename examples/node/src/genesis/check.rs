//! Checks of genesis fields.

use std::fmt;

use crate::{NodeError, Result};

/// Maximum length of names and addresses in bytes.
pub(super) const MAX_TEXT: usize = 255;

/// Checks that a field of the genesis is in a range.
///
/// # Errors
/// [`NodeError::Genesis`](crate::NodeError::Genesis), which names the field, the value and the range.
pub fn check_range<T: PartialOrd + fmt::Display>(field: &str, value: T, least: T, most: T) -> Result<()> {
    if (&least..=&most).contains(&&value) {
        return Ok(());
    }
    Err(wrong(format!("{field} is {value}; it must be between {least} and {most}")))
}

/// Creates the error for a wrong genesis.
pub(super) fn wrong(problem: String) -> NodeError {
    NodeError::Genesis { path: None, problem }
}

/// Checks that a name or an address is not empty, not too long and free of control characters.
pub(super) fn check_text(field: &str, text: &str) -> Result<()> {
    if text.is_empty() || text.len() > MAX_TEXT || text.chars().any(char::is_control) {
        return Err(wrong(format!(
            "{field}: expected 1 to {MAX_TEXT} bytes without control characters, got {} bytes",
            text.len()
        )));
    }
    Ok(())
}
