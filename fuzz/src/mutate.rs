//! Changes to inputs, the same for the same seed: what the brief tests use in place of libFuzzer.

use quorate_support::rng::SplitMix64;

/// A seeded generator whose sequence never changes.
#[derive(Clone, Debug)]
pub struct Chance(SplitMix64);

impl Chance {
    /// A generator that continues from `seed`.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.bits() % n as u64) as usize }
    }
}

/// Longest input that mutation makes.
const LONGEST: usize = 32 * 1024;
/// Values at the edges of what fields hold.
const EDGES: [u8; 8] = [0x00, 0x01, 0x02, 0x03, 0x7f, 0x80, 0xfe, 0xff];

/// Changes `input` in one to four places; `other` is a second input to take pieces from.
pub fn mutate(input: &mut Vec<u8>, other: &[u8], chance: &mut Chance) {
    for _ in 0..=chance.below(4) {
        once(input, other, chance);
    }
    input.truncate(LONGEST);
}

fn once(input: &mut Vec<u8>, other: &[u8], chance: &mut Chance) {
    let at = chance.below(input.len());
    match chance.below(9) {
        0 => change(input, at, |byte, chance| byte ^ (1 << chance.below(8)), chance),
        1 => change(input, at, |_, chance| chance.bits() as u8, chance),
        2 => {
            change(input, at, |_, chance| EDGES.get(chance.below(EDGES.len())).copied().unwrap_or(0), chance)
        }
        3 => change(
            input,
            at,
            |byte, chance| byte.wrapping_add(if chance.below(2) == 0 { 1 } else { 255 }),
            chance,
        ),
        4 => input.truncate(at),
        5 => {
            let end = (at + chance.below(16)).min(input.len());
            input.drain(at..end);
        }
        6 => insert(input, at, &piece(other, chance)),
        7 => {
            let again = piece(input, chance);
            insert(input, at, &again);
        }
        _ => {
            let piece = piece(other, chance);
            let end = (at + piece.len()).min(input.len());
            input.splice(at..end, piece);
        }
    }
}

fn change(input: &mut [u8], at: usize, to: impl Fn(u8, &mut Chance) -> u8, chance: &mut Chance) {
    if let Some(byte) = input.get_mut(at) {
        *byte = to(*byte, chance);
    }
}

fn insert(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    input.splice(at..at, piece.iter().copied());
}

fn piece(from: &[u8], chance: &mut Chance) -> Vec<u8> {
    let start = chance.below(from.len());
    let rest = from.get(start..).unwrap_or_default();
    let len = if chance.below(4) == 0 { rest.len() } else { chance.below(rest.len().min(64) + 1) };
    rest.iter().take(len).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_changes_the_same_way_and_another_one_differently() {
        let changed = |seed| {
            let mut chance = Chance::new(seed);
            let mut all = Vec::new();
            for _ in 0..100 {
                let mut input = (0..50).collect();
                mutate(&mut input, &[7; 20], &mut chance);
                all.push(input);
            }
            all
        };
        assert_eq!(changed(1), changed(1));
        assert_ne!(changed(1), changed(2));
    }

    #[test]
    fn empty_inputs_are_no_trouble() {
        let mut chance = Chance::new(0);
        for _ in 0..1000 {
            mutate(&mut Vec::new(), &[], &mut chance);
        }
    }
}
