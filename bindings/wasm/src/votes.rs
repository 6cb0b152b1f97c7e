//! Votes, and suspected members.

use quorate::any;
use quorate::certificate::Suspects as InnerSuspects;
use quorate::committee::Verified;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::committee::Committee;
use crate::glue::{JsResult, OrThrow, suite};
use crate::keys::{SecretKey, Signature};
use crate::statement::Statement;

#[wasm_bindgen]
pub struct Vote(pub(crate) any::Vote);

#[wasm_bindgen]
impl Vote {
    pub fn new(statement: &Statement, signer: u16, signature: &Signature) -> Self {
        Self(any::Vote::new(statement.0, signer, signature.0.clone()))
    }

    pub fn sign_unguarded(
        secret: &SecretKey,
        committee: &Committee,
        statement: &Statement,
    ) -> JsResult<Self> {
        any::Vote::sign_unguarded(&secret.0, &committee.0, statement.0).or_throw().map(Self)
    }

    pub fn decode(name: &str, bytes: &[u8]) -> JsResult<Self> {
        any::Vote::decode(suite(name)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn decode_link(name: &str, bytes: &[u8]) -> JsResult<Self> {
        any::Vote::decode_link(suite(name)?, bytes).or_throw().map(Self)
    }

    pub fn encode_link(&self) -> Vec<u8> {
        self.0.encode_link()
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn statement(&self) -> Statement {
        Statement(*self.0.statement())
    }

    pub fn signer(&self) -> u16 {
        self.0.signer()
    }

    pub fn signature(&self) -> Signature {
        Signature(self.0.signature())
    }

    pub fn verify(&self, committee: &Committee) -> JsResult<VerifiedVote> {
        self.0.clone().verify(&committee.0).or_throw().map(VerifiedVote)
    }
}

#[wasm_bindgen]
pub struct VerifiedVote(pub(crate) Verified<any::Vote>);

#[wasm_bindgen]
impl VerifiedVote {
    pub fn value(&self) -> Vote {
        Vote((*self.0).clone())
    }

    pub fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }
}

#[wasm_bindgen]
pub struct Suspects(pub(crate) InnerSuspects);

#[wasm_bindgen]
impl Suspects {
    pub fn none() -> Self {
        Self(InnerSuspects::new())
    }

    pub fn contains(&self, member: u16) -> bool {
        self.0.contains(member)
    }

    pub fn members(&self) -> Vec<u16> {
        self.0.iter().collect()
    }

    pub fn accuse(&mut self, member: u16) {
        self.0.accuse(member);
    }

    pub fn decay(&mut self) {
        self.0.decay();
    }
}
