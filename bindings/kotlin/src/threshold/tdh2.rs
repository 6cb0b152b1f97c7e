//! Threshold encryption.

use std::sync::Arc;

use getrandom::SysRng;
use quorate::any::threshold as any;
use quorate::threshold::dleq;
use quorate::threshold::tdh2::{self, Tdh2};
use quorate::wire::{Decode, Encode};

use super::common::{Threshold, ThresholdCache, WithCache};
use super::dleq::purpose;
use super::secret::Secret;
use crate::glue::{Failure, Result, committee_id};

purpose! {
    Tdh2, ValidCiphertext;
    Tdh2PublicKeys, Tdh2KeyShare, DecryptionShare, Tdh2VerifiedShare, Tdh2WrongShare, Tdh2ShareFault, Tdh2Checked,
    Tdh2Dealt, tdh2_deal, decryption_share
}

#[derive(uniffi::Record)]
struct Tdh2Constants {
    max_plaintext: u32,
    overhead: u32,
}

#[uniffi::export]
fn tdh2_constants() -> Tdh2Constants {
    Tdh2Constants { max_plaintext: tdh2::MAX_PLAINTEXT as u32, overhead: tdh2::OVERHEAD as u32 }
}

#[derive(uniffi::Record)]
struct Label {
    committee: Vec<u8>,
    epoch: u64,
    proposer: u16,
    payload: Vec<u8>,
}

impl From<&tdh2::Label> for Label {
    fn from(label: &tdh2::Label) -> Self {
        let tdh2::Label { committee, epoch, proposer, payload } = *label;
        Self { committee: committee.0.to_vec(), epoch, proposer, payload: payload.to_vec() }
    }
}

#[derive(uniffi::Object)]
struct EncryptionKey(tdh2::EncryptionKey);

#[uniffi::export]
impl EncryptionKey {
    #[uniffi::constructor]
    fn from_public_keys(keys: &Tdh2PublicKeys) -> Self {
        Self(tdh2::EncryptionKey::from_public_keys(&keys.0))
    }

    #[uniffi::constructor]
    fn decode(bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(tdh2::EncryptionKey::decode(&bytes, &())?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn precomputed(&self) -> Result<Arc<EncryptionKey>> {
        let key = tdh2::EncryptionKey::decode(&self.0.encode(), &())?;
        Ok(Arc::new(Self(key.precomputed())))
    }

    fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }

    fn key(&self) -> Vec<u8> {
        self.0.key().as_bytes().to_vec()
    }

    fn encrypt(&self, epoch: u64, proposer: u16, plaintext: Vec<u8>) -> Result<Arc<Ciphertext>> {
        Ok(Arc::new(Ciphertext(self.0.encrypt(epoch, proposer, &plaintext, &mut SysRng)?)))
    }
}

#[derive(uniffi::Object)]
struct Ciphertext(tdh2::Ciphertext);

#[uniffi::export]
impl Ciphertext {
    #[uniffi::constructor]
    fn decode(bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(tdh2::Ciphertext::decode(&bytes, &())?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn label(&self) -> Label {
        (&self.0.header().label).into()
    }

    fn payload(&self) -> Vec<u8> {
        self.0.payload().to_vec()
    }

    fn check(&self, key: &EncryptionKey, epoch: u64, proposer: u16) -> Result<Arc<ValidCiphertext>> {
        Ok(Arc::new(ValidCiphertext(self.0.clone().check(&key.0, epoch, proposer)?)))
    }
}

#[derive(uniffi::Object)]
struct ValidCiphertext(tdh2::ValidCiphertext);

#[uniffi::export]
impl ValidCiphertext {
    fn ciphertext(&self) -> Arc<Ciphertext> {
        Arc::new(Ciphertext(self.0.clone().into_inner()))
    }

    fn label(&self) -> Label {
        self.0.label().into()
    }

    fn id(&self) -> Vec<u8> {
        self.0.instance().id().to_vec()
    }

    fn base(&self) -> Vec<u8> {
        self.0.instance().base().as_bytes().to_vec()
    }

    fn combine(
        &self,
        keys: &Tdh2PublicKeys,
        shares: Vec<Arc<Tdh2VerifiedShare>>,
        cache: Option<Arc<ThresholdCache>>,
    ) -> Result<Vec<u8>> {
        let shares: Vec<_> = shares.iter().map(|share| share.0).collect();
        let combine = |cache: &mut any::Cache| self.0.combine(&keys.0, &shares, cache.as_mut());
        Ok(ThresholdCache::with(cache.as_deref(), combine)?)
    }
}

#[derive(uniffi::Record)]
struct Tdh2Collected {
    output: Option<Vec<u8>>,
    error: Option<Failure>,
    faults: Vec<Tdh2ShareFault>,
}

#[derive(uniffi::Object)]
struct Decryption(WithCache<tdh2::Decryption>);

#[uniffi::export]
impl Decryption {
    #[uniffi::constructor]
    fn new(
        keys: &Tdh2PublicKeys,
        ciphertext: &ValidCiphertext,
        cache: Option<Arc<ThresholdCache>>,
    ) -> Result<Self> {
        let inner = tdh2::Decryption::new(keys.0.clone(), ciphertext.0.clone())?;
        Ok(Self(WithCache::new(inner, cache)))
    }

    fn add(&self, share: &DecryptionShare) -> Result<Tdh2Collected> {
        let got = self.0.with(|inner, cache| inner.add(share.0, cache.as_mut()))?;
        let (output, error) = match got.output {
            None => (None, None),
            Some(Ok(plaintext)) => (Some(plaintext), None),
            Some(Err(error)) => (None, Some(error.into())),
        };
        Ok(Tdh2Collected {
            output,
            error,
            faults: got.faults.into_iter().map(Tdh2ShareFault::from).collect(),
        })
    }

    fn is_done(&self) -> bool {
        self.0.with(|inner, _| inner.is_done())
    }
}
