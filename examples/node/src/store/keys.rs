//! Keys of the store's keyspaces, as types.

use std::ops::{RangeFrom, RangeInclusive};

use quorate::merkle::Hash;

use super::database::height_key;
use crate::protocol::LatestRecord;
use crate::{NodeError, Result};

/// Key in the keyspace `records`.
///
/// | bytes | key |
/// |---|---|
/// | `0 0` | [`NewestFinality`](Self::NewestFinality) |
/// | `0`, height u64 (big endian) | [`AtHeight`](Self::AtHeight) |
/// | `3`, kind of statement | guard of the voting key |
/// | `4`, kind of statement | guard of the identity key |
/// | `5 0` | state of the view |
/// | `6 0` | committed tip |
/// | `7 0` | seed |
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RecordKey {
    /// Finality of the newest executed block.
    NewestFinality,
    /// Record of a height.
    AtHeight(u64),
    /// Record of which the store keeps only the latest.
    Latest(LatestRecord),
}

impl RecordKey {
    pub(super) fn encode(self) -> Vec<u8> {
        match self {
            Self::NewestFinality => vec![0, 0],
            Self::AtHeight(height) => [&[0][..], &height_key(height)].concat(),
            Self::Latest(LatestRecord::VoteGuard(kind)) => vec![3, kind],
            Self::Latest(LatestRecord::ProposalGuard(kind)) => vec![4, kind],
            Self::Latest(LatestRecord::View) => vec![5, 0],
            Self::Latest(LatestRecord::CommittedTip) => vec![6, 0],
            Self::Latest(LatestRecord::Seed) => vec![7, 0],
        }
    }

    /// Range of all keys of [`Latest`](Self::Latest).
    pub(super) fn latest() -> RangeFrom<[u8; 1]> {
        [1]..
    }

    /// Range of the keys of [`AtHeight`](Self::AtHeight) from a height on.
    pub(super) fn from_height(height: u64) -> RangeInclusive<Vec<u8>> {
        Self::AtHeight(height).encode()..=Self::AtHeight(u64::MAX).encode()
    }
}

/// Key in the keyspace `live`: a block or batch that is not executed yet and that a restart needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LiveKey {
    /// `b`, digest.
    Block(Hash),
    /// `t`, digest.
    Batch(Hash),
}

impl LiveKey {
    /// First byte of the keys of blocks.
    pub(super) const BLOCKS: [u8; 1] = *b"b";
    /// First byte of the keys of batches.
    pub(super) const BATCHES: [u8; 1] = *b"t";

    pub(super) fn encode(self) -> [u8; 33] {
        let ([tag], digest) = match self {
            Self::Block(digest) => (Self::BLOCKS, digest),
            Self::Batch(digest) => (Self::BATCHES, digest),
        };
        let mut key = [tag; 33];
        key.split_at_mut(1).1.copy_from_slice(&digest);
        key
    }

    /// The digest in an encoded key.
    pub(super) fn digest(key: &[u8]) -> Result<Hash> {
        let digest = key.get(1..).and_then(|digest| digest.try_into().ok());
        digest.ok_or_else(|| {
            let problem = format!("malformed key: expected 33 bytes, got {}", key.len());
            NodeError::corrupt("a live record", problem)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_keys_are_those_of_existing_directories() {
        let latest = |record| RecordKey::Latest(record).encode();
        assert_eq!(latest(LatestRecord::VoteGuard(7)), [3, 7]);
        assert_eq!(latest(LatestRecord::ProposalGuard(9)), [4, 9]);
        assert_eq!(latest(LatestRecord::View), [5, 0]);
        assert_eq!(latest(LatestRecord::CommittedTip), [6, 0]);
        assert_eq!(latest(LatestRecord::Seed), [7, 0]);
        assert_eq!(RecordKey::NewestFinality.encode(), [0, 0]);
        assert_eq!(RecordKey::AtHeight(258).encode(), [0, 0, 0, 0, 0, 0, 0, 1, 2]);
        assert_eq!(LiveKey::Block([5; 32]).encode()[..2], [b'b', 5]);
        assert_eq!(LiveKey::Batch([6; 32]).encode()[..2], [b't', 6]);
        assert_eq!(LiveKey::digest(&LiveKey::Batch([6; 32]).encode()).unwrap(), [6; 32]);
        assert_eq!(LiveKey::digest(b"t").unwrap_err().code(), "CORRUPT");
    }

    #[test]
    fn ranges_cover_exactly_their_keys() {
        let keys = [
            RecordKey::NewestFinality,
            RecordKey::AtHeight(0),
            RecordKey::AtHeight(u64::MAX),
            RecordKey::Latest(LatestRecord::VoteGuard(0)),
            RecordKey::Latest(LatestRecord::CommittedTip),
        ];
        for key in keys {
            let bytes = key.encode();
            assert_eq!(bytes >= RecordKey::latest().start.to_vec(), matches!(key, RecordKey::Latest(_)));
            let in_heights = RecordKey::from_height(0).contains(&bytes);
            assert_eq!(in_heights, matches!(key, RecordKey::AtHeight(_)));
        }
        assert!(!RecordKey::from_height(8).contains(&RecordKey::AtHeight(7).encode()));
    }
}
