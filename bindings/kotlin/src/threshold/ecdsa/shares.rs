//! Shares that parties send, and evidence of wrong ones.

use std::sync::Arc;

use quorate::any::threshold::ecdsa as any;

use super::deal::{Deal, EcdsaGroupKey};
use crate::glue::Result;
use crate::threshold::common::{EvidenceVerdict, group};

#[derive(uniffi::Object)]
pub(super) struct EcdsaSignatureShare(pub(super) any::SignatureShare);

#[uniffi::export]
impl EcdsaSignatureShare {
    #[uniffi::constructor]
    fn decode(group: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::SignatureShare::decode(self::group(group)?, &bytes)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn group(&self) -> u8 {
        self.0.group().number()
    }

    fn member(&self) -> u16 {
        self.0.member()
    }

    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    fn index(&self) -> u32 {
        self.0.index()
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

    fn attest(&self, attestation: Vec<u8>) -> Result<Arc<EcdsaSignatureShare>> {
        let mut share = self.0.clone();
        share.attest(attestation)?;
        Ok(Arc::new(Self(share)))
    }
}

#[derive(uniffi::Object)]
pub(super) struct Opening(pub(super) any::Opening);

#[uniffi::export]
impl Opening {
    #[uniffi::constructor]
    fn decode(group: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::Opening::decode(self::group(group)?, &bytes)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn group(&self) -> u8 {
        self.0.group().number()
    }

    fn member(&self) -> u16 {
        self.0.member()
    }

    fn index(&self) -> u32 {
        self.0.index()
    }
}

#[derive(uniffi::Object)]
pub(super) struct EcdsaShareFault(pub(super) any::ShareFault);

#[uniffi::export]
impl EcdsaShareFault {
    #[uniffi::constructor]
    fn decode(group: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::ShareFault::decode(self::group(group)?, &bytes)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn group(&self) -> u8 {
        self.0.group().number()
    }

    fn share(&self) -> Arc<EcdsaSignatureShare> {
        Arc::new(EcdsaSignatureShare(self.0.share()))
    }

    fn verdict(&self, key: &EcdsaGroupKey, deal: &Deal) -> EvidenceVerdict {
        EvidenceVerdict::collect(|ask| self.0.verify(&key.0, &deal.0, ask))
    }
}
