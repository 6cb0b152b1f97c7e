//! Vector operations of threshold signatures: ECDSA, BLS, the journal of spent presignatures, sealed files.

use quorate::bls::{MinPk, MinSig};
use quorate::committee::ChainId;
use quorate::ed25519::Ed25519;
use quorate::guard::{Guard, GuardRecord, Spend};
use quorate::scheme::Scheme;
use quorate::threshold::decode::decode as decode_points;
use quorate::threshold::ecdsa::{
    AgreedTag, Curve, Deal, GroupKey, Opening, Plan, Presignatures, ShareFault, Signature, SignatureShare,
    Signing, Tag, UnagreedTag,
};
use quorate::threshold::{
    Agreed, Agreement, Class, Combiner, Field, Instance, Ristretto255, Secp256k1, ShareIndex, Unagreed, bls,
    lagrange, seal,
};
use quorate::wire::Encode;
use quorate::{Error, Result};
use serde_json::{Value, json};

use super::fields::{array, bytes, decode, number, small};

pub(crate) fn run(operation: &str, input: &Value) -> Result<Value> {
    match (operation, input["suite"].as_u64()) {
        ("ecdsa.plan", _) => {
            let plan: Plan = decode(&bytes(&input["plan"]), &())?;
            // A plan is checked as part of a deal.
            let parties: u16 = small(&input["parties"]);
            let roots = vec![[0u8; 32]; usize::from(parties.min(1_024))];
            let deal =
                [&[0; 40][..], &plan.encode(), &u32::from(parties).to_le_bytes(), &roots.concat()].concat();
            match decode::<_, Deal>(&deal, &()) {
                // The limit of parties is checked before that of the plan.
                Err(Error::TooLarge { .. }) if parties > 1_024 => {
                    Err(Error::TooLarge { what: "plan", limit: 0 })
                }
                deal => deal.map(|deal| json!({ "count": deal.plan().count() })),
            }
        }
        ("ecdsa.tag", _) => tag(input),
        ("spending.session", Some(1)) => session::<MinSig>(input),
        ("spending.session", Some(3)) => session::<Ed25519>(input),
        ("seal.open", _) => {
            let key = seal::SealingKey::from_bytes(&array(&input["secret"]))?;
            let content = key.open(&bytes(&input["context"]), &bytes(&input["sealed"]))?;
            Ok(json!({ "content": hex::encode(&*content) }))
        }
        (_, Some(1)) if operation.starts_with("shared_bls.") => shared::<MinSig>(operation, input),
        (_, Some(2)) if operation.starts_with("shared_bls.") => shared::<MinPk>(operation, input),
        (_, Some(1)) => ecdsa::<Ristretto255>(operation, input),
        (_, Some(2)) => ecdsa::<Secp256k1>(operation, input),
        _ => panic!("no suite for {operation}"),
    }
}

fn tag(input: &Value) -> Result<Value> {
    let plan: Plan = decode(&bytes(&input["plan"]), &())?;
    let member = || small(&input["member"]);
    let round = || small(&input["round"]);
    let agreed = |tag: AgreedTag| json!({ "index": tag.index(), "agreed": true });
    let unagreed = |tag: UnagreedTag| json!({ "index": tag.index(), "agreed": false });
    match (input["use"].as_str().unwrap(), plan) {
        ("prbc", _) => plan.prbc(0, member()).map(agreed),
        ("promotion", _) => plan.promotion(0, round(), member(), small(&input["step"])).map(unagreed),
        ("completion", _) => plan.completion(0, round()).map(agreed),
        (_, Plan::Unagreed { .. }) => plan.unagreed(0, small(&input["number"])).map(unagreed),
        _ => plan.agreed(0, small(&input["number"])).map(agreed),
    }
}

/// The tag of a presignature by its index, for both classes of messages.
trait TagByIndex: Class {
    fn tag(plan: Plan, epoch: u64, index: u32) -> Result<Tag<Self>>;
}

impl TagByIndex for Agreed {
    fn tag(plan: Plan, epoch: u64, index: u32) -> Result<Tag<Self>> {
        let Plan::Agreement { parties, .. } = plan else { return plan.agreed(epoch, index) };
        let n = u32::from(parties);
        match index.checked_sub(n) {
            None => plan.prbc(epoch, index as u16),
            Some(beyond) => plan.completion(epoch, (beyond / (4 * n + 1)) as u16),
        }
    }
}

impl TagByIndex for Unagreed {
    fn tag(plan: Plan, epoch: u64, index: u32) -> Result<Tag<Self>> {
        let Plan::Agreement { parties, .. } = plan else { return plan.unagreed(epoch, index) };
        let n = u32::from(parties);
        let (round, within) = ((index - n) / (4 * n + 1), (index - n) % (4 * n + 1));
        plan.promotion(epoch, round as u16, (within / 4) as u16, (within % 4) as u8 + 1)
    }
}

fn ecdsa<G: Curve>(operation: &str, input: &Value) -> Result<Value> {
    Ok(match operation {
        "ecdsa.key" => {
            let key = key::<G>(input)?;
            let tolerance = key.tolerance();
            json!({
                "id": hex::encode(key.id().0),
                "parties": tolerance.parties(),
                "faulty": tolerance.faulty(),
                "needed": {
                    "agreed": tolerance.threshold::<Agreed>().needed(),
                    "unagreed": tolerance.threshold::<Unagreed>().needed(),
                },
            })
        }
        "ecdsa.deal" => {
            let deal = deal(input)?;
            json!({
                "id": hex::encode(deal.id()),
                "key": hex::encode(deal.key().0),
                "epoch": deal.epoch().to_string(),
                "count": deal.plan().count(),
            })
        }
        "ecdsa.file" => {
            let file = file::<G>(input)?;
            assert_eq!(file.to_bytes()?[..], bytes(&input["file"]));
            json!({
                "member": file.member(),
                "key": hex::encode(file.key().id().0),
                "deal": hex::encode(file.deal().id()),
                "count": file.left(),
            })
        }
        "ecdsa.share" => {
            let share = share::<G>(&input["share"])?;
            json!({
                "member": share.member(),
                "epoch": share.epoch().to_string(),
                "index": share.index(),
                "digest": hex::encode(share.digest()),
            })
        }
        "ecdsa.opening" => {
            let opening = opening::<G>(input)?;
            json!({ "member": opening.member(), "index": opening.index() })
        }
        "ecdsa.evidence" => {
            // The evidence is decoded before key and deal are checked.
            let evidence: ShareFault<G> = decode(&bytes(&input["evidence"]), &())?;
            json!({ "culprit": evidence.verify(&key(input)?, &deal(input)?, |_, _, _| Ok(()))? })
        }
        "sharing.decode" => {
            let point = |point: &Value| {
                let index = ShareIndex::from_member(small::<u16>(&point[0]) - 1)?;
                let value = G::Scalar::from_bytes(&array(&point[1]));
                Ok((index, value.ok_or(Error::NonCanonical { what: "share" })?))
            };
            let points: Vec<_> =
                input["points"].as_array().unwrap().iter().map(point).collect::<Result<_>>()?;
            let decoded = decode_points(small(&input["needed"]), &points)?;
            json!({
                "secret": hex::encode(decoded.secret().to_bytes()),
                "culprits": decoded.culprits.iter().map(|index| index.get()).collect::<Vec<_>>(),
            })
        }
        _ => {
            let plan = match operation {
                "ecdsa.sign" => file::<G>(input)?.deal().plan(),
                "ecdsa.verify" => decode(&bytes(&input["plan"]), &())?,
                _ => deal(input)?.plan(),
            };
            match plan.agreement(small(&input["index"])).ok_or(Error::Exhausted)? {
                Agreement::Agreed => tagged::<G, Agreed>(operation, input, plan)?,
                Agreement::Unagreed => tagged::<G, Unagreed>(operation, input, plan)?,
            }
        }
    })
}

fn tagged<G: Curve, C: TagByIndex>(operation: &str, input: &Value, plan: Plan) -> Result<Value> {
    let message = bytes(&input["message"]);
    let at = |epoch| C::tag(plan, epoch, small(&input["index"]));
    let signing = || {
        let (key, deal) = (key::<G>(input)?, deal(input)?);
        let tag = at(deal.epoch())?;
        let nonce = G::Nonce::try_from(&bytes(&input["nonce"])).ok().expect("a nonce");
        Signing::new(key.into(), deal.into(), nonce, tag, &message)
    };
    Ok(match operation {
        "ecdsa.sign" => {
            let mut file = file::<G>(input)?;
            let tag = at(file.deal().epoch())?;
            let secret = Ed25519::secret_from_bytes(&[1; 32])?;
            let mut guard = Guard::<Ed25519>::new(secret, ChainId([0; 32]));
            let signed = file.take(tag)?.sign(&mut guard, &message)?;
            json!({
                "share": hex::encode(signed.share.encode()),
                "attested": hex::encode(signed.share.attested_bytes()),
                "opening": hex::encode(signed.opener.open()?.encode()),
            })
        }
        "ecdsa.combine" => {
            let signing = signing()?;
            let (needed, mut signed) = (signing.threshold().needed(), 0);
            let (mut combiner, mut cache) = (Combiner::new(signing), lagrange::Cache::default());
            for text in input["shares"].as_array().unwrap() {
                let share = share::<G>(text)?;
                let _ = combiner.add(&mut cache, share.member(), share)?;
                signed += 1;
            }
            let missing = Error::BelowQuorum { signed, needed: needed.into() };
            json!({ "signature": hex::encode(combiner.signature().ok_or(missing)?.to_bytes()) })
        }
        "ecdsa.check" => {
            let (signing, share) = (signing()?, share::<G>(&input["share"])?);
            signing.index(&share)?;
            json!({ "right": signing.check(&share, Some(&opening(input)?))? })
        }
        "ecdsa.verify" => {
            let signature: Signature<G> = decode(&bytes(&input["signature"]), &())?;
            key::<G>(input)?.verify(at(number(&input["epoch"]))?, &message, &signature)?;
            Value::Null
        }
        _ => panic!("no operation {operation}"),
    })
}

fn key<G: Curve>(input: &Value) -> Result<GroupKey<G>> {
    decode(&bytes(&input["key"]), &())
}

fn deal(input: &Value) -> Result<Deal> {
    decode(&bytes(&input["deal"]), &())
}

fn file<G: Curve>(input: &Value) -> Result<Presignatures<G>> {
    Presignatures::from_bytes(&bytes(&input["file"]))
}

fn share<G: Curve>(value: &Value) -> Result<SignatureShare<G>> {
    decode(&bytes(value), &())
}

fn opening<G: Curve>(input: &Value) -> Result<Opening<G>> {
    decode(&bytes(&input["opening"]), &())
}

fn session<S: Scheme>(input: &Value) -> Result<Value> {
    let records = input["records"].as_array().unwrap();
    let records: Vec<GuardRecord> = records.iter().map(|r| decode(&bytes(r), &())).collect::<Result<_>>()?;
    let secret = S::secret_from_bytes(&bytes(&input["secret"]))?;
    let mut guard = Guard::<S>::restore(secret, ChainId(array(&input["chain"])), records)?;
    let mut step = |step: &Value| -> Result<Option<GuardRecord>> {
        let (key, epoch, index) = (array(&step["key"]), number(&step["epoch"]), small(&step["index"]));
        Ok(match step["do"].as_str().unwrap() {
            "spend" => guard.spend(&Spend { key, epoch, index, digest: array(&step["digest"]) })?,
            "close" => Some(guard.close_epoch(&key, epoch)),
            what => {
                let record = guard.reserve(&key, epoch, index)?;
                if what == "reserve-and-confirm" {
                    guard.confirm(&record)?;
                }
                Some(record)
            }
        })
    };
    let outcome = |outcome: Result<Option<GuardRecord>>| match outcome {
        Ok(record) => json!(record.map(|record| hex::encode(record.encode()))),
        Err(error) => json!(error.code()),
    };
    let steps = input["steps"].as_array().unwrap();
    let outcomes: Vec<Value> = steps.iter().map(|s| outcome(step(s))).collect();
    let records: Vec<String> = guard.records().map(|record| hex::encode(record.encode())).collect();
    Ok(json!({ "outcomes": outcomes, "records": records }))
}

fn shared<V: bls::BlsScheme>(operation: &str, input: &Value) -> Result<Value> {
    let file = || bls::KeyShare::<V>::from_bytes(&bytes(&input["file"]));
    let message = || bytes(&input["message"]);
    Ok(match operation {
        "shared_bls.file" => {
            let share = file()?;
            assert_eq!(share.to_bytes()[..], bytes(&input["file"]));
            let key = share.key();
            json!({
                "id": hex::encode(key.id()),
                "member": share.member(),
                "needed": key.threshold().needed(),
            })
        }
        "shared_bls.sign" => json!({ "share": hex::encode(file()?.sign(&message()).encode()) }),
        "shared_bls.combine" => {
            let key: bls::GroupKey<V> = decode(&bytes(&input["key"]), &())?;
            let needed = key.threshold().needed();
            let mut combiner = Combiner::new(bls::Signing::new(key.into(), &message()));
            let (mut cache, mut signed) = (lagrange::Cache::default(), 0);
            for text in input["shares"].as_array().unwrap() {
                let share: bls::SignatureShare<V> = decode(&bytes(text), &())?;
                let _ = combiner.add(&mut cache, share.member(), share)?;
                signed += 1;
            }
            let missing = Error::BelowQuorum { signed, needed: needed.into() };
            let signature = combiner.signature().ok_or(missing)?;
            json!({
                "signature": hex::encode(signature.encode()),
                "beacon": hex::encode(bls::beacon(signature)),
            })
        }
        "shared_bls.evidence" => {
            let evidence: bls::ShareFault<V> = decode(&bytes(&input["evidence"]), &())?;
            let key = decode(&bytes(&input["key"]), &())?;
            json!({ "culprit": evidence.verify(&key, |_, _, _| Ok(()))? })
        }
        _ => panic!("no operation {operation}"),
    })
}
