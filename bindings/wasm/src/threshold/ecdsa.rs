//! Threshold ECDSA: the dealer, and a party's presignatures.

use getrandom::SysRng;
use quorate::Error;
use quorate::any::threshold::ecdsa as any;
use quorate::guard::GuardRecord as Record;
use quorate::machine::MemberIndex;
use quorate::threshold::ecdsa::Plan;
use wasm_bindgen::prelude::wasm_bindgen;
use zeroize::Zeroizing;

use super::deal::{EcdsaDeal, EcdsaKey, EcdsaPlan, EcdsaTag, parse_group};
use super::signing::{EcdsaOpening, EcdsaShare, EcdsaSigning};
use super::{ToleranceHandle, agreement_name};
use crate::glue::{JsResult, OrThrow, Uint8Array, byte_array, decode};
use crate::guard::{Guard, GuardRecord};

/// Maximum number of presignatures of all parties together: a sixth of a gigabyte.
const MAX_DEALT: u32 = 1 << 20;

#[wasm_bindgen]
pub struct EcdsaDealer(any::TrustedDealer);

#[wasm_bindgen]
impl EcdsaDealer {
    pub fn new(group: &str, committee: &[u8], tolerance: &ToleranceHandle) -> JsResult<Self> {
        let dealer =
            any::TrustedDealer::new(parse_group(group)?, decode(committee)?, tolerance.0, &mut SysRng);
        dealer.or_throw().map(Self)
    }

    /// Owned, because a value borrowed from JavaScript is a copy in this memory that is never wiped.
    pub fn from_bytes(
        group: &str,
        committee: &[u8],
        tolerance: &ToleranceHandle,
        secret: Vec<u8>,
    ) -> JsResult<Self> {
        let secret = Zeroizing::new(secret);
        let exact = secret.first_chunk().filter(|_| secret.len() == 32);
        let exact = exact.ok_or(Error::Malformed { what: "secret threshold key" }).or_throw()?;
        let dealer =
            any::TrustedDealer::from_bytes(parse_group(group)?, decode(committee)?, tolerance.0, exact);
        dealer.or_throw().map(Self)
    }

    pub fn to_bytes(&self) -> Uint8Array {
        byte_array(self.0.to_bytes().as_slice())
    }

    pub fn key(&self) -> EcdsaKey {
        EcdsaKey(self.0.key())
    }

    pub fn deal(&self, epoch: u64, plan: &EcdsaPlan) -> JsResult<Vec<EcdsaPresignatures>> {
        let max = MAX_DEALT / u32::from(self.0.key().tolerance().parties());
        if plan.0.count() > max && plan.0.count() <= Plan::MAX_COUNT {
            let what = "presignatures of an epoch in a module's memory";
            return Err(Error::TooLarge { what, limit: max.into() }).or_throw();
        }
        let parties = self.0.deal(epoch, plan.0, &mut SysRng).or_throw()?;
        Ok(parties.into_iter().map(EcdsaPresignatures).collect())
    }
}

#[wasm_bindgen]
pub struct EcdsaPresignatures(any::Presignatures);

#[wasm_bindgen]
impl EcdsaPresignatures {
    /// Owned, because a value borrowed from JavaScript is a copy in this memory that is never wiped.
    pub fn from_bytes(group: &str, bytes: Vec<u8>) -> JsResult<Self> {
        let bytes = Zeroizing::new(bytes);
        any::Presignatures::from_bytes(parse_group(group)?, &bytes).or_throw().map(Self)
    }

    pub fn to_bytes(&self) -> JsResult<Uint8Array> {
        Ok(byte_array(self.0.to_bytes().or_throw()?.as_slice()))
    }

    pub fn group(&self) -> String {
        self.0.group().to_string()
    }

    pub fn member(&self) -> MemberIndex {
        self.0.member()
    }

    pub fn key(&self) -> EcdsaKey {
        EcdsaKey(self.0.key())
    }

    pub fn deal(&self) -> EcdsaDeal {
        EcdsaDeal(self.0.deal().clone())
    }

    pub fn left(&self) -> u32 {
        self.0.left() as u32
    }

    pub fn take(&mut self, tag: &EcdsaTag) -> JsResult<EcdsaPresignature> {
        self.0.take(tag.0).or_throw().map(|presignature| EcdsaPresignature(Some(presignature)))
    }

    pub fn signing(&self, tag: &EcdsaTag, message: &[u8]) -> JsResult<EcdsaSigning> {
        self.0.signing(tag.0, message).or_throw().map(EcdsaSigning)
    }

    pub fn audit(&self, index: u32) -> JsResult<()> {
        self.0.audit(index).or_throw()
    }

    pub fn destroy(self, guard: &mut Guard) -> GuardRecord {
        GuardRecord(self.0.destroy(&mut guard.0))
    }
}

/// A presignature until it signs.
#[wasm_bindgen]
pub struct EcdsaPresignature(Option<any::Presignature>);

#[wasm_bindgen]
impl EcdsaPresignature {
    pub fn group(&self) -> Option<String> {
        self.0.as_ref().map(|presignature| presignature.group().to_string())
    }

    pub fn agreement(&self) -> Option<String> {
        self.0.as_ref().map(|presignature| agreement_name(presignature.agreement()))
    }

    /// A taken presignature is consumed in any case.
    pub fn sign(&mut self, guard: &mut Guard, message: &[u8]) -> JsResult<EcdsaSigned> {
        let presignature = self.0.take().ok_or(Error::Exhausted).or_throw()?;
        presignature.sign(&mut guard.0, message).or_throw().map(|signed| EcdsaSigned {
            record: signed.record,
            share: Some(signed.share),
            opener: signed.opener,
        })
    }
}

/// A share with the record that must be durable before it leaves, if there is one.
#[wasm_bindgen]
pub struct EcdsaSigned {
    record: Option<Record>,
    share: Option<any::SignatureShare>,
    opener: any::Opener,
}

#[wasm_bindgen]
impl EcdsaSigned {
    pub fn record(&self) -> Option<GuardRecord> {
        self.record.map(GuardRecord)
    }

    pub fn share(&mut self) -> Option<EcdsaShare> {
        self.share.take().map(EcdsaShare)
    }

    pub fn opener(self) -> EcdsaOpener {
        EcdsaOpener(self.opener)
    }
}

#[wasm_bindgen]
pub struct EcdsaOpener(any::Opener);

#[wasm_bindgen]
impl EcdsaOpener {
    pub fn open(&self) -> JsResult<EcdsaOpening> {
        self.0.open().or_throw().map(EcdsaOpening)
    }
}
