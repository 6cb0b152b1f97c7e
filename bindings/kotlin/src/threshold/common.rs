//! Common parts of all blocks: groups, thresholds, the cache, and attestations to verify.

use std::sync::{Arc, Mutex, TryLockError};

use quorate::Result as CoreResult;
use quorate::any::threshold as any;
use quorate::threshold::{self, Agreed, Agreement, Unagreed, combiner};

use crate::glue::{Failure, NativeFailure, Result, lock};

/// Returns the group with this number; groups cross the boundary as one byte.
pub(super) fn group(number: u8) -> Result<any::Group> {
    Ok(any::Group::from_number(number)?)
}

/// A class of messages crosses the boundary as a bool: whether it is agreed.
pub(super) fn agreement(agreed: bool) -> Agreement {
    if agreed { Agreement::Agreed } else { Agreement::Unagreed }
}

pub(super) fn is_agreed(agreement: Agreement) -> bool {
    agreement == Agreement::Agreed
}

#[uniffi::export]
fn group_name(number: u8) -> Result<String> {
    Ok(group(number)?.name().to_owned())
}

#[uniffi::export]
fn group_from_name(name: String) -> Result<u8> {
    Ok(any::Group::from_name(&name)?.number())
}

#[uniffi::export]
fn max_parties() -> u16 {
    threshold::MAX_PARTIES
}

/// Number of parties, and the maximum number of faulty ones.
#[derive(Clone, Copy, uniffi::Record)]
pub(super) struct Tolerance {
    parties: u16,
    faulty: u16,
}

impl TryFrom<Tolerance> for threshold::Tolerance {
    type Error = NativeFailure;

    fn try_from(tolerance: Tolerance) -> Result<Self> {
        Ok(threshold::Tolerance::new(tolerance.parties, tolerance.faulty)?)
    }
}

impl From<threshold::Tolerance> for Tolerance {
    fn from(tolerance: threshold::Tolerance) -> Self {
        Self { parties: tolerance.parties(), faulty: tolerance.faulty() }
    }
}

#[uniffi::export]
fn tolerance_check(tolerance: Tolerance) -> Result<()> {
    threshold::Tolerance::try_from(tolerance).map(drop)
}

#[uniffi::export]
fn tolerance_threshold(tolerance: Tolerance, agreed: bool) -> Result<Threshold> {
    let tolerance = threshold::Tolerance::try_from(tolerance)?;
    Ok(match agreement(agreed) {
        Agreement::Agreed => tolerance.threshold::<Agreed>(),
        Agreement::Unagreed => tolerance.threshold::<Unagreed>(),
    }
    .into())
}

/// Number of shares needed, and number of parties.
#[derive(Clone, Copy, uniffi::Record)]
pub(super) struct Threshold {
    needed: u16,
    parties: u16,
}

impl TryFrom<Threshold> for threshold::Threshold {
    type Error = NativeFailure;

    fn try_from(threshold: Threshold) -> Result<Self> {
        Ok(threshold::Threshold::new(threshold.needed, threshold.parties)?)
    }
}

impl From<threshold::Threshold> for Threshold {
    fn from(threshold: threshold::Threshold) -> Self {
        Self { needed: threshold.needed(), parties: threshold.parties() }
    }
}

#[uniffi::export]
fn threshold_check(threshold: Threshold) -> Result<()> {
    threshold::Threshold::try_from(threshold).map(drop)
}

/// A cache of the coefficients of recently used sets of members.
#[derive(uniffi::Object)]
pub(super) struct ThresholdCache(Mutex<any::Cache>);

#[uniffi::export]
impl ThresholdCache {
    #[uniffi::constructor]
    fn new(capacity: u32) -> Self {
        Self(Mutex::new(any::Cache::new(capacity as usize)))
    }
}

impl ThresholdCache {
    /// Works with the cache, if there is one. If another thread holds it, works without it, which is faster than
    /// waiting.
    pub(super) fn with<T>(cache: Option<&Self>, work: impl FnOnce(&mut any::Cache) -> T) -> T {
        match cache.map(|cache| cache.0.try_lock()) {
            Some(Ok(mut cache)) => work(&mut cache),
            Some(Err(TryLockError::Poisoned(cache))) => work(&mut cache.into_inner()),
            Some(Err(TryLockError::WouldBlock)) | None => work(&mut any::Cache::default()),
        }
    }
}

/// A combiner and its cache, given or its own.
pub(super) struct WithCache<T> {
    inner: Mutex<(T, any::Cache)>,
    shared: Option<Arc<ThresholdCache>>,
}

impl<T> WithCache<T> {
    pub(super) fn new(inner: T, shared: Option<Arc<ThresholdCache>>) -> Self {
        Self { inner: Mutex::new((inner, any::Cache::new(1))), shared }
    }

    pub(super) fn with<R>(&self, work: impl FnOnce(&mut T, &mut any::Cache) -> R) -> R {
        let mut inner = lock(&self.inner);
        let (inner, own) = &mut *inner;
        match &self.shared {
            Some(cache) => ThresholdCache::with(Some(cache), |cache| work(inner, cache)),
            None => work(inner, own),
        }
    }
}

/// A value that can be taken once; then the core's `EXHAUSTED` is raised.
pub(super) struct Once<T>(Mutex<Option<T>>);

impl<T> Once<T> {
    pub(super) fn new(value: T) -> Self {
        Self(Mutex::new(Some(value)))
    }

    pub(super) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Result<R> {
        Ok(lock(&self.0).as_mut().map(work).ok_or(quorate::Error::Exhausted)?)
    }

    pub(super) fn take(&self) -> Result<T> {
        Ok(lock(&self.0).take().ok_or(quorate::Error::Exhausted)?)
    }
}

/// Work done by a combiner.
#[derive(uniffi::Record)]
pub(super) struct Counts {
    combinations: u32,
    share_checks: u32,
    decodings: u32,
}

impl From<combiner::Counts> for Counts {
    fn from(counts: combiner::Counts) -> Self {
        let combiner::Counts { combinations, share_checks, decodings } = counts;
        let [combinations, share_checks, decodings] =
            [combinations, share_checks, decodings].map(|count| count as u32);
        Self { combinations, share_checks, decodings }
    }
}

/// An attestation by a member of some bytes, for Kotlin to verify.
#[derive(uniffi::Record)]
pub(super) struct AttestationQuery {
    member: u16,
    bytes: Vec<u8>,
    attestation: Vec<u8>,
}

/// Verdict on evidence, provided that all attestations are valid. Rust never calls Kotlin, so they are verified
/// afterwards.
#[derive(uniffi::Record)]
pub(super) struct EvidenceVerdict {
    attestations: Vec<AttestationQuery>,
    culprit: Option<u16>,
    error: Option<Failure>,
}

impl EvidenceVerdict {
    /// Runs a verification and collects its attestations.
    pub(super) fn collect(
        verify: impl FnOnce(&mut dyn FnMut(u16, &[u8], &[u8]) -> CoreResult<()>) -> CoreResult<u16>,
    ) -> Self {
        let mut attestations = Vec::new();
        let outcome = verify(&mut |member, bytes, attestation| {
            attestations.push(AttestationQuery {
                member,
                bytes: bytes.to_vec(),
                attestation: attestation.to_vec(),
            });
            Ok(())
        });
        let (culprit, error) = match outcome {
            Ok(culprit) => (Some(culprit), None),
            Err(error) => (None, Some(error.into())),
        };
        Self { attestations, culprit, error }
    }
}

/// Raises the core's error for invalid evidence.
#[uniffi::export]
fn refuse_evidence() -> Result<()> {
    Err(quorate::Error::NotEvidence.into())
}
