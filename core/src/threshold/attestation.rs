//! A party's signature of its share, which proves to third parties that the share is its own.

use alloc::vec::Vec;

use crate::wire::{Reader, Writer};
use crate::{Error, Result};

/// Maximum length of an attestation in bytes: room for a signature of any scheme.
pub(super) const MAX_ATTESTATION: usize = 8_192;

const WHAT: &str = "attestation of a share";

/// A signature of a share in any scheme; empty for a share that is not attested.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Attestation(Vec<u8>);

impl Attestation {
    /// Takes a signature of at most [`MAX_ATTESTATION`] bytes.
    pub(super) fn new(bytes: Vec<u8>) -> Result<Self> {
        if bytes.len() > MAX_ATTESTATION {
            return Err(Error::TooLarge { what: WHAT, limit: MAX_ATTESTATION as u64 });
        }
        Ok(Self(bytes))
    }

    /// Returns the signature.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Writes the length as u32, then the bytes.
    pub(super) fn encode_to(&self, w: &mut Writer) {
        w.bytes(&self.0);
    }

    /// Reads what [`encode_to`](Self::encode_to) writes.
    pub(super) fn decode_from(r: &mut Reader<'_>) -> Result<Self> {
        Ok(Self(r.bytes(WHAT, MAX_ATTESTATION)?.to_vec()))
    }
}
