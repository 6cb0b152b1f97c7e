//! Presignatures, which sign once.

use std::sync::Arc;

use quorate::any::threshold::ecdsa as any;
use quorate::wire::Encode;

use super::combining::Signing;
use super::deal::{Deal, EcdsaGroupKey, Tag};
use super::shares::{EcdsaSignatureShare, Opening};
use crate::glue::{Result, lock};
use crate::guard::Guard;
use crate::threshold::common::{Once, group, is_agreed};
use crate::threshold::secret::Secret;

#[derive(uniffi::Object)]
pub(super) struct Presignatures {
    group: u8,
    member: u16,
    key: Arc<EcdsaGroupKey>,
    deal: Arc<Deal>,
    all: Once<any::Presignatures>,
}

impl Presignatures {
    pub(super) fn new(all: any::Presignatures) -> Self {
        Self {
            group: all.group().number(),
            member: all.member(),
            key: Arc::new(EcdsaGroupKey(all.key())),
            deal: Arc::new(Deal(all.deal().clone())),
            all: Once::new(all),
        }
    }
}

#[uniffi::export]
impl Presignatures {
    #[uniffi::constructor]
    fn from_bytes(group: u8, bytes: &[u8]) -> Result<Self> {
        Ok(Self::new(any::Presignatures::from_bytes(self::group(group)?, bytes)?))
    }

    fn to_bytes(&self) -> Result<Arc<Secret>> {
        self.all.with(|all| Ok(Secret::new(&all.to_bytes()?)))?
    }

    fn group(&self) -> u8 {
        self.group
    }

    fn member(&self) -> u16 {
        self.member
    }

    fn key(&self) -> Arc<EcdsaGroupKey> {
        self.key.clone()
    }

    fn deal(&self) -> Arc<Deal> {
        self.deal.clone()
    }

    fn left(&self) -> Result<u32> {
        self.all.with(|all| all.left() as u32)
    }

    fn take(&self, tag: &Tag) -> Result<Arc<Presignature>> {
        let taken = self.all.with(|all| all.take(tag.0))??;
        let (group, agreed) = (taken.group().number(), is_agreed(taken.agreement()));
        Ok(Arc::new(Presignature { group, agreed, one: Once::new(taken) }))
    }

    fn signing(&self, tag: &Tag, message: Vec<u8>) -> Result<Arc<Signing>> {
        Ok(Arc::new(Signing(self.all.with(|all| all.signing(tag.0, &message))??)))
    }

    fn audit(&self, index: u32) -> Result<()> {
        Ok(self.all.with(|all| all.audit(index))??)
    }

    fn destroy(&self, guard: &Guard) -> Result<Vec<u8>> {
        let all = self.all.take()?;
        Ok(all.destroy(&mut lock(&guard.0)).encode())
    }
}

#[derive(uniffi::Object)]
struct Presignature {
    group: u8,
    agreed: bool,
    one: Once<any::Presignature>,
}

#[derive(uniffi::Record)]
struct SignedShare {
    record: Option<Vec<u8>>,
    share: Arc<EcdsaSignatureShare>,
    opener: Arc<Opener>,
}

#[uniffi::export]
impl Presignature {
    /// It is taken out before the guard is locked, and consumed whatever the guard decides.
    fn sign(&self, guard: &Guard, message: Vec<u8>) -> Result<SignedShare> {
        let presignature = self.one.take()?;
        let any::Signed { record, share, opener } = presignature.sign(&mut lock(&guard.0), &message)?;
        Ok(SignedShare {
            record: record.map(|record| record.encode()),
            share: Arc::new(EcdsaSignatureShare(share)),
            opener: Arc::new(Opener(opener)),
        })
    }

    fn group(&self) -> u8 {
        self.group
    }

    fn is_agreed(&self) -> bool {
        self.agreed
    }
}

#[derive(uniffi::Object)]
struct Opener(any::Opener);

#[uniffi::export]
impl Opener {
    fn open(&self) -> Result<Arc<Opening>> {
        Ok(Arc::new(Opening(self.0.open()?)))
    }
}
