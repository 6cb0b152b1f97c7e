use std::sync::Arc;

use quorate::certificate::{Certificate, Kind, Statement};
use quorate::committee::Committee;
use quorate::merkle::{Hash, Merkle};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

use crate::epoch::Transaction;

/// Kind of the votes for blocks.
pub const BLOCK: Kind = Kind::new(1);
/// Merkle tree over the transactions of a block.
pub const TRANSACTIONS: Merkle<'static> =
    Merkle::new("quorate-v1-abft-transaction", "quorate-v1-abft-transactions");
/// Domain of the digest of a block.
const DIGEST: &str = "quorate-v1-abft-block";

/// The transactions that an epoch decided, as an element of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Height in the chain, which is also the number of the epoch. The first block has height 1.
    pub height: u64,
    /// Digest of the previous block; zeros for the first one.
    pub parent: Hash,
    /// The transactions in their order.
    pub transactions: Vec<Transaction>,
}

impl Block {
    /// Returns the hash of height, parent and the root of the transactions. Cost: two hashes per transaction.
    pub fn digest(&self) -> Hash {
        let mut w = Writer::new();
        w.u64(self.height);
        w.raw(&self.parent);
        w.raw(&TRANSACTIONS.root(&TRANSACTIONS.leaves(&self.transactions)));
        domain::hash(DIGEST, &w.into_bytes())
    }
}

/// A block with the signatures of a quorum: a proof for everyone who knows the committee.
#[derive(Clone, Debug, PartialEq)]
pub struct CertifiedBlock<V: Scheme> {
    /// The block.
    pub block: Block,
    /// A certificate of its digest.
    pub certificate: Certificate<V>,
}

impl<V: Scheme> CertifiedBlock<V> {
    /// Verifies that a quorum of the committee signed the block. Cost: a verification of a certificate, and two hashes per
    /// transaction.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if the certificate is for another block; the errors of [`Certificate::check`].
    pub fn check(&self, committee: &Committee<V>) -> Result<()> {
        let expected = statement(committee, self.block.height, self.block.digest());
        if *self.certificate.statement() != expected {
            return Err(Error::WrongContext { what: "certificate of another block" });
        }
        self.certificate.check(committee)
    }
}

/// What members sign about a block.
pub(super) fn statement<V: Scheme>(committee: &Committee<V>, height: u64, digest: Hash) -> Statement {
    committee.statement(BLOCK, height, digest)
}

/// Bounds for decoders.
#[derive(Clone)]
pub struct BlockContext<V: Scheme> {
    /// The members that sign blocks.
    pub committee: Arc<Committee<V>>,
    /// Maximum number of bytes of the transactions of a block, with four more for each.
    pub max_bytes: usize,
}

/// Encoding: height u64 ‖ parent 32 ‖ number of transactions u32 ‖ each with its length as u32 ‖ certificate.
impl<V: Scheme> Encode for CertifiedBlock<V> {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.block.height);
        w.raw(&self.block.parent);
        w.count(self.block.transactions.len());
        self.block.transactions.iter().for_each(|transaction| w.bytes(transaction));
        self.certificate.encode_to(w);
    }
}

impl<V: Scheme> Decode<BlockContext<V>> for CertifiedBlock<V> {
    fn decode_from(r: &mut Reader<'_>, context: &BlockContext<V>) -> Result<Self> {
        let (height, parent) = (r.u64()?, r.array()?);
        let mut left = context.max_bytes.min(r.remaining());
        let count = r.count("transactions of a block", left / 4)?;
        let mut transactions = Vec::with_capacity(count);
        for _ in 0..count {
            let transaction = r.bytes("transaction", left)?.to_vec();
            left = left.saturating_sub(4 + transaction.len());
            transactions.push(transaction);
        }
        let certificate = Certificate::decode_from(r, &*context.committee)?;
        Ok(Self { block: Block { height, parent, transactions }, certificate })
    }
}
