//! BLAKE3 in key-derivation mode for inputs that fit one block: a single compression (the BLAKE3 paper, sections 2.1
//! to 2.3). Nearly every hash call of DSig has this form. The context keys are computed at compile time.

use super::block::{Context, FLAGS, bytes, words};
use super::fast;

impl Context {
    /// Hashes the first `len` bytes of a block; the bytes after `len` must be zero.
    pub(super) fn hash(&self, block: &[u8; 64], len: usize) -> [u8; 32] {
        *self.extended(block, len, 0).first_chunk().unwrap_or(&[0; 32])
    }

    /// Returns the 64-byte block number `counter` of the hash's extended output.
    pub(super) fn extended(&self, block: &[u8; 64], len: usize, counter: u64) -> [u8; 64] {
        bytes(&fast::compress(&self.key, &words(block), counter, len as u32, FLAGS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsig::block::block;
    use crate::wire::domain;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn one_block_hashes_as_blake3_does(input in proptest::collection::vec(any::<u8>(), 0..=64)) {
            let context = Context::new(domain::DSIG_NODE);
            let mut reader = domain::hasher(domain::DSIG_NODE).update(&input).finalize_xof();
            let (block, len) = block(&[&input]);
            let mut expected = [0; 64];
            for counter in 0..3 {
                reader.fill(&mut expected);
                prop_assert_eq!(context.extended(&block, len, counter), expected);
                if counter == 0 {
                    prop_assert_eq!(&context.hash(&block, len)[..], &expected[..32]);
                }
            }
        }
    }
}
