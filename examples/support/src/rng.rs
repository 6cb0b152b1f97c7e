//! SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
//!
//! The sequence of a seed never changes: recorded simulations and fuzz runs replay from their seeds. A generator from a
//! library may change its output with a new version. Not for secrets.
//!
//! The core has a private copy, because it depends on no other crate of this workspace and users have no need of this
//! generator in its interface.

/// Increment of the state: 2⁶⁴ divided by the golden ratio, rounded to an odd number.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A SplitMix64 generator.
///
/// ```
/// let mut rng = quorate_support::rng::SplitMix64::new(0);
/// assert_eq!(rng.next_u64(), 0xe220_a839_7b1d_cdaf);
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Creates the generator for `seed`.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        mix(self.state)
    }

    /// XORs `value` into the state.
    pub const fn perturb(&mut self, value: u64) {
        self.state ^= value;
    }
}

/// Returns output number `n` of the generator for seed 0, counted from 1, without the outputs before it.
pub const fn nth_output(n: u64) -> u64 {
    mix(n.wrapping_mul(GAMMA))
}

/// The output function: a bijection in which each input bit affects each output bit.
const fn mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_equals_the_reference_implementation() {
        // The output of Vigna's splitmix64.c for the seed 1234567.
        let mut rng = SplitMix64::new(1_234_567);
        for expected in [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ] {
            assert_eq!(rng.next_u64(), expected);
        }
    }

    #[test]
    fn nth_output_equals_the_sequence_of_seed_zero() {
        let mut rng = SplitMix64::new(0);
        for n in 1..100 {
            assert_eq!(nth_output(n), rng.next_u64());
        }
    }
}
