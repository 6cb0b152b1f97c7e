//! BLAKE3 compression of several inputs in parallel, generic over the vector type: a vector holds one word of each of
//! `LANES` inputs. A cell stays in registers from its first step to its last.
//!
//! The module that expands these macros defines `V` and `LANES`, and on vectors `splat`, `load` of words, `columns`
//! of the eight words of each lane and its inverse `rows`, `add`, `xor`, `and`, and `right16`, `right12`, `right8`,
//! `right7`.

/// Four G functions of the paper, interleaved so that none waits for another. A macro, because a function is not
/// always inlined, and its vectors would then pass through memory. Words that are zero in a short input are not
/// added.
macro_rules! four {
    ($v:ident, $places:expr, $m:ident, $round:literal, $at:literal, $short:ident) => {
        const PLACES: [[usize; 4]; 4] = $places;
        for (i, [a, b, ..]) in PLACES.into_iter().enumerate() {
            $v[a] = add($v[a], $v[b]);
            let word = SCHEDULE[$round][$at + 2 * i];
            if !($short && word >= 8) {
                $v[a] = add($v[a], $m[word]);
            }
        }
        for [a, b, c, d] in PLACES {
            $v[d] = right16(xor($v[d], $v[a]));
            $v[c] = add($v[c], $v[d]);
            $v[b] = right12(xor($v[b], $v[c]));
        }
        for (i, [a, b, ..]) in PLACES.into_iter().enumerate() {
            $v[a] = add($v[a], $v[b]);
            let word = SCHEDULE[$round][$at + 2 * i + 1];
            if !($short && word >= 8) {
                $v[a] = add($v[a], $m[word]);
            }
        }
        for [a, b, c, d] in PLACES {
            $v[d] = right8(xor($v[d], $v[a]));
            $v[c] = add($v[c], $v[d]);
            $v[b] = right7(xor($v[b], $v[c]));
        }
    };
}

/// One round. The round number is a literal, so the message schedule is constant.
macro_rules! round {
    ($v:ident, $m:ident, $short:ident, $($round:literal)*) => {$(
        {
            four!($v, [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]], $m, $round, 0, $short);
        }
        {
            four!($v, [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]], $m, $round, 8, $short);
        }
    )*};
}

macro_rules! blake3_kernels {
    ($features:literal) => {
        #[target_feature(enable = $features)]
        pub(in super::super) fn advance(key: &[u32; 8], cells: &mut [HashCell], walk: &Walk<'_>) {
            for_each_group::<LANES>(cells, walk, |group, from, to| of_group(key, group, walk, from, to));
        }

        #[target_feature(enable = $features)]
        #[inline]
        fn of_group(key: &[u32; 8], group: &mut [HashCell; LANES], walk: &Walk<'_>, from: &[u8; LANES], to: u8) {
            let input = walk.shape.input;
            let (replaced, numbered) = (words(&walk.replaced()), words(&walk.numbered()));
            let mut m = [splat(0); 16];
            m[..8].copy_from_slice(&columns_of(group, 0));
            if input > 32 {
                m[8..].copy_from_slice(&columns_of(group, 1));
            }
            let mut h = [splat(0); 8];
            for (h, key) in h.iter_mut().zip(key) {
                *h = splat(*key);
            }
            let first = from.iter().copied().min().unwrap_or(to);
            for step in first..to {
                if walk.steps.is_some() {
                    let number = splat(u32::from_le_bytes([step; 4]));
                    let at = (input - 1) / 4;
                    m[at] = xor(m[at], and(xor(m[at], number), splat(numbered[at])));
                }
                let len = splat(input as u32);
                let v = if input > 32 {
                    rounds::<false>(&h, &m, splat(0), len, splat(FLAGS))
                } else {
                    rounds::<true>(&h, &m, splat(0), len, splat(FLAGS))
                };
                let moves = load(&from.map(|from| if from <= step { u32::MAX } else { 0 }));
                for i in 0..8 {
                    if replaced[i] != 0 {
                        let differs = xor(m[i], xor(v[i], v[i + 8]));
                        m[i] = xor(m[i], and(differs, and(moves, splat(replaced[i]))));
                    }
                }
            }
            let [m0, m1, m2, m3, m4, m5, m6, m7, ..] = m;
            let rows = rows(&[m0, m1, m2, m3, m4, m5, m6, m7]);
            for (cell, row) in group.iter_mut().zip(rows) {
                if let Some(front) = cell.0.first_chunk_mut() {
                    *front = row;
                }
            }
        }

        /// Loads one half of each cell.
        #[target_feature(enable = $features)]
        #[inline]
        fn columns_of(group: &[HashCell; LANES], half: usize) -> [V; 8] {
            let mut rows = [[0; 32]; LANES];
            for (row, cell) in rows.iter_mut().zip(group) {
                *row = halves(&cell.0)[half];
            }
            columns(&rows)
        }

        /// Runs the seven rounds. `SHORT` means a message of at most 32 bytes.
        #[target_feature(enable = $features)]
        #[inline]
        fn rounds<const SHORT: bool>(h: &[V; 8], m: &[V; 16], counter: V, len: V, flags: V) -> [V; 16] {
            let (a, b, c, d) = (splat(IV[0]), splat(IV[1]), splat(IV[2]), splat(IV[3]));
            let [h0, h1, h2, h3, h4, h5, h6, h7] = *h;
            let mut v = [h0, h1, h2, h3, h4, h5, h6, h7, a, b, c, d, counter, splat(0), len, flags];
            round!(v, m, SHORT, 0 1 2 3 4 5 6);
            v
        }
    };
}

/// Kernels for whole keys. They also need `store`.
macro_rules! key_kernels {
    ($features:literal) => {
        /// Advances the chains from `at` on by one step; only the first `moving` chains move. The first rows are the
        /// words of their values (half of the last one belongs to the salt); the row after them holds the chain
        /// numbers.
        #[target_feature(enable = $features)]
        #[inline]
        pub(in super::super) fn step(
            key: &[u32; 8],
            rows: &mut [&mut [u32]; 6],
            at: usize,
            moving: usize,
            salt: [u32; 2],
            step: u8,
        ) {
            let mut m = [splat(0); 16];
            for (m, row) in m.iter_mut().zip(&*rows) {
                *m = load(row[at..].first_chunk().unwrap_or(&[0; LANES]));
            }
            m[7] = xor(m[5], splat(u32::from(step) << 24));
            (m[5], m[6]) = (splat(salt[0]), splat(salt[1]));
            let v = rounds::<true>(&every(key), &m, splat(0), splat(32), splat(FLAGS));
            let moves = load(FIRST[16 - moving.min(LANES)..].first_chunk().unwrap_or(&[0; LANES]));
            for (i, row) in rows.iter_mut().take(5).enumerate() {
                let replaced = if i < 4 { moves } else { and(moves, splat(0xffff)) };
                let differs = xor(m[i], xor(v[i], v[i + 8]));
                put(row, at, xor(m[i], and(differs, replaced)));
            }
        }

        /// Returns the words of the hashes of 64-byte inputs.
        #[target_feature(enable = $features)]
        #[inline]
        pub(in super::super) fn whole(key: &[u32; 8], m: &[V; 16]) -> [V; 8] {
            let v = rounds::<false>(&every(key), m, splat(0), splat(64), splat(FLAGS));
            let mut hash = [splat(0); 8];
            for i in 0..8 {
                hash[i] = xor(v[i], v[i + 8]);
            }
            hash
        }

        #[target_feature(enable = $features)]
        #[inline]
        fn every(key: &[u32; 8]) -> [V; 8] {
            let mut h = [splat(0); 8];
            for (h, key) in h.iter_mut().zip(key) {
                *h = splat(*key);
            }
            h
        }

        #[target_feature(enable = $features)]
        #[inline]
        pub(in super::super) fn put(row: &mut [u32], at: usize, words: V) {
            if let Some(row) = row[at..].first_chunk_mut() {
                store(row, words);
            }
        }
    };
}

pub(super) use {blake3_kernels, four, key_kernels, round};
