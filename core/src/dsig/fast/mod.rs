//! Vectorised hash calls, selected by the processor's features at run time and never required. Every function here
//! equals the reference definition cell by cell, and runs it on processors without these features.
//!
//! | what | processor | in parallel |
//! |---|---|---|
//! | Haraka | x86-64 with AES-NI; VAES; VAES and AVX-512 | 4 of 256 bits, 2 of 512; 8 and 4; 16 and 8 |
//! | Haraka | 64-bit ARM with AES | 4 of 256 bits, 2 of 512 |
//! | whole W-OTS⁺ keys over Haraka | x86-64 with VAES and AVX-512 with VBMI and VBMI2 | 16 and 8 |
//! | BLAKE3 | x86-64 with AVX2; AVX-512 | 8; 16 |
//! | whole W-OTS⁺ signatures over BLAKE3 | x86-64 with AVX-512 with VBMI and VBMI2 | 16, 8 |
//! | selection of the signed values of W-OTS⁺ | x86-64 with AVX-512 with VBMI and VBMI2 | 64 bytes |
//!
//! The reference Haraka uses the crate `aes`, which has AES instructions on x86 and ARM and constant-time code
//! elsewhere.

#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod blake3_kernels;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod blake3_keys;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod blake3_x86;
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "std"))]
mod groups;
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "std"))]
mod haraka_kernels;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod haraka_keys;
#[cfg(all(target_arch = "aarch64", feature = "std"))]
mod haraka_neon;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod haraka_x86;
mod order;
mod plain;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod select_x86;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod single_x86;
mod sort;
mod walk;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod x86;

pub(super) use self::plain::LANES;
use self::plain::{blake3_one_by_one, plain_extend};
pub(super) use self::sort::sort_digits;
pub(super) use self::walk::Walk;
use super::block;
use super::cell::{HashCell, KeySalt};
use super::haraka;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
use zeroize::optimization_barrier;

/// Hashes cells of 32 bytes with Haraka-256.
pub(super) fn haraka256(cells: &mut [HashCell], walk: &Walk<'_>) {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if x86::Haraka::AesNi.is_available() {
        return x86::by_width(cells, walk, 4, x86::Haraka::haraka256);
    }
    #[cfg(all(target_arch = "aarch64", feature = "std"))]
    if std::arch::is_aarch64_feature_detected!("aes") {
        #[allow(unsafe_code, reason = "the processor was found to have the instructions")]
        // SAFETY: the processor has the instructions.
        return unsafe { haraka_neon::haraka256(cells, walk) };
    }
    walk.plain(cells, |cell| cell.0.first_chunk().map_or([0; 32], haraka::haraka256));
}

/// Hashes cells with Haraka-512.
pub(super) fn haraka512(cells: &mut [HashCell], walk: &Walk<'_>) {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if x86::Haraka::AesNi.is_available() {
        return x86::by_width(cells, walk, 2, x86::Haraka::haraka512);
    }
    #[cfg(all(target_arch = "aarch64", feature = "std"))]
    if std::arch::is_aarch64_feature_detected!("aes") {
        #[allow(unsafe_code, reason = "the processor was found to have the instructions")]
        // SAFETY: the processor has the instructions.
        return unsafe { haraka_neon::haraka512(cells, walk) };
    }
    walk.plain(cells, |cell| haraka::haraka512(&cell.0));
}

/// Returns the W-OTS⁺ key over Haraka-256 or Haraka-512 that a signature's values lead to, for digits of `B` bits.
/// Returns `None` where there is no faster way than step by step.
#[inline]
pub(super) fn recover_haraka<const IS_512: bool, const N: usize, const L: usize, const B: usize>(
    values: &[[u8; N]; L],
    digits: impl FnOnce() -> [u8; L],
    salt: &KeySalt,
) -> Option<[u8; 32]> {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if N == haraka_keys::VALUE && x86::has_haraka_keys() {
        let values = values.as_flattened().as_chunks().0.first_chunk()?;
        #[allow(unsafe_code, reason = "the processor was found to have the instructions")]
        // SAFETY: the processor has the instructions.
        return unsafe {
            match IS_512 {
                false => haraka_keys::recover::<{ haraka_keys::BLOCKS_256 }, L, B>(values, digits, salt),
                true => haraka_keys::recover::<{ haraka_keys::BLOCKS_512 }, L, B>(values, digits, salt),
            }
        };
    }
    let _ = (values, digits, salt);
    None
}

/// Returns the W-OTS⁺ key over BLAKE3 that a signature's values lead to, as [`recover_haraka`] does over Haraka.
#[inline]
pub(super) fn recover_blake3<const N: usize, const L: usize, const B: usize>(
    values: &[[u8; N]; L],
    digits: impl FnOnce() -> [u8; L],
    salt: &KeySalt,
) -> Option<[u8; 32]> {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if N == blake3_keys::VALUE && x86::has_permutations() {
        let values = values.as_flattened().as_chunks().0.first_chunk()?;
        #[allow(unsafe_code, reason = "the processor was found to have the instructions")]
        // SAFETY: the processor has the instructions.
        return unsafe { blake3_keys::recover::<L, B>(values, digits, salt) };
    }
    let _ = (values, digits, salt);
    None
}

/// Computes all values of a W-OTS⁺ key over Haraka-256 or Haraka-512 from `levels[0]`, and returns the key. Returns
/// `None` where there is no faster way than step by step.
#[inline]
pub(super) fn grow_haraka<const IS_512: bool, const N: usize, const L: usize>(
    levels: &mut [[[u8; N]; L]],
    salt: &KeySalt,
) -> Option<[u8; 32]> {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if N == haraka_keys::VALUE && x86::has_haraka_keys() {
        let levels = levels.as_flattened_mut().as_flattened_mut().as_chunks_mut().0.as_chunks_mut().0;
        #[allow(unsafe_code, reason = "the processor was found to have the instructions")]
        // SAFETY: the processor has the instructions.
        return Some(unsafe {
            match IS_512 {
                false => haraka_keys::grow::<{ haraka_keys::BLOCKS_256 }, L>(levels, salt),
                true => haraka_keys::grow::<{ haraka_keys::BLOCKS_512 }, L>(levels, salt),
            }
        });
    }
    let _ = (levels, salt);
    None
}

/// Copies the `N`-byte values that a digest's digits of `B` bits select, from `L` chains of a W-OTS⁺ key stored level
/// by level. Returns false where there is no faster way than one by one, and then leaves `selected` as it was.
#[inline]
pub(super) fn select<const N: usize, const L: usize, const B: usize>(
    levels: &[u8],
    digest: &[u8; 64],
    selected: &mut [u8],
) -> bool {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if let (select_x86::CHAINS, 2, 1..=select_x86::MAX_VALUE) = (L, B, N)
        && (levels.len(), selected.len()) == (4 * N * L, N * L)
        && x86::has_permutations()
    {
        #[allow(unsafe_code, reason = "the processor was found to have the instructions")]
        // SAFETY: the processor has the instructions.
        unsafe {
            select_x86::select::<N>(levels, digest, selected);
        }
        return true;
    }
    let _ = (levels, digest, selected);
    false
}

/// Overwrites a key with zeros.
#[inline]
pub(super) fn wipe(bytes: &mut [u8]) {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if x86::has_permutations() {
        #[allow(unsafe_code, reason = "the processor was found to have the instructions")]
        // SAFETY: the processor has the instructions.
        unsafe {
            select_x86::wipe(bytes);
        }
        return optimization_barrier(bytes);
    }
    block::wipe(bytes);
}

/// Prefetches bytes into the cache.
#[inline]
pub(super) fn fetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[allow(unsafe_code, reason = "a hint, which accesses no memory")]
        // SAFETY: every x86-64 has the instruction, and it reads nothing.
        let line = |start: *const u8| unsafe { _mm_prefetch::<_MM_HINT_T0>(start.cast()) };
        let (lines, rest) = bytes.as_chunks::<64>();
        lines.iter().for_each(|bytes| line(bytes.as_ptr()));
        line(rest.as_ptr());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

/// Hashes cells with BLAKE3 under a context's key.
pub(super) fn blake3(key: &[u32; 8], cells: &mut [HashCell], walk: &Walk<'_>) {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if let Some(blake3) = x86::blake3() {
        return blake3.advance(key, cells, walk);
    }
    blake3_one_by_one(key, cells, walk, block::compress);
}

/// Runs one BLAKE3 compression.
#[inline]
pub(super) fn compress(key: &[u32; 8], m: &[u32; 16], counter: u64, len: u32, flags: u32) -> [u32; 16] {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if let Some(blake3) = x86::blake3() {
        return blake3.compress(key, m, counter, len, flags);
    }
    block::compress(key, m, counter, len, flags)
}

/// Computes blocks of the extended output of a block of `len` bytes under a context's key, from block `counter` on.
pub(super) fn extend(key: &[u32; 8], m: &[u32; 16], len: u32, counter: u32, out: &mut [[u8; 64]; LANES]) {
    let counters: [u32; LANES] = core::array::from_fn(|lane| counter + lane as u32);
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if let Some(blake3) = x86::blake3() {
        return blake3.extend(key, m, len, &counters, out);
    }
    plain_extend(key, m, len, &counters, out);
}

#[cfg(test)]
mod tests {
    use super::super::cell::HashShape;
    use super::*;
    use alloc::boxed::Box;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// Blanks the number of the last step, which is not part of the result.
    fn seen(cells: &[HashCell], walk: &Walk<'_>) -> Vec<[u8; 64]> {
        let bytes = cells.iter().map(|cell| cell.0);
        bytes
            .map(|mut cell| {
                cell[walk.shape.input - 1] = 0;
                cell
            })
            .collect()
    }

    type Form<'a> = Box<dyn Fn(&mut [HashCell], &Walk<'_>) + 'a>;

    fn forms_of_256() -> Vec<Form<'static>> {
        #[allow(unused_mut)]
        let mut forms: Vec<Form<'_>> = Vec::from([Box::new(haraka256) as _]);
        #[cfg(all(target_arch = "x86_64", feature = "std"))]
        for form in [x86::Haraka::AesNi, x86::Haraka::Vaes256, x86::Haraka::Vaes512] {
            if form.is_available() {
                forms.push(Box::new(move |cells, walk| form.haraka256(cells, walk)));
            }
        }
        forms
    }

    fn forms_of_512() -> Vec<Form<'static>> {
        #[allow(unused_mut)]
        let mut forms: Vec<Form<'_>> = Vec::from([Box::new(haraka512) as _]);
        #[cfg(all(target_arch = "x86_64", feature = "std"))]
        for form in [x86::Haraka::AesNi, x86::Haraka::Vaes256, x86::Haraka::Vaes512] {
            if form.is_available() {
                forms.push(Box::new(move |cells, walk| form.haraka512(cells, walk)));
            }
        }
        forms
    }

    fn forms_of_blake3(key: &[u32; 8]) -> Vec<Form<'_>> {
        let mut forms: Vec<Form<'_>> = Vec::new();
        forms.push(Box::new(|cells, walk| blake3(key, cells, walk)));
        #[cfg(all(target_arch = "x86_64", feature = "std"))]
        for form in [x86::Blake3::Avx2, x86::Blake3::Avx512] {
            if form.is_available() {
                forms.push(Box::new(move |cells, walk| form.advance(key, cells, walk)));
            }
        }
        forms
    }

    /// Asserts that all forms equal the reference form.
    fn agree(
        forms: &[Form<'_>],
        cells: &[HashCell],
        walk: &Walk<'_>,
        plain: impl Fn(&mut [HashCell]),
    ) -> Result<(), TestCaseError> {
        let mut expected = cells.to_vec();
        plain(&mut expected);
        for (number, form) in forms.iter().enumerate() {
            let mut found = cells.to_vec();
            form(&mut found, walk);
            prop_assert_eq!(seen(&found, walk), seen(&expected, walk), "form {}", number);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn vectorised_hashing_equals_the_reference(
            contents in proptest::collection::vec((any::<[u8; 32]>(), any::<[u8; 32]>(), 0u8..5), 0..70),
            key: [u32; 8],
            output in 0usize..=32,
            input in 1usize..=64,
            to in 0u8..5,
            is_chain: bool,
            is_sorted: bool,
        ) {
            let mut contents = contents;
            if is_sorted {
                contents.sort_by_key(|(_, _, from)| *from);
            }
            let from: Vec<u8> = contents.iter().map(|(_, _, from)| *from).collect();
            let walk = |input| {
                let shape = HashShape { input, output: output.min(input - 1) };
                if is_chain { Walk::steps(shape, &from, to) } else { Walk::once(shape) }
            };
            let cells = |input: usize| -> Vec<HashCell> {
                let whole = contents.iter().map(|(front, back, _)| HashCell::from_parts(&[front, back]));
                whole.map(|mut cell| { cell.0[input..].fill(0); cell }).collect()
            };

            let (half, all) = (walk(input.min(32)), cells(input.min(32)));
            agree(&forms_of_256(), &all, &half, |cells| {
                half.plain(cells, |cell| haraka::haraka256(cell.0.first_chunk().unwrap()));
            })?;
            let (whole, all) = (walk(input), cells(input));
            agree(&forms_of_512(), &all, &whole, |cells| whole.plain(cells, |cell| haraka::haraka512(&cell.0)))?;
            agree(&forms_of_blake3(&key), &all, &whole, |cells| {
                blake3_one_by_one(&key, cells, &whole, block::compress);
            })?;
        }

        #[test]
        fn wipe_zeroes_exactly_its_range(len in 0usize..400, before in 0usize..70) {
            let mut bytes = alloc::vec![7; before + len + 3];
            wipe(&mut bytes[before..before + len]);
            prop_assert!(bytes[before..before + len].iter().all(|byte| *byte == 0));
            prop_assert!(bytes[..before].iter().chain(&bytes[before + len..]).all(|byte| *byte == 7));
        }

        #[test]
        fn compression_equals_the_reference(key: [u32; 8], m: [u32; 16], counter: u64, len: u32, flags: u32) {
            let plain = block::compress(&key, &m, counter, len, flags);
            prop_assert_eq!(compress(&key, &m, counter, len, flags), plain);
        }

        #[test]
        fn extend_equals_eight_compressions(key: [u32; 8], m: [u32; 16], len: u32, first in 0..u32::MAX - 8) {
            let counters = core::array::from_fn(|lane| first + lane as u32);
            let (mut plain, mut found) = ([[0; 64]; LANES], [[0; 64]; LANES]);
            plain_extend(&key, &m, len, &counters, &mut plain);
            extend(&key, &m, len, first, &mut found);
            prop_assert_eq!(found, plain);
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            if x86::Blake3::Avx2.is_available() {
                x86::Blake3::Avx2.extend(&key, &m, len, &counters, &mut found);
                prop_assert_eq!(found, plain);
            }
        }
    }
}
