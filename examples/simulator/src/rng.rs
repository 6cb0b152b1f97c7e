//! Random numbers of the simulator.
//!
//! A library's generator may change its output between versions, and old seeds would no longer replay. This module
//! therefore fixes the generator: xoshiro256++ (Blackman and Vigna), seeded through [`SplitMix64`]. It uses integers
//! only, because floating-point functions such as `ln` differ between platforms.

use core::time::Duration;

use quorate_support::rng::SplitMix64;

/// A probability in parts per million.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Probability(u32);

impl Probability {
    /// Impossible.
    pub const NEVER: Probability = Probability(0);
    /// Certain.
    pub const ALWAYS: Probability = Probability(1_000_000);

    /// Creates a probability from parts per million, at most one million.
    pub const fn ppm(parts: u32) -> Probability {
        Probability(if parts > 1_000_000 { 1_000_000 } else { parts })
    }

    /// Creates a probability from a percentage.
    pub const fn percent(parts: u32) -> Probability {
        Probability::ppm(parts.saturating_mul(10_000))
    }
}

/// A seeded generator. Not suitable for secrets.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// Creates the generator of `seed`.
    pub fn new(seed: u64) -> Rng {
        let mut seeds = SplitMix64::new(seed);
        Rng { state: [(); 4].map(|()| seeds.next_u64()) }
    }

    /// Creates an independent generator for one purpose of a run, so that a draw for one purpose does not shift
    /// another.
    pub fn stream(seed: u64, purpose: &str, index: u64) -> Rng {
        let mut mixer = SplitMix64::new(crate::hash::bytes(purpose.as_bytes()) ^ seed.rotate_left(17));
        let of_purpose = mixer.next_u64();
        mixer.perturb(index);
        Rng::new(of_purpose ^ mixer.next_u64() ^ seed)
    }

    /// Returns 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c2, d2) = (c ^ a, d ^ b);
        self.state = [a ^ d2, b ^ c2, c2 ^ (b << 17), d2.rotate_left(45)];
        result
    }

    /// Returns a uniform number below `limit`; 0 if `limit` is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        // Lemire's method; the rejected draws would favour small numbers.
        let reject_below = if limit == 0 { 0 } else { limit.wrapping_neg() % limit };
        loop {
            let wide = u128::from(self.next_u64()) * u128::from(limit);
            if (wide as u64) >= reject_below {
                return (wide >> 64) as u64;
            }
        }
    }

    /// Returns a uniform index below `limit`; 0 if `limit` is 0.
    pub fn index(&mut self, limit: usize) -> usize {
        self.below(limit as u64) as usize
    }

    /// Returns a uniform number from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low.saturating_add(self.below(high.saturating_sub(low).saturating_add(1)))
    }

    /// Returns a uniform duration from `low` to `high`, in whole microseconds.
    pub fn duration(&mut self, low: Duration, high: Duration) -> Duration {
        Duration::from_micros(self.between(micros(low), micros(high)))
    }

    /// Returns `true` with the given probability.
    pub fn chance(&mut self, probability: Probability) -> bool {
        // No draw for probability zero, so that a scenario without loss does not pay for it.
        probability.0 > 0 && self.below(1_000_000) < u64::from(probability.0)
    }

    /// Returns an exponentially distributed number with the given mean (von Neumann's method, comparisons only).
    pub fn exponential(&mut self, mean: u64) -> u64 {
        let mut whole = 0u64;
        loop {
            let first = self.next_u64();
            let (mut smallest, mut run) = (first, 1u32);
            loop {
                let next = self.next_u64();
                if next >= smallest {
                    break;
                }
                (smallest, run) = (next, run + 1);
            }
            if run % 2 == 1 {
                let fraction = ((u128::from(mean) * u128::from(first)) >> 64) as u64;
                return mean.saturating_mul(whole).saturating_add(fraction);
            }
            whole += 1;
        }
    }

    /// Returns a random item.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.index(items.len()))
    }

    /// Shuffles `items`.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.index(i + 1);
            items.swap(i, j);
        }
    }

    /// Fills `bytes` with random bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            for (to, from) in chunk.iter_mut().zip(self.next_u64().to_le_bytes()) {
                *to = from;
            }
        }
    }

    /// Returns `len` random bytes.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.fill(&mut bytes);
        bytes
    }

    /// Returns 32 random bytes, for instance the seed of a test key.
    pub fn seed32(&mut self) -> [u8; 32] {
        let mut seed = [0; 32];
        self.fill(&mut seed);
        seed
    }
}

/// Converts a duration to whole microseconds, the simulator's unit.
pub(crate) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_published_sequence() {
        // Output of the authors' C code from the state 1, 2, 3, 4.
        let mut rng = Rng { state: [1, 2, 3, 4] };
        let published = [
            41_943_041,
            58_720_359,
            3_588_806_011_781_223,
            3_591_011_842_654_386,
            9_228_616_714_210_784_205,
            9_973_669_472_204_895_162,
        ];
        assert_eq!(published.map(|_| rng.next_u64()), published);
    }

    #[test]
    fn numbers_stay_below_their_limit_and_reach_all_of_it() {
        let mut rng = Rng::new(1);
        let mut seen = [0u32; 7];
        for _ in 0..7_000 {
            seen[rng.below(7) as usize] += 1;
        }
        assert!(seen.iter().all(|n| (800..1200).contains(n)), "{seen:?}");
        assert_eq!((rng.below(0), rng.below(1), rng.between(5, 5)), (0, 0, 5));
    }

    #[test]
    fn an_exponential_has_its_mean_and_its_tail() {
        let mut rng = Rng::new(2);
        let draws: Vec<u64> = (0..20_000).map(|_| rng.exponential(1_000)).collect();
        let mean = draws.iter().sum::<u64>() / 20_000;
        assert!((970..1030).contains(&mean), "{mean}");
        let beyond = draws.iter().filter(|d| **d > 3_000).count();
        assert!((850..1150).contains(&beyond), "{beyond} of about 996");
    }

    #[test]
    fn streams_of_one_seed_differ() {
        let draw = |purpose, index| Rng::stream(7, purpose, index).next_u64();
        assert_ne!(draw("a", 0), draw("b", 0));
        assert_ne!(draw("a", 0), draw("a", 1));
        assert_eq!(draw("a", 0), draw("a", 0));
    }
}
