//! The dealer.

use std::sync::Arc;

use getrandom::SysRng;
use quorate::Error;
use quorate::any::threshold::ecdsa as any;

use super::deal::{EcdsaGroupKey, plan as decoded};
use super::presignatures::Presignatures;
use crate::glue::{Result, committee_id};
use crate::threshold::common::{Tolerance, group};
use crate::threshold::secret::Secret;

#[derive(uniffi::Object)]
struct TrustedDealer(any::TrustedDealer);

#[uniffi::export]
impl TrustedDealer {
    #[uniffi::constructor]
    fn new(group: u8, committee: Vec<u8>, tolerance: Tolerance) -> Result<Self> {
        let (group, committee) = (self::group(group)?, committee_id(&committee)?);
        Ok(Self(any::TrustedDealer::new(group, committee, tolerance.try_into()?, &mut SysRng)?))
    }

    #[uniffi::constructor]
    fn from_bytes(group: u8, committee: Vec<u8>, tolerance: Tolerance, bytes: &[u8]) -> Result<Self> {
        let (group, committee) = (self::group(group)?, committee_id(&committee)?);
        let bytes = bytes.try_into().map_err(|_| Error::Malformed { what: "secret threshold key" })?;
        Ok(Self(any::TrustedDealer::from_bytes(group, committee, tolerance.try_into()?, bytes)?))
    }

    fn to_bytes(&self) -> Arc<Secret> {
        Secret::new(self.0.to_bytes().as_slice())
    }

    fn key(&self) -> Arc<EcdsaGroupKey> {
        Arc::new(EcdsaGroupKey(self.0.key()))
    }

    fn deal(&self, epoch: u64, plan: Vec<u8>) -> Result<Vec<Arc<Presignatures>>> {
        let dealt = self.0.deal(epoch, decoded(&plan)?, &mut SysRng)?;
        Ok(dealt.into_iter().map(|all| Arc::new(Presignatures::new(all))).collect())
    }
}
