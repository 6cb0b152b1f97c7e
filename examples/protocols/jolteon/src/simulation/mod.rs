//! Jolteon in the deterministic simulator: a host with an archive, a toy application and clients per node, the
//! checks, and Byzantine members. Used by the tests, the binary `simulate` and the browser page.

// Impossible cases, such as an invalid fixed seed, end the tool with a message.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod adversaries;
mod host;
mod keys;

pub use adversaries::{ADVERSARIES, JolteonAdversary};
pub use host::{Interceptor, JolteonHost, scenario};
pub use keys::SimulationKeys;
pub use quorate_protocol::simulation::{GENESIS, Workload};
