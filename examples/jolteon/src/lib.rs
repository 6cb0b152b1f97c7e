#![forbid(unsafe_code)]
//! Work in progress.
mod batch;
mod block;
mod builder;
mod chain;
mod execution;
mod finality;
mod ids;
mod interface;
mod leader;
mod mempool;
mod message;
mod pacemaker;
mod parameters;
mod record;
mod replica;
mod safety;
mod sequence;
mod sync;
#[cfg(test)]
mod testing;
mod tree;

pub use batch::{Batch, BatchHeader, BatchRef, MAX_BATCH_BYTES, MAX_TRANSACTIONS, TRANSACTIONS};
pub use block::{Block, Committees, Content, Executed, MAX_BLOCK_BATCHES};
pub use builder::{BatchBuilder, Placed};
pub use chain::ChainState;
pub use finality::{Finality, MAX_LINKS};
pub use ids::{AVAILABLE, BLOCK, BatchDigest, BlockDigest, PROPOSAL, Slot, TIMEOUT};
pub use interface::{Command, Delivery, Evidence, Output, OwnBatchState, Status, Timer};
pub use leader::{Link, PENALTY, Standings};
pub use message::{
    Advance, HistoryRequest, MAX_BATCH_REQUEST, MAX_RANGE_BLOCKS, MAX_RANGE_BYTES, Message, Timeout,
    block_range,
};
pub use parameters::Parameters;
pub use record::{Committed, Record, RecordKey};
pub use replica::{Config, Replica};
pub use sequence::{Inventory, Sequences, WINDOW};
