//! Combining shares into a signature.

use std::sync::Arc;

use quorate::any::threshold::{self, ecdsa as any};

use super::deal::{Deal, EcdsaGroupKey, Tag};
use super::shares::{EcdsaShareFault, EcdsaSignatureShare, Opening};
use crate::glue::Result;
use crate::threshold::common::{Counts, ThresholdCache, WithCache};

#[derive(uniffi::Object)]
pub(super) struct Signing(pub(super) any::Signing);

#[uniffi::export]
impl Signing {
    #[uniffi::constructor]
    fn new(key: &EcdsaGroupKey, deal: &Deal, nonce: Vec<u8>, tag: &Tag, message: Vec<u8>) -> Result<Self> {
        Ok(Self(any::Signing::new(&key.0, deal.0.clone(), &nonce, tag.0, &message)?))
    }

    fn group(&self) -> u8 {
        self.0.group().number()
    }

    fn message(&self) -> Vec<u8> {
        self.0.message().to_vec()
    }

    fn nonce(&self) -> Vec<u8> {
        self.0.nonce().to_vec()
    }

    fn tag(&self) -> Arc<Tag> {
        Arc::new(Tag(self.0.tag()))
    }
}

#[derive(uniffi::Record)]
struct EcdsaFault {
    culprit: u16,
    evidence: Arc<EcdsaShareFault>,
}

#[derive(uniffi::Record)]
struct EcdsaOutcome {
    signature: Option<Vec<u8>>,
    wanted: Vec<u16>,
    faults: Vec<EcdsaFault>,
}

impl From<threshold::Outcome<any::Signature, any::ShareFault>> for EcdsaOutcome {
    fn from(outcome: threshold::Outcome<any::Signature, any::ShareFault>) -> Self {
        let faults = outcome.faults.into_iter().map(|fault| EcdsaFault {
            culprit: fault.culprit,
            evidence: Arc::new(EcdsaShareFault(fault.evidence)),
        });
        Self {
            signature: outcome.signature.map(|signature| signature.to_bytes().to_vec()),
            wanted: outcome.wanted,
            faults: faults.collect(),
        }
    }
}

#[derive(uniffi::Object)]
struct EcdsaCombiner(WithCache<any::Combiner>);

#[uniffi::export]
impl EcdsaCombiner {
    #[uniffi::constructor]
    fn new(signing: &Signing, cache: Option<Arc<ThresholdCache>>) -> Self {
        Self(WithCache::new(any::Combiner::new(signing.0.clone()), cache))
    }

    fn add(&self, from: u16, share: &EcdsaSignatureShare) -> Result<EcdsaOutcome> {
        Ok(self.0.with(|combiner, cache| combiner.add(cache, from, share.0.clone()))?.into())
    }

    fn open(&self, of: u16, opening: &Opening) -> Result<EcdsaOutcome> {
        Ok(self.0.with(|combiner, cache| combiner.open(cache, of, &opening.0))?.into())
    }

    fn signing(&self) -> Arc<Signing> {
        Arc::new(Signing(self.0.with(|combiner, _| combiner.signing())))
    }

    fn signature(&self) -> Option<Vec<u8>> {
        self.0.with(|combiner, _| combiner.signature()).map(|signature| signature.to_bytes().to_vec())
    }

    fn counts(&self) -> Counts {
        self.0.with(|combiner, _| combiner.counts()).into()
    }
}
