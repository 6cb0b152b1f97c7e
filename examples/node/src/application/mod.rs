//! Applications: the meaning of transactions.
//!
//! Consensus orders transactions without interpreting them; an [`Application`] defines their meaning. It has four tasks: to
//! admit transactions ([`Checker`]), to execute blocks, to answer queries, and to restore its state after a restart.
//! [`Ledger`] is the application that is part of the node.
//!
//! **Deterministic.** Two validators that execute the same blocks must compute the same state root: no clock (use
//! [`ExecutionBlock::timestamp`]), no randomness, no iteration over a randomly keyed map, no floating point. Blocks contain
//! the state root of their proposer; a node with a different root stops.
//!
//! **Blocks may contain invalid transactions.** The checker runs once, at the validator that receives the transaction. A
//! faulty validator can propose any bytes, so `execute` must define a meaning for *every* byte string, such as no effect.
//!
//! **Durable.** The application's state is in [`State`], a key–value map in the node's store; a block's changes go to
//! [`Changes`]. The node writes the changes of a block, its height and the state root atomically. After a crash the state is
//! that of some executed height, and the node executes the following blocks again.
//!
//! A complete application that counts the transaction `add`:
//!
//! ```
//! use std::sync::Arc;
//! use quorate_node::application::*;
//!
//! #[derive(Default)]
//! struct Counter(u64);
//!
//! impl Counter {
//!     fn root(&self) -> [u8; 32] {
//!         quorate_node::application::hash("example.org counter v1", &self.0.to_le_bytes())
//!     }
//! }
//!
//! impl Application for Counter {
//!     fn checker(&self) -> Arc<dyn Checker> {
//!         Arc::new(|tx: &[u8]| if tx == b"add" { Ok(()) } else { Err(Rejection::new("NOT_ADD", "send the bytes `add`")) })
//!     }
//!     fn restore(&mut self, state: State, _height: u64) -> Result<[u8; 32], ApplicationError> {
//!         let stored = state.get(b"count")?;
//!         self.0 = stored.and_then(|v| v.try_into().ok()).map_or(0, u64::from_le_bytes);
//!         Ok(self.root())
//!     }
//!     fn execute(&mut self, block: &ExecutionBlock<'_>, changes: &mut Changes) -> Result<[u8; 32], ApplicationError> {
//!         self.0 += block.transactions().filter(|(_, tx)| *tx == b"add").count() as u64;
//!         changes.put(b"count", &self.0.to_le_bytes());
//!         Ok(self.root())
//!     }
//!     fn query(&self, _key: &[u8]) -> Result<Option<Found>, ApplicationError> {
//!         Ok(Some(Found { value: Some(self.0.to_string().into()), proof: Vec::new() }))
//!     }
//! }
//!
//! let mut counter = Counter::default();
//! let genesis = counter.restore(State::empty(), 0)?;
//! let transactions: [&[u8]; 3] = [b"add", b"subtract", b"add"];
//! let mut changes = Changes::default();
//! let root = counter.execute(&ExecutionBlock::from_transactions(1, 0, &transactions), &mut changes)?;
//! assert_ne!(root, genesis);
//! assert_eq!(counter.query(b"")?.and_then(|found| found.value), Some(b"2".to_vec()));
//! # Ok::<(), ApplicationError>(())
//! ```

mod block;
mod error;
pub mod ledger;
pub mod parts;
mod state;
pub mod trie;

use std::sync::Arc;

pub use block::{ExecutionBatch, ExecutionBlock};
pub use error::{ApplicationError, Rejection};
pub use ledger::{Ledger, LedgerCommand, LedgerParts, LedgerProof, MAX_ENTRIES, MAX_KEY, MAX_VALUE};
pub use parts::{Entry, MAX_OUTLINE_BYTES, MAX_PART_BYTES, Outline, StateParts, WholeState};
pub use state::{Changes, State, StateSource, StateWriter, Visitor};
pub use trie::TrieProof;

/// An application: it defines the meaning of transactions. The module's documentation lists its obligations.
pub trait Application: Send + Sync + 'static {
    /// The admission check, which many threads call while blocks execute.
    fn checker(&self) -> Arc<dyn Checker>;

    /// Rewrites the state of an earlier version of the application; `state` reflects what was written. Called once, before
    /// [`restore`](Self::restore). The process may end between two writes.
    ///
    /// # Errors
    /// If the state cannot be read or written. The node does not start.
    fn upgrade(&self, _state: &State, _write: &mut StateWriter<'_>) -> Result<(), ApplicationError> {
        Ok(())
    }

    /// Restores the state after block `height`; 0 is the state before the first block. Called once, before all other
    /// methods. Returns the root of that state. The application may keep `state` and read from it later: it always
    /// reflects the last executed block.
    ///
    /// # Errors
    /// If the state cannot be read or does not belong to the application. The node does not start.
    fn restore(&mut self, state: State, height: u64) -> Result<[u8; 32], ApplicationError>;

    /// Executes a block, in chain order, and returns the root of the state after it.
    ///
    /// # Errors
    /// Only for a failure of the local machine, such as a disk error, never for the content of a block. The node stops.
    fn execute(
        &mut self,
        block: &ExecutionBlock<'_>,
        changes: &mut Changes,
    ) -> Result<[u8; 32], ApplicationError>;

    /// Answers a query about the state after the last executed block; `None` if `key` is not a valid query.
    ///
    /// # Errors
    /// If the state cannot be read.
    fn query(&self, key: &[u8]) -> Result<Option<Found>, ApplicationError>;

    /// The division of the state into parts, for nodes that join from a snapshot. The default divides any state, but cannot
    /// prove a part: a node that joins learns only at the end, from the root that [`restore`](Self::restore) returns, that a
    /// server has lied.
    fn parts(&self) -> Arc<dyn StateParts> {
        Arc::new(WholeState)
    }
}

/// Admission check of transactions. It depends only on the bytes of the transaction.
pub trait Checker: Send + Sync {
    /// Checks one transaction. It runs for each submission, so it must be cheap.
    ///
    /// # Errors
    /// The reason to reject the transaction.
    fn check(&self, transaction: &[u8]) -> Result<(), Rejection>;
}

impl<F: Fn(&[u8]) -> Result<(), Rejection> + Send + Sync> Checker for F {
    fn check(&self, transaction: &[u8]) -> Result<(), Rejection> {
        self(transaction)
    }
}

/// An answer to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The value; `None` if there is none, which the proof may show as well.
    pub value: Option<Vec<u8>>,
    /// The application's proof against the state root; empty if it provides none.
    pub proof: Vec<u8>,
}

/// BLAKE3 hash of `bytes` in key-derivation mode. `context` is a string that no other program uses.
pub fn hash(context: &str, bytes: &[u8]) -> [u8; 32] {
    blake3::derive_key(context, bytes)
}
