//! Vector operations of guards and their records.

use quorate::Result;
use quorate::guard::{Guard, GuardRecord};
use quorate::scheme::Scheme;
use quorate::wire::Encode;
use serde_json::{Value, json};

use super::certificates::statement;
use super::committees::committee;
use super::fields::{bytes, decode};

pub(crate) fn run<S: Scheme>(operation: &str, input: &Value) -> Result<Value> {
    let committee = committee::<S>(&input["committee"])?;
    let secret = S::secret_from_bytes(&bytes(&input["secret"]))?;
    let records = input["records"].as_array().unwrap();
    let records: Vec<GuardRecord> = records.iter().map(|r| decode(&bytes(r), &())).collect::<Result<_>>()?;
    let mut guard = Guard::<S>::restore(secret, committee.chain(), records)?;
    Ok(match operation {
        "guard.restore" => {
            let records: Vec<String> = guard.records().map(|record| hex::encode(record.encode())).collect();
            json!({ "records": records })
        }
        "guard.sign" => {
            let (vote, record) = guard.sign(&committee, statement(&input["statement"]))?;
            assert_eq!(record.encode().len(), GuardRecord::LEN);
            json!({ "vote": hex::encode(vote.encode()), "record": hex::encode(record.encode()) })
        }
        _ => panic!("no operation {operation}"),
    })
}
