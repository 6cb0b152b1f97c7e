//! The shards of a message in one buffer: the data shards, then the parity shards.

use alloc::vec::Vec;

use super::shape::{Coding, Shape};
use crate::{Error, Result};

/// Shards of equal length, stored contiguously.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shards {
    shape: Shape,
    len: usize,
    bytes: Vec<u8>,
}

impl Shards {
    /// Creates zeroed shards for a message of `message` bytes.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the message is longer than the coding allows.
    pub fn zero(coding: &Coding, message: usize) -> Result<Self> {
        if message > coding.max_message() {
            let limit = coding.max_message() as u64;
            return Err(Error::TooLarge { what: "erasure-coded message", limit });
        }
        // A coding's maximum message length ensures that this does not overflow.
        let (shape, len) = (coding.shape(), coding.shard_len(message));
        Ok(Self { shape, len, bytes: alloc::vec![0; shape.shards() * len] })
    }

    /// Creates shards with the message in the data shards, zero-padded, and zeros in the parity shards.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the message is longer than the coding allows.
    pub fn from_message(coding: &Coding, message: &[u8]) -> Result<Self> {
        let mut shards = Self::zero(coding, message.len())?;
        if let Some(front) = shards.bytes.get_mut(..message.len()) {
            front.copy_from_slice(message);
        }
        Ok(shards)
    }

    /// Returns the numbers of shards.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the length of each shard in bytes.
    pub fn shard_len(&self) -> usize {
        self.len
    }

    /// Returns the shard with this index.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        self.bytes.chunks_exact(self.len).nth(index)
    }

    /// Returns the shard with this index for writing.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut [u8]> {
        self.bytes.chunks_exact_mut(self.len).nth(index)
    }

    /// Returns all shards in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.len)
    }

    /// Returns all shards in order for writing.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [u8]> {
        self.bytes.chunks_exact_mut(self.len)
    }

    /// Returns the first `len` bytes of the data shards if all bytes after them are zero.
    ///
    /// # Errors
    /// [`Error::BadEncoding`] if a later byte is not zero, or if there are fewer than `len` bytes.
    pub fn message(&self, len: usize) -> Result<&[u8]> {
        let data = self.bytes.get(..self.shape.data() * self.len).unwrap_or_default();
        match data.split_at_checked(len) {
            Some((message, padding)) if padding.iter().all(|byte| *byte == 0) => Ok(message),
            _ => Err(Error::BadEncoding),
        }
    }

    /// Returns the first bytes, without a look at those after them.
    pub(super) fn into_message(mut self, len: usize) -> Vec<u8> {
        self.bytes.truncate(len);
        self.bytes.shrink_to_fit();
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erasure::ErasureSuite;

    #[test]
    fn message_requires_zero_padding() {
        let coding = Coding::new(ErasureSuite::Leopard, Shape::new(3, 2).unwrap(), 100).unwrap();
        let mut shards = Shards::from_message(&coding, b"0123456789").unwrap();
        assert_eq!((shards.shard_len(), shards.iter().len()), (4, 5));
        assert_eq!(shards.get(2), Some(&b"89\0\0"[..]));
        assert_eq!(shards.message(10), Ok(&b"0123456789"[..]));
        assert_eq!(shards.message(11), Ok(&b"0123456789\0"[..]));
        assert_eq!(shards.message(9), Err(Error::BadEncoding));
        assert_eq!(shards.message(13), Err(Error::BadEncoding));
        shards.get_mut(2).unwrap()[3] = 1;
        assert_eq!(shards.message(10), Err(Error::BadEncoding));
    }

    #[test]
    fn a_message_above_the_agreed_length_is_refused() {
        let coding = Coding::new(ErasureSuite::Gf8, Shape::new(3, 2).unwrap(), 4).unwrap();
        let refused = Shards::from_message(&coding, b"01234");
        assert_eq!(refused, Err(Error::TooLarge { what: "erasure-coded message", limit: 4 }));
    }
}
