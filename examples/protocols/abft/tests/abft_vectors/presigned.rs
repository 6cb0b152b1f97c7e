//! The scheme `presigned` in the vectors: the presignatures of member 0, what it signs with them, and its records.

use std::sync::{Arc, OnceLock};

use quorate::Result;
use quorate::bls::MinSig;
use quorate::committee::ChainId;
use quorate::ed25519::{self, Ed25519};
use quorate::guard::{Guard, GuardRecord};
use quorate::scheme::Scheme;
use quorate::threshold::ecdsa::{GroupKey, Presignatures};
use quorate::threshold::seal::SealingKey;
use quorate::threshold::{Agreement, bls};
use quorate::wire::Encode;
use quorate_abft::signatures::{
    PresignatureGroup, PresignatureSource, Presigned, PresignedKey, PresignedKeyShare, Presigner,
    ThresholdScheme,
};
use serde_json::{Value, json};

use crate::vectors::{array, bytes, decode, number};
use crate::world::{FileScheme, name_of, small};

impl FileScheme for Presigned {
    /// With the presignatures of member 0, without which ECDSA shares are ignored.
    fn public_keys(setup: &Value, kind: Agreement) -> Arc<PresignedKey> {
        static PRESIGNER: OnceLock<Arc<Presigner>> = OnceLock::new();
        let presigner = PRESIGNER.get_or_init(|| presigner(setup, &[], true));
        let share = PresignedKeyShare::new(bls_share(setup, 0, kind), Some(presigner.clone())).unwrap();
        Presigned::open_epoch(&share, number(&setup["presigned_epoch"]), false);
        Presigned::group_key(&share)
    }

    fn key_share(_: &Arc<PresignedKey>, setup: &Value, member: usize, kind: Agreement) -> PresignedKeyShare {
        PresignedKeyShare::new(bls_share(setup, member, kind), None).unwrap()
    }
}

/// Opens the sealed file of the setup, or a beginning of it, with one changed byte if `flip` is its place.
pub(crate) fn open_file(setup: &Value, input: &Value) -> Result<Value> {
    let mut sealed = bytes(&setup["presignatures"]);
    if let Some(place) = input["flip"].as_u64() {
        sealed[place as usize] ^= 1;
    }
    sealed.truncate(small(&input["length"]));
    let content = unseal(setup, &sealed, number(&input["epoch"]), small(&input["member"]))?;
    let file = Presignatures::<PresignatureGroup>::from_bytes(&content)?;
    assert_eq!(*file.to_bytes()?, content);
    let deal = hex::encode(file.deal().encode());
    Ok(json!({ "member": file.member(), "deal": deal, "presignatures": file.left() }))
}

/// What member 0 signs, and the records that its journal keeps.
pub(crate) fn presign(setup: &Value, input: &Value) -> Value {
    let listed = input["records"].as_array().unwrap().iter();
    let mut records: Vec<GuardRecord> = listed.map(|record| decode(&bytes(record), &()).unwrap()).collect();
    let presigner = presigner(setup, &records, input["has_file"] == true);
    let share = |kind| PresignedKeyShare::new(bls_share(setup, 0, kind), Some(presigner.clone())).unwrap();
    let (agreed, unagreed) = (share(Agreement::Agreed), share(Agreement::Unagreed));
    let mut outcomes = Vec::new();
    for step in input["steps"].as_array().unwrap() {
        outcomes.push(match step["do"].as_str().unwrap() {
            "open" => {
                // The vectors do not say whether an earlier process opened it: its records do.
                json!({ "opened": Presigned::open_epoch(&agreed, number(&step["epoch"]), false) })
            }
            "sign" => {
                let share = if step["key"] == name_of(Agreement::Agreed) { &agreed } else { &unagreed };
                let shares = Presigned::shares(share, &bytes(&step["statement"]));
                let shares: Vec<_> = shares.iter().map(|share| hex::encode(share.encode())).collect();
                json!({ "shares": shares })
            }
            "fall_back" => {
                Presigned::fall_back(&agreed, number(&step["epoch"]));
                json!({})
            }
            _ => {
                Presigned::close_epochs(&agreed, number(&step["epoch"]));
                json!({})
            }
        });
    }
    records.extend(Presigned::take_records(&agreed));
    let mut kept: Vec<_> =
        guard(setup, &records).records().map(|record| hex::encode(record.encode())).collect();
    kept.sort();
    json!({ "outcomes": outcomes, "records": kept })
}

fn bls_share(setup: &Value, member: usize, kind: Agreement) -> bls::KeyShare<MinSig> {
    bls::KeyShare::from_bytes(&bytes(&setup["secrets"][member][name_of(kind)])).unwrap()
}

fn ecdsa_key(setup: &Value) -> GroupKey<PresignatureGroup> {
    decode(&bytes(&setup["ecdsa"]), &()).unwrap()
}

/// The context is id of the ECDSA key 32 ‖ epoch u64 ‖ member u16.
fn unseal(setup: &Value, sealed: &[u8], epoch: u64, member: u16) -> Result<Vec<u8>> {
    let context = [&ecdsa_key(setup).id().0[..], &epoch.to_le_bytes(), &member.to_le_bytes()].concat();
    let key = SealingKey::from_bytes(&array(&setup["secrets"][0]["sealing"])).unwrap();
    Ok(key.open(&context, sealed)?.to_vec())
}

fn guard(setup: &Value, records: &[GuardRecord]) -> Guard<Ed25519> {
    let identity: ed25519::SecretKey =
        Ed25519::secret_from_bytes(&bytes(&setup["secrets"][0]["identity"])).unwrap();
    Guard::restore(identity, ChainId(array(&setup["chain"])), records.to_vec()).unwrap()
}

fn presigner(setup: &Value, records: &[GuardRecord], has_file: bool) -> Arc<Presigner> {
    let epoch = number(&setup["presigned_epoch"]);
    let content = has_file.then(|| unseal(setup, &bytes(&setup["presignatures"]), epoch, 0).unwrap());
    let source = Box::new(OneEpoch { epoch, content });
    Presigner::new(Arc::new(ecdsa_key(setup)), 0, guard(setup, records), source)
}

/// The presignatures of one epoch, in memory.
struct OneEpoch {
    epoch: u64,
    content: Option<Vec<u8>>,
}

impl PresignatureSource for OneEpoch {
    fn open(&mut self, epoch: u64) -> Option<Presignatures<PresignatureGroup>> {
        let content = self.content.as_ref().filter(|_| epoch == self.epoch)?;
        Some(Presignatures::from_bytes(content).unwrap())
    }

    fn destroy(&mut self, up_to: u64) {
        if up_to >= self.epoch {
            self.content = None;
        }
    }

    fn left(&self) -> u64 {
        self.content.is_some().into()
    }
}
