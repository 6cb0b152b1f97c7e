//! Vector kernels of x86-64.
#![allow(unsafe_code, reason = "loads, stores, and calls after detection of the target features")]
#![allow(clippy::indexing_slicing, reason = "bounds known to the compiler")]

use core::arch::x86_64::*;
use std::arch::is_x86_feature_detected as has;

use super::kernel::{Kernel, Rows};

/// Returns the fastest kernel of this processor.
pub(super) fn best() -> Option<Kernel> {
    all().next()
}

/// Returns all kernels of this processor, the fastest first.
pub(super) fn all() -> impl Iterator<Item = Kernel> {
    let gfni = Kernel { width: 64, group: 8, run: gfni::checked };
    let avx2 = Kernel { width: 32, group: 4, run: avx2::checked };
    let gfni = (has!("gfni") && has!("avx512f")).then_some(gfni);
    gfni.into_iter().chain(has!("avx2").then_some(avx2))
}

/// Defines a kernel by its operations: `$split` prepares a vector of input, `$product` multiplies it by a factor.
macro_rules! kernel {
    ($features:literal, $width:literal, $v:ty, [$($group:literal),*]) => {
        pub(super) fn checked(
            rows: &Rows<'_>,
            inputs: &[&[u8]],
            outputs: &mut [&mut [u8]],
            from: usize,
            to: usize,
        ) {
            let fits = |len: usize| len >= to;
            let all = inputs.iter().all(|i| fits(i.len())) && outputs.iter().all(|o| fits(o.len()));
            assert!(all && (to - from) % $width == 0, "vectors end where the shards do");
            // SAFETY: `all` yields a kernel only if the processor has the instructions.
            unsafe { run(rows, inputs, outputs, from, to) }
        }

        #[target_feature(enable = $features)]
        fn run(rows: &Rows<'_>, inputs: &[&[u8]], outputs: &mut [&mut [u8]], from: usize, to: usize) {
            let (mut rows, mut outputs) = (rows, outputs);
            $(
                while let (Some((some, rest)), true) = (rows.split_first_chunk::<$group>(), outputs.len() >= $group) {
                    let (to_fill, others) = outputs.split_at_mut($group);
                    group::<$group>(some, inputs, to_fill, from, to);
                    (rows, outputs) = (rest, others);
                }
            )*
        }

        #[target_feature(enable = $features)]
        fn group<const R: usize>(
            rows: &[Vec<&Factor>; R],
            inputs: &[&[u8]],
            outputs: &mut [&mut [u8]],
            from: usize,
            to: usize,
        ) {
            let columns: Vec<[Prepared; R]> = (0..inputs.len())
                .map(|i| core::array::from_fn(|r| rows[r].get(i).map_or(Prepared::ZERO, |f| Prepared::new(f))))
                .collect();
            for at in (from..to).step_by($width) {
                let mut sums: [$v; R] = [zero(); R];
                for (input, factors) in inputs.iter().zip(&columns) {
                    // SAFETY: the caller ensures that the input reaches to the end of this vector.
                    let vector = split(unsafe { load(input.as_ptr().add(at)) });
                    for r in 0..R {
                        sums[r] = xor(sums[r], product(vector, &factors[r]));
                    }
                }
                for (output, sum) in outputs.iter_mut().zip(sums) {
                    // SAFETY: the caller ensures that the output reaches to the end of this vector.
                    unsafe { store(output.as_mut_ptr().add(at), sum) }
                }
            }
        }
    };
}

/// Multiplies by one affine transformation of each byte.
mod gfni {
    use alloc::vec::Vec;

    use super::super::field::Factor;
    use super::*;

    #[derive(Clone, Copy)]
    struct Prepared(u64);

    impl Prepared {
        const ZERO: Self = Self(0);

        fn new(factor: &Factor) -> Self {
            Self(factor.matrix)
        }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn load(from: *const u8) -> __m512i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn store(to: *mut u8, vector: __m512i) {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_storeu_si512(to.cast(), vector) }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn zero() -> __m512i {
        _mm512_setzero_si512()
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn xor(a: __m512i, b: __m512i) -> __m512i {
        _mm512_xor_si512(a, b)
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn split(vector: __m512i) -> __m512i {
        vector
    }

    #[target_feature(enable = "gfni,avx512f")]
    #[inline]
    fn product(vector: __m512i, factor: &Prepared) -> __m512i {
        _mm512_gf2p8affine_epi64_epi8::<0>(vector, _mm512_set1_epi64(factor.0.cast_signed()))
    }

    kernel!("gfni,avx512f", 64, __m512i, [8, 4, 2, 1]);
}

/// Multiplies by table lookups of half bytes.
mod avx2 {
    use alloc::vec::Vec;

    use super::super::field::Factor;
    use super::*;

    #[derive(Clone, Copy)]
    struct Prepared {
        low: [u8; 16],
        high: [u8; 16],
    }

    impl Prepared {
        const ZERO: Self = Self { low: [0; 16], high: [0; 16] };

        fn new(factor: &Factor) -> Self {
            Self { low: factor.low, high: factor.high }
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn load(from: *const u8) -> __m256i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn store(to: *mut u8, vector: __m256i) {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_storeu_si256(to.cast(), vector) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn zero() -> __m256i {
        _mm256_setzero_si256()
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn xor(a: __m256i, b: __m256i) -> __m256i {
        _mm256_xor_si256(a, b)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn split(vector: __m256i) -> [__m256i; 2] {
        let mask = _mm256_set1_epi8(15);
        [_mm256_and_si256(vector, mask), _mm256_and_si256(_mm256_srli_epi64::<4>(vector), mask)]
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn product(halves: [__m256i; 2], factor: &Prepared) -> __m256i {
        let [low, high] = [table(&factor.low), table(&factor.high)];
        _mm256_xor_si256(_mm256_shuffle_epi8(low, halves[0]), _mm256_shuffle_epi8(high, halves[1]))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn table(bytes: &[u8; 16]) -> __m256i {
        // SAFETY: 16 bytes, of any alignment.
        _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }

    kernel!("avx2", 32, __m256i, [4, 2, 1]);
}
