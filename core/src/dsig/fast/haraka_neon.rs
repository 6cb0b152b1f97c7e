//! Haraka with the AES instructions of 64-bit ARM.
#![allow(unsafe_code, reason = "loads and stores")]
#![allow(clippy::indexing_slicing, reason = "bounds known to the compiler")]

use core::arch::aarch64::*;

use super::super::cell::HashCell;
use super::super::haraka::CONSTANTS;
use super::groups::for_each_group;
use super::haraka_kernels::{advance, haraka_kernels};
use super::plain::block_of;
use super::walk::Walk;

type V = uint8x16_t;
const WIDTH: usize = 1;

#[target_feature(enable = "neon,aes")]
#[inline]
fn every(bytes: &[u8; 16]) -> V {
    // SAFETY: 16 bytes, of any alignment.
    unsafe { vld1q_u8(bytes.as_ptr()) }
}

#[target_feature(enable = "neon,aes")]
#[inline]
fn gather<const G: usize>(cells: &[HashCell; G], at: usize) -> [V; 2] {
    let cell = &cells[at].0;
    [every(block_of(cell, 0)), every(block_of(cell, 1))]
}

#[target_feature(enable = "neon,aes")]
#[inline]
fn gather_whole<const G: usize>(cells: &[HashCell; G], at: usize) -> [V; 4] {
    let cell = &cells[at].0;
    [every(block_of(cell, 0)), every(block_of(cell, 1)), every(block_of(cell, 2)), every(block_of(cell, 3))]
}

#[target_feature(enable = "neon,aes")]
#[inline]
fn scatter<const G: usize>(cells: &mut [HashCell; G], at: usize, vectors: [V; 2]) {
    for (bytes, vector) in cells[at].0.as_chunks_mut::<16>().0.iter_mut().zip(vectors) {
        // SAFETY: 16 bytes, of any alignment.
        unsafe { vst1q_u8(bytes.as_mut_ptr(), vector) }
    }
}

#[target_feature(enable = "neon,aes")]
#[inline]
fn lanes(are_ones: &[bool; WIDTH]) -> V {
    vdupq_n_u8(if are_ones[0] { 0xff } else { 0 })
}

/// Defines functions of one or a few instructions under the names that the kernels use.
macro_rules! operations {
    ($($name:ident = |$a:ident, $b:ident| $body:expr;)*) => {$(
        #[target_feature(enable = "neon,aes")]
        #[inline]
        fn $name($a: V, $b: V) -> V {
            $body
        }
    )*};
}

operations! {
    // ARM's instruction adds the key before SubBytes, x86's after MixColumns. So run a round with a zero key, then
    // add the key.
    aes = |a, key| veorq_u8(vaesmcq_u8(vaeseq_u8(a, vdupq_n_u8(0))), key);
    low32 = |a, b| vreinterpretq_u8_u32(vzip1q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
    high32 = |a, b| vreinterpretq_u8_u32(vzip2q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
    low64 = |a, b| vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
    high64 = |a, b| vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
    xor = |a, b| veorq_u8(a, b);
    and = |a, b| vandq_u8(a, b);
}
haraka_kernels!("neon,aes");
