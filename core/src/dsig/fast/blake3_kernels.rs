//! BLAKE3's compression of several inputs at a time, written once for all vectors: a vector holds one word of
//! `LANES` inputs. A cell goes all its way in registers.
//!
//! The module where this is expanded has `V` and `LANES`, and on vectors `splat`, `load` of words, `columns` of the
//! eight words of each lane and its inverse `rows`, `add`, `xor`, `and`, and `right16`, `right12`, `right8`, `right7`.

/// Four of the paper's G, step by step so that none waits for another. A macro, for a function is not always inlined,
/// and vectors would go through memory.
macro_rules! four {
    ($v:ident, $places:expr, $m:ident, $s:ident, $at:literal) => {
        let places: [[usize; 4]; 4] = $places;
        for (i, [a, b, ..]) in places.into_iter().enumerate() {
            $v[a] = add(add($v[a], $m[$s[$at + 2 * i]]), $v[b]);
        }
        for [a, b, c, d] in places {
            $v[d] = right16(xor($v[d], $v[a]));
            $v[c] = add($v[c], $v[d]);
            $v[b] = right12(xor($v[b], $v[c]));
        }
        for (i, [a, b, ..]) in places.into_iter().enumerate() {
            $v[a] = add(add($v[a], $m[$s[$at + 2 * i + 1]]), $v[b]);
        }
        for [a, b, c, d] in places {
            $v[d] = right8(xor($v[d], $v[a]));
            $v[c] = add($v[c], $v[d]);
            $v[b] = right7(xor($v[b], $v[c]));
        }
    };
}

macro_rules! blake3_kernels {
    ($features:literal) => {
        #[target_feature(enable = $features)]
        pub(in super::super) fn advance(key: &[u32; 8], cells: &mut [Cell], walk: &Walk<'_>) {
            in_groups::<LANES>(cells, walk, |group, from, to| of_group(key, group, walk, from, to));
        }

        #[target_feature(enable = $features)]
        #[inline]
        fn of_group(key: &[u32; 8], group: &mut [Cell; LANES], walk: &Walk<'_>, from: &[u8; LANES], to: u8) {
            let input = walk.shape.input;
            let (replaced, numbered) = (words(&walk.replaced()), words(&walk.numbered()));
            let half = |cells: &[Cell; LANES], at: usize| {
                columns(&core::array::from_fn(|lane| halves(&cells[lane].0)[at]))
            };
            let low = half(group, 0);
            let high = if input > 32 { half(group, 1) } else { [splat(0); 8] };
            let mut m: [V; 16] = core::array::from_fn(|i| if i < 8 { low[i] } else { high[i - 8] });
            let h: [V; 8] = core::array::from_fn(|i| splat(key[i]));
            let first = from.iter().copied().min().unwrap_or(to);
            for step in first..to {
                if walk.steps.is_some() {
                    let number = splat(u32::from_le_bytes([step; 4]));
                    let at = (input - 1) / 4;
                    m[at] = xor(m[at], and(xor(m[at], number), splat(numbered[at])));
                }
                let v = rounds(&h, &m, splat(0), splat(input as u32), splat(FLAGS));
                let moves = load(&core::array::from_fn(|lane| if from[lane] <= step { u32::MAX } else { 0 }));
                for i in 0..8 {
                    if replaced[i] != 0 {
                        let differs = xor(m[i], xor(v[i], v[i + 8]));
                        m[i] = xor(m[i], and(differs, and(moves, splat(replaced[i]))));
                    }
                }
            }
            let rows = rows(&core::array::from_fn(|i| m[i]));
            for (cell, row) in group.iter_mut().zip(rows) {
                if let Some(front) = cell.0.first_chunk_mut() {
                    *front = row;
                }
            }
        }

        #[target_feature(enable = $features)]
        #[inline]
        fn rounds(h: &[V; 8], m: &[V; 16], counter: V, len: V, flags: V) -> [V; 16] {
            let [a, b, c, d] = core::array::from_fn(|i| splat(IV[i]));
            let [h0, h1, h2, h3, h4, h5, h6, h7] = *h;
            let mut v = [h0, h1, h2, h3, h4, h5, h6, h7, a, b, c, d, counter, splat(0), len, flags];
            for s in &SCHEDULE {
                four!(v, [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]], m, s, 0);
                four!(v, [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]], m, s, 8);
            }
            v
        }
    };
}

pub(super) use {blake3_kernels, four};
