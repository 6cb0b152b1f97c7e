//! Fields of the inputs and outputs.

use quorate::Result;
use quorate::wire::{Decode, Encode, Reader, Writer};
use serde_json::Value;

/// Decodes a hex field.
pub(crate) fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().expect("a hex string")).expect("hex")
}

/// Decodes a hex field of 32 bytes.
pub(crate) fn array(value: &Value) -> [u8; 32] {
    bytes(value).try_into().expect("32 bytes")
}

/// Parses a decimal string.
pub(crate) fn number<T: std::str::FromStr<Err: std::fmt::Debug>>(value: &Value) -> T {
    value.as_str().expect("a decimal string").parse().expect("a number that fits")
}

/// Converts a JSON number.
pub(crate) fn small<T: TryFrom<u64, Error: std::fmt::Debug>>(value: &Value) -> T {
    value.as_u64().expect("a number").try_into().expect("a number that fits")
}

/// Decodes a value and checks that it encodes to the same bytes.
pub(crate) fn decode<C: ?Sized, T: Decode<C> + Encode>(data: &[u8], context: &C) -> Result<T> {
    let value = T::decode(data, context)?;
    assert_eq!(hex::encode(value.encode()), hex::encode(data), "decoded, but encodes to something else");
    Ok(value)
}

/// Decodes a value with `read`, which must consume `data` exactly.
pub(crate) fn whole<T>(data: &[u8], read: impl FnOnce(&mut Reader<'_>) -> Result<T>) -> Result<T> {
    let mut reader = Reader::new(data);
    let value = read(&mut reader)?;
    reader.finish()?;
    Ok(value)
}

/// Returns the bytes that `write` writes, as hex.
pub(crate) fn written(write: impl FnOnce(&mut Writer)) -> String {
    let mut writer = Writer::new();
    write(&mut writer);
    hex::encode(writer.into_bytes())
}
