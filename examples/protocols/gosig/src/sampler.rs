//! Random choice of peers, from the entropy that the driver passes in.

use quorate::machine::MemberIndex;
use quorate::wire::domain;

/// A stream of random numbers. It is unpredictable without the entropy.
pub(crate) struct PeerSampler {
    entropy: [u8; 32],
    count: u64,
}

impl PeerSampler {
    pub(crate) fn new(entropy: [u8; 32]) -> Self {
        Self { entropy, count: 0 }
    }

    /// Returns the next 32 bytes of the stream.
    pub(crate) fn next_bytes(&mut self) -> [u8; 32] {
        self.count += 1;
        let mut hasher = domain::hasher(domain::GOSIG_DRAW);
        *hasher.update(&self.entropy).update(&self.count.to_le_bytes()).finalize().as_bytes()
    }

    /// Returns the next number of the stream.
    pub(crate) fn next_u64(&mut self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.next_bytes();
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }

    /// Returns a number below `n`, or 0 if `n` is 0. The bias, below 2⁻⁴⁸, does not matter here.
    fn next_below(&mut self, n: usize) -> usize {
        (self.next_u64() % (n as u64).max(1)) as usize
    }

    /// Returns up to `k` distinct random members of `members`.
    pub(crate) fn sample(&mut self, mut members: Vec<MemberIndex>, k: usize) -> Vec<MemberIndex> {
        let k = k.min(members.len());
        for i in 0..k {
            let other = i + self.next_below(members.len() - i);
            members.swap(i, other);
        }
        members.truncate(k);
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_distinct_and_cover_all_members() {
        let mut sampler = PeerSampler::new([7; 32]);
        let mut seen = [0; 10];
        for _ in 0..200 {
            let sample = sampler.sample((0..10).collect(), 3);
            assert_eq!(sample.len(), 3);
            assert!(sample[0] != sample[1] && sample[1] != sample[2] && sample[0] != sample[2]);
            sample.into_iter().for_each(|member| seen[usize::from(member)] += 1);
        }
        assert!(seen.iter().all(|n| *n > 30), "{seen:?}");
        assert_eq!(sampler.sample(vec![4], 3), [4]);
        assert!(sampler.sample(Vec::new(), 3).is_empty());
    }
}
