//! The collector of votes, and the faults that it finds.

use quorate::any;
use quorate::certificate::Kind;
use quorate::committee::Verified;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::evidence::VerifiedEquivocation;
use crate::glue::{self, JsResult, OrThrow, array};
use crate::votes::{Suspects, VerifiedVote, Vote};

/// A fault found in a vote.
#[wasm_bindgen]
pub struct VoteFault(pub(crate) any::VoteFault);

#[wasm_bindgen]
impl VoteFault {
    pub fn signer(&self) -> u16 {
        self.0.signer()
    }

    pub fn error(&self) -> Option<JsValue> {
        match &self.0 {
            any::VoteFault::Stray { error, .. } => Some(glue::error(error)),
            _ => None,
        }
    }

    pub fn evidence(self) -> Option<VerifiedEquivocation> {
        match self.0 {
            any::VoteFault::Equivocation(evidence) => Some(VerifiedEquivocation(*evidence)),
            _ => None,
        }
    }
}

pub(crate) fn faults(faults: Vec<any::VoteFault>) -> Vec<VoteFault> {
    faults.into_iter().map(VoteFault).collect()
}

/// Result of adding a vote; the certificate can be taken once, before the faults.
#[wasm_bindgen]
pub struct Collected {
    certificate: Option<Verified<any::Certificate>>,
    faults: Vec<any::VoteFault>,
}

#[wasm_bindgen]
impl Collected {
    pub fn certificate(&mut self) -> Option<VerifiedCertificate> {
        self.certificate.take().map(VerifiedCertificate)
    }

    pub fn faults(self) -> Vec<VoteFault> {
        faults(self.faults)
    }
}

impl From<any::Collected> for Collected {
    fn from(collected: any::Collected) -> Self {
        Self { certificate: collected.certificate, faults: collected.faults }
    }
}

#[wasm_bindgen]
pub struct VoteCollector(any::VoteCollector);

#[wasm_bindgen]
impl VoteCollector {
    pub fn new(
        committee: &Committee,
        kind: u8,
        view: u64,
        batch_threshold: Option<u32>,
        failure_limit: Option<u16>,
    ) -> Self {
        let mut collector = any::VoteCollector::new(&committee.0, Kind::new(kind), view);
        if let Some(votes) = batch_threshold {
            collector = collector.with_batch_threshold(votes as usize);
        }
        if let Some(votes) = failure_limit {
            collector = collector.with_failure_limit(votes);
        }
        Self(collector)
    }

    pub fn add(&mut self, vote: &Vote, suspects: &mut Suspects) -> JsResult<Collected> {
        self.0.add(vote.0.clone(), &mut suspects.0).or_throw().map(Collected::from)
    }

    pub fn add_verified(&mut self, vote: &VerifiedVote, suspects: &mut Suspects) -> JsResult<Collected> {
        self.0.add_verified(vote.0.clone(), &mut suspects.0).or_throw().map(Collected::from)
    }

    pub fn weight_for(&self, digest: &[u8]) -> JsResult<u128> {
        array(digest, "digest").map(|digest| self.0.weight_for(&digest))
    }

    pub fn is_done(&self) -> bool {
        self.0.is_done()
    }
}
