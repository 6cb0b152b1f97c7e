//! The chain in the deterministic simulator: a host with an archive, a toy application and clients per node, the checks,
//! Byzantine members, and schedules of a hostile network. Used by the tests, the binary `simulate-abft` and the browser page.

// Impossible cases, such as a committee without members, end the tool with a message.
#![allow(clippy::expect_used)]

mod adversaries;
mod disk;
mod host;
mod keys;
mod schedule;

pub use adversaries::{ADVERSARIES, AbftAdversary};
pub use host::{AbftHost, Interceptor, scenario};
pub use keys::SimulationKeys;
pub use schedule::Schedule;
