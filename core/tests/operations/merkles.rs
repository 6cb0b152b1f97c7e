//! Vector operations of Merkle trees.

use quorate::Result;
use quorate::merkle::{Hash, Merkle, Path};
use quorate::wire::{Encode, domain};
use serde_json::{Value, json};

use super::fields::{array, bytes, decode, small};

const TREE: Merkle = Merkle::new(domain::BATCH_LEAF, domain::BATCH_NODE);

pub(crate) fn run(operation: &str, input: &Value) -> Result<Value> {
    Ok(match operation {
        "merkle.root" => json!({ "root": hex::encode(TREE.root(&leaves(input))) }),
        "merkle.path" => {
            let path = TREE.path(&leaves(input), small(&input["index"]))?;
            json!({ "path": hex::encode(path.encode()) })
        }
        "merkle.verify" => {
            let path: Path = decode(&bytes(&input["path"]), &())?;
            TREE.verify(&array(&input["root"]), &TREE.leaf(&bytes(&input["item"])), &path)?;
            json!({ "index": path.index(), "count": path.count() })
        }
        _ => panic!("no operation {operation}"),
    })
}

fn leaves(input: &Value) -> Vec<Hash> {
    TREE.leaves(input["items"].as_array().unwrap().iter().map(bytes))
}
