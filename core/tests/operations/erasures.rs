//! Vector operations of erasure coding and its table of tuned parameters.

use quorate::Result;
use quorate::erasure::tuner::{Row, Table};
use quorate::erasure::{CheckedShard, Coder, Coding, Commitment, ErasureSuite, Shape};
use quorate::wire::Encode;
use serde_json::{Value, json};

use super::fields::{bytes, decode, number, small};

pub(crate) fn run(operation: &str, input: &Value) -> Result<Value> {
    match operation {
        "erasure.table" => {
            let table: Table = decode(&bytes(&input["table"]), &())?;
            return Ok(json!({ "rows": table.rows().iter().map(row).collect::<Vec<_>>() }));
        }
        "erasure.lookup" => return lookup(input),
        _ => {}
    }
    let coding = coding(input)?;
    Ok(match operation {
        "erasure.coding" => json!({
            "shard_len": coding.shard_len(coding.max_message()),
            "max_encoded_len": CheckedShard::max_encoded_len(&coding),
        }),
        "erasure.disperse" => {
            let made = Coder::new(coding)?.disperse(&bytes(&input["message"]))?;
            assert_eq!(decode::<_, Commitment>(&made.commitment().encode(), &coding)?, *made.commitment());
            let indices = input["indices"].as_array().unwrap().iter();
            let shards: Vec<_> =
                indices.map(|i| hex::encode(made.shard(small(i)).unwrap().encode())).collect();
            json!({
                "commitment": hex::encode(made.commitment().encode()),
                "identity": hex::encode(made.commitment().identity()),
                "shards": shards,
            })
        }
        "erasure.shard" => {
            let shard: CheckedShard = decode(&bytes(&input["shard"]), &coding)?;
            json!({
                "identity": hex::encode(shard.commitment().identity()),
                "index": shard.index(),
                "bytes": hex::encode(shard.bytes()),
            })
        }
        "erasure.decode" => {
            let shards = input["shards"].as_array().unwrap().iter();
            let shards: Vec<_> = shards.map(|shard| decode(&bytes(shard), &coding)).collect::<Result<_>>()?;
            json!({ "message": hex::encode(Coder::new(coding)?.decode(&shards)?.message()) })
        }
        _ => panic!("no operation {operation}"),
    })
}

fn coding(input: &Value) -> Result<Coding> {
    let suite: ErasureSuite = decode(&bytes(&input["suite"]), &())?;
    Coding::new(suite, shape(input)?, small(&input["max_message"]))
}

fn shape(input: &Value) -> Result<Shape> {
    Shape::new(small(&input["data"]), small(&input["parity"]))
}

fn lookup(input: &Value) -> Result<Value> {
    let table: Table = decode(&bytes(&input["table"]), &())?;
    let suites: Vec<u8> = input["suites"].as_array().unwrap().iter().map(small).collect();
    let found =
        table.best(shape(input)?, number(&input["message"]), |suite| suites.contains(&suite.number()));
    Ok(json!({ "row": found.map(row) }))
}

fn row(row: &Row) -> Value {
    json!({
        "data": row.shape().data(),
        "parity": row.shape().parity(),
        "message": row.message().to_string(),
        "suite": hex::encode(row.suite().encode()),
        "cost": row.cost().to_string(),
    })
}
