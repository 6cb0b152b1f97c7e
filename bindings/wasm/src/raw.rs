//! Signatures of other chains: their ciphersuites, a message per member, batches.

use quorate::committee::SignerSet as Signers;
use quorate::machine::MemberIndex;
use quorate::scheme::Claim;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::ciphersuite::Ciphersuite;
use crate::committee::Committee;
use crate::glue::{self, JsResult, OrThrow};
use crate::keys::{PublicKey, SecretKey, Signature};
use crate::signers::SignerSet;

#[wasm_bindgen]
impl Committee {
    pub fn with_ciphersuite(&self, ciphersuite: &Ciphersuite) -> JsResult<Self> {
        self.0.clone().with_ciphersuite(ciphersuite.0.0.clone()).or_throw().map(Self)
    }
}

#[wasm_bindgen]
impl SecretKey {
    pub fn sign_with(&self, ciphersuite: &Ciphersuite, message: &[u8]) -> JsResult<Signature> {
        self.0.sign_with(&ciphersuite.0.0, message).or_throw().map(Signature)
    }
}

#[wasm_bindgen]
impl PublicKey {
    pub fn verify_with(
        &self,
        ciphersuite: &Ciphersuite,
        message: &[u8],
        signature: &Signature,
    ) -> JsResult<()> {
        self.0.verify_with(&ciphersuite.0.0, message, &signature.0).or_throw()
    }
}

/// Members, each with the message that it signed.
#[wasm_bindgen]
#[derive(Default)]
pub struct RawSigned(Vec<(MemberIndex, Vec<u8>)>);

#[wasm_bindgen]
impl RawSigned {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn add(&mut self, member: MemberIndex, message: Vec<u8>) {
        self.0.push((member, message));
    }

    pub fn verify(self, committee: &Committee, proof: &[u8]) -> JsResult<u128> {
        let signed: Vec<(MemberIndex, &[u8])> =
            self.0.iter().map(|(member, message)| (*member, message.as_slice())).collect();
        committee.0.verify_raw_each(&signed, proof).or_throw()
    }
}

/// Messages, each with its signers and proof, that are verified together.
#[wasm_bindgen]
#[derive(Default)]
pub struct RawProofs(Vec<(Vec<u8>, Signers, Vec<u8>)>);

#[wasm_bindgen]
impl RawProofs {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn add(&mut self, message: Vec<u8>, signers: &SignerSet, proof: Vec<u8>) {
        self.0.push((message, signers.0.clone(), proof));
    }

    pub fn verify(self, committee: &Committee) -> Vec<Weight> {
        let items = self.0.iter().map(|(message, signers, proof)| (Claim { message, signers }, &**proof));
        let items: Vec<(Claim<'_>, &[u8])> = items.collect();
        let results = committee.0.verify_raw_batch(&items, &mut getrandom::SysRng);
        results.into_iter().map(Weight).collect()
    }
}

/// The weight of the signers of one proof, or its error.
#[wasm_bindgen]
pub struct Weight(quorate::Result<u128>);

#[wasm_bindgen]
impl Weight {
    pub fn error(&self) -> Option<JsValue> {
        self.0.as_ref().err().map(glue::error)
    }

    pub fn weight(self) -> Option<u128> {
        self.0.ok()
    }
}
