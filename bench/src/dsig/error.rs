//! Errors of the measurements.

/// The text of an error while measuring DSig.
pub(super) fn failed(error: quorate::Error) -> String {
    format!("measuring DSig: {error}")
}
