//! Vector operations of light clients.

use std::sync::Arc;

use quorate::Result;
use quorate::any::{Committee, LightClient};
#[cfg(feature = "gossip")]
use quorate::bls::Counted;
use quorate::bls::MinSig;
use quorate::ed25519::Ed25519;
use quorate::light::{ChainProtocol, Genesis, VerifiedCommit};
use serde_json::{Value, json};

use super::committees::committee;
use super::fields::{array, bytes, number};

pub(crate) fn run(operation: &str, input: &Value) -> Result<Value> {
    if operation == "light.genesis" {
        let client = LightClient::from_genesis(&Genesis::parse(input["text"].as_str().unwrap())?)?;
        let members = reached(&client, client.epoch())?;
        let chain = json!({ "protocol": client.protocol().name(), "chain": client.chain().to_string() });
        return Ok(joined(chain, members));
    }
    let protocol = ChainProtocol::from_name(input["protocol"].as_str().unwrap())?;
    let mut client =
        LightClient::new(protocol, any_committee(&input["voters"])?, any_committee(&input["identities"])?)?;
    let bytes = |field: &str| bytes(&input[field]);
    Ok(match operation {
        "light.certificate" => {
            let certificate = client.verify_certificate(&bytes("certificate"))?;
            let batch = client.verify_certificates(&[&bytes("certificate")], &mut getrandom::SysRng);
            assert_eq!(batch, [Ok(certificate.clone())]);
            let statement = certificate.statement();
            let (height, view) = (number(&input["height"]), number(&input["view"]));
            let certifies = client.certifies(statement, height, view, &array(&input["digest"]));
            json!({
                "statement": {
                    "kind": statement.kind.number(),
                    "epoch": statement.epoch.to_string(),
                    "view": statement.view.to_string(),
                    "digest": hex::encode(statement.digest),
                },
                "certifies": certifies,
            })
        }
        "light.commit" => {
            let (block, finality) = (bytes("block"), bytes("finality"));
            let single = client.verify_commit(&block, &finality);
            let batch = client.verify_commits(&[(&block, &finality)], &mut getrandom::SysRng);
            assert_eq!(batch.first().unwrap().clone().err(), single.clone().err());
            // The same with another fault, in the signers or the signature of the certificate, besides that of the case.
            for back in [1, 49] {
                let mut changed = finality.clone();
                let Some(at) = changed.len().checked_sub(back) else { continue };
                changed[at] = 1;
                let single = client.verify_commit(&block, &changed);
                let batch = client.verify_commits(&[(&block, &changed)], &mut getrandom::SysRng);
                assert_eq!(batch.first().unwrap().clone().err(), single.err(), "{back} bytes from the end");
            }
            commit_shown(&single?)
        }
        "light.transaction" => {
            let found = client.verify_transaction(&bytes("proof"))?;
            json!({
                "commit": commit_shown(found.commit()),
                "id": hex::encode(found.id()),
                "transaction": hex::encode(found.transaction()),
                "batch": hex::encode(found.batch()),
                "position": found.position(),
            })
        }
        "light.hand_over" => {
            let before = client.epoch();
            let handed = client.hand_over(&bytes("block"), &bytes("finality"), &bytes("payload"));
            assert_eq!(client.epoch(), before + u64::from(handed.is_ok()));
            assert!(client.voters(before).is_ok(), "the earlier epoch is kept");
            reached(&client, handed?)?
        }
        _ => panic!("no operation {operation}"),
    })
}

fn any_committee(definition: &Value) -> Result<Committee> {
    Ok(match definition["suite"].as_u64().unwrap() {
        1 => Arc::new(committee::<MinSig>(definition)?).into(),
        3 => Arc::new(committee::<Ed25519>(definition)?).into(),
        #[cfg(feature = "gossip")]
        4 => Arc::new(committee::<Counted<MinSig>>(definition)?).into(),
        suite => panic!("no chain has voters of suite {suite}"),
    })
}

fn reached(client: &LightClient, epoch: u64) -> Result<Value> {
    let (voters, identities) = (client.voters(epoch)?.id(), client.identities(epoch)?.id());
    Ok(json!({
        "epoch": epoch.to_string(), "voters": voters.to_string(), "identities": identities.to_string(),
    }))
}

fn commit_shown(commit: &VerifiedCommit) -> Value {
    json!({
        "epoch": commit.epoch().to_string(),
        "height": commit.height().to_string(),
        "view": commit.view().to_string(),
        "digest": hex::encode(commit.digest()),
        "parent": hex::encode(commit.parent()),
    })
}

fn joined(mut one: Value, other: Value) -> Value {
    let (fields, more) = (one.as_object_mut().unwrap(), other.as_object().unwrap().clone());
    fields.extend(more);
    one
}
