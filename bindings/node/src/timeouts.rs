//! Timeout votes, their collectors and certificates.

use napi::Env;
use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use quorate::any::{
    Collected, Committee, Signature, TimeoutCertificate, TimeoutCollector, TimeoutVote, Vote,
};
use quorate::bls::MinSig;
use quorate::certificate::{Kind, Statement, Suspects};
use quorate::committee::{CommitteeId, SignerSet, Verified};

use crate::glue::{Bytes, Flag, Promised, Result, Throw, bytes, handle, number, queue, suite};
use crate::handle::External;
use crate::keys::Secret;
use crate::votes::Fault;

#[napi(catch_unwind)]
pub fn timeout_vote_new(
    kind: u8,
    epoch: BigInt,
    view: BigInt,
    value: BigInt,
    signer: u16,
    signature: &External<Signature>,
) -> External<TimeoutVote> {
    let (epoch, view, value) = (number(&epoch), number(&view), number(&value));
    let signature = Signature::clone(signature);
    External::new(TimeoutVote::new(Kind::new(kind), epoch, view, value, signer, signature))
}

#[napi(catch_unwind)]
pub fn timeout_vote_statement_of(
    kind: u8,
    epoch: BigInt,
    view: BigInt,
    value: BigInt,
) -> External<Statement> {
    let (epoch, view, value) = (number(&epoch), number(&view), number(&value));
    // The same in all suites.
    External::new(quorate::certificate::TimeoutVote::<MinSig>::statement_of(
        Kind::new(kind),
        epoch,
        view,
        value,
    ))
}

#[napi(catch_unwind)]
pub fn timeout_vote_sign_unguarded(
    key: &External<Secret>,
    committee: &External<Committee>,
    kind: u8,
    view: BigInt,
    value: BigInt,
) -> Result<External<TimeoutVote>> {
    let (view, value) = (number(&view), number(&value));
    handle(TimeoutVote::sign_unguarded(key.open()?, committee, Kind::new(kind), view, value))
}

#[napi(catch_unwind)]
pub fn timeout_vote_decode(name: String, data: &[u8]) -> Result<External<TimeoutVote>> {
    handle(TimeoutVote::decode(suite(&name)?, data))
}

#[napi(catch_unwind)]
pub fn timeout_vote_encode<'env>(env: &'env Env, vote: &External<TimeoutVote>) -> Result<Bytes<'env>> {
    bytes(env, vote.encode())
}

#[napi(catch_unwind)]
pub fn timeout_vote_decode_link(name: String, data: &[u8]) -> Result<External<TimeoutVote>> {
    handle(TimeoutVote::decode_link(suite(&name)?, data))
}

#[napi(catch_unwind)]
pub fn timeout_vote_encode_link<'env>(env: &'env Env, vote: &External<TimeoutVote>) -> Result<Bytes<'env>> {
    bytes(env, vote.encode_link())
}

#[napi(catch_unwind)]
pub fn timeout_vote_suite(vote: &External<TimeoutVote>) -> &'static str {
    vote.suite().name()
}

#[napi(catch_unwind)]
pub fn timeout_vote_kind(vote: &External<TimeoutVote>) -> u8 {
    vote.kind().number()
}

#[napi(catch_unwind)]
pub fn timeout_vote_epoch(vote: &External<TimeoutVote>) -> u64 {
    vote.epoch()
}

#[napi(catch_unwind)]
pub fn timeout_vote_view(vote: &External<TimeoutVote>) -> u64 {
    vote.view()
}

#[napi(catch_unwind)]
pub fn timeout_vote_value(vote: &External<TimeoutVote>) -> u64 {
    vote.value()
}

#[napi(catch_unwind)]
pub fn timeout_vote_signer(vote: &External<TimeoutVote>) -> u16 {
    vote.signer()
}

#[napi(catch_unwind)]
pub fn timeout_vote_as_vote(vote: &External<TimeoutVote>) -> External<Vote> {
    External::new(vote.as_vote())
}

#[napi(catch_unwind)]
pub fn timeout_vote_verify(
    vote: &External<TimeoutVote>,
    committee: &External<Committee>,
) -> Result<External<Verified<TimeoutVote>>> {
    handle(TimeoutVote::clone(vote).verify(committee))
}

#[napi(catch_unwind)]
pub fn timeout_vote_verify_async(
    vote: &External<TimeoutVote>,
    committee: &External<Committee>,
    cancelled: Option<&External<Flag>>,
) -> Promised<External<Verified<TimeoutVote>>> {
    let (vote, committee) = (TimeoutVote::clone(vote), Committee::clone(committee));
    queue(cancelled, move || vote.verify(&committee).map(External::new))
}

#[napi(catch_unwind)]
pub fn timeout_vote_equals(vote: &External<TimeoutVote>, other: &External<TimeoutVote>) -> bool {
    **vote == **other
}

#[napi(catch_unwind)]
pub fn verified_timeout_vote_value(vote: &External<Verified<TimeoutVote>>) -> External<TimeoutVote> {
    External::new(TimeoutVote::clone(vote))
}

#[napi(catch_unwind)]
pub fn verified_timeout_vote_committee(vote: &External<Verified<TimeoutVote>>) -> External<CommitteeId> {
    External::new(vote.committee())
}

/// Result of adding a timeout vote.
#[napi(object, object_from_js = false)]
pub struct CollectedTimeouts {
    pub certificate: Option<External<Verified<TimeoutCertificate>>>,
    pub faults: Vec<Fault>,
}

impl From<Collected<TimeoutCertificate>> for CollectedTimeouts {
    fn from(collected: Collected<TimeoutCertificate>) -> Self {
        Self {
            certificate: collected.certificate.map(External::new),
            faults: collected.faults.into_iter().map(Fault::from).collect(),
        }
    }
}

#[napi(catch_unwind)]
pub fn timeout_collector_new(
    committee: &External<Committee>,
    kind: u8,
    view: BigInt,
    batch_threshold: Option<u32>,
    failure_limit: Option<u16>,
) -> External<TimeoutCollector> {
    let mut collector = TimeoutCollector::new(committee, Kind::new(kind), number(&view));
    if let Some(votes) = batch_threshold {
        collector = collector.with_batch_threshold(votes as usize);
    }
    if let Some(votes) = failure_limit {
        collector = collector.with_failure_limit(votes);
    }
    External::new(collector)
}

#[napi(catch_unwind)]
pub fn timeout_collector_add(
    collector: &mut External<TimeoutCollector>,
    vote: &External<TimeoutVote>,
    suspects: &mut External<Suspects>,
) -> Result<CollectedTimeouts> {
    collector.add(TimeoutVote::clone(vote), suspects).map(CollectedTimeouts::from).throw()
}

#[napi(catch_unwind)]
pub fn timeout_collector_add_verified(
    collector: &mut External<TimeoutCollector>,
    vote: &External<Verified<TimeoutVote>>,
    suspects: &mut External<Suspects>,
) -> Result<CollectedTimeouts> {
    collector.add_verified(Verified::clone(vote), suspects).map(CollectedTimeouts::from).throw()
}

#[napi(catch_unwind)]
pub fn timeout_collector_kind(collector: &External<TimeoutCollector>) -> u8 {
    collector.topic().0.number()
}

#[napi(catch_unwind)]
pub fn timeout_collector_view(collector: &External<TimeoutCollector>) -> u64 {
    collector.topic().1
}

#[napi(catch_unwind)]
pub fn timeout_collector_weight(collector: &External<TimeoutCollector>) -> u128 {
    collector.weight()
}

#[napi(catch_unwind)]
pub fn timeout_collector_has_honest(collector: &External<TimeoutCollector>) -> bool {
    collector.has_honest()
}

/// Result of `verifyHonest`: true if the verified votes weigh more than a third, and the faults found.
#[napi(object, object_from_js = false)]
pub struct Honest {
    pub honest: bool,
    pub faults: Vec<Fault>,
}

#[napi(catch_unwind)]
pub fn timeout_collector_verify_honest(
    collector: &mut External<TimeoutCollector>,
    suspects: &mut External<Suspects>,
) -> Honest {
    let (honest, faults) = collector.verify_honest(suspects);
    Honest { honest, faults: faults.into_iter().map(Fault::from).collect() }
}

#[napi(catch_unwind)]
pub fn timeout_collector_is_done(collector: &External<TimeoutCollector>) -> bool {
    collector.is_done()
}

#[napi(catch_unwind)]
pub fn timeout_certificate_decode(
    data: &[u8],
    committee: &External<Committee>,
) -> Result<External<TimeoutCertificate>> {
    handle(TimeoutCertificate::decode(data, committee))
}

#[napi(catch_unwind)]
pub fn timeout_certificate_encode<'env>(
    env: &'env Env,
    certificate: &External<TimeoutCertificate>,
) -> Result<Bytes<'env>> {
    bytes(env, certificate.encode())
}

#[napi(catch_unwind)]
pub fn timeout_certificate_encoded_length(certificate: &External<TimeoutCertificate>) -> u32 {
    certificate.encoded_len() as u32
}

#[napi(catch_unwind)]
pub fn timeout_certificate_suite(certificate: &External<TimeoutCertificate>) -> &'static str {
    certificate.suite().name()
}

#[napi(catch_unwind)]
pub fn timeout_certificate_kind(certificate: &External<TimeoutCertificate>) -> u8 {
    certificate.kind().number()
}

#[napi(catch_unwind)]
pub fn timeout_certificate_epoch(certificate: &External<TimeoutCertificate>) -> u64 {
    certificate.epoch()
}

#[napi(catch_unwind)]
pub fn timeout_certificate_view(certificate: &External<TimeoutCertificate>) -> u64 {
    certificate.view()
}

#[napi(catch_unwind)]
pub fn timeout_certificate_highest_value(certificate: &External<TimeoutCertificate>) -> u64 {
    certificate.highest_value()
}

/// The members that named a value.
#[napi(object, object_from_js = false)]
pub struct Group {
    pub value: u64,
    pub signers: External<SignerSet>,
}

#[napi(catch_unwind)]
pub fn timeout_certificate_groups(certificate: &External<TimeoutCertificate>) -> Vec<Group> {
    let group = |(value, signers): &(u64, SignerSet)| Group {
        value: *value,
        signers: External::new(signers.clone()),
    };
    certificate.groups().iter().map(group).collect()
}

#[napi(catch_unwind)]
pub fn timeout_certificate_signers(certificate: &External<TimeoutCertificate>) -> External<SignerSet> {
    External::new(certificate.signers())
}

#[napi(catch_unwind)]
pub fn timeout_certificate_verify(
    certificate: &External<TimeoutCertificate>,
    committee: &External<Committee>,
) -> Result<External<Verified<TimeoutCertificate>>> {
    handle(TimeoutCertificate::clone(certificate).verify(committee))
}

#[napi(catch_unwind)]
pub fn timeout_certificate_verify_async(
    certificate: &External<TimeoutCertificate>,
    committee: &External<Committee>,
    cancelled: Option<&External<Flag>>,
) -> Promised<External<Verified<TimeoutCertificate>>> {
    let (certificate, committee) = (TimeoutCertificate::clone(certificate), Committee::clone(committee));
    queue(cancelled, move || certificate.verify(&committee).map(External::new))
}

#[napi(catch_unwind)]
pub fn timeout_certificate_equals(
    certificate: &External<TimeoutCertificate>,
    other: &External<TimeoutCertificate>,
) -> bool {
    **certificate == **other
}

#[napi(catch_unwind)]
pub fn verified_timeout_certificate_value(
    certificate: &External<Verified<TimeoutCertificate>>,
) -> External<TimeoutCertificate> {
    External::new(TimeoutCertificate::clone(certificate))
}

#[napi(catch_unwind)]
pub fn verified_timeout_certificate_committee(
    certificate: &External<Verified<TimeoutCertificate>>,
) -> External<CommitteeId> {
    External::new(certificate.committee())
}
