//! Replicas in the deterministic simulator: a host with clients and the checks, and Byzantine replicas. Used by the tests
//! and `replicate simulate`.

// Impossible cases, such as an invalid fixed seed, end the tool with a message.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod adversaries;
mod host;

pub use adversaries::{ADVERSARIES, ReplicaAdversary};
pub use host::{CLIENTS, ReplicaHost};
pub use quorate_broadcast::simulation::{SimulatedAuthentication, SimulatedDsig, group};

use std::time::Duration;

use quorate_simulator::PresetParameters;

/// Returns the preset parameters of the protocol, which tolerates less than a third of faulty replicas.
pub fn shape(nodes: usize) -> PresetParameters<'static> {
    PresetParameters {
        live_within: Duration::from_secs(20),
        ..PresetParameters::byzantine(nodes, ADVERSARIES)
    }
}
