//! Runs the cases of `spec/vectors/gosig.json`, which the independent model in `spec/model` generates.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "../../common/tests/vectors/mod.rs"]
mod vectors;

use quorate::Result;
use quorate::bls::{Counted, MinPk, MinSig};
use quorate::certificate::{Certificate, Statement};
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate::sortition::{Lottery, Seed};
use quorate::wire::{Decode, Encode};
use quorate_gosig::{
    Block, BlockDigest, Candidate, Change, Committees, Decision, Envelope, Finality, GosigScheme, Payload,
    Proposal, Record, Segment, ShortId, decide_block, next_committees,
};
use serde_json::{Value, json};
use vectors::{array, bytes, committee, decode, number, run_cases};

fn list(value: &Value) -> Vec<Vec<u8>> {
    value.as_array().expect("a list").iter().map(bytes).collect()
}

fn statement(s: &Statement) -> Value {
    json!({
        "kind": s.kind.number(),
        "epoch": s.epoch.to_string(),
        "view": s.view.to_string(),
        "digest": hex::encode(s.digest),
    })
}

/// The committees of a case.
struct World<S: GosigScheme>(Committees<S>);

impl<S: GosigScheme> World<S> {
    fn new(file: &Value, input: &Value) -> Self {
        Self(Committees {
            voters: committee(file, &input["voters"]),
            identities: committee(file, &input["identities"]),
        })
    }

    fn run(&self, operation: &str, input: &Value) -> Result<Value> {
        let c = &self.0;
        Ok(match operation {
            "gosig.genesis" => json!({ "digest": c.genesis(&array(&input["state_root"])).to_string() }),
            "gosig.block" => self.block(&decode(&bytes(&input["block"]), c)?),
            "gosig.proposal" => self.proposal(&decode(&bytes(&input["proposal"]), c)?)?,
            "gosig.verify" => self.verify(input)?,
            "gosig.commitment" => {
                let block: Block<S> = decode(&bytes(&input["block"]), c)?;
                let finality: Finality<S> = decode(&bytes(&input["certificate"]), c)?;
                finality.verify(c, &block)?;
                json!({ "round": finality.round().to_string() })
            }
            "gosig.segment" => self.segment(&decode(&bytes(&input["segment"]), &())?)?,
            "gosig.message" => {
                let message: Envelope<S> = decode(&message(input), c)?;
                json!({ "epoch": message.epoch.to_string(), "tag": message.encode()[8] })
            }
            "gosig.record" => {
                let record: Record<S> = decode(&bytes(&input["record"]), c)?;
                json!({ "tag": record.encode()[0] })
            }
            "gosig.change" => {
                let change: Change<S> = decode(&bytes(&input["change"]), &())?;
                json!({ "statement": statement(&change.statement(c)) })
            }
            "gosig.change_transaction" => {
                let change: Change<S> = decode(&bytes(&input["change"]), &())?;
                let allowed: Certificate<Ed25519> = decode(&bytes(&input["certificate"]), &*c.identities)?;
                json!({ "transaction": hex::encode(change.transaction(&allowed)?.bytes()) })
            }
            "gosig.next_epoch" => self.next_epoch(&list(&input["transactions"])),
            _ => panic!("no operation {operation}"),
        })
    }

    fn block(&self, block: &Block<S>) -> Value {
        json!({
            "digest": block.digest().to_string(),
            "ballot": hex::encode(self.0.ballot(block.height, block.digest())),
            "round": block.round.to_string(),
            "height": block.height.to_string(),
            "author": block.author,
            "parent": block.parent.to_string(),
            "payload": hex::encode(block.payload.encode()),
            "executed": block.executed.height.to_string(),
        })
    }

    fn proposal(&self, proposal: &Proposal<S>) -> Result<Value> {
        proposal.vote(&self.0).check(&self.0.identities)?;
        let certificate = proposal.certificate.as_ref().map(|certificate| statement(certificate.statement()));
        Ok(json!({
            "digest": hex::encode(proposal.digest()),
            "block": proposal.block.digest().to_string(),
            "round": proposal.round.to_string(),
            "proposer": proposal.proposer,
            "certificate": certificate,
            "certified": proposal.certified_round().to_string(),
        }))
    }

    /// Verifies all signatures of a proposal.
    fn verify(&self, input: &Value) -> Result<Value> {
        let c = &self.0;
        let proposal: Proposal<S> = decode(&bytes(&input["proposal"]), c)?;
        let seed = Seed::decode(&bytes(&input["seed"]), &())?;
        proposal.vote(c).check(&c.identities)?;
        let expected = u16::try_from(input["expected"].as_u64().unwrap()).unwrap().try_into().unwrap();
        let lottery = Lottery::new(c.voters.clone(), seed, proposal.round, expected);
        let ticket = proposal.ticket.clone().verify(&lottery)?;
        let next = seed.next(&proposal.block.seed, &c.voters)?;
        if let Some(certificate) = &proposal.certificate {
            certificate.check(&c.voters)?;
        }
        Ok(json!({ "score": hex::encode(ticket.score().as_bytes()), "seed": hex::encode(next.encode()) }))
    }

    fn segment(&self, segment: &Segment) -> Result<Value> {
        segment.vote(&self.0).check(&self.0.identities)?;
        Ok(json!({
            "digest": hex::encode(segment.digest()),
            "block": segment.block.to_string(),
            "round": segment.round.to_string(),
            "signer": segment.signer,
            "index": segment.index,
            "segments": segment.count,
            "first": segment.first,
        }))
    }

    fn next_epoch(&self, transactions: &[Vec<u8>]) -> Value {
        let next = next_committees(&self.0, &Payload::from_bytes(transactions).unwrap());
        let next = next.map(|(c, contacts)| {
            let keys = c.voters.keys().iter().zip(c.identities.keys());
            let members = (0..).zip(keys).map(|(member, (voting, identity))| {
                assert_eq!(c.voters.weight(member), c.identities.weight(member));
                json!({
                    "voting": hex::encode(voting.encode()),
                    "identity": hex::encode(identity.encode()),
                    "weight": c.voters.weight(member).unwrap().to_string(),
                })
            });
            let contact = |(identity, contact): &(<Ed25519 as Scheme>::PublicKey, Vec<u8>)| {
                json!({ "identity": hex::encode(identity.encode()), "contact": hex::encode(contact) })
            };
            json!({
                "epoch": c.voters.epoch().to_string(),
                "voters": hex::encode(c.voters.id().encode()),
                "identities": hex::encode(c.identities.id().encode()),
                "members": members.collect::<Vec<_>>(),
                "contacts": contacts.iter().map(contact).collect::<Vec<_>>(),
            })
        });
        json!({ "next": next })
    }
}

/// Returns the bytes of a message. `zeros` lists the lengths of transactions of zero bytes, placed before the bytes `end`.
fn message(input: &Value) -> Vec<u8> {
    let mut message = bytes(&input["message"]);
    for length in input["zeros"].as_array().into_iter().flatten() {
        let length = u32::try_from(length.as_u64().unwrap()).unwrap();
        message.extend(length.to_le_bytes());
        message.resize(message.len() + length as usize, 0);
    }
    message.extend(input.get("end").map(bytes).unwrap_or_default());
    message
}

/// Runs an operation that does not depend on the committees.
fn ballot(file: &Value, input: &Value) -> Value {
    let any = json!({ "voters": "min-sig-counted", "identities": "identities" });
    let (World(c), block) = (World::<Counted<MinSig>>::new(file, &any), BlockDigest(array(&input["block"])));
    json!({ "ballot": hex::encode(c.ballot(number(&input["height"]), block)) })
}

fn short(input: &Value) -> Value {
    let block = BlockDigest(array(&input["block"]));
    let ids = input["transactions"].as_array().unwrap().iter();
    json!({ "short": ids.map(|id| hex::encode(ShortId::new(&block, &array(id)).0)).collect::<Vec<_>>() })
}

fn payload(input: &Value) -> Value {
    let payload = Payload::from_bytes(list(&input["transactions"])).unwrap();
    json!({
        "summary": hex::encode(payload.summary().encode()),
        "identifiers": payload.ids().iter().map(hex::encode).collect::<Vec<_>>(),
    })
}

fn decide(input: &Value) -> Value {
    let lock =
        input["lock"].as_object().map(|lock| (BlockDigest(array(&lock["block"])), number(&lock["round"])));
    let candidate = |z: &Value| Candidate {
        block: BlockDigest(array(&z["block"])),
        certified: number(&z["certified"]),
        score: array(&z["score"]),
    };
    let held: Vec<_> = input["proposals"].as_array().unwrap().iter().map(candidate).collect();
    let (place, lock) = match decide_block(lock, &held) {
        Decision::Nothing => (None, lock),
        Decision::Prepare(place) => (Some(place), lock),
        Decision::Release(place) => (Some(place), None),
        Decision::Renew(place) => (Some(place), lock.map(|(block, _)| (block, held[place].certified))),
    };
    let prepares = place.map(|place| held[place].block.to_string());
    let lock = lock.map(|(block, round)| json!({ "block": block.to_string(), "round": round.to_string() }));
    json!({ "prepares": prepares, "lock": lock })
}

#[test]
fn all_spec_vectors_pass() {
    run_cases("gosig.json", 600, |file, operation, input| match (operation, input["voters"].as_str()) {
        ("gosig.ballot", _) => Ok(ballot(file, input)),
        ("gosig.short", _) => Ok(short(input)),
        ("gosig.payload", _) => Ok(payload(input)),
        ("gosig.decide", _) => Ok(decide(input)),
        (_, Some("min-pk-counted")) => World::<Counted<MinPk>>::new(file, input).run(operation, input),
        _ => World::<Counted<MinSig>>::new(file, input).run(operation, input),
    });
}
