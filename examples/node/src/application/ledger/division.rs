//! Division of the trie's paths into prefixes.

use quorate::Error;
use quorate::wire::{Decode, Encode, Reader, Writer};

use super::proof::Summary;
use crate::application::parts::MAX_PARTS;
use crate::application::trie::{Digest, Entry, bit, leaf_hash, node_hash, split};

/// Maximum length of an encoded part. A longer one is divided, unless its prefix has [`MAX_DEPTH`] bits.
pub(super) const PART_BYTES: usize = 1 << 20;
/// Maximum number of bits of a prefix. Keys whose paths agree in more cannot be searched for.
const MAX_DEPTH: usize = 64;

/// A decoded outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Division {
    pub(super) summary: Summary,
    pub(super) items: Vec<Item>,
}

/// The subtree at a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// Number of bits of the prefix.
    pub(super) depth: u8,
    pub(super) root: Subtree,
}

/// The root of a subtree. Unlike in the [trie](crate::application::trie), a leaf has its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subtree {
    Empty,
    Leaf(Entry),
    Inner(Digest),
}

/// An entry of the trie, and its length in a part.
pub(super) struct Indexed {
    pub(super) entry: Entry,
    pub(super) bytes: usize,
}

impl Subtree {
    pub(super) fn hash(&self) -> Digest {
        match self {
            Self::Empty => [0; 32],
            Self::Leaf(Entry { path, value }) => leaf_hash(path, value),
            Self::Inner(hash) => *hash,
        }
    }

    /// The subtree with these two below it.
    fn join(left: Self, right: Self) -> Self {
        match (left, right) {
            (Self::Empty, Self::Empty) => Self::Empty,
            (leaf @ Self::Leaf(_), Self::Empty) | (Self::Empty, leaf @ Self::Leaf(_)) => leaf,
            (left, right) => Self::Inner(node_hash(&left.hash(), &right.hash())),
        }
    }
}

/// The root of the subtree with these entries, ascending by path, at a depth to which all paths agree.
pub(super) fn subtree(entries: &[Entry], depth: usize) -> Subtree {
    match entries {
        [] => Subtree::Empty,
        [only] => Subtree::Leaf(*only),
        _ => {
            let (left, right) = split(entries, depth);
            Subtree::join(subtree(left, depth + 1), subtree(right, depth + 1))
        }
    }
}

/// Divides entries, ascending by path, until each part fits.
pub(super) fn divide(entries: &[Indexed], depth: usize, items: &mut Vec<Item>) {
    let bytes = 4 + entries.iter().map(|indexed| indexed.bytes).sum::<usize>();
    if bytes <= PART_BYTES || depth == MAX_DEPTH {
        let leaves: Vec<_> = entries.iter().map(|indexed| indexed.entry).collect();
        items.push(Item { depth: depth as u8, root: subtree(&leaves, depth) });
        return;
    }
    let (left, right) = entries.split_at(entries.partition_point(|indexed| !bit(&indexed.entry.path, depth)));
    divide(left, depth + 1, items);
    divide(right, depth + 1, items);
}

/// Computes the root above the next items, and collects those with entries. `prefix` leads to `depth`.
pub(super) fn fold(
    rest: &mut &[Item],
    prefix: &mut Digest,
    depth: usize,
    parts: &mut Vec<(Digest, Item)>,
) -> Result<Subtree, Error> {
    const WRONG: Error = Error::Malformed { what: "division of the ledger" };
    let (item, later) = rest.split_first().ok_or(WRONG)?;
    if usize::from(item.depth) == depth {
        *rest = later;
        if let Subtree::Leaf(leaf) = &item.root
            && !agree(&leaf.path, prefix, depth)
        {
            return Err(Error::WrongContext { what: "path of a leaf" });
        }
        if item.root != Subtree::Empty {
            parts.push((*prefix, *item));
        }
        return Ok(item.root);
    }
    if usize::from(item.depth) < depth || depth == MAX_DEPTH {
        return Err(WRONG);
    }
    let left = fold(rest, prefix, depth + 1, parts)?;
    set_bit(prefix, depth, true);
    let right = fold(rest, prefix, depth + 1, parts)?;
    set_bit(prefix, depth, false);
    Ok(Subtree::join(left, right))
}

/// Returns true if two paths agree in their first bits.
pub(super) fn agree(a: &Digest, b: &Digest, bits: usize) -> bool {
    (0..bits).all(|at| bit(a, at) == bit(b, at))
}

fn set_bit(path: &mut Digest, at: usize, value: bool) {
    if let Some(byte) = path.get_mut(at / 8) {
        let mask = 0x80 >> (at % 8);
        *byte = if value { *byte | mask } else { *byte & !mask };
    }
}

impl Encode for Division {
    fn encode_to(&self, w: &mut Writer) {
        self.summary.encode_to(w);
        w.list(&self.items);
    }
}

impl Decode for Division {
    fn decode_from(r: &mut Reader<'_>, (): &()) -> Result<Self, Error> {
        let summary = Summary::decode_from(r, &())?;
        Ok(Self { summary, items: r.list("parts of the ledger", MAX_PARTS, &())? })
    }
}

impl Encode for Item {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(self.depth);
        match &self.root {
            Subtree::Empty => w.u8(0),
            Subtree::Leaf(Entry { path, value }) => {
                w.u8(1);
                w.raw(path);
                w.raw(value);
            }
            Subtree::Inner(hash) => {
                w.u8(2);
                w.raw(hash);
            }
        }
    }
}

impl Decode for Item {
    fn decode_from(r: &mut Reader<'_>, (): &()) -> Result<Self, Error> {
        let depth = r.u8()?;
        let root = match r.u8()? {
            0 => Subtree::Empty,
            1 => Subtree::Leaf(Entry { path: r.array()?, value: r.array()? }),
            2 => Subtree::Inner(r.array()?),
            _ => return Err(Error::Malformed { what: "subtree of the ledger" }),
        };
        Ok(Self { depth, root })
    }
}
