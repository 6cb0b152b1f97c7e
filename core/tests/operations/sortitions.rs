//! Vector operations of sortition: seeds, their proofs, and tickets.

use std::num::NonZeroU16;
use std::sync::Arc;

use quorate::Result;
use quorate::committee::ChainId;
use quorate::scheme::Vrf;
use quorate::sortition::{Lottery, Seed, SeedProof, Ticket};
use quorate::wire::Encode;
use serde_json::{Value, json};

use super::committees::committee;
use super::fields::{array, bytes, decode, number, small, whole, written};

pub(crate) fn genesis(input: &Value) -> Value {
    let seed = Seed::genesis(ChainId(array(&input["chain"])), &bytes(&input["bytes"]));
    json!({ "seed": hex::encode(seed.encode()) })
}

pub(crate) fn run<S: Vrf>(operation: &str, input: &Value) -> Result<Value> {
    let committee = Arc::new(committee::<S>(&input["committee"])?);
    let seed: Seed = decode(&bytes(&input["seed"]), &())?;
    let secret = || S::secret_from_bytes(&bytes(&input["secret"]));
    let lottery = || {
        let expected = NonZeroU16::new(small(&input["expected"])).expect("a number of winners");
        Lottery::new(committee.clone(), seed, number(&input["round"]), expected)
    };
    Ok(match operation {
        "seed.prove" => {
            json!({ "proof": hex::encode(SeedProof::<S>::sign(&secret()?, &committee, &seed)?.encode()) })
        }
        "seed.next" => {
            let proof: SeedProof<S> = decode(&bytes(&input["proof"]), &())?;
            let signature = hex::decode(written(|w| proof.encode_detached(w))).unwrap();
            let detached = whole(&signature, |r| SeedProof::decode_detached(r, proof.signer()))?;
            assert_eq!(detached, proof);
            json!({ "seed": hex::encode(seed.next(&proof, &committee)?.encode()) })
        }
        "ticket.draw" => {
            let drawn = lottery().draw(&secret()?)?;
            json!({
                "ticket": drawn.as_ref().map(|ticket| hex::encode(ticket.encode())),
                "score": drawn.as_ref().map(|ticket| hex::encode(ticket.score().as_bytes())),
            })
        }
        "ticket.verify" => {
            let ticket: Ticket<S> = decode(&bytes(&input["ticket"]), &())?;
            let signature = hex::decode(written(|w| ticket.encode_detached(w))).unwrap();
            let detached =
                whole(&signature, |r| Ticket::decode_detached(r, ticket.round(), ticket.member()))?;
            assert_eq!(detached, ticket);
            let ticket = ticket.verify(&lottery())?;
            json!({
                "round": ticket.round().to_string(),
                "member": ticket.member(),
                "score": hex::encode(ticket.score().as_bytes()),
            })
        }
        _ => panic!("no operation {operation}"),
    })
}
