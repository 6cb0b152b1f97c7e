//! Signed statements.

use quorate::certificate::{Kind, Statement as Inner};
use quorate::committee::CommitteeId;
use quorate::wire::Encode;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::glue::{JsResult, array, decode};

#[wasm_bindgen]
pub struct Statement(pub(crate) Inner);

#[wasm_bindgen]
impl Statement {
    pub fn new(kind: u8, epoch: u64, view: u64, digest: &[u8]) -> JsResult<Self> {
        Ok(Self(Inner { kind: Kind::new(kind), epoch, view, digest: array(digest, "digest")? }))
    }

    pub fn decode(bytes: &[u8]) -> JsResult<Self> {
        decode(bytes).map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn kind(&self) -> u8 {
        self.0.kind.number()
    }

    pub fn epoch(&self) -> u64 {
        self.0.epoch
    }

    pub fn view(&self) -> u64 {
        self.0.view
    }

    pub fn digest(&self) -> Vec<u8> {
        self.0.digest.to_vec()
    }

    pub fn signed_bytes(&self, committee: &[u8]) -> JsResult<Vec<u8>> {
        decode::<CommitteeId>(committee).map(|id| self.0.signed_bytes(&id).to_vec())
    }

    pub fn identity(&self, committee: &[u8]) -> JsResult<Vec<u8>> {
        decode::<CommitteeId>(committee).map(|id| self.0.identity(&id).to_vec())
    }

    pub fn contradicts(&self, other: &Self) -> bool {
        self.0.contradicts(&other.0)
    }
}
