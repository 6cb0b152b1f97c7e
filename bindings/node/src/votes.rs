//! Statements, votes, suspects and collectors of votes.

use napi::Env;
use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use quorate::any::{
    Certificate, Collected, Committee, Equivocation, Signature, Vote, VoteCollector, VoteFault,
};
use quorate::certificate::{Kind, Statement, Suspects};
use quorate::committee::{CommitteeId, Verified};
use quorate::wire::{Decode, Encode};

use crate::glue::{
    Bytes, Flag, Promised, Result, Throw, array, bytes, failure, handle, number, queue, suite,
};
use crate::handle::External;
use crate::keys::Secret;

#[napi(catch_unwind)]
pub fn statement_new(kind: u8, epoch: BigInt, view: BigInt, digest: &[u8]) -> Result<External<Statement>> {
    let (kind, digest) = (Kind::new(kind), array("digest", digest)?);
    Ok(External::new(Statement { kind, epoch: number(&epoch), view: number(&view), digest }))
}

#[napi(catch_unwind)]
pub fn statement_decode(data: &[u8]) -> Result<External<Statement>> {
    handle(Statement::decode(data, &()))
}

#[napi(catch_unwind)]
pub fn statement_encode<'env>(env: &'env Env, statement: &External<Statement>) -> Result<Bytes<'env>> {
    bytes(env, statement.encode())
}

#[napi(catch_unwind)]
pub fn statement_kind(statement: &External<Statement>) -> u8 {
    statement.kind.number()
}

#[napi(catch_unwind)]
pub fn statement_epoch(statement: &External<Statement>) -> u64 {
    statement.epoch
}

#[napi(catch_unwind)]
pub fn statement_view(statement: &External<Statement>) -> u64 {
    statement.view
}

#[napi(catch_unwind)]
pub fn statement_digest<'env>(env: &'env Env, statement: &External<Statement>) -> Result<Bytes<'env>> {
    bytes(env, statement.digest)
}

#[napi(catch_unwind)]
pub fn statement_signed_bytes<'env>(
    env: &'env Env,
    statement: &External<Statement>,
    committee: &External<CommitteeId>,
) -> Result<Bytes<'env>> {
    bytes(env, statement.signed_bytes(committee))
}

#[napi(catch_unwind)]
pub fn statement_identity<'env>(
    env: &'env Env,
    statement: &External<Statement>,
    committee: &External<CommitteeId>,
) -> Result<Bytes<'env>> {
    bytes(env, statement.identity(committee))
}

#[napi(catch_unwind)]
pub fn statement_contradicts(statement: &External<Statement>, other: &External<Statement>) -> bool {
    statement.contradicts(other)
}

#[napi(catch_unwind)]
pub fn statement_equals(statement: &External<Statement>, other: &External<Statement>) -> bool {
    **statement == **other
}

#[napi(catch_unwind)]
pub fn vote_new(
    statement: &External<Statement>,
    signer: u16,
    signature: &External<Signature>,
) -> External<Vote> {
    External::new(Vote::new(**statement, signer, Signature::clone(signature)))
}

#[napi(catch_unwind)]
pub fn vote_sign_unguarded(
    key: &External<Secret>,
    committee: &External<Committee>,
    statement: &External<Statement>,
) -> Result<External<Vote>> {
    handle(Vote::sign_unguarded(key.open()?, committee, **statement))
}

#[napi(catch_unwind)]
pub fn vote_decode(name: String, data: &[u8]) -> Result<External<Vote>> {
    handle(Vote::decode(suite(&name)?, data))
}

#[napi(catch_unwind)]
pub fn vote_encode<'env>(env: &'env Env, vote: &External<Vote>) -> Result<Bytes<'env>> {
    bytes(env, vote.encode())
}

#[napi(catch_unwind)]
pub fn vote_decode_link(name: String, data: &[u8]) -> Result<External<Vote>> {
    handle(Vote::decode_link(suite(&name)?, data))
}

#[napi(catch_unwind)]
pub fn vote_encode_link<'env>(env: &'env Env, vote: &External<Vote>) -> Result<Bytes<'env>> {
    bytes(env, vote.encode_link())
}

#[napi(catch_unwind)]
pub fn vote_suite(vote: &External<Vote>) -> &'static str {
    vote.suite().name()
}

#[napi(catch_unwind)]
pub fn vote_statement(vote: &External<Vote>) -> External<Statement> {
    External::new(*vote.statement())
}

#[napi(catch_unwind)]
pub fn vote_signer(vote: &External<Vote>) -> u16 {
    vote.signer()
}

#[napi(catch_unwind)]
pub fn vote_signature(vote: &External<Vote>) -> External<Signature> {
    External::new(vote.signature())
}

#[napi(catch_unwind)]
pub fn vote_verify(
    vote: &External<Vote>,
    committee: &External<Committee>,
) -> Result<External<Verified<Vote>>> {
    handle(Vote::clone(vote).verify(committee))
}

#[napi(catch_unwind)]
pub fn vote_verify_async(
    vote: &External<Vote>,
    committee: &External<Committee>,
    cancelled: Option<&External<Flag>>,
) -> Promised<External<Verified<Vote>>> {
    let (vote, committee) = (Vote::clone(vote), Committee::clone(committee));
    queue(cancelled, move || vote.verify(&committee).map(External::new))
}

#[napi(catch_unwind)]
pub fn vote_equals(vote: &External<Vote>, other: &External<Vote>) -> bool {
    **vote == **other
}

#[napi(catch_unwind)]
pub fn verified_vote_value(vote: &External<Verified<Vote>>) -> External<Vote> {
    External::new(Vote::clone(vote))
}

#[napi(catch_unwind)]
pub fn verified_vote_committee(vote: &External<Verified<Vote>>) -> External<CommitteeId> {
    External::new(vote.committee())
}

#[napi(catch_unwind)]
pub fn suspects_new() -> External<Suspects> {
    External::new(Suspects::new())
}

#[napi(catch_unwind)]
pub fn suspects_contains(suspects: &External<Suspects>, member: u16) -> bool {
    suspects.contains(member)
}

#[napi(catch_unwind)]
pub fn suspects_members(suspects: &External<Suspects>) -> Vec<u16> {
    suspects.iter().collect()
}

#[napi(catch_unwind)]
pub fn suspects_size(suspects: &External<Suspects>) -> u32 {
    suspects.len() as u32
}

#[napi(catch_unwind)]
pub fn suspects_accuse(suspects: &mut External<Suspects>, member: u16) {
    suspects.accuse(member);
}

#[napi(catch_unwind)]
pub fn suspects_decay(suspects: &mut External<Suspects>) {
    suspects.decay();
}

/// A fault in a vote: `error` is set for a stray one, `evidence` for an equivocation.
#[napi(object, object_from_js = false)]
pub struct Fault {
    pub signer: u16,
    pub error: Option<String>,
    pub evidence: Option<External<Verified<Equivocation>>>,
}

impl From<VoteFault> for Fault {
    fn from(fault: VoteFault) -> Self {
        let signer = fault.signer();
        match fault {
            VoteFault::Stray { error, .. } => Self { signer, error: Some(failure(&error)), evidence: None },
            VoteFault::BadSignature { .. } => Self { signer, error: None, evidence: None },
            VoteFault::Equivocation(evidence) => {
                Self { signer, error: None, evidence: Some(External::new(*evidence)) }
            }
        }
    }
}

/// Result of adding a vote.
#[napi(object, object_from_js = false)]
pub struct CollectedVotes {
    pub certificate: Option<External<Verified<Certificate>>>,
    pub faults: Vec<Fault>,
}

impl From<Collected> for CollectedVotes {
    fn from(collected: Collected) -> Self {
        Self {
            certificate: collected.certificate.map(External::new),
            faults: collected.faults.into_iter().map(Fault::from).collect(),
        }
    }
}

#[napi(catch_unwind)]
pub fn vote_collector_new(
    committee: &External<Committee>,
    kind: u8,
    view: BigInt,
    batch_threshold: Option<u32>,
    failure_limit: Option<u16>,
) -> External<VoteCollector> {
    let mut collector = VoteCollector::new(committee, Kind::new(kind), number(&view));
    if let Some(votes) = batch_threshold {
        collector = collector.with_batch_threshold(votes as usize);
    }
    if let Some(votes) = failure_limit {
        collector = collector.with_failure_limit(votes);
    }
    External::new(collector)
}

#[napi(catch_unwind)]
pub fn vote_collector_add(
    collector: &mut External<VoteCollector>,
    vote: &External<Vote>,
    suspects: &mut External<Suspects>,
) -> Result<CollectedVotes> {
    collector.add(Vote::clone(vote), suspects).map(CollectedVotes::from).throw()
}

#[napi(catch_unwind)]
pub fn vote_collector_add_verified(
    collector: &mut External<VoteCollector>,
    vote: &External<Verified<Vote>>,
    suspects: &mut External<Suspects>,
) -> Result<CollectedVotes> {
    collector.add_verified(Verified::clone(vote), suspects).map(CollectedVotes::from).throw()
}

#[napi(catch_unwind)]
pub fn vote_collector_kind(collector: &External<VoteCollector>) -> u8 {
    collector.topic().0.number()
}

#[napi(catch_unwind)]
pub fn vote_collector_view(collector: &External<VoteCollector>) -> u64 {
    collector.topic().1
}

#[napi(catch_unwind)]
pub fn vote_collector_weight_for(collector: &External<VoteCollector>, digest: &[u8]) -> Result<u128> {
    Ok(collector.weight_for(&array("digest", digest)?))
}

#[napi(catch_unwind)]
pub fn vote_collector_is_done(collector: &External<VoteCollector>) -> bool {
    collector.is_done()
}
