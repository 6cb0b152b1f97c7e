//! The hash functions of the one-time schemes.

use sha2::{Digest, Sha256 as Sha2};

use super::cell::{CHAIN, HashCell, HashRole, HashShape, KeySalt, context};
use super::fast::{self, Walk};
use super::haraka::{haraka256, haraka512};
use super::key_tree;

/// A hash of short inputs with 32 bytes of output. The trait is sealed: this crate has four implementations.
pub trait ChainHash: Sized + Send + Sync + 'static {
    /// Maximum length of an input, in bytes.
    const MAX_INPUT: usize;

    /// Hashes the first `input` bytes of a cell. This is the reference definition that every vectorised form must
    /// equal.
    fn hash(role: HashRole, cell: &HashCell, input: usize) -> [u8; 32];

    /// Replaces the front of every cell with its hash. Cost: one hash per cell.
    fn advance(role: HashRole, cells: &mut [HashCell], shape: HashShape) {
        Walk::once(shape).plain(cells, |cell| Self::hash(role, cell, shape.input));
    }

    /// Advances cell i along its chain from step `from[i]` up to but excluding `to`. The step number is the last byte
    /// of the input. Adjacent cells should start at the same step. Cost: one hash per step.
    fn walk(cells: &mut [HashCell], from: &[u8], to: u8, shape: HashShape) {
        Walk::steps(shape, from, to).plain(cells, |cell| Self::hash(HashRole::Chain, cell, shape.input));
    }

    /// Returns the public key that the values of a W-OTS⁺ signature lead to, for digits of `B` bits, or `None` where
    /// there is no faster way than [`walk`](Self::walk) and [`compress`](Self::compress).
    fn recover<const N: usize, const L: usize, const B: usize>(
        values: &[[u8; N]; L],
        digits: impl FnOnce() -> [u8; L],
        salt: &KeySalt,
    ) -> Option<[u8; 32]> {
        let _ = (values, digits, salt);
        None
    }

    /// Computes all values of a W-OTS⁺ key from the chain starts in `levels[0]`, and returns the public key. Returns
    /// `None` where there is no faster way than [`walk`](Self::walk) and [`compress`](Self::compress).
    fn grow<const N: usize, const L: usize>(levels: &mut [[[u8; N]; L]], salt: &KeySalt) -> Option<[u8; 32]> {
        let _ = (levels, salt);
        None
    }

    /// Hashes a key's public values, of at most 27 bytes each, to 32 bytes. Cost: one hash per 3 values of up to 18
    /// bytes, plus half as many for the levels above.
    fn compress<const N: usize>(values: &[[u8; N]], salt: &KeySalt) -> [u8; 32] {
        key_tree::top(values, salt, |cells, shape| Self::advance(HashRole::Key, cells, shape))
    }
}

/// Haraka-512 on inputs padded with zeros to 64 bytes, as in the paper. Suite 1.
pub enum Haraka512 {}

/// Haraka-256 for inputs of up to 32 bytes, Haraka-512 for longer ones. Suite 2.
pub enum Haraka256 {}

/// BLAKE3 under [`DSIG_CHAIN`](crate::wire::domain::DSIG_CHAIN), [`DSIG_FOREST`](crate::wire::domain::DSIG_FOREST) and
/// [`DSIG_KEY`](crate::wire::domain::DSIG_KEY). Suites 3 and 4.
pub enum Blake3 {}

/// SHA-256, the slowest hash of the paper, for comparison.
pub enum Sha256 {}

impl ChainHash for Haraka512 {
    const MAX_INPUT: usize = 64;

    fn hash(_: HashRole, cell: &HashCell, _: usize) -> [u8; 32] {
        haraka512(&cell.0)
    }

    fn advance(_: HashRole, cells: &mut [HashCell], shape: HashShape) {
        fast::haraka512(cells, &Walk::once(shape));
    }

    fn walk(cells: &mut [HashCell], from: &[u8], to: u8, shape: HashShape) {
        fast::haraka512(cells, &Walk::steps(shape, from, to));
    }

    fn recover<const N: usize, const L: usize, const B: usize>(
        values: &[[u8; N]; L],
        digits: impl FnOnce() -> [u8; L],
        salt: &KeySalt,
    ) -> Option<[u8; 32]> {
        fast::recover_haraka::<true, N, L, B>(values, digits, salt)
    }

    fn grow<const N: usize, const L: usize>(levels: &mut [[[u8; N]; L]], salt: &KeySalt) -> Option<[u8; 32]> {
        fast::grow_haraka::<true, N, L>(levels, salt)
    }
}

impl ChainHash for Haraka256 {
    const MAX_INPUT: usize = 64;

    fn hash(_: HashRole, cell: &HashCell, input: usize) -> [u8; 32] {
        match cell.0.first_chunk() {
            Some(front) if input <= 32 => haraka256(front),
            _ => haraka512(&cell.0),
        }
    }

    fn advance(_: HashRole, cells: &mut [HashCell], shape: HashShape) {
        Self::many(cells, &Walk::once(shape));
    }

    fn walk(cells: &mut [HashCell], from: &[u8], to: u8, shape: HashShape) {
        Self::many(cells, &Walk::steps(shape, from, to));
    }

    fn recover<const N: usize, const L: usize, const B: usize>(
        values: &[[u8; N]; L],
        digits: impl FnOnce() -> [u8; L],
        salt: &KeySalt,
    ) -> Option<[u8; 32]> {
        fast::recover_haraka::<false, N, L, B>(values, digits, salt)
    }

    fn grow<const N: usize, const L: usize>(levels: &mut [[[u8; N]; L]], salt: &KeySalt) -> Option<[u8; 32]> {
        fast::grow_haraka::<false, N, L>(levels, salt)
    }
}

impl Haraka256 {
    fn many(cells: &mut [HashCell], walk: &Walk<'_>) {
        if walk.shape.input <= 32 { fast::haraka256(cells, walk) } else { fast::haraka512(cells, walk) }
    }
}

impl ChainHash for Blake3 {
    const MAX_INPUT: usize = 64;

    fn hash(role: HashRole, cell: &HashCell, input: usize) -> [u8; 32] {
        context(role).hash(&cell.0, input)
    }

    fn advance(role: HashRole, cells: &mut [HashCell], shape: HashShape) {
        fast::blake3(&context(role).key, cells, &Walk::once(shape));
    }

    fn walk(cells: &mut [HashCell], from: &[u8], to: u8, shape: HashShape) {
        fast::blake3(&CHAIN.key, cells, &Walk::steps(shape, from, to));
    }

    fn recover<const N: usize, const L: usize, const B: usize>(
        values: &[[u8; N]; L],
        digits: impl FnOnce() -> [u8; L],
        salt: &KeySalt,
    ) -> Option<[u8; 32]> {
        fast::recover_blake3::<N, L, B>(values, digits, salt)
    }
}

impl ChainHash for Sha256 {
    const MAX_INPUT: usize = 64;

    fn hash(_: HashRole, cell: &HashCell, input: usize) -> [u8; 32] {
        Sha2::digest(cell.0.get(..input).unwrap_or_default()).into()
    }

    /// Hashes all values in a single call, because SHA-256 has no fixed-length 64-byte mode.
    fn compress<const N: usize>(values: &[[u8; N]], salt: &KeySalt) -> [u8; 32] {
        Sha2::new().chain_update(salt).chain_update(values.as_flattened()).finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// Compresses as the definition states, node by node.
    fn plain<H: ChainHash, const N: usize>(values: &[[u8; N]], salt: &KeySalt) -> [u8; 32] {
        let mut nodes = values.to_vec();
        for level in 1u8.. {
            let hashes: Vec<[u8; 32]> = nodes
                .chunks(54 / N)
                .enumerate()
                .map(|(place, children)| {
                    let mut call = children.concat();
                    call.resize(54, 0);
                    call.extend(&salt[..6]);
                    call.extend(&place.to_le_bytes()[..3]);
                    call.push(level);
                    H::hash(HashRole::Key, &HashCell(call.try_into().unwrap()), 64)
                })
                .collect();
            if let [top] = hashes[..] {
                return top;
            }
            nodes = hashes.iter().map(|hash| *hash.first_chunk().unwrap()).collect();
        }
        unreachable!()
    }

    fn agrees<const N: usize>(seed: &[u8; 32], salt: &KeySalt, count: usize) {
        let mut values = vec![[0; N]; count];
        blake3::Hasher::new().update(seed).finalize_xof().fill(values.as_flattened_mut());
        assert_eq!(Blake3::compress(&values, salt), plain::<Blake3, N>(&values, salt));
        assert_eq!(Haraka256::compress(&values, salt), plain::<Haraka256, N>(&values, salt));
        assert_eq!(Haraka512::compress(&values, salt), plain::<Haraka512, N>(&values, salt));
    }

    proptest! {
        #[test]
        fn compression_of_a_key_matches_its_definition(seed: [u8; 32], salt: KeySalt, count in 1usize..600) {
            agrees::<16>(&seed, &salt, count);
            agrees::<18>(&seed, &salt, count);
            agrees::<24>(&seed, &salt, count);
            agrees::<27>(&seed, &salt, count);
        }
    }
}
