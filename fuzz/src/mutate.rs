//! Deterministic mutations of inputs, which the brief tests use instead of libFuzzer.

use quorate_support::rng::SplitMix64;

/// A seeded generator whose sequence never changes.
#[derive(Clone, Debug)]
pub struct Rng(SplitMix64);

impl Rng {
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

/// Maximum length of mutated inputs.
const LONGEST: usize = 32 * 1024;
/// Values at the limits of fields.
const EDGES: [u8; 8] = [0x00, 0x01, 0x02, 0x03, 0x7f, 0x80, 0xfe, 0xff];

/// Changes `input` in one to four places; `other` is a second input to take pieces from.
pub fn mutate(input: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    for _ in 0..=rng.below(4) {
        once(input, other, rng);
    }
    input.truncate(LONGEST);
}

fn once(input: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let at = rng.below(input.len());
    match rng.below(9) {
        0 => change(input, at, |byte, rng| byte ^ (1 << rng.below(8)), rng),
        1 => change(input, at, |_, rng| rng.bits() as u8, rng),
        2 => change(input, at, |_, rng| EDGES.get(rng.below(EDGES.len())).copied().unwrap_or(0), rng),
        3 => change(input, at, |byte, rng| byte.wrapping_add(if rng.below(2) == 0 { 1 } else { 255 }), rng),
        4 => input.truncate(at),
        5 => {
            let end = (at + rng.below(16)).min(input.len());
            input.drain(at..end);
        }
        6 => insert(input, at, &piece(other, rng)),
        7 => {
            let again = piece(input, rng);
            insert(input, at, &again);
        }
        _ => {
            let piece = piece(other, rng);
            let end = (at + piece.len()).min(input.len());
            input.splice(at..end, piece);
        }
    }
}

fn change(input: &mut [u8], at: usize, to: impl Fn(u8, &mut Rng) -> u8, rng: &mut Rng) {
    if let Some(byte) = input.get_mut(at) {
        *byte = to(*byte, rng);
    }
}

fn insert(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    input.splice(at..at, piece.iter().copied());
}

fn piece(from: &[u8], rng: &mut Rng) -> Vec<u8> {
    let start = rng.below(from.len());
    let rest = from.get(start..).unwrap_or_default();
    let len = if rng.below(4) == 0 { rest.len() } else { rng.below(rest.len().min(64) + 1) };
    rest.iter().take(len).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutations_depend_on_the_seed_alone() {
        let changed = |seed| {
            let mut rng = Rng::new(seed);
            let mut all = Vec::new();
            for _ in 0..100 {
                let mut input = (0..50).collect();
                mutate(&mut input, &[7; 20], &mut rng);
                all.push(input);
            }
            all
        };
        assert_eq!(changed(1), changed(1));
        assert_ne!(changed(1), changed(2));
    }

    #[test]
    fn empty_inputs_are_no_trouble() {
        let mut rng = Rng::new(0);
        for _ in 0..1000 {
            mutate(&mut Vec::new(), &[], &mut rng);
        }
    }
}
