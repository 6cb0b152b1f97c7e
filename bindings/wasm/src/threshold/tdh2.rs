//! Threshold encryption: any client encrypts, and f + 1 members decrypt.

use getrandom::SysRng;
use quorate::any::threshold::Cache;
use quorate::machine::MemberIndex;
use quorate::threshold::tdh2::{Ciphertext, Decryption, EncryptionKey, Label, ValidCiphertext};
use quorate::wire::Encode;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::CombinerCache;
use super::dleq::{
    DleqFault, DleqInstance, DleqKeyShare, DleqKeys, DleqShare, DleqVerifiedShares, Either, all, tdh2,
    tdh2_faults,
};
use crate::glue::{self, JsResult, OrThrow, decode};

#[wasm_bindgen]
pub struct Tdh2Key(EncryptionKey);

#[wasm_bindgen]
impl Tdh2Key {
    pub fn from_public_keys(keys: &DleqKeys) -> JsResult<Self> {
        tdh2(&keys.0).or_throw().map(|keys| Self(EncryptionKey::from_public_keys(keys)))
    }

    pub fn decode(bytes: &[u8]) -> JsResult<Self> {
        decode(bytes).map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn precomputed(&self) -> JsResult<Self> {
        decode::<EncryptionKey>(&self.0.encode()).map(|key| Self(key.precomputed()))
    }

    pub fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }

    pub fn key(&self) -> Vec<u8> {
        self.0.key().as_bytes().to_vec()
    }

    pub fn encrypt(&self, epoch: u64, proposer: MemberIndex, plaintext: &[u8]) -> JsResult<Tdh2Ciphertext> {
        self.0.encrypt(epoch, proposer, plaintext, &mut SysRng).or_throw().map(Tdh2Ciphertext)
    }
}

/// Context of a ciphertext.
#[wasm_bindgen]
pub struct Tdh2Label(Label);

#[wasm_bindgen]
impl Tdh2Label {
    pub fn committee(&self) -> Vec<u8> {
        self.0.committee.0.to_vec()
    }

    pub fn epoch(&self) -> u64 {
        self.0.epoch
    }

    pub fn proposer(&self) -> MemberIndex {
        self.0.proposer
    }

    pub fn payload(self) -> Vec<u8> {
        self.0.payload.to_vec()
    }
}

#[wasm_bindgen]
pub struct Tdh2Ciphertext(Ciphertext);

#[wasm_bindgen]
impl Tdh2Ciphertext {
    pub fn decode(bytes: &[u8]) -> JsResult<Self> {
        decode(bytes).map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn label(&self) -> Tdh2Label {
        Tdh2Label(self.0.header().label)
    }

    pub fn payload(&self) -> Vec<u8> {
        self.0.payload().to_vec()
    }

    pub fn check(&self, key: &Tdh2Key, epoch: u64, proposer: MemberIndex) -> JsResult<Tdh2Valid> {
        self.0.clone().check(&key.0, epoch, proposer).or_throw().map(Tdh2Valid)
    }

    pub fn equals(&self, other: &Tdh2Ciphertext) -> bool {
        self.0 == other.0
    }
}

#[wasm_bindgen]
pub struct Tdh2Valid(ValidCiphertext);

#[wasm_bindgen]
impl Tdh2Valid {
    pub fn ciphertext(&self) -> Tdh2Ciphertext {
        Tdh2Ciphertext(self.0.clone().into_inner())
    }

    pub fn label(&self) -> Tdh2Label {
        Tdh2Label(*self.0.label())
    }

    pub fn id(&self) -> Vec<u8> {
        self.0.instance().id().to_vec()
    }

    pub fn base(&self) -> Vec<u8> {
        self.0.instance().base().as_bytes().to_vec()
    }

    pub fn instance(&self) -> DleqInstance {
        DleqInstance(Either::Tdh2(self.0.instance().clone()))
    }

    pub fn share(&self, secret: &DleqKeyShare) -> JsResult<DleqShare> {
        let secret = tdh2(&secret.0).or_throw()?;
        secret.decryption_share(&self.0, &mut SysRng).or_throw().map(|share| DleqShare(Either::Tdh2(share)))
    }

    pub fn combine(
        &self,
        keys: &DleqKeys,
        shares: DleqVerifiedShares,
        cache: Option<CombinerCache>,
    ) -> JsResult<Vec<u8>> {
        let (keys, shares) = (tdh2(&keys.0).or_throw()?, all(&shares.0, tdh2).or_throw()?);
        let combine = |cache: &mut Cache| self.0.combine(keys, &shares, cache.as_mut());
        cache.unwrap_or_default().with(combine).or_throw()
    }
}

#[wasm_bindgen]
pub struct Tdh2Decryption {
    decryption: Decryption,
    cache: CombinerCache,
}

#[wasm_bindgen]
impl Tdh2Decryption {
    pub fn new(keys: &DleqKeys, valid: &Tdh2Valid, cache: Option<CombinerCache>) -> JsResult<Self> {
        let decryption = Decryption::new(tdh2(&keys.0).or_throw()?.clone(), valid.0.clone()).or_throw()?;
        Ok(Self { decryption, cache: cache.unwrap_or_default() })
    }

    pub fn add(&mut self, share: &DleqShare) -> JsResult<Tdh2Opened> {
        let (decryption, share) = (&mut self.decryption, *tdh2(&share.0).or_throw()?);
        let collected = self.cache.with(|cache| decryption.add(share, cache.as_mut())).or_throw()?;
        Ok(Tdh2Opened { output: collected.output, faults: tdh2_faults(collected.faults) })
    }

    pub fn is_done(&self) -> bool {
        self.decryption.is_done()
    }
}

/// Result of adding a share: the plaintext, or the reason why there is none.
#[wasm_bindgen]
pub struct Tdh2Opened {
    output: Option<quorate::Result<Vec<u8>>>,
    faults: Vec<DleqFault>,
}

#[wasm_bindgen]
impl Tdh2Opened {
    pub fn faults(&mut self) -> Vec<DleqFault> {
        std::mem::take(&mut self.faults)
    }

    pub fn error(&self) -> Option<JsValue> {
        self.output.as_ref()?.as_ref().err().map(glue::error)
    }

    pub fn output(self) -> Option<Vec<u8>> {
        self.output?.ok()
    }
}
