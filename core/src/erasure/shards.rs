//! A message as shards, in one piece of memory: the data shards, then the parity shards.

use alloc::vec::Vec;

use super::{Coding, Shape};
use crate::{Error, Result};

/// Shards of one length in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shards {
    shape: Shape,
    len: usize,
    bytes: Vec<u8>,
}

impl Shards {
    /// Shards for a message of `message` bytes, all zero.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the message is longer than the coding allows.
    pub fn zero(coding: &Coding, message: usize) -> Result<Self> {
        if message > coding.max_message() {
            let limit = coding.max_message() as u64;
            return Err(Error::TooLarge { what: "erasure-coded message", limit });
        }
        // A coding's largest message has few enough bytes that this cannot overflow.
        let (shape, len) = (coding.shape(), coding.shard_len(message));
        Ok(Self { shape, len, bytes: alloc::vec![0; shape.shards() * len] })
    }

    /// The message in the data shards, one after the other, with zeros behind it; the parity shards are zero.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the message is longer than the coding allows.
    pub fn of_message(coding: &Coding, message: &[u8]) -> Result<Self> {
        let mut shards = Self::zero(coding, message.len())?;
        if let Some(front) = shards.bytes.get_mut(..message.len()) {
            front.copy_from_slice(message);
        }
        Ok(shards)
    }

    /// How many there are.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// How long each is.
    pub fn shard_len(&self) -> usize {
        self.len
    }

    /// The shard at this place.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        self.bytes.chunks_exact(self.len).nth(index)
    }

    /// The shard at this place, to be filled.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut [u8]> {
        self.bytes.chunks_exact_mut(self.len).nth(index)
    }

    /// All shards in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.len)
    }

    /// All shards in order, each to be filled.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [u8]> {
        self.bytes.chunks_exact_mut(self.len)
    }

    /// The first so many bytes of the data shards, if all behind them are zero.
    ///
    /// # Errors
    /// [`Error::BadEncoding`] if they are not, or if there are fewer.
    pub fn message(&self, len: usize) -> Result<&[u8]> {
        let data = self.bytes.get(..self.shape.data() * self.len).unwrap_or_default();
        match data.split_at_checked(len) {
            Some((message, padding)) if padding.iter().all(|byte| *byte == 0) => Ok(message),
            _ => Err(Error::BadEncoding),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erasure::Suite;

    #[test]
    fn a_message_comes_back_only_with_zeros_behind_it() {
        let coding = Coding::new(Suite::Leopard, Shape::new(3, 2).unwrap(), 100).unwrap();
        let mut shards = Shards::of_message(&coding, b"0123456789").unwrap();
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
        let coding = Coding::new(Suite::Gf8, Shape::new(3, 2).unwrap(), 4).unwrap();
        let refused = Shards::of_message(&coding, b"01234");
        assert_eq!(refused, Err(Error::TooLarge { what: "erasure-coded message", limit: 4 }));
    }
}
