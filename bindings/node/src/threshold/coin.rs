//! The common coin.

use getrandom::SysRng;
use napi::Env;
use napi::bindgen_prelude::{BigInt, Uint8Array};
use napi_derive::napi;
use quorate::any::threshold::Cache;
use quorate::threshold::coin::{Coin, CoinCombiner, CoinName, CoinValue};

use super::SharedCache;
use super::dleq::{
    AnyInstance, AnyKeys, AnyShare, AnyVerified, Either, Fault, OpenKeyShare, all, coin, coin_faults,
};
use crate::glue::{Bytes, Result, Throw, array, bytes, handle, number};
use crate::handle::External;

#[napi(catch_unwind)]
pub fn coin_from_name(
    keys: &External<AnyKeys>,
    protocol: u8,
    epoch: BigInt,
    instance: BigInt,
    round: BigInt,
) -> Result<External<Coin>> {
    let [epoch, instance, round] = [epoch, instance, round].map(|part| number(&part));
    let name = CoinName { protocol, epoch, instance, round };
    handle(coin(keys).and_then(|keys| Coin::from_name(keys, name)))
}

/// Name of a coin.
#[napi(object, object_from_js = false)]
pub struct Named {
    pub protocol: u8,
    pub epoch: u64,
    pub instance: u64,
    pub round: u64,
}

#[napi(catch_unwind)]
pub fn coin_name(coin: &External<Coin>) -> Named {
    let CoinName { protocol, epoch, instance, round } = coin.name();
    Named { protocol, epoch, instance, round }
}

#[napi(catch_unwind)]
pub fn coin_id<'env>(env: &'env Env, coin: &External<Coin>) -> Result<Bytes<'env>> {
    bytes(env, coin.instance().id())
}

#[napi(catch_unwind)]
pub fn coin_base<'env>(env: &'env Env, coin: &External<Coin>) -> Result<Bytes<'env>> {
    bytes(env, coin.instance().base().as_bytes())
}

#[napi(catch_unwind)]
pub fn coin_instance(coin: &External<Coin>) -> External<AnyInstance> {
    External::new(Either::Coin(coin.instance().clone()))
}

#[napi(catch_unwind)]
pub fn coin_share(share: &External<OpenKeyShare>, tossed: &External<Coin>) -> Result<External<AnyShare>> {
    let made = coin(share.open()?).and_then(|share| share.coin_share(tossed, &mut SysRng));
    handle(made.map(Either::Coin))
}

#[napi(catch_unwind)]
pub fn coin_combine<'env>(
    env: &'env Env,
    tossed: &External<Coin>,
    keys: &External<AnyKeys>,
    shares: Vec<&External<AnyVerified>>,
    cache: Option<&External<SharedCache>>,
) -> Result<Bytes<'env>> {
    let keys = coin(keys).throw()?;
    let shares = all(&shares, coin).throw()?;
    let combine = |cache: &mut Cache| tossed.combine(keys, &shares, cache.as_mut());
    let value = SharedCache::or_new(cache).with(combine).throw()?;
    bytes(env, value.0)
}

#[napi(catch_unwind)]
pub fn coin_value_bit(value: &[u8]) -> Result<bool> {
    Ok(CoinValue(array("coin value", value)?).bit())
}

#[napi(catch_unwind)]
pub fn coin_value_below(value: &[u8], n: u16) -> Result<Option<u16>> {
    Ok(CoinValue(array("coin value", value)?).below(n))
}

/// A toss with its cache.
pub struct Tossing {
    toss: CoinCombiner,
    cache: SharedCache,
}

#[napi(catch_unwind)]
pub fn coin_toss_new(
    keys: &External<AnyKeys>,
    tossed: &External<Coin>,
    cache: Option<&External<SharedCache>>,
) -> Result<External<Tossing>> {
    let toss = CoinCombiner::new(coin(keys).throw()?.clone(), Coin::clone(tossed));
    handle(toss.map(|toss| Tossing { toss, cache: SharedCache::or_new(cache) }))
}

/// Result of adding a share.
#[napi(object, object_from_js = false)]
pub struct Tossed {
    pub output: Option<Uint8Array>,
    pub faults: Vec<Fault>,
}

#[napi(catch_unwind)]
pub fn coin_toss_add(tossing: &mut External<Tossing>, share: &External<AnyShare>) -> Result<Tossed> {
    let share = *coin(share).throw()?;
    let Tossing { toss, cache } = &mut **tossing;
    let collected = cache.with(|cache| toss.add(share, cache.as_mut())).throw()?;
    let output = collected.output.map(|value| value.0.to_vec().into());
    Ok(Tossed { output, faults: coin_faults(collected.faults) })
}

#[napi(catch_unwind)]
pub fn coin_toss_done(tossing: &External<Tossing>) -> bool {
    tossing.toss.is_done()
}
