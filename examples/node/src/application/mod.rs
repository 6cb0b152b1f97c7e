//! What transactions mean to the chain.
//!
//! Consensus orders transactions and never looks inside; an [`Application`] gives them meaning. The node asks four
//! things of it: whether to admit a transaction ([`Checker`]), to execute a block, to answer a query, and to pick up
//! where it was after a restart. [`Ledger`] is the application that comes with the node.
//!
//! **Deterministic.** Two validators that execute the same blocks must end with the same state root, byte for byte:
//! no clock (use [`ExecutionBlock::timestamp`]), no randomness, no iteration over a randomly keyed map, no floating
//! point. Blocks name the state root their proposer has reached; a node whose own root differs stops.
//!
//! **Invalid transactions are part of blocks.** The checker runs where a transaction enters the network, once. A
//! hostile validator proposes what it likes, so `execute` must give *every* byte string a meaning, if only "nothing".
//!
//! **Durable.** The application keeps its state in [`State`], a key–value map that the node stores for it, and hands
//! changes to [`Changes`]. The node writes the changes of a block, the block's height and the state root as one
//! atomic unit. After a crash the state is that of some executed height, and the blocks after it are executed
//! again: from the same state and the same block the same changes follow, so nothing is applied twice.
//!
//! A counter of the transaction `add`, whole:
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
//! let root = counter.execute(&ExecutionBlock::of(1, 0, &transactions), &mut changes)?;
//! assert_ne!(root, genesis);
//! assert_eq!(counter.query(b"")?.and_then(|found| found.value), Some(b"2".to_vec()));
//! # Ok::<(), ApplicationError>(())
//! ```

mod block;
pub mod ledger;
mod state;
pub mod trie;

use std::fmt;
use std::sync::Arc;

pub use block::{ExecutionBatch, ExecutionBlock};
pub use ledger::{Ledger, LedgerCommand, LedgerProof, MAX_ENTRIES, MAX_KEY, MAX_VALUE};
pub use state::{Changes, State, StateSource, Visitor};
pub use trie::{Trie, TrieProof};

/// What transactions mean. See the module's description for what an implementation must hold.
pub trait Application: Send + Sync + 'static {
    /// The admission check, to be used from many threads while blocks execute.
    fn checker(&self) -> Arc<dyn Checker>;

    /// Takes up the state as of `height`; 0 is the state before the first block. Called once, before anything
    /// else. Gives the root of that state. The application may keep `state` to read from later: it always shows
    /// the last executed block.
    ///
    /// # Errors
    /// If the state cannot be read or is not the application's own; the node does not start.
    fn restore(&mut self, state: State, height: u64) -> Result<[u8; 32], ApplicationError>;

    /// Executes a block, in chain order, and gives the root of the state after it.
    ///
    /// # Errors
    /// Only for what is wrong with this machine (a disk error), never for what is in a block: the node stops.
    fn execute(
        &mut self,
        block: &ExecutionBlock<'_>,
        changes: &mut Changes,
    ) -> Result<[u8; 32], ApplicationError>;

    /// Answers a question about the state after the last executed block; `None` if the question has no meaning.
    ///
    /// # Errors
    /// If the state cannot be read.
    fn query(&self, key: &[u8]) -> Result<Option<Found>, ApplicationError>;
}

/// Decides whether a transaction may enter the network. Looks at the bytes alone.
pub trait Checker: Send + Sync {
    /// Checks one transaction; must be cheap, it runs for each submission.
    ///
    /// # Errors
    /// Why the transaction is refused.
    fn check(&self, transaction: &[u8]) -> Result<(), Rejection>;
}

impl<F: Fn(&[u8]) -> Result<(), Rejection> + Send + Sync> Checker for F {
    fn check(&self, transaction: &[u8]) -> Result<(), Rejection> {
        self(transaction)
    }
}

/// Why an application refuses a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    code: &'static str,
    message: String,
}

impl Rejection {
    /// A refusal with a stable code and a sentence that says what to do.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.code
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Rejection {}

/// An answer to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What is there; `None` if nothing is, which the proof may show as well.
    pub value: Option<Vec<u8>>,
    /// The application's own proof of that against the state root; empty if it gives none.
    pub proof: Vec<u8>,
}

/// Something is wrong with this machine or its data, not with a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationError {
    message: String,
}

impl ApplicationError {
    /// An error that says what is wrong and what to do.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for ApplicationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ApplicationError {}

impl From<ApplicationError> for crate::NodeError {
    fn from(e: ApplicationError) -> Self {
        crate::NodeError::Application { problem: e.message }
    }
}

/// BLAKE3 of `bytes` in key-derivation mode under `context`, a string that no other program uses.
pub fn hash(context: &str, bytes: &[u8]) -> [u8; 32] {
    blake3::derive_key(context, bytes)
}
