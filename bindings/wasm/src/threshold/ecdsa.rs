//! Threshold ECDSA: the dealer, its deals, and a party's signing.

use std::sync::Arc;

use getrandom::SysRng;
use quorate::Error;
use quorate::any::threshold::{Group, ecdsa as any};
use quorate::guard::GuardRecord as Record;
use quorate::machine::MemberIndex;
use quorate::threshold::ecdsa::{Deal, Plan};
use quorate::wire::Encode;
use wasm_bindgen::prelude::wasm_bindgen;
use zeroize::Zeroizing;

use super::signing::{EcdsaOpening, EcdsaShare, EcdsaSigning};
use super::{ToleranceOf, name_of};
use crate::glue::{OrThrow, Thrown, Uint8Array, decode, handed_over};
use crate::guard::{Guard, GuardRecord};

/// Maximum number of presignatures of all parties together: a sixth of a gigabyte.
const MOST_DEALT: u32 = 1 << 20;

/// Returns the group with this name.
pub(crate) fn group_of(name: &str) -> Thrown<Group> {
    Group::from_name(name).or_throw()
}

#[wasm_bindgen]
pub struct EcdsaDealer(any::TrustedDealer);

#[wasm_bindgen]
impl EcdsaDealer {
    pub fn of(group: &str, committee: &[u8], tolerance: &ToleranceOf) -> Thrown<Self> {
        let dealer = any::TrustedDealer::new(group_of(group)?, decode(committee)?, tolerance.0, &mut SysRng);
        dealer.or_throw().map(Self)
    }

    /// Owned, because a value borrowed from JavaScript is a copy in this memory that is never wiped.
    pub fn from_bytes(
        group: &str,
        committee: &[u8],
        tolerance: &ToleranceOf,
        secret: Vec<u8>,
    ) -> Thrown<Self> {
        let secret = Zeroizing::new(secret);
        let exact = secret.first_chunk().filter(|_| secret.len() == 32);
        let exact = exact.ok_or(Error::Malformed { what: "secret threshold key" }).or_throw()?;
        let dealer = any::TrustedDealer::from_bytes(group_of(group)?, decode(committee)?, tolerance.0, exact);
        dealer.or_throw().map(Self)
    }

    pub fn to_bytes(&self) -> Uint8Array {
        handed_over(self.0.to_bytes().as_slice())
    }

    pub fn key(&self) -> EcdsaKey {
        EcdsaKey(self.0.key())
    }

    pub fn deal(&self, epoch: u64, plan: &EcdsaPlan) -> Thrown<Vec<EcdsaPresignatures>> {
        let most = MOST_DEALT / u32::from(self.0.key().tolerance().parties());
        if plan.0.count() > most && plan.0.count() <= Plan::MAX_COUNT {
            let what = "presignatures of an epoch in a module's memory";
            return Err(Error::TooLarge { what, limit: most.into() }).or_throw();
        }
        let parties = self.0.deal(epoch, plan.0, &mut SysRng).or_throw()?;
        Ok(parties.into_iter().map(EcdsaPresignatures).collect())
    }
}

#[wasm_bindgen]
pub struct EcdsaKey(pub(crate) any::GroupKey);

#[wasm_bindgen]
impl EcdsaKey {
    pub fn decode(group: &str, bytes: &[u8]) -> Thrown<Self> {
        any::GroupKey::decode(group_of(group)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn group(&self) -> String {
        self.0.group().to_string()
    }

    pub fn id(&self) -> Vec<u8> {
        self.0.id().0.to_vec()
    }

    pub fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }

    pub fn tolerance(&self) -> ToleranceOf {
        ToleranceOf(self.0.tolerance())
    }

    pub fn verify(&self, tag: &EcdsaTag, message: &[u8], signature: &EcdsaSignature) -> Thrown<()> {
        self.0.verify(tag.0, message, &signature.0).or_throw()
    }

    pub fn verify_message(&self, message: &[u8], signature: &EcdsaSignature) -> Thrown<()> {
        self.0.verify_message(message, &signature.0).or_throw()
    }

    pub fn to_spki_der(&self) -> Thrown<Vec<u8>> {
        self.0.to_spki_der().or_throw()
    }
}

#[wasm_bindgen]
pub struct EcdsaSignature(pub(crate) any::Signature);

#[wasm_bindgen]
impl EcdsaSignature {
    pub fn decode(group: &str, bytes: &[u8]) -> Thrown<Self> {
        any::Signature::decode(group_of(group)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.to_bytes().to_vec()
    }

    pub fn group(&self) -> String {
        self.0.group().to_string()
    }

    pub fn to_der(&self) -> Thrown<Vec<u8>> {
        self.0.to_der().or_throw()
    }
}

#[wasm_bindgen]
pub struct EcdsaPlan(Plan);

#[wasm_bindgen]
impl EcdsaPlan {
    pub fn of_agreement(parties: u16, rounds: Option<u16>) -> Self {
        Self(Plan::Agreement { parties, rounds: rounds.unwrap_or(Plan::ROUNDS) })
    }

    pub fn of_agreed(count: u32) -> Self {
        Self(Plan::Agreed { count })
    }

    pub fn of_unagreed(count: u32) -> Self {
        Self(Plan::Unagreed { count })
    }

    pub fn decode(bytes: &[u8]) -> Thrown<Self> {
        decode(bytes).map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn count(&self) -> u32 {
        self.0.count()
    }

    pub fn agreement(&self, index: u32) -> Option<String> {
        self.0.agreement(index).map(name_of)
    }

    pub fn prbc(&self, epoch: u64, member: MemberIndex) -> Thrown<EcdsaTag> {
        self.0.prbc(epoch, member).or_throw().map(EcdsaTag::of)
    }

    pub fn promotion(&self, epoch: u64, round: u16, member: MemberIndex, step: u8) -> Thrown<EcdsaTag> {
        self.0.promotion(epoch, round, member, step).or_throw().map(EcdsaTag::of)
    }

    pub fn completion(&self, epoch: u64, round: u16) -> Thrown<EcdsaTag> {
        self.0.completion(epoch, round).or_throw().map(EcdsaTag::of)
    }

    pub fn agreed(&self, epoch: u64, number: u32) -> Thrown<EcdsaTag> {
        self.0.agreed(epoch, number).or_throw().map(EcdsaTag::of)
    }

    pub fn unagreed(&self, epoch: u64, number: u32) -> Thrown<EcdsaTag> {
        self.0.unagreed(epoch, number).or_throw().map(EcdsaTag::of)
    }
}

#[wasm_bindgen]
pub struct EcdsaTag(pub(crate) any::Tag);

impl EcdsaTag {
    fn of(tag: impl Into<any::Tag>) -> Self {
        Self(tag.into())
    }
}

#[wasm_bindgen]
impl EcdsaTag {
    pub fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    pub fn index(&self) -> u32 {
        self.0.index()
    }

    pub fn agreement(&self) -> String {
        name_of(self.0.agreement())
    }
}

#[wasm_bindgen]
pub struct EcdsaDeal(pub(crate) Arc<Deal>);

#[wasm_bindgen]
impl EcdsaDeal {
    pub fn decode(bytes: &[u8]) -> Thrown<Self> {
        decode(bytes).map(|deal| Self(Arc::new(deal)))
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn id(&self) -> Vec<u8> {
        self.0.id().to_vec()
    }

    pub fn key(&self) -> Vec<u8> {
        self.0.key().0.to_vec()
    }

    pub fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    pub fn plan(&self) -> EcdsaPlan {
        EcdsaPlan(self.0.plan())
    }

    /// 32 bytes each, concatenated.
    pub fn roots(&self) -> Vec<u8> {
        self.0.roots().concat()
    }
}

#[wasm_bindgen]
pub struct EcdsaPresignatures(any::Presignatures);

#[wasm_bindgen]
impl EcdsaPresignatures {
    /// Owned, because a value borrowed from JavaScript is a copy in this memory that is never wiped.
    pub fn from_bytes(group: &str, bytes: Vec<u8>) -> Thrown<Self> {
        let bytes = Zeroizing::new(bytes);
        any::Presignatures::from_bytes(group_of(group)?, &bytes).or_throw().map(Self)
    }

    pub fn to_bytes(&self) -> Thrown<Uint8Array> {
        Ok(handed_over(self.0.to_bytes().or_throw()?.as_slice()))
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

    pub fn take(&mut self, tag: &EcdsaTag) -> Thrown<EcdsaPresignature> {
        self.0.take(tag.0).or_throw().map(|presignature| EcdsaPresignature(Some(presignature)))
    }

    pub fn signing(&self, tag: &EcdsaTag, message: &[u8]) -> Thrown<EcdsaSigning> {
        self.0.signing(tag.0, message).or_throw().map(EcdsaSigning)
    }

    pub fn audit(&self, index: u32) -> Thrown<()> {
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
        self.0.as_ref().map(|presignature| name_of(presignature.agreement()))
    }

    /// A taken presignature is consumed in any case.
    pub fn sign(&mut self, guard: &mut Guard, message: &[u8]) -> Thrown<EcdsaSigned> {
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
    pub fn open(&self) -> Thrown<EcdsaOpening> {
        self.0.open().or_throw().map(EcdsaOpening)
    }
}
