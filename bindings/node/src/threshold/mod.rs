//! What t of n members can do together, and fewer cannot.
//!
//! | module | concepts |
//! |---|---|
//! | [`dleq`], [`tdh2`], [`coin`] | threshold encryption and the coin, and what both have in common |
//! | [`dealing`], [`presignatures`], [`combining`] | ECDSA of presignatures |
//! | [`bls`] | signatures of shared keys |
//! | [`seal`] | files for one recipient's eyes |

pub mod bls;
pub mod coin;
pub mod combining;
pub mod dealing;
pub mod dleq;
pub mod presignatures;
pub mod seal;
pub mod tdh2;

use std::sync::{Arc, Mutex, TryLockError};

use napi::bindgen_prelude::{External, Uint8Array};
use napi_derive::napi;
use quorate::Error;
use quorate::any::threshold::Cache;
use quorate::machine::MemberIndex;
use quorate::threshold::combiner::Counts;
use quorate::threshold::{Agreement, MAX_PARTIES, Threshold, Tolerance};

use crate::glue::{Result, Throw, handle};

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
    Ok(External::new(match agreement_of(&agreement).throw()? {
        Agreement::Agreed => tolerance.threshold::<Agreed>(),
        Agreement::Unagreed => tolerance.threshold::<Unagreed>(),
    }))
}

/// The name of an agreement.
pub(crate) fn name_of(agreement: Agreement) -> &'static str {
    match agreement {
        Agreement::Agreed => "agreed",
        Agreement::Unagreed => "unagreed",
    }
}

/// The agreement of a name.
pub(crate) fn agreement_of(name: &str) -> quorate::Result<Agreement> {
    match name {
        "agreed" => Ok(Agreement::Agreed),
        "unagreed" => Ok(Agreement::Unagreed),
        _ => Err(Error::WrongContext { what: "agreement" }),
    }
}

/// The coefficients of the sets of members that combined last.
#[derive(Clone, Default)]
pub struct SharedCache(Arc<Mutex<Cache>>);

impl SharedCache {
    /// The user's, or one of its own.
    pub(crate) fn of(given: Option<&External<SharedCache>>) -> Self {
        given.map_or_else(Self::default, |cache| SharedCache::clone(cache))
    }

    /// Works with it; if another thread does, without what is in it, which is faster than to wait.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Cache) -> T) -> T {
        match self.0.try_lock() {
            Ok(mut cache) => work(&mut cache),
            // Whoever panicked left coefficients behind that are right, or none.
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

/// What a combiner did so far.
#[napi(object, object_from_js = false)]
pub struct CountsAbout {
    pub combinations: u32,
    pub share_checks: u32,
    pub decodings: u32,
}

impl From<Counts> for CountsAbout {
    fn from(counts: Counts) -> Self {
        let [combinations, share_checks, decodings] =
            [counts.combinations, counts.share_checks, counts.decodings].map(|count| count as u32);
        Self { combinations, share_checks, decodings }
    }
}

/// What the user is to say yes or no to: that a member attested these bytes.
#[napi(object, object_from_js = false)]
pub struct Attestation {
    pub member: MemberIndex,
    pub bytes: Uint8Array,
    pub attestation: Uint8Array,
}

/// A culprit, if the user finds all attestations good.
#[napi(object, object_from_js = false)]
pub struct Accusation {
    pub culprit: MemberIndex,
    pub attestations: Vec<Attestation>,
}

/// Runs `verify` as if all attestations were good, and writes down what they are.
pub(crate) fn accuse(
    verify: impl FnOnce(
        &mut dyn FnMut(MemberIndex, &[u8], &[u8]) -> quorate::Result<()>,
    ) -> quorate::Result<MemberIndex>,
) -> Result<Accusation> {
    let mut attestations = Vec::new();
    let culprit = verify(&mut |member, bytes, attestation| {
        let (bytes, attestation) = (bytes.to_vec().into(), attestation.to_vec().into());
        attestations.push(Attestation { member, bytes, attestation });
        Ok(())
    })
    .throw()?;
    Ok(Accusation { culprit, attestations })
}

/// What is thrown if one of them is not.
#[napi(catch_unwind)]
pub fn threshold_not_evidence() -> Result<()> {
    Err(Error::NotEvidence).throw()
}
