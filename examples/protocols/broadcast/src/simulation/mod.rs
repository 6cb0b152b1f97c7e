//! Consistent broadcast in the deterministic simulator: a host with a workload and the checks, and Byzantine members.
//! Used by the tests and `quorate-broadcast simulate`.

// Impossible cases, such as an invalid fixed seed, end the tool with a message.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod adversaries;
mod authentication;
mod host;

pub use adversaries::{ADVERSARIES, BroadcastAdversary};
pub use authentication::{SimulatedAuthentication, SimulatedDsig, group};
pub use host::BroadcastHost;

use std::time::Duration;

use quorate_simulator::PresetParameters;

/// Returns the preset parameters of the protocol, which tolerates less than a third of faulty members.
pub fn shape(nodes: usize) -> PresetParameters<'static> {
    PresetParameters {
        live_within: Duration::from_secs(6),
        ..PresetParameters::byzantine(nodes, ADVERSARIES)
    }
}
