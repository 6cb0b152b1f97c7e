//! The operations of the test vectors: each maps an `input` object to the `output` object or an error.

#[cfg(feature = "gossip")]
mod aggregates;
mod certificates;
mod committees;
#[cfg(feature = "dsig")]
mod dsigs;
#[cfg(feature = "erasure")]
mod erasures;
mod fields;
#[cfg(any(feature = "dsig", feature = "threshold"))]
mod given;
mod guards;
#[cfg(feature = "light")]
mod lights;
mod merkles;
mod raw;
mod schemes;
#[cfg(feature = "threshold")]
mod signatures;
#[cfg(feature = "sortition")]
mod sortitions;
#[cfg(feature = "gossip")]
mod spreading;
#[cfg(feature = "threshold")]
mod thresholds;
mod timeouts;
mod wires;

use quorate::Result;
#[cfg(feature = "gossip")]
use quorate::bls::Counted;
use quorate::bls::{MinPk, MinSig};
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use serde_json::Value;

/// Runs one operation. An operation without results returns null.
pub(crate) fn run(operation: &str, input: &Value) -> Result<Value> {
    if operation.starts_with("wire.") {
        return wires::run(operation, input);
    }
    if operation.starts_with("merkle.") {
        return merkles::run(operation, input);
    }
    #[cfg(feature = "light")]
    if operation.starts_with("light.") {
        return lights::run(operation, input);
    }
    #[cfg(feature = "dsig")]
    if operation.starts_with("dsig.") {
        return dsigs::run(operation, input);
    }
    #[cfg(feature = "threshold")]
    if operation.starts_with("tdh2.") || operation.starts_with("coin.") {
        return thresholds::run(operation, input);
    }
    #[cfg(feature = "threshold")]
    if ["ecdsa.", "sharing.", "spending.", "seal.", "shared_bls."]
        .iter()
        .any(|name| operation.starts_with(name))
    {
        return signatures::run(operation, input);
    }
    #[cfg(feature = "erasure")]
    if operation.starts_with("erasure.") {
        return erasures::run(operation, input);
    }
    #[cfg(feature = "sortition")]
    if operation == "seed.genesis" {
        return Ok(sortitions::genesis(input));
    }
    #[cfg(feature = "gossip")]
    if operation == "peers.session" {
        return Ok(spreading::peers(input));
    }
    if operation == "chain_id.from_name" {
        return committees::chain_id(input);
    }
    match operation {
        "header.peek" => return certificates::header(input),
        "ciphersuite.decode" | "signature.verify_with" | "committee.verify_raw_each" => {
            return raw::run(operation, input);
        }
        "committee.verify_raw" if input.get("ciphersuite").is_some() => return raw::run(operation, input),
        _ => {}
    }
    let suite = input.get("suite").unwrap_or(&input["committee"]["suite"]);
    let suite = suite.as_u64().expect("a suite");
    #[cfg(feature = "gossip")]
    if operation.starts_with("aggregate.") {
        return match suite {
            4 => aggregates::run::<Counted<MinSig>>(operation, input),
            5 => aggregates::run::<Counted<MinPk>>(operation, input),
            _ => panic!("suite {suite} has no aggregates"),
        };
    }
    #[cfg(feature = "gossip")]
    if operation.starts_with("pool.") || operation.starts_with("gossip.") {
        return match suite {
            4 => spreading::run::<Counted<MinSig>>(operation, input),
            5 => spreading::run::<Counted<MinPk>>(operation, input),
            _ => panic!("suite {suite} has no aggregates"),
        };
    }
    #[cfg(feature = "sortition")]
    if operation.starts_with("ticket.") || operation.starts_with("seed.") {
        return match suite {
            1 => sortitions::run::<MinSig>(operation, input),
            2 => sortitions::run::<MinPk>(operation, input),
            #[cfg(feature = "gossip")]
            4 => sortitions::run::<Counted<MinSig>>(operation, input),
            #[cfg(feature = "gossip")]
            5 => sortitions::run::<Counted<MinPk>>(operation, input),
            _ => panic!("the signatures of suite {suite} are not unique"),
        };
    }
    match (suite, operation.starts_with("bls.")) {
        (1, true) => schemes::run_bls::<MinSig>(operation, input),
        (2, true) => schemes::run_bls::<MinPk>(operation, input),
        (1, false) => run_with::<MinSig>(operation, input),
        (2, false) => run_with::<MinPk>(operation, input),
        (3, false) => run_with::<Ed25519>(operation, input),
        #[cfg(feature = "gossip")]
        (4, false) => run_with::<Counted<MinSig>>(operation, input),
        #[cfg(feature = "gossip")]
        (5, false) => run_with::<Counted<MinPk>>(operation, input),
        (suite, _) => panic!("no suite {suite} for {operation}"),
    }
}

fn run_with<S: Scheme>(operation: &str, input: &Value) -> Result<Value> {
    match operation.split('.').next().unwrap() {
        "committee" => committees::run::<S>(operation, input),
        "statement" | "vote" | "certificate" => certificates::run::<S>(operation, input),
        "guard" => guards::run::<S>(operation, input),
        "timeout_vote" | "timeout_certificate" | "equivocation" | "conflict" => {
            timeouts::run::<S>(operation, input)
        }
        _ => schemes::run::<S>(operation, input),
    }
}
