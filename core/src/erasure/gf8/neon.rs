//! Vector kernel of 64-bit ARM, where these instructions are always available.
#![allow(unsafe_code, reason = "loads and stores")]
#![allow(clippy::indexing_slicing, reason = "bounds known to the compiler")]

use core::arch::aarch64::*;

use super::field::Factor;
use super::kernel::{Kernel, Rows};

/// Multiplies by table lookups of half bytes.
pub(super) const KERNEL: Kernel = Kernel { width: 16, group: 4, run };

fn run(rows: &Rows<'_>, inputs: &[&[u8]], outputs: &mut [&mut [u8]], from: usize, to: usize) {
    for at in (from..to).step_by(16) {
        // SAFETY: neon is part of this architecture.
        let mut sums = unsafe { [vdupq_n_u8(0); 4] };
        for (i, input) in inputs.iter().enumerate() {
            let Some(bytes) = input.get(at..).and_then(<[u8]>::first_chunk) else { continue };
            for (sum, row) in sums.iter_mut().zip(rows) {
                if let Some(factor) = row.get(i) {
                    // SAFETY: neon is part of this architecture.
                    *sum = unsafe { plus_product(*sum, bytes, factor) };
                }
            }
        }
        for (output, sum) in outputs.iter_mut().zip(sums) {
            if let Some(bytes) = output.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<16>) {
                // SAFETY: 16 bytes, of any alignment.
                unsafe { vst1q_u8(bytes.as_mut_ptr(), sum) }
            }
        }
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn plus_product(sum: uint8x16_t, bytes: &[u8; 16], factor: &Factor) -> uint8x16_t {
    // SAFETY: 16 bytes each, of any alignment.
    let (vector, low, high) =
        unsafe { (vld1q_u8(bytes.as_ptr()), vld1q_u8(factor.low.as_ptr()), vld1q_u8(factor.high.as_ptr())) };
    let (bottom, top) = (vandq_u8(vector, vdupq_n_u8(15)), vshrq_n_u8::<4>(vector));
    veorq_u8(sum, veorq_u8(vqtbl1q_u8(low, bottom), vqtbl1q_u8(high, top)))
}
