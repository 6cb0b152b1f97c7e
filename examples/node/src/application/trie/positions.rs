//! Positions of subtrees.

use super::node::Digest;

/// The position of a subtree, at most [`MAX_DEPTH`](Self::MAX_DEPTH) levels deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Position {
    pub(super) depth: usize,
    /// The first `depth` bits of its paths as a number.
    pub(super) index: u64,
}

impl Position {
    /// Two paths with as many equal bits cannot be found.
    pub(super) const MAX_DEPTH: usize = 63;
    pub(super) const ROOT: Self = Self { depth: 0, index: 0 };

    pub(super) fn child(self, right: bool) -> Self {
        Self { depth: self.depth + 1, index: 2 * self.index + u64::from(right) }
    }

    /// The lowest path below this position.
    pub(super) fn first_path(self) -> Digest {
        let mut path = [0; 32];
        let bits = self.index.checked_shl(64 - self.depth as u32).unwrap_or(0);
        path.iter_mut().zip(bits.to_be_bytes()).for_each(|(byte, bits)| *byte = bits);
        path
    }
}

/// The lowest and the highest path with the first `bits` bits of `path`.
pub(super) fn range(path: &Digest, bits: usize) -> (Digest, Digest) {
    let (mut first, mut last) = (*path, *path);
    for (at, (first, last)) in first.iter_mut().zip(&mut last).enumerate() {
        let mask = 0xff_u8.checked_shr(bits.saturating_sub(8 * at) as u32).unwrap_or(0);
        *first &= !mask;
        *last |= mask;
    }
    (first, last)
}
