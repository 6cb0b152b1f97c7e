//! Vector operations of DSig.

use quorate::dsig::{
    Announcement, Auditor, DsigSuite, Reuse, Signature, Signer, SignerConfig, Verifier, VerifierConfig,
    verify_all,
};
use quorate::dsig::{
    Entry, HorsFBlake3, HorsFHaraka256, HorsFSha256, HorsMBlake3, HorsMHaraka256, HorsMSha256, WotsBlake3,
    WotsBlake3Wide, WotsHaraka256, WotsHaraka512, WotsSha256,
};
use quorate::ed25519::{Ed25519, PublicKey};
use quorate::machine::Time;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};
use serde_json::{Value, json};

use super::fields::{bytes, decode, number, small};
use super::given::Given;

pub(crate) fn run(operation: &str, input: &Value) -> Result<Value> {
    match small::<u8>(&input["suite"]) {
        1 => run_with::<WotsHaraka512>(operation, input),
        2 => run_with::<WotsHaraka256>(operation, input),
        3 => run_with::<WotsBlake3>(operation, input),
        4 => run_with::<WotsBlake3Wide>(operation, input),
        5 => run_with::<HorsFBlake3>(operation, input),
        6 => run_with::<HorsMBlake3>(operation, input),
        7 => run_with::<HorsFHaraka256>(operation, input),
        8 => run_with::<HorsMHaraka256>(operation, input),
        9 => run_with::<WotsSha256>(operation, input),
        10 => run_with::<HorsFSha256>(operation, input),
        11 => run_with::<HorsMSha256>(operation, input),
        suite => panic!("no suite {suite} of DSig"),
    }
}

fn run_with<S: DsigSuite>(operation: &str, input: &Value) -> Result<Value> {
    assert_eq!(u64::from(S::NUMBER), input["suite"].as_u64().unwrap());
    let key = || PublicKey::decode(&bytes(&input["public_key"]), &());
    let fields = |s: &Signature<S>| json!({ "index": s.index(), "root": hex::encode(s.root()) });
    Ok(match operation {
        "dsig.decode" => fields(&decode(&bytes(&input["signature"]), &())?),
        "dsig.verify" => {
            let (key, signature) = (key()?, decode(&bytes(&input["signature"]), &())?);
            verify(&key, &bytes(&input["message"]), &signature)?;
            fields(&signature)
        }
        "dsig.announcement" => {
            let (key, announcement): (_, Announcement<S>) =
                (key()?, decode(&bytes(&input["announcement"]), &())?);
            json!({ "root": hex::encode(announcement.verify(&key)?), "keys": announcement.keys() })
        }
        "dsig.sign" => sign::<S>(input),
        "dsig.reuse" => {
            let reuse: Reuse<S> = decode(&bytes(&input["evidence"]), &())?;
            reuse.verify()?;
            json!({ "culprit": hex::encode(reuse.culprit().as_bytes()) })
        }
        "dsig.session" => session::<S>(input)?,
        _ => panic!("no operation {operation}"),
    })
}

/// Returns the verdict of a verifier without announcements, which every verifier must share.
fn verify<S: DsigSuite>(key: &PublicKey, message: &[u8], signature: &Signature<S>) -> Result<()> {
    let verdict = signature.verify(key, message);
    let mut verifier = Verifier::new(VerifierConfig::default());
    verifier.admit(key.clone());
    assert_eq!(verifier.verify(key, message, signature), verdict);
    assert_eq!(verifier.verify(key, message, signature), verdict, "again, when its root may be known");
    assert_eq!(verifier.can_verify_fast(key, signature), verdict.is_ok());
    assert_eq!(verify_all(&[Entry { signer: key, message, signature }]), std::slice::from_ref(&verdict));
    verdict
}

fn sign<S: DsigSuite>(input: &Value) -> Value {
    let mut rng = Given([bytes(&input["seed"]), bytes(&input["fresh"])].concat());
    let (secret, now) =
        (Ed25519::secret_from_bytes(&bytes(&input["secret"])).unwrap(), Time(number(&input["time"])));
    let config = SignerConfig { log2_batch: small(&input["log2"]), low_water: 1, ..SignerConfig::default() };
    let mut signer = Signer::<S>::new(secret, vec![], config, &mut rng).unwrap();
    let announced = signer.prepare(&mut rng, now).unwrap().unwrap();
    let messages = input["messages"].as_array().unwrap().iter();
    let signatures: Vec<_> = messages
        .map(|message| hex::encode(signer.sign(&bytes(message), &[], now).unwrap().encode()))
        .collect();
    json!({ "announcement": hex::encode(announced.announcement.encode()), "signatures": signatures })
}

fn session<S: DsigSuite>(input: &Value) -> Result<Value> {
    let signers: Vec<_> = input["signers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|signer| PublicKey::decode(&bytes(signer), &()))
        .collect::<Result<_>>()?;
    let mut verifier = Verifier::<S>::new(VerifierConfig {
        announced: small(&input["announced"]),
        checked: small(&input["checked"]),
        burst: small(&input["burst"]),
        interval: std::time::Duration::from_micros(small(&input["interval"])),
    });
    signers.iter().take(small(&input["admitted"])).for_each(|signer| verifier.admit(signer.clone()));
    // This auditor forgets nothing, so it agrees with a verifier that forgets nothing.
    let (mut auditor, forgets) = (Auditor::<S>::new(100), small::<usize>(&input["announced"]) < 8);
    let mut outcomes = Vec::new();
    for step in input["steps"].as_array().unwrap() {
        let place = |list: &str, field: &str| &input[list][small::<usize>(&step[field])];
        let (signer, data) = (&signers[small::<usize>(&step["signer"])], bytes(place("bytes", "bytes")));
        let outcome = match step["do"].as_str().unwrap() {
            "announce" => verifier.announce(signer, &data, Time(number(&step["time"]))),
            "fast" => {
                let fast = verifier.can_verify_fast(signer, &decode(&data, &())?);
                outcomes.push(if fast { "yes" } else { "no" });
                continue;
            }
            _ => {
                let (message, signature) = (bytes(place("messages", "message")), decode(&data, &())?);
                let outcome = verifier.verify(signer, &message, &signature);
                if !forgets && outcome != Err(Error::WrongContext { what: "signer" }) {
                    assert_eq!(auditor.check(signer, &message, &signature), outcome);
                }
                outcome
            }
        };
        outcomes.push(outcome.map_or_else(|error| error.code(), |()| "ok"));
    }
    Ok(json!({ "outcomes": outcomes }))
}
