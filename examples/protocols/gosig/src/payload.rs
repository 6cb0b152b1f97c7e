//! Transactions, and payloads: lists of transactions that clients submit and blocks order.

use core::fmt;
use std::sync::Arc;

use quorate::merkle::{Hash, Merkle, Path};
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

use crate::digests::PayloadDigest;

/// The tree over a payload's transactions; a leaf is also the transaction's identifier.
pub const TRANSACTIONS: Merkle = Merkle::new(domain::BATCH_LEAF, domain::BATCH_NODE);
/// First bytes of a transaction that changes the members.
pub const CHANGE_PREFIX: &[u8] = domain::GOSIG_EPOCH.as_bytes();
/// Maximum bytes of a transaction.
pub const MAX_TRANSACTION_BYTES: usize = 1 << 20;
/// Maximum number of transactions of a payload.
pub const MAX_TRANSACTIONS: usize = 1 << 18;
/// Maximum bytes of the transactions of a payload, each with its 4-byte length.
pub const MAX_PAYLOAD_BYTES: usize = 64 << 20;

/// A client's bytes with their identifier. Cheap to clone: all clones share the bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Transaction {
    id: Hash,
    bytes: Arc<[u8]>,
}

impl Transaction {
    /// Returns a transaction of these bytes. Cost: a hash over them.
    ///
    /// # Errors
    /// [`Error::TooLarge`] above [`MAX_TRANSACTION_BYTES`].
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Result<Self> {
        let bytes = bytes.into();
        if bytes.len() > MAX_TRANSACTION_BYTES {
            return Err(Error::TooLarge { what: "transaction", limit: MAX_TRANSACTION_BYTES as u64 });
        }
        Ok(Self { id: TRANSACTIONS.leaf(&bytes), bytes })
    }

    /// Identifier: the transaction's leaf in [`TRANSACTIONS`].
    pub fn id(&self) -> Hash {
        self.id
    }

    /// Returns the client's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns true if the transaction has the form of a change of the members. Checks no signature.
    pub fn is_change(&self) -> bool {
        self.bytes.starts_with(CHANGE_PREFIX)
    }

    /// Returns the length of the encoding: the client's bytes and 4 bytes for their length.
    pub fn encoded_len(&self) -> usize {
        4 + self.bytes.len()
    }
}

/// Summary of a payload, which a block contains. The payload's digest is its hash.
///
/// | bytes | field |
/// |---|---|
/// | 4 | number of transactions |
/// | 4 | bytes of all transactions, each with its length |
/// | 32 | Merkle root |
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// Number of transactions.
    pub count: u32,
    /// Bytes of all transactions, each with its length.
    pub bytes: u32,
    /// Merkle root of the transactions under [`TRANSACTIONS`].
    pub root: Hash,
}

impl Summary {
    /// Length of the encoding.
    pub const LEN: usize = 40;

    /// Returns the summary of no transactions.
    pub fn empty() -> Self {
        Self { count: 0, bytes: 0, root: TRANSACTIONS.root(&[]) }
    }

    /// Computes the digest of the payload.
    pub fn digest(&self) -> PayloadDigest {
        PayloadDigest(domain::hash(domain::GOSIG_PAYLOAD, &self.encode()))
    }

    /// Returns true if there are no transactions.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// An immutable list of transactions.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    summary: Summary,
    digest: PayloadDigest,
    ids: Vec<Hash>,
    transactions: Vec<Transaction>,
    changes: usize,
}

impl Payload {
    /// Returns a payload of these transactions. Cost: a hash per transaction.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for more than [`MAX_TRANSACTIONS`] or [`MAX_PAYLOAD_BYTES`].
    pub fn new(transactions: Vec<Transaction>) -> Result<Self> {
        if transactions.len() > MAX_TRANSACTIONS {
            return Err(Error::TooLarge {
                what: "transactions of a payload",
                limit: MAX_TRANSACTIONS as u64,
            });
        }
        let bytes = transactions.iter().map(Transaction::encoded_len).sum::<usize>();
        if bytes > MAX_PAYLOAD_BYTES {
            return Err(Error::TooLarge { what: "payload", limit: MAX_PAYLOAD_BYTES as u64 });
        }
        Ok(Self::assemble(transactions, bytes as u32))
    }

    /// Returns the payload without transactions.
    pub fn empty() -> Self {
        Self::assemble(Vec::new(), 0)
    }

    fn assemble(transactions: Vec<Transaction>, bytes: u32) -> Self {
        let ids: Vec<Hash> = transactions.iter().map(Transaction::id).collect();
        let summary = Summary { count: ids.len() as u32, bytes, root: TRANSACTIONS.root(&ids) };
        let changes = transactions.iter().filter(|transaction| transaction.is_change()).count();
        Self { summary, digest: summary.digest(), ids, transactions, changes }
    }

    /// Returns a payload of transactions with these bytes.
    ///
    /// # Errors
    /// Those of [`Transaction::new`] and [`new`](Self::new).
    pub fn from_bytes<T: AsRef<[u8]>>(transactions: impl IntoIterator<Item = T>) -> Result<Self> {
        let transactions =
            transactions.into_iter().map(|t| Transaction::new(t.as_ref())).collect::<Result<_>>()?;
        Self::new(transactions)
    }

    /// Returns the summary of the payload.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Returns the digest of the payload.
    pub fn digest(&self) -> PayloadDigest {
        self.digest
    }

    /// Returns the number of transactions.
    pub fn len(&self) -> usize {
        self.transactions.len()
    }

    /// Returns true if there are no transactions.
    pub fn is_empty(&self) -> bool {
        self.transactions.is_empty()
    }

    /// Returns the number of transactions that have the form of a change of the members.
    pub fn changes(&self) -> usize {
        self.changes
    }

    /// Bytes of all transactions, each with its length.
    pub fn bytes(&self) -> usize {
        self.summary.bytes as usize
    }

    /// Identifiers of the transactions: the leaves of the tree.
    pub fn ids(&self) -> &[Hash] {
        &self.ids
    }

    /// Returns the transaction at an index.
    pub fn transaction(&self, index: usize) -> Option<&Transaction> {
        self.transactions.get(index)
    }

    /// Returns all transactions, in order.
    pub fn transactions(&self) -> &[Transaction] {
        &self.transactions
    }

    /// Returns the path that proves the transaction at an index under [`Summary::root`].
    ///
    /// # Errors
    /// [`Error::Malformed`] if the index is out of range.
    pub fn path(&self, index: usize) -> Result<Path> {
        TRANSACTIONS.path(&self.ids, index)
    }
}

impl Encode for Transaction {
    fn encode_to(&self, w: &mut Writer) {
        w.bytes(&self.bytes);
    }
}

impl Decode for Transaction {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Self::new(r.bytes("transaction", MAX_TRANSACTION_BYTES)?)
    }
}

impl Encode for Summary {
    fn encode_to(&self, w: &mut Writer) {
        w.u32(self.count);
        w.u32(self.bytes);
        w.raw(&self.root);
    }
}

impl Decode for Summary {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let summary = Self { count: r.u32()?, bytes: r.u32()?, root: r.array()? };
        let (count, bytes) = (summary.count as usize, summary.bytes as usize);
        let sizes = count <= MAX_TRANSACTIONS && bytes <= MAX_PAYLOAD_BYTES && 4 * count <= bytes;
        if !sizes || (summary.is_empty() && summary != Self::empty()) {
            return Err(Error::Malformed { what: "size of a payload" });
        }
        Ok(summary)
    }
}

impl Encode for Payload {
    fn encode_to(&self, w: &mut Writer) {
        w.list(&self.transactions);
    }
}

impl Decode for Payload {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Self::new(r.list("transactions of a payload", MAX_TRANSACTIONS, &())?)
    }
}

impl fmt::Debug for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transaction({} bytes)", self.bytes.len())
    }
}

impl fmt::Debug for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Summary({} transactions, {} bytes)", self.count, self.bytes)
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Payload({:?}, {:?})", self.digest, self.summary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_empty_payload_has_one_summary() {
        let empty = Payload::new(Vec::new()).unwrap();
        assert_eq!((*empty.summary(), &empty), (Summary::empty(), &Payload::empty()));
        assert_eq!(Summary::decode(&Summary::empty().encode(), &()), Ok(Summary::empty()));
        let odd = Summary { root: [1; 32], ..Summary::empty() };
        assert!(Summary::decode(&odd.encode(), &()).is_err());
        let impossible = Summary { count: 3, bytes: 11, root: [1; 32] };
        assert!(Summary::decode(&impossible.encode(), &()).is_err(), "three lengths have twelve bytes");
    }

    #[test]
    fn oversized_transactions_and_payloads_are_refused() {
        assert!(Transaction::new(vec![0; MAX_TRANSACTION_BYTES]).is_ok());
        assert_eq!(Transaction::new(vec![0; MAX_TRANSACTION_BYTES + 1]).unwrap_err().code(), "TOO_LARGE");
        let large = Transaction::new(vec![0; MAX_TRANSACTION_BYTES - 4]).unwrap();
        assert!(Payload::new(vec![large.clone(); 64]).is_ok());
        assert!(Payload::new(vec![large; 65]).is_err());
        let bytes = ((MAX_TRANSACTIONS + 1) as u32).to_le_bytes();
        assert_eq!(Payload::decode(&bytes, &()).unwrap_err().code(), "TOO_LARGE");
    }

    proptest! {
        #[test]
        fn a_payload_round_trips_and_proves_its_transactions(list: Vec<Vec<u8>>) {
            let payload = Payload::from_bytes(&list).unwrap();
            prop_assert_eq!(Payload::decode(&payload.encode(), &()), Ok(payload.clone()));
            prop_assert_eq!(payload.encode().len(), 4 + payload.bytes());
            prop_assert_eq!(Summary::decode(&payload.summary().encode(), &()), Ok(*payload.summary()));
            for (i, transaction) in list.iter().enumerate() {
                let (leaf, path) = (TRANSACTIONS.leaf(transaction), payload.path(i).unwrap());
                prop_assert!(TRANSACTIONS.verify(&payload.summary().root, &leaf, &path).is_ok());
            }
        }
    }
}
