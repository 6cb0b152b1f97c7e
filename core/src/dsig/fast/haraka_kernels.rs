//! Haraka of several cells in parallel, generic over the vector type. A processor pipelines AES rounds, so four
//! vectors (two for Haraka-512) are interleaved. A cell stays in registers from its first step to its last.
//!
//! The module that expands these macros defines `V`, a vector of `WIDTH` cells' 16-byte blocks, and on it `gather`
//! and `gather_whole` of two and of four blocks, `scatter` of two, `lanes` that are all ones or zeros, `every`,
//! `aes`, `low32`, `high32`, `low64`, `high64`, `xor` and `and`.

/// Advances a group of cells. A macro, because a function is not always inlined, and its vectors would then pass
/// through memory.
macro_rules! advance {
    ($group:ident, $walk:ident, $from:ident, $to:ident, $gather:ident, $sets:literal, $hash:ident) => {{
        let (replaced, numbered) = ($walk.replaced(), $walk.numbered());
        let replaced: [V; 2] = core::array::from_fn(|i| every(block_of(&replaced, i)));
        let mut states = [$gather($group, 0); $sets];
        for (set, state) in states.iter_mut().enumerate().skip(1) {
            *state = $gather($group, set * WIDTH);
        }
        let first = $from.iter().copied().min().unwrap_or($to);
        for step in first..$to {
            let number = every(&[step; 16]);
            for state in &mut states {
                for (at, block) in state.iter_mut().enumerate() {
                    // Replaces the step number by XOR with the difference.
                    *block = xor(*block, and(xor(*block, number), every(block_of(&numbered, at))));
                }
            }
            let hashes = $hash(&states);
            for (set, (state, hash)) in states.iter_mut().zip(hashes).enumerate() {
                let mut moves = [false; WIDTH];
                for (lane, moves) in moves.iter_mut().enumerate() {
                    *moves = $from[set * WIDTH + lane] <= step;
                }
                let moves = lanes(&moves);
                for ((block, hash), replaced) in state.iter_mut().zip(hash).zip(replaced) {
                    *block = xor(*block, and(xor(*block, hash), and(replaced, moves)));
                }
            }
        }
        for (set, state) in states.iter().enumerate() {
            scatter($group, set * WIDTH, [state[0], state[1]]);
        }
    }};
}

macro_rules! haraka_kernels {
    ($features:literal) => {
        /// Numbers of interleaved cells.
        const FOUR: usize = 4 * WIDTH;
        const TWO: usize = 2 * WIDTH;

        #[target_feature(enable = $features)]
        pub(in super::super) fn haraka256(cells: &mut [HashCell], walk: &Walk<'_>) {
            for_each_group::<FOUR>(cells, walk, |group, from, to| {
                advance!(group, walk, from, to, gather, 4, five_rounds_256)
            });
        }

        #[target_feature(enable = $features)]
        pub(in super::super) fn haraka512(cells: &mut [HashCell], walk: &Walk<'_>) {
            for_each_group::<TWO>(cells, walk, |group, from, to| {
                advance!(group, walk, from, to, gather_whole, 2, five_rounds_512)
            });
        }

        #[target_feature(enable = $features)]
        #[inline]
        fn five_rounds_256(start: &[[V; 2]; 4]) -> [[V; 2]; 4] {
            let mut states = *start;
            for round in 0..5 {
                let [k0, k1, k2, k3]: [V; 4] = core::array::from_fn(|i| every(&CONSTANTS[4 * round + i]));
                for state in &mut states {
                    *state = [aes(state[0], k0), aes(state[1], k1)];
                }
                for state in &mut states {
                    *state = [aes(state[0], k2), aes(state[1], k3)];
                }
                for [a, b] in &mut states {
                    (*a, *b) = (low32(*a, *b), high32(*a, *b));
                }
            }
            for (state, start) in states.iter_mut().zip(start) {
                *state = [xor(state[0], start[0]), xor(state[1], start[1])];
            }
            states
        }

        #[target_feature(enable = $features)]
        #[inline]
        fn five_rounds_512(start: &[[V; 4]; 2]) -> [[V; 2]; 2] {
            let mut states = *start;
            for round in 0..5 {
                for half in 0..2 {
                    let at = 8 * round + 4 * half;
                    let keys: [V; 4] = core::array::from_fn(|i| every(&CONSTANTS[at + i]));
                    for state in &mut states {
                        for (block, key) in state.iter_mut().zip(keys) {
                            *block = aes(*block, key);
                        }
                    }
                }
                for state in &mut states {
                    let [a, b, c, d] = *state;
                    let (low, high) = (low32(a, b), high32(a, b));
                    let (next, last) = (low32(c, d), high32(c, d));
                    *state = [high32(high, last), low32(next, low), high32(next, low), low32(high, last)];
                }
            }
            core::array::from_fn(|set| {
                let [a, b, c, d]: [V; 4] = core::array::from_fn(|i| xor(states[set][i], start[set][i]));
                [high64(a, b), low64(c, d)]
            })
        }
    };
}

pub(super) use {advance, haraka_kernels};
