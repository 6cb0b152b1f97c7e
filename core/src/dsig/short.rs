//! BLAKE3 in key-derivation mode of inputs that fit one block: a single compression (the BLAKE3 paper, sections 2.1
//! to 2.3). Nearly every hash of DSig is one, and the key that a domain string stands for is known when this
//! compiles.

use zeroize::optimization_barrier;

use super::fast;
use crate::wire::context::WHOLE;
pub(super) use crate::wire::context::{Context, compress, words};

/// Overwrites secrets. A volatile write per byte, as `zeroize` does it, would take longer than signing.
pub(super) fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    optimization_barrier(bytes);
}

const MATERIAL: u32 = 64;
/// The flags of every call but those that make contexts.
pub(super) const FLAGS: u32 = WHOLE | MATERIAL;

impl Context {
    /// The hash of the first `len` bytes of a block that is zero behind them.
    pub(super) fn hash(&self, block: &[u8; 64], len: usize) -> [u8; 32] {
        *self.extended(block, len, 0).first_chunk().unwrap_or(&[0; 32])
    }

    /// Part `counter` of the hash's extended output.
    pub(super) fn extended(&self, block: &[u8; 64], len: usize, counter: u64) -> [u8; 64] {
        bytes(&fast::compress(&self.key, &words(block), counter, len as u32, FLAGS))
    }
}

/// The parts one after the other, then zeros; and how many bytes the parts are.
pub(super) fn block(parts: &[&[u8]]) -> ([u8; 64], usize) {
    let (mut out, mut len) = ([0; 64], 0);
    for part in parts {
        if let Some(slot) = out.get_mut(len..len + part.len()) {
            slot.copy_from_slice(part);
            len += part.len();
        }
    }
    (out, len)
}

pub(super) fn bytes(words: &[u32; 16]) -> [u8; 64] {
    let mut out = [0; 64];
    out.as_chunks_mut().0.iter_mut().zip(words).for_each(|(to, word)| *to = word.to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
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
