#![forbid(unsafe_code)]
//! Fuzz targets for every decoder and every state machine.
//!
//! Each target is a function that takes bytes and asserts properties of all inputs: no panic, decoded values encode to the
//! same bytes, no state machine contradicts itself. The same functions run in two ways:
//!
//! - `cargo test --package quorate-fuzz`: a bounded number of mutations of each seed, the same on every run;
//! - `cargo xtask fuzz`: guided by coverage, with libFuzzer, without a limit.
//!
//! Seeds are values that the code itself generates, and all byte strings of `spec/vectors`.

mod abft;
mod abft_chain;
mod actions;
mod aggregates;
#[cfg(feature = "audited-redis")]
mod audited_redis;
mod broadcast;
mod certificates;
mod cluster;
mod collectors;
mod decoding;
mod dsig;
mod erasure;
mod fixture;
mod gosig;
mod jolteon;
mod journals;
mod keys;
mod light;
pub mod mutate;
#[cfg(feature = "node")]
mod node;
#[cfg(feature = "service")]
mod replicate;
mod scheme;
mod seeds;
#[cfg(feature = "service")]
mod service;
mod shares;
mod signing;
mod sortition;
#[cfg(feature = "threshold-signing")]
mod threshold_signing;

pub(crate) use decoding::identity;

/// A fuzz target.
#[derive(Debug)]
pub struct Target {
    /// Name on the command line.
    pub name: &'static str,
    /// The function, which panics if the bytes expose a bug.
    pub run: fn(&[u8]),
    /// Initial inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Number of inputs of the deterministic test: fewer where an input is expensive.
    pub brief: u32,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "keys", run: keys::keys, seeds: keys::key_seeds, brief: 6_000 },
    Target { name: "signer-sets", run: keys::signer_sets, seeds: keys::signer_set_seeds, brief: 20_000 },
    Target { name: "votes", run: certificates::votes, seeds: certificates::vote_seeds, brief: 4_000 },
    Target {
        name: "certificates",
        run: certificates::certificates,
        seeds: certificates::certificate_seeds,
        brief: 4_000,
    },
    Target { name: "journals", run: journals::journals, seeds: journals::journal_seeds, brief: 3_000 },
    Target {
        name: "interchanges",
        run: journals::interchanges,
        seeds: journals::interchange_seeds,
        brief: 3_000,
    },
    Target { name: "light", run: light::run, seeds: light::seeds, brief: 2_000 },
    Target { name: "vote-collector", run: collectors::votes, seeds: collectors::seeds, brief: 300 },
    Target { name: "timeout-collector", run: collectors::timeouts, seeds: collectors::seeds, brief: 300 },
    Target { name: "jolteon-decoders", run: jolteon::decoders, seeds: jolteon::decoder_seeds, brief: 4_000 },
    Target { name: "jolteon-machine", run: jolteon::machine, seeds: jolteon::machine_seeds, brief: 200 },
    Target { name: "gosig-decoders", run: gosig::decoders, seeds: gosig::decoder_seeds, brief: 4_000 },
    Target { name: "gosig-machine", run: gosig::machine, seeds: gosig::machine_seeds, brief: 200 },
    Target {
        name: "sortition-decoders",
        run: sortition::decoders,
        seeds: sortition::decoder_seeds,
        brief: 3_000,
    },
    Target {
        name: "aggregate-decoders",
        run: aggregates::decoders,
        seeds: aggregates::decoder_seeds,
        brief: 1_500,
    },
    Target { name: "gossip-machine", run: aggregates::machine, seeds: aggregates::machine_seeds, brief: 150 },
    Target { name: "dsig-decoders", run: dsig::decoders, seeds: dsig::decoder_seeds, brief: 2_000 },
    Target { name: "dsig-verifier", run: dsig::verifier, seeds: dsig::verifier_seeds, brief: 100 },
    Target { name: "erasure-decoders", run: erasure::decoders, seeds: erasure::decoder_seeds, brief: 4_000 },
    Target { name: "erasure-senders", run: erasure::senders, seeds: erasure::sender_seeds, brief: 2_000 },
    Target {
        name: "broadcast-decoders",
        run: broadcast::decoders,
        seeds: broadcast::decoder_seeds,
        brief: 4_000,
    },
    Target {
        name: "broadcast-evidence",
        run: broadcast::evidence_files,
        seeds: broadcast::evidence_seeds,
        brief: 1_000,
    },
    Target {
        name: "broadcast-machine",
        run: broadcast::machine,
        seeds: broadcast::machine_seeds,
        brief: 200,
    },
    Target { name: "abft-decoders", run: abft::decoders, seeds: abft::decoder_seeds, brief: 3_000 },
    Target { name: "abft-machine", run: abft::machine, seeds: abft::machine_seeds, brief: 40 },
    Target { name: "abft-chain", run: abft_chain::run, seeds: abft_chain::seeds, brief: 2_000 },
    Target { name: "share-decoders", run: shares::decoders, seeds: shares::decoder_seeds, brief: 3_000 },
    Target { name: "share-collectors", run: shares::collectors, seeds: shares::collector_seeds, brief: 100 },
    Target { name: "signing-decoders", run: signing::decoders, seeds: signing::decoder_seeds, brief: 1_500 },
    Target { name: "signing-combiners", run: signing::combiners, seeds: signing::combiner_seeds, brief: 100 },
    #[cfg(feature = "audited-redis")]
    Target {
        name: "audited-redis-wire",
        run: audited_redis::wire::run,
        seeds: audited_redis::wire::seeds,
        brief: 3_000,
    },
    #[cfg(feature = "audited-redis")]
    Target {
        name: "audited-redis-log",
        run: audited_redis::log::any,
        seeds: audited_redis::log::any_seeds,
        brief: 300,
    },
    #[cfg(feature = "audited-redis")]
    Target {
        name: "audited-redis-crash",
        run: audited_redis::log::damaged,
        seeds: audited_redis::log::damaged_seeds,
        brief: 300,
    },
    #[cfg(feature = "node")]
    Target { name: "node-wire", run: node::wire, seeds: node::wire_seeds, brief: 5_000 },
    #[cfg(feature = "node")]
    Target { name: "node-text", run: node::text, seeds: node::text_seeds, brief: 3_000 },
    #[cfg(feature = "service")]
    Target { name: "service-wire", run: service::wire::run, seeds: service::wire::seeds, brief: 5_000 },
    #[cfg(feature = "service")]
    Target { name: "service-replay", run: service::replay::run, seeds: service::replay::seeds, brief: 3_000 },
    #[cfg(feature = "service")]
    Target {
        name: "audited-kv-wire",
        run: service::audited_kv::run_wire,
        seeds: service::audited_kv::wire_seeds,
        brief: 3_000,
    },
    #[cfg(feature = "service")]
    Target {
        name: "audited-kv-machine",
        run: service::audited_kv::machine,
        seeds: service::audited_kv::machine_seeds,
        brief: 3_000,
    },
    #[cfg(feature = "service")]
    Target {
        name: "audited-kv-answers",
        run: service::audited_kv::answers,
        seeds: service::audited_kv::answer_seeds,
        brief: 200,
    },
    #[cfg(feature = "service")]
    Target {
        name: "exchange-wire",
        run: service::exchange::run_wire,
        seeds: service::exchange::wire_seeds,
        brief: 3_000,
    },
    #[cfg(feature = "service")]
    Target {
        name: "exchange-machine",
        run: service::exchange::machine,
        seeds: service::exchange::machine_seeds,
        brief: 300,
    },
    #[cfg(feature = "service")]
    Target {
        name: "exchange-answers",
        run: service::exchange::answers,
        seeds: service::exchange::answer_seeds,
        brief: 200,
    },
    #[cfg(feature = "service")]
    Target {
        name: "exchange-log",
        run: service::exchange::log,
        seeds: service::exchange::log_seeds,
        brief: 200,
    },
    #[cfg(feature = "service")]
    Target {
        name: "replicate-decoders",
        run: replicate::decoders,
        seeds: replicate::decoder_seeds,
        brief: 3_000,
    },
    #[cfg(feature = "service")]
    Target {
        name: "replicate-machine",
        run: replicate::machine,
        seeds: replicate::machine_seeds,
        brief: 150,
    },
    #[cfg(feature = "threshold-signing")]
    Target {
        name: "threshold-signing-wire",
        run: threshold_signing::wire,
        seeds: threshold_signing::wire_seeds,
        brief: 3_000,
    },
    #[cfg(feature = "threshold-signing")]
    Target {
        name: "threshold-signing-files",
        run: threshold_signing::files,
        seeds: threshold_signing::files_seeds,
        brief: 600,
    },
    #[cfg(feature = "threshold-signing")]
    Target {
        name: "threshold-signing-text",
        run: threshold_signing::text,
        seeds: threshold_signing::text_seeds,
        brief: 1_000,
    },
];
