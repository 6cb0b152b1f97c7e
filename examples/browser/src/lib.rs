#![cfg_attr(not(target_arch = "wasm32"), forbid(unsafe_code))]
//! Consensus in a browser: the engine behind the page in `web/`.
//!
//! Nothing is staged. The validators are [`quorate_jolteon::Replica`]s or [`quorate_gosig::Replica`]s, the network is
//! [`quorate_simulator`]'s, the members that break a protocol and the checks are those of the tests
//! ([`quorate_jolteon::simulation`], [`quorate_gosig::simulation`]); the page only draws what the engine says. A
//! [`World`] is one run, [`Lab`] is the certificate laboratory.
//!
//! A run is a function of a line of text ([`setup::Setup`]), interventions included, so it can be shared as a link and
//! had again: same link, same history hash, in a browser and natively.

mod auditor;
mod cost;
mod event_log;
mod gosig;
mod jolteon;
mod json;
mod lab;
mod run;
pub mod setup;
#[cfg(target_arch = "wasm32")]
mod wasm;
mod world;

pub use cost::Cost;
pub use lab::Lab;
pub use world::World;
