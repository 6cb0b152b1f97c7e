use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use super::node::{Digest, EMPTY, bit, leaf_hash, node_hash};

const MAX_DEPTH: usize = 256;

/// Proof of the value hash at a path, or of its absence, against a root.
///
/// It lists the siblings from the root down, and the leaf that ends the path, if any. It proves presence (the leaf belongs to
/// the key) or absence (the path ends empty, or at the leaf of another key that shares the path so far).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrieProof {
    pub(super) siblings: Vec<Digest>,
    /// Path and value hash.
    pub(super) leaf: Option<(Digest, Digest)>,
}

impl TrieProof {
    /// Verifies the proof. Returns the value hash at `path` in the trie with this `root`; `None` for absence.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the proof is for another path or another root.
    pub fn verify(&self, root: &Digest, path: &Digest) -> Result<Option<Digest>> {
        let depth = self.siblings.len();
        if depth > MAX_DEPTH {
            return Err(Error::TooLarge { what: "trie proof", limit: MAX_DEPTH as u64 });
        }
        let (mut hash, value) = match &self.leaf {
            None => (EMPTY, None),
            Some((found, value)) if found == path => (leaf_hash(found, value), Some(*value)),
            Some((found, value)) if (0..depth).all(|at| bit(found, at) == bit(path, at)) => {
                (leaf_hash(found, value), None)
            }
            Some(_) => return Err(Error::WrongContext { what: "path of the leaf" }),
        };
        for (at, sibling) in self.siblings.iter().enumerate().rev() {
            hash = if bit(path, at) { node_hash(sibling, &hash) } else { node_hash(&hash, sibling) };
        }
        if hash != *root {
            return Err(Error::WrongContext { what: "state root" });
        }
        Ok(value)
    }
}

impl Encode for TrieProof {
    fn encode_to(&self, w: &mut Writer) {
        w.count(self.siblings.len());
        self.siblings.iter().for_each(|sibling| w.raw(sibling));
        w.u8(u8::from(self.leaf.is_some()));
        if let Some((path, value)) = &self.leaf {
            w.raw(path);
            w.raw(value);
        }
    }
}

impl Decode for TrieProof {
    fn decode_from(r: &mut Reader<'_>, (): &()) -> Result<Self> {
        let n = r.count("trie proof", MAX_DEPTH)?;
        let siblings = (0..n).map(|_| r.array()).collect::<Result<_>>()?;
        let leaf = match r.u8()? {
            0 => None,
            1 => Some((r.array()?, r.array()?)),
            _ => return Err(Error::Malformed { what: "trie proof" }),
        };
        Ok(Self { siblings, leaf })
    }
}
