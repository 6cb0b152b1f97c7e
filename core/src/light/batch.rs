//! Headers of batches, which Jolteon's and ABFT's blocks contain.

use super::block::{BatchSummary, between};
use crate::machine::MemberIndex;
use crate::merkle::Merkle;
use crate::wire::{Reader, domain};
use crate::{Error, Result};

/// The tree over the transactions of a batch. A leaf is also the identifier of its transaction.
pub(super) const TRANSACTIONS: Merkle<'static> = Merkle::new(domain::BATCH_LEAF, domain::BATCH_NODE);
/// Maximum number of transactions in a batch.
const MAX_TRANSACTIONS: u32 = 1 << 16;
/// Maximum bytes of the body of a batch.
pub(super) const MAX_BODY: usize = 2 << 20;
/// Sequence numbers have 48 bits.
const SEQUENCE_BITS: u32 = 48;

/// A decoded header of 50 bytes.
pub(super) struct BatchHeader {
    pub(super) author: MemberIndex,
    /// Author × 2⁴⁸ + sequence number: the view of acknowledgements.
    pub(super) slot: u64,
    pub(super) summary: BatchSummary,
}

impl BatchHeader {
    pub(super) fn read(r: &mut Reader<'_>) -> Result<Self> {
        let start = r.clone();
        let (author, sequence) = (r.u16()?, r.u64()?);
        if sequence == 0 || sequence >> SEQUENCE_BITS != 0 {
            return Err(Error::Malformed { what: "sequence of a batch" });
        }
        let (count, bytes, root) = (r.u32()?, r.u32()?, r.array()?);
        if count == 0 || count > MAX_TRANSACTIONS || bytes as usize > MAX_BODY {
            return Err(Error::Malformed { what: "size of a batch" });
        }
        let digest = domain::hash(domain::BATCH, between(&start, r)?);
        let slot = u64::from(author) << SEQUENCE_BITS | sequence;
        Ok(Self { author, slot, summary: BatchSummary { digest, count, root } })
    }
}
