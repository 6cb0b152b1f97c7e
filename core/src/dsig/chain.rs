//! The hash calls of the one-time schemes, and how a key's values become 32 bytes.

use alloc::vec;

use sha2::{Digest, Sha256 as Sha2};

use super::haraka::{haraka256, haraka512};
use super::short::{Context, block, wipe};
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

    /// Takes every cell one step further: the front of each is replaced by its hash. Cost: one hash each.
    fn advance(place: Place, cells: &mut [Cell], shape: Shape) {
        for cell in cells {
            let hash = Self::hash(place, cell, shape.input);
            cell.0.iter_mut().zip(hash).take(shape.output).for_each(|(to, from)| *to = from);
        }
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

    fn compress(values: &[u8], len: usize, salt: &KeySalt) -> [u8; 32] {
        haraka_tree(values, len, salt)
    }
}

const CHAIN: Context = Context::new(domain::DSIG_CHAIN);
const FOREST: Context = Context::new(domain::DSIG_FOREST);
const PART: Context = Context::new(domain::DSIG_PART);
const KEY: Context = Context::new(domain::DSIG_KEY);

impl ChainHash for Blake3 {
    const MAX_INPUT: usize = 64;

    fn hash(place: Place, cell: &Cell, input: usize) -> [u8; 32] {
        match place {
            Place::Chain => CHAIN.hash(&cell.0, input),
            Place::Forest => FOREST.hash(&cell.0, input),
        }
    }

    /// Two levels, so that the lower one's parts can be hashed side by side: at most 8 parts of equally many values
    /// (the last may have fewer), each the first 24 bytes of `H(part u8 ‖ salt ‖ values)` under
    /// [`DSIG_PART`](domain::DSIG_PART); then `H(parts)` under [`DSIG_KEY`](domain::DSIG_KEY).
    fn compress(values: &[u8], len: usize, salt: &KeySalt) -> [u8; 32] {
        let mut top = KEY.hasher();
        let per_part = (values.len() / len.max(1)).div_ceil(8).max(1) * len.max(1);
        for (part, values) in (0u8..).zip(values.chunks(per_part)) {
            let hash = PART.hasher().update(&[part]).update(salt).update(values).finalize();
            top.update(hash.as_bytes().first_chunk::<24>().map_or(&[][..], |hash| hash));
        }
        *top.finalize().as_bytes()
    }
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

/// A binary tree of 24-byte nodes `Haraka-512(left[24] ‖ right[24] ‖ salt ‖ level u8 ‖ place u24)`, cut to 24 bytes. The
/// values are padded with zeros to 24 bytes, a node without a right neighbour goes up unchanged, and the root is padded
/// with zeros to 32 bytes. Each call is unlike any other, so a second preimage is what an attacker needs.
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
    for (node, value) in nodes.iter_mut().zip(values.chunks_exact(len.max(1))) {
        node.iter_mut().zip(value).for_each(|(to, from)| *to = *from);
    }
    let (mut count, mut level) = (count, 1u8);
    while count > 1 {
        for place in 0..count / 2 {
            let (Some(left), Some(right)) = (nodes.get(2 * place), nodes.get(2 * place + 1)) else { break };
            let tweak = ((place as u32) << 8 | u32::from(level)).to_le_bytes();
            let hash = haraka512(&block(&[left, right, salt, &tweak]).0);
            if let (Some(slot), Some(hash)) = (nodes.get_mut(place), hash.first_chunk()) {
                *slot = *hash;
            }
        }
        if count % 2 == 1 {
            nodes.copy_within(count - 1..count, count / 2);
        }
        (count, level) = (count.div_ceil(2), level + 1);
    }
    let mut root = [0; 32];
    root.iter_mut().zip(nodes.iter().flatten().take(24)).for_each(|(to, from)| *to = *from);
    root
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

    pub(super) fn of(parts: &[&[u8]]) -> Self {
        Self(block(parts).0)
    }

    pub(super) fn front(&self, len: usize) -> &[u8] {
        self.0.get(..len).unwrap_or_default()
    }

    pub(super) fn set(&mut self, at: usize, byte: u8) {
        self.0.iter_mut().skip(at).take(1).for_each(|slot| *slot = byte);
    }

    pub(super) fn at(&self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or_default()
    }
}
