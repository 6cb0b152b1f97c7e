//! Plans, tags, the key and the deal.

use std::sync::Arc;

use quorate::any::threshold::ecdsa as any;
use quorate::threshold::ecdsa::{self, Plan};
use quorate::wire::{Decode, Encode};

use crate::glue::Result;
use crate::threshold::common::{Tolerance, group, is_agreed};

pub(super) fn plan(bytes: &[u8]) -> Result<Plan> {
    Ok(Plan::decode(bytes, &())?)
}

pub(super) fn signature(group: u8, bytes: &[u8]) -> Result<any::Signature> {
    Ok(any::Signature::decode(self::group(group)?, bytes)?)
}

#[derive(uniffi::Record)]
struct PlanConstants {
    rounds: u16,
    max_count: u32,
}

#[uniffi::export]
fn plan_constants() -> PlanConstants {
    PlanConstants { rounds: Plan::ROUNDS, max_count: Plan::MAX_COUNT }
}

#[derive(uniffi::Enum)]
enum PlanKind {
    Agreement { parties: u16, rounds: u16 },
    Agreed { count: u32 },
    Unagreed { count: u32 },
}

#[uniffi::export]
fn plan_of(kind: PlanKind) -> Vec<u8> {
    match kind {
        PlanKind::Agreement { parties, rounds } => Plan::Agreement { parties, rounds },
        PlanKind::Agreed { count } => Plan::Agreed { count },
        PlanKind::Unagreed { count } => Plan::Unagreed { count },
    }
    .encode()
}

/// Returns the number of presignatures of a plan; invalid plans raise.
#[uniffi::export]
fn plan_count(plan: Vec<u8>) -> Result<u32> {
    Ok(self::plan(&plan)?.count())
}

#[uniffi::export]
fn plan_is_agreed(plan: Vec<u8>, index: u32) -> Result<Option<bool>> {
    Ok(self::plan(&plan)?.agreement(index).map(is_agreed))
}

/// A use of a plan's presignatures.
#[derive(uniffi::Enum)]
enum PlanUse {
    Prbc { member: u16 },
    Promotion { round: u16, member: u16, step: u8 },
    Completion { round: u16 },
    Agreed { number: u32 },
    Unagreed { number: u32 },
}

#[uniffi::export]
fn plan_tag(plan: Vec<u8>, epoch: u64, what: PlanUse) -> Result<Arc<Tag>> {
    let plan = self::plan(&plan)?;
    Ok(Arc::new(Tag(match what {
        PlanUse::Prbc { member } => plan.prbc(epoch, member)?.into(),
        PlanUse::Promotion { round, member, step } => plan.promotion(epoch, round, member, step)?.into(),
        PlanUse::Completion { round } => plan.completion(epoch, round)?.into(),
        PlanUse::Agreed { number } => plan.agreed(epoch, number)?.into(),
        PlanUse::Unagreed { number } => plan.unagreed(epoch, number)?.into(),
    })))
}

/// Only a plan creates tags.
#[derive(uniffi::Object)]
pub(super) struct Tag(pub(super) any::Tag);

#[uniffi::export]
impl Tag {
    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    fn index(&self) -> u32 {
        self.0.index()
    }

    fn is_agreed(&self) -> bool {
        is_agreed(self.0.agreement())
    }
}

#[uniffi::export]
fn ecdsa_signature_check(group: u8, bytes: Vec<u8>) -> Result<()> {
    signature(group, &bytes).map(drop)
}

#[uniffi::export]
fn ecdsa_signature_to_der(group: u8, bytes: Vec<u8>) -> Result<Vec<u8>> {
    Ok(signature(group, &bytes)?.to_der()?)
}

#[derive(uniffi::Object)]
pub(super) struct EcdsaGroupKey(pub(super) any::GroupKey);

#[uniffi::export]
impl EcdsaGroupKey {
    #[uniffi::constructor]
    fn decode(group: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::GroupKey::decode(self::group(group)?, &bytes)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn group(&self) -> u8 {
        self.0.group().number()
    }

    fn id(&self) -> Vec<u8> {
        self.0.id().0.to_vec()
    }

    fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }

    fn tolerance(&self) -> Tolerance {
        self.0.tolerance().into()
    }

    fn verify(&self, tag: &Tag, message: Vec<u8>, group: u8, signature: Vec<u8>) -> Result<()> {
        Ok(self.0.verify(tag.0, &message, &self::signature(group, &signature)?)?)
    }

    fn verify_message(&self, message: Vec<u8>, group: u8, signature: Vec<u8>) -> Result<()> {
        Ok(self.0.verify_message(&message, &self::signature(group, &signature)?)?)
    }

    fn to_spki_der(&self) -> Result<Vec<u8>> {
        Ok(self.0.to_spki_der()?)
    }
}

#[derive(uniffi::Object)]
pub(super) struct Deal(pub(super) Arc<ecdsa::Deal>);

#[uniffi::export]
impl Deal {
    #[uniffi::constructor]
    fn decode(bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(Arc::new(ecdsa::Deal::decode(&bytes, &())?)))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn id(&self) -> Vec<u8> {
        self.0.id().to_vec()
    }

    fn key(&self) -> Vec<u8> {
        self.0.key().0.to_vec()
    }

    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    fn plan(&self) -> Vec<u8> {
        self.0.plan().encode()
    }

    fn roots(&self) -> Vec<Vec<u8>> {
        self.0.roots().iter().map(|root| root.to_vec()).collect()
    }
}
