//! Votes and their collector.

use quorate::any;
use quorate::certificate::{Kind, Suspects as InnerSuspects};
use quorate::committee::Verified;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::evidence::VerifiedEquivocation;
use crate::glue::{self, OrThrow, Thrown, array, suite};
use crate::keys::{SecretKey, Signature};
use crate::statement::Statement;

#[wasm_bindgen]
pub struct Vote(pub(crate) any::Vote);

#[wasm_bindgen]
impl Vote {
    pub fn of(statement: &Statement, signer: u16, signature: &Signature) -> Self {
        Self(any::Vote::new(statement.0, signer, signature.0.clone()))
    }

    pub fn sign_unguarded(secret: &SecretKey, committee: &Committee, statement: &Statement) -> Thrown<Self> {
        any::Vote::sign_unguarded(&secret.0, &committee.0, statement.0).or_throw().map(Self)
    }

    pub fn decode(name: &str, bytes: &[u8]) -> Thrown<Self> {
        any::Vote::decode(suite(name)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn decode_link(name: &str, bytes: &[u8]) -> Thrown<Self> {
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

    pub fn verify(&self, committee: &Committee) -> Thrown<VerifiedVote> {
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
    pub fn of(
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

    pub fn add(&mut self, vote: &Vote, suspects: &mut Suspects) -> Thrown<Collected> {
        self.0.add(vote.0.clone(), &mut suspects.0).or_throw().map(Collected::from)
    }

    pub fn add_verified(&mut self, vote: &VerifiedVote, suspects: &mut Suspects) -> Thrown<Collected> {
        self.0.add_verified(vote.0.clone(), &mut suspects.0).or_throw().map(Collected::from)
    }

    pub fn weight_for(&self, digest: &[u8]) -> Thrown<u128> {
        array(digest, "digest").map(|digest| self.0.weight_for(&digest))
    }

    pub fn is_done(&self) -> bool {
        self.0.is_done()
    }
}
