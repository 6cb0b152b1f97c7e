//! What a chain is made of: one step, many steps side by side, and the compression of the chains' ends.
//!
//! A step takes `x[n] ‖ key_salt[12] ‖ chain u8 ‖ step u8` to the first n bytes of its hash. The salt and the two
//! counters make every hash call of every key a different function, so that an attacker who looks at many keys
//! gains nothing from their number.

use super::haraka::{haraka256, haraka512};
use crate::wire::domain;

/// Bytes that are different in each key, and go into each of its hash calls.
pub type KeySalt = [u8; 12];

/// A value on a chain, and on which.
#[derive(Clone, Copy)]
pub struct Link<const N: usize> {
    pub(super) value: [u8; N],
    pub(super) chain: u8,
}

/// A hash of short inputs with 32 bytes of output.
pub trait ChainHash: Send + Sync + 'static {
    /// The plain definition of one step.
    fn step<const N: usize>(value: &[u8; N], salt: &KeySalt, chain: u8, step: u8) -> [u8; N];

    /// Takes every link one step further. Cost: one hash each.
    fn step_all<const N: usize>(links: &mut [Link<N>], salt: &KeySalt, step: u8) {
        for link in links {
            link.value = Self::step(&link.value, salt, link.chain, step);
        }
    }

    /// 32 bytes that stand for all ends of a key's chains.
    fn compress<const N: usize>(ends: &[[u8; N]], salt: &KeySalt) -> [u8; 32];
}

/// Haraka-512: a step's 32 bytes, then zeros. Suite 1, the paper's.
pub enum Haraka512 {}

/// Haraka-256: a step's 32 bytes as they are. Suite 2.
pub enum Haraka256 {}

/// BLAKE3 under [`DSIG_CHAIN`](domain::DSIG_CHAIN). Suites 3 and 4.
pub enum Blake3 {}

impl ChainHash for Haraka512 {
    fn step<const N: usize>(value: &[u8; N], salt: &KeySalt, chain: u8, step: u8) -> [u8; N] {
        truncate(&haraka512(&padded(&[value, salt, &[chain, step]])))
    }

    fn compress<const N: usize>(ends: &[[u8; N]], salt: &KeySalt) -> [u8; 32] {
        haraka_tree(ends, salt)
    }
}

impl ChainHash for Haraka256 {
    fn step<const N: usize>(value: &[u8; N], salt: &KeySalt, chain: u8, step: u8) -> [u8; N] {
        truncate(&haraka256(&padded(&[value, salt, &[chain, step]])))
    }

    fn compress<const N: usize>(ends: &[[u8; N]], salt: &KeySalt) -> [u8; 32] {
        haraka_tree(ends, salt)
    }
}

impl ChainHash for Blake3 {
    fn step<const N: usize>(value: &[u8; N], salt: &KeySalt, chain: u8, step: u8) -> [u8; N] {
        let mut hasher = domain::hasher(domain::DSIG_CHAIN);
        hasher.update(value).update(salt).update(&[chain, step]);
        truncate(hasher.finalize().as_bytes())
    }

    fn step_all<const N: usize>(links: &mut [Link<N>], salt: &KeySalt, step: u8) {
        let mut hasher = domain::hasher(domain::DSIG_CHAIN);
        for link in links {
            hasher.reset();
            hasher.update(&link.value).update(salt).update(&[link.chain, step]);
            link.value = truncate(hasher.finalize().as_bytes());
        }
    }

    /// Two levels, so that the lower one's parts can be hashed side by side: at most 16 parts of equal length (the
    /// last may be shorter), each `H(part u8 ‖ salt ‖ ends)`, then `H(16 ‖ salt ‖ parts)`.
    fn compress<const N: usize>(ends: &[[u8; N]], salt: &KeySalt) -> [u8; 32] {
        let mut top = domain::hasher(domain::DSIG_KEY);
        let mut hasher = top.clone();
        top.update(&[16]).update(salt);
        for (part, ends) in (0..16u8).zip(ends.chunks(ends.len().div_ceil(16).max(1))) {
            hasher.reset();
            hasher.update(&[part]).update(salt);
            for end in ends {
                hasher.update(end);
            }
            top.update(hasher.finalize().as_bytes());
        }
        *top.finalize().as_bytes()
    }
}

/// A binary tree of 24-byte nodes `Haraka-512(left[24] ‖ right[24] ‖ salt ‖ level u8 ‖ place u8 ‖ 0 0)`; the ends are
/// padded with zeros to 24 bytes, a node without a right neighbour goes up unchanged, and the root is padded with
/// zeros to 32 bytes. Each call is tweaked like a step, so a second preimage is what an attacker needs.
fn haraka_tree<const N: usize>(ends: &[[u8; N]], salt: &KeySalt) -> [u8; 32] {
    let mut nodes = [[0u8; 24]; MAX_CHAINS];
    let mut len = ends.len().min(MAX_CHAINS);
    for (node, end) in nodes.iter_mut().zip(ends) {
        *node = padded(&[end]);
    }
    let mut level = 1u8;
    while len > 1 {
        for place in 0..len.div_ceil(2) {
            let left = nodes.get(2 * place).copied().unwrap_or_default();
            let node = match nodes.get(2 * place + 1) {
                Some(right) if 2 * place + 1 < len => {
                    truncate(&haraka512(&padded(&[&left, right, salt, &[level, place as u8]])))
                }
                _alone => left,
            };
            if let Some(slot) = nodes.get_mut(place) {
                *slot = node;
            }
        }
        (len, level) = (len.div_ceil(2), level + 1);
    }
    padded(&[nodes.first().map_or(&[][..], |root| root)])
}

/// As many chains as any suite has.
pub(super) const MAX_CHAINS: usize = 133;

/// The parts one after the other, then zeros.
fn padded<const N: usize>(parts: &[&[u8]]) -> [u8; N] {
    let mut out = [0; N];
    let bytes = parts.iter().flat_map(|part| part.iter());
    out.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    out
}

fn truncate<const N: usize>(hash: &[u8; 32]) -> [u8; N] {
    padded(&[hash])
}
