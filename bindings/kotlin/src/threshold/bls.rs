//! A BLS key shared by several parties.

use std::sync::Arc;

use getrandom::SysRng;
use quorate::any::threshold::{self, bls as any};

use super::common::{Counts, EvidenceVerdict, Threshold, ThresholdCache, Tolerance, WithCache, agreement};
use super::secret::Secret;
use crate::glue::{Result, committee_id};
use crate::keys::{PublicKey, Signature, suite};

#[uniffi::export]
fn bls_deal(
    suite: u8,
    committee: Vec<u8>,
    tolerance: Tolerance,
    agreed: bool,
) -> Result<Vec<Arc<BlsKeyShare>>> {
    let (suite, committee) = (self::suite(suite)?, committee_id(&committee)?);
    let shares = any::deal(suite, committee, tolerance.try_into()?, agreement(agreed), &mut SysRng)?;
    Ok(shares.into_iter().map(|share| Arc::new(BlsKeyShare(share))).collect())
}

#[uniffi::export]
fn bls_beacon(signature: &Signature) -> Result<Vec<u8>> {
    Ok(any::beacon(&signature.0)?.to_vec())
}

#[derive(uniffi::Object)]
struct BlsGroupKey(any::GroupKey);

#[uniffi::export]
impl BlsGroupKey {
    #[uniffi::constructor]
    fn decode(suite: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::GroupKey::decode(self::suite(suite)?, &bytes)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn id(&self) -> Vec<u8> {
        self.0.id().to_vec()
    }

    fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }

    fn tolerance(&self) -> Tolerance {
        self.0.tolerance().into()
    }

    fn threshold(&self) -> Threshold {
        self.0.threshold().into()
    }

    fn public_key(&self) -> Arc<PublicKey> {
        Arc::new(PublicKey(self.0.public()))
    }

    fn party(&self, member: u16) -> Option<Arc<PublicKey>> {
        self.0.party(member).map(|key| Arc::new(PublicKey(key)))
    }
}

#[derive(uniffi::Object)]
struct BlsKeyShare(any::KeyShare);

#[uniffi::export]
impl BlsKeyShare {
    #[uniffi::constructor]
    fn from_bytes(suite: u8, bytes: &[u8]) -> Result<Self> {
        Ok(Self(any::KeyShare::from_bytes(self::suite(suite)?, bytes)?))
    }

    fn to_bytes(&self) -> Arc<Secret> {
        Secret::new(&self.0.to_bytes())
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn member(&self) -> u16 {
        self.0.member()
    }

    fn key(&self) -> Arc<BlsGroupKey> {
        Arc::new(BlsGroupKey(self.0.key()))
    }

    fn sign(&self, message: Vec<u8>) -> Arc<BlsSignatureShare> {
        Arc::new(BlsSignatureShare(self.0.sign(&message)))
    }
}

#[derive(uniffi::Object)]
struct BlsSignatureShare(any::SignatureShare);

#[uniffi::export]
impl BlsSignatureShare {
    #[uniffi::constructor]
    fn decode(suite: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::SignatureShare::decode(self::suite(suite)?, &bytes)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn member(&self) -> u16 {
        self.0.member()
    }

    fn digest(&self) -> Vec<u8> {
        self.0.digest().to_vec()
    }

    fn attestation(&self) -> Vec<u8> {
        self.0.attestation().to_vec()
    }

    fn attested_bytes(&self) -> Vec<u8> {
        self.0.attested_bytes()
    }

    fn attest(&self, attestation: Vec<u8>) -> Result<Arc<BlsSignatureShare>> {
        let mut share = self.0.clone();
        share.attest(attestation)?;
        Ok(Arc::new(Self(share)))
    }
}

#[derive(uniffi::Record)]
struct BlsFault {
    culprit: u16,
    evidence: Arc<BlsShareFault>,
}

#[derive(uniffi::Record)]
struct BlsOutcome {
    signature: Option<Arc<Signature>>,
    faults: Vec<BlsFault>,
}

impl From<threshold::Outcome<quorate::any::Signature, any::ShareFault>> for BlsOutcome {
    fn from(outcome: threshold::Outcome<quorate::any::Signature, any::ShareFault>) -> Self {
        let faults = outcome.faults.into_iter().map(|fault| BlsFault {
            culprit: fault.culprit,
            evidence: Arc::new(BlsShareFault(fault.evidence)),
        });
        let signature = outcome.signature.map(|signature| Arc::new(Signature(signature)));
        Self { signature, faults: faults.collect() }
    }
}

#[derive(uniffi::Object)]
struct BlsCombiner(WithCache<any::Combiner>);

#[uniffi::export]
impl BlsCombiner {
    #[uniffi::constructor]
    fn new(key: &BlsGroupKey, message: Vec<u8>, cache: Option<Arc<ThresholdCache>>) -> Self {
        Self(WithCache::new(any::Combiner::new(any::Signing::new(&key.0, &message)), cache))
    }

    fn add(&self, from: u16, share: &BlsSignatureShare) -> Result<BlsOutcome> {
        Ok(self.0.with(|combiner, cache| combiner.add(cache, from, share.0.clone()))?.into())
    }

    fn signature(&self) -> Option<Arc<Signature>> {
        self.0.with(|combiner, _| combiner.signature()).map(|signature| Arc::new(Signature(signature)))
    }

    fn counts(&self) -> Counts {
        self.0.with(|combiner, _| combiner.counts()).into()
    }
}

#[derive(uniffi::Object)]
struct BlsShareFault(any::ShareFault);

#[uniffi::export]
impl BlsShareFault {
    #[uniffi::constructor]
    fn decode(suite: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::ShareFault::decode(self::suite(suite)?, &bytes)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn share(&self) -> Arc<BlsSignatureShare> {
        Arc::new(BlsSignatureShare(self.0.share()))
    }

    fn verdict(&self, key: &BlsGroupKey) -> EvidenceVerdict {
        EvidenceVerdict::collect(|ask| self.0.verify(&key.0, ask))
    }
}
