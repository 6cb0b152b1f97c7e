//! Threshold cryptography: operations that need t of n members.
//!
//! | module | concepts |
//! |---|---|
//! | [`dleq`], [`tdh2`], [`coin`] | threshold encryption and the coin, and their common parts |
//! | [`dealer`], [`deal`], [`presignatures`], [`combining`] | ECDSA with presignatures |
//! | [`bls`] | signatures of shared keys |
//! | [`seal`] | files sealed to one recipient |

pub mod bls;
pub mod coin;
pub mod combining;
pub mod deal;
pub mod dealer;
pub mod dleq;
pub mod presignatures;
pub mod seal;
pub mod tdh2;

use std::sync::{Arc, Mutex, TryLockError};

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use quorate::Error;
use quorate::any::threshold::Cache;
use quorate::machine::MemberIndex;
use quorate::threshold::combiner::Counts;
use quorate::threshold::{Agreement, MAX_PARTIES, Threshold, Tolerance};

use crate::glue::{Result, Throw, handle};
use crate::handle::External;

#[napi(catch_unwind)]
pub fn threshold_max_parties() -> u16 {
    MAX_PARTIES
}

#[napi(catch_unwind)]
pub fn threshold_new(needed: u16, parties: u16) -> Result<External<Threshold>> {
    handle(Threshold::new(needed, parties))
}

#[napi(catch_unwind)]
pub fn threshold_needed(threshold: &External<Threshold>) -> u16 {
    threshold.needed()
}

#[napi(catch_unwind)]
pub fn threshold_parties(threshold: &External<Threshold>) -> u16 {
    threshold.parties()
}

#[napi(catch_unwind)]
pub fn tolerance_new(parties: u16, faulty: u16) -> Result<External<Tolerance>> {
    handle(Tolerance::new(parties, faulty))
}

#[napi(catch_unwind)]
pub fn tolerance_parties(tolerance: &External<Tolerance>) -> u16 {
    tolerance.parties()
}

#[napi(catch_unwind)]
pub fn tolerance_faulty(tolerance: &External<Tolerance>) -> u16 {
    tolerance.faulty()
}

#[napi(catch_unwind)]
pub fn tolerance_threshold(
    tolerance: &External<Tolerance>,
    agreement: String,
) -> Result<External<Threshold>> {
    use quorate::threshold::{Agreed, Unagreed};
    Ok(External::new(match parse_agreement(&agreement).throw()? {
        Agreement::Agreed => tolerance.threshold::<Agreed>(),
        Agreement::Unagreed => tolerance.threshold::<Unagreed>(),
    }))
}

/// Returns the name of an agreement.
pub(crate) fn agreement_name(agreement: Agreement) -> &'static str {
    match agreement {
        Agreement::Agreed => "agreed",
        Agreement::Unagreed => "unagreed",
    }
}

/// Returns the agreement with this name.
pub(crate) fn parse_agreement(name: &str) -> quorate::Result<Agreement> {
    match name {
        "agreed" => Ok(Agreement::Agreed),
        "unagreed" => Ok(Agreement::Unagreed),
        _ => Err(Error::UnknownName {
            what: "agreement",
            given: name.chars().take(64).collect(),
            known: &["agreed", "unagreed"],
        }),
    }
}

/// A cache of the coefficients of recently used sets of members.
#[derive(Clone, Default)]
pub struct SharedCache(Arc<Mutex<Cache>>);

impl SharedCache {
    /// The user's cache, or a new one.
    pub(crate) fn or_new(given: Option<&External<SharedCache>>) -> Self {
        given.map_or_else(Self::default, |cache| SharedCache::clone(cache))
    }

    /// Works with the cache, or, if another thread uses it, without its content, which is faster than waiting.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Cache) -> T) -> T {
        match self.0.try_lock() {
            Ok(mut cache) => work(&mut cache),
            // A panic leaves valid coefficients, or none.
            Err(TryLockError::Poisoned(cache)) => work(&mut cache.into_inner()),
            Err(TryLockError::WouldBlock) => work(&mut Cache::default()),
        }
    }
}

#[napi(catch_unwind)]
pub fn cache_new(capacity: Option<u32>) -> External<SharedCache> {
    let cache = capacity.map_or_else(Cache::default, |capacity| Cache::new(capacity as usize));
    External::new(SharedCache(Arc::new(Mutex::new(cache))))
}

/// Work done by a combiner so far.
#[napi(object, object_from_js = false)]
pub struct CountsInfo {
    pub combinations: u32,
    pub share_checks: u32,
    pub decodings: u32,
}

impl From<Counts> for CountsInfo {
    fn from(counts: Counts) -> Self {
        let [combinations, share_checks, decodings] =
            [counts.combinations, counts.share_checks, counts.decodings].map(|count| count as u32);
        Self { combinations, share_checks, decodings }
    }
}

/// An attestation for the user to verify: that a member attested these bytes.
#[napi(object, object_from_js = false)]
pub struct Attestation {
    pub member: MemberIndex,
    pub bytes: Uint8Array,
    pub attestation: Uint8Array,
}

/// A culprit, provided that the user accepts all attestations.
#[napi(object, object_from_js = false)]
pub struct EvidenceVerdict {
    pub culprit: MemberIndex,
    pub attestations: Vec<Attestation>,
}

/// Runs `verify` as if all attestations were valid, and collects them.
pub(crate) fn accuse(
    verify: impl FnOnce(
        &mut dyn FnMut(MemberIndex, &[u8], &[u8]) -> quorate::Result<()>,
    ) -> quorate::Result<MemberIndex>,
) -> Result<EvidenceVerdict> {
    let mut attestations = Vec::new();
    let culprit = verify(&mut |member, bytes, attestation| {
        let (bytes, attestation) = (bytes.to_vec().into(), attestation.to_vec().into());
        attestations.push(Attestation { member, bytes, attestation });
        Ok(())
    })
    .throw()?;
    Ok(EvidenceVerdict { culprit, attestations })
}

/// The error if one of them is invalid.
#[napi(catch_unwind)]
pub fn threshold_not_evidence() -> Result<()> {
    Err(Error::NotEvidence).throw()
}
