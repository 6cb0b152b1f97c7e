use alloc::vec::Vec;

use super::{Committee, SignerSet};
use crate::scheme::Scheme;
use crate::{Error, Result};

/// Signers as other chains write them down. Live chains use all three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawSigners<'a> {
    /// A list of member indices, in any order, each once.
    Indices(&'a [u32]),
    /// A bitmap of signers of exactly ⌈n/8⌉ bytes, member 0 in the lowest bit of the first byte.
    LsbFirst(&'a [u8]),
    /// A bitmap of signers of exactly ⌈n/8⌉ bytes, member 0 in the highest bit of the first byte.
    MsbFirst(&'a [u8]),
}

impl<S: Scheme> Committee<S> {
    /// Reads a signer set of this committee.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`] and [`Error::DuplicateSigner`] for indices; [`Error::Malformed`] for a bitmap of
    /// another length, [`Error::NonCanonical`] for one whose padding is not zero.
    pub fn signer_set(&self, signers: RawSigners<'_>) -> Result<SignerSet> {
        match signers {
            RawSigners::Indices(indices) => SignerSet::from_members(self.len(), indices.iter().copied()),
            RawSigners::LsbFirst(bytes) => read(self.len(), bytes.iter().copied()),
            RawSigners::MsbFirst(bytes) => read(self.len(), bytes.iter().map(|byte| byte.reverse_bits())),
        }
    }
}

fn read(n: u16, bytes: impl ExactSizeIterator<Item = u8>) -> Result<SignerSet> {
    if bytes.len() != usize::from(n).div_ceil(8) {
        return Err(Error::Malformed { what: "signer bitmap" });
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
