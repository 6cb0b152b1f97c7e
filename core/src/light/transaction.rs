use alloc::vec::Vec;

use super::batch::{MAX_BODY, TRANSACTIONS};
use super::block::BlockHeader;
use super::commit::VerifiedCommit;
use crate::merkle::{Hash, Path};
use crate::wire::{Decode, Reader};
use crate::{Error, Result};

/// The first part of a transaction proof: the transaction, its path and the index of its batch.
pub(super) struct Inclusion<'a> {
    transaction: &'a [u8],
    path: Path,
    batch: u16,
}

/// A transaction of a committed block. Only verification creates one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedTransaction {
    commit: VerifiedCommit,
    id: Hash,
    transaction: Vec<u8>,
    batch: Hash,
    position: u32,
}

impl<'a> Inclusion<'a> {
    pub(super) fn read(r: &mut Reader<'a>) -> Result<Self> {
        let transaction = r.bytes("transaction", MAX_BODY)?;
        Ok(Self { transaction, path: Path::decode_from(r, &())?, batch: r.u16()? })
    }

    /// Checks that the block contains the transaction. Returns its identifier and the digest of its batch.
    pub(super) fn check(&self, block: &BlockHeader) -> Result<(Hash, Hash)> {
        let batch = block.batches.get(usize::from(self.batch));
        let batch = batch.ok_or(Error::WrongContext { what: "batch of the transaction" })?;
        if self.path.count() != batch.count {
            return Err(Error::WrongContext { what: "number of transactions in the batch" });
        }
        let id = TRANSACTIONS.leaf(self.transaction);
        TRANSACTIONS.verify(&batch.root, &id, &self.path)?;
        Ok((id, batch.digest))
    }

    pub(super) fn into_verified(self, commit: VerifiedCommit, id: Hash, batch: Hash) -> VerifiedTransaction {
        let (transaction, position) = (self.transaction.to_vec(), self.path.index());
        VerifiedTransaction { commit, id, transaction, batch, position }
    }
}

impl VerifiedTransaction {
    /// Returns the block that commits the transaction.
    pub fn commit(&self) -> &VerifiedCommit {
        &self.commit
    }

    /// Returns the identifier of the transaction: its leaf in the tree of its batch.
    pub fn id(&self) -> &Hash {
        &self.id
    }

    /// Returns the bytes of the transaction.
    pub fn transaction(&self) -> &[u8] {
        &self.transaction
    }

    /// Returns the digest of its batch.
    pub fn batch(&self) -> &Hash {
        &self.batch
    }

    /// Returns its position in the batch.
    pub fn position(&self) -> u32 {
        self.position
    }
}
