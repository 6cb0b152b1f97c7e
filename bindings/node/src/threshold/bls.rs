//! Threshold BLS: signatures of shared keys.

use getrandom::SysRng;
use napi::Env;
use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use quorate::any::threshold::Outcome;
use quorate::any::threshold::bls::{self, Combiner, GroupKey, KeyShare, ShareFault, SignatureShare, Signing};
use quorate::any::{PublicKey, Signature, Suite};
use quorate::committee::CommitteeId;
use quorate::machine::MemberIndex;
use quorate::threshold::{Agreement, Threshold, Tolerance};

use super::{CountsInfo, EvidenceVerdict, SharedCache, accuse, parse_agreement};
use crate::glue::{Bytes, Closable, Flag, Promised, Result, Throw, bytes, handle, queue, suite};
use crate::handle::External;

/// A party's share of a key until it is closed.
pub type OpenKeyShare = Closable<KeyShare>;

fn open(share: KeyShare) -> External<OpenKeyShare> {
    External::new(Closable::new("key share", share))
}

fn deal(
    suite: Suite,
    committee: CommitteeId,
    tolerance: Tolerance,
    agreement: Agreement,
) -> quorate::Result<Vec<External<OpenKeyShare>>> {
    Ok(bls::deal(suite, committee, tolerance, agreement, &mut SysRng)?.into_iter().map(open).collect())
}

#[napi(catch_unwind)]
pub fn shared_bls_deal(
    name: String,
    committee: &External<CommitteeId>,
    tolerance: &External<Tolerance>,
    agreement: String,
) -> Result<Vec<External<OpenKeyShare>>> {
    deal(suite(&name)?, **committee, **tolerance, parse_agreement(&agreement).throw()?).throw()
}

#[napi(catch_unwind)]
pub fn shared_bls_deal_async(
    name: String,
    committee: &External<CommitteeId>,
    tolerance: &External<Tolerance>,
    agreement: String,
    cancelled: Option<&External<Flag>>,
) -> Result<Promised<Vec<External<OpenKeyShare>>>> {
    let (suite, agreement) = (suite(&name)?, parse_agreement(&agreement).throw()?);
    let (committee, tolerance) = (**committee, **tolerance);
    Ok(queue(cancelled, move || deal(suite, committee, tolerance, agreement)))
}

#[napi(catch_unwind)]
pub fn shared_bls_beacon<'env>(env: &'env Env, signature: &External<Signature>) -> Result<Bytes<'env>> {
    bytes(env, bls::beacon(signature).throw()?)
}

#[napi(catch_unwind)]
pub fn shared_bls_key_decode(name: String, data: &[u8]) -> Result<External<GroupKey>> {
    handle(GroupKey::decode(suite(&name)?, data))
}

#[napi(catch_unwind)]
pub fn shared_bls_key_encode<'env>(env: &'env Env, key: &External<GroupKey>) -> Result<Bytes<'env>> {
    bytes(env, key.encode())
}

/// Properties of a key.
#[napi(object, object_from_js = false)]
pub struct SharedKeyInfo {
    pub suite: &'static str,
    pub id: Uint8Array,
    pub committee: External<CommitteeId>,
    pub tolerance: External<Tolerance>,
    pub threshold: External<Threshold>,
}

#[napi(catch_unwind)]
pub fn shared_bls_key_info(key: &External<GroupKey>) -> SharedKeyInfo {
    SharedKeyInfo {
        suite: key.suite().name(),
        id: key.id().to_vec().into(),
        committee: External::new(key.committee()),
        tolerance: External::new(key.tolerance()),
        threshold: External::new(key.threshold()),
    }
}

#[napi(catch_unwind)]
pub fn shared_bls_key_public(key: &External<GroupKey>) -> External<PublicKey> {
    External::new(key.public())
}

#[napi(catch_unwind)]
pub fn shared_bls_key_party(key: &External<GroupKey>, member: MemberIndex) -> Option<External<PublicKey>> {
    key.party(member).map(External::new)
}

#[napi(catch_unwind)]
pub fn shared_bls_key_share_from_bytes(name: String, data: &[u8]) -> Result<External<OpenKeyShare>> {
    KeyShare::from_bytes(suite(&name)?, data).map(open).throw()
}

#[napi(catch_unwind)]
pub fn shared_bls_key_share_to_bytes<'env>(
    env: &'env Env,
    share: &External<OpenKeyShare>,
) -> Result<Bytes<'env>> {
    bytes(env, share.open()?.to_bytes().as_slice())
}

#[napi(catch_unwind)]
pub fn shared_bls_key_share_suite(share: &External<OpenKeyShare>) -> Result<&'static str> {
    Ok(share.open()?.suite().name())
}

#[napi(catch_unwind)]
pub fn shared_bls_key_share_member(share: &External<OpenKeyShare>) -> Result<MemberIndex> {
    Ok(share.open()?.member())
}

#[napi(catch_unwind)]
pub fn shared_bls_key_share_key(share: &External<OpenKeyShare>) -> Result<External<GroupKey>> {
    Ok(External::new(share.open()?.key()))
}

#[napi(catch_unwind)]
pub fn shared_bls_key_share_sign(
    share: &External<OpenKeyShare>,
    message: &[u8],
) -> Result<External<SignatureShare>> {
    Ok(External::new(share.open()?.sign(message)))
}

#[napi(catch_unwind)]
pub fn shared_bls_key_share_close(share: &mut External<OpenKeyShare>) {
    share.close();
}

#[napi(catch_unwind)]
pub fn shared_bls_key_share_closed(share: &External<OpenKeyShare>) -> bool {
    share.is_closed()
}

#[napi(catch_unwind)]
pub fn shared_bls_share_decode(name: String, data: &[u8]) -> Result<External<SignatureShare>> {
    handle(SignatureShare::decode(suite(&name)?, data))
}

#[napi(catch_unwind)]
pub fn shared_bls_share_encode<'env>(
    env: &'env Env,
    share: &External<SignatureShare>,
) -> Result<Bytes<'env>> {
    bytes(env, share.encode())
}

/// Properties of a share.
#[napi(object, object_from_js = false)]
pub struct BlsShareInfo {
    pub suite: &'static str,
    pub member: MemberIndex,
    pub digest: Uint8Array,
    pub attestation: Uint8Array,
}

#[napi(catch_unwind)]
pub fn shared_bls_share_info(share: &External<SignatureShare>) -> BlsShareInfo {
    BlsShareInfo {
        suite: share.suite().name(),
        member: share.member(),
        digest: share.digest().to_vec().into(),
        attestation: share.attestation().to_vec().into(),
    }
}

#[napi(catch_unwind)]
pub fn shared_bls_share_attested_bytes<'env>(
    env: &'env Env,
    share: &External<SignatureShare>,
) -> Result<Bytes<'env>> {
    bytes(env, share.attested_bytes())
}

#[napi(catch_unwind)]
pub fn shared_bls_share_attest(
    share: &External<SignatureShare>,
    attestation: &[u8],
) -> Result<External<SignatureShare>> {
    let mut share = SignatureShare::clone(share);
    share.attest(attestation.to_vec()).throw()?;
    Ok(External::new(share))
}

/// A combiner with its cache.
pub struct Combining {
    combiner: Combiner,
    cache: SharedCache,
}

#[napi(catch_unwind)]
pub fn shared_bls_combiner_new(
    key: &External<GroupKey>,
    message: &[u8],
    cache: Option<&External<SharedCache>>,
) -> External<Combining> {
    let combiner = Combiner::new(Signing::new(key, message));
    External::new(Combining { combiner, cache: SharedCache::or_new(cache) })
}

/// A wrong share, with the evidence against it.
#[napi(object, object_from_js = false)]
pub struct BlsFault {
    pub culprit: MemberIndex,
    pub evidence: External<ShareFault>,
}

/// Result of adding a share.
#[napi(object, object_from_js = false)]
pub struct BlsOutcome {
    pub signature: Option<External<Signature>>,
    pub faults: Vec<BlsFault>,
}

impl From<Outcome<Signature, ShareFault>> for BlsOutcome {
    fn from(outcome: Outcome<Signature, ShareFault>) -> Self {
        let faults = outcome.faults.into_iter();
        let fault = |culprit, evidence| BlsFault { culprit, evidence: External::new(evidence) };
        Self {
            signature: outcome.signature.map(External::new),
            faults: faults.map(|one| fault(one.culprit, one.evidence)).collect(),
        }
    }
}

#[napi(catch_unwind)]
pub fn shared_bls_combiner_add(
    combining: &mut External<Combining>,
    from: MemberIndex,
    share: &External<SignatureShare>,
) -> Result<BlsOutcome> {
    let Combining { combiner, cache } = &mut **combining;
    let outcome = cache.with(|cache| combiner.add(cache, from, SignatureShare::clone(share)));
    outcome.map(BlsOutcome::from).throw()
}

#[napi(catch_unwind)]
pub fn shared_bls_combiner_signature(combining: &External<Combining>) -> Option<External<Signature>> {
    combining.combiner.signature().map(External::new)
}

#[napi(catch_unwind)]
pub fn shared_bls_combiner_counts(combining: &External<Combining>) -> CountsInfo {
    combining.combiner.counts().into()
}

#[napi(catch_unwind)]
pub fn shared_bls_fault_decode(name: String, data: &[u8]) -> Result<External<ShareFault>> {
    handle(ShareFault::decode(suite(&name)?, data))
}

#[napi(catch_unwind)]
pub fn shared_bls_fault_encode<'env>(env: &'env Env, fault: &External<ShareFault>) -> Result<Bytes<'env>> {
    bytes(env, fault.encode())
}

#[napi(catch_unwind)]
pub fn shared_bls_fault_suite(fault: &External<ShareFault>) -> &'static str {
    fault.suite().name()
}

#[napi(catch_unwind)]
pub fn shared_bls_fault_share(fault: &External<ShareFault>) -> External<SignatureShare> {
    External::new(fault.share())
}

#[napi(catch_unwind)]
pub fn shared_bls_fault_verify(
    fault: &External<ShareFault>,
    key: &External<GroupKey>,
) -> Result<EvidenceVerdict> {
    accuse(|attested| fault.verify(key, attested))
}
