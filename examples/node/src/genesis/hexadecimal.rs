use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes whose text form is lower-case hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Hex(pub Vec<u8>);

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(&self.0))
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        hex::decode(&text)
            .map(Hex)
            .map_err(|e| serde::de::Error::custom(format!("expected hexadecimal digits: {e}")))
    }
}
