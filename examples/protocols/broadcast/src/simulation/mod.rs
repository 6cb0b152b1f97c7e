//! Consistent broadcast in the deterministic simulator: a host with a workload and the checks, and members that know
//! the protocol and break it. Tests and `quorate-broadcast simulate` use it.

// What cannot happen here, such as a seed that is no key, stops a tool with a message.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod adversaries;
mod authentication;
mod host;

pub use adversaries::{ADVERSARIES, BroadcastAdversary};
pub use authentication::{SimulatedAuthentication, SimulatedDsig, group};
pub use host::BroadcastHost;

use std::time::Duration;

use quorate_simulator::PresetParameters;

/// What the simulator must know of the protocol: it bears less than a third of faulty members.
pub fn shape(nodes: usize) -> PresetParameters<'static> {
    PresetParameters {
        live_within: Duration::from_secs(6),
        ..PresetParameters::byzantine(nodes, ADVERSARIES)
    }
}
