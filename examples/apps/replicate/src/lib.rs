#![forbid(unsafe_code)]
//! Byzantine fault-tolerant state machine replication at low latency, in the place of uBFT in the paper of DSig (Aguilera et
//! al., OSDI '24, section 6): n = 3f + 1 replicas execute operations of 8 bytes in one order, although f replicas and any
//! number of clients may be Byzantine.
//!
//! ```text
//!   client ──operation──▶ all replicas
//!   replica ──Echo──▶ all            "the client sent this to me"; n − f echoes: the leader may propose
//!   leader ──Propose(view, slot, value)──▶ all
//!
//!   fast path, without signatures                       slow path, after a timeout
//!   replica ──Accept──▶ all                             replica ──Prepare, signed──▶ all    n − f: a certificate
//!   all n replicas accepted the same: decided           replica ──Commit, signed──▶ all     n − f: decided
//!
//!   replica ──answer──▶ client       f + 1 equal answers suffice
//! ```
//!
//! The links authenticate their ends, so that only what a third replica must believe is signed. A replica persists what it
//! accepted, its certificates, its view and its decisions before it sends a message that depends on them, and it accepts one
//! value per slot and view, ever. As long as at most f replicas are faulty:
//!
//! * **Agreement.** No two correct replicas execute different values in one slot, for any crashes and restarts.
//! * **Validity.** A request that changes the state was sent by its client. A replica accepts a proposal only if it received the
//!   request from the client itself, or if f + 1 replicas did, or if the client's number shows that it changes nothing.
//! * **Exactly once.** A request is executed at most once; its client numbers its requests.
//! * **Liveness,** once messages arrive in time: the request of a correct client is executed. n − f replicas suffice.
//!
//! # View changes
//! A replica that waits too long for the leader leaves the view, and reports in a signed message the values that it accepted and
//! its certificates. The next leader begins its view with n − f reports, from which every replica computes the same
//! values of the open slots; `choice` has the rule and its proof. The rule needs n = 3f + 1: a value that was decided
//! without signatures is known from f + 1 equal reports among n − f.
//!
//! # Checkpoints
//! After every `checkpoint` slots, the replicas sign a digest of their state. With n − f signatures the slots before it are
//! discarded, and a replica that was behind gets the state from any other. At most `window` slots are open, and nothing grows
//! with the number of requests.
//!
//! # `canVerifyFast`
//! A vote whose DSig signature can be verified fast is verified at once. Others wait in a bounded queue per
//! replica until no message waits, and are dropped unverified if n − f others sufficed meanwhile. A replica that announces no
//! keys delays only itself.
//!
//! # Differences from uBFT
//! | uBFT | this crate | reason |
//! |---|---|---|
//! | 2f + 1 replicas, and registers in memory nodes that fail only by crashing | 3f + 1 replicas, nothing else | the registers prevent equivocation; without trusted memory, 2f + 1 replicas cannot |
//! | nothing is durable | records before messages | a replica that is killed must not contradict itself |
//! | RDMA | shared memory between processes of one host, TLS between hosts | available everywhere |
//! | – | evidence against a replica that signs two values | signatures are transferable |
//!
//! # Modules
//! | module | responsibility |
//! |---|---|
//! | `value`, `statement`, `message` | requests and values; signed statements, certificates, evidence; messages and records |
//! | [`application`] | the replicated application |
//! | `choice` | the values with which a new view begins |
//! | `machine` | the state machine: [`Replica`] |
//! | [`simulation`] | the machine in the simulator, with Byzantine replicas and the checks |
//! | [`node`] | replicas and clients as processes |
//!
//! # Limits
//! A Byzantine client that sends different requests with one number to different replicas blocks itself; together with a
//! Byzantine replica it can cause view changes, each with a new number. A replica that alone suspects the leader stays out of the
//! view until the next one, and the others use the slow path meanwhile.

pub mod application;
mod choice;
mod interface;
mod machine;
mod message;
pub mod node;
pub mod simulation;
mod statement;
mod value;

pub use interface::{
    Command, Config, Flaw, Misbehaviour, Outcome, Output, Parameters, Path, Status, Timer, Work,
};
pub use machine::{Replica, limits};
pub use message::{
    Checkpoint, Limits, Message, NewView, Prepared, Progress, Record, SlotReport, StableState, ViewChange,
    Vote,
};
pub use statement::{Ballot, Certificate, Digest, Equivocation, Statement, faulty, quorum};
pub use value::{Answer, ClientIndex, Operation, Request, Value};
