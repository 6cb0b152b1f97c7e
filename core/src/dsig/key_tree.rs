//! Compression of a key's public values to 32 bytes: a tree whose nodes are as long as the values, with as many
//! children per node as fit one hash call. A node is the hash of
//!
//! | bytes | field |
//! |---|---|
//! | 54 | its children, concatenated; zero-padded |
//! | 6 | the first bytes of the key's salt |
//! | 3 | its position in its level |
//! | 1 | its level, 1 above the values |
//!
//! and the top node has all 32 bytes of the hash. Every call has a unique tweak, also across keys, so an attacker
//! needs a second preimage.

use alloc::vec;

use super::cell::{HashCell, HashShape, KeySalt};

/// Bytes of children in a hash call.
const CHILDREN: usize = 54;

/// Number of children per node. At least two, or the tree would not converge.
pub(super) const fn arity(value_len: usize) -> usize {
    assert!(value_len > 0 && 2 * value_len <= CHILDREN, "two values must fit one call");
    CHILDREN / value_len
}

/// Returns the top of the tree over a key's values. `advance` hashes cells in place.
pub(super) fn top<const N: usize>(
    values: &[[u8; N]],
    salt: &KeySalt,
    advance: impl Fn(&mut [HashCell], HashShape),
) -> [u8; 32] {
    let arity = const { arity(N) };
    let (mut small, mut large) = ([[0; N]; 72], vec![]);
    let nodes = match small.get_mut(..values.len().div_ceil(arity)) {
        Some(nodes) => nodes,
        None => {
            large.resize(values.len().div_ceil(arity), [0; N]);
            &mut large[..]
        }
    };
    let mut cells = [HashCell::ZERO; 24];
    let (mut level, mut below) = (1, values.len());
    loop {
        let count = below.div_ceil(arity);
        let shape = HashShape { input: 64, output: if count <= 1 { 32 } else { N } };
        for start in (0..count).step_by(cells.len()) {
            let children = if level == 1 { values } else { nodes.get(..below).unwrap_or_default() };
            let children = children.get(start * arity..).unwrap_or_default().chunks(arity);
            let filled = (count - start).min(24);
            // Fill whole vectors: the surplus cells are ignored, and copying would take longer than hashing them.
            let whole = if filled > 4 { filled.next_multiple_of(8) } else { filled.next_power_of_two() };
            let cells = cells.get_mut(..whole).unwrap_or_default();
            for (cell, (place, children)) in cells.iter_mut().zip((start..).zip(children)) {
                *cell = input(children.as_flattened(), salt, place as u32, level);
            }
            advance(cells, shape);
            // Each pass reads its children before it writes a node, and writes only to positions that were read
            // already.
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

/// Assembled in blocks of 16 bytes: reading more bytes than the last store wrote stalls the processor.
#[inline]
fn input(children: &[u8], salt: &KeySalt, place: u32, level: u8) -> HashCell {
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
    let mut cell = HashCell::ZERO;
    cell.put(0, front);
    cell.put(48, &(u128::from(last) | tweak << 48).to_le_bytes());
    cell
}
