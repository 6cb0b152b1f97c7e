//! Which code this processor runs: found out when the program runs.
#![allow(unsafe_code, reason = "calls of what was seen to be there")]

use std::arch::is_x86_feature_detected as has;

use super::blake3_x86::{avx2, avx512, avx512vl};
use super::haraka_x86::{aesni, vaes256, vaes512};
use super::{Cell, LANES, Walk, blake3_one_by_one, compress};

/// Called only where it is there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Haraka {
    AesNi,
    Vaes256,
    Vaes512,
}

/// Calls `hash` with as many cells as fill groups of the widest vectors, `sets` of them, and then with the rest for
/// the narrowest that take it at once.
pub(super) fn in_parts(
    cells: &mut [Cell],
    walk: &Walk<'_>,
    sets: usize,
    hash: impl Fn(Haraka, &mut [Cell], &Walk<'_>),
) {
    let forms = [(1, Haraka::AesNi), (2, Haraka::Vaes256), (4, Haraka::Vaes512)];
    let there = || forms.into_iter().filter(|(_, form)| form.is_there());
    let Some((width, widest)) = there().next_back() else { return };
    let (whole, rest) = cells.split_at_mut(cells.len() / (width * sets) * (width * sets));
    let after = walk.after(whole.len());
    if !whole.is_empty() {
        hash(widest, whole, walk);
    }
    if let Some((_, form)) = there().find(|(width, _)| !rest.is_empty() && rest.len() <= width * sets) {
        hash(form, rest, &after);
    }
}

impl Haraka {
    pub(super) fn is_there(self) -> bool {
        match self {
            Self::AesNi => has!("aes"),
            Self::Vaes256 => has!("vaes") && has!("avx2"),
            Self::Vaes512 => has!("vaes") && has!("avx512f"),
        }
    }

    pub(super) fn of_256(self, cells: &mut [Cell], walk: &Walk<'_>) {
        // SAFETY: the processor has the instructions.
        unsafe {
            match self {
                Self::AesNi => aesni::haraka256(cells, walk),
                Self::Vaes256 => vaes256::haraka256(cells, walk),
                Self::Vaes512 => vaes512::haraka256(cells, walk),
            }
        }
    }

    pub(super) fn of_512(self, cells: &mut [Cell], walk: &Walk<'_>) {
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

/// Whether digits are put in order by vectors.
pub(super) fn sorts() -> bool {
    has!("popcnt") && has!("avx512f") && has!("avx512bw") && has!("avx512vbmi2")
}

/// Whether whole keys over BLAKE3 are recovered at once.
pub(super) fn moves_words() -> bool {
    sorts() && has!("avx2") && has!("avx512vl") && has!("avx512vbmi")
}

/// Whether whole keys over Haraka are made and recovered at once.
pub(super) fn makes_keys() -> bool {
    has!("vaes") && moves_words()
}

/// Called only where it is there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Blake3 {
    Avx2,
    Avx512,
}

/// The widest that is there.
pub(super) fn blake3() -> Option<Blake3> {
    [Blake3::Avx512, Blake3::Avx2].into_iter().find(|form| form.is_there())
}

impl Blake3 {
    pub(super) fn is_there(self) -> bool {
        match self {
            Self::Avx2 => has!("avx2"),
            Self::Avx512 => has!("avx2") && has!("avx512f") && has!("avx512vl"),
        }
    }

    pub(super) fn advance(self, key: &[u32; 8], cells: &mut [Cell], walk: &Walk<'_>) {
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
                _ if rest.len() <= 2 => blake3_one_by_one(key, rest, &after, compress),
                Self::Avx2 => avx2::advance(key, rest, &after),
                Self::Avx512 => avx512vl::advance(key, rest, &after),
            }
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
