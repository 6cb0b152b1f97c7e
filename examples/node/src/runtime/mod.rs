//! Drives the replica: persists its records, then sends its messages.
//!
//! ```text
//!            links (tokio)                 clients
//!                 │ frames                    │ transactions
//!                 ▼                           ▼
//!              inbox ◄──── sealed batches ── ingest
//!                 │
//!                 ▼
//!   machine thread: decode, handle, timers ──► two step queues: batches, and everything else
//!                                                       │ each has a writer thread
//!                                                       ▼
//!                              one durable write of all queued records
//!                                                       │ then
//!                         messages ──► links            ▼ then
//!                                                    actions: deliveries  ──► execution thread
//!                                                             requests    ──► archive thread
//!                                                             own batches ──► ingest
//! ```
//!
//! A message leaves only after the records of its step are durable. While the disk writes, the machine continues, and its
//! steps become one write (group commit). Every queue is bounded: frames by each peer's share of the links, steps by
//! weight, deliveries and requests by number, own batches by the replica. When execution falls behind, the node first
//! refuses client transactions, then blocks the writer, then the machine.
//!
//! No member delays the others: each has its own queues of frames, which take turns, and a member whose frames took much more
//! of the machine thread's time than those of others waits (`time_shares`).
//!
//! When the members change, the machine, its threads and the links end, and those of the next epoch start: see
//! `supervisor`.
//!
//! A failure of the disk or of the application, or a second process with the same identity key, stops the node: it signs
//! and sends nothing from then on, and [`Node::shutdown`] returns the reason.

mod archive;
mod clock;
mod components;
mod context;
mod driver;
mod engine;
mod inbox;
mod ingest;
mod node;
mod outcome;
mod peer_watch;
mod pruner;
mod reports;
mod service;
mod shared;
mod step_queue;
mod supervisor;
mod time_shares;
mod timers;
mod writer;

pub use context::binding;
pub use node::{Node, Starting};
pub use peer_watch::MAX_CLOCK_DIFFERENCE_MS;
