//! Vector operations of other chains' signatures: ciphersuites, and raw verification under them.

use quorate::any::{self, Suite};
use quorate::bls::Ciphersuite;
use quorate::committee::{ChainId, RawSigners, Repeats, SignerSet};
use quorate::machine::MemberIndex;
use quorate::scheme::Claim;
use quorate::wire::Encode;
use quorate::{Error, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use super::fields::{array, bytes, decode, number, small};

pub(crate) fn run(operation: &str, input: &Value) -> Result<Value> {
    Ok(match operation {
        "ciphersuite.decode" => {
            let ciphersuite: Ciphersuite = decode(&bytes(&input["bytes"]), &())?;
            json!({ "encoded": hex::encode(ciphersuite.encode()) })
        }
        "signature.verify_with" => {
            verify_with(input)?;
            Value::Null
        }
        "committee.verify_raw" => json!({ "weight": verify(input)?.to_string() }),
        "committee.verify_raw_each" => json!({ "weight": verify_each(input)?.to_string() }),
        _ => panic!("no operation {operation}"),
    })
}

/// Returns the ciphersuite of an input, by default that of statements.
fn ciphersuite(input: &Value) -> Result<Ciphersuite> {
    match input.get("ciphersuite") {
        Some(encoded) => decode(&bytes(encoded), &()),
        None => Ok(Ciphersuite::default()),
    }
}

/// Creates the committee of an input, whose members sign under the input's ciphersuite.
fn committee(input: &Value) -> Result<any::Committee> {
    let definition = &input["committee"];
    let suite = Suite::from_number(small(&definition["suite"]))?;
    let mut members = Vec::new();
    for member in definition["members"].as_array().unwrap() {
        let key = any::PublicKey::decode(suite, &bytes(&member["public_key"]))?;
        let times = member.get("times").map_or(1, small);
        members.extend(std::iter::repeat_n((key, number(&member["weight"])), times));
    }
    let repeats = if definition["repeats"] == true { Repeats::Allow } else { Repeats::Refuse };
    let (chain, epoch) = (ChainId(array(&definition["chain"])), number(&definition["epoch"]));
    any::Committee::from_attested(chain, epoch, members, repeats)?.with_ciphersuite(ciphersuite(input)?)
}

/// Returns the verdict on a signature and checks that a committee of its signer has the same verdict.
fn verify_with(input: &Value) -> Result<()> {
    let ciphersuite = ciphersuite(input)?;
    let suite = Suite::from_number(small(&input["suite"]))?;
    let key = any::PublicKey::decode(suite, &bytes(&input["public_key"]))?;
    let signature = any::Signature::decode(suite, &bytes(&input["signature"]))?;
    let message = bytes(&input["message"]);
    let verdict = key.verify_with(&ciphersuite, &message, &signature);

    let alone = vec![(key, 1)];
    let committee = any::Committee::from_attested(ChainId([0; 32]), 0, alone, Repeats::Refuse)?;
    let together = committee.with_ciphersuite(ciphersuite).and_then(|committee| {
        // Suites 4 and 5 have a byte for the count of 1 before the signature.
        let counts: &[u8] = if matches!(suite.number(), 4 | 5) { &[0] } else { &[] };
        let proof = [counts, signature.encode().as_slice()].concat();
        committee.verify_raw(&message, &SignerSet::full(1), &proof)
    });
    let code = verdict.as_ref().err().map(Error::code);
    assert_eq!(together.err().map(|error| error.code()), code, "the committee has another verdict");
    verdict
}

/// Returns the verdict on a proof of one message and checks that a batch has the same verdict.
fn verify(input: &Value) -> Result<u128> {
    let committee = committee(input)?;
    let indices: Vec<u32> = input["indices"].as_array().unwrap().iter().map(small).collect();
    let signers = committee.signer_set(RawSigners::Indices(&indices))?;
    let (message, proof) = (bytes(&input["message"]), bytes(&input["proof"]));
    let verdict = committee.verify_raw(&message, &signers, &proof);
    let item = (Claim { message: &message, signers: &signers }, proof.as_slice());
    let batch = committee.verify_raw_batch(&[item, item], &mut StdRng::seed_from_u64(1));
    assert_eq!(batch, [verdict.clone(), verdict.clone()], "the batch has another verdict");
    verdict
}

fn verify_each(input: &Value) -> Result<u128> {
    let committee = committee(input)?;
    let signed = input["signed"].as_array().unwrap().iter();
    let signed: Vec<(MemberIndex, Vec<u8>)> =
        signed.map(|one| (small(&one["member"]), bytes(&one["message"]))).collect();
    let signed: Vec<(MemberIndex, &[u8])> =
        signed.iter().map(|(member, message)| (*member, message.as_slice())).collect();
    committee.verify_raw_each(&signed, &bytes(&input["proof"]))
}
