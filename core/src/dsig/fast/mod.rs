//! Many hash calls side by side, where the processor can: found out when the program runs, never required. Every
//! function here does what the plain definitions do, cell by cell; on other processors it is them.
//!
//! | what | on | at a time |
//! |---|---|---|
//! | Haraka | x86-64 with AES-NI; VAES; VAES and AVX-512 | 4 of 256 bits, 2 of 512; 8 and 4; 16 and 8 |
//! | Haraka | 64-bit ARM with AES | 4 of 256 bits, 2 of 512 |
//! | keys of W-OTS⁺ over Haraka, whole | x86-64 with VAES and AVX-512 with VBMI and VBMI2 | 16 and 8 |
//! | BLAKE3 | x86-64 with AVX2; AVX-512 | 8; 16 |
//! | signatures of W-OTS⁺ over BLAKE3, whole | x86-64 with AVX-512 with VBMI and VBMI2 | 16, 8 |
//! | which values of W-OTS⁺ sign | x86-64 with AVX-512 with VBMI and VBMI2 | 64 bytes |
//!
//! The plain Haraka uses the crate `aes`, which has AES instructions on x86 and ARM and constant-time code elsewhere.

#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod blake3_kernels;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod blake3_keys;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod blake3_x86;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod chosen_x86;
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
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod short_x86;
mod walk;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod x86;

pub(super) use self::order::Order;
pub(super) use self::walk::Walk;
use super::chain::{Cell, KeySalt};
use super::haraka;
use super::short::{self, FLAGS, bytes, words};
#[cfg(all(target_arch = "x86_64", feature = "std"))]
use zeroize::optimization_barrier;

/// Parts that [`extend`] makes.
pub(super) const LANES: usize = 8;

/// Hashes cells of 32 bytes with Haraka-256.
pub(super) fn haraka256(cells: &mut [Cell], walk: &Walk<'_>) {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if x86::Haraka::AesNi.is_there() {
        return x86::in_parts(cells, walk, 4, x86::Haraka::of_256);
    }
    #[cfg(all(target_arch = "aarch64", feature = "std"))]
    if std::arch::is_aarch64_feature_detected!("aes") {
        #[allow(unsafe_code, reason = "a call of what was seen to be there")]
        // SAFETY: the processor has the instructions.
        return unsafe { haraka_neon::haraka256(cells, walk) };
    }
    walk.plain(cells, |cell| cell.0.first_chunk().map_or([0; 32], haraka::haraka256));
}

/// Hashes cells with Haraka-512.
pub(super) fn haraka512(cells: &mut [Cell], walk: &Walk<'_>) {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if x86::Haraka::AesNi.is_there() {
        return x86::in_parts(cells, walk, 2, x86::Haraka::of_512);
    }
    #[cfg(all(target_arch = "aarch64", feature = "std"))]
    if std::arch::is_aarch64_feature_detected!("aes") {
        #[allow(unsafe_code, reason = "a call of what was seen to be there")]
        // SAFETY: the processor has the instructions.
        return unsafe { haraka_neon::haraka512(cells, walk) };
    }
    walk.plain(cells, |cell| haraka::haraka512(&cell.0));
}

/// The key of W-OTS⁺ over Haraka-256 or Haraka-512 to which a signature's values lead, of a digest of these digits of
/// `B` bits. `None` where there is no faster way than step by step.
#[inline]
pub(super) fn recover_haraka<const IS_512: bool, const N: usize, const L: usize, const B: usize>(
    values: &[[u8; N]; L],
    digits: impl FnOnce() -> [u8; L],
    salt: &KeySalt,
) -> Option<[u8; 32]> {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if N == haraka_keys::VALUE && x86::makes_keys() {
        let values = values.as_flattened().as_chunks().0.first_chunk()?;
        #[allow(unsafe_code, reason = "a call of what was seen to be there")]
        // SAFETY: the processor has the instructions.
        return unsafe {
            match IS_512 {
                false => haraka_keys::recover::<{ haraka_keys::OF_256 }, L, B>(values, digits, salt),
                true => haraka_keys::recover::<{ haraka_keys::OF_512 }, L, B>(values, digits, salt),
            }
        };
    }
    let _ = (values, digits, salt);
    None
}

/// The same over BLAKE3.
#[inline]
pub(super) fn recover_blake3<const N: usize, const L: usize, const B: usize>(
    values: &[[u8; N]; L],
    digits: impl FnOnce() -> [u8; L],
    salt: &KeySalt,
) -> Option<[u8; 32]> {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if N == blake3_keys::VALUE && x86::moves_words() {
        let values = values.as_flattened().as_chunks().0.first_chunk()?;
        #[allow(unsafe_code, reason = "a call of what was seen to be there")]
        // SAFETY: the processor has the instructions.
        return unsafe { blake3_keys::recover::<L, B>(values, digits, salt) };
    }
    let _ = (values, digits, salt);
    None
}

/// All values of a W-OTS⁺ key over Haraka-256 or Haraka-512 from its first `levels`; and the key. `None` where there is
/// no faster way than step by step.
#[inline]
pub(super) fn grow_haraka<const IS_512: bool, const N: usize, const L: usize>(
    levels: &mut [[[u8; N]; L]],
    salt: &KeySalt,
) -> Option<[u8; 32]> {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if N == haraka_keys::VALUE && x86::makes_keys() {
        let levels = levels.as_flattened_mut().as_flattened_mut().as_chunks_mut().0.as_chunks_mut().0;
        #[allow(unsafe_code, reason = "a call of what was seen to be there")]
        // SAFETY: the processor has the instructions.
        return Some(unsafe {
            match IS_512 {
                false => haraka_keys::grow::<{ haraka_keys::OF_256 }, L>(levels, salt),
                true => haraka_keys::grow::<{ haraka_keys::OF_512 }, L>(levels, salt),
            }
        });
    }
    let _ = (levels, salt);
    None
}

/// The `N`-byte values that a digest's digits of `B` bits choose, on `L` chains of a W-OTS⁺ key that is kept depth by
/// depth. False where there is no faster way than one by one; then `chosen` is as it was.
#[inline]
pub(super) fn choose<const N: usize, const L: usize, const B: usize>(
    kept: &[u8],
    digest: &[u8; 64],
    chosen: &mut [u8],
) -> bool {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if let (chosen_x86::CHAINS, 2, 1..=chosen_x86::MOST) = (L, B, N)
        && (kept.len(), chosen.len()) == (4 * N * L, N * L)
        && x86::moves_words()
    {
        #[allow(unsafe_code, reason = "a call of what was seen to be there")]
        // SAFETY: the processor has the instructions.
        unsafe {
            chosen_x86::choose::<N>(kept, digest, chosen);
        }
        return true;
    }
    let _ = (kept, digest, chosen);
    false
}

/// Overwrites a key.
#[inline]
pub(super) fn wipe(bytes: &mut [u8]) {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if x86::moves_words() {
        #[allow(unsafe_code, reason = "a call of what was seen to be there")]
        // SAFETY: the processor has the instructions.
        unsafe {
            chosen_x86::wipe(bytes);
        }
        return optimization_barrier(bytes);
    }
    short::wipe(bytes);
}

/// Tells the processor that these bytes will be read soon.
#[inline]
pub(super) fn fetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[allow(unsafe_code, reason = "a hint, which touches nothing")]
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
pub(super) fn blake3(key: &[u32; 8], cells: &mut [Cell], walk: &Walk<'_>) {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if let Some(blake3) = x86::blake3() {
        return blake3.advance(key, cells, walk);
    }
    blake3_one_by_one(key, cells, walk, short::compress);
}

/// One compression of BLAKE3.
#[inline]
pub(super) fn compress(key: &[u32; 8], m: &[u32; 16], counter: u64, len: u32, flags: u32) -> [u32; 16] {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if let Some(x86::Blake3::Avx512) = x86::blake3() {
        #[allow(unsafe_code, reason = "a call of what was seen to be there")]
        // SAFETY: the processor has the instructions.
        return unsafe { short_x86::compress(key, m, counter, len, flags) };
    }
    short::compress(key, m, counter, len, flags)
}

/// Parts of the extended output of a block of `len` bytes under a context's key, from part `counter` on.
pub(super) fn extend(key: &[u32; 8], m: &[u32; 16], len: u32, counter: u32, out: &mut [[u8; 64]; LANES]) {
    let counters: [u32; LANES] = core::array::from_fn(|lane| counter + lane as u32);
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if let Some(blake3) = x86::blake3() {
        return blake3.extend(key, m, len, &counters, out);
    }
    plain_extend(key, m, len, &counters, out);
}

#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "std"))]
fn block_of(cell: &[u8; 64], block: usize) -> &[u8; 16] {
    cell.as_chunks().0.get(block).unwrap_or(&[0; 16])
}

fn blake3_one_by_one(
    key: &[u32; 8],
    cells: &mut [Cell],
    walk: &Walk<'_>,
    compress: impl Fn(&[u32; 8], &[u32; 16], u64, u32, u32) -> [u32; 16],
) {
    walk.plain(cells, |cell| {
        let out = bytes(&compress(key, &words(&cell.0), 0, walk.shape.input as u32, FLAGS));
        *out.first_chunk().unwrap_or(&[0; 32])
    });
}

fn plain_extend(
    key: &[u32; 8],
    m: &[u32; 16],
    len: u32,
    counters: &[u32; LANES],
    out: &mut [[u8; 64]; LANES],
) {
    for (out, counter) in out.iter_mut().zip(counters) {
        *out = bytes(&short::compress(key, m, u64::from(*counter), len, FLAGS));
    }
}

#[cfg(test)]
mod tests {
    use super::super::chain::Shape;
    use super::*;
    use alloc::boxed::Box;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// All but the number of the last step, which nobody needs.
    fn seen(cells: &[Cell], walk: &Walk<'_>) -> Vec<[u8; 64]> {
        let bytes = cells.iter().map(|cell| cell.0);
        bytes
            .map(|mut cell| {
                cell[walk.shape.input - 1] = 0;
                cell
            })
            .collect()
    }

    type Form<'a> = Box<dyn Fn(&mut [Cell], &Walk<'_>) + 'a>;

    fn forms_of_256() -> Vec<Form<'static>> {
        #[allow(unused_mut)]
        let mut forms: Vec<Form<'_>> = Vec::from([Box::new(haraka256) as _]);
        #[cfg(all(target_arch = "x86_64", feature = "std"))]
        for form in [x86::Haraka::AesNi, x86::Haraka::Vaes256, x86::Haraka::Vaes512] {
            if form.is_there() {
                forms.push(Box::new(move |cells, walk| form.of_256(cells, walk)));
            }
        }
        forms
    }

    fn forms_of_512() -> Vec<Form<'static>> {
        #[allow(unused_mut)]
        let mut forms: Vec<Form<'_>> = Vec::from([Box::new(haraka512) as _]);
        #[cfg(all(target_arch = "x86_64", feature = "std"))]
        for form in [x86::Haraka::AesNi, x86::Haraka::Vaes256, x86::Haraka::Vaes512] {
            if form.is_there() {
                forms.push(Box::new(move |cells, walk| form.of_512(cells, walk)));
            }
        }
        forms
    }

    fn forms_of_blake3(key: &[u32; 8]) -> Vec<Form<'_>> {
        let mut forms: Vec<Form<'_>> = Vec::new();
        forms.push(Box::new(|cells, walk| blake3(key, cells, walk)));
        #[cfg(all(target_arch = "x86_64", feature = "std"))]
        for form in [x86::Blake3::Avx2, x86::Blake3::Avx512] {
            if form.is_there() {
                forms.push(Box::new(move |cells, walk| form.advance(key, cells, walk)));
            }
        }
        forms
    }

    /// All forms do to the cells what the plain one does.
    fn agree(
        forms: &[Form<'_>],
        cells: &[Cell],
        walk: &Walk<'_>,
        plain: impl Fn(&mut [Cell]),
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
        fn side_by_side_is_one_by_one(
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
                let shape = Shape { input, output: output.min(input - 1) };
                if is_chain { Walk::steps(shape, &from, to) } else { Walk::once(shape) }
            };
            let cells = |input: usize| -> Vec<Cell> {
                let whole = contents.iter().map(|(front, back, _)| Cell::of(&[front, back]));
                whole.map(|mut cell| { cell.0[input..].fill(0); cell }).collect()
            };

            let (half, all) = (walk(input.min(32)), cells(input.min(32)));
            agree(&forms_of_256(), &all, &half, |cells| {
                half.plain(cells, |cell| haraka::haraka256(cell.0.first_chunk().unwrap()));
            })?;
            let (whole, all) = (walk(input), cells(input));
            agree(&forms_of_512(), &all, &whole, |cells| whole.plain(cells, |cell| haraka::haraka512(&cell.0)))?;
            agree(&forms_of_blake3(&key), &all, &whole, |cells| {
                blake3_one_by_one(&key, cells, &whole, short::compress);
            })?;
        }

        #[test]
        fn what_is_wiped_is_zeros_and_nothing_beside_it(len in 0usize..400, before in 0usize..70) {
            let mut bytes = alloc::vec![7; before + len + 3];
            wipe(&mut bytes[before..before + len]);
            prop_assert!(bytes[before..before + len].iter().all(|byte| *byte == 0));
            prop_assert!(bytes[..before].iter().chain(&bytes[before + len..]).all(|byte| *byte == 7));
        }

        #[test]
        fn one_lane_is_one_compression(key: [u32; 8], m: [u32; 16], counter: u64, len: u32, flags: u32) {
            let plain = short::compress(&key, &m, counter, len, flags);
            prop_assert_eq!(compress(&key, &m, counter, len, flags), plain);
        }

        #[test]
        fn eight_parts_are_those_of_eight_compressions(key: [u32; 8], m: [u32; 16], len: u32, first in 0..u32::MAX - 8) {
            let counters = core::array::from_fn(|lane| first + lane as u32);
            let (mut plain, mut found) = ([[0; 64]; LANES], [[0; 64]; LANES]);
            plain_extend(&key, &m, len, &counters, &mut plain);
            extend(&key, &m, len, first, &mut found);
            prop_assert_eq!(found, plain);
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            if x86::Blake3::Avx2.is_there() {
                x86::Blake3::Avx2.extend(&key, &m, len, &counters, &mut found);
                prop_assert_eq!(found, plain);
            }
        }
    }
}
