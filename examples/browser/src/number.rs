//! Parsing of numbers in links.

/// Parses a number, with an error for the page.
pub(crate) fn number<T: core::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("expected a number in range, got {text:?}"))
}
