//! Reads from the archive what a replica needs after a restart.

use std::collections::HashSet;

use quorate::merkle::Hash;
use quorate_abft::chain::{self, Chain, RECENT, Record};
use quorate_node::protocol::{Archive, Protocol};
use quorate_node::{NodeError, Result};
use quorate_protocol::batch::Batch;

use crate::keys::ChainScheme;

/// Smallest sequence number of a client's batch, above all heights. New batches have much higher ones.
pub(crate) const FIRST_SEQUENCE: u64 = 1 << 40;

/// The protocol whose replica a [`Chain`] is.
pub(crate) trait ChainProtocol<S: ChainScheme>:
    Protocol<Machine = Chain<S::Threshold, S>, Block = chain::Block, Batch = Batch>
{
}

impl<S, P> ChainProtocol<S> for P
where
    S: ChainScheme,
    P: Protocol<Machine = Chain<S::Threshold, S>, Block = chain::Block, Batch = Batch>,
{
}

/// The archive's records for a replica, and the batches of each block among them that are missing there.
pub(crate) fn records<S: ChainScheme, P: ChainProtocol<S>>(
    archive: &dyn Archive<P>,
) -> Result<Vec<Record<S>>> {
    let mut records = archive.load()?;
    for at in 0..records.len() {
        let Some(Record::Block(block)) = records.get(at).cloned() else { continue };
        for header in &block.payload {
            records.extend(archive.batch(&header.digest().0)?.map(Record::Batch));
        }
    }
    Ok(records)
}

/// Identifiers of the transactions in the last executed blocks.
pub(crate) fn recent_transactions<S: ChainScheme, P: ChainProtocol<S>>(
    archive: &dyn Archive<P>,
    executed: u64,
) -> Result<Vec<(u64, Vec<Hash>)>> {
    let mut recent = Vec::new();
    for height in (executed + 1).saturating_sub(RECENT).max(1)..=executed {
        let missing = || NodeError::Corrupt {
            what: "the archive",
            problem: format!("the block or a batch of height {height} is missing"),
        };
        let block = archive.block_at(height)?.ok_or_else(missing)?;
        let mut ids = Vec::new();
        for header in &block.payload {
            ids.extend_from_slice(archive.batch(&header.digest().0)?.ok_or_else(missing)?.ids());
        }
        recent.push((height, ids));
    }
    Ok(recent)
}

/// The transactions in recorded batches of clients that blocks contain. A restart may find batches of much earlier runs.
pub(crate) fn committed_transactions<S: ChainScheme, P: ChainProtocol<S>>(
    archive: &dyn Archive<P>,
    records: &[Record<S>],
) -> Result<HashSet<Hash>> {
    let mut committed = HashSet::new();
    for record in records {
        let Record::Batch(batch) = record else { continue };
        if batch.sequence() < FIRST_SEQUENCE {
            continue;
        }
        for id in batch.ids() {
            if archive.is_indexed(id)? {
                committed.insert(*id);
            }
        }
    }
    Ok(committed)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use quorate::ed25519::Ed25519;
    use quorate::scheme::Scheme;
    use quorate_node::store::{Binding, Store};
    use quorate_protocol::testing::{committee, secret};

    use super::*;
    use crate::Abft;

    #[test]
    fn committed_transactions_of_old_batches_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let key = Ed25519::public_key(&secret::<Ed25519>(0));
        let binding = Binding::new::<Ed25519>([7; 32], &key, &key);
        let store: Store<Abft<Ed25519>> = Store::open(dir.path(), &binding, committee("test", 4)).unwrap();
        let batch =
            |sequence, transactions: &[&str]| Arc::new(Batch::new(0, sequence, transactions).unwrap());
        store.index(1, &[batch(1, &["old"])]).unwrap();
        let mut records: Vec<Record<Ed25519>> = vec![Record::Batch(batch(1, &["old"]))];
        assert!(committed_transactions(&store, &records).unwrap().is_empty(), "the batch of a block");
        let mixed = batch(FIRST_SEQUENCE, &["new", "old"]);
        records.push(Record::Batch(mixed.clone()));
        let found = committed_transactions(&store, &records).unwrap();
        assert_eq!(found, HashSet::from([mixed.ids()[1]]));
    }
}
