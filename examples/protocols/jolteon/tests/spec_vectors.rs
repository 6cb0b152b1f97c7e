//! Runs the cases of `spec/vectors/jolteon.json`, which the independent model in `spec/model` made.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::sync::Arc;

use quorate::Result;
use quorate::bls::MinSig;
use quorate::committee::{ChainId, Committee, Repeats, SignerSet};
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate_jolteon::{
    Batch, Block, Committees, Finality, LeaderReputation, Message, Record, ReputationUpdate, Sequences,
};
use serde_json::{Value, json};

fn read() -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../spec/vectors/jolteon.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().expect("a hex string")).unwrap()
}

fn array(value: &Value) -> [u8; 32] {
    bytes(value).try_into().unwrap()
}

fn number<T: std::str::FromStr<Err: std::fmt::Debug>>(value: &Value) -> T {
    value.as_str().expect("a decimal string").parse().unwrap()
}

fn decode<C: ?Sized, T: Decode<C> + Encode>(data: &Value, context: &C) -> Result<T> {
    let data = bytes(data);
    let value = T::decode(&data, context)?;
    assert_eq!(hex::encode(value.encode()), hex::encode(data), "decoded, but encodes to something else");
    Ok(value)
}

fn committee<S: Scheme>(file: &Value, name: &Value) -> Arc<Committee<S>> {
    let definition = &file["committees"][name.as_str().unwrap()];
    assert_eq!(definition["suite"], S::SUITE);
    let members = definition["members"].as_array().unwrap().iter();
    let members =
        members.map(|m| (S::PublicKey::decode(&bytes(&m["public_key"]), &()).unwrap(), number(&m["weight"])));
    let (chain, epoch) = (ChainId(array(&definition["chain"])), number(&definition["epoch"]));
    Arc::new(Committee::from_attested(chain, epoch, members.collect(), Repeats::Refuse).unwrap())
}

fn run<S: Scheme>(file: &Value, operation: &str, input: &Value) -> Result<Value> {
    let committees = Committees::<S> {
        voters: committee(file, &input["voters"]),
        identities: committee(file, &input["identities"]),
    };
    Ok(match operation {
        "jolteon.genesis" => {
            json!({ "digest": committees.genesis(&array(&input["state_root"])).to_string() })
        }
        "jolteon.block" => {
            let block: Block<S> = decode(&input["block"], &committees)?;
            block.proposal(&committees).check(&committees.identities)?;
            json!({
                "digest": block.digest().to_string(),
                "view": block.view.to_string(),
                "height": block.height.to_string(),
                "author": block.author,
                "parent": block.parent.to_string(),
                "batches": block.payload.iter().map(|batch| batch.digest().to_string()).collect::<Vec<_>>(),
            })
        }
        "jolteon.message" => {
            let message: Message<S> = decode(&input["message"], &committees)?;
            json!({ "tag": message.encode()[0] })
        }
        "jolteon.record" => {
            let record: Record<S> = decode(&input["record"], &committees)?;
            json!({ "tag": record.encode()[0] })
        }
        "jolteon.finality" => {
            let block: Block<S> = decode(&input["block"], &committees)?;
            let proof: Finality<S> = decode(&input["proof"], &committees)?;
            proof.verify(&committees.voters, &block)?;
            Value::Null
        }
        _ => panic!("no operation {operation}"),
    })
}

fn batch(input: &Value) -> Result<Value> {
    let batch: Batch = decode(&input["batch"], &())?;
    Ok(json!({
        "header": hex::encode(batch.header().encode()),
        "digest": batch.digest().to_string(),
        "transactions": batch.ids().iter().map(hex::encode).collect::<Vec<_>>(),
    }))
}

fn sequences(input: &Value) -> Value {
    let mut sequences = Sequences::default();
    let admitted: Vec<bool> =
        input["sequences"].as_array().unwrap().iter().map(|n| sequences.note(number(n))).collect();
    json!({ "admitted": admitted, "top": sequences.top().to_string() })
}

fn leaders(file: &Value, input: &Value) -> Value {
    let voters = committee::<Ed25519>(file, &input["voters"]);
    let mut reputation = LeaderReputation::new(voters.len());
    let next = |reputation: &LeaderReputation, view: u64| -> Vec<u16> {
        (view + 1..view + 9).map(|view| reputation.leader(&voters, view)).collect()
    };
    let mut leaders = vec![next(&reputation, 0)];
    let (mut parent_view, mut parent_author) = (0, None);
    for (height, block) in (1..).zip(input["blocks"].as_array().unwrap()) {
        let mut signers = SignerSet::new(voters.len());
        for signer in block["signers"].as_array().unwrap() {
            assert!(signers.insert(signer.as_u64().unwrap() as u16));
        }
        let (view, author) = (number(&block["view"]), block["author"].as_u64().unwrap() as u16);
        let link =
            ReputationUpdate { parent_view, parent_author, signers: Some(&signers), height, view, author };
        reputation = reputation.after(&voters, link);
        leaders.push(next(&reputation, view));
        (parent_view, parent_author) = (view, Some(author));
    }
    json!({ "leaders": leaders })
}

#[test]
fn every_case_of_the_specification() {
    let file = read();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() > 200, "jolteon.json has lost its cases");
    let mut failures = Vec::new();
    for case in cases {
        let (operation, input) = (case["operation"].as_str().unwrap(), &case["input"]);
        let result = match (operation, input["voters"].as_str()) {
            ("jolteon.batch", _) => batch(input),
            ("jolteon.sequences", _) => Ok(sequences(input)),
            ("jolteon.leaders", _) => Ok(leaders(&file, input)),
            (_, Some("ed25519")) => run::<Ed25519>(&file, operation, input),
            _ => run::<MinSig>(&file, operation, input),
        };
        let (outcome, output) = match result {
            Ok(output) => ("ok", output),
            Err(error) => (error.code(), Value::Null),
        };
        let expected = case.get("output").cloned().unwrap_or(Value::Null);
        if outcome != case["expect"] || output != expected {
            failures.push(format!(
                "{}: expected {} {expected}, got {outcome} {output}",
                case["name"], case["expect"]
            ));
        }
    }
    assert!(failures.is_empty(), "{} of {} cases:\n{}", failures.len(), cases.len(), failures.join("\n"));
}
