//! serde support: a thin layer over the wire encoding.
//!
//! Human-readable formats carry hex text, other formats the same bytes. Types that need a committee to decode
//! (certificates) have no serde form; carry their encoded bytes.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use ::serde::de::{self, Deserializer, SeqAccess, Visitor};
use ::serde::ser::Serializer;

use super::decode::Decode;
use super::encode::Encode;

/// Maximum number of bytes that this layer reads. No value of the crate that decodes without a context is larger.
const LIMIT: usize = 1 << 16;

/// Serializes a value's encoding.
///
/// # Errors
/// The errors of the serializer.
pub fn serialize<T: Encode, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let bytes = value.encode();
    if serializer.is_human_readable() {
        serializer.serialize_str(&hex::encode(bytes))
    } else {
        serializer.serialize_bytes(&bytes)
    }
}

/// Deserializes a value with all checks of its decoder.
///
/// # Errors
/// The errors of the deserializer, and those of the decoder as text.
pub fn deserialize<'de, T: Decode, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let visitor = BytesVisitor(PhantomData);
    if deserializer.is_human_readable() {
        deserializer.deserialize_str(visitor)
    } else {
        deserializer.deserialize_bytes(visitor)
    }
}

struct BytesVisitor<T>(PhantomData<T>);

impl<'de, T: Decode> Visitor<'de> for BytesVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the wire encoding, as bytes or as hex text")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        if text.len() > 2 * LIMIT {
            return Err(E::custom("hex text is too long: expected at most 131,072 digits"));
        }
        let bytes = hex::decode(text).map_err(|_| E::custom("expected hex text"))?;
        // Upper-case digits would be a second encoding of the same value.
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err(E::custom("expected lower-case hex digits"));
        }
        self.visit_bytes(&bytes)
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<T, E> {
        T::decode(bytes, &()).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<T, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = items.next_element()? {
            if bytes.len() == LIMIT {
                return Err(de::Error::custom("too many bytes: expected at most 65,536"));
            }
            bytes.push(byte);
        }
        self.visit_bytes(&bytes)
    }
}
