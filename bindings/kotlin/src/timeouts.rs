//! Timeout votes, their collector, and timeout certificates.

use std::sync::{Arc, Mutex};

use quorate::any;
use quorate::certificate::{self, Kind};
use quorate::committee::Verified;
use quorate::ed25519::Ed25519;

use crate::collector::{VoteFault, faults};
use crate::committees::Committee;
use crate::glue::{Result, Uint128, lock};
use crate::keys::{SecretKey, Signature, suite};
use crate::signers::{SignerSet, Suspects};
use crate::statements::Statement;
use crate::votes::Vote;

#[derive(uniffi::Object)]
pub(crate) struct TimeoutVote(pub(crate) any::TimeoutVote);

#[uniffi::export]
impl TimeoutVote {
    #[uniffi::constructor]
    fn new(kind: u8, epoch: u64, view: u64, value: u64, signer: u16, signature: &Signature) -> Self {
        Self(any::TimeoutVote::new(Kind::new(kind), epoch, view, value, signer, signature.0.clone()))
    }

    #[uniffi::constructor]
    fn sign_unguarded(
        secret: &SecretKey,
        committee: &Committee,
        kind: u8,
        view: u64,
        value: u64,
    ) -> Result<Self> {
        let sign = |key: &any::SecretKey| {
            any::TimeoutVote::sign_unguarded(key, &committee.0, Kind::new(kind), view, value)
        };
        Ok(Self(secret.with(sign)??))
    }

    #[uniffi::constructor]
    fn decode(suite: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::TimeoutVote::decode(self::suite(suite)?, &bytes)?))
    }

    #[uniffi::constructor]
    fn decode_link(suite: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::TimeoutVote::decode_link(self::suite(suite)?, &bytes)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn encode_link(&self) -> Vec<u8> {
        self.0.encode_link()
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn kind(&self) -> u8 {
        self.0.kind().number()
    }

    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    fn view(&self) -> u64 {
        self.0.view()
    }

    fn value(&self) -> u64 {
        self.0.value()
    }

    fn signer(&self) -> u16 {
        self.0.signer()
    }

    fn signature(&self) -> Arc<Signature> {
        Arc::new(Signature(self.0.as_vote().signature()))
    }

    fn as_vote(&self) -> Arc<Vote> {
        Arc::new(Vote(self.0.as_vote()))
    }

    fn verify(&self, committee: &Committee) -> Result<Arc<VerifiedTimeoutVote>> {
        Ok(Arc::new(VerifiedTimeoutVote(self.0.clone().verify(&committee.0)?)))
    }
}

#[uniffi::export]
fn timeout_statement(kind: u8, epoch: u64, view: u64, value: u64) -> Statement {
    // The suite is not part of a statement, so any suite works.
    (&certificate::TimeoutVote::<Ed25519>::statement_of(Kind::new(kind), epoch, view, value)).into()
}

#[derive(uniffi::Object)]
pub(crate) struct VerifiedTimeoutVote(Verified<any::TimeoutVote>);

#[uniffi::export]
impl VerifiedTimeoutVote {
    fn value(&self) -> Arc<TimeoutVote> {
        Arc::new(TimeoutVote((*self.0).clone()))
    }

    fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }
}

#[derive(uniffi::Record)]
struct CollectedTimeouts {
    certificate: Option<Arc<VerifiedTimeoutCertificate>>,
    faults: Vec<VoteFault>,
}

impl From<any::Collected<any::TimeoutCertificate>> for CollectedTimeouts {
    fn from(collected: any::Collected<any::TimeoutCertificate>) -> Self {
        let certificate = collected.certificate;
        Self {
            certificate: certificate.map(|certificate| Arc::new(VerifiedTimeoutCertificate(certificate))),
            faults: faults(collected.faults),
        }
    }
}

#[derive(uniffi::Record)]
struct HonestCheck {
    honest: bool,
    faults: Vec<VoteFault>,
}

#[derive(uniffi::Object)]
struct TimeoutCollector(Mutex<any::TimeoutCollector>);

#[uniffi::export]
impl TimeoutCollector {
    #[uniffi::constructor]
    fn new(
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
        Self(Mutex::new(collector))
    }

    // Lock order: the collector before the suspects.
    fn add(&self, vote: &TimeoutVote, suspects: &Suspects) -> Result<CollectedTimeouts> {
        let mut collector = lock(&self.0);
        Ok(collector.add(vote.0.clone(), &mut lock(&suspects.0))?.into())
    }

    fn add_verified(&self, vote: &VerifiedTimeoutVote, suspects: &Suspects) -> Result<CollectedTimeouts> {
        let mut collector = lock(&self.0);
        Ok(collector.add_verified(vote.0.clone(), &mut lock(&suspects.0))?.into())
    }

    fn kind(&self) -> u8 {
        lock(&self.0).topic().0.number()
    }

    fn view(&self) -> u64 {
        lock(&self.0).topic().1
    }

    fn weight(&self) -> Uint128 {
        Uint128(lock(&self.0).weight())
    }

    fn has_honest(&self) -> bool {
        lock(&self.0).has_honest()
    }

    fn verify_honest(&self, suspects: &Suspects) -> HonestCheck {
        let mut collector = lock(&self.0);
        let (honest, found) = collector.verify_honest(&mut lock(&suspects.0));
        HonestCheck { honest, faults: faults(found) }
    }

    fn committee(&self) -> Arc<Committee> {
        Arc::new(Committee(lock(&self.0).committee()))
    }

    fn is_done(&self) -> bool {
        lock(&self.0).is_done()
    }
}

#[derive(uniffi::Record)]
struct TimeoutGroup {
    value: u64,
    signers: Arc<SignerSet>,
}

#[derive(uniffi::Object)]
pub(crate) struct TimeoutCertificate(any::TimeoutCertificate);

#[uniffi::export]
impl TimeoutCertificate {
    #[uniffi::constructor]
    fn decode(bytes: Vec<u8>, committee: &Committee) -> Result<Self> {
        Ok(Self(any::TimeoutCertificate::decode(&bytes, &committee.0)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn encoded_len(&self) -> u32 {
        self.0.encoded_len() as u32
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn kind(&self) -> u8 {
        self.0.kind().number()
    }

    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    fn view(&self) -> u64 {
        self.0.view()
    }

    fn highest_value(&self) -> u64 {
        self.0.highest_value()
    }

    fn groups(&self) -> Vec<TimeoutGroup> {
        let group = |(value, signers): &(u64, _)| TimeoutGroup {
            value: *value,
            signers: SignerSet::from_core(quorate::committee::SignerSet::clone(signers)),
        };
        self.0.groups().iter().map(group).collect()
    }

    fn signers(&self) -> Arc<SignerSet> {
        SignerSet::from_core(self.0.signers())
    }

    fn verify(&self, committee: &Committee) -> Result<Arc<VerifiedTimeoutCertificate>> {
        Ok(Arc::new(VerifiedTimeoutCertificate(self.0.clone().verify(&committee.0)?)))
    }
}

#[derive(uniffi::Object)]
pub(crate) struct VerifiedTimeoutCertificate(Verified<any::TimeoutCertificate>);

#[uniffi::export]
impl VerifiedTimeoutCertificate {
    fn value(&self) -> Arc<TimeoutCertificate> {
        Arc::new(TimeoutCertificate((*self.0).clone()))
    }

    fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }
}
