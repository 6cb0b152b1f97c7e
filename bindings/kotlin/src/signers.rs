//! Sets of members, and suspected members.

use std::sync::{Arc, Mutex};

use quorate::certificate;
use quorate::committee;

use crate::glue::{Result, lock};

#[derive(uniffi::Object)]
pub(crate) struct SignerSet(Mutex<committee::SignerSet>);

impl SignerSet {
    pub(crate) fn from_core(set: committee::SignerSet) -> Arc<Self> {
        Arc::new(Self(Mutex::new(set)))
    }

    /// Returns a snapshot of the set. Two sets are never locked together, so no lock order can deadlock.
    pub(crate) fn get(&self) -> committee::SignerSet {
        lock(&self.0).clone()
    }
}

#[uniffi::export]
impl SignerSet {
    #[uniffi::constructor]
    fn new(n: u16) -> Self {
        Self(Mutex::new(committee::SignerSet::new(n)))
    }

    #[uniffi::constructor]
    fn from_members(n: u16, members: Vec<u16>) -> Result<Self> {
        Ok(Self(Mutex::new(committee::SignerSet::from_members(n, members)?)))
    }

    #[uniffi::constructor]
    fn full(n: u16) -> Self {
        Self(Mutex::new(committee::SignerSet::full(n)))
    }

    fn insert(&self, index: u16) -> bool {
        lock(&self.0).insert(index)
    }

    fn contains(&self, index: u16) -> bool {
        lock(&self.0).contains(index)
    }

    fn size(&self) -> u32 {
        lock(&self.0).len() as u32
    }

    fn committee_len(&self) -> u16 {
        lock(&self.0).committee_len()
    }

    fn members(&self) -> Vec<u16> {
        lock(&self.0).iter().collect()
    }

    fn complement(&self) -> Arc<Self> {
        Self::from_core(lock(&self.0).complement())
    }

    fn intersection(&self, other: &SignerSet) -> Arc<Self> {
        Self::from_core(self.get().intersection(&other.get()))
    }

    fn union(&self, other: &SignerSet) -> Arc<Self> {
        Self::from_core(self.get().union(&other.get()))
    }

    fn is_disjoint(&self, other: &SignerSet) -> bool {
        self.get().is_disjoint(&other.get())
    }

    fn same(&self, other: &SignerSet) -> bool {
        self.get() == other.get()
    }
}

#[derive(uniffi::Object)]
pub(crate) struct Suspects(pub(crate) Mutex<certificate::Suspects>);

#[uniffi::export]
impl Suspects {
    #[uniffi::constructor]
    fn new() -> Self {
        Self(Mutex::default())
    }

    fn contains(&self, member: u16) -> bool {
        lock(&self.0).contains(member)
    }

    fn size(&self) -> u32 {
        lock(&self.0).len() as u32
    }

    fn members(&self) -> Vec<u16> {
        lock(&self.0).iter().collect()
    }

    fn accuse(&self, member: u16) {
        lock(&self.0).accuse(member);
    }

    fn decay(&self) {
        lock(&self.0).decay();
    }
}
