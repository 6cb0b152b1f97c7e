//! Randomness for whom to tell what, from bytes that were handed in.

use quorate::machine::MemberIndex;
use quorate::wire::domain;

/// A stream of numbers that nobody foresees who does not know the entropy.
pub(crate) struct PeerSampler {
    entropy: [u8; 32],
    count: u64,
}

impl PeerSampler {
    pub(crate) fn new(entropy: [u8; 32]) -> Self {
        Self { entropy, count: 0 }
    }

    /// 32 bytes.
    pub(crate) fn bytes(&mut self) -> [u8; 32] {
        self.count += 1;
        let mut hasher = domain::hasher(domain::GOSIG_DRAW);
        *hasher.update(&self.entropy).update(&self.count.to_le_bytes()).finalize().as_bytes()
    }

    /// A number.
    pub(crate) fn number(&mut self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.bytes();
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }

    /// A number below `n`; 0 if that is 0. The bias of one in 2⁴⁸ does not matter here.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.number() % (n as u64).max(1)) as usize
    }

    /// Up to `k` different members out of these, at random.
    pub(crate) fn some(&mut self, mut members: Vec<MemberIndex>, k: usize) -> Vec<MemberIndex> {
        let k = k.min(members.len());
        for i in 0..k {
            let other = i + self.below(members.len() - i);
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
    fn some_are_different_and_all_are_drawn_sometimes() {
        let mut draw = PeerSampler::new([7; 32]);
        let mut seen = [0; 10];
        for _ in 0..200 {
            let some = draw.some((0..10).collect(), 3);
            assert_eq!(some.len(), 3);
            assert!(some[0] != some[1] && some[1] != some[2] && some[0] != some[2]);
            some.into_iter().for_each(|member| seen[usize::from(member)] += 1);
        }
        assert!(seen.iter().all(|n| *n > 30), "{seen:?}");
        assert_eq!(draw.some(vec![4], 3), [4]);
        assert!(draw.some(Vec::new(), 3).is_empty());
    }
}
