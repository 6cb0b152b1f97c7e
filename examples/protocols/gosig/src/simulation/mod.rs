//! Gosig in the deterministic simulator: a host with an archive, a toy application and clients for each node, the checks,
//! and Byzantine members. Tests, the binary `simulate-gosig` and the browser page use it.

// An impossible case, such as a seed that is no key, stops a tool with a message.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod adversaries;
mod disk;
mod host;
mod keys;

pub use adversaries::{ADVERSARIES, GosigAdversary};
pub use host::{GosigHost, Interceptor, scenario};
pub use keys::SimulationKeys;
pub use quorate_protocol::simulation::{GENESIS, Workload};
