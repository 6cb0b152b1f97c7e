//! One block of BLAKE3: its words and bytes, and the flags of a hash of a single block.

use zeroize::optimization_barrier;

use crate::wire::context::WHOLE;
pub(super) use crate::wire::context::{CHUNK_END, CHUNK_START, Context, ROOT, compress, words};

/// Overwrites secrets with zeros. A volatile write per byte, as in `zeroize`, would take longer than signing.
pub(super) fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    optimization_barrier(bytes);
}

/// Flag of every compression except those that derive context keys.
pub(super) const MATERIAL: u32 = 64;
/// Flags of a hash of a single block.
pub(super) const FLAGS: u32 = WHOLE | MATERIAL;

/// Concatenates the parts into a zero-padded block. Returns the block and the length of the parts.
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
