//! Identifiers of chains and committees, sets of members, committees.

use napi::Env;
use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use quorate::any::{Committee, PublicKey, VerifiedKey};
use quorate::certificate::{Kind, Statement};
use quorate::committee::{ChainId, CommitteeId, RawSigners, Repeats, SignerSet};

use crate::glue::{Bytes, Result, Throw, array, bytes, handle, large, number};
use crate::handle::External;

#[napi(catch_unwind)]
pub fn chain_id_from_name(name: String) -> External<ChainId> {
    External::new(ChainId::from_name(&name))
}

#[napi(catch_unwind)]
pub fn chain_id_from_bytes(data: &[u8]) -> Result<External<ChainId>> {
    Ok(External::new(ChainId(array("chain identifier", data)?)))
}

#[napi(catch_unwind)]
pub fn chain_id_bytes<'env>(env: &'env Env, id: &External<ChainId>) -> Result<Bytes<'env>> {
    bytes(env, id.0)
}

#[napi(catch_unwind)]
pub fn committee_id_from_bytes(data: &[u8]) -> Result<External<CommitteeId>> {
    Ok(External::new(CommitteeId(array("committee identifier", data)?)))
}

#[napi(catch_unwind)]
pub fn committee_id_bytes<'env>(env: &'env Env, id: &External<CommitteeId>) -> Result<Bytes<'env>> {
    bytes(env, id.0)
}

#[napi(catch_unwind)]
pub fn signer_set_new(size: u16) -> External<SignerSet> {
    External::new(SignerSet::new(size))
}

#[napi(catch_unwind)]
pub fn signer_set_full(size: u16) -> External<SignerSet> {
    External::new(SignerSet::full(size))
}

#[napi(catch_unwind)]
pub fn signer_set_from_members(size: u16, members: Vec<u16>) -> Result<External<SignerSet>> {
    handle(SignerSet::from_members(size, members))
}

#[napi(catch_unwind)]
pub fn signer_set_insert(set: &mut External<SignerSet>, member: u16) -> bool {
    set.insert(member)
}

#[napi(catch_unwind)]
pub fn signer_set_contains(set: &External<SignerSet>, member: u16) -> bool {
    set.contains(member)
}

#[napi(catch_unwind)]
pub fn signer_set_size(set: &External<SignerSet>) -> u32 {
    set.len() as u32
}

#[napi(catch_unwind)]
pub fn signer_set_committee_size(set: &External<SignerSet>) -> u16 {
    set.committee_len()
}

#[napi(catch_unwind)]
pub fn signer_set_members(set: &External<SignerSet>) -> Vec<u16> {
    set.iter().collect()
}

#[napi(catch_unwind)]
pub fn signer_set_complement(set: &External<SignerSet>) -> External<SignerSet> {
    External::new(set.complement())
}

#[napi(catch_unwind)]
pub fn signer_set_intersection(
    set: &External<SignerSet>,
    other: &External<SignerSet>,
) -> External<SignerSet> {
    External::new(set.intersection(other))
}

#[napi(catch_unwind)]
pub fn signer_set_union(set: &External<SignerSet>, other: &External<SignerSet>) -> External<SignerSet> {
    External::new(set.union(other))
}

#[napi(catch_unwind)]
pub fn signer_set_is_disjoint(set: &External<SignerSet>, other: &External<SignerSet>) -> bool {
    set.is_disjoint(other)
}

#[napi(catch_unwind)]
pub fn signer_set_equals(set: &External<SignerSet>, other: &External<SignerSet>) -> bool {
    **set == **other
}

#[napi(catch_unwind)]
pub fn committee_new(
    chain: &External<ChainId>,
    epoch: BigInt,
    keys: Vec<&External<VerifiedKey>>,
    weights: Vec<BigInt>,
) -> Result<External<Committee>> {
    let members = keys.into_iter().map(|key| VerifiedKey::clone(key)).zip(weights.iter().map(large));
    handle(Committee::new(**chain, number(&epoch), members.collect()))
}

#[napi(catch_unwind)]
pub fn committee_from_attested(
    chain: &External<ChainId>,
    epoch: BigInt,
    keys: Vec<&External<PublicKey>>,
    weights: Vec<BigInt>,
    allow_repeats: bool,
) -> Result<External<Committee>> {
    let members = keys.into_iter().map(|key| PublicKey::clone(key)).zip(weights.iter().map(large));
    let repeats = if allow_repeats { Repeats::Allow } else { Repeats::Refuse };
    handle(Committee::from_attested(**chain, number(&epoch), members.collect(), repeats))
}

#[napi(catch_unwind)]
pub fn committee_suite(committee: &External<Committee>) -> &'static str {
    committee.suite().name()
}

#[napi(catch_unwind)]
pub fn committee_id(committee: &External<Committee>) -> External<CommitteeId> {
    External::new(committee.id())
}

#[napi(catch_unwind)]
pub fn committee_chain(committee: &External<Committee>) -> External<ChainId> {
    External::new(committee.chain())
}

#[napi(catch_unwind)]
pub fn committee_epoch(committee: &External<Committee>) -> u64 {
    committee.epoch()
}

#[napi(catch_unwind)]
pub fn committee_size(committee: &External<Committee>) -> u16 {
    committee.len()
}

#[napi(catch_unwind)]
pub fn committee_total_weight(committee: &External<Committee>) -> u128 {
    committee.total_weight()
}

#[napi(catch_unwind)]
pub fn committee_quorum_weight(committee: &External<Committee>) -> u128 {
    committee.quorum_weight()
}

#[napi(catch_unwind)]
pub fn committee_honest_weight(committee: &External<Committee>) -> u128 {
    committee.honest_weight()
}

#[napi(catch_unwind)]
pub fn committee_weight(committee: &External<Committee>, member: u16) -> Option<u128> {
    committee.weight(member)
}

#[napi(catch_unwind)]
pub fn committee_key(committee: &External<Committee>, member: u16) -> Option<External<PublicKey>> {
    committee.key(member).map(External::new)
}

#[napi(catch_unwind)]
pub fn committee_keys(committee: &External<Committee>) -> Vec<External<PublicKey>> {
    committee.keys().into_iter().map(External::new).collect()
}

#[napi(catch_unwind)]
pub fn committee_position(committee: &External<Committee>, key: &External<PublicKey>) -> Option<u16> {
    committee.position(key)
}

#[napi(catch_unwind)]
pub fn committee_weight_of(committee: &External<Committee>, signers: &External<SignerSet>) -> u128 {
    committee.weight_of(signers)
}

#[napi(catch_unwind)]
pub fn committee_has_quorum(committee: &External<Committee>, signers: &External<SignerSet>) -> bool {
    committee.has_quorum(signers)
}

#[napi(catch_unwind)]
pub fn committee_require_quorum(
    committee: &External<Committee>,
    signers: &External<SignerSet>,
) -> Result<()> {
    committee.require_quorum(signers).throw()
}

#[napi(catch_unwind)]
pub fn committee_signers_of_indices(
    committee: &External<Committee>,
    indices: Vec<u32>,
) -> Result<External<SignerSet>> {
    handle(committee.signer_set(RawSigners::Indices(&indices)))
}

#[napi(catch_unwind)]
pub fn committee_signers_lsb_first(
    committee: &External<Committee>,
    bitmap: &[u8],
) -> Result<External<SignerSet>> {
    handle(committee.signer_set(RawSigners::LsbFirst(bitmap)))
}

#[napi(catch_unwind)]
pub fn committee_signers_msb_first(
    committee: &External<Committee>,
    bitmap: &[u8],
) -> Result<External<SignerSet>> {
    handle(committee.signer_set(RawSigners::MsbFirst(bitmap)))
}

#[napi(catch_unwind)]
pub fn committee_statement(
    committee: &External<Committee>,
    kind: u8,
    view: BigInt,
    digest: &[u8],
) -> Result<External<Statement>> {
    Ok(External::new(committee.statement(Kind::new(kind), number(&view), array("digest", digest)?)))
}
