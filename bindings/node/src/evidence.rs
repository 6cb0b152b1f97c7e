//! Evidence of protocol violations.

use napi::Env;
use napi_derive::napi;
use quorate::any::{Certificate, Committee, Conflict, Equivocation, Vote};
use quorate::committee::{CommitteeId, SignerSet, Verified};

use crate::glue::{Bytes, Flag, Promised, Result, bytes, handle, queue, suite};
use crate::handle::External;

#[napi(catch_unwind)]
pub fn equivocation_new(first: &External<Vote>, second: &External<Vote>) -> Result<External<Equivocation>> {
    handle(Equivocation::new(Vote::clone(first), Vote::clone(second)))
}

#[napi(catch_unwind)]
pub fn equivocation_decode(name: String, data: &[u8]) -> Result<External<Equivocation>> {
    handle(Equivocation::decode(suite(&name)?, data))
}

#[napi(catch_unwind)]
pub fn equivocation_encode<'env>(env: &'env Env, evidence: &External<Equivocation>) -> Result<Bytes<'env>> {
    bytes(env, evidence.encode())
}

#[napi(catch_unwind)]
pub fn equivocation_suite(evidence: &External<Equivocation>) -> &'static str {
    evidence.suite().name()
}

#[napi(catch_unwind)]
pub fn equivocation_votes(evidence: &External<Equivocation>) -> Vec<External<Vote>> {
    let (first, second) = evidence.votes();
    vec![External::new(first), External::new(second)]
}

#[napi(catch_unwind)]
pub fn equivocation_signer(evidence: &External<Equivocation>) -> u16 {
    evidence.signer()
}

#[napi(catch_unwind)]
pub fn equivocation_culprits(evidence: &External<Equivocation>) -> Vec<u16> {
    evidence.culprits().to_vec()
}

#[napi(catch_unwind)]
pub fn equivocation_verify(
    evidence: &External<Equivocation>,
    committee: &External<Committee>,
) -> Result<External<Verified<Equivocation>>> {
    handle(Equivocation::clone(evidence).verify(committee))
}

#[napi(catch_unwind)]
pub fn equivocation_verify_async(
    evidence: &External<Equivocation>,
    committee: &External<Committee>,
    cancelled: Option<&External<Flag>>,
) -> Promised<External<Verified<Equivocation>>> {
    let (evidence, committee) = (Equivocation::clone(evidence), Committee::clone(committee));
    queue(cancelled, move || evidence.verify(&committee).map(External::new))
}

#[napi(catch_unwind)]
pub fn equivocation_equals(evidence: &External<Equivocation>, other: &External<Equivocation>) -> bool {
    **evidence == **other
}

#[napi(catch_unwind)]
pub fn verified_equivocation_value(evidence: &External<Verified<Equivocation>>) -> External<Equivocation> {
    External::new(Equivocation::clone(evidence))
}

#[napi(catch_unwind)]
pub fn verified_equivocation_committee(evidence: &External<Verified<Equivocation>>) -> External<CommitteeId> {
    External::new(evidence.committee())
}

#[napi(catch_unwind)]
pub fn conflict_new(
    first: &External<Certificate>,
    second: &External<Certificate>,
) -> Result<External<Conflict>> {
    handle(Conflict::new(Certificate::clone(first), Certificate::clone(second)))
}

#[napi(catch_unwind)]
pub fn conflict_decode(data: &[u8], committee: &External<Committee>) -> Result<External<Conflict>> {
    handle(Conflict::decode(data, committee))
}

#[napi(catch_unwind)]
pub fn conflict_encode<'env>(env: &'env Env, evidence: &External<Conflict>) -> Result<Bytes<'env>> {
    bytes(env, evidence.encode())
}

#[napi(catch_unwind)]
pub fn conflict_suite(evidence: &External<Conflict>) -> &'static str {
    evidence.suite().name()
}

#[napi(catch_unwind)]
pub fn conflict_certificates(evidence: &External<Conflict>) -> Vec<External<Certificate>> {
    let (first, second) = evidence.certificates();
    vec![External::new(first), External::new(second)]
}

#[napi(catch_unwind)]
pub fn conflict_culprits(evidence: &External<Conflict>) -> External<SignerSet> {
    External::new(evidence.culprits())
}

#[napi(catch_unwind)]
pub fn conflict_verify(
    evidence: &External<Conflict>,
    committee: &External<Committee>,
) -> Result<External<Verified<Conflict>>> {
    handle(Conflict::clone(evidence).verify(committee))
}

#[napi(catch_unwind)]
pub fn conflict_verify_async(
    evidence: &External<Conflict>,
    committee: &External<Committee>,
    cancelled: Option<&External<Flag>>,
) -> Promised<External<Verified<Conflict>>> {
    let (evidence, committee) = (Conflict::clone(evidence), Committee::clone(committee));
    queue(cancelled, move || evidence.verify(&committee).map(External::new))
}

#[napi(catch_unwind)]
pub fn conflict_equals(evidence: &External<Conflict>, other: &External<Conflict>) -> bool {
    **evidence == **other
}

#[napi(catch_unwind)]
pub fn verified_conflict_value(evidence: &External<Verified<Conflict>>) -> External<Conflict> {
    External::new(Conflict::clone(evidence))
}

#[napi(catch_unwind)]
pub fn verified_conflict_committee(evidence: &External<Verified<Conflict>>) -> External<CommitteeId> {
    External::new(evidence.committee())
}
