//! Sets of members.

use quorate::committee::SignerSet as Inner;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::glue::{JsResult, OrThrow};

#[wasm_bindgen]
pub struct SignerSet(pub(crate) Inner);

#[wasm_bindgen]
impl SignerSet {
    pub fn empty(committee: u16) -> Self {
        Self(Inner::new(committee))
    }

    pub fn from_members(committee: u16, members: &[u16]) -> JsResult<Self> {
        Inner::from_members(committee, members.iter().copied()).or_throw().map(Self)
    }

    pub fn full(committee: u16) -> Self {
        Self(Inner::full(committee))
    }

    pub fn insert(&mut self, member: u16) -> bool {
        self.0.insert(member)
    }

    pub fn contains(&self, member: u16) -> bool {
        self.0.contains(member)
    }

    pub fn size(&self) -> u32 {
        self.0.len() as u32
    }

    pub fn committee(&self) -> u16 {
        self.0.committee_len()
    }

    pub fn members(&self) -> Vec<u16> {
        self.0.iter().collect()
    }

    pub fn complement(&self) -> Self {
        Self(self.0.complement())
    }

    pub fn intersection(&self, other: &Self) -> Self {
        Self(self.0.intersection(&other.0))
    }

    pub fn union(&self, other: &Self) -> Self {
        Self(self.0.union(&other.0))
    }

    pub fn disjoint(&self, other: &Self) -> bool {
        self.0.is_disjoint(&other.0)
    }

    pub fn equals(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
