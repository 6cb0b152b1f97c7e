//! Timeout votes, their collector and their certificates.

use quorate::any;
use quorate::certificate::{Kind, TimeoutVote as Typed};
use quorate::committee::Verified;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::collector::{VoteFault, faults};
use crate::committee::Committee;
use crate::glue::{JsResult, OrThrow, suite};
use crate::keys::{SecretKey, Signature};
use crate::signers::SignerSet;
use crate::statement::Statement;
use crate::votes::{Suspects, Vote};

#[wasm_bindgen]
pub struct TimeoutVote(pub(crate) any::TimeoutVote);

#[wasm_bindgen]
impl TimeoutVote {
    pub fn new(kind: u8, epoch: u64, view: u64, value: u64, signer: u16, signature: &Signature) -> Self {
        Self(any::TimeoutVote::new(Kind::new(kind), epoch, view, value, signer, signature.0.clone()))
    }

    pub fn statement_of(kind: u8, epoch: u64, view: u64, value: u64) -> Statement {
        Statement(Typed::<quorate::ed25519::Ed25519>::statement_of(Kind::new(kind), epoch, view, value))
    }

    pub fn sign_unguarded(
        secret: &SecretKey,
        committee: &Committee,
        kind: u8,
        view: u64,
        value: u64,
    ) -> JsResult<Self> {
        any::TimeoutVote::sign_unguarded(&secret.0, &committee.0, Kind::new(kind), view, value)
            .or_throw()
            .map(Self)
    }

    pub fn decode(name: &str, bytes: &[u8]) -> JsResult<Self> {
        any::TimeoutVote::decode(suite(name)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn decode_link(name: &str, bytes: &[u8]) -> JsResult<Self> {
        any::TimeoutVote::decode_link(suite(name)?, bytes).or_throw().map(Self)
    }

    pub fn encode_link(&self) -> Vec<u8> {
        self.0.encode_link()
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn kind(&self) -> u8 {
        self.0.kind().number()
    }

    pub fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    pub fn view(&self) -> u64 {
        self.0.view()
    }

    pub fn value(&self) -> u64 {
        self.0.value()
    }

    pub fn signer(&self) -> u16 {
        self.0.signer()
    }

    pub fn signature(&self) -> Signature {
        Signature(self.0.as_vote().signature())
    }

    pub fn as_vote(&self) -> Vote {
        Vote(self.0.as_vote())
    }

    pub fn verify(&self, committee: &Committee) -> JsResult<VerifiedTimeoutVote> {
        self.0.clone().verify(&committee.0).or_throw().map(VerifiedTimeoutVote)
    }
}

#[wasm_bindgen]
pub struct VerifiedTimeoutVote(Verified<any::TimeoutVote>);

#[wasm_bindgen]
impl VerifiedTimeoutVote {
    pub fn value(&self) -> TimeoutVote {
        TimeoutVote((*self.0).clone())
    }

    pub fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }
}

#[wasm_bindgen]
pub struct TimeoutCertificate(any::TimeoutCertificate);

#[wasm_bindgen]
impl TimeoutCertificate {
    pub fn decode(bytes: &[u8], committee: &Committee) -> JsResult<Self> {
        any::TimeoutCertificate::decode(bytes, &committee.0).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn encoded_length(&self) -> u32 {
        self.0.encoded_len() as u32
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn kind(&self) -> u8 {
        self.0.kind().number()
    }

    pub fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    pub fn view(&self) -> u64 {
        self.0.view()
    }

    pub fn highest_value(&self) -> u64 {
        self.0.highest_value()
    }

    pub fn group_values(&self) -> Vec<u64> {
        self.0.groups().iter().map(|(value, _)| *value).collect()
    }

    pub fn group_signers(&self) -> Vec<SignerSet> {
        self.0.groups().iter().map(|(_, signers)| SignerSet(signers.clone())).collect()
    }

    pub fn signers(&self) -> SignerSet {
        SignerSet(self.0.signers())
    }

    pub fn verify(&self, committee: &Committee) -> JsResult<VerifiedTimeoutCertificate> {
        self.0.clone().verify(&committee.0).or_throw().map(VerifiedTimeoutCertificate)
    }
}

#[wasm_bindgen]
pub struct VerifiedTimeoutCertificate(Verified<any::TimeoutCertificate>);

#[wasm_bindgen]
impl VerifiedTimeoutCertificate {
    pub fn value(&self) -> TimeoutCertificate {
        TimeoutCertificate((*self.0).clone())
    }

    pub fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }
}

/// Result of adding a timeout vote; the certificate can be taken once, before the faults.
#[wasm_bindgen]
pub struct TimeoutCollected {
    certificate: Option<Verified<any::TimeoutCertificate>>,
    faults: Vec<any::VoteFault>,
}

#[wasm_bindgen]
impl TimeoutCollected {
    pub fn certificate(&mut self) -> Option<VerifiedTimeoutCertificate> {
        self.certificate.take().map(VerifiedTimeoutCertificate)
    }

    pub fn faults(self) -> Vec<VoteFault> {
        faults(self.faults)
    }
}

impl From<any::Collected<any::TimeoutCertificate>> for TimeoutCollected {
    fn from(collected: any::Collected<any::TimeoutCertificate>) -> Self {
        Self { certificate: collected.certificate, faults: collected.faults }
    }
}

/// Result of `verifyHonest`: true if the verified votes weigh more than a third, and the faults found.
#[wasm_bindgen]
pub struct Honest {
    verdict: bool,
    faults: Vec<any::VoteFault>,
}

#[wasm_bindgen]
impl Honest {
    pub fn verdict(&self) -> bool {
        self.verdict
    }

    pub fn faults(self) -> Vec<VoteFault> {
        faults(self.faults)
    }
}

#[wasm_bindgen]
pub struct TimeoutCollector(any::TimeoutCollector);

#[wasm_bindgen]
impl TimeoutCollector {
    pub fn new(
        committee: &Committee,
        kind: u8,
        view: u64,
        batch_threshold: Option<u32>,
        failure_limit: Option<u16>,
    ) -> Self {
        let mut collector = any::TimeoutCollector::new(&committee.0, Kind::new(kind), view);
        if let Some(votes) = batch_threshold {
            collector = collector.with_batch_threshold(votes as usize);
        }
        if let Some(votes) = failure_limit {
            collector = collector.with_failure_limit(votes);
        }
        Self(collector)
    }

    pub fn add(&mut self, vote: &TimeoutVote, suspects: &mut Suspects) -> JsResult<TimeoutCollected> {
        self.0.add(vote.0.clone(), &mut suspects.0).or_throw().map(TimeoutCollected::from)
    }

    pub fn add_verified(
        &mut self,
        vote: &VerifiedTimeoutVote,
        suspects: &mut Suspects,
    ) -> JsResult<TimeoutCollected> {
        self.0.add_verified(vote.0.clone(), &mut suspects.0).or_throw().map(TimeoutCollected::from)
    }

    pub fn weight(&self) -> u128 {
        self.0.weight()
    }

    pub fn has_honest(&self) -> bool {
        self.0.has_honest()
    }

    pub fn verify_honest(&mut self, suspects: &mut Suspects) -> Honest {
        let (verdict, faults) = self.0.verify_honest(&mut suspects.0);
        Honest { verdict, faults }
    }

    pub fn is_done(&self) -> bool {
        self.0.is_done()
    }
}
