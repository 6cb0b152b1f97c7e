//! Threshold ECDSA: combining shares to a signature.

use quorate::any::threshold::{Outcome, ecdsa as any};
use quorate::machine::MemberIndex;
use wasm_bindgen::prelude::wasm_bindgen;

use super::deal::{EcdsaDeal, EcdsaKey, EcdsaSignature, EcdsaTag, parse_group};
use super::{CombinerCache, EvidenceVerdict, accuse, counted};
use crate::glue::{JsResult, OrThrow};

#[wasm_bindgen]
pub struct EcdsaShare(pub(crate) any::SignatureShare);

#[wasm_bindgen]
impl EcdsaShare {
    pub fn decode(group: &str, bytes: &[u8]) -> JsResult<Self> {
        any::SignatureShare::decode(parse_group(group)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn group(&self) -> String {
        self.0.group().to_string()
    }

    pub fn member(&self) -> MemberIndex {
        self.0.member()
    }

    pub fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    pub fn index(&self) -> u32 {
        self.0.index()
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

    pub fn attest(&self, attestation: Vec<u8>) -> JsResult<EcdsaShare> {
        let mut share = self.0.clone();
        share.attest(attestation).or_throw()?;
        Ok(Self(share))
    }
}

#[wasm_bindgen]
pub struct EcdsaOpening(pub(crate) any::Opening);

#[wasm_bindgen]
impl EcdsaOpening {
    pub fn decode(group: &str, bytes: &[u8]) -> JsResult<Self> {
        any::Opening::decode(parse_group(group)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn group(&self) -> String {
        self.0.group().to_string()
    }

    pub fn member(&self) -> MemberIndex {
        self.0.member()
    }

    pub fn index(&self) -> u32 {
        self.0.index()
    }
}

#[wasm_bindgen]
pub struct EcdsaSigning(pub(crate) any::Signing);

#[wasm_bindgen]
impl EcdsaSigning {
    pub fn new(
        key: &EcdsaKey,
        deal: &EcdsaDeal,
        nonce: &[u8],
        tag: &EcdsaTag,
        message: &[u8],
    ) -> JsResult<Self> {
        any::Signing::new(&key.0, deal.0.clone(), nonce, tag.0, message).or_throw().map(Self)
    }

    pub fn group(&self) -> String {
        self.0.group().to_string()
    }

    pub fn message(&self) -> Vec<u8> {
        self.0.message().to_vec()
    }

    pub fn nonce(&self) -> Vec<u8> {
        self.0.nonce().to_vec()
    }

    pub fn tag(&self) -> EcdsaTag {
        EcdsaTag(self.0.tag())
    }
}

#[wasm_bindgen]
pub struct EcdsaCombiner {
    combiner: any::Combiner,
    cache: CombinerCache,
}

#[wasm_bindgen]
impl EcdsaCombiner {
    pub fn new(signing: &EcdsaSigning, cache: Option<CombinerCache>) -> Self {
        Self { combiner: any::Combiner::new(signing.0.clone()), cache: cache.unwrap_or_default() }
    }

    pub fn add(&mut self, from: MemberIndex, share: &EcdsaShare) -> JsResult<EcdsaOutcome> {
        let combiner = &mut self.combiner;
        let outcome = self.cache.with(|cache| combiner.add(cache, from, share.0.clone()));
        outcome.or_throw().map(EcdsaOutcome)
    }

    pub fn open(&mut self, of: MemberIndex, opening: &EcdsaOpening) -> JsResult<EcdsaOutcome> {
        let combiner = &mut self.combiner;
        self.cache.with(|cache| combiner.open(cache, of, &opening.0)).or_throw().map(EcdsaOutcome)
    }

    pub fn signing(&self) -> EcdsaSigning {
        EcdsaSigning(self.combiner.signing())
    }

    pub fn signature(&self) -> Option<EcdsaSignature> {
        self.combiner.signature().map(EcdsaSignature)
    }

    pub fn counts(&self) -> Vec<u32> {
        counted(self.combiner.counts())
    }
}

/// Result of adding a share or an opening.
#[wasm_bindgen]
pub struct EcdsaOutcome(Outcome<any::Signature, any::ShareFault>);

#[wasm_bindgen]
impl EcdsaOutcome {
    pub fn signature(&self) -> Option<EcdsaSignature> {
        self.0.signature.map(EcdsaSignature)
    }

    pub fn wanted(&self) -> Vec<MemberIndex> {
        self.0.wanted.clone()
    }

    pub fn culprits(&self) -> Vec<MemberIndex> {
        self.0.faults.iter().map(|fault| fault.culprit).collect()
    }

    /// In the order of the culprits.
    pub fn evidence(self) -> Vec<EcdsaFault> {
        self.0.faults.into_iter().map(|fault| EcdsaFault(fault.evidence)).collect()
    }
}

#[wasm_bindgen]
pub struct EcdsaFault(any::ShareFault);

#[wasm_bindgen]
impl EcdsaFault {
    pub fn decode(group: &str, bytes: &[u8]) -> JsResult<Self> {
        any::ShareFault::decode(parse_group(group)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn group(&self) -> String {
        self.0.group().to_string()
    }

    pub fn share(&self) -> EcdsaShare {
        EcdsaShare(self.0.share())
    }

    pub fn verify(&self, key: &EcdsaKey, deal: &EcdsaDeal) -> JsResult<EvidenceVerdict> {
        accuse(|attested| self.0.verify(&key.0, &deal.0, attested))
    }
}
