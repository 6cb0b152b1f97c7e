use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use quorate::wire::{Decode, Encode};

use super::archived;
use super::size::transaction_bytes;
use crate::application::{Application, LedgerProof, StateParts};
use crate::genesis::Genesis;
use crate::handle::{
    Answer, BatchView, BlockView, CommitView, Digest, EpochView, TransactionId, TransactionView,
};
use crate::proof::{MAX_ROOTS, RootProof, StateProof, TransactionProof};
use crate::protocol::{Archive, Batch, BatchSummary, Block, Protocol};
use crate::store::{Store, TransactionLocation};
use crate::{NodeError, Result};

/// Time that a query waits for a block that contains its state. A few blocks suffice.
const PROOF_TIMEOUT: Duration = Duration::from_secs(1);
const PROOF_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Maximum number of blocks without changes that a proof may go back.
const MAX_UNCHANGED: u64 = 16;

/// Queries about executed blocks, from any thread. Reads the disk.
#[derive(Clone)]
pub struct Queries<P: Protocol> {
    store: Arc<Store<P>>,
    application: Arc<RwLock<Box<dyn Application>>>,
    parts: Arc<dyn StateParts>,
}

impl<P: Protocol> Queries<P> {
    pub(super) fn new(store: Arc<Store<P>>, application: Arc<RwLock<Box<dyn Application>>>) -> Self {
        let parts = application.read().unwrap_or_else(PoisonError::into_inner).parts();
        Self { store, application, parts }
    }

    pub(super) fn store(&self) -> &Store<P> {
        &self.store
    }

    /// The division of the application's state.
    pub(super) fn parts(&self) -> Arc<dyn StateParts> {
        self.parts.clone()
    }

    /// Height of the oldest block that is not pruned; 1 if none is.
    pub fn oldest_height(&self) -> u64 {
        self.store.oldest_height()
    }

    /// Size of all files in the data directory, in bytes.
    ///
    /// # Errors
    /// [`NodeError::Io`].
    pub fn disk_bytes(&self) -> Result<u64> {
        self.store.disk_bytes()
    }

    /// The executed block at a height.
    ///
    /// # Errors
    /// `PRUNED` below the [oldest height](Self::oldest_height); if the store fails.
    pub fn block(&self, height: u64) -> Result<Option<BlockView>> {
        let Some(block) = self.store.block_at(height)? else {
            return self.store.check_height(height).map(|()| None);
        };
        let view = |part: &BatchSummary| BatchView {
            digest: Digest(part.digest),
            author: part.author,
            sequence: part.sequence,
            transactions: part.count,
            bytes: transaction_bytes(part.bytes as usize, part.count as usize),
        };
        let batches: Vec<_> = block.payload().iter().map(view).collect();
        let executed = block.executed();
        let (certificate, signers) = P::certificate(&*self.store, &block)?;
        // The certificate is empty if the block was pruned after it was read.
        self.store.check_height(height)?;
        Ok(Some(BlockView {
            height,
            epoch: block.epoch(),
            view: block.view(),
            digest: Digest(block.digest()),
            parent: Digest(block.parent()),
            author: block.author(),
            timestamp: block.timestamp() / 1000,
            transactions: batches.iter().map(|batch| u64::from(batch.transactions)).sum(),
            bytes: batches.iter().map(|batch| batch.bytes).sum(),
            batches,
            executed_height: executed.height,
            executed_root: Digest(executed.state_root),
            certificate: certificate.into(),
            signers,
        }))
    }

    /// An executed block with the proof that it is committed.
    ///
    /// # Errors
    /// `PRUNED` below the [oldest height](Self::oldest_height); if the store fails.
    pub fn commit(&self, height: u64) -> Result<Option<CommitView>> {
        archived::commit(&self.store, height)
    }

    /// The epochs from number `from` to `newest`, each with its proof; fewer if the answer would be long, but never none.
    ///
    /// # Errors
    /// If the store fails.
    pub fn epochs(&self, genesis: &Genesis, from: u64, newest: u64) -> Result<Vec<EpochView>> {
        archived::epochs(&self.store, genesis, from, newest)
    }

    /// A committed transaction with its proof; the first occurrence that is not pruned, if the same bytes were committed more
    /// than once.
    ///
    /// # Errors
    /// `PRUNED` if the transaction is in a block that is known to be pruned; if the store fails.
    pub fn transaction(&self, id: TransactionId) -> Result<Option<TransactionView>> {
        let Some(proof) = self.transaction_proof(&id.0)? else { return Ok(None) };
        let (height, block) = (proof.block.height(), Digest(proof.block.digest()));
        let batch = proof.batch().map_or(Digest::default(), |part| Digest(part.digest));
        let (position, transaction) = (proof.path.index(), Bytes::from(proof.transaction.clone()));
        Ok(Some(TransactionView {
            id,
            transaction,
            height,
            block,
            batch,
            position,
            proof: proof.encode().into(),
        }))
    }

    /// The proof that a transaction is committed.
    ///
    /// # Errors
    /// As [`transaction`](Self::transaction).
    pub fn transaction_proof(&self, id: &[u8; 32]) -> Result<Option<TransactionProof<P>>> {
        let Some(TransactionLocation { height, batch, position }) = self.store.transaction_location(id)?
        else {
            return Ok(None);
        };
        let missing = || {
            let corrupt = || NodeError::corrupt("the archive", format!("height {height} is incomplete"));
            self.store.check_height(height).err().unwrap_or_else(corrupt)
        };
        let block = self.store.block_at(height)?.ok_or_else(missing)?;
        let named = block.payload().get(usize::from(batch)).ok_or_else(missing)?.digest;
        let body = self.store.batch(&named)?.ok_or_else(missing)?;
        let position = position as usize;
        if body.ids().get(position) != Some(id) {
            return Ok(None);
        }
        let transaction = body.transaction(position).ok_or_else(missing)?.to_vec();
        let finality = self.store.finality(&block)?.ok_or_else(missing)?;
        Ok(Some(TransactionProof { transaction, path: body.path(position)?, batch, block, finality }))
    }

    /// Queries the application after the newest executed block; `None` if the application does not accept the key. The answer
    /// of a [`Ledger`](crate::application::Ledger) includes a complete [`StateProof`] if a block contains that state within a
    /// second.
    ///
    /// # Errors
    /// If the application or the store fails.
    pub fn query(&self, key: &[u8]) -> Result<Option<Answer>> {
        let (height, root, found) = {
            let application = self.application.read().unwrap_or_else(PoisonError::into_inner);
            let Some((height, roots)) = self.store.state().executed()? else { return Ok(None) };
            let Some(found) = application.query(key)? else { return Ok(None) };
            (height, roots.application, found)
        };
        let proof = match LedgerProof::decode(&found.proof, &()) {
            Ok(ledger) => self.prove(key, found.value.clone(), ledger, height, PROOF_TIMEOUT)?,
            // The proof of another application is for its own clients to verify.
            Err(_) => None,
        };
        Ok(Some(Answer {
            value: found.value.map(Bytes::from),
            height,
            state_root: Digest(root),
            application_proof: found.proof.into(),
            proof: proof.map(|proof| proof.encode().into()),
        }))
    }

    /// Proof that the committee agreed on the application's root after `height`; `None` until a committed block contains the
    /// state of that height or of a later one, which takes two or three blocks. The state before block 1 has height 0.
    ///
    /// # Errors
    /// `PRUNED` below the [oldest height](Self::oldest_height); if the store fails.
    pub fn root_proof(&self, height: u64) -> Result<Option<RootProof<P>>> {
        self.store.check_height(height)?;
        self.certified_roots(height, height)
    }

    /// Proof of the application's roots from the height `from` up to at least `height`; `None` as for
    /// [`root_proof`](Self::root_proof).
    pub(super) fn certified_roots(&self, from: u64, height: u64) -> Result<Option<RootProof<P>>> {
        let check = || self.store.check_height(height);
        for at in height.saturating_add(1)..=height.saturating_add(MAX_ROOTS as u64) {
            let Some(block) = self.store.block_at(at)? else { return check().map(|()| None) };
            let stated = block.executed().height;
            if stated < height {
                continue;
            }
            let state = self.store.state();
            let missing = || {
                let problem = format!("roots around height {height} are missing");
                check().err().unwrap_or_else(|| NodeError::corrupt("the state", problem))
            };
            let previous = match from.checked_sub(1) {
                Some(before) => state.roots(before)?.ok_or_else(missing)?.execution,
                None => [0; 32],
            };
            let roots = (from..=stated)
                .map(|h| Ok(state.roots(h)?.ok_or_else(missing)?.application))
                .collect::<Result<Vec<_>>>()?;
            let Some(finality) = self.store.finality(&block)? else { return Ok(None) };
            return Ok(Some(RootProof { height: from, previous, roots, block, finality }));
        }
        Ok(None)
    }

    /// Assembles the complete proof of a ledger entry. Waits for a block that contains its state.
    fn prove(
        &self,
        key: &[u8],
        value: Option<Vec<u8>>,
        ledger: LedgerProof,
        height: u64,
        timeout: Duration,
    ) -> Result<Option<StateProof<P>>> {
        let end = Instant::now() + timeout;
        let since = self.unchanged_since(height)?;
        loop {
            for at in (since..=height).rev() {
                if let Some(root) = self.root_proof(at)? {
                    return Ok(Some(StateProof::new(key.to_vec(), value, ledger, root)));
                }
            }
            if Instant::now() >= end {
                return Ok(None);
            }
            std::thread::sleep(PROOF_POLL_INTERVAL);
        }
    }

    /// The lowest recent height since which the application's root is unchanged up to `height`. A chain becomes idle after
    /// blocks without changes: no block contains the state after the last of them, but one contains the equal state after
    /// an earlier one.
    fn unchanged_since(&self, height: u64) -> Result<u64> {
        let state = self.store.state();
        let root = |height| Ok::<_, NodeError>(state.roots(height)?.map(|roots| roots.application));
        let newest = root(height)?;
        let mut since = height;
        // The state before block 1 has a proof, too, unless that block is pruned.
        let lowest = Some(self.store.oldest_height()).filter(|oldest| *oldest > 1).unwrap_or(0);
        while since > lowest && height - since < MAX_UNCHANGED && root(since - 1)? == newest {
            since -= 1;
        }
        Ok(since)
    }
}
