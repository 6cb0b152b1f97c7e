//! Vector operations of votes, their collector and certificates.

use std::sync::Arc;

use quorate::certificate::{Certificate, Kind, Statement, Suspects, UntrustedHeader, Vote, VoteCollector};
use quorate::scheme::Scheme;
use quorate::wire::Encode;
use quorate::{Error, Result};
use serde_json::{Value, json};

use super::committees::{committee, indices};
use super::fields::{array, bytes, decode, number, small, whole, written};

pub(crate) fn header(input: &Value) -> Result<Value> {
    let data = bytes(&input["bytes"]);
    let header = UntrustedHeader::peek(&data)?;
    assert_eq!(header.encode(), data[..UntrustedHeader::LEN], "the header encodes to other bytes");
    Ok(json!({
        "suite": header.suite(),
        "kind": header.kind().number(),
        "epoch": header.epoch().to_string(),
        "view": header.view().to_string(),
    }))
}

pub(crate) fn run<S: Scheme>(operation: &str, input: &Value) -> Result<Value> {
    let committee = Arc::new(committee::<S>(&input["committee"])?);
    Ok(match operation {
        "statement.encode" => {
            let statement = statement(&input["statement"]);
            decode::<(), Statement>(&statement.encode(), &())?;
            json!({
                "bytes": hex::encode(statement.encode()),
                "signed_bytes": hex::encode(statement.signed_bytes(&committee.id())),
                "identity": hex::encode(statement.identity(&committee.id())),
            })
        }
        "vote.sign" => {
            let secret = S::secret_from_bytes(&bytes(&input["secret"]))?;
            let vote = Vote::<S>::sign_unguarded(&secret, &committee, statement(&input["statement"]))?;
            json!({ "vote": hex::encode(vote.encode()), "link": written(|w| vote.encode_link(w)) })
        }
        "vote.verify" => {
            let vote = vote::<S>(input)?.verify(&committee)?;
            json!({ "statement": statement_json(vote.statement()), "signer": vote.signer() })
        }
        "certificate.collect" => {
            let votes = input["votes"].as_array().unwrap();
            let votes: Vec<Vote<S>> = votes.iter().map(|v| decode(&bytes(v), &())).collect::<Result<_>>()?;
            let first = *votes[0].statement();
            let mut collector = VoteCollector::new(committee, first.kind, first.view);
            let mut certificate = None;
            for vote in votes {
                let collected = collector.add(vote, &mut Suspects::new());
                assert!(collected.faults.is_empty());
                certificate = certificate.or(collected.certificate);
            }
            let certificate = certificate.ok_or(Error::BelowQuorum { signed: 0, needed: 0 })?;
            json!({
                "certificate": hex::encode(certificate.encode()),
                "detached": written(|w| certificate.encode_detached(w)),
                "signers": indices(certificate.signers()),
            })
        }
        "certificate.decode" => {
            certificate_json(&decode::<_, Certificate<S>>(&bytes(&input["certificate"]), &*committee)?)
        }
        "certificate.verify" => {
            let data = bytes(&input["certificate"]);
            let certificate = decode::<_, Certificate<S>>(&data, &*committee)?;
            assert_eq!(certificate.encoded_len(), data.len());
            let single = certificate.clone().verify(&committee);
            let twice = vec![certificate.clone(), certificate.clone()];
            for batched in Certificate::verify_batch_derived(&committee, twice) {
                assert_eq!(batched, single, "the batch has another verdict");
            }
            certificate_json(&*single?)
        }
        "certificate.verify_detached" => {
            let (data, statement) = (bytes(&input["detached"]), statement(&input["statement"]));
            let certificate = whole(&data, |r| Certificate::<S>::decode_detached(r, statement, &committee))?;
            assert_eq!(written(|w| certificate.encode_detached(w)), hex::encode(&data));
            json!({ "signers": indices(certificate.verify(&committee)?.signers()) })
        }
        _ => panic!("no operation {operation}"),
    })
}

pub(crate) fn statement(value: &Value) -> Statement {
    Statement {
        kind: Kind::new(small(&value["kind"])),
        epoch: number(&value["epoch"]),
        view: number(&value["view"]),
        digest: array(&value["digest"]),
    }
}

pub(crate) fn statement_json(statement: &Statement) -> Value {
    json!({
        "kind": statement.kind.number(),
        "epoch": statement.epoch.to_string(),
        "view": statement.view.to_string(),
        "digest": hex::encode(statement.digest),
    })
}

fn certificate_json<S: Scheme>(certificate: &Certificate<S>) -> Value {
    json!({ "statement": statement_json(certificate.statement()), "signers": indices(certificate.signers()) })
}

fn vote<S: Scheme>(input: &Value) -> Result<Vote<S>> {
    if input["link"].is_string() {
        let data = bytes(&input["link"]);
        let vote = whole(&data, |r| Vote::<S>::decode_link(r))?;
        assert_eq!(written(|w| vote.encode_link(w)), hex::encode(&data));
        Ok(vote)
    } else {
        decode(&bytes(&input["vote"]), &())
    }
}
