//! Encoding of values in the beacon API's JSON: integers as decimal strings, bytes as hexadecimal with `0x`.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};

/// Integers of 64 bits, as decimal strings.
pub(crate) mod number {
    use super::*;

    pub(crate) fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(crate) fn deserialize<'de, T: FromStr, D: Deserializer<'de>>(d: D) -> Result<T, D::Error> {
        let text = String::deserialize(d)?;
        let canonical = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let wrong = || D::Error::custom(format!("expected an unsigned integer of 64 bits, got {text:?}"));
        if canonical { text.parse().map_err(|_| wrong()) } else { Err(wrong()) }
    }
}

/// Optional integers of 64 bits, for fields that some forks lack.
pub(crate) mod optional_number {
    use super::*;

    #[derive(Deserialize)]
    struct Number(#[serde(with = "number")] u64);

    pub(crate) fn serialize<S: Serializer>(value: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.collect_str(value),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<u64>, D::Error> {
        Ok(Option::<Number>::deserialize(d)?.map(|number| number.0))
    }
}

/// A 256-bit integer: little endian in memory, as in SSZ; decimal in text.
pub(crate) mod number_256 {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(value: &[u8; 32], serializer: S) -> Result<S::Ok, S::Error> {
        let (mut rest, mut digits) = (*value, Vec::new());
        while rest.iter().any(|byte| *byte != 0) || digits.is_empty() {
            let mut remainder = 0u16;
            for byte in rest.iter_mut().rev() {
                let part = remainder << 8 | u16::from(*byte);
                *byte = (part / 10) as u8;
                remainder = part % 10;
            }
            digits.push(char::from(b'0' + remainder as u8));
        }
        serializer.collect_str(&digits.into_iter().rev().collect::<String>())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<[u8; 32], D::Error> {
        let text = String::deserialize(d)?;
        let wrong = || D::Error::custom(format!("expected an unsigned integer of 256 bits, got {text:?}"));
        let mut value = [0u8; 32];
        for digit in text.chars() {
            let mut carry = digit.to_digit(10).ok_or_else(wrong)? as u16;
            for byte in &mut value {
                let part = u16::from(*byte) * 10 + carry;
                *byte = part as u8;
                carry = part >> 8;
            }
            if carry != 0 {
                return Err(wrong());
            }
        }
        if text.is_empty() { Err(wrong()) } else { Ok(value) }
    }
}

/// Bytes of a fixed length.
pub(crate) mod bytes {
    use super::*;

    pub(crate) fn serialize<const N: usize, S: Serializer>(v: &[u8; N], s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(&format_args!("0x{}", hex::encode(v)))
    }

    pub(crate) fn deserialize<'de, const N: usize, D: Deserializer<'de>>(d: D) -> Result<[u8; N], D::Error> {
        parse(&String::deserialize(d)?).map_err(D::Error::custom)
    }
}

/// Lists of bytes of a fixed length.
pub(crate) mod list_of_bytes {
    use super::*;

    #[derive(Deserialize)]
    struct Item<const N: usize>(#[serde(with = "bytes")] [u8; N]);

    pub(crate) fn serialize<const N: usize, S: Serializer>(v: &[[u8; N]], s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(v.iter().map(|item| format!("0x{}", hex::encode(item))))
    }

    pub(crate) fn deserialize<'de, const N: usize, D: Deserializer<'de>>(
        d: D,
    ) -> Result<Vec<[u8; N]>, D::Error> {
        Ok(Vec::<Item<N>>::deserialize(d)?.into_iter().map(|item| item.0).collect())
    }
}

/// The same for an optional field.
pub(crate) mod optional_list {
    use super::*;

    #[derive(Deserialize)]
    struct List(#[serde(with = "list_of_bytes")] Vec<[u8; 32]>);

    pub(crate) fn serialize<S: Serializer>(v: &Option<Vec<[u8; 32]>>, s: S) -> Result<S::Ok, S::Error> {
        match v {
            Some(v) => list_of_bytes::serialize(v, s),
            None => s.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Vec<[u8; 32]>>, D::Error> {
        Ok(Option::<List>::deserialize(d)?.map(|list| list.0))
    }
}

/// Bytes of any length.
pub(crate) mod any_bytes {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(value: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("0x{}", hex::encode(value)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(d)?;
        hex::decode(text.strip_prefix("0x").unwrap_or(&text))
            .map_err(|e| D::Error::custom(format!("{}: {e}", excerpt(&text))))
    }
}

/// Reads `0x…` of exactly N bytes.
pub(crate) fn parse<const N: usize>(text: &str) -> Result<[u8; N], String> {
    let mut value = [0; N];
    hex::decode_to_slice(text.strip_prefix("0x").unwrap_or(text), &mut value)
        .map(|()| value)
        .map_err(|_| format!("expected {N} bytes in hexadecimal, got {}", excerpt(text)))
}

fn excerpt(text: &str) -> String {
    let short: String = text.chars().take(20).collect();
    if short.len() < text.len() { format!("\"{short}…\"") } else { format!("\"{short}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Wide(#[serde(with = "number_256")] [u8; 32]);

    #[test]
    fn numbers_of_256_bits_round_trip_and_larger_ones_are_refused() {
        for (text, low) in [("0", 0), ("255", 255), ("19477827614", 19_477_827_614u64)] {
            let wide: Wide = serde_json::from_value(text.into()).unwrap();
            assert_eq!(wide.0[..8], low.to_le_bytes());
            assert_eq!(serde_json::to_value(&wide).unwrap(), text);
        }
        let most = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
        assert_eq!(serde_json::from_value::<Wide>(most.into()).unwrap(), Wide([255; 32]));
        for wrong in [
            "",
            "-1",
            "1e3",
            "115792089237316195423570985008687907853269984665640564039457584007913129639936",
        ] {
            assert!(serde_json::from_value::<Wide>(wrong.into()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bytes_of_another_length_are_refused() {
        assert_eq!(parse::<2>("0x0aff"), Ok([10, 255]));
        assert!(parse::<2>("0x0a").is_err() && parse::<2>("0x0aff00").is_err() && parse::<2>("zz").is_err());
    }
}
