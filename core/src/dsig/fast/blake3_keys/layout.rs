//! The layout of values in vectors.
#![allow(unsafe_code, reason = "memory that is not cleared first")]
#![allow(clippy::indexing_slicing, reason = "bounds known to the compiler")]

use core::arch::x86_64::__m512i;
use core::mem::MaybeUninit;

use crate::dsig::fast::order::MAX_CHAINS;

/// The value length for which the hash input of a chain, with salt and two numbers, is 32 bytes.
pub(in crate::dsig::fast) const VALUE: usize = 18;
pub(super) type Value = [u8; VALUE];

pub(super) type V = __m512i;
pub(super) const LANES: usize = 16;
/// Lanes of a vector of half the width.
pub(super) const FEW: usize = 8;

/// Words of a value; half of the last word belongs to the salt.
pub(super) const WORDS: usize = 5;
pub(super) const OWN: u32 = 0xffff;

/// One word of all chains, padded to whole vectors.
pub(super) type Row = [MaybeUninit<u32>; MAX_CHAINS.next_multiple_of(LANES)];

/// Returns the written part of a row: whole vectors that hold `L` words.
///
/// # Safety
/// That part of the row must have been written.
pub(super) unsafe fn written<const L: usize>(row: &mut Row) -> &mut [u32] {
    let row = &mut row[..L.next_multiple_of(LANES)];
    // SAFETY: the caller has written the words, and `MaybeUninit<u32>` has the layout of `u32`.
    unsafe { &mut *(core::ptr::from_mut(row) as *mut [u32]) }
}
