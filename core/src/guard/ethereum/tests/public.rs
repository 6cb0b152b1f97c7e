//! The public tests of EIP-3076 (`slashing-protection-interchange-tests`, in the format that its README describes), and
//! cases in the same format.

use std::collections::BTreeSet;
use std::path::Path;
use std::string::{String, ToString};
use std::vec::Vec;
use std::{env, eprintln, format, fs};

use serde_json::{Value, json};

use super::super::{Interchange, SlashingProtection};
use crate::Result;

const ROOT: &str = "0x0000000000000000000000000000000000000000000000000000000000000000";
const KEY: &str =
    "0xa99a76ed7796f7be22d5b7e85deeb7c5677e88e511e0b337618f8c4eb61349b4bf2d153f649f7b53359fe8b94a38e44c";

/// Number of messages that were tried, and of those at which the two strategies differ and ours is the stricter one.
#[derive(Default)]
struct Tried {
    messages: usize,
    stricter: usize,
}

/// Runs one test. A message may be signed only if the complete strategy permits it, and must be if the minimal one does.
fn run(test: &Value, tried: &mut Tried) {
    let directory = tempfile::tempdir().unwrap();
    let root = bytes(&test["genesis_validators_root"]);
    drop(SlashingProtection::create(directory.path(), root).unwrap());
    for (number, step) in list(&test["steps"]).enumerate() {
        let at = format!("{}, step {number}", test["name"]);
        // Each step is a new life of the process.
        let mut protection = SlashingProtection::open(directory.path(), root).unwrap();
        let imported = protection.import_interchange(step["interchange"].to_string().as_bytes());
        assert_eq!(imported.is_ok(), step["should_succeed"] == true, "{at}: {imported:?}");
        let messages = list(&step["blocks"]).chain(list(&step["attestations"]));
        for message in messages.clone() {
            let key: [u8; 48] = bytes(&message["pubkey"]);
            if !protection.keys().any(|known| *known == key) {
                protection.add_key(&key).unwrap();
            }
            let signed = sign(&mut protection, &key, message);
            let (minimal, complete) = (&message["should_succeed"], &message["should_succeed_complete"]);
            tried.messages += 1;
            tried.stricter += usize::from(signed.is_err() && *complete == true);
            assert!(signed.is_ok() || *minimal == false, "{at}: refused {message}: {signed:?}");
            assert!(signed.is_err() || *complete == true, "{at}: signed {message}");
        }
        let exported = Interchange::parse(protection.export_interchange().unwrap().as_bytes()).unwrap();
        assert_no_message_is_missing(&protection, &exported);
    }
}

fn sign(protection: &mut SlashingProtection, key: &[u8; 48], message: &Value) -> Result<()> {
    let root = if message["signing_root"].is_null() { [0; 32] } else { bytes(&message["signing_root"]) };
    match &message["slot"] {
        Value::Null => {
            let (source, target) = (number(&message["source_epoch"]), number(&message["target_epoch"]));
            protection.record_attestation(key, source, target, root)
        }
        slot => protection.record_block(key, number(slot), root),
    }
}

/// A new journal that imports an export refuses all of its messages without a root, and gives the same export.
fn assert_no_message_is_missing(protection: &SlashingProtection, exported: &Interchange) {
    let directory = tempfile::tempdir().unwrap();
    let mut copy =
        SlashingProtection::create(directory.path(), protection.genesis_validators_root()).unwrap();
    let json = exported.to_json().unwrap();
    copy.import_interchange(json.as_bytes()).unwrap();
    assert_eq!(Interchange::parse(json.as_bytes()).unwrap(), *exported);
    assert_eq!(copy.export_interchange().unwrap(), json);
    for history in &exported.data {
        for block in &history.signed_blocks {
            assert!(copy.record_block(&history.pubkey, block.slot, [0xee; 32]).is_err());
        }
        for one in &history.signed_attestations {
            let (source, target) = (one.source_epoch, one.target_epoch);
            assert!(copy.record_attestation(&history.pubkey, source, target, [0xee; 32]).is_err());
        }
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> + Clone {
    value.as_array().unwrap().iter()
}

fn number(value: &Value) -> u64 {
    value.as_str().unwrap().parse().unwrap()
}

fn bytes<const N: usize>(value: &Value) -> [u8; N] {
    hex::decode(value.as_str().unwrap().strip_prefix("0x").unwrap()).unwrap().try_into().unwrap()
}

#[test]
#[ignore = "needs the folder with the public tests in EIP_3076_TESTS"]
fn the_public_tests_pass() {
    let folder = env::var_os("EIP_3076_TESTS").expect("EIP_3076_TESTS is the folder tests/generated");
    let mut tried = Tried::default();
    let files: BTreeSet<_> =
        fs::read_dir(Path::new(&folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    for file in &files {
        run(&serde_json::from_slice(&fs::read(file).unwrap()).unwrap(), &mut tried);
    }
    assert!(files.len() >= 38, "{} files", files.len());
    eprintln!("{} tests, {} messages, stricter for {}", files.len(), tried.messages, tried.stricter);
}

/// A block, its root if it has one, and whether the minimal and the complete strategy permit it.
fn block(slot: u64, root: Option<u8>, minimal: bool, complete: bool) -> Value {
    message(json!({ "slot": slot.to_string() }), root, minimal, complete)
}

/// An attestation, its root if it has one, and whether the minimal and the complete strategy permit it.
fn attestation(source: u64, target: u64, root: Option<u8>, minimal: bool, complete: bool) -> Value {
    let epochs = json!({ "source_epoch": source.to_string(), "target_epoch": target.to_string() });
    message(epochs, root, minimal, complete)
}

fn message(mut value: Value, root: Option<u8>, minimal: bool, complete: bool) -> Value {
    value["pubkey"] = KEY.into();
    value["should_succeed"] = minimal.into();
    value["should_succeed_complete"] = complete.into();
    if let Some(root) = root {
        value["signing_root"] = hex_root(root).into();
    }
    value
}

fn hex_root(root: u8) -> String {
    format!("0x{}", hex::encode([root; 32]))
}

/// A step that imports blocks (slot, root) and attestations (source, target, root), then tries messages.
fn step(
    blocks: &[(u64, Option<u8>)],
    attestations: &[(u64, u64, Option<u8>)],
    try_blocks: Vec<Value>,
    try_attestations: Vec<Value>,
) -> Value {
    let with_root = |mut value: Value, root: &Option<u8>| {
        if let Some(root) = root {
            value["signing_root"] = hex_root(*root).into();
        }
        value
    };
    let blocks: Vec<_> =
        blocks.iter().map(|(slot, root)| with_root(json!({ "slot": slot.to_string() }), root)).collect();
    let epochs = |source: &u64, target: &u64| json!({ "source_epoch": source.to_string(), "target_epoch": target.to_string() });
    let attestations: Vec<_> =
        attestations.iter().map(|(source, target, root)| with_root(epochs(source, target), root)).collect();
    json!({
        "should_succeed": true,
        "interchange": {
            "metadata": { "interchange_format_version": "5", "genesis_validators_root": ROOT },
            "data": [{ "pubkey": KEY, "signed_blocks": blocks, "signed_attestations": attestations }],
        },
        "blocks": try_blocks,
        "attestations": try_attestations,
    })
}

/// Cases of this project for each condition of the EIP, because the public tests are not in this repository.
#[test]
fn each_condition_of_the_eip_holds_after_an_import() {
    let steps = [
        // Conditions 1 and 2: blocks.
        json!([step(
            &[(10, Some(1)), (12, None), (14, Some(2))],
            &[],
            Vec::from([
                block(9, Some(1), false, false),
                block(10, Some(1), false, true),
                block(10, Some(2), false, false),
                block(11, Some(1), false, true),
                block(12, Some(0), false, false),
                block(12, None, false, false),
                block(14, Some(1), false, false),
                block(15, Some(3), true, true),
                block(15, Some(3), false, true),
                block(15, Some(4), false, false),
            ]),
            Vec::new(),
        )]),
        // Conditions 3, 4 and 5: attestations.
        json!([step(
            &[],
            &[(2, 10, Some(1)), (4, 12, None)],
            Vec::new(),
            Vec::from([
                attestation(2, 10, Some(1), false, true),
                attestation(3, 10, Some(1), false, false),
                attestation(2, 10, Some(2), false, false),
                attestation(4, 12, Some(0), false, false),
                attestation(1, 13, Some(3), false, false),
                attestation(3, 13, Some(3), false, false),
                attestation(5, 11, Some(3), false, false),
                attestation(3, 11, Some(3), false, true),
                attestation(2, 9, Some(3), false, false),
                attestation(4, 13, Some(3), true, true),
                attestation(4, 13, Some(3), false, true),
                attestation(20, 14, Some(3), false, false),
                attestation(13, 13, Some(3), false, false),
                attestation(14, 14, Some(3), true, true),
            ]),
        )]),
        // Two files with a gap between them: nothing is signed in it.
        json!([
            step(&[(5, Some(1))], &[(1, 2, Some(1))], Vec::new(), Vec::new()),
            step(
                &[(20, Some(2))],
                &[(8, 9, Some(2))],
                Vec::from([block(10, Some(3), false, true), block(21, Some(3), true, true)]),
                Vec::from([
                    attestation(3, 4, Some(3), false, true),
                    attestation(7, 10, Some(3), false, false),
                    attestation(8, 10, Some(3), true, true),
                ]),
            ),
        ]),
        // Messages that contradict each other: all count, and nothing beside them is signed.
        json!([step(
            &[(5, Some(1)), (5, Some(2))],
            &[(1, 9, Some(1)), (3, 4, Some(1)), (2, 9, Some(1))],
            Vec::from([block(5, Some(1), false, false), block(5, Some(2), false, false)]),
            Vec::from([
                attestation(1, 9, Some(1), false, false),
                attestation(3, 8, Some(1), false, false),
                attestation(3, 10, Some(1), true, true),
            ]),
        )]),
        // The oldest file last changes nothing.
        json!([
            step(&[(20, Some(2))], &[(8, 9, Some(2))], Vec::new(), Vec::new()),
            step(
                &[(5, Some(1))],
                &[(1, 2, Some(1))],
                Vec::from([block(19, Some(3), false, false), block(21, Some(3), true, true)]),
                Vec::from([
                    attestation(7, 9, Some(3), false, false),
                    attestation(8, 10, Some(3), true, true)
                ]),
            ),
        ]),
    ];
    let mut tried = Tried::default();
    for (number, steps) in steps.into_iter().enumerate() {
        let test = json!({ "name": number, "genesis_validators_root": ROOT, "steps": steps });
        run(&test, &mut tried);
    }
    assert_eq!((tried.messages, tried.stricter), (38, 2));
    let mut wrong = step(&[(1, None)], &[], Vec::new(), Vec::new());
    wrong["should_succeed"] = false.into();
    wrong["interchange"]["metadata"]["genesis_validators_root"] = hex_root(1).into();
    let test = json!({ "name": "chain", "genesis_validators_root": ROOT, "steps": [wrong] });
    run(&test, &mut tried);
}
