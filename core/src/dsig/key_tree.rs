//! How a key's public values become 32 bytes: a tree whose nodes are as long as the values and have as many children
//! as fit one call. A node is the hash of
//!
//! | bytes | field |
//! |---|---|
//! | 54 | its children, one after the other; zeros |
//! | 6 | the first bytes of the key's salt |
//! | 3 | its place on its level |
//! | 1 | its level, 1 above the values |
//!
//! and the top one keeps all 32 bytes of it. Every call is unlike any other, in other keys too, so a second preimage
//! is what an attacker needs.

use alloc::vec;

use super::chain::{Cell, ChainHash, KeySalt, Place, Shape};

/// Bytes of children in a call.
const CHILDREN: usize = 54;

/// Children that are there as a whole. Two at least, or a tree would never end.
pub(super) const fn arity(value_len: usize) -> usize {
    assert!(value_len > 0 && 2 * value_len <= CHILDREN, "two values must fit one call");
    CHILDREN / value_len
}

/// The top of the tree over a key's values.
pub(super) fn top<H: ChainHash, const N: usize>(values: &[[u8; N]], salt: &KeySalt) -> [u8; 32] {
    let arity = const { arity(N) };
    let (mut small, mut large) = ([[0; N]; 72], vec![]);
    let nodes = match small.get_mut(..values.len().div_ceil(arity)) {
        Some(nodes) => nodes,
        None => {
            large.resize(values.len().div_ceil(arity), [0; N]);
            &mut large[..]
        }
    };
    let mut cells = [Cell::ZERO; 24];
    let (mut level, mut below) = (1, values.len());
    loop {
        let count = below.div_ceil(arity);
        let shape = Shape { input: 64, output: if count <= 1 { 32 } else { N } };
        for start in (0..count).step_by(cells.len()) {
            let children = if level == 1 { values } else { nodes.get(..below).unwrap_or_default() };
            let children = children.get(start * arity..).unwrap_or_default().chunks(arity);
            let filled = (count - start).min(24);
            // Whole vectors: what is in the cells beyond does not matter, and copies would take longer than hashes.
            let whole = if filled > 4 { filled.next_multiple_of(8) } else { filled.next_power_of_two() };
            let cells = cells.get_mut(..whole).unwrap_or_default();
            for (cell, (place, children)) in cells.iter_mut().zip((start..).zip(children)) {
                *cell = input(children.as_flattened(), salt, place as u32, level);
            }
            H::advance(Place::Key, cells, shape);
            // Children are read before a node is written, and none is written before it.
            for (node, cell) in nodes.iter_mut().skip(start).zip(cells).take(filled) {
                *node = *cell.0.first_chunk().unwrap_or(&[0; N]);
            }
        }
        if count <= 1 {
            let [cell, ..] = &cells;
            return *cell.0.first_chunk().unwrap_or(&[0; 32]);
        }
        (level, below) = (level + 1, count);
    }
}

/// Written in blocks of 16 bytes, because a processor that reads more than it wrote at once has to wait.
#[inline]
fn input(children: &[u8], salt: &KeySalt, place: u32, level: u8) -> Cell {
    let (front, last) = match (children.first_chunk::<48>(), children.last_chunk()) {
        (Some(front), Some(last)) if children.len() == CHILDREN => (front, u64::from_le_bytes(*last) >> 16),
        (Some(front), _) if children.len() == 48 => (front, 0),
        _ => {
            let mut padded = [0; CHILDREN];
            padded.iter_mut().zip(children).for_each(|(to, from)| *to = *from);
            return input(&padded, salt, place, level);
        }
    };
    let [a, b, c, d, e, f, ..] = *salt;
    let salt = u64::from_le_bytes([a, b, c, d, e, f, 0, 0]);
    let tweak = u128::from(level) << 72 | u128::from(place) << 48 | u128::from(salt);
    let mut cell = Cell::ZERO;
    cell.put(0, front);
    cell.put(48, &(u128::from(last) | tweak << 48).to_le_bytes());
    cell
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsig::chain::{Blake3, Haraka256, Haraka512};
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// The definition, word by word.
    fn plain<H: ChainHash, const N: usize>(values: &[[u8; N]], salt: &KeySalt) -> [u8; 32] {
        let mut nodes = values.to_vec();
        for level in 1u8.. {
            let hashes: Vec<[u8; 32]> = nodes
                .chunks(54 / N)
                .enumerate()
                .map(|(place, children)| {
                    let mut call = children.concat();
                    call.resize(54, 0);
                    call.extend(&salt[..6]);
                    call.extend(&place.to_le_bytes()[..3]);
                    call.push(level);
                    H::hash(Place::Key, &Cell(call.try_into().unwrap()), 64)
                })
                .collect();
            if let [top] = hashes[..] {
                return top;
            }
            nodes = hashes.iter().map(|hash| *hash.first_chunk().unwrap()).collect();
        }
        unreachable!()
    }

    fn agrees<const N: usize>(seed: &[u8; 32], salt: &KeySalt, count: usize) {
        let mut values = vec![[0; N]; count];
        blake3::Hasher::new().update(seed).finalize_xof().fill(values.as_flattened_mut());
        assert_eq!(top::<Blake3, N>(&values, salt), plain::<Blake3, N>(&values, salt));
        assert_eq!(top::<Haraka256, N>(&values, salt), plain::<Haraka256, N>(&values, salt));
        assert_eq!(top::<Haraka512, N>(&values, salt), plain::<Haraka512, N>(&values, salt));
    }

    proptest! {
        #[test]
        fn a_key_is_compressed_as_the_page_says(seed: [u8; 32], salt: KeySalt, count in 1usize..600) {
            agrees::<16>(&seed, &salt, count);
            agrees::<18>(&seed, &salt, count);
            agrees::<24>(&seed, &salt, count);
            agrees::<27>(&seed, &salt, count);
        }
    }
}
