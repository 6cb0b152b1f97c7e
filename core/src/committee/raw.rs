use alloc::vec::Vec;

use super::Committee;
use crate::scheme::{Scheme, SignerSet};
use crate::{Error, Result};

/// A signer set in one of the three encodings that existing blockchains use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawSigners<'a> {
    /// A list of distinct member indices in any order.
    Indices(&'a [u32]),
    /// A bitmap of signers of exactly ⌈n/8⌉ bytes, member 0 in the lowest bit of the first byte.
    LsbFirst(&'a [u8]),
    /// A bitmap of signers of exactly ⌈n/8⌉ bytes, member 0 in the highest bit of the first byte.
    MsbFirst(&'a [u8]),
}

impl<S: Scheme> Committee<S> {
    /// Decodes a signer set of this committee from a blockchain's encoding.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`] and [`Error::DuplicateSigner`] for indices; [`Error::WrongLength`] for a bitmap of
    /// another length, [`Error::NonCanonical`] for a bitmap with non-zero padding.
    pub fn signer_set(&self, signers: RawSigners<'_>) -> Result<SignerSet> {
        match signers {
            RawSigners::Indices(indices) => SignerSet::from_members(self.len(), indices.iter().copied()),
            RawSigners::LsbFirst(bytes) => decode_bitmap(self.len(), bytes.iter().copied()),
            RawSigners::MsbFirst(bytes) => {
                decode_bitmap(self.len(), bytes.iter().map(|byte| byte.reverse_bits()))
            }
        }
    }
}

/// Decodes a bitmap of `n` members, the first member in the lowest bit of the first byte.
fn decode_bitmap(n: u16, bytes: impl ExactSizeIterator<Item = u8>) -> Result<SignerSet> {
    let (expected, actual) = (usize::from(n).div_ceil(8), bytes.len());
    if expected != actual {
        return Err(Error::WrongLength {
            what: "signer bitmap",
            expected: expected as u64,
            actual: actual as u64,
        });
    }
    let mut set = SignerSet::new(n);
    let bits: Vec<u32> = (0u32..)
        .zip(bytes)
        .flat_map(|(i, byte)| (0..8).filter(move |b| byte >> b & 1 == 1).map(move |b| i * 8 + b))
        .collect();
    for index in bits {
        if !u16::try_from(index).is_ok_and(|index| set.insert(index)) {
            return Err(Error::NonCanonical { what: "padding of a signer bitmap" });
        }
    }
    Ok(set)
}
