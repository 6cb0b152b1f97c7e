//! Runs the cases of `spec/vectors/abft.json`, which the independent model in `spec/model` generates.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "../../common/tests/vectors/mod.rs"]
mod vectors;

#[path = "abft_vectors/chain.rs"]
mod chain;
#[path = "abft_vectors/messages.rs"]
mod messages;
#[path = "abft_vectors/presigned.rs"]
mod presigned;
#[path = "abft_vectors/world.rs"]
mod world;

use std::collections::BTreeSet;

use quorate::Result;
use quorate::committee::CommitteeId;
use quorate_abft::epoch::Batch;
use quorate_abft::mvba::{self, Stage};
use quorate_abft::prbc;
use quorate_abft::signatures::{Bls, Ed25519List, Presigned};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::{Value, json};
use vectors::{array, bytes, decode, number, run_cases};
use world::{World, list, small};

/// Runs an operation without a setup.
fn without_setup(operation: &str, input: &Value) -> Result<Value> {
    let statement = |statement: Vec<u8>| json!({ "statement": hex::encode(statement) });
    let committee = || CommitteeId(array(&input["committee_id"]));
    Ok(match operation {
        "abft.digest" => json!({ "digest": hex::encode(mvba::digest(&bytes(&input["value"]))) }),
        "abft.delivery" => {
            let (epoch, sender) = (number(&input["epoch"]), small(&input["sender"]));
            statement(prbc::statement(&committee(), epoch, sender, &array(&input["id"])))
        }
        "abft.promotion" => {
            let (epoch, view, proposer) =
                (number(&input["epoch"]), small(&input["view"]), small(&input["proposer"]));
            let digest = array(&input["digest"]);
            statement(mvba::promotion_statement(
                &committee(),
                epoch,
                view,
                proposer,
                stage(small(&input["stage"])),
                &digest,
            ))
        }
        "abft.completion" => {
            let (epoch, view) = (number(&input["epoch"]), small(&input["view"]));
            statement(mvba::completion_statement(&committee(), epoch, view))
        }
        "abft.batch" => {
            let batch: Batch = decode(&bytes(&input["batch"]), &())?;
            json!({ "transactions": batch.transactions().iter().map(hex::encode).collect::<Vec<_>>() })
        }
        "abft.choose" => choose(input),
        "abft.block" => chain::block(input)?,
        _ => panic!("no operation {operation}"),
    })
}

fn stage(number: u8) -> Stage {
    let stages = [Stage::KEY, Stage::LOCK, Stage::COMMIT, Stage::LAST];
    *stages.iter().find(|stage| stage.number() == number).unwrap()
}

/// Chooses with many seeds: the number is always the same, and each candidate is chosen by some seed.
fn choose(input: &Value) -> Value {
    let (pending, batch, members) =
        (list(&input["pending"]), small(&input["batch"]), small(&input["members"]));
    let (mut counts, mut candidates) = (BTreeSet::new(), BTreeSet::new());
    for seed in 0..200 {
        let mut rng = StdRng::seed_from_u64(seed);
        let batch = Batch::choose(&pending, batch, members, 1 << 16, &mut rng).unwrap();
        let different: BTreeSet<_> = batch.transactions().iter().collect();
        assert_eq!(different.len(), batch.transactions().len());
        counts.insert(different.len());
        candidates.extend(batch.transactions().iter().map(hex::encode));
    }
    assert_eq!(counts.len(), 1);
    json!({ "count": counts.first(), "candidates": candidates })
}

#[test]
fn all_spec_vectors_pass() {
    run_cases("abft.json", 900, |file, operation, input| {
        let Some(name) = input["setup"].as_str() else { return without_setup(operation, input) };
        let entry = &file["setups"][name];
        match (operation, entry["scheme"].as_str().unwrap()) {
            ("abft.presignatures", _) => presigned::open_file(entry, input),
            ("abft.chain_message", _) => chain::message(file, &World::new(entry), input),
            ("abft.presign", _) => Ok(presigned::presign(entry, input)),
            (_, "list") => World::<Ed25519List>::new(entry).run(operation, input),
            (_, "presigned") => World::<Presigned>::new(entry).run(operation, input),
            _ => World::<Bls>::new(entry).run(operation, input),
        }
    });
}
