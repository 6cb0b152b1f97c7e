//! BLAKE3 in key-derivation mode for inputs that fit one block, which is a single compression, or four, which is a
//! compression per block (the BLAKE3 paper, sections 2.1 to 2.4). Nearly every hash call of DSig has the first form, and the
//! digests of most messages have the second. The context keys are computed at compile time.

use super::block::{CHUNK_END, CHUNK_START, Context, FLAGS, MATERIAL, ROOT, bytes, words};
use super::fast;

/// Maximum length of a few blocks. For longer inputs the general hasher is as fast, and faster on some processors.
const FEW: usize = 256;

impl Context {
    /// Hashes the first `len` bytes of a block; the bytes after `len` must be zero.
    pub(super) fn hash(&self, block: &[u8; 64], len: usize) -> [u8; 32] {
        *self.extended(block, len, 0).first_chunk().unwrap_or(&[0; 32])
    }

    /// Returns the 64-byte block number `counter` of the hash's extended output.
    pub(super) fn extended(&self, block: &[u8; 64], len: usize, counter: u64) -> [u8; 64] {
        bytes(&fast::compress(&self.key, &words(block), counter, len as u32, FLAGS))
    }

    /// Returns the first 64 bytes of the extended output of the concatenated parts, or `None` if they are longer than four
    /// blocks.
    pub(super) fn few_blocks(&self, parts: &[&[u8]]) -> Option<[u8; 64]> {
        if parts.iter().map(|part| part.len()).sum::<usize>() > FEW {
            return None;
        }
        let (mut key, mut start) = (self.key, CHUNK_START);
        let (mut block, mut filled) = ([0; 64], 0);
        for part in parts {
            let mut rest = *part;
            while !rest.is_empty() {
                // A full block is compressed when it is known not to be the last one.
                if filled == block.len() {
                    let out = fast::compress(&key, &words(&block), 0, 64, MATERIAL | start);
                    key = *out.first_chunk()?;
                    (block, filled, start) = ([0; 64], 0, 0);
                }
                let (head, tail) = rest.split_at(rest.len().min(block.len() - filled));
                block.get_mut(filled..filled + head.len())?.copy_from_slice(head);
                (rest, filled) = (tail, filled + head.len());
            }
        }
        let flags = MATERIAL | start | CHUNK_END | ROOT;
        Some(bytes(&fast::compress(&key, &words(&block), 0, filled as u32, flags)))
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
        fn a_few_blocks_hash_as_blake3_does(
            input in proptest::collection::vec(any::<u8>(), 0..=FEW + 2),
            cuts: [proptest::sample::Index; 2],
        ) {
            let context = Context::new(domain::DSIG_MESSAGE);
            let mut cuts = cuts.map(|cut| cut.index(input.len() + 1));
            cuts.sort_unstable();
            let parts = [&input[..cuts[0]], &input[cuts[0]..cuts[1]], &input[cuts[1]..]];
            let mut expected = [0; 64];
            domain::hasher(domain::DSIG_MESSAGE).update(&input).finalize_xof().fill(&mut expected);
            prop_assert_eq!(context.few_blocks(&parts), (input.len() <= FEW).then_some(expected));
        }

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
