//! The hash calls of the one-time schemes.

use sha2::{Digest, Sha256 as Sha2};

use super::fast::{self, Walk};
use super::haraka::{haraka256, haraka512};
use super::key_tree;
use super::short::{Context, block, wipe};
use crate::wire::domain;

/// Bytes that are different in each key, and go into each of its chains' hash calls.
pub(super) type KeySalt = [u8; 12];

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
    /// A node above a key's public values.
    Key,
}

/// How much of a [`Cell`] is hashed, and how much of the hash replaces its front.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Bytes of input.
    pub input: usize,
    /// Bytes of output, at most 32.
    pub output: usize,
}

/// A hash of short inputs with 32 bytes of output. The four of this crate; no other can be written outside of it.
pub trait ChainHash: Sized + Send + Sync + 'static {
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

    /// The key to which the values of a W-OTS⁺ signature lead, of a digest of these digits of `B` bits, where there is a
    /// faster way than [`walk`](Self::walk) and [`compress`](Self::compress).
    fn recover<const N: usize, const L: usize, const B: usize>(
        values: &[[u8; N]; L],
        digits: impl FnOnce() -> [u8; L],
        salt: &KeySalt,
    ) -> Option<[u8; 32]> {
        let _ = (values, digits, salt);
        None
    }

    /// All values of a W-OTS⁺ key, from those of its chains' starts, which are the first of `levels`; and the key. Where
    /// there is a faster way, as of [`recover`](Self::recover).
    fn grow<const N: usize, const L: usize>(levels: &mut [[[u8; N]; L]], salt: &KeySalt) -> Option<[u8; 32]> {
        let _ = (levels, salt);
        None
    }

    /// 32 bytes that stand for all of a key's public values, of at most 27 bytes each. Cost: a hash for 3 values of
    /// up to 18 bytes, and half as many again above them.
    fn compress<const N: usize>(values: &[[u8; N]], salt: &KeySalt) -> [u8; 32] {
        key_tree::top::<Self, N>(values, salt)
    }
}

/// Haraka-512: an input is padded with zeros to 64 bytes. Suite 1, the paper's.
pub enum Haraka512 {}

/// Haraka-256 of 32 bytes; Haraka-512 where an input is longer. Suite 2.
pub enum Haraka256 {}

/// BLAKE3 under [`DSIG_CHAIN`](domain::DSIG_CHAIN), [`DSIG_FOREST`](domain::DSIG_FOREST) and
/// [`DSIG_KEY`](domain::DSIG_KEY). Suites 3 and 4.
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
    fn many(cells: &mut [Cell], walk: &Walk<'_>) {
        if walk.shape.input <= 32 { fast::haraka256(cells, walk) } else { fast::haraka512(cells, walk) }
    }
}

pub(super) const CHAIN: Context = Context::new(domain::DSIG_CHAIN);
const FOREST: Context = Context::new(domain::DSIG_FOREST);
pub(super) const KEY: Context = Context::new(domain::DSIG_KEY);

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

    fn recover<const N: usize, const L: usize, const B: usize>(
        values: &[[u8; N]; L],
        digits: impl FnOnce() -> [u8; L],
        salt: &KeySalt,
    ) -> Option<[u8; 32]> {
        fast::recover_blake3::<N, L, B>(values, digits, salt)
    }
}

fn context(place: Place) -> &'static Context {
    match place {
        Place::Chain => &CHAIN,
        Place::Forest => &FOREST,
        Place::Key => &KEY,
    }
}

impl ChainHash for Sha256 {
    const MAX_INPUT: usize = 64;

    fn hash(_: Place, cell: &Cell, input: usize) -> [u8; 32] {
        Sha2::digest(cell.0.get(..input).unwrap_or_default()).into()
    }

    /// At once, for it has no call of 64 bytes.
    fn compress<const N: usize>(values: &[[u8; N]], salt: &KeySalt) -> [u8; 32] {
        Sha2::new().chain_update(salt).chain_update(values.as_flattened()).finalize().into()
    }
}

/// Cells on their way from secrets to public values. They wipe themselves.
pub struct Scratch<const L: usize>(pub(super) [Cell; L]);

impl<const L: usize> Default for Scratch<L> {
    fn default() -> Self {
        Self([Cell::ZERO; L])
    }
}

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
