use std::borrow::ToOwned;
use std::collections::BTreeMap;
use std::format;
use std::io;
use std::string::String;
use std::vec::Vec;

use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Maximum length of an interchange file, in bytes.
pub const MAX_INTERCHANGE: u64 = 1 << 28;
const VERSION: &str = "5";

/// The signing histories of validators, as clients exchange them.
///
/// Fields that the EIP does not name are ignored, as its schema permits; a repeated field, a number without quotes, a sign, a
/// leading zero, and hexadecimal digits without `0x` are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interchange {
    /// The chain.
    pub genesis_validators_root: [u8; 32],
    /// The histories; a key can have several.
    pub data: Vec<ValidatorHistory>,
}

/// What one key has signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValidatorHistory {
    /// The public key, compressed.
    #[serde(serialize_with = "write_hex", deserialize_with = "read_hex")]
    pub pubkey: [u8; 48],
    /// The blocks, in any order.
    pub signed_blocks: Vec<Block>,
    /// The attestations, in any order.
    pub signed_attestations: Vec<Attestation>,
}

/// A signed block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Block {
    /// Its slot.
    #[serde(serialize_with = "write_number", deserialize_with = "read_number")]
    pub slot: u64,
    /// What was signed, if that is known.
    #[serde(
        default,
        serialize_with = "write_root",
        deserialize_with = "read_root",
        skip_serializing_if = "Option::is_none"
    )]
    pub signing_root: Option<[u8; 32]>,
}

/// A signed attestation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Attestation {
    /// Epoch of the source checkpoint.
    #[serde(serialize_with = "write_number", deserialize_with = "read_number")]
    pub source_epoch: u64,
    /// Epoch of the target checkpoint.
    #[serde(serialize_with = "write_number", deserialize_with = "read_number")]
    pub target_epoch: u64,
    /// What was signed, if that is known.
    #[serde(
        default,
        serialize_with = "write_root",
        deserialize_with = "read_root",
        skip_serializing_if = "Option::is_none"
    )]
    pub signing_root: Option<[u8; 32]>,
}

impl Attestation {
    /// Returns true if an attestation surrounds the other one.
    pub(super) fn surrounds(&self, other: &Self) -> bool {
        self.source_epoch < other.source_epoch && other.target_epoch < self.target_epoch
    }
}

/// The document; `data` is owned when it is read, and borrowed when it is written.
#[derive(Serialize, Deserialize)]
struct Document<D> {
    metadata: Metadata,
    data: D,
}

#[derive(Serialize, Deserialize)]
struct Metadata {
    interchange_format_version: String,
    #[serde(serialize_with = "write_hex", deserialize_with = "read_hex")]
    genesis_validators_root: [u8; 32],
}

impl Interchange {
    /// Reads an interchange file.
    ///
    /// # Errors
    /// [`Error::TooLarge`] above [`MAX_INTERCHANGE`]; [`Error::UnknownName`] for another version;
    /// [`Error::Malformed`] for everything else that is not of the EIP's schema.
    pub fn parse(json: &[u8]) -> Result<Self> {
        if json.len() as u64 > MAX_INTERCHANGE {
            return Err(Error::TooLarge {
                what: "slashing protection interchange in bytes",
                limit: MAX_INTERCHANGE,
            });
        }
        let malformed = |_| Error::Malformed { what: "slashing protection interchange" };
        let Document::<Vec<_>> { metadata, data } = serde_json::from_slice(json).map_err(malformed)?;
        if metadata.interchange_format_version != VERSION {
            let given = metadata.interchange_format_version.chars().take(64).collect();
            return Err(Error::UnknownName {
                what: "version of the interchange format",
                given,
                known: &[VERSION],
            });
        }
        Ok(Self { genesis_validators_root: metadata.genesis_validators_root, data })
    }

    /// Returns one history per key.
    pub(super) fn merged(self) -> BTreeMap<[u8; 48], ValidatorHistory> {
        let mut merged = BTreeMap::<_, ValidatorHistory>::new();
        for history in self.data {
            match merged.get_mut(&history.pubkey) {
                Some(known) => {
                    known.signed_blocks.extend(history.signed_blocks);
                    known.signed_attestations.extend(history.signed_attestations);
                }
                None => drop(merged.insert(history.pubkey, history)),
            }
        }
        merged
    }

    /// Returns the interchange file, without spaces.
    ///
    /// # Errors
    /// [`Error::TooLarge`] above [`MAX_INTERCHANGE`].
    pub fn to_json(&self) -> Result<String> {
        self.to_json_within(MAX_INTERCHANGE)
    }

    pub(super) fn to_json_within(&self, limit: u64) -> Result<String> {
        let metadata = Metadata {
            interchange_format_version: VERSION.to_owned(),
            genesis_validators_root: self.genesis_validators_root,
        };
        let too_large = Error::TooLarge { what: "slashing protection interchange in bytes", limit };
        let mut json = Limited { bytes: Vec::new(), left: limit };
        let written = serde_json::to_writer(&mut json, &Document { metadata, data: &self.data });
        // Nothing else fails: the writer is in memory, and all texts are ASCII.
        written.ok().and_then(|()| String::from_utf8(json.bytes).ok()).ok_or(too_large)
    }
}

/// A writer in memory that refuses more bytes than a limit.
struct Limited {
    bytes: Vec<u8>,
    left: u64,
}

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or(io::ErrorKind::FileTooLarge)?;
        self.bytes.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_number<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

fn read_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    read(deserializer, "a number in quotes", |text| {
        let number: u64 = text.parse().ok()?;
        // Otherwise it has a sign or leading zeros.
        (format!("{number}") == text).then_some(number)
    })
}

fn write_hex<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("0x{}", hex::encode(bytes)))
}

fn read_hex<'de, D: Deserializer<'de>, const N: usize>(deserializer: D) -> Result<[u8; N], D::Error> {
    read(deserializer, "bytes in hexadecimal digits after 0x", |text| {
        let mut bytes = [0; N];
        hex::decode_to_slice(text.strip_prefix("0x")?, &mut bytes).ok()?;
        Some(bytes)
    })
}

fn write_root<S: Serializer>(root: &Option<[u8; 32]>, serializer: S) -> Result<S::Ok, S::Error> {
    match root {
        Some(root) => write_hex(root, serializer),
        None => serializer.serialize_none(),
    }
}

fn read_root<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<[u8; 32]>, D::Error> {
    read_hex(deserializer).map(Some)
}

fn read<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    expected: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, D::Error> {
    deserializer.deserialize_str(Text { expected, parse })
}

struct Text<F> {
    expected: &'static str,
    parse: F,
}

impl<T, F: Fn(&str) -> Option<T>> Visitor<'_> for Text<F> {
    type Value = T;

    fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.parse)(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}
