//! Batches of client transactions: the unit in which members exchange and order transactions.

use core::fmt;
use std::ops::Range;

use quorate::machine::MemberIndex;
use quorate::merkle::{Hash, Merkle, Path};
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

/// The Merkle tree over a batch's transactions. A leaf is also the identifier of its transaction.
pub const TRANSACTIONS: Merkle = Merkle::new(domain::BATCH_LEAF, domain::BATCH_NODE);
/// Maximum number of transactions in a batch.
pub const MAX_TRANSACTIONS: usize = 1 << 16;
/// Maximum size of a batch's body in bytes, including the 4-byte length of each transaction.
pub const MAX_BATCH_BYTES: usize = 2 << 20;

crate::digest!(
    /// Identifier of a batch: the hash of its header.
    BatchDigest
);

/// Position of a batch: its author and its sequence number among the author's batches. At most one batch per slot is
/// ever committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The member that made the batch.
    pub author: MemberIndex,
    /// Sequence number, from 1 to 2⁴⁸ − 1.
    pub sequence: u64,
}

impl Slot {
    /// Creates a slot.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the sequence number is 0 or has more than 48 bits.
    pub fn new(author: MemberIndex, sequence: u64) -> Result<Self> {
        if sequence == 0 || sequence >= 1 << 48 {
            return Err(Error::Malformed { what: "sequence of a batch" });
        }
        Ok(Self { author, sequence })
    }

    /// Returns the slot as one number: author × 2⁴⁸ + sequence. Statements about a batch use it as their view.
    pub fn view(self) -> u64 {
        u64::from(self.author) << 48 | self.sequence
    }

    /// Returns the slot whose [`view`](Self::view) is `view`.
    pub fn from_view(view: u64) -> Self {
        Self { author: (view >> 48) as u16, sequence: view & ((1 << 48) - 1) }
    }
}

/// Header of a batch. The digest of a batch is the hash of its header, so a certificate over the digest also proves
/// author, sequence number, count and Merkle root to a holder of the header that does not have the transactions.
///
/// | bytes | field |
/// |---|---|
/// | 2 | author |
/// | 8 | sequence, 1 to 2⁴⁸ − 1 |
/// | 4 | number of transactions, at least 1 |
/// | 4 | bytes of the body |
/// | 32 | Merkle root |
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct BatchHeader {
    /// Author and sequence number.
    pub slot: Slot,
    /// Number of transactions.
    pub count: u32,
    /// Size of the body in bytes: each transaction, preceded by its 4-byte length.
    pub bytes: u32,
    /// Merkle root of the transactions, under [`TRANSACTIONS`].
    pub root: Hash,
}

impl BatchHeader {
    /// Size of the encoding in bytes.
    pub const LEN: usize = 50;

    /// Returns the digest of the batch.
    pub fn digest(&self) -> BatchDigest {
        BatchDigest(domain::hash(domain::BATCH, &self.encode()))
    }
}

/// An immutable batch of transactions from one member's clients, in submission order. The body is one allocation.
#[derive(Clone, PartialEq, Eq)]
pub struct Batch {
    header: BatchHeader,
    digest: BatchDigest,
    body: Vec<u8>,
    ends: Vec<u32>,
    ids: Vec<Hash>,
}

impl Batch {
    /// Creates a batch of `transactions`. Cost: one hash over all of them.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for more than [`MAX_TRANSACTIONS`] transactions or [`MAX_BATCH_BYTES`] bytes;
    /// [`Error::Malformed`] for no transactions, or for a sequence number out of range.
    pub fn new<T: AsRef<[u8]>>(
        author: MemberIndex,
        sequence: u64,
        transactions: impl IntoIterator<Item = T>,
    ) -> Result<Self> {
        let mut w = Writer::new();
        let mut count = 0;
        for transaction in transactions {
            let transaction = transaction.as_ref();
            if w.len() + 4 + transaction.len() > MAX_BATCH_BYTES {
                return Err(Error::TooLarge { what: "batch", limit: MAX_BATCH_BYTES as u64 });
            }
            w.bytes(transaction);
            count += 1;
        }
        Self::from_body(Slot::new(author, sequence)?, count, w.into_bytes())
    }

    /// Returns the header.
    pub fn header(&self) -> &BatchHeader {
        &self.header
    }

    /// Returns the hash of the header.
    pub fn digest(&self) -> BatchDigest {
        self.digest
    }

    /// Returns the member that made the batch.
    pub fn author(&self) -> MemberIndex {
        self.header.slot.author
    }

    /// Returns the sequence number among the author's batches.
    pub fn sequence(&self) -> u64 {
        self.header.slot.sequence
    }

    /// Returns the number of transactions.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns false: a batch has at least one transaction.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the size of the body in bytes: all transactions with their lengths.
    pub fn bytes(&self) -> usize {
        self.body.len()
    }

    /// Returns the approximate memory of the batch in bytes: the body, and 36 bytes for each transaction, which is many times
    /// the body if the transactions are small.
    pub fn footprint(&self) -> usize {
        self.body.len() + (size_of::<u32>() + size_of::<Hash>()) * self.ids.len()
    }

    /// Identifiers of the transactions: the leaves of the Merkle tree.
    pub fn ids(&self) -> &[Hash] {
        &self.ids
    }

    /// Returns the transaction at a position.
    pub fn transaction(&self, index: usize) -> Option<&[u8]> {
        self.body.get(self.range(index)?)
    }

    /// Returns all transactions in order.
    pub fn transactions(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.transaction(index).unwrap_or_default())
    }

    /// Returns the Merkle path that proves one transaction under [`BatchHeader::root`].
    ///
    /// # Errors
    /// [`Error::Malformed`] if the batch has no transaction at `index`.
    pub fn path(&self, index: usize) -> Result<Path> {
        TRANSACTIONS.path(&self.ids, index)
    }

    fn range(&self, index: usize) -> Option<Range<usize>> {
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)? as usize,
            None => 0,
        };
        Some(start + 4..*self.ends.get(index)? as usize)
    }

    /// Parses, checks and hashes a body.
    fn from_body(slot: Slot, count: usize, body: Vec<u8>) -> Result<Self> {
        if count == 0 {
            return Err(Error::Malformed { what: "batch without transactions" });
        }
        if count > MAX_TRANSACTIONS {
            return Err(Error::TooLarge { what: "transactions of a batch", limit: MAX_TRANSACTIONS as u64 });
        }
        let mut r = Reader::new(&body);
        let mut ends = Vec::with_capacity(count.min(body.len() / 4 + 1));
        let mut items = Vec::with_capacity(count.min(body.len() / 4 + 1));
        for _ in 0..count {
            items.push(r.bytes("transaction", MAX_BATCH_BYTES)?);
            ends.push((body.len() - r.remaining()) as u32);
        }
        if !r.is_empty() {
            return Err(Error::Malformed { what: "batch with bytes behind its transactions" });
        }
        let ids = TRANSACTIONS.leaves(items);
        Ok(Self::from_parts(slot, body, ends, ids))
    }

    /// Assembles a batch from a well-formed body; `ids` are the leaves of its transactions.
    pub(crate) fn from_parts(slot: Slot, body: Vec<u8>, ends: Vec<u32>, ids: Vec<Hash>) -> Self {
        let root = TRANSACTIONS.root(&ids);
        let header = BatchHeader { slot, count: ids.len() as u32, bytes: body.len() as u32, root };
        Self { header, digest: header.digest(), body, ends, ids }
    }
}

/// State of a batch that this member submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnBatchState {
    /// A quorum stores the batch; it will be proposed.
    Certified,
    /// The batch is in a committed block.
    Committed,
    /// The batch was not accepted: too many batches are outstanding, or its sequence number is used. Seal its
    /// transactions again under a new number.
    Refused,
}

impl Encode for Slot {
    fn encode_to(&self, w: &mut Writer) {
        w.u16(self.author);
        w.u64(self.sequence);
    }
}

impl Decode for Slot {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Self::new(r.u16()?, r.u64()?)
    }
}

impl Encode for BatchHeader {
    fn encode_to(&self, w: &mut Writer) {
        self.slot.encode_to(w);
        w.u32(self.count);
        w.u32(self.bytes);
        w.raw(&self.root);
    }
}

impl Decode for BatchHeader {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let header =
            Self { slot: Slot::decode_from(r, &())?, count: r.u32()?, bytes: r.u32()?, root: r.array()? };
        let sizes = header.count as usize <= MAX_TRANSACTIONS && header.bytes as usize <= MAX_BATCH_BYTES;
        if header.count == 0 || !sizes {
            return Err(Error::Malformed { what: "size of a batch" });
        }
        Ok(header)
    }
}

impl Encode for Batch {
    fn encode_to(&self, w: &mut Writer) {
        self.header.slot.encode_to(w);
        w.u32(self.header.count);
        w.bytes(&self.body);
    }
}

impl Decode for Batch {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let slot = Slot::decode_from(r, &())?;
        let count = r.count("transactions of a batch", MAX_TRANSACTIONS)?;
        Self::from_body(slot, count, r.bytes("batch", MAX_BATCH_BYTES)?.to_vec())
    }
}

impl fmt::Debug for BatchHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}, {} transactions", self.slot.author, self.slot.sequence, self.count)
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Slot { author, sequence } = self.header.slot;
        write!(f, "Batch({author}/{sequence}, {} transactions, {} bytes)", self.len(), self.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_batch_round_trips_and_proves_its_transactions(
            author: u16,
            sequence in 1u64..1 << 48,
            transactions in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 1..20),
        ) {
            let batch = Batch::new(author, sequence, &transactions)?;
            prop_assert_eq!(&Batch::decode(&batch.encode(), &())?, &batch);
            prop_assert!(batch.transactions().eq(transactions.iter().map(Vec::as_slice)));
            for (i, transaction) in transactions.iter().enumerate() {
                let path = batch.path(i)?;
                prop_assert!(TRANSACTIONS.verify(&batch.header().root, &TRANSACTIONS.leaf(transaction), &path).is_ok());
            }
            prop_assert_eq!(BatchHeader::decode(&batch.header().encode(), &())?, *batch.header());
        }

        #[test]
        fn decoded_batches_encode_to_the_same_bytes(
            head in proptest::collection::vec(any::<u8>(), 10..=10),
            lens in proptest::collection::vec(0u8..6, 0..6),
            cut in 0usize..4,
        ) {
            let mut body = Vec::new();
            for len in &lens {
                body.extend_from_slice(&u32::from(*len).to_le_bytes());
                body.extend(std::iter::repeat_n(7, usize::from(*len)));
            }
            body.truncate(body.len().saturating_sub(cut));
            let mut w = Writer::new();
            w.raw(&head);
            w.count(lens.len());
            w.bytes(&body);
            let bytes = w.into_bytes();
            if let Ok(batch) = Batch::decode(&bytes, &()) {
                prop_assert_eq!(batch.encode(), bytes);
            } else {
                prop_assert!(cut > 0 || lens.is_empty() || Slot::decode(&head, &()).is_err());
            }
        }
    }

    #[test]
    fn empty_and_oversized_batches_are_rejected() {
        assert!(Batch::new(0, 1, [[0u8; 0]; 0]).is_err());
        assert!(Batch::new(0, 0, [b"x"]).is_err());
        assert!(Batch::new(0, 1 << 48, [b"x"]).is_err());
        assert!(Batch::new(0, 1, [vec![0; MAX_BATCH_BYTES]]).is_err());
        assert!(Batch::new(0, 1, vec![[0u8; 0]; MAX_TRANSACTIONS + 1]).is_err());
    }
}
