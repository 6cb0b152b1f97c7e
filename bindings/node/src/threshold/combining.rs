//! Threshold ECDSA: combining shares to a signature.

use napi::Env;
use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use quorate::any::threshold::Outcome;
use quorate::any::threshold::ecdsa::{
    Combiner, GroupKey, Opening, ShareFault, Signature, SignatureShare, Signing, Tag,
};
use quorate::machine::MemberIndex;

use super::deal::{SharedDeal, parse_group};
use super::{CountsInfo, EvidenceVerdict, SharedCache, accuse};
use crate::glue::{Bytes, Result, Throw, bytes, handle};
use crate::handle::External;

#[napi(catch_unwind)]
pub fn ecdsa_share_decode(group: String, data: &[u8]) -> Result<External<SignatureShare>> {
    handle(SignatureShare::decode(parse_group(&group)?, data))
}

#[napi(catch_unwind)]
pub fn ecdsa_share_encode<'env>(env: &'env Env, share: &External<SignatureShare>) -> Result<Bytes<'env>> {
    bytes(env, share.encode())
}

/// Properties of a share.
#[napi(object, object_from_js = false)]
pub struct EcdsaShareInfo {
    pub group: &'static str,
    pub member: MemberIndex,
    pub epoch: u64,
    pub index: u32,
    pub digest: Uint8Array,
    pub attestation: Uint8Array,
}

#[napi(catch_unwind)]
pub fn ecdsa_share_info(share: &External<SignatureShare>) -> EcdsaShareInfo {
    EcdsaShareInfo {
        group: share.group().name(),
        member: share.member(),
        epoch: share.epoch(),
        index: share.index(),
        digest: share.digest().to_vec().into(),
        attestation: share.attestation().to_vec().into(),
    }
}

#[napi(catch_unwind)]
pub fn ecdsa_share_attested_bytes<'env>(
    env: &'env Env,
    share: &External<SignatureShare>,
) -> Result<Bytes<'env>> {
    bytes(env, share.attested_bytes())
}

#[napi(catch_unwind)]
pub fn ecdsa_share_attest(
    share: &External<SignatureShare>,
    attestation: &[u8],
) -> Result<External<SignatureShare>> {
    let mut share = SignatureShare::clone(share);
    share.attest(attestation.to_vec()).throw()?;
    Ok(External::new(share))
}

#[napi(catch_unwind)]
pub fn ecdsa_opening_decode(group: String, data: &[u8]) -> Result<External<Opening>> {
    handle(Opening::decode(parse_group(&group)?, data))
}

#[napi(catch_unwind)]
pub fn ecdsa_opening_encode<'env>(env: &'env Env, opening: &External<Opening>) -> Result<Bytes<'env>> {
    bytes(env, opening.encode())
}

#[napi(catch_unwind)]
pub fn ecdsa_opening_group(opening: &External<Opening>) -> &'static str {
    opening.group().name()
}

#[napi(catch_unwind)]
pub fn ecdsa_opening_member(opening: &External<Opening>) -> MemberIndex {
    opening.member()
}

#[napi(catch_unwind)]
pub fn ecdsa_opening_index(opening: &External<Opening>) -> u32 {
    opening.index()
}

#[napi(catch_unwind)]
pub fn ecdsa_signing_new(
    key: &External<GroupKey>,
    deal: &External<SharedDeal>,
    nonce: &[u8],
    tag: &External<Tag>,
    message: &[u8],
) -> Result<External<Signing>> {
    handle(Signing::new(key, SharedDeal::clone(deal), nonce, **tag, message))
}

#[napi(catch_unwind)]
pub fn ecdsa_signing_group(signing: &External<Signing>) -> &'static str {
    signing.group().name()
}

#[napi(catch_unwind)]
pub fn ecdsa_signing_message<'env>(env: &'env Env, signing: &External<Signing>) -> Result<Bytes<'env>> {
    bytes(env, signing.message())
}

#[napi(catch_unwind)]
pub fn ecdsa_signing_nonce<'env>(env: &'env Env, signing: &External<Signing>) -> Result<Bytes<'env>> {
    bytes(env, signing.nonce())
}

#[napi(catch_unwind)]
pub fn ecdsa_signing_tag(signing: &External<Signing>) -> External<Tag> {
    External::new(signing.tag())
}

/// A combiner with its cache.
pub struct Combining {
    combiner: Combiner,
    cache: SharedCache,
}

#[napi(catch_unwind)]
pub fn ecdsa_combiner_new(
    signing: &External<Signing>,
    cache: Option<&External<SharedCache>>,
) -> External<Combining> {
    let combiner = Combiner::new(Signing::clone(signing));
    External::new(Combining { combiner, cache: SharedCache::or_new(cache) })
}

/// A wrong share, with the evidence against it.
#[napi(object, object_from_js = false)]
pub struct EcdsaFault {
    pub culprit: MemberIndex,
    pub evidence: External<ShareFault>,
}

/// Result of adding a share or an opening.
#[napi(object, object_from_js = false)]
pub struct EcdsaOutcome {
    pub signature: Option<External<Signature>>,
    pub wanted: Vec<MemberIndex>,
    pub faults: Vec<EcdsaFault>,
}

impl From<Outcome<Signature, ShareFault>> for EcdsaOutcome {
    fn from(outcome: Outcome<Signature, ShareFault>) -> Self {
        let faults = outcome
            .faults
            .into_iter()
            .map(|fault| EcdsaFault { culprit: fault.culprit, evidence: External::new(fault.evidence) });
        Self {
            signature: outcome.signature.map(External::new),
            wanted: outcome.wanted,
            faults: faults.collect(),
        }
    }
}

#[napi(catch_unwind)]
pub fn ecdsa_combiner_add(
    combining: &mut External<Combining>,
    from: MemberIndex,
    share: &External<SignatureShare>,
) -> Result<EcdsaOutcome> {
    let Combining { combiner, cache } = &mut **combining;
    let outcome = cache.with(|cache| combiner.add(cache, from, SignatureShare::clone(share)));
    outcome.map(EcdsaOutcome::from).throw()
}

#[napi(catch_unwind)]
pub fn ecdsa_combiner_open(
    combining: &mut External<Combining>,
    of: MemberIndex,
    opening: &External<Opening>,
) -> Result<EcdsaOutcome> {
    let Combining { combiner, cache } = &mut **combining;
    cache.with(|cache| combiner.open(cache, of, opening)).map(EcdsaOutcome::from).throw()
}

#[napi(catch_unwind)]
pub fn ecdsa_combiner_signing(combining: &External<Combining>) -> External<Signing> {
    External::new(combining.combiner.signing())
}

#[napi(catch_unwind)]
pub fn ecdsa_combiner_signature(combining: &External<Combining>) -> Option<External<Signature>> {
    combining.combiner.signature().map(External::new)
}

#[napi(catch_unwind)]
pub fn ecdsa_combiner_counts(combining: &External<Combining>) -> CountsInfo {
    combining.combiner.counts().into()
}

#[napi(catch_unwind)]
pub fn ecdsa_fault_decode(group: String, data: &[u8]) -> Result<External<ShareFault>> {
    handle(ShareFault::decode(parse_group(&group)?, data))
}

#[napi(catch_unwind)]
pub fn ecdsa_fault_encode<'env>(env: &'env Env, fault: &External<ShareFault>) -> Result<Bytes<'env>> {
    bytes(env, fault.encode())
}

#[napi(catch_unwind)]
pub fn ecdsa_fault_group(fault: &External<ShareFault>) -> &'static str {
    fault.group().name()
}

#[napi(catch_unwind)]
pub fn ecdsa_fault_share(fault: &External<ShareFault>) -> External<SignatureShare> {
    External::new(fault.share())
}

#[napi(catch_unwind)]
pub fn ecdsa_fault_verify(
    fault: &External<ShareFault>,
    key: &External<GroupKey>,
    deal: &External<SharedDeal>,
) -> Result<EvidenceVerdict> {
    accuse(|attested| fault.verify(key, deal, attested))
}
