//! The common coin.

use getrandom::SysRng;
use quorate::any::threshold::Cache;
use quorate::threshold::coin::{Coin, CoinName, CoinValue, Toss};
use wasm_bindgen::prelude::wasm_bindgen;

use super::CombinerCache;
use super::dleq::{
    DleqFault, DleqInstance, DleqKeyShare, DleqKeys, DleqShare, DleqVerifiedShares, Either, all, coin,
    coin_faults,
};
use crate::glue::{JsResult, OrThrow, array};

#[wasm_bindgen]
pub struct CoinHandle(Coin);

#[wasm_bindgen]
impl CoinHandle {
    pub fn from_name(keys: &DleqKeys, protocol: u8, epoch: u64, instance: u64, round: u64) -> JsResult<Self> {
        let name = CoinName { protocol, epoch, instance, round };
        Coin::from_name(coin(&keys.0).or_throw()?, name).or_throw().map(Self)
    }

    pub fn protocol(&self) -> u8 {
        self.0.name().protocol
    }

    /// Epoch, instance and round.
    pub fn place(&self) -> Vec<u64> {
        let CoinName { epoch, instance, round, .. } = self.0.name();
        vec![epoch, instance, round]
    }

    pub fn id(&self) -> Vec<u8> {
        self.0.instance().id().to_vec()
    }

    pub fn base(&self) -> Vec<u8> {
        self.0.instance().base().as_bytes().to_vec()
    }

    pub fn instance(&self) -> DleqInstance {
        DleqInstance(Either::Coin(self.0.instance().clone()))
    }

    pub fn share(&self, secret: &DleqKeyShare) -> JsResult<DleqShare> {
        let secret = coin(&secret.0).or_throw()?;
        secret.coin_share(&self.0, &mut SysRng).or_throw().map(|share| DleqShare(Either::Coin(share)))
    }

    pub fn combine(
        &self,
        keys: &DleqKeys,
        shares: DleqVerifiedShares,
        cache: Option<CombinerCache>,
    ) -> JsResult<CoinValueHandle> {
        let (keys, shares) = (coin(&keys.0).or_throw()?, all(&shares.0, coin).or_throw()?);
        let combine = |cache: &mut Cache| self.0.combine(keys, &shares, cache.as_mut());
        cache.unwrap_or_default().with(combine).or_throw().map(CoinValueHandle)
    }
}

#[wasm_bindgen]
pub struct CoinValueHandle(CoinValue);

#[wasm_bindgen]
impl CoinValueHandle {
    pub fn from_bytes(bytes: &[u8]) -> JsResult<Self> {
        array(bytes, "coin value").map(|bytes| Self(CoinValue(bytes)))
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.0.0.to_vec()
    }

    pub fn bit(&self) -> bool {
        self.0.bit()
    }

    pub fn below(&self, n: u16) -> Option<u16> {
        self.0.below(n)
    }
}

#[wasm_bindgen]
pub struct CoinToss {
    toss: Toss,
    cache: CombinerCache,
}

#[wasm_bindgen]
impl CoinToss {
    pub fn new(keys: &DleqKeys, tossed: &CoinHandle, cache: Option<CombinerCache>) -> JsResult<Self> {
        let toss = Toss::new(coin(&keys.0).or_throw()?.clone(), tossed.0.clone()).or_throw()?;
        Ok(Self { toss, cache: cache.unwrap_or_default() })
    }

    pub fn add(&mut self, share: &DleqShare) -> JsResult<CoinTossed> {
        let (toss, share) = (&mut self.toss, *coin(&share.0).or_throw()?);
        let collected = self.cache.with(|cache| toss.add(share, cache.as_mut())).or_throw()?;
        Ok(CoinTossed { output: collected.output, faults: coin_faults(collected.faults) })
    }

    pub fn is_done(&self) -> bool {
        self.toss.is_done()
    }
}

/// Result of adding a share.
#[wasm_bindgen]
pub struct CoinTossed {
    output: Option<CoinValue>,
    faults: Vec<DleqFault>,
}

#[wasm_bindgen]
impl CoinTossed {
    pub fn faults(&mut self) -> Vec<DleqFault> {
        std::mem::take(&mut self.faults)
    }

    pub fn output(self) -> Option<CoinValueHandle> {
        self.output.map(CoinValueHandle)
    }
}
