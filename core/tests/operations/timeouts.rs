//! Vector operations of timeout votes and certificates, and of evidence.

use std::sync::Arc;

use quorate::certificate::{
    Conflict, Equivocation, Kind, Suspects, TimeoutCertificate, TimeoutCollector, TimeoutVote, Vote,
};
use quorate::scheme::Scheme;
use quorate::wire::Encode;
use quorate::{Error, Result};
use serde_json::{Value, json};

use super::committees::{committee, indices};
use super::fields::{bytes, decode, number, small, whole, written};

pub(crate) fn run<S: Scheme>(operation: &str, input: &Value) -> Result<Value> {
    let committee = Arc::new(committee::<S>(&input["committee"])?);
    Ok(match operation {
        "timeout_vote.sign" => {
            let secret = S::secret_from_bytes(&bytes(&input["secret"]))?;
            let (kind, view, value) =
                (Kind::new(small(&input["kind"])), number(&input["view"]), number(&input["value"]));
            let vote = TimeoutVote::<S>::sign_unguarded(&secret, &committee, kind, view, value)?;
            json!({
                "vote": hex::encode(vote.encode()),
                "link": written(|w| vote.encode_link(w)),
                "signed_bytes": hex::encode(vote.as_vote().statement().signed_bytes(&committee.id())),
            })
        }
        "timeout_vote.verify" => {
            let vote = timeout_vote::<S>(input)?.verify(&committee)?;
            json!({
                "kind": vote.kind().number(),
                "view": vote.view().to_string(),
                "value": vote.value().to_string(),
                "signer": vote.signer(),
            })
        }
        "timeout_certificate.collect" => {
            let votes = input["votes"].as_array().unwrap();
            let votes: Vec<TimeoutVote<S>> =
                votes.iter().map(|v| decode(&bytes(v), &())).collect::<Result<_>>()?;
            let mut collector = TimeoutCollector::new(committee, votes[0].kind(), votes[0].view());
            let mut certificate = None;
            for vote in votes {
                let collected = collector.add(vote, &mut Suspects::new());
                assert!(collected.faults.is_empty());
                certificate = certificate.or(collected.certificate);
            }
            let certificate = certificate.ok_or(Error::BelowQuorum { signed: 0, needed: 0 })?;
            json!({ "certificate": hex::encode(certificate.encode()) })
        }
        "timeout_certificate.decode" | "timeout_certificate.verify" => {
            let data = bytes(&input["certificate"]);
            let certificate = decode::<_, TimeoutCertificate<S>>(&data, &*committee)?;
            assert_eq!(certificate.encoded_len(), data.len());
            if operation.ends_with("verify") {
                certificate.check(&committee)?;
            }
            let groups: Vec<Value> = certificate.groups().iter().map(group_json).collect();
            json!({ "kind": certificate.kind().number(), "view": certificate.view().to_string(), "groups": groups })
        }
        "equivocation.new" => {
            let votes = input["votes"].as_array().unwrap();
            let [first, second] = [&votes[0], &votes[1]].map(|v| decode::<(), Vote<S>>(&bytes(v), &()));
            let evidence = Equivocation::new(first?, second?)?.verify(&committee)?;
            json!({ "evidence": hex::encode(evidence.encode()) })
        }
        "equivocation.verify" => {
            let evidence = decode::<(), Equivocation<S>>(&bytes(&input["evidence"]), &())?;
            json!({ "culprits": evidence.verify(&committee)?.culprits() })
        }
        "conflict.verify" => {
            let evidence = decode::<_, Conflict<S>>(&bytes(&input["evidence"]), &*committee)?;
            let culprits = evidence.verify(&committee)?.culprits();
            assert!(committee.weight_of(&culprits) >= committee.honest_weight());
            json!({ "culprits": indices(&culprits) })
        }
        _ => panic!("no operation {operation}"),
    })
}

fn group_json((value, signers): &(u64, quorate::committee::SignerSet)) -> Value {
    json!({ "value": value.to_string(), "signers": indices(signers) })
}

fn timeout_vote<S: Scheme>(input: &Value) -> Result<TimeoutVote<S>> {
    if input["link"].is_string() {
        let data = bytes(&input["link"]);
        let vote = whole(&data, |r| TimeoutVote::<S>::decode_link(r))?;
        assert_eq!(written(|w| vote.encode_link(w)), hex::encode(&data));
        Ok(vote)
    } else {
        decode(&bytes(&input["vote"]), &())
    }
}
