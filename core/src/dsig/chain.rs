//! The hash calls of the one-time schemes, and how a key's values become 32 bytes.

use alloc::vec;

use sha2::{Digest, Sha256 as Sha2};

use super::fast::{self, LANES, Walk};
use super::haraka::{haraka256, haraka512};
use super::short::{Context, MATERIAL, block, wipe};
use crate::wire::domain;

/// Bytes that are different in each key, and go into each of its chains' hash calls.
pub type KeySalt = [u8; 12];

/// The input of one hash call, and then the first bytes of its output: a value, what makes the call unlike any other,
/// zeros.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Cell(pub(super) [u8; 64]);

/// Where a hash call belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A step of a chain, or from a secret of HORS to its public value.
    Chain,
    /// From two nodes of a forest to the one above them.
    Forest,
}

/// How much of a [`Cell`] is hashed, and how much of the hash replaces its front.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Bytes of input.
    pub input: usize,
    /// Bytes of output, at most 32.
    pub output: usize,
}

/// A hash of short inputs with 32 bytes of output.
pub trait ChainHash: Send + Sync + 'static {
    /// The longest input.
    const MAX_INPUT: usize;

    /// The hash of a cell's first `input` bytes: the plain definition, which every faster form must equal.
    fn hash(place: Place, cell: &Cell, input: usize) -> [u8; 32];

    /// Replaces the front of every cell by its hash. Cost: one hash each.
    fn advance(place: Place, cells: &mut [Cell], shape: Shape) {
        Walk::once(shape).plain(cells, |cell| Self::hash(place, cell, shape.input));
    }

    /// Takes cell i along its chain, through the steps from `from[i]` to before `to`, whose number is the last byte
    /// of the input. Those that start together should be neighbours. Cost: one hash per step.
    fn walk(cells: &mut [Cell], from: &[u8], to: u8, shape: Shape) {
        Walk::steps(shape, from, to).plain(cells, |cell| Self::hash(Place::Chain, cell, shape.input));
    }

    /// 32 bytes that stand for all of a key's public values, each of `len` bytes.
    fn compress(values: &[u8], len: usize, salt: &KeySalt) -> [u8; 32];
}

/// Haraka-512: an input is padded with zeros to 64 bytes. Suite 1, the paper's.
pub enum Haraka512 {}

/// Haraka-256 of 32 bytes; Haraka-512 where an input is longer. Suite 2.
pub enum Haraka256 {}

/// BLAKE3 under [`DSIG_CHAIN`](domain::DSIG_CHAIN) and [`DSIG_FOREST`](domain::DSIG_FOREST). Suites 3 and 4.
pub enum Blake3 {}

/// SHA-256, the paper's slowest, to compare with.
pub enum Sha256 {}

impl ChainHash for Haraka512 {
    const MAX_INPUT: usize = 64;

    fn hash(_: Place, cell: &Cell, _: usize) -> [u8; 32] {
        haraka512(&cell.0)
    }

    fn advance(_: Place, cells: &mut [Cell], shape: Shape) {
        fast::haraka512(cells, &Walk::once(shape));
    }

    fn walk(cells: &mut [Cell], from: &[u8], to: u8, shape: Shape) {
        fast::haraka512(cells, &Walk::steps(shape, from, to));
    }

    fn compress(values: &[u8], len: usize, salt: &KeySalt) -> [u8; 32] {
        haraka_tree(values, len, salt)
    }
}

impl ChainHash for Haraka256 {
    const MAX_INPUT: usize = 64;

    fn hash(_: Place, cell: &Cell, input: usize) -> [u8; 32] {
        match cell.0.first_chunk() {
            Some(front) if input <= 32 => haraka256(front),
            _ => haraka512(&cell.0),
        }
    }

    fn advance(_: Place, cells: &mut [Cell], shape: Shape) {
        Self::many(cells, &Walk::once(shape));
    }

    fn walk(cells: &mut [Cell], from: &[u8], to: u8, shape: Shape) {
        Self::many(cells, &Walk::steps(shape, from, to));
    }

    fn compress(values: &[u8], len: usize, salt: &KeySalt) -> [u8; 32] {
        haraka_tree(values, len, salt)
    }
}

impl Haraka256 {
    fn many(cells: &mut [Cell], walk: &Walk<'_>) {
        if walk.shape.input <= 32 { fast::haraka256(cells, walk) } else { fast::haraka512(cells, walk) }
    }
}

const CHAIN: Context = Context::new(domain::DSIG_CHAIN);
const FOREST: Context = Context::new(domain::DSIG_FOREST);
const PART: Context = Context::new(domain::DSIG_PART);
const KEY: Context = Context::new(domain::DSIG_KEY);

impl ChainHash for Blake3 {
    const MAX_INPUT: usize = 64;

    fn hash(place: Place, cell: &Cell, input: usize) -> [u8; 32] {
        context(place).hash(&cell.0, input)
    }

    fn advance(place: Place, cells: &mut [Cell], shape: Shape) {
        fast::blake3(&context(place).key, cells, &Walk::once(shape));
    }

    fn walk(cells: &mut [Cell], from: &[u8], to: u8, shape: Shape) {
        fast::blake3(&CHAIN.key, cells, &Walk::steps(shape, from, to));
    }

    /// Two levels, so that the lower one's parts can be hashed side by side: at most 8 parts of equally many values
    /// (the last may have fewer), each the first 24 bytes of `H(part u8 ‖ salt ‖ values)` under
    /// [`DSIG_PART`](domain::DSIG_PART); then `H(parts)` under [`DSIG_KEY`](domain::DSIG_KEY).
    fn compress(values: &[u8], len: usize, salt: &KeySalt) -> [u8; 32] {
        let mut top = KEY.hasher();
        let per_part = (values.len() / len.max(1)).div_ceil(LANES).max(1) * len.max(1);
        if HEAD + per_part <= 1024 {
            for hash in parts_side_by_side(values, per_part, salt) {
                top.update(&hash);
            }
        } else {
            for (part, values) in (0u8..).zip(values.chunks(per_part)) {
                let hash = PART.hasher().update(&[part]).update(salt).update(values).finalize();
                top.update(hash.as_bytes().first_chunk::<24>().map_or(&[][..], |hash| hash));
            }
        }
        *top.finalize().as_bytes()
    }
}

fn context(place: Place) -> &'static Context {
    match place {
        Place::Chain => &CHAIN,
        Place::Forest => &FOREST,
    }
}

/// Bytes of a part before its values.
const HEAD: usize = 13;

/// The parts of a BLAKE3 key, each of one chunk of BLAKE3's, so that all do the same at the same time.
fn parts_side_by_side(values: &[u8], per_part: usize, salt: &KeySalt) -> impl Iterator<Item = [u8; 24]> {
    let parts = values.len().div_ceil(per_part);
    let mut out = [[0; 24]; LANES];
    let mut keys = [PART.key_bytes(); LANES];
    for at in 0..(HEAD + per_part).div_ceil(64) {
        let (mut blocks, mut lens, mut flags) = ([[0; 64]; LANES], [0; LANES], [0; LANES]);
        let mut last = [false; LANES];
        for (part, values) in values.chunks(per_part).enumerate() {
            let (Some(block), Some(len), Some(flags), Some(last)) =
                (blocks.get_mut(part), lens.get_mut(part), flags.get_mut(part), last.get_mut(part))
            else {
                break;
            };
            let taken = (64 * at).saturating_sub(HEAD);
            let mut from = 0;
            if at == 0 {
                let [number, head @ ..] = block;
                *number = part as u8;
                head.iter_mut().zip(salt).for_each(|(to, from)| *to = *from);
                from = HEAD;
            }
            let rest = values.get(taken..).unwrap_or_default();
            let count = rest.len().min(64 - from);
            if let (Some(to), Some(bytes)) = (block.get_mut(from..from + count), rest.get(..count)) {
                to.copy_from_slice(bytes);
            }
            *len = (from + count) as u32;
            *last = taken + count == values.len() && (at == 0 || count > 0);
            *flags = MATERIAL | u32::from(at == 0) | if *last { 2 | 8 } else { 0 };
        }
        let hashes = fast::compress8(&keys, &blocks, &[0; LANES], &lens, &flags);
        for (((hash, key), out), last) in hashes.iter().zip(&mut keys).zip(&mut out).zip(last) {
            if last {
                out.copy_from_slice(hash.first_chunk::<24>().unwrap_or(&[0; 24]));
            }
            *key = *hash.first_chunk().unwrap_or(&[0; 32]);
        }
    }
    out.into_iter().take(parts)
}

impl ChainHash for Sha256 {
    const MAX_INPUT: usize = 64;

    fn hash(_: Place, cell: &Cell, input: usize) -> [u8; 32] {
        Sha2::digest(cell.0.get(..input).unwrap_or_default()).into()
    }

    fn compress(values: &[u8], _: usize, salt: &KeySalt) -> [u8; 32] {
        Sha2::new().chain_update(salt).chain_update(values).finalize().into()
    }
}

/// A binary tree of 24-byte nodes `Haraka-512(left[24] ‖ right[24] ‖ salt ‖ level u8 ‖ place u24)`, cut to 24 bytes.
/// The values are padded with zeros to 24 bytes, a node without a right neighbour goes up unchanged, and the root is
/// padded with zeros to 32 bytes. Each call is unlike any other, so a second preimage is what an attacker needs.
fn haraka_tree(values: &[u8], len: usize, salt: &KeySalt) -> [u8; 32] {
    let count = values.len() / len.max(1);
    let (mut small, mut large) = ([[0; 24]; 136], vec![]);
    let nodes = match small.get_mut(..count) {
        Some(nodes) => nodes,
        None => {
            large.resize(count, [0; 24]);
            &mut large[..]
        }
    };
    match len {
        16 => padded::<16>(nodes, values),
        18 => padded::<18>(nodes, values),
        _ => nodes.iter_mut().zip(values.chunks_exact(len.max(1))).for_each(|(node, value)| {
            node.iter_mut().zip(value).for_each(|(to, from)| *to = *from);
        }),
    }
    let (mut count, mut level) = (count, 1u8);
    let [s0, s1] = numbers(block(&[salt]).0.first_chunk::<16>().unwrap_or(&[0; 16]));
    let mut cells = [Cell::ZERO; 34];
    while count > 1 {
        let pairs = count / 2;
        for start in (0..pairs).step_by(cells.len()) {
            let cells = cells.get_mut(..(pairs - start).min(34)).unwrap_or_default();
            for (cell, place) in cells.iter_mut().zip(start..) {
                let (Some(left), Some(right)) = (nodes.get(2 * place), nodes.get(2 * place + 1)) else {
                    break;
                };
                let [l0, l1, l2] = numbers(left);
                let [r0, r1, r2] = numbers(right);
                let place = (place as u32) << 8 | u32::from(level);
                *cell = Cell::of_numbers([l0, l1, l2, r0, r1, r2, s0, s1 | u64::from(place) << 32]);
            }
            fast::haraka512(cells, &Walk::once(Shape { input: 64, output: 24 }));
            for (node, cell) in nodes.iter_mut().skip(start).zip(cells) {
                *node = *cell.0.first_chunk().unwrap_or(&[0; 24]);
            }
        }
        if count % 2 == 1 {
            nodes.copy_within(count - 1..count, pairs);
        }
        (count, level) = (count.div_ceil(2), level + 1);
    }
    let mut root = [0; 32];
    root.iter_mut().zip(nodes.iter().flatten().take(24)).for_each(|(to, from)| *to = *from);
    root
}

fn numbers<const LEN: usize, const N: usize>(bytes: &[u8; LEN]) -> [u64; N] {
    let mut numbers = [0; N];
    numbers.iter_mut().zip(bytes.as_chunks().0).for_each(|(to, from)| *to = u64::from_le_bytes(*from));
    numbers
}

/// Values of a length that the compiler knows: two moves each, where any length takes a call.
fn padded<const N: usize>(nodes: &mut [[u8; 24]], values: &[u8]) {
    for (node, value) in nodes.iter_mut().zip(values.as_chunks::<N>().0) {
        if let Some(front) = node.first_chunk_mut() {
            *front = *value;
        }
    }
}

/// Cells on their way from secrets to public values. They wipe themselves.
pub(super) struct Scratch<const L: usize>(pub(super) [Cell; L]);

impl<const L: usize> Drop for Scratch<L> {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(|cell| wipe(&mut cell.0));
    }
}

impl Cell {
    pub(super) const ZERO: Cell = Cell([0; 64]);

    /// Little-endian numbers, put together in blocks of 16 bytes before they are written, because a processor that
    /// reads more than it wrote at once has to wait.
    #[inline]
    fn of_numbers(numbers: [u64; 8]) -> Self {
        let mut cell = Self::ZERO;
        for (block, [low, high]) in cell.0.as_chunks_mut::<16>().0.iter_mut().zip(numbers.as_chunks().0) {
            *block = (u128::from(*low) | u128::from(*high) << 64).to_le_bytes();
        }
        cell
    }

    pub(super) fn of(parts: &[&[u8]]) -> Self {
        Self(block(parts).0)
    }

    /// Bytes at a place that the compiler knows.
    #[inline]
    pub(super) fn put<const M: usize>(&mut self, at: usize, bytes: &[u8; M]) {
        if let Some(slot) = self.0.get_mut(at..at + M) {
            slot.copy_from_slice(bytes);
        }
    }

    /// The front becomes that of a hash. The lengths in use are moves; any other is a loop.
    #[inline]
    pub(super) fn replace(&mut self, hash: &[u8; 32], len: usize) {
        match len {
            16 => self.put::<16>(0, hash.first_chunk().unwrap_or(&[0; 16])),
            18 => self.put::<18>(0, hash.first_chunk().unwrap_or(&[0; 18])),
            24 => self.put::<24>(0, hash.first_chunk().unwrap_or(&[0; 24])),
            32 => self.put(0, hash),
            _ => self.0.iter_mut().zip(hash).take(len).for_each(|(to, from)| *to = *from),
        }
    }

    #[inline]
    pub(super) fn front(&self, len: usize) -> &[u8] {
        self.0.get(..len).unwrap_or_default()
    }

    #[inline]
    pub(super) fn set(&mut self, at: usize, byte: u8) {
        self.put(at, &[byte]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// The definitions, word by word.
    fn two_levels(values: &[u8], len: usize, salt: &KeySalt) -> [u8; 32] {
        let per_part = (values.len() / len).div_ceil(8) * len;
        let parts: Vec<u8> = values
            .chunks(per_part)
            .enumerate()
            .flat_map(|(part, values)| {
                let input = [&[part as u8][..], salt, values].concat();
                domain::hash(domain::DSIG_PART, &input)[..24].to_vec()
            })
            .collect();
        domain::hash(domain::DSIG_KEY, &parts)
    }

    fn tree(values: &[u8], len: usize, salt: &KeySalt) -> [u8; 32] {
        let pad = |value: &[u8]| core::array::from_fn::<u8, 24, _>(|i| value.get(i).copied().unwrap_or(0));
        let mut nodes: Vec<[u8; 24]> = values.chunks(len).map(pad).collect();
        let mut level = 1u8;
        while nodes.len() > 1 {
            let above = nodes.chunks(2).enumerate().map(|(place, pair)| match pair {
                [left, right] => {
                    let place = (place as u32).to_le_bytes();
                    let input = [&left[..], right, salt, &[level], &place[..3]].concat();
                    pad(&haraka512(&input.try_into().unwrap())[..24])
                }
                _ => pair[0],
            });
            nodes = above.collect();
            level += 1;
        }
        core::array::from_fn(|i| nodes[0].get(i).copied().unwrap_or(0))
    }

    proptest! {
        #[test]
        fn a_key_is_compressed_as_the_page_says(
            seed: [u8; 32], salt: KeySalt, (len, count) in prop_oneof![
                (Just(18usize), 1usize..140), (Just(24), 1usize..140), (Just(16), 1usize..600)
            ]
        ) {
            let mut values = vec![0; len * count];
            blake3::Hasher::new().update(&seed).finalize_xof().fill(&mut values);
            prop_assert_eq!(Blake3::compress(&values, len, &salt), two_levels(&values, len, &salt));
            prop_assert_eq!(Haraka256::compress(&values, len, &salt), tree(&values, len, &salt));
        }
    }

    #[test]
    fn every_place_in_a_chunk_is_the_same_to_the_lanes() {
        // Parts of all lengths around the ends of blocks, the last one shorter by every amount.
        for count in (1..=512).step_by(7).chain([504, 505, 506, 511, 512]) {
            let values: Vec<u8> = (0..16 * count).map(|i| (i * 7) as u8).collect();
            assert_eq!(Blake3::compress(&values, 16, &[1; 12]), two_levels(&values, 16, &[1; 12]), "{count}");
        }
    }
}
