//! What a chain is run with, by the names that stand in files and on command lines.

use std::fmt;
use std::str::FromStr;

use quorate::bls::{Counted, MinSig};
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use serde::{Deserialize, Serialize};

/// A consensus protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProtocolName {
    /// [Jolteon](quorate_jolteon): a leader in each view, and batches that a quorum stores before they are ordered.
    #[default]
    Jolteon,
    /// [Gosig](quorate_gosig): proposers who are drawn in secret, and signatures that are summed while they spread.
    Gosig,
}

/// The signature scheme of votes. Identities are Ed25519 always.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SchemeName {
    /// BLS over BLS12-381, signatures in G1: certificates of about a hundred bytes.
    Bls,
    /// Ed25519: a certificate holds each signature.
    Ed25519,
}

impl ProtocolName {
    /// The name in files and on command lines.
    pub fn as_str(self) -> &'static str {
        match self {
            ProtocolName::Jolteon => "jolteon",
            ProtocolName::Gosig => "gosig",
        }
    }

    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl SchemeName {
    /// The name of a scheme that a chain can vote with.
    pub fn of<S: Scheme>() -> Option<Self> {
        match S::SUITE {
            // The same keys, whether signatures are summed once or many times.
            MinSig::SUITE | Counted::<MinSig>::SUITE => Some(SchemeName::Bls),
            Ed25519::SUITE => Some(SchemeName::Ed25519),
            _ => None,
        }
    }

    /// The name in files and on command lines.
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
        [ProtocolName::Jolteon, ProtocolName::Gosig]
            .into_iter()
            .find(|p| p.as_str() == text)
            .ok_or_else(|| format!("there is no protocol {text}; there are jolteon and gosig"))
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
            .ok_or_else(|| format!("there is no scheme {text}; there are bls and ed25519"))
    }
}
