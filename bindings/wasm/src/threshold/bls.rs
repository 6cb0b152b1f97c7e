//! Threshold BLS: signatures of shared keys.

use getrandom::SysRng;
use quorate::any::threshold::Outcome;
use quorate::any::threshold::bls as any;
use quorate::machine::MemberIndex;
use wasm_bindgen::prelude::wasm_bindgen;
use zeroize::Zeroizing;

use super::{
    CombinerCache, EvidenceVerdict, ThresholdHandle, ToleranceHandle, accuse, counted, parse_agreement,
};
use crate::glue::{JsResult, OrThrow, Uint8Array, byte_array, decode, suite};
use crate::keys::{PublicKey, Signature};

#[wasm_bindgen]
pub fn shared_bls_deal(
    name: &str,
    committee: &[u8],
    tolerance: &ToleranceHandle,
    agreement: &str,
) -> JsResult<Vec<SharedKeyShare>> {
    let (suite, agreement) = (suite(name)?, parse_agreement(agreement)?);
    let shares = any::deal(suite, decode(committee)?, tolerance.0, agreement, &mut SysRng).or_throw()?;
    Ok(shares.into_iter().map(SharedKeyShare).collect())
}

#[wasm_bindgen]
pub fn shared_bls_beacon(signature: &Signature) -> JsResult<Vec<u8>> {
    any::beacon(&signature.0).or_throw().map(Vec::from)
}

#[wasm_bindgen]
pub struct SharedKey(any::GroupKey);

#[wasm_bindgen]
impl SharedKey {
    pub fn decode(name: &str, bytes: &[u8]) -> JsResult<Self> {
        any::GroupKey::decode(suite(name)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn id(&self) -> Vec<u8> {
        self.0.id().to_vec()
    }

    pub fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }

    pub fn tolerance(&self) -> ToleranceHandle {
        ToleranceHandle(self.0.tolerance())
    }

    pub fn threshold(&self) -> ThresholdHandle {
        ThresholdHandle(self.0.threshold())
    }

    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.public())
    }

    pub fn party(&self, member: MemberIndex) -> Option<PublicKey> {
        self.0.party(member).map(PublicKey)
    }
}

#[wasm_bindgen]
pub struct SharedKeyShare(any::KeyShare);

#[wasm_bindgen]
impl SharedKeyShare {
    /// Owned, because a value borrowed from JavaScript is a copy in this memory that is never wiped.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> JsResult<Self> {
        let bytes = Zeroizing::new(bytes);
        any::KeyShare::from_bytes(suite(name)?, &bytes).or_throw().map(Self)
    }

    pub fn to_bytes(&self) -> Uint8Array {
        byte_array(self.0.to_bytes().as_slice())
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn member(&self) -> MemberIndex {
        self.0.member()
    }

    pub fn key(&self) -> SharedKey {
        SharedKey(self.0.key())
    }

    pub fn sign(&self, message: &[u8]) -> SharedSignatureShare {
        SharedSignatureShare(self.0.sign(message))
    }
}

#[wasm_bindgen]
pub struct SharedSignatureShare(any::SignatureShare);

#[wasm_bindgen]
impl SharedSignatureShare {
    pub fn decode(name: &str, bytes: &[u8]) -> JsResult<Self> {
        any::SignatureShare::decode(suite(name)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn member(&self) -> MemberIndex {
        self.0.member()
    }

    pub fn digest(&self) -> Vec<u8> {
        self.0.digest().to_vec()
    }

    pub fn attested_bytes(&self) -> Vec<u8> {
        self.0.attested_bytes()
    }

    pub fn attestation(&self) -> Vec<u8> {
        self.0.attestation().to_vec()
    }

    pub fn attest(&self, attestation: Vec<u8>) -> JsResult<SharedSignatureShare> {
        let mut share = self.0.clone();
        share.attest(attestation).or_throw()?;
        Ok(Self(share))
    }
}

#[wasm_bindgen]
pub struct SharedCombiner {
    combiner: any::Combiner,
    cache: CombinerCache,
}

#[wasm_bindgen]
impl SharedCombiner {
    pub fn new(key: &SharedKey, message: &[u8], cache: Option<CombinerCache>) -> Self {
        let combiner = any::Combiner::new(any::Signing::new(&key.0, message));
        Self { combiner, cache: cache.unwrap_or_default() }
    }

    pub fn add(&mut self, from: MemberIndex, share: &SharedSignatureShare) -> JsResult<SharedOutcome> {
        let combiner = &mut self.combiner;
        let outcome = self.cache.with(|cache| combiner.add(cache, from, share.0.clone()));
        outcome.or_throw().map(SharedOutcome)
    }

    pub fn signature(&self) -> Option<Signature> {
        self.combiner.signature().map(Signature)
    }

    pub fn counts(&self) -> Vec<u32> {
        counted(self.combiner.counts())
    }
}

/// Result of adding a share.
#[wasm_bindgen]
pub struct SharedOutcome(Outcome<quorate::any::Signature, any::ShareFault>);

#[wasm_bindgen]
impl SharedOutcome {
    pub fn signature(&self) -> Option<Signature> {
        self.0.signature.clone().map(Signature)
    }

    pub fn culprits(&self) -> Vec<MemberIndex> {
        self.0.faults.iter().map(|fault| fault.culprit).collect()
    }

    /// In the order of the culprits.
    pub fn evidence(self) -> Vec<SharedFault> {
        self.0.faults.into_iter().map(|fault| SharedFault(fault.evidence)).collect()
    }
}

#[wasm_bindgen]
pub struct SharedFault(any::ShareFault);

#[wasm_bindgen]
impl SharedFault {
    pub fn decode(name: &str, bytes: &[u8]) -> JsResult<Self> {
        any::ShareFault::decode(suite(name)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn share(&self) -> SharedSignatureShare {
        SharedSignatureShare(self.0.share())
    }

    pub fn verify(&self, key: &SharedKey) -> JsResult<EvidenceVerdict> {
        accuse(|attested| self.0.verify(&key.0, attested))
    }
}
