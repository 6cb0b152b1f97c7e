//! Marker that keeps the crate's traits from being implemented elsewhere.

/// Implemented by the types of this crate that may implement its sealed traits.
pub trait Sealed {}
