//! Common parts of threshold encryption and the coin: keys, shares with proofs, faults. One function serves both; a
//! handle knows its purpose, and combining handles of different purposes is rejected.

use std::sync::Arc;

use getrandom::SysRng;
use napi::Env;
use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use quorate::committee::CommitteeId;
use quorate::machine::MemberIndex;
use quorate::threshold::Threshold;
use quorate::threshold::coin::CommonCoin;
use quorate::threshold::dleq::{
    self, Checked, Instance, KeyShare, PublicKeys, Purpose, Share, ShareFault, VerifiedShare, WrongShare,
};
use quorate::threshold::tdh2::Tdh2;
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result as Outcome};

use crate::glue::{Bytes, Closable, Flag, Promised, Result, Throw, bytes, handle, queue};
use crate::handle::External;

/// A value for one purpose or the other.
#[derive(Clone, Copy, PartialEq)]
pub enum Either<T, C> {
    Tdh2(T),
    Coin(C),
}

/// Applies an expression to either.
macro_rules! of {
    ($value:expr, $it:ident => $what:expr) => {
        match $value {
            Either::Tdh2($it) => $what,
            Either::Coin($it) => $what,
        }
    };
}

/// Applies an expression to either, with a result for the same purpose.
macro_rules! same {
    ($value:expr, $it:ident => $what:expr) => {
        match $value {
            Either::Tdh2($it) => Either::Tdh2($what),
            Either::Coin($it) => Either::Coin($what),
        }
    };
}

/// Defines a type for either purpose.
macro_rules! per_purpose {
    ($($name:ident = $inner:ident;)*) => {
        $(pub type $name = Either<$inner<Tdh2>, $inner<CommonCoin>>;)*
    };
}

per_purpose! {
    AnyKeys = Keys;
    AnyKeyShare = KeyShare;
    AnyInstance = Instance;
    AnyShare = Share;
    AnyVerified = VerifiedShare;
    AnyWrong = WrongShare;
}

/// A member's secret until it is closed.
pub type OpenKeyShare = Closable<AnyKeyShare>;

/// Keys shared by threads.
pub type Keys<P> = Arc<PublicKeys<P>>;

fn mixed() -> Error {
    Error::WrongContext { what: "purpose" }
}

/// Returns the value for threshold encryption.
pub(crate) fn tdh2<T, C>(value: &Either<T, C>) -> Outcome<&T> {
    if let Either::Tdh2(value) = value { Ok(value) } else { Err(mixed()) }
}

/// Returns the value for the coin.
pub(crate) fn coin<T, C>(value: &Either<T, C>) -> Outcome<&C> {
    if let Either::Coin(value) = value { Ok(value) } else { Err(mixed()) }
}

/// Copies the values of several handles, all of the purpose that `pick` selects.
pub(crate) fn all<A, T: Clone>(given: &[&External<A>], pick: fn(&A) -> Outcome<&T>) -> Outcome<Vec<T>> {
    given.iter().map(|one| pick(one).cloned()).collect()
}

/// Keys and one share for each member.
#[napi(object, object_from_js = false)]
pub struct Dealt {
    pub keys: External<AnyKeys>,
    pub shares: Vec<External<OpenKeyShare>>,
}

fn deal<P: Purpose>(
    committee: CommitteeId,
    threshold: Threshold,
    keys: fn(Keys<P>) -> AnyKeys,
    share: fn(KeyShare<P>) -> AnyKeyShare,
) -> Outcome<Dealt> {
    let (dealt, shares) = PublicKeys::deal(committee, threshold, &mut SysRng)?;
    let shares = shares.into_iter().map(|one| External::new(Closable::new("key share", share(one))));
    Ok(Dealt { keys: External::new(keys(Arc::new(dealt))), shares: shares.collect() })
}

fn deal_for(is_coin: bool, committee: CommitteeId, threshold: Threshold) -> Outcome<Dealt> {
    if is_coin {
        deal(committee, threshold, Either::Coin, Either::Coin)
    } else {
        deal(committee, threshold, Either::Tdh2, Either::Tdh2)
    }
}

#[napi(catch_unwind)]
pub fn dleq_deal(
    is_coin: bool,
    committee: &External<CommitteeId>,
    threshold: &External<Threshold>,
) -> Result<Dealt> {
    deal_for(is_coin, **committee, **threshold).throw()
}

#[napi(catch_unwind)]
pub fn dleq_deal_async(
    is_coin: bool,
    committee: &External<CommitteeId>,
    threshold: &External<Threshold>,
    cancelled: Option<&External<Flag>>,
) -> Promised<Dealt> {
    let (committee, threshold) = (**committee, **threshold);
    queue(cancelled, move || deal_for(is_coin, committee, threshold))
}

fn decoded<T: Decode, C: Decode>(is_coin: bool, data: &[u8]) -> Outcome<Either<T, C>> {
    Ok(if is_coin { Either::Coin(C::decode(data, &())?) } else { Either::Tdh2(T::decode(data, &())?) })
}

#[napi(catch_unwind)]
pub fn dleq_keys_decode(is_coin: bool, data: &[u8]) -> Result<External<AnyKeys>> {
    let keys = decoded::<PublicKeys<Tdh2>, PublicKeys<CommonCoin>>(is_coin, data);
    handle(keys.map(|keys| same!(keys, keys => Arc::new(keys))))
}

#[napi(catch_unwind)]
pub fn dleq_keys_encode<'env>(env: &'env Env, keys: &External<AnyKeys>) -> Result<Bytes<'env>> {
    bytes(env, of!(&**keys, it => it.encode()))
}

/// The core makes tables only for unshared keys, so they are decoded again.
#[napi(catch_unwind)]
pub fn dleq_keys_precomputed(keys: &External<AnyKeys>) -> Result<External<AnyKeys>> {
    let encoded = of!(&**keys, it => it.encode());
    let is_coin = matches!(**keys, Either::Coin(_));
    let again = decoded::<PublicKeys<Tdh2>, PublicKeys<CommonCoin>>(is_coin, &encoded);
    handle(again.map(|keys| same!(keys, keys => Arc::new(keys.precomputed()))))
}

/// Properties of keys.
#[napi(object, object_from_js = false)]
pub struct KeysInfo {
    pub committee: External<CommitteeId>,
    pub threshold: External<Threshold>,
    pub key: Uint8Array,
}

#[napi(catch_unwind)]
pub fn dleq_keys_info(keys: &External<AnyKeys>) -> KeysInfo {
    of!(&**keys, it => KeysInfo {
        committee: External::new(it.committee()),
        threshold: External::new(it.threshold()),
        key: it.key().as_bytes().to_vec().into(),
    })
}

#[napi(catch_unwind)]
pub fn dleq_keys_verification_key(keys: &External<AnyKeys>, member: MemberIndex) -> Option<Uint8Array> {
    of!(&**keys, it => it.verification_key(member).map(element))
}

fn element(element: &dleq::Element) -> Uint8Array {
    element.as_bytes().to_vec().into()
}

#[napi(catch_unwind)]
pub fn dleq_verify_share(
    keys: &External<AnyKeys>,
    instance: &External<AnyInstance>,
    share: &External<AnyShare>,
) -> Result<External<AnyVerified>> {
    handle(match (&**keys, &**instance, &**share) {
        (Either::Tdh2(keys), Either::Tdh2(instance), Either::Tdh2(share)) => {
            keys.verify_share(instance, share).map(Either::Tdh2)
        }
        (Either::Coin(keys), Either::Coin(instance), Either::Coin(share)) => {
            keys.verify_share(instance, share).map(Either::Coin)
        }
        _ => Err(mixed()),
    })
}

/// A share that did not verify: proven to be the member's own, or received in its name.
#[napi(object, object_from_js = false)]
pub struct Fault {
    pub member: MemberIndex,
    pub evidence: Option<External<AnyWrong>>,
    pub share: Option<External<AnyShare>>,
}

/// Result of checking several shares.
#[napi(object, object_from_js = false)]
pub struct CheckedShares {
    pub verified: Vec<External<AnyVerified>>,
    pub faults: Vec<Fault>,
}

fn fault<P: Purpose>(
    fault: ShareFault<P>,
    wrong: fn(WrongShare<P>) -> AnyWrong,
    share: fn(Share<P>) -> AnyShare,
) -> Fault {
    let member = fault.member();
    let (evidence, share) = match fault {
        ShareFault::Proven(evidence) => (Some(External::new(wrong(*evidence))), None),
        ShareFault::Forged { share: forged } => (None, Some(External::new(share(*forged)))),
    };
    Fault { member, evidence, share }
}

/// Converts faults of threshold encryption.
pub(crate) fn tdh2_faults(faults: Vec<ShareFault<Tdh2>>) -> Vec<Fault> {
    faults.into_iter().map(|one| fault(one, Either::Tdh2, Either::Tdh2)).collect()
}

/// Converts faults of the coin.
pub(crate) fn coin_faults(faults: Vec<ShareFault<CommonCoin>>) -> Vec<Fault> {
    faults.into_iter().map(|one| fault(one, Either::Coin, Either::Coin)).collect()
}

/// Either half waits in the queue for a thread.
type Verification = Box<dyn FnOnce() -> Outcome<CheckedShares> + Send>;

fn verification(
    keys: &AnyKeys,
    instance: &AnyInstance,
    shares: &[&External<AnyShare>],
) -> Outcome<Verification> {
    fn shown<P: Purpose>(
        checked: Checked<P>,
        wrap: fn(VerifiedShare<P>) -> AnyVerified,
    ) -> Vec<External<AnyVerified>> {
        checked.verified.into_iter().map(|share| External::new(wrap(share))).collect()
    }
    Ok(match (keys, instance) {
        (Either::Tdh2(keys), Either::Tdh2(instance)) => {
            let (keys, instance, shares) = (keys.clone(), instance.clone(), all(shares, tdh2)?);
            Box::new(move || {
                let mut checked = keys.verify_shares(&instance, &shares)?;
                let faults = tdh2_faults(std::mem::take(&mut checked.faults));
                Ok(CheckedShares { verified: shown(checked, Either::Tdh2), faults })
            })
        }
        (Either::Coin(keys), Either::Coin(instance)) => {
            let (keys, instance, shares) = (keys.clone(), instance.clone(), all(shares, coin)?);
            Box::new(move || {
                let mut checked = keys.verify_shares(&instance, &shares)?;
                let faults = coin_faults(std::mem::take(&mut checked.faults));
                Ok(CheckedShares { verified: shown(checked, Either::Coin), faults })
            })
        }
        _ => return Err(mixed()),
    })
}

#[napi(catch_unwind)]
pub fn dleq_verify_shares(
    keys: &External<AnyKeys>,
    instance: &External<AnyInstance>,
    shares: Vec<&External<AnyShare>>,
) -> Result<CheckedShares> {
    verification(keys, instance, &shares).and_then(|verify| verify()).throw()
}

#[napi(catch_unwind)]
pub fn dleq_verify_shares_async(
    keys: &External<AnyKeys>,
    instance: &External<AnyInstance>,
    shares: Vec<&External<AnyShare>>,
    cancelled: Option<&External<Flag>>,
) -> Result<Promised<CheckedShares>> {
    Ok(queue(cancelled, verification(keys, instance, &shares).throw()?))
}

#[napi(catch_unwind)]
pub fn dleq_key_share_from_bytes(is_coin: bool, data: &[u8]) -> Result<External<OpenKeyShare>> {
    let share = if is_coin {
        KeyShare::from_bytes(data).map(Either::Coin)
    } else {
        KeyShare::from_bytes(data).map(Either::Tdh2)
    };
    handle(share.map(|share| Closable::new("key share", share)))
}

#[napi(catch_unwind)]
pub fn dleq_key_share_to_bytes<'env>(env: &'env Env, share: &External<OpenKeyShare>) -> Result<Bytes<'env>> {
    of!(share.open()?, it => bytes(env, it.to_bytes().as_slice()))
}

/// Properties of a key share.
#[napi(object, object_from_js = false)]
pub struct KeyShareInfo {
    pub member: MemberIndex,
    pub committee: External<CommitteeId>,
    pub verification_key: Uint8Array,
}

#[napi(catch_unwind)]
pub fn dleq_key_share_info(share: &External<OpenKeyShare>) -> Result<KeyShareInfo> {
    Ok(of!(share.open()?, it => KeyShareInfo {
        member: it.member(),
        committee: External::new(it.committee()),
        verification_key: element(it.verification_key()),
    }))
}

#[napi(catch_unwind)]
pub fn dleq_key_share_check(share: &External<OpenKeyShare>, keys: &External<AnyKeys>) -> Result<()> {
    match (share.open()?, &**keys) {
        (Either::Tdh2(share), Either::Tdh2(keys)) => share.check(keys),
        (Either::Coin(share), Either::Coin(keys)) => share.check(keys),
        _ => Err(mixed()),
    }
    .throw()
}

#[napi(catch_unwind)]
pub fn dleq_key_share_close(share: &mut External<OpenKeyShare>) {
    share.close();
}

#[napi(catch_unwind)]
pub fn dleq_key_share_closed(share: &External<OpenKeyShare>) -> bool {
    share.is_closed()
}

#[napi(catch_unwind)]
pub fn dleq_share_decode(is_coin: bool, data: &[u8]) -> Result<External<AnyShare>> {
    handle(decoded(is_coin, data))
}

#[napi(catch_unwind)]
pub fn dleq_share_encode<'env>(env: &'env Env, share: &External<AnyShare>) -> Result<Bytes<'env>> {
    bytes(env, of!(&**share, it => it.encode()))
}

#[napi(catch_unwind)]
pub fn dleq_share_member(share: &External<AnyShare>) -> MemberIndex {
    of!(&**share, it => it.member())
}

#[napi(catch_unwind)]
pub fn dleq_verified_member(share: &External<AnyVerified>) -> MemberIndex {
    of!(&**share, it => it.member())
}

#[napi(catch_unwind)]
pub fn dleq_wrong_decode(is_coin: bool, data: &[u8]) -> Result<External<AnyWrong>> {
    handle(decoded(is_coin, data))
}

#[napi(catch_unwind)]
pub fn dleq_wrong_encode<'env>(env: &'env Env, evidence: &External<AnyWrong>) -> Result<Bytes<'env>> {
    bytes(env, of!(&**evidence, it => it.encode()))
}

#[napi(catch_unwind)]
pub fn dleq_wrong_verify(evidence: &External<AnyWrong>, keys: &External<AnyKeys>) -> Result<MemberIndex> {
    match (&**evidence, &**keys) {
        (Either::Tdh2(evidence), Either::Tdh2(keys)) => evidence.verify(keys),
        (Either::Coin(evidence), Either::Coin(keys)) => evidence.verify(keys),
        _ => Err(mixed()),
    }
    .throw()
}
