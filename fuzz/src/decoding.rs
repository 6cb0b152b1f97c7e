//! The property that all decoders share.

use quorate::wire::{Decode, Encode};

/// Decodes, and asserts that a decoded value encodes to the same bytes.
pub(crate) fn identity<T: Encode + Decode<C>, C: ?Sized>(bytes: &[u8], context: &C) -> Option<T> {
    let value = T::decode(bytes, context).ok()?;
    assert_eq!(value.encode(), bytes, "decoded, but encodes to other bytes");
    Some(value)
}
