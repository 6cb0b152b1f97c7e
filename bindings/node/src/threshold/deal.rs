//! Threshold ECDSA: keys, plans, and the public part of a deal.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{BigInt, Uint8Array};
use napi_derive::napi;
use quorate::any::threshold::Group;
use quorate::any::threshold::ecdsa::{GroupKey, Signature, Tag};
use quorate::committee::CommitteeId;
use quorate::machine::MemberIndex;
use quorate::threshold::Tolerance;
use quorate::threshold::ecdsa::{Deal, Plan};
use quorate::wire::{Decode, Encode};

use super::agreement_name;
use crate::glue::{Bytes, Result, Throw, bytes, handle, number};
use crate::handle::External;

/// Returns the group with this name.
pub(crate) fn parse_group(name: &str) -> Result<Group> {
    Group::from_name(name).throw()
}

#[napi(catch_unwind)]
pub fn ecdsa_groups() -> Vec<&'static str> {
    Group::ALL.iter().map(|group| group.name()).collect()
}

#[napi(catch_unwind)]
pub fn ecdsa_key_decode(group: String, data: &[u8]) -> Result<External<GroupKey>> {
    handle(GroupKey::decode(parse_group(&group)?, data))
}

#[napi(catch_unwind)]
pub fn ecdsa_key_encode<'env>(env: &'env Env, key: &External<GroupKey>) -> Result<Bytes<'env>> {
    bytes(env, key.encode())
}

/// Properties of a key.
#[napi(object, object_from_js = false)]
pub struct GroupKeyInfo {
    pub group: &'static str,
    pub id: Uint8Array,
    pub committee: External<CommitteeId>,
    pub tolerance: External<Tolerance>,
}

#[napi(catch_unwind)]
pub fn ecdsa_key_info(key: &External<GroupKey>) -> GroupKeyInfo {
    GroupKeyInfo {
        group: key.group().name(),
        id: key.id().0.to_vec().into(),
        committee: External::new(key.committee()),
        tolerance: External::new(key.tolerance()),
    }
}

#[napi(catch_unwind)]
pub fn ecdsa_key_verify(
    key: &External<GroupKey>,
    tag: &External<Tag>,
    message: &[u8],
    signature: &External<Signature>,
) -> Result<()> {
    key.verify(**tag, message, signature).throw()
}

#[napi(catch_unwind)]
pub fn ecdsa_key_verify_message(
    key: &External<GroupKey>,
    message: &[u8],
    signature: &External<Signature>,
) -> Result<()> {
    key.verify_message(message, signature).throw()
}

#[napi(catch_unwind)]
pub fn ecdsa_key_to_spki_der<'env>(env: &'env Env, key: &External<GroupKey>) -> Result<Bytes<'env>> {
    bytes(env, key.to_spki_der().throw()?)
}

#[napi(catch_unwind)]
pub fn ecdsa_signature_decode(group: String, data: &[u8]) -> Result<External<Signature>> {
    handle(Signature::decode(parse_group(&group)?, data))
}

#[napi(catch_unwind)]
pub fn ecdsa_signature_encode<'env>(env: &'env Env, signature: &External<Signature>) -> Result<Bytes<'env>> {
    bytes(env, signature.to_bytes())
}

#[napi(catch_unwind)]
pub fn ecdsa_signature_group(signature: &External<Signature>) -> &'static str {
    signature.group().name()
}

#[napi(catch_unwind)]
pub fn ecdsa_signature_to_der<'env>(env: &'env Env, signature: &External<Signature>) -> Result<Bytes<'env>> {
    bytes(env, signature.to_der().throw()?)
}

#[napi(catch_unwind)]
pub fn ecdsa_plan_for_agreement(parties: u16, rounds: Option<u16>) -> External<Plan> {
    External::new(Plan::Agreement { parties, rounds: rounds.unwrap_or(Plan::ROUNDS) })
}

#[napi(catch_unwind)]
pub fn ecdsa_plan_for_agreed(count: u32) -> External<Plan> {
    External::new(Plan::Agreed { count })
}

#[napi(catch_unwind)]
pub fn ecdsa_plan_for_unagreed(count: u32) -> External<Plan> {
    External::new(Plan::Unagreed { count })
}

#[napi(catch_unwind)]
pub fn ecdsa_plan_decode(data: &[u8]) -> Result<External<Plan>> {
    handle(Plan::decode(data, &()))
}

#[napi(catch_unwind)]
pub fn ecdsa_plan_encode<'env>(env: &'env Env, plan: &External<Plan>) -> Result<Bytes<'env>> {
    bytes(env, plan.encode())
}

/// Limits.
#[napi(object, object_from_js = false)]
pub struct PlanConstants {
    pub rounds: u16,
    pub max_count: u32,
    pub max_attestation: u32,
}

#[napi(catch_unwind)]
pub fn ecdsa_constants() -> PlanConstants {
    use quorate::threshold::{Secp256k1, ecdsa};
    let max_attestation = ecdsa::SignatureShare::<Secp256k1>::MAX_ATTESTATION as u32;
    PlanConstants { rounds: Plan::ROUNDS, max_count: Plan::MAX_COUNT, max_attestation }
}

#[napi(catch_unwind)]
pub fn ecdsa_plan_count(plan: &External<Plan>) -> u32 {
    plan.count()
}

#[napi(catch_unwind)]
pub fn ecdsa_plan_agreement(plan: &External<Plan>, index: u32) -> Option<&'static str> {
    plan.agreement(index).map(agreement_name)
}

#[napi(catch_unwind)]
pub fn ecdsa_plan_prbc(plan: &External<Plan>, epoch: BigInt, member: MemberIndex) -> Result<External<Tag>> {
    handle(plan.prbc(number(&epoch), member).map(Tag::from))
}

#[napi(catch_unwind)]
pub fn ecdsa_plan_promotion(
    plan: &External<Plan>,
    epoch: BigInt,
    round: u16,
    member: MemberIndex,
    step: u8,
) -> Result<External<Tag>> {
    handle(plan.promotion(number(&epoch), round, member, step).map(Tag::from))
}

#[napi(catch_unwind)]
pub fn ecdsa_plan_completion(plan: &External<Plan>, epoch: BigInt, round: u16) -> Result<External<Tag>> {
    handle(plan.completion(number(&epoch), round).map(Tag::from))
}

#[napi(catch_unwind)]
pub fn ecdsa_plan_agreed(plan: &External<Plan>, epoch: BigInt, at: u32) -> Result<External<Tag>> {
    handle(plan.agreed(number(&epoch), at).map(Tag::from))
}

#[napi(catch_unwind)]
pub fn ecdsa_plan_unagreed(plan: &External<Plan>, epoch: BigInt, at: u32) -> Result<External<Tag>> {
    handle(plan.unagreed(number(&epoch), at).map(Tag::from))
}

/// Properties of a tag.
#[napi(object, object_from_js = false)]
pub struct TagInfo {
    pub epoch: u64,
    pub index: u32,
    pub agreement: &'static str,
}

#[napi(catch_unwind)]
pub fn ecdsa_tag_info(tag: &External<Tag>) -> TagInfo {
    TagInfo { epoch: tag.epoch(), index: tag.index(), agreement: agreement_name(tag.agreement()) }
}

/// Public part of an epoch's deal, shared by its holders.
pub type SharedDeal = Arc<Deal>;

#[napi(catch_unwind)]
pub fn ecdsa_deal_decode(data: &[u8]) -> Result<External<SharedDeal>> {
    handle(Deal::decode(data, &()).map(SharedDeal::new))
}

#[napi(catch_unwind)]
pub fn ecdsa_deal_encode<'env>(env: &'env Env, deal: &External<SharedDeal>) -> Result<Bytes<'env>> {
    bytes(env, deal.encode())
}

/// Properties of a deal.
#[napi(object, object_from_js = false)]
pub struct DealInfo {
    pub id: Uint8Array,
    pub key: Uint8Array,
    pub epoch: u64,
    pub plan: External<Plan>,
}

#[napi(catch_unwind)]
pub fn ecdsa_deal_info(deal: &External<SharedDeal>) -> DealInfo {
    DealInfo {
        id: deal.id().to_vec().into(),
        key: deal.key().0.to_vec().into(),
        epoch: deal.epoch(),
        plan: External::new(deal.plan()),
    }
}

#[napi(catch_unwind)]
pub fn ecdsa_deal_roots<'env>(env: &'env Env, deal: &External<SharedDeal>) -> Result<Vec<Bytes<'env>>> {
    deal.roots().iter().map(|root| bytes(env, root)).collect()
}
