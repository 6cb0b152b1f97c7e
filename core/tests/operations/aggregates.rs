//! Vector operations of aggregates that merge in any order.

use std::sync::Arc;

use quorate::Result;
use quorate::certificate::Vote;
use quorate::committee::{Committee, Verified};
use quorate::gossip::{Additive, Aggregate};
use quorate::wire::Encode;
use serde_json::{Value, json};

use super::certificates::statement_json;
use super::committees::{committee, indices};
use super::fields::{bytes, decode, small};

pub(crate) fn run<S: Additive>(operation: &str, input: &Value) -> Result<Value> {
    let committee = Arc::new(committee::<S>(&input["committee"])?);
    let all = |field: &str| -> Result<Vec<Verified<Aggregate<S>>>> {
        input[field].as_array().unwrap().iter().map(|data| verified(data, &committee)).collect()
    };
    Ok(match operation {
        "aggregate.of_vote" => {
            let vote = decode::<_, Vote<S>>(&bytes(&input["vote"]), &())?.verify(&committee)?;
            json!({ "aggregate": hex::encode(Aggregate::from_vote(&vote, &committee)?.encode()) })
        }
        "aggregate.decode" => aggregate_json(&decoded(&input["aggregate"], &committee)?),
        "aggregate.verify" => aggregate_json(&*verified(&input["aggregate"], &committee)?),
        "aggregate.merge" => {
            let parts = all("aggregates")?;
            let (first, others) = parts.split_first().unwrap();
            let mut merged = first.clone();
            for other in others {
                let sum = merged.merge(other, small(&input["limit"]))?;
                assert_eq!(
                    other.merge(&merged, small(&input["limit"])).as_ref(),
                    Ok(&sum),
                    "merging must be commutative"
                );
                merged = sum;
            }
            json!({ "aggregate": hex::encode(merged.encode()) })
        }
        "aggregate.normalise" => {
            let parts = all("parts")?;
            let normalised = verified(&input["aggregate"], &committee)?.normalised(&parts);
            normalised.check(&committee).expect("a normalised aggregate verifies");
            json!({ "aggregate": hex::encode(normalised.encode()) })
        }
        "aggregate.certificate" => {
            let aggregate = verified(&input["aggregate"], &committee)?;
            let certificate = aggregate.certificate(&committee);
            if let Some(certificate) = &certificate {
                certificate.check(&committee).expect("a certificate of a verified aggregate");
                assert_eq!(Aggregate::from_certificate(certificate), aggregate);
            }
            json!({ "certificate": certificate.map(|certificate| hex::encode(certificate.encode())) })
        }
        _ => panic!("no operation {operation}"),
    })
}

pub(super) fn decoded<S: Additive>(data: &Value, committee: &Committee<S>) -> Result<Aggregate<S>> {
    let data = bytes(data);
    let aggregate: Aggregate<S> = decode(&data, committee)?;
    assert_eq!(aggregate.encoded_len(), data.len());
    Ok(aggregate)
}

pub(super) fn verified<S: Additive>(
    data: &Value,
    committee: &Committee<S>,
) -> Result<Verified<Aggregate<S>>> {
    let aggregate = decoded(data, committee)?;
    let single = aggregate.clone().verify(committee);
    for batched in Aggregate::verify_batch_derived(committee, vec![aggregate.clone(), aggregate]) {
        assert_eq!(batched, single, "the batch has another verdict");
    }
    single
}

fn aggregate_json<S: Additive>(aggregate: &Aggregate<S>) -> Value {
    let counts: Vec<u16> = aggregate.signers().iter().map(|signer| aggregate.count(signer)).collect();
    json!({
        "statement": statement_json(aggregate.statement()),
        "signers": indices(aggregate.signers()),
        "counts": counts,
    })
}
