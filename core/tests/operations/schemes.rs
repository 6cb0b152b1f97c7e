//! Vector operations of signature schemes: keys, signatures, proofs of possession.

use quorate::Result;
use quorate::bls::{self, PublicKey, Signature, Variant};
use quorate::scheme::{Claim, Keys, Scheme, SignerSet, UnverifiedKey, VerifiedKey};
use quorate::wire::Encode;
use serde_json::{Value, json};

use super::fields::{bytes, decode, whole, written};

pub(crate) fn run<S: Scheme>(operation: &str, input: &Value) -> Result<Value> {
    let key = || decode::<(), S::PublicKey>(&bytes(&input["public_key"]), &());
    let signature = |field: &str| decode::<(), S::Signature>(&bytes(&input[field]), &());
    let secret = || S::secret_from_bytes(&bytes(&input["secret"]));
    Ok(match operation {
        "secret_key.decode" => {
            let secret = secret()?;
            assert_eq!(S::secret_to_bytes(&secret).to_vec(), bytes(&input["secret"]));
            json!({ "public_key": hex::encode(S::public_key(&secret).encode()) })
        }
        "public_key.decode" => json!({ "public_key": hex::encode(key()?.encode()) }),
        "signature.decode" => {
            let signature = signature("signature")?;
            json!({ "link": written(|w| S::encode_link(&signature, w)) })
        }
        "signature.decode_link" => {
            let data = bytes(&input["link"]);
            let signature = whole(&data, |r| S::decode_link(r))?;
            assert_eq!(written(|w| S::encode_link(&signature, w)), hex::encode(&data));
            json!({ "signature": hex::encode(signature.encode()) })
        }
        "sign" => {
            json!({ "signature": hex::encode(S::sign(&secret()?, &bytes(&input["message"])).encode()) })
        }
        "verify" => {
            verify::<S>(key()?, &bytes(&input["message"]), signature("signature")?)?;
            Value::Null
        }
        "possession.prove" => json!({ "possession": hex::encode(S::prove_possession(&secret()?).encode()) }),
        "possession.verify" => {
            verified_key::<S>(input)?;
            Value::Null
        }
        _ => panic!("no operation {operation}"),
    })
}

/// Returns the verdict on a signature alone and checks that a batch with a good signature has the same verdict.
fn verify<S: Scheme>(key: S::PublicKey, message: &[u8], signature: S::Signature) -> Result<()> {
    let verdict = S::verify(&key, message, &signature);
    let good = S::secret_from_bytes(&[7; 32])?;
    let good_signature = S::sign(&good, b"good");
    let keys = [S::public_key(&good), key];
    let [first, second] = [0, 1].map(|member| {
        let mut set = SignerSet::new(2);
        set.insert(member);
        set
    });
    let claims = [Claim { message: b"good", signers: &first }, Claim { message, signers: &second }];
    let proof = S::combine(&[(0, &good_signature), (1, &signature)]);
    let together = S::verify_claims(Keys::new(&keys, &S::cache(&keys)?), &claims, &proof);
    assert_eq!(together, verdict, "the batch has another verdict");
    verdict
}

/// Decodes a key with its proof of possession as one encoding and verifies it.
pub(crate) fn verified_key<S: Scheme>(input: &Value) -> Result<VerifiedKey<S>> {
    let data = [bytes(&input["public_key"]), bytes(&input["possession"])].concat();
    decode::<(), UnverifiedKey<S>>(&data, &())?.verify()
}

pub(crate) fn run_bls<V>(operation: &str, input: &Value) -> Result<Value>
where
    V: Variant + Scheme<PublicKey = PublicKey<V>, Signature = Signature<V>>,
{
    let keys = || -> Result<Vec<VerifiedKey<V>>> {
        input["keys"].as_array().unwrap().iter().map(verified_key).collect()
    };
    let signature = || decode::<(), Signature<V>>(&bytes(&input["signature"]), &());
    match operation {
        "bls.aggregate" => {
            let listed = input["signatures"].as_array().unwrap();
            let signatures: Vec<Signature<V>> =
                listed.iter().map(|s| decode(&bytes(s), &())).collect::<Result<_>>()?;
            Ok(json!({ "signature": hex::encode(bls::aggregate(&signatures)?.encode()) }))
        }
        "bls.fast_aggregate_verify" => {
            bls::fast_aggregate_verify(&keys()?, &bytes(&input["message"]), &signature()?)?;
            Ok(Value::Null)
        }
        "bls.aggregate_verify" => {
            let messages: Vec<Vec<u8>> =
                input["keys"].as_array().unwrap().iter().map(|key| bytes(&key["message"])).collect();
            let keys = keys()?;
            let signed: Vec<_> = keys.iter().zip(messages.iter().map(Vec::as_slice)).collect();
            bls::aggregate_verify(&signed, &signature()?)?;
            Ok(Value::Null)
        }
        _ => panic!("no operation {operation}"),
    }
}
