//! Keys derived from domain strings at compile time.
//!
//! BLAKE3 derives such a key with one compression (the BLAKE3 paper, sections 2.1 to 2.3), a cost that matters where a
//! signature or a share takes a microsecond.

pub(crate) const IV: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// Message schedule: index of the block's word for each position of each round. The rounds are powers of one
/// permutation.
pub(crate) const SCHEDULE: [[usize; 16]; 7] = schedule();

/// Flag of the first block of a chunk.
pub(crate) const CHUNK_START: u32 = 1;
/// Flag of the last block of a chunk.
pub(crate) const CHUNK_END: u32 = 2;
/// Flag of the root of the tree.
pub(crate) const ROOT: u32 = 8;
/// Flags of a block that is the first and last of its chunk and the root of the tree.
pub(crate) const WHOLE: u32 = CHUNK_START | CHUNK_END | ROOT;
const CONTEXT: u32 = 32;

/// The key derived from a domain string.
pub(crate) struct Context {
    pub(crate) key: [u32; 8],
}

impl Context {
    /// Derives the key of a string of at most 64 bytes.
    #[allow(clippy::indexing_slicing, reason = "constant bounds, evaluated at compile time")]
    pub(crate) const fn new(domain: &str) -> Self {
        let bytes = domain.as_bytes();
        assert!(bytes.len() <= 64);
        let (mut block, mut i) = ([0; 64], 0);
        while i < bytes.len() {
            block[i] = bytes[i];
            i += 1;
        }
        let out = compress(&IV, &words(&block), 0, bytes.len() as u32, WHOLE | CONTEXT);
        let [a, b, c, d, e, f, g, h, ..] = out;
        Self { key: [a, b, c, d, e, f, g, h] }
    }

    /// Returns the key as bytes.
    #[allow(clippy::indexing_slicing, reason = "constant bounds")]
    pub(crate) const fn key_bytes(&self) -> [u8; 32] {
        let (mut out, mut i) = ([0; 32], 0);
        while i < 32 {
            out[i] = self.key[i / 4].to_le_bytes()[i % 4];
            i += 1;
        }
        out
    }

    /// Returns a hasher for inputs of any length.
    pub(crate) fn hasher(&self) -> blake3::Hasher {
        blake3::hazmat::HasherExt::new_from_context_key(&self.key_bytes())
    }
}

#[allow(clippy::indexing_slicing, reason = "constant bounds")]
pub(crate) const fn words(block: &[u8; 64]) -> [u32; 16] {
    let (mut out, mut i) = ([0; 16], 0);
    while i < 16 {
        out[i] = u32::from_le_bytes([block[4 * i], block[4 * i + 1], block[4 * i + 2], block[4 * i + 3]]);
        i += 1;
    }
    out
}

#[allow(clippy::indexing_slicing, reason = "constant bounds, evaluated at compile time")]
const fn schedule() -> [[usize; 16]; 7] {
    const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    let mut rounds = [[0; 16]; 7];
    let (mut round, mut i) = (0, 0);
    while i < 16 {
        rounds[0][i] = i;
        i += 1;
    }
    while round < 6 {
        i = 0;
        while i < 16 {
            rounds[round + 1][i] = rounds[round][PERMUTATION[i]];
            i += 1;
        }
        round += 1;
    }
    rounds
}

#[allow(clippy::indexing_slicing, reason = "constant bounds")]
pub(crate) const fn compress(key: &[u32; 8], m: &[u32; 16], counter: u64, len: u32, flags: u32) -> [u32; 16] {
    let [k0, k1, k2, k3, k4, k5, k6, k7] = *key;
    let (low, high) = (counter as u32, (counter >> 32) as u32);
    let mut v = [k0, k1, k2, k3, k4, k5, k6, k7, IV[0], IV[1], IV[2], IV[3], low, high, len, flags];
    let mut round = 0;
    while round < 7 {
        let s = &SCHEDULE[round];
        mix(&mut v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
        mix(&mut v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
        mix(&mut v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
        mix(&mut v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
        mix(&mut v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
        mix(&mut v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
        mix(&mut v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
        mix(&mut v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
        round += 1;
    }
    let mut i = 0;
    while i < 8 {
        v[i] ^= v[i + 8];
        v[i + 8] ^= key[i];
        i += 1;
    }
    v
}

#[inline(always)]
#[allow(clippy::indexing_slicing, clippy::too_many_arguments, reason = "constant bounds; the paper's G")]
const fn mix(v: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize, x: u32, y: u32) {
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
    v[d] = (v[d] ^ v[a]).rotate_right(16);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(12);
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
    v[d] = (v[d] ^ v[a]).rotate_right(8);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(7);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::domain;

    #[test]
    fn derives_the_same_key_as_blake3_for_each_domain() {
        for domain in domain::ALL {
            let (ours, theirs) = (Context::new(domain).hasher(), domain::hasher(domain));
            assert_eq!(ours.finalize(), theirs.finalize(), "{domain}");
        }
    }
}
