//! Executes committed blocks with the application, on a separate thread, and answers queries about the result.
//!
//! For each delivery, in order:
//!
//! 1. **Compare.** The block contains the state root of an earlier height, which a quorum has checked. If this node
//!    computed a different root, its application, memory or disk is faulty: it stops with an error, and never continues
//!    from a diverged state.
//! 2. **Archive** the block, durably, so that the state is never ahead of the archive.
//! 3. **Execute**, then **commit** the changes, the height and the roots as one atomic write. Queries wait during it.
//! 4. **Index** the transactions. After a crash, the start completes the index from the archive.
//! 5. **Report**, so that the replica can state the new root and clients receive the commit.
//!
//! After a crash the state is that of some executed height, and the replica delivers the blocks above it again. Execution is
//! deterministic, so the crash may occur between any two steps.
//!
//! # The execution root
//!
//! Blocks contain a hash over all application roots instead of the newest one:
//!
//! ```text
//! E(0) = H(executed; 32 zero bytes ‖ 0 ‖ A(0))          A(h): the application's root after height h
//! E(h) = H(executed; E(h − 1) ‖ h as u64 ‖ A(h))
//! ```
//!
//! So one certified root also proves every earlier state (blocks skip heights when execution is behind), and a diverged
//! state stays detectable even if the application's roots become equal again.

mod archived;
mod executor;
mod queries;
mod root;
mod size;
mod snapshots;
mod thread;

pub use archived::StoppedChain;
pub(crate) use archived::validator_views;
pub use executor::Executor;
pub use queries::Queries;
pub use root::execution_root;
pub use thread::{Event, Execution};
