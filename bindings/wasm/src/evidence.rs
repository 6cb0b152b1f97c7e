//! Evidence of protocol violations.

use quorate::any;
use quorate::committee::Verified;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::certificates::Certificate;
use crate::committee::Committee;
use crate::glue::{JsResult, OrThrow, suite};
use crate::signers::SignerSet;
use crate::votes::Vote;

#[wasm_bindgen]
pub struct Equivocation(any::Equivocation);

#[wasm_bindgen]
impl Equivocation {
    pub fn new(first: &Vote, second: &Vote) -> JsResult<Self> {
        any::Equivocation::new(first.0.clone(), second.0.clone()).or_throw().map(Self)
    }

    pub fn decode(name: &str, bytes: &[u8]) -> JsResult<Self> {
        any::Equivocation::decode(suite(name)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn votes(&self) -> Vec<Vote> {
        let (first, second) = self.0.votes();
        vec![Vote(first), Vote(second)]
    }

    pub fn signer(&self) -> u16 {
        self.0.signer()
    }

    pub fn culprits(&self) -> Vec<u16> {
        self.0.culprits().to_vec()
    }

    pub fn verify(&self, committee: &Committee) -> JsResult<VerifiedEquivocation> {
        self.0.clone().verify(&committee.0).or_throw().map(VerifiedEquivocation)
    }
}

#[wasm_bindgen]
pub struct VerifiedEquivocation(pub(crate) Verified<any::Equivocation>);

#[wasm_bindgen]
impl VerifiedEquivocation {
    pub fn value(&self) -> Equivocation {
        Equivocation((*self.0).clone())
    }

    pub fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }
}

#[wasm_bindgen]
pub struct Conflict(any::Conflict);

#[wasm_bindgen]
impl Conflict {
    pub fn new(first: &Certificate, second: &Certificate) -> JsResult<Self> {
        any::Conflict::new(first.0.clone(), second.0.clone()).or_throw().map(Self)
    }

    pub fn decode(bytes: &[u8], committee: &Committee) -> JsResult<Self> {
        any::Conflict::decode(bytes, &committee.0).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn certificates(&self) -> Vec<Certificate> {
        let (first, second) = self.0.certificates();
        vec![Certificate(first), Certificate(second)]
    }

    pub fn culprits(&self) -> SignerSet {
        SignerSet(self.0.culprits())
    }

    pub fn verify(&self, committee: &Committee) -> JsResult<VerifiedConflict> {
        self.0.clone().verify(&committee.0).or_throw().map(VerifiedConflict)
    }
}

#[wasm_bindgen]
pub struct VerifiedConflict(Verified<any::Conflict>);

#[wasm_bindgen]
impl VerifiedConflict {
    pub fn value(&self) -> Conflict {
        Conflict((*self.0).clone())
    }

    pub fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }
}
