//! Vector operations of threshold encryption and the coin. Batch verification must agree with collectors and single
//! verifications.

use std::sync::Arc;

use quorate::threshold::coin::{Coin, CoinCombiner, CoinName, CommonCoin};
use quorate::threshold::dleq::{
    Checked, Instance, KeyShare, PublicKeys, Purpose, Share, ShareFault, WrongShare,
};
use quorate::threshold::lagrange;
use quorate::threshold::tdh2::{Ciphertext, Decryption, EncryptionKey, Tdh2, ValidCiphertext};
use quorate::wire::Encode;
use quorate::{Error, Result};
use serde_json::{Value, json};

use super::fields::{bytes, decode, number, small};
use super::given::Given;

pub(crate) fn run(operation: &str, input: &Value) -> Result<Value> {
    match operation.split_once('.').unwrap() {
        ("tdh2", operation) => tdh2(operation, input),
        (_, operation) => coin(operation, input),
    }
}

/// Operations that both protocols have. `instance` is part of the case.
fn common<P: Purpose>(
    operation: &str,
    input: &Value,
    instance: impl FnOnce(&PublicKeys<P>) -> Result<Instance<P>>,
    share: impl FnOnce(&KeyShare<P>, &PublicKeys<P>) -> Result<Share<P>>,
) -> Result<Value> {
    Ok(match operation {
        "keys" => {
            let keys = keys::<P>(input)?;
            let threshold = keys.threshold();
            json!({
                "committee": hex::encode(keys.committee().0),
                "key": hex::encode(keys.key().as_bytes()),
                "needed": threshold.needed(),
                "parties": threshold.parties(),
            })
        }
        "key_share" => {
            let share = key_share::<P>(input)?;
            share.check(&keys(input)?)?;
            json!({
                "member": share.member(),
                "verification_key": hex::encode(share.verification_key().as_bytes()),
            })
        }
        "share" => {
            let keys = keys(input)?;
            json!({ "share": hex::encode(share(&key_share(input)?, &keys)?.encode()) })
        }
        "verify_shares" => {
            let keys = keys(input)?;
            let instance = instance(&keys)?;
            let checked = verify(&keys, &instance, &shares(input)?)?;
            json!({
                "verified": checked.verified.iter().map(|share| share.member()).collect::<Vec<_>>(),
                "faults": checked.faults.iter().map(fault).collect::<Vec<_>>(),
            })
        }
        "wrong_share" => {
            // An error of the keys takes precedence only if the evidence decodes.
            let keys = keys::<P>(input)?;
            let evidence: WrongShare<P> = decode(&bytes(&input["evidence"]), &())?;
            json!({ "culprit": evidence.verify(&keys)? })
        }
        _ => panic!("no operation {operation}"),
    })
}

fn tdh2(operation: &str, input: &Value) -> Result<Value> {
    Ok(match operation {
        "encryption_key" => {
            let key: EncryptionKey = decode(&bytes(&input["encryption_key"]), &())?;
            json!({ "committee": hex::encode(key.committee().0), "key": hex::encode(key.key().as_bytes()) })
        }
        "encrypt" => {
            let keys = keys::<Tdh2>(input)?;
            let (epoch, proposer) = (number(&input["epoch"]), small(&input["proposer"]));
            let plaintext = bytes(&input["plaintext"]);
            let encrypt = |key: EncryptionKey| {
                let mut rng = Given(bytes(&input["random"]));
                key.encrypt(epoch, proposer, &plaintext, &mut rng)
            };
            let ciphertext = encrypt(EncryptionKey::from_public_keys(&keys))?;
            assert_eq!(encrypt(EncryptionKey::from_public_keys(&keys).precomputed())?, ciphertext);
            json!({ "ciphertext": hex::encode(ciphertext.encode()) })
        }
        "check" => {
            let keys = keys::<Tdh2>(input)?;
            let valid = valid(input, &keys);
            let key = EncryptionKey::from_public_keys(&keys).precomputed();
            assert_eq!(valid_for(input, &key), valid, "precomputed tables change the verdict");
            json!({ "id": hex::encode(valid?.instance().id()) })
        }
        "decrypt" => {
            let keys = keys(input)?;
            let ciphertext = valid(input, &keys)?;
            let checked = verify(&keys, ciphertext.instance(), &shares(input)?)?;
            let plaintext = ciphertext.combine(&keys, &checked.verified, &mut lagrange::Cache::default())?;
            json!({ "plaintext": hex::encode(plaintext) })
        }
        "session" => {
            let keys = keys(input)?;
            let ciphertext = valid(input, &keys)?;
            let mut decryption = Decryption::new(Arc::new(keys), ciphertext)?;
            let mut cache = lagrange::Cache::default();
            collect(shares(input)?, |share| {
                let got = decryption.add(share, &mut cache)?;
                Ok((got.output.map(|output| output.map(hex::encode)), got.faults))
            })
        }
        _ => {
            let share = |key: &KeyShare<Tdh2>, keys: &PublicKeys<Tdh2>| {
                let ciphertext = valid(input, keys)?;
                key.decryption_share(&ciphertext, &mut Given(bytes(&input["random"])))
            };
            common(operation, input, |keys| Ok(valid(input, keys)?.instance().clone()), share)?
        }
    })
}

fn coin(operation: &str, input: &Value) -> Result<Value> {
    let named = |keys: &PublicKeys<CommonCoin>| Coin::from_name(keys, name(&input["name"]));
    Ok(match operation {
        "toss" => {
            let coin = named(&keys(input)?)?;
            let base = hex::encode(coin.instance().base().as_bytes());
            json!({ "base": base, "id": hex::encode(coin.instance().id()) })
        }
        "value" => {
            let keys = keys(input)?;
            let coin = named(&keys)?;
            let checked = verify(&keys, coin.instance(), &shares(input)?)?;
            let value = coin.combine(&keys, &checked.verified, &mut lagrange::Cache::default())?;
            let below = |n: &Value| value.below(small(n)).unwrap();
            json!({
                "value": hex::encode(value.0),
                "bit": u8::from(value.bit()),
                "below": input["below"].as_array().unwrap().iter().map(below).collect::<Vec<_>>(),
            })
        }
        "session" => {
            let keys = keys(input)?;
            let coin = named(&keys)?;
            let mut toss = CoinCombiner::new(Arc::new(keys), coin)?;
            let mut cache = lagrange::Cache::default();
            collect(shares(input)?, |share| {
                let got = toss.add(share, &mut cache)?;
                Ok((got.output.map(|value| Ok(hex::encode(value.0))), got.faults))
            })
        }
        _ => {
            let share = |key: &KeyShare<CommonCoin>, keys: &PublicKeys<CommonCoin>| {
                key.coin_share(&named(keys)?, &mut Given(bytes(&input["random"])))
            };
            common(operation, input, |keys| Ok(named(keys)?.instance().clone()), share)?
        }
    })
}

fn keys<P: Purpose>(input: &Value) -> Result<PublicKeys<P>> {
    decode(&bytes(&input["keys"]), &())
}

fn key_share<P: Purpose>(input: &Value) -> Result<KeyShare<P>> {
    let data = bytes(&input["key_share"]);
    let share = KeyShare::from_bytes(&data)?;
    assert_eq!(share.to_bytes().to_vec(), data);
    Ok(share)
}

fn shares<P: Purpose>(input: &Value) -> Result<Vec<Share<P>>> {
    input["shares"].as_array().unwrap().iter().map(|share| decode(&bytes(share), &())).collect()
}

fn valid(input: &Value, keys: &PublicKeys<Tdh2>) -> Result<ValidCiphertext> {
    valid_for(input, &EncryptionKey::from_public_keys(keys))
}

fn valid_for(input: &Value, key: &EncryptionKey) -> Result<ValidCiphertext> {
    let ciphertext: Ciphertext = decode(&bytes(&input["ciphertext"]), &())?;
    ciphertext.check(key, number(&input["epoch"]), small(&input["proposer"]))
}

fn name(value: &Value) -> CoinName {
    CoinName {
        protocol: small(&value["protocol"]),
        epoch: number(&value["epoch"]),
        instance: number(&value["instance"]),
        round: number(&value["round"]),
    }
}

/// Verifies shares together and checks that single verifications and precomputed tables agree.
fn verify<P: Purpose>(
    keys: &PublicKeys<P>,
    instance: &Instance<P>,
    shares: &[Share<P>],
) -> Result<Checked<P>> {
    let checked = keys.verify_shares(instance, shares)?;
    let tables: PublicKeys<P> = decode(&keys.encode(), &())?;
    assert_eq!(
        tables.precomputed().verify_shares(instance, shares)?,
        checked,
        "precomputed tables change the verdict"
    );
    let mut verified = checked.verified.iter();
    for share in shares {
        match keys.verify_share(instance, share) {
            Ok(alone) => assert_eq!(Some(&alone), verified.next()),
            Err(error) => assert_eq!(error, Error::BadShare { members: vec![share.member()] }),
        }
    }
    assert_eq!(verified.next(), None);
    Ok(checked)
}

fn fault<P: Purpose>(fault: &ShareFault<P>) -> Value {
    let evidence = match fault {
        ShareFault::Proven(evidence) => Some(hex::encode(evidence.encode())),
        ShareFault::Forged { .. } => None,
    };
    json!({ "member": fault.member(), "evidence": evidence })
}

type Outcome<P> = (Option<Result<String>>, Vec<ShareFault<P>>);

fn collect<P: Purpose>(shares: Vec<Share<P>>, mut add: impl FnMut(Share<P>) -> Result<Outcome<P>>) -> Value {
    let outcomes = shares.into_iter().map(|share| {
        let (output, faults) = add(share).unwrap_or_else(|error| (Some(Err(error)), vec![]));
        let output = output.map(|output| output.unwrap_or_else(|error| error.code().to_owned()));
        json!({ "output": output, "faults": faults.iter().map(ShareFault::member).collect::<Vec<_>>() })
    });
    json!({ "outcomes": outcomes.collect::<Vec<_>>() })
}
