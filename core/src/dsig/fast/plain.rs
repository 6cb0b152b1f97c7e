//! Reference forms of the operations on several inputs, for the remainder of a vectorised call and for the tests.

use super::walk::Walk;
use crate::dsig::block::{self, FLAGS, bytes, words};
use crate::dsig::cell::HashCell;

/// Number of blocks that [`extend`](super::extend) computes.
pub(in super::super) const LANES: usize = 8;

/// Returns a 16-byte block of a cell.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "std"))]
pub(super) fn block_of(cell: &[u8; 64], block: usize) -> &[u8; 16] {
    cell.as_chunks().0.get(block).unwrap_or(&[0; 16])
}

/// Hashes cells one by one with a BLAKE3 compression.
pub(super) fn blake3_one_by_one(
    key: &[u32; 8],
    cells: &mut [HashCell],
    walk: &Walk<'_>,
    compress: impl Fn(&[u32; 8], &[u32; 16], u64, u32, u32) -> [u32; 16],
) {
    walk.plain(cells, |cell| {
        let out = bytes(&compress(key, &words(&cell.0), 0, walk.shape.input as u32, FLAGS));
        *out.first_chunk().unwrap_or(&[0; 32])
    });
}

/// Reference form of [`extend`](super::extend).
pub(super) fn plain_extend(
    key: &[u32; 8],
    m: &[u32; 16],
    len: u32,
    counters: &[u32; LANES],
    out: &mut [[u8; 64]; LANES],
) {
    for (out, counter) in out.iter_mut().zip(counters) {
        *out = bytes(&block::compress(key, m, u64::from(*counter), len, FLAGS));
    }
}
