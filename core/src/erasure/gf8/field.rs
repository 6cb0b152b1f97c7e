//! GF(2⁸) modulo x⁸ + x⁴ + x³ + x² + 1, and the coefficients that compute shards from other shards.
#![allow(
    clippy::indexing_slicing,
    reason = "bytes index tables of 256, and constants are made at compile time"
)]

use alloc::vec::Vec;

/// x⁸ + x⁴ + x³ + x² + 1; x generates the multiplicative group.
const POLYNOMIAL: u16 = 0x11d;
/// Order of the multiplicative group.
const ORDER: usize = 255;

/// Powers of x by exponent.
const EXP: [u8; ORDER] = {
    let (mut table, mut power, mut i) = ([0; ORDER], 1u16, 0);
    while i < ORDER {
        table[i] = power as u8;
        power <<= 1;
        if power > 0xff {
            power ^= POLYNOMIAL;
        }
        i += 1;
    }
    table
};

/// Discrete logarithms to base x by element; zero has none.
const LOG: [u8; 256] = {
    let (mut table, mut i) = ([0; 256], 0);
    while i < ORDER {
        table[EXP[i] as usize] = i as u8;
        i += 1;
    }
    table
};

/// A multiplier, in the forms that the kernels use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor {
    /// The bit matrix: row i, for bit i of the product, is byte 7 − i.
    pub(super) matrix: u64,
    /// The products of 0 to 15.
    pub(super) low: [u8; 16],
    /// The products of 0, 16, 32 to 240.
    pub(super) high: [u8; 16],
}

/// The multiplier for each element.
pub(super) static FACTORS: [Factor; 256] = {
    let (mut all, mut a) = ([Factor { matrix: 0, low: [0; 16], high: [0; 16] }; 256], 0);
    while a < 256 {
        let mut i = 0;
        while i < 16 {
            all[a].low[i] = product(a as u8, i as u8);
            all[a].high[i] = product(a as u8, (i as u8) << 4);
            i += 1;
        }
        let mut from = 0;
        while from < 8 {
            let column = product(a as u8, 1 << from);
            let mut to = 0;
            while to < 8 {
                all[a].matrix |= ((column >> to & 1) as u64) << ((7 - to) * 8 + from);
                to += 1;
            }
            from += 1;
        }
        a += 1;
    }
    all
};

const fn product(a: u8, b: u8) -> u8 {
    if a == 0 || b == 0 {
        return 0;
    }
    EXP[(LOG[a as usize] as usize + LOG[b as usize] as usize) % ORDER]
}

/// Returns the factors by which the shards at `sources` yield those at `targets`, one row per target.
///
/// Shard i belongs to the element i. The k data shards d define the function Σ dᵢ / (z + i), and a parity shard is
/// its value at the shard's own element. Multiplied by Π (z + i) this is a polynomial N of degree below k with N(s) =
/// shard s · v(s), where v(s) is the product of s + i over all data shards i other than s. So Lagrange's formula maps
/// any k shards to any other shard, and no matrix is inverted.
///
/// Cost: k² + k·targets additions of logarithms.
pub(super) fn factors(data: usize, sources: &[usize], targets: &[usize]) -> Vec<Vec<&'static Factor>> {
    let log_v = |s: usize| sum((0..data).filter(|i| *i != s).map(|i| log(i ^ s)));
    let weights: Vec<usize> = sources
        .iter()
        .map(|s| log_v(*s) + negated(sum(sources.iter().filter(|other| *other != s).map(|o| log(s ^ o)))))
        .collect();
    let row = |t: &usize| {
        let all = sum(sources.iter().map(|s| log(s ^ t))) + negated(log_v(*t));
        let factor = |(s, weight): (&usize, &usize)| {
            let power = (weight + all + negated(log(s ^ t))) % ORDER;
            &FACTORS[usize::from(EXP[power])]
        };
        sources.iter().zip(&weights).map(factor).collect()
    };
    targets.iter().map(row).collect()
}

fn log(element: usize) -> usize {
    usize::from(LOG[element & 0xff])
}

fn sum(logs: impl Iterator<Item = usize>) -> usize {
    logs.sum::<usize>() % ORDER
}

fn negated(log: usize) -> usize {
    ORDER - log
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multiplies by the definition.
    fn by_hand(mut a: u16, b: u16) -> u8 {
        let mut out = 0;
        for bit in 0..8 {
            if b >> bit & 1 == 1 {
                out ^= a;
            }
            a <<= 1;
            if a & 0x100 != 0 {
                a ^= POLYNOMIAL;
            }
        }
        out as u8
    }

    #[test]
    fn all_products_are_those_of_the_definition() {
        for a in 0..=255u8 {
            let factor = &FACTORS[usize::from(a)];
            for b in 0..=255u8 {
                let expected = by_hand(a.into(), b.into());
                assert_eq!(factor.low[usize::from(b & 15)] ^ factor.high[usize::from(b >> 4)], expected);
                let bit = |i: u32| ((factor.matrix >> ((7 - i) * 8)) as u8 & b).count_ones() as u8 & 1;
                assert_eq!((0..8).map(|i| bit(i) << i).sum::<u8>(), expected);
            }
        }
    }

    #[test]
    fn parity_factors_form_a_cauchy_matrix() {
        let (data, sources): (usize, Vec<usize>) = (5, (0..5).collect());
        let targets: Vec<usize> = (5..9).collect();
        for (j, row) in factors(data, &sources, &targets).iter().enumerate() {
            for (i, factor) in row.iter().enumerate() {
                let cauchy = FACTORS.iter().position(|f| f.matrix == factor.matrix).unwrap();
                assert_eq!(by_hand(cauchy as u16, (i ^ (data + j)) as u16), 1);
            }
        }
    }
}
