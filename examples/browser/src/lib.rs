#![cfg_attr(not(target_arch = "wasm32"), forbid(unsafe_code))]
//! Consensus in a browser: the engine of the page in `web/`.
//!
//! The page shows real executions. The validators are [`quorate_jolteon::Replica`]s, [`quorate_gosig::Replica`]s or
//! [`quorate_abft::chain::Chain`]s, the network is that of [`quorate_simulator`], and the Byzantine members and checks are
//! those of the tests ([`quorate_jolteon::simulation`], [`quorate_gosig::simulation`], [`quorate_abft::simulation`]). A
//! [`World`] is one run, [`Lab`] the certificate laboratory.
//!
//! A run is a function of one line of text ([`setup::Setup`]), including interventions. It can be shared as a link
//! and replayed: the same link yields the same history hash, in a browser and natively.

mod abft;
mod auditor;
mod cost;
mod event_log;
mod gosig;
mod intervention;
mod jolteon;
mod json;
mod lab;
mod link_quality;
mod number;
mod protocol;
mod run;
pub mod setup;
#[cfg(target_arch = "wasm32")]
mod wasm;
mod world;

pub use cost::Cost;
pub use lab::Lab;
pub use world::World;
