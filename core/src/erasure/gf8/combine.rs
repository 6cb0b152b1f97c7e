//! Linear combinations of whole shards, with a kernel selected by the processor's features at run time.
//!
//! | processor | multiplication | in parallel |
//! |---|---|---|
//! | x86-64 with GFNI and AVX-512 | one instruction, a bit matrix | 64 bytes into 8 shards |
//! | x86-64 with AVX2 | two shuffles, tables of half bytes | 32 bytes into 4 shards |
//! | 64-bit ARM | the same | 16 bytes into 4 shards |
//! | others, and without the feature `std` | the same, byte by byte | |

use alloc::vec::Vec;

use super::kernel::{Kernel, Rows};

/// Number of input bytes to combine into all outputs before the next block, so that they stay in a cache.
const CACHED: usize = 192 * 1024;
/// Width of the widest vector in bytes.
const WIDEST: usize = 64;

/// Sets each output to the sum of the inputs, each multiplied by its factor in the output's row. All inputs and
/// outputs have the same length.
pub(super) fn combine(rows: &Rows<'_>, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) {
    combine_with(best(), rows, inputs, outputs);
}

/// Returns the fastest kernel of this processor.
fn best() -> Kernel {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if let Some(kernel) = super::x86::best() {
        return kernel;
    }
    #[cfg(target_arch = "aarch64")]
    return super::neon::KERNEL;
    #[cfg(not(target_arch = "aarch64"))]
    PLAIN
}

/// The portable kernel.
#[cfg_attr(target_arch = "aarch64", allow(dead_code, reason = "the reference of the tests"))]
pub(super) const PLAIN: Kernel = Kernel { width: 1, group: 1, run: plain };

fn combine_with(kernel: Kernel, rows: &Rows<'_>, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) {
    let lengths = inputs.iter().map(|i| i.len()).chain(outputs.iter().map(|o| o.len()));
    let Some(len) = lengths.min() else { return };
    let whole = len - len % kernel.width;
    let tile = (CACHED / inputs.len().max(1)).next_multiple_of(WIDEST);
    for from in (0..whole).step_by(tile) {
        let to = whole.min(from + tile);
        for (rows, outputs) in rows.chunks(kernel.group).zip(outputs.chunks_mut(kernel.group)) {
            (kernel.run)(rows, inputs, outputs, from, to);
        }
    }
    if whole < len {
        tail(kernel, rows, inputs, outputs, whole..len);
    }
}

/// Combines the bytes that do not fill a vector, zero-padded.
fn tail(
    kernel: Kernel,
    rows: &Rows<'_>,
    inputs: &[&[u8]],
    outputs: &mut [&mut [u8]],
    range: core::ops::Range<usize>,
) {
    let padded: Vec<[u8; WIDEST]> = inputs
        .iter()
        .map(|input| {
            let mut padded = [0; WIDEST];
            let rest = input.get(range.clone()).unwrap_or_default();
            padded.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            padded
        })
        .collect();
    let inputs: Vec<&[u8]> = padded.iter().map(<[u8; WIDEST]>::as_slice).collect();
    for (rows, outputs) in rows.chunks(kernel.group).zip(outputs.chunks_mut(kernel.group)) {
        let mut sums = alloc::vec![[0; WIDEST]; outputs.len()];
        let mut slices: Vec<&mut [u8]> = sums.iter_mut().map(<[u8; WIDEST]>::as_mut_slice).collect();
        (kernel.run)(rows, &inputs, &mut slices, 0, kernel.width);
        for (output, sum) in outputs.iter_mut().zip(&sums) {
            let rest = output.get_mut(range.clone()).unwrap_or_default();
            rest.iter_mut().zip(sum).for_each(|(to, from)| *to = *from);
        }
    }
}

fn plain(rows: &Rows<'_>, inputs: &[&[u8]], outputs: &mut [&mut [u8]], from: usize, to: usize) {
    for (row, output) in rows.iter().zip(outputs) {
        let Some(output) = output.get_mut(from..to) else { continue };
        output.fill(0);
        for (factor, input) in row.iter().zip(inputs) {
            let Some(input) = input.get(from..to) else { continue };
            for (sum, byte) in output.iter_mut().zip(input) {
                let [low, high] = [byte & 15, byte >> 4].map(usize::from);
                // A half byte is below 16, which the compiler can see.
                *sum ^= factor.low.get(low).unwrap_or(&0) ^ factor.high.get(high).unwrap_or(&0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::field::{FACTORS, Factor};
    use super::*;
    use proptest::prelude::*;

    fn kernels() -> Vec<Kernel> {
        #[allow(unused_mut)]
        let mut all = Vec::from([best(), PLAIN]);
        #[cfg(all(target_arch = "x86_64", feature = "std"))]
        all.extend(super::super::x86::all());
        all
    }

    proptest! {
        #[test]
        fn every_kernel_equals_the_portable_one(
            inputs in (1usize..6, 0usize..400).prop_flat_map(|(n, len)| {
                proptest::collection::vec(proptest::collection::vec(any::<u8>(), len), n)
            }),
            factors in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 6), 0..20),
        ) {
            let rows: Vec<Vec<&Factor>> = factors
                .iter()
                .map(|row| row.iter().take(inputs.len()).map(|f| &FACTORS[usize::from(*f)]).collect())
                .collect();
            let from: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
            let sums = |kernel: Kernel| {
                let mut sums = alloc::vec![alloc::vec![0xa5; inputs[0].len()]; rows.len()];
                let mut to: Vec<&mut [u8]> = sums.iter_mut().map(Vec::as_mut_slice).collect();
                combine_with(kernel, &rows, &from, &mut to);
                sums
            };
            let expected = sums(PLAIN);
            for kernel in kernels() {
                prop_assert_eq!(&sums(kernel), &expected, "{:?}", kernel);
            }
        }
    }

    #[test]
    fn shards_longer_than_a_cache_are_combined_to_the_end() {
        let long = alloc::vec![3u8; 2 * CACHED + 77];
        for kernel in kernels() {
            let mut sum = alloc::vec![0; long.len()];
            let row = [Vec::from([&FACTORS[7], &FACTORS[6]])];
            combine_with(kernel, &row, &[&long, &long], &mut [&mut sum]);
            assert_eq!(sum, long, "{kernel:?}");
        }
    }
}
