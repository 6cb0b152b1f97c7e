//! Consistent broadcast in the deterministic simulator: a host with a workload and the checks, and members that know
//! the protocol and break it. Tests and `quorate-broadcast simulate` use it.

// What cannot happen here, such as a seed that is no key, stops a tool with a message.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod host;
mod kit;
mod villains;

pub use host::BroadcastHost;
pub use kit::{Kit, SimulatedDsig, group};
pub use villains::{VILLAINS, Villain};

use std::time::Duration;

use quorate_simulator::Shape;

/// What the simulator must know of the protocol: it bears less than a third of faulty members.
pub fn shape(nodes: usize) -> Shape<'static> {
    Shape { live_within: Duration::from_secs(6), ..Shape::byzantine(nodes, VILLAINS) }
}
