//! The layout of cells in vectors.
#![allow(unsafe_code, reason = "memory that is not cleared first")]

use core::mem::MaybeUninit;

use crate::dsig::fast::order::MAX_CHAINS;

/// The value length for which the hash input of a chain, with salt and two numbers, is 32 bytes.
pub(in crate::dsig::fast) const VALUE: usize = 18;
pub(super) type Value = [u8; VALUE];

/// Number of 16-byte blocks per input.
pub(in crate::dsig::fast) const BLOCKS_256: usize = 2;
pub(in crate::dsig::fast) const BLOCKS_512: usize = 4;

/// Number of interleaved vectors.
pub(super) const TURNS: usize = 8;
/// Up to this number of interleaved vectors take no longer than one.
pub(super) const FEW: usize = 4;
/// A smaller group for the remainder of a step: the next step can overlap with it.
pub(super) const TWO: usize = 2;
/// Storage for all chains, padded to whole groups of vectors.
pub(super) type Storage<T> = [MaybeUninit<T>; MAX_CHAINS + 2 * ARITY * TURNS];

/// Children of a node of the tree.
pub(super) const ARITY: usize = 3;

/// Returns the storage as initialised.
///
/// # Safety
/// All of `bytes` must have been written.
pub(super) unsafe fn written<T>(bytes: &mut [MaybeUninit<T>]) -> &mut [T] {
    // SAFETY: the caller has written it, and `MaybeUninit<T>` has the layout of `T`.
    unsafe { &mut *(core::ptr::from_mut(bytes) as *mut [T]) }
}
