use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use super::queries::Queries;
use super::root::execution_root;
use super::size::transaction_bytes;
use crate::application::{Application, ApplicationError, Changes, ExecutionBatch, ExecutionBlock};
use crate::handle::{CommitEvent, Digest};
use crate::protocol::{Archive, Batch, Block, Delivery, Executed, Protocol};
use crate::store::{Roots, Store};
use crate::{NodeError, Result};

/// Executes blocks in order. The execution thread runs it; a program with its own threads may run it directly.
pub struct Executor<P: Protocol> {
    store: Arc<Store<P>>,
    application: Arc<RwLock<Box<dyn Application>>>,
    height: u64,
    roots: Roots,
    genesis: Roots,
}

impl<P: Protocol> Executor<P> {
    /// Restores the application from the store, or initializes a new store with its genesis state. Completes the transaction
    /// index.
    ///
    /// # Errors
    /// If the store fails, or if the application restores another state than the stored one.
    pub fn open(store: Arc<Store<P>>, mut application: Box<dyn Application>) -> Result<Self> {
        let state = store.state();
        let executed = state.executed()?;
        let height = executed.map_or(0, |(height, _)| height);
        let mut changed = false;
        application.upgrade(&state.state(), &mut |changes| {
            changed = true;
            state.write(changes).map_err(|e| ApplicationError::new(e.to_string()))
        })?;
        if changed {
            state.sync()?;
        }
        let root = application.restore(state.state(), height)?;
        let (roots, genesis) = match executed {
            Some((_, roots)) if roots.application != root => {
                return Err(NodeError::Application {
                    problem: format!(
                        "the application restored a different state at height {height}: expected root {}, got {}; start the \
                         version of the application that wrote this data directory",
                        Digest(roots.application),
                        Digest(root)
                    ),
                });
            }
            Some((_, roots)) => {
                let genesis =
                    state.roots(0)?.ok_or_else(|| NodeError::corrupt("the state", "it has no genesis"))?;
                (roots, genesis)
            }
            None => {
                let roots = Roots { application: root, execution: execution_root(&[0; 32], 0, &root) };
                state.commit(0, &roots, &Changes::default())?;
                state.sync()?;
                (roots, roots)
            }
        };
        let executor =
            Self { store, application: Arc::new(RwLock::new(application)), height, roots, genesis };
        executor.complete_index()?;
        Ok(executor)
    }

    /// The execution root before block 1.
    pub fn genesis_root(&self) -> [u8; 32] {
        self.genesis.execution
    }

    /// The last executed state. Deliveries continue with the next height.
    pub fn executed(&self) -> Executed {
        Executed { height: self.height, state_root: self.roots.execution }
    }

    /// The application's state root at the last executed height.
    pub fn application_root(&self) -> [u8; 32] {
        self.roots.application
    }

    /// Interface for queries from other threads.
    pub fn queries(&self) -> Queries<P> {
        Queries::new(self.store.clone(), self.application.clone())
    }

    /// Executes a delivery and returns its commit event; `None` for a height that was executed before.
    ///
    /// # Errors
    /// If the delivery is not the next one, if the committee agreed on a different state, or if the store or the application
    /// fails. The caller must then stop the node.
    pub fn execute(&mut self, delivery: &Delivery<P>) -> Result<Option<CommitEvent>> {
        let (block, height) = (&delivery.block, delivery.block.height());
        if height <= self.height {
            return Ok(None);
        }
        if height != self.height + 1 {
            let problem = format!("block {height} does not follow block {}", self.height);
            return Err(NodeError::Stopped { why: problem });
        }
        self.compare(block)?;
        self.store.archive(block, &delivery.batches, &delivery.finality)?;
        self.commit(block, &delivery.batches)?;
        self.store.freeze(height, block.executed().height);
        if self.store.indexed_height() < height {
            self.store.index(height, &delivery.batches)?;
        }
        Ok(Some(self.event(delivery)))
    }

    /// Writes all data in memory to disk.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn flush(&self) -> Result<()> {
        self.store.flush()
    }

    /// Compares the state in a block, which a quorum has checked, with the state of this node.
    fn compare(&self, block: &P::Block) -> Result<()> {
        let stated = block.executed();
        let ours = self.store.state().roots(stated.height)?.map(|roots| roots.execution);
        if ours == Some(stated.state_root) {
            return Ok(());
        }
        Err(NodeError::Application {
            problem: format!(
                "STATE DIVERGENCE: the committee agreed, in block {} ({}), on the state root {} after height {}, and \
                 this node computed {}; it stops. Check that it runs the same version of the application as the other \
                 validators and that its memory and disk are sound; then delete the folder `state` in its data \
                 directory, so that it executes the chain again, which takes all blocks",
                block.height(),
                Digest(block.digest()),
                Digest(stated.state_root),
                stated.height,
                ours.map_or_else(|| "none".to_owned(), |root| Digest(root).to_string()),
            ),
        })
    }

    /// Executes and commits under one lock, so that queries see the state before or after the block.
    fn commit(&mut self, block: &P::Block, batches: &[Arc<P::Batch>]) -> Result<()> {
        let view = ExecutionBlock {
            height: block.height(),
            timestamp: block.timestamp() / 1000,
            batches: batches
                .iter()
                .map(|batch| ExecutionBatch {
                    ids: Cow::Borrowed(batch.ids()),
                    transactions: batch.transactions().collect(),
                })
                .collect(),
        };
        let mut changes = Changes::default();
        let mut application = self.application.write().unwrap_or_else(PoisonError::into_inner);
        let root = application.execute(&view, &mut changes)?;
        let execution = execution_root(&self.roots.execution, block.height(), &root);
        let roots = Roots { application: root, execution };
        self.store.state().commit(block.height(), &roots, &changes)?;
        (self.height, self.roots) = (block.height(), roots);
        Ok(())
    }

    fn complete_index(&self) -> Result<()> {
        // The index of a store with pruned blocks begins with the oldest one.
        for height in self.store.indexed_height() + 1..=self.height {
            let missing = |what: &str| {
                NodeError::corrupt("the archive", format!("{what} of height {height} is missing"))
            };
            let block = self.store.block_at(height)?.ok_or_else(|| missing("the block"))?;
            let batch = |digest| self.store.batch(&digest)?.ok_or_else(|| missing("a batch"));
            let batches =
                block.payload().iter().map(|part| batch(part.digest)).collect::<Result<Vec<_>>>()?;
            self.store.index(height, &batches)?;
        }
        Ok(())
    }

    fn event(&self, delivery: &Delivery<P>) -> CommitEvent {
        let Delivery { block, batches, finality, own_batches } = delivery;
        CommitEvent {
            height: block.height(),
            view: block.view(),
            digest: Digest(block.digest()),
            author: block.author(),
            transactions: batches.iter().map(|batch| batch.ids().len() as u32).sum(),
            bytes: batches.iter().map(|batch| transaction_bytes(batch.bytes(), batch.ids().len())).sum(),
            state_root: Digest(self.roots.application),
            own_batches: own_batches.clone(),
            certificate_bytes: P::certificate_bytes(finality) as u32,
            timestamp: block.timestamp() / 1000,
        }
    }
}
