//! Threshold ECDSA: keys, signatures, plans, tags, and the public part of a deal.

use std::sync::Arc;

use quorate::any::threshold::{Group, ecdsa as any};
use quorate::machine::MemberIndex;
use quorate::threshold::ecdsa::{Deal, Plan};
use quorate::wire::Encode;
use wasm_bindgen::prelude::wasm_bindgen;

use super::{ToleranceHandle, agreement_name};
use crate::glue::{JsResult, OrThrow, decode};

/// Returns the group with this name.
pub(crate) fn parse_group(name: &str) -> JsResult<Group> {
    Group::from_name(name).or_throw()
}

#[wasm_bindgen]
pub struct EcdsaKey(pub(crate) any::GroupKey);

#[wasm_bindgen]
impl EcdsaKey {
    pub fn decode(group: &str, bytes: &[u8]) -> JsResult<Self> {
        any::GroupKey::decode(parse_group(group)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn group(&self) -> String {
        self.0.group().to_string()
    }

    pub fn id(&self) -> Vec<u8> {
        self.0.id().0.to_vec()
    }

    pub fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }

    pub fn tolerance(&self) -> ToleranceHandle {
        ToleranceHandle(self.0.tolerance())
    }

    pub fn verify(&self, tag: &EcdsaTag, message: &[u8], signature: &EcdsaSignature) -> JsResult<()> {
        self.0.verify(tag.0, message, &signature.0).or_throw()
    }

    pub fn verify_message(&self, message: &[u8], signature: &EcdsaSignature) -> JsResult<()> {
        self.0.verify_message(message, &signature.0).or_throw()
    }

    pub fn to_spki_der(&self) -> JsResult<Vec<u8>> {
        self.0.to_spki_der().or_throw()
    }
}

#[wasm_bindgen]
pub struct EcdsaSignature(pub(crate) any::Signature);

#[wasm_bindgen]
impl EcdsaSignature {
    pub fn decode(group: &str, bytes: &[u8]) -> JsResult<Self> {
        any::Signature::decode(parse_group(group)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.to_bytes().to_vec()
    }

    pub fn group(&self) -> String {
        self.0.group().to_string()
    }

    pub fn to_der(&self) -> JsResult<Vec<u8>> {
        self.0.to_der().or_throw()
    }
}

#[wasm_bindgen]
pub struct EcdsaPlan(pub(crate) Plan);

#[wasm_bindgen]
impl EcdsaPlan {
    pub fn for_agreement(parties: u16, rounds: Option<u16>) -> Self {
        Self(Plan::Agreement { parties, rounds: rounds.unwrap_or(Plan::ROUNDS) })
    }

    pub fn for_agreed(count: u32) -> Self {
        Self(Plan::Agreed { count })
    }

    pub fn for_unagreed(count: u32) -> Self {
        Self(Plan::Unagreed { count })
    }

    pub fn decode(bytes: &[u8]) -> JsResult<Self> {
        decode(bytes).map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn count(&self) -> u32 {
        self.0.count()
    }

    pub fn agreement(&self, index: u32) -> Option<String> {
        self.0.agreement(index).map(agreement_name)
    }

    pub fn prbc(&self, epoch: u64, member: MemberIndex) -> JsResult<EcdsaTag> {
        self.0.prbc(epoch, member).or_throw().map(EcdsaTag::new)
    }

    pub fn promotion(&self, epoch: u64, round: u16, member: MemberIndex, step: u8) -> JsResult<EcdsaTag> {
        self.0.promotion(epoch, round, member, step).or_throw().map(EcdsaTag::new)
    }

    pub fn completion(&self, epoch: u64, round: u16) -> JsResult<EcdsaTag> {
        self.0.completion(epoch, round).or_throw().map(EcdsaTag::new)
    }

    pub fn agreed(&self, epoch: u64, number: u32) -> JsResult<EcdsaTag> {
        self.0.agreed(epoch, number).or_throw().map(EcdsaTag::new)
    }

    pub fn unagreed(&self, epoch: u64, number: u32) -> JsResult<EcdsaTag> {
        self.0.unagreed(epoch, number).or_throw().map(EcdsaTag::new)
    }
}

#[wasm_bindgen]
pub struct EcdsaTag(pub(crate) any::Tag);

impl EcdsaTag {
    fn new(tag: impl Into<any::Tag>) -> Self {
        Self(tag.into())
    }
}

#[wasm_bindgen]
impl EcdsaTag {
    pub fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    pub fn index(&self) -> u32 {
        self.0.index()
    }

    pub fn agreement(&self) -> String {
        agreement_name(self.0.agreement())
    }
}

#[wasm_bindgen]
pub struct EcdsaDeal(pub(crate) Arc<Deal>);

#[wasm_bindgen]
impl EcdsaDeal {
    pub fn decode(bytes: &[u8]) -> JsResult<Self> {
        decode(bytes).map(|deal| Self(Arc::new(deal)))
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn id(&self) -> Vec<u8> {
        self.0.id().to_vec()
    }

    pub fn key(&self) -> Vec<u8> {
        self.0.key().0.to_vec()
    }

    pub fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    pub fn plan(&self) -> EcdsaPlan {
        EcdsaPlan(self.0.plan())
    }

    /// 32 bytes each, concatenated.
    pub fn roots(&self) -> Vec<u8> {
        self.0.roots().concat()
    }
}
