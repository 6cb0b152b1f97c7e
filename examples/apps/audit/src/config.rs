//! Settings that the configuration files of all servers have.

use std::time::Duration;

use serde::Deserialize;

use crate::signed::SignatureScheme;

/// Accepted signature schemes, at least one; by default DSig.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct Accepted(pub Vec<SignatureScheme>);

/// Maximum difference between the time of a command and the server's clock, in milliseconds and not 0; by default half a
/// minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u64")]
pub struct MaxAge(pub Duration);

impl Default for Accepted {
    fn default() -> Self {
        Self(vec![SignatureScheme::Dsig])
    }
}

impl TryFrom<Vec<String>> for Accepted {
    type Error = String;

    fn try_from(names: Vec<String>) -> Result<Self, String> {
        if names.is_empty() {
            return Err("expected at least one signature scheme".to_owned());
        }
        names.iter().map(|name| name.parse()).collect::<Result<_, _>>().map(Self)
    }
}

impl Default for MaxAge {
    fn default() -> Self {
        Self(Duration::from_secs(30))
    }
}

impl TryFrom<u64> for MaxAge {
    type Error = String;

    fn try_from(milliseconds: u64) -> Result<Self, String> {
        if milliseconds == 0 {
            return Err("expected a time above 0".to_owned());
        }
        Ok(Self(Duration::from_millis(milliseconds)))
    }
}
