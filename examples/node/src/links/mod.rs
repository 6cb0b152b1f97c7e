//! Authenticated links between validators.
