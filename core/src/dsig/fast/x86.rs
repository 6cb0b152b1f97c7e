//! Selects the implementation for this processor at run time.
#![allow(unsafe_code, reason = "the processor was found to have the instructions")]

use std::arch::is_x86_feature_detected as has;

use super::blake3_x86::{avx2, avx512, avx512vl};
use super::haraka_x86::{aesni, vaes256, vaes512};
use super::plain::{LANES, blake3_one_by_one};
use super::single_x86;
use super::walk::Walk;
use crate::dsig::block;
use crate::dsig::cell::HashCell;

/// Implementations of Haraka. Only called if [`is_available`](Self::is_available).
#[derive(Clone, Copy, Debug)]
pub(super) enum Haraka {
    AesNi,
    Vaes256,
    Vaes512,
}

/// Calls `hash` on as many cells as fill `sets` vectors of the widest kind, then on the rest with the narrowest kind
/// that holds it in one call.
pub(super) fn by_width(
    cells: &mut [HashCell],
    walk: &Walk<'_>,
    sets: usize,
    hash: impl Fn(Haraka, &mut [HashCell], &Walk<'_>),
) {
    let forms = [(1, Haraka::AesNi), (2, Haraka::Vaes256), (4, Haraka::Vaes512)];
    let available = || forms.into_iter().filter(|(_, form)| form.is_available());
    let Some((width, widest)) = available().next_back() else { return };
    let (whole, rest) = cells.split_at_mut(cells.len() / (width * sets) * (width * sets));
    let after = walk.after(whole.len());
    if !whole.is_empty() {
        hash(widest, whole, walk);
    }
    if let Some((_, form)) = available().find(|(width, _)| !rest.is_empty() && rest.len() <= width * sets) {
        hash(form, rest, &after);
    }
}

impl Haraka {
    pub(super) fn is_available(self) -> bool {
        match self {
            Self::AesNi => has!("aes"),
            Self::Vaes256 => has!("vaes") && has!("avx2"),
            Self::Vaes512 => has!("vaes") && has!("avx512f"),
        }
    }

    pub(super) fn haraka256(self, cells: &mut [HashCell], walk: &Walk<'_>) {
        // SAFETY: the processor has the instructions.
        unsafe {
            match self {
                Self::AesNi => aesni::haraka256(cells, walk),
                Self::Vaes256 => vaes256::haraka256(cells, walk),
                Self::Vaes512 => vaes512::haraka256(cells, walk),
            }
        }
    }

    pub(super) fn haraka512(self, cells: &mut [HashCell], walk: &Walk<'_>) {
        // SAFETY: the processor has the instructions.
        unsafe {
            match self {
                Self::AesNi => aesni::haraka512(cells, walk),
                Self::Vaes256 => vaes256::haraka512(cells, walk),
                Self::Vaes512 => vaes512::haraka512(cells, walk),
            }
        }
    }
}

/// Returns true if digits are sorted by vectors.
pub(super) fn has_sorting() -> bool {
    has!("popcnt") && has!("avx512f") && has!("avx512bw") && has!("avx512vbmi2")
}

/// Returns true if the values of W-OTS⁺ keys are selected, and keys over BLAKE3 recovered, by vectors.
pub(super) fn has_permutations() -> bool {
    has_sorting() && has!("avx2") && has!("avx512vl") && has!("avx512vbmi")
}

/// Returns true if whole keys over Haraka are made and recovered by vectors.
pub(super) fn has_haraka_keys() -> bool {
    has!("vaes") && has_permutations()
}

/// Implementations of BLAKE3. Only called if [`is_available`](Self::is_available).
#[derive(Clone, Copy, Debug)]
pub(super) enum Blake3 {
    Avx2,
    Avx512,
}

/// Returns the widest implementation of this processor.
pub(super) fn blake3() -> Option<Blake3> {
    [Blake3::Avx512, Blake3::Avx2].into_iter().find(|form| form.is_available())
}

impl Blake3 {
    pub(super) fn is_available(self) -> bool {
        match self {
            Self::Avx2 => has!("avx2"),
            Self::Avx512 => has!("avx2") && has!("avx512f") && has!("avx512vl"),
        }
    }

    pub(super) fn advance(self, key: &[u32; 8], cells: &mut [HashCell], walk: &Walk<'_>) {
        let wide = match self {
            Self::Avx2 => 0,
            Self::Avx512 => cells.len() / 16 * 16,
        };
        let (wide, rest) = cells.split_at_mut(wide);
        let after = walk.after(wide.len());
        // SAFETY: the processor has the instructions.
        unsafe {
            if !wide.is_empty() {
                avx512::advance(key, wide, walk);
            }
            match self {
                _ if rest.len() <= 2 => {
                    blake3_one_by_one(key, rest, &after, |key, m, counter, len, flags| {
                        self.compress(key, m, counter, len, flags)
                    })
                }
                Self::Avx2 => avx2::advance(key, rest, &after),
                Self::Avx512 => avx512vl::advance(key, rest, &after),
            }
        }
    }

    #[inline]
    pub(super) fn compress(
        self,
        key: &[u32; 8],
        m: &[u32; 16],
        counter: u64,
        len: u32,
        flags: u32,
    ) -> [u32; 16] {
        match self {
            Self::Avx2 => block::compress(key, m, counter, len, flags),
            // SAFETY: the processor has the instructions.
            Self::Avx512 => unsafe { single_x86::compress(key, m, counter, len, flags) },
        }
    }

    pub(super) fn extend(
        self,
        key: &[u32; 8],
        m: &[u32; 16],
        len: u32,
        counters: &[u32; LANES],
        out: &mut [[u8; 64]; LANES],
    ) {
        // SAFETY: the processor has the instructions.
        unsafe {
            match self {
                Self::Avx2 => avx2::extend(key, m, len, counters, out),
                Self::Avx512 => avx512vl::extend(key, m, len, counters, out),
            }
        }
    }
}
