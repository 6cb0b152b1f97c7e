//! The common coin.

use std::sync::Arc;

use getrandom::SysRng;
use quorate::any::threshold as any;
use quorate::threshold::coin::{self, Cks};
use quorate::threshold::dleq;
use quorate::wire::{Decode, Encode};

use super::common::{Threshold, ThresholdCache, WithCache};
use super::dleq::purpose;
use super::secret::Secret;
use crate::glue::{Result, committee_id, hash32};

purpose! {
    Cks, Coin;
    CoinPublicKeys, CoinKeyShare, CoinShare, CoinVerifiedShare, CoinWrongShare, CoinShareFault, CoinChecked,
    CoinDealt, coin_deal, coin_share
}

#[derive(uniffi::Record)]
struct CoinName {
    protocol: u8,
    epoch: u64,
    instance: u64,
    round: u64,
}

impl From<coin::CoinName> for CoinName {
    fn from(name: coin::CoinName) -> Self {
        let coin::CoinName { protocol, epoch, instance, round } = name;
        Self { protocol, epoch, instance, round }
    }
}

impl From<CoinName> for coin::CoinName {
    fn from(name: CoinName) -> Self {
        let CoinName { protocol, epoch, instance, round } = name;
        Self { protocol, epoch, instance, round }
    }
}

#[uniffi::export]
fn coin_name_decode(bytes: Vec<u8>) -> Result<CoinName> {
    Ok(coin::CoinName::decode(&bytes, &())?.into())
}

#[uniffi::export]
fn coin_name_encode(name: CoinName) -> Vec<u8> {
    coin::CoinName::from(name).encode()
}

/// Values cross the boundary as their bytes.
#[uniffi::export]
fn coin_value_bit(value: Vec<u8>) -> Result<bool> {
    Ok(coin::CoinValue(hash32("coin value", &value)?).bit())
}

#[uniffi::export]
fn coin_value_below(value: Vec<u8>, n: u16) -> Result<Option<u16>> {
    Ok(coin::CoinValue(hash32("coin value", &value)?).below(n))
}

#[derive(uniffi::Object)]
struct Coin(coin::Coin);

#[uniffi::export]
impl Coin {
    #[uniffi::constructor]
    fn from_name(keys: &CoinPublicKeys, name: CoinName) -> Result<Self> {
        Ok(Self(coin::Coin::from_name(&keys.0, name.into())?))
    }

    fn name(&self) -> CoinName {
        self.0.name().into()
    }

    fn id(&self) -> Vec<u8> {
        self.0.instance().id().to_vec()
    }

    fn base(&self) -> Vec<u8> {
        self.0.instance().base().as_bytes().to_vec()
    }

    fn combine(
        &self,
        keys: &CoinPublicKeys,
        shares: Vec<Arc<CoinVerifiedShare>>,
        cache: Option<Arc<ThresholdCache>>,
    ) -> Result<Vec<u8>> {
        let shares: Vec<_> = shares.iter().map(|share| share.0).collect();
        let combine = |cache: &mut any::Cache| self.0.combine(&keys.0, &shares, cache.as_mut());
        Ok(ThresholdCache::with(cache.as_deref(), combine)?.0.to_vec())
    }
}

#[derive(uniffi::Record)]
struct CoinCollected {
    output: Option<Vec<u8>>,
    faults: Vec<CoinShareFault>,
}

#[derive(uniffi::Object)]
struct Toss(WithCache<coin::Toss>);

#[uniffi::export]
impl Toss {
    #[uniffi::constructor]
    fn new(keys: &CoinPublicKeys, coin: &Coin, cache: Option<Arc<ThresholdCache>>) -> Result<Self> {
        Ok(Self(WithCache::new(coin::Toss::new(keys.0.clone(), coin.0.clone())?, cache)))
    }

    fn add(&self, share: &CoinShare) -> Result<CoinCollected> {
        let got = self.0.with(|inner, cache| inner.add(share.0, cache.as_mut()))?;
        Ok(CoinCollected {
            output: got.output.map(|value| value.0.to_vec()),
            faults: got.faults.into_iter().map(CoinShareFault::from).collect(),
        })
    }

    fn is_done(&self) -> bool {
        self.0.with(|inner, _| inner.is_done())
    }
}
