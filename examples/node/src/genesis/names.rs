//! Names of protocols and signature schemes in files and on command lines.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use quorate::bls::{Counted, MinSig};
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use serde::{Deserialize, Serialize};

/// Longest name of a protocol.
const MAX_NAME: usize = 32;

/// Name of a consensus protocol: 1 to 32 lower-case letters, digits and hyphens. Which protocols exist is known to the
/// program that starts the node, not to the node.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct ProtocolName(Cow<'static, str>);

/// Signature scheme of votes. Identity keys are always Ed25519.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SchemeName {
    /// BLS over BLS12-381 with signatures in G1: certificates of about a hundred bytes.
    Bls,
    /// Ed25519: a certificate contains each signature.
    Ed25519,
}

impl ProtocolName {
    /// The protocol of files that do not name one: `jolteon`. It was the only protocol when the formats of genesis files
    /// and data directories were defined.
    pub const DEFAULT: Self = Self(Cow::Borrowed("jolteon"));

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is_default(&self) -> bool {
        *self == Self::DEFAULT
    }
}

impl Default for ProtocolName {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl SchemeName {
    /// The name of the scheme `S`; `None` for a scheme that no chain can use.
    pub fn for_scheme<S: Scheme>() -> Option<Self> {
        match S::SUITE {
            // Both suites use the same keys; they differ in how signatures are aggregated.
            MinSig::SUITE | Counted::<MinSig>::SUITE => Some(SchemeName::Bls),
            Ed25519::SUITE => Some(SchemeName::Ed25519),
            _ => None,
        }
    }

    /// The name as text.
    pub fn as_str(self) -> &'static str {
        match self {
            SchemeName::Bls => "bls",
            SchemeName::Ed25519 => "ed25519",
        }
    }
}

impl fmt::Display for ProtocolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ProtocolName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let allowed = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
        if text.is_empty() || text.len() > MAX_NAME || !text.bytes().all(allowed) {
            return Err(format!(
                "protocol {text:?}: expected 1 to {MAX_NAME} lower-case letters, digits and hyphens"
            ));
        }
        Ok(Self(Cow::Owned(text.to_owned())))
    }
}

impl TryFrom<String> for ProtocolName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl PartialEq<str> for ProtocolName {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl fmt::Display for SchemeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for SchemeName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [SchemeName::Bls, SchemeName::Ed25519]
            .into_iter()
            .find(|s| s.as_str() == text)
            .ok_or_else(|| format!("unknown scheme {text}; known schemes: bls, ed25519"))
    }
}
