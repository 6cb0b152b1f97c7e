//! The chain in the vectors: blocks that follow from decisions, and messages.

use std::collections::HashSet;

use quorate::Result;
use quorate::ed25519::Ed25519;
use quorate::wire::Encode;
use quorate_abft::chain::{self, Block, BlockDigest, Limits, Message};
use quorate_abft::signatures::Ed25519List;
use quorate_protocol::Executed;
use quorate_protocol::batch::TRANSACTIONS;
use serde_json::{Value, json};

use crate::messages;
use crate::vectors::{array, bytes, committee, decode, number};
use crate::world::{World, list, small};

/// Makes the block that follows from a decision.
pub(crate) fn block(input: &Value) -> Result<Value> {
    let transaction = |one: &Value| {
        let mut transaction = bytes(&one["transaction"]);
        transaction.resize(transaction.len() + small::<usize>(&one["zeros"]), 0);
        transaction
    };
    let decided = input["decided"].as_array().unwrap().iter();
    let decided: Vec<_> = decided.map(|one| (small(&one["proposer"]), transaction(one))).collect();
    let recent: HashSet<_> = list(&input["recent"]).iter().map(|one| TRANSACTIONS.leaf(one)).collect();
    let height = number(&input["height"]);
    let batches = chain::decided_batches(&decided, height, |id| recent.contains(id))?;
    let executed =
        Executed { height: number(&input["state_height"]), state_root: array(&input["state_root"]) };
    let block = Block {
        epoch: number(&input["epoch"]),
        height,
        parent: BlockDigest(array(&input["parent"])),
        executed,
        payload: batches.iter().map(|batch| *batch.header()).collect(),
    };
    let batches = batches.iter().map(|batch| {
        json!({ "author": batch.author(), "transactions": batch.len(), "digest": hex::encode(batch.digest().0) })
    });
    Ok(json!({
        "block": hex::encode(block.encode()),
        "digest": hex::encode(block.digest().0),
        "batches": batches.collect::<Vec<_>>(),
    }))
}

/// Decodes a message of a chain whose members have the keys of a setup and of a committee.
pub(crate) fn message(file: &Value, world: &World<'_, Ed25519List>, input: &Value) -> Result<Value> {
    let voters = committee::<Ed25519>(file, &input["voters"]);
    let limits = Limits { epoch: world.limits(), voters };
    let message: Message<Ed25519List, Ed25519> = decode(&bytes(&input["message"]), &limits)?;
    let fields = match message {
        Message::Epoch { height, message } => {
            json!({ "tag": 1, "height": height.to_string(), "message": messages::epoch(&message) })
        }
        Message::Vote(vote) => {
            json!({ "tag": 2, "height": vote.statement().view.to_string(), "signer": vote.signer() })
        }
        Message::Block(certified) => {
            let signers: Vec<_> = certified.finality.0.signers().iter().collect();
            json!({
                "tag": 3,
                "height": certified.block.height.to_string(),
                "digest": hex::encode(certified.block.digest().0),
                "signers": signers,
            })
        }
        Message::Status { height } => json!({ "tag": 4, "height": height.to_string() }),
        Message::Batch(batch) => json!({
            "tag": 5,
            "author": batch.author(),
            "height": batch.sequence().to_string(),
            "digest": hex::encode(batch.digest().0),
        }),
        Message::End { next, tip } => json!({ "tag": 6, "next": next.to_string(), "tip": tip.to_string() }),
        Message::Pruned { oldest, tip } => {
            json!({ "tag": 7, "oldest": oldest.to_string(), "tip": tip.to_string() })
        }
    };
    Ok(json!({ "message": fields }))
}
