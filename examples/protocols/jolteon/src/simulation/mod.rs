//! Jolteon in the deterministic simulator: a host with an archive, a toy application and clients for every node, the
//! checks, and members that know the protocol and break it. Tests, the binary `simulate` and the browser page use it.

// What cannot happen here, such as a seed that is no key, stops a tool with a message.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod adversaries;
mod host;

pub use adversaries::{ADVERSARIES, JolteonAdversary};
pub use host::{Interceptor, JolteonHost, Material, scenario};
pub use quorate_protocol::simulation::{GENESIS, Workload};
