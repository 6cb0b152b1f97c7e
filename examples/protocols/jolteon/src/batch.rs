//! Batches: what members disseminate, and what blocks name instead of carrying it.

use core::fmt;
use std::ops::Range;

use quorate::certificate::{Certificate, Statement};
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::merkle::{Hash, Merkle, Path};
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

use crate::ids::{BatchDigest, Slot};

/// The tree over a batch's transactions; a leaf is also the transaction's identifier.
pub const TRANSACTIONS: Merkle = Merkle::new(domain::BATCH_LEAF, domain::BATCH_NODE);
/// The most transactions a batch can hold.
pub const MAX_TRANSACTIONS: usize = 1 << 16;
/// The most bytes the transactions of a batch can have together, the 4-byte length of each included.
pub const MAX_BATCH_BYTES: usize = 2 << 20;

/// What identifies a batch. Its hash is the batch's digest, so whoever holds a certificate over a digest and a
/// header that hashes to it knows author, sequence, count and root without holding the transactions.
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
    /// Who made it, and which of the author's batches it is.
    pub slot: Slot,
    /// How many transactions it has.
    pub count: u32,
    /// How many bytes its body has: each transaction with its length before it.
    pub bytes: u32,
    /// The Merkle root of the transactions, under [`TRANSACTIONS`].
    pub root: Hash,
}

impl BatchHeader {
    /// Bytes of the encoding.
    pub const LEN: usize = 50;

    /// The batch's digest.
    pub fn digest(&self) -> BatchDigest {
        BatchDigest(domain::hash(domain::BATCH, &self.encode()))
    }
}

/// Transactions of one member's clients, in their order. It is kept as one piece of memory and never changes.
#[derive(Clone, PartialEq, Eq)]
pub struct Batch {
    header: BatchHeader,
    digest: BatchDigest,
    body: Vec<u8>,
    ends: Vec<u32>,
    ids: Vec<Hash>,
}

impl Batch {
    /// A batch of `transactions`. Cost: a hash over them all.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for more than [`MAX_TRANSACTIONS`] or [`MAX_BATCH_BYTES`]; [`Error::Malformed`] for none,
    /// or a sequence out of range.
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

    /// What identifies it.
    pub fn header(&self) -> &BatchHeader {
        &self.header
    }

    /// The hash of the header.
    pub fn digest(&self) -> BatchDigest {
        self.digest
    }

    /// Who made it.
    pub fn author(&self) -> MemberIndex {
        self.header.slot.author
    }

    /// Which of the author's batches it is.
    pub fn sequence(&self) -> u64 {
        self.header.slot.sequence
    }

    /// How many transactions it has.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Never true.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of all transactions with their lengths.
    pub fn bytes(&self) -> usize {
        self.body.len()
    }

    /// The identifiers of the transactions: the leaves of the tree.
    pub fn ids(&self) -> &[Hash] {
        &self.ids
    }

    /// One transaction.
    pub fn transaction(&self, index: usize) -> Option<&[u8]> {
        self.body.get(self.range(index)?)
    }

    /// All transactions in order.
    pub fn transactions(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.transaction(index).unwrap_or_default())
    }

    /// The path that proves one transaction under [`BatchHeader::root`].
    ///
    /// # Errors
    /// [`Error::Malformed`] if there is no such transaction.
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

    /// Takes a body apart, checks it, and hashes it.
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

    /// Puts a batch together whose body is well formed; `ids` are the leaves of its transactions.
    pub(crate) fn from_parts(slot: Slot, body: Vec<u8>, ends: Vec<u32>, ids: Vec<Hash>) -> Self {
        let root = TRANSACTIONS.root(&ids);
        let header = BatchHeader { slot, count: ids.len() as u32, bytes: body.len() as u32, root };
        Self { header, digest: header.digest(), body, ends, ids }
    }
}

/// A batch as a block names it: the header, and the proof that a quorum stored what it describes. Voters need
/// not hold the transactions: at least a third of the committee does and is honest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchRef {
    /// What was stored.
    pub header: BatchHeader,
    /// A quorum's acknowledgements, kind [`AVAILABLE`](crate::ids::AVAILABLE).
    pub certificate: Certificate<Ed25519>,
}

impl BatchRef {
    /// The batch's digest, as the certificate has it; decoding checked that it is the header's.
    pub fn digest(&self) -> BatchDigest {
        BatchDigest(self.certificate.statement().digest)
    }

    /// Bytes of the encoding.
    pub fn encoded_len(&self) -> usize {
        BatchHeader::LEN + self.certificate.encoded_len() - 1 - Statement::LEN
    }

    /// Whether the certificate speaks of this header. The signatures are another question.
    pub fn is_consistent(&self) -> bool {
        let statement = self.certificate.statement();
        statement.kind == crate::ids::AVAILABLE
            && statement.view == self.header.slot.view()
            && statement.digest == self.header.digest().0
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

impl Encode for BatchRef {
    fn encode_to(&self, w: &mut Writer) {
        self.header.encode_to(w);
        self.certificate.encode_detached(w);
    }
}

impl Decode<Committee<Ed25519>> for BatchRef {
    fn decode_from(r: &mut Reader<'_>, identities: &Committee<Ed25519>) -> Result<Self> {
        let header = BatchHeader::decode_from(r, &())?;
        if header.slot.author >= identities.len() {
            return Err(Error::UnknownSigner { index: header.slot.author.into() });
        }
        let statement = header.slot.statement(identities, header.digest());
        Ok(Self { header, certificate: Certificate::decode_detached(r, statement, identities)? })
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
        fn a_batch_survives_and_proves_its_transactions(
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
        fn whatever_decodes_encodes_to_the_same_bytes(
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
    fn no_transactions_no_batch_and_sizes_are_bounded() {
        assert!(Batch::new(0, 1, [[0u8; 0]; 0]).is_err());
        assert!(Batch::new(0, 0, [b"x"]).is_err());
        assert!(Batch::new(0, 1 << 48, [b"x"]).is_err());
        assert!(Batch::new(0, 1, [vec![0; MAX_BATCH_BYTES]]).is_err());
        assert!(Batch::new(0, 1, vec![[0u8; 0]; MAX_TRANSACTIONS + 1]).is_err());
    }
}
