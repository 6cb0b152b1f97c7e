//! The inputs of the one-time schemes' hash calls.

use super::block::{Context, block, wipe};
use crate::wire::domain;

/// Random salt of a key. It is an input of every hash call of the key's chains.
pub(super) type KeySalt = [u8; 12];

/// Input of one hash call, whose first bytes the output then replaces: a value, then a tweak unique to the call, then
/// zeros.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct HashCell(pub(super) [u8; 64]);

/// The role of a hash call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HashRole {
    /// A step of a chain, or from a HORS secret to its public value.
    Chain,
    /// From two nodes of a HORS forest to their parent.
    Forest,
    /// An inner node of the tree over a key's public values.
    Key,
}

/// Input and output lengths of a hash call on a [`HashCell`].
#[derive(Clone, Copy, Debug)]
pub struct HashShape {
    /// Bytes of input.
    pub input: usize,
    /// Bytes of output written to the front of the cell, at most 32.
    pub output: usize,
}

/// Cells used while computing public values from secrets. Wiped when dropped.
pub struct Scratch<const L: usize>(pub(super) [HashCell; L]);

impl<const L: usize> Default for Scratch<L> {
    fn default() -> Self {
        Self([HashCell::ZERO; L])
    }
}

impl<const L: usize> Drop for Scratch<L> {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(|cell| wipe(&mut cell.0));
    }
}

impl HashCell {
    pub(super) const ZERO: HashCell = HashCell([0; 64]);

    pub(super) fn from_parts(parts: &[&[u8]]) -> Self {
        Self(block(parts).0)
    }

    /// Writes `bytes` at `at`, a position known at compile time.
    #[inline]
    pub(super) fn put<const M: usize>(&mut self, at: usize, bytes: &[u8; M]) {
        if let Some(slot) = self.0.get_mut(at..at + M) {
            slot.copy_from_slice(bytes);
        }
    }

    /// Replaces the front with the first `len` bytes of a hash. The lengths in use compile to moves, any other to a
    /// loop.
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

pub(super) const CHAIN: Context = Context::new(domain::DSIG_CHAIN);
const FOREST: Context = Context::new(domain::DSIG_FOREST);
pub(super) const KEY: Context = Context::new(domain::DSIG_KEY);

/// Returns the BLAKE3 context of a role.
pub(super) fn context(role: HashRole) -> &'static Context {
    match role {
        HashRole::Chain => &CHAIN,
        HashRole::Forest => &FOREST,
        HashRole::Key => &KEY,
    }
}
