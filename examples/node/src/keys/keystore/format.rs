//! The JSON of a keystore. Unknown parameters of its functions are refused, because they could change how the secret is
//! encrypted.

use serde::{Deserialize, Serialize};

use crate::genesis::Hex;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Crypto {
    pub(super) kdf: Kdf,
    pub(super) checksum: Checksum,
    pub(super) cipher: Cipher,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "function", content = "params", rename_all = "lowercase")]
pub(super) enum KdfParameters {
    Scrypt(Scrypt),
    Pbkdf2(Pbkdf2),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Kdf {
    #[serde(flatten)]
    pub(super) parameters: KdfParameters,
    pub(super) message: EmptyText,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scrypt {
    pub(super) dklen: u32,
    pub(super) n: u64,
    pub(super) p: u32,
    pub(super) r: u32,
    pub(super) salt: Hex,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pbkdf2 {
    pub(super) dklen: u32,
    pub(super) c: u32,
    pub(super) prf: Prf,
    pub(super) salt: Hex,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Prf {
    #[serde(rename = "hmac-sha256")]
    HmacSha256,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Checksum {
    pub(super) function: Sha256Name,
    pub(super) params: NoParameters,
    pub(super) message: Hex,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Sha256Name {
    #[serde(rename = "sha256")]
    Sha256,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoParameters {}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cipher {
    pub(super) function: CipherName,
    pub(super) params: CipherParameters,
    pub(super) message: Hex,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum CipherName {
    #[serde(rename = "aes-128-ctr")]
    Aes128Ctr,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CipherParameters {
    pub(super) iv: Hex,
}

/// The text that EIP-2335 leaves empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum EmptyText {
    #[serde(rename = "")]
    Empty,
}

/// The number 4.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub(super) struct Version;

impl TryFrom<u32> for Version {
    type Error = String;

    fn try_from(version: u32) -> Result<Self, String> {
        if version == 4 {
            Ok(Self)
        } else {
            Err(format!("keystore of version {version}; expected version 4"))
        }
    }
}

impl From<Version> for u32 {
    fn from(_: Version) -> u32 {
        4
    }
}
