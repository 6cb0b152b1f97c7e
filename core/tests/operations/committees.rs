//! Vector operations of committees and signer sets.

use quorate::Result;
use quorate::committee::{ChainId, Committee, RawSigners, Repeats, SignerSet};
use quorate::scheme::{Scheme, VerifiedKey};
use quorate::wire::Decode;
use serde_json::{Value, json};

use super::fields::{array, bytes, number, small, whole, written};
use super::schemes::verified_key;

pub(crate) fn chain_id(input: &Value) -> Result<Value> {
    Ok(json!({ "chain": ChainId::from_name(input["name"].as_str().unwrap()).to_string() }))
}

/// Creates the committee of a definition in a vector file.
pub(crate) fn committee<S: Scheme>(definition: &Value) -> Result<Committee<S>> {
    let mut members = Vec::new();
    for member in definition["members"].as_array().unwrap() {
        let key = S::PublicKey::decode(&bytes(&member["public_key"]), &())?;
        let times = member.get("times").map_or(1, small);
        members.extend(std::iter::repeat_n((key, number(&member["weight"])), times));
    }
    let repeats = if definition["repeats"] == true { Repeats::Allow } else { Repeats::Refuse };
    let (chain, epoch) = (ChainId(array(&definition["chain"])), number(&definition["epoch"]));
    Committee::from_attested(chain, epoch, members, repeats)
}

/// Returns the indices of a set as JSON.
pub(crate) fn indices(set: &SignerSet) -> Value {
    json!(set.iter().collect::<Vec<_>>())
}

pub(crate) fn run<S: Scheme>(operation: &str, input: &Value) -> Result<Value> {
    Ok(match operation {
        "committee.new" => {
            let members = input["members"].as_array().unwrap().iter();
            let proven: Vec<(VerifiedKey<S>, u128)> =
                members.map(|m| Ok((verified_key(m)?, number(&m["weight"])))).collect::<Result<_>>()?;
            figures(&Committee::new(ChainId(array(&input["chain"])), number(&input["epoch"]), proven)?)
        }
        "committee.from_attested" => figures(&committee::<S>(&input["committee"])?),
        "committee.signers" => {
            let committee = committee::<S>(&input["committee"])?;
            let set = raw_signers(&committee, input)?;
            json!({ "signers": indices(&set), "weight": committee.weight_of(&set).to_string() })
        }
        "committee.verify_raw" => {
            let committee = committee::<S>(&input["committee"])?;
            let set = raw_signers(&committee, input)?;
            let data = bytes(&input["proof"]);
            let proof = whole(&data, |r| S::decode_proof(r, &set))?;
            assert_eq!(written(|w| S::encode_proof(&proof, &set, w)), hex::encode(&data));
            json!({ "weight": committee.verify_raw(&bytes(&input["message"]), &set, &proof)?.to_string() })
        }
        _ => panic!("no operation {operation}"),
    })
}

fn raw_signers<S: Scheme>(committee: &Committee<S>, input: &Value) -> Result<SignerSet> {
    if let Some(listed) = input["indices"].as_array() {
        let indices: Vec<u32> = listed.iter().map(small).collect();
        committee.signer_set(RawSigners::Indices(&indices))
    } else if input["lsb_first"].is_string() {
        committee.signer_set(RawSigners::LsbFirst(&bytes(&input["lsb_first"])))
    } else {
        committee.signer_set(RawSigners::MsbFirst(&bytes(&input["msb_first"])))
    }
}

fn figures<S: Scheme>(committee: &Committee<S>) -> Value {
    json!({
        "id": committee.id().to_string(),
        "total_weight": committee.total_weight().to_string(),
        "quorum_weight": committee.quorum_weight().to_string(),
        "honest_weight": committee.honest_weight().to_string(),
    })
}
