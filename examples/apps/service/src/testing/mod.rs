//! Tests of a program whose server is that of this crate: a real server in its own process, a client that breaks the rules,
//! and the faults that every such program has to survive.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "for tests only, which fail with the place of the fault"
)]

mod deployment;
pub mod faults;
mod one_time_key;
mod raw_client;

pub use deployment::{CLIENTS, Deployment, LIMIT, Process, Program, connect, eventually, options};
pub use one_time_key::sign_with_one_key;
pub use raw_client::{RawClient, code, signed};
