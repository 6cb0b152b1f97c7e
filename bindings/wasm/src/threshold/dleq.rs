//! Common parts of threshold encryption and the coin: keys, shares with proofs, faults. One handle serves both; it
//! knows its purpose, and combining handles of different purposes is rejected.

use std::sync::Arc;

use getrandom::SysRng;
use quorate::machine::MemberIndex;
use quorate::threshold::coin::CommonCoin;
use quorate::threshold::dleq::{self, Instance, Purpose, Share, ShareFault, VerifiedShare, WrongShare};
use quorate::threshold::tdh2::Tdh2;
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result as Outcome};
use wasm_bindgen::prelude::wasm_bindgen;
use zeroize::Zeroizing;

use super::ThresholdHandle;
use crate::glue::{JsResult, OrThrow, Uint8Array, byte_array, decode};

/// A value for one purpose or the other.
#[derive(Clone, Copy)]
pub(crate) enum Either<T, C> {
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

/// Copies several values, all of the purpose that `pick` selects.
pub(crate) fn all<A, T: Clone>(given: &[A], pick: fn(&A) -> Outcome<&T>) -> Outcome<Vec<T>> {
    given.iter().map(|one| pick(one).cloned()).collect()
}

fn decoded<T: Decode, C: Decode>(is_coin: bool, bytes: &[u8]) -> JsResult<Either<T, C>> {
    Ok(if is_coin { Either::Coin(decode(bytes)?) } else { Either::Tdh2(decode(bytes)?) })
}

type Keys<P> = Arc<dleq::PublicKeys<P>>;

#[wasm_bindgen]
pub struct DleqKeys(pub(crate) Either<Keys<Tdh2>, Keys<CommonCoin>>);

#[wasm_bindgen]
impl DleqKeys {
    pub fn decode(is_coin: bool, bytes: &[u8]) -> JsResult<Self> {
        let keys = decoded::<dleq::PublicKeys<Tdh2>, dleq::PublicKeys<CommonCoin>>(is_coin, bytes)?;
        Ok(Self(same!(keys, keys => Arc::new(keys))))
    }

    pub fn encode(&self) -> Vec<u8> {
        of!(&self.0, keys => keys.encode())
    }

    /// The core makes tables only for unshared keys, so they are decoded again.
    pub fn precomputed(&self) -> JsResult<Self> {
        let is_coin = matches!(self.0, Either::Coin(_));
        let keys = decoded::<dleq::PublicKeys<Tdh2>, dleq::PublicKeys<CommonCoin>>(is_coin, &self.encode())?;
        Ok(Self(same!(keys, keys => Arc::new(keys.precomputed()))))
    }

    pub fn committee(&self) -> Vec<u8> {
        of!(&self.0, keys => keys.committee().0.to_vec())
    }

    pub fn threshold(&self) -> ThresholdHandle {
        of!(&self.0, keys => ThresholdHandle(keys.threshold()))
    }

    pub fn key(&self) -> Vec<u8> {
        of!(&self.0, keys => keys.key().as_bytes().to_vec())
    }

    pub fn verification_key(&self, member: MemberIndex) -> Option<Vec<u8>> {
        of!(&self.0, keys => keys.verification_key(member).map(|key| key.as_bytes().to_vec()))
    }

    pub fn verify_share(&self, instance: &DleqInstance, share: &DleqShare) -> JsResult<DleqVerified> {
        match (&self.0, &instance.0, &share.0) {
            (Either::Tdh2(keys), Either::Tdh2(instance), Either::Tdh2(share)) => {
                keys.verify_share(instance, share).map(Either::Tdh2)
            }
            (Either::Coin(keys), Either::Coin(instance), Either::Coin(share)) => {
                keys.verify_share(instance, share).map(Either::Coin)
            }
            _ => Err(mixed()),
        }
        .or_throw()
        .map(DleqVerified)
    }

    pub fn verify_shares(&self, instance: &DleqInstance, shares: DleqShares) -> JsResult<DleqChecked> {
        match (&self.0, &instance.0) {
            (Either::Tdh2(keys), Either::Tdh2(instance)) => all(&shares.0, tdh2)
                .and_then(|shares| keys.verify_shares(instance, &shares))
                .map(|checked| DleqChecked::new(checked, Either::Tdh2, tdh2_faults)),
            (Either::Coin(keys), Either::Coin(instance)) => all(&shares.0, coin)
                .and_then(|shares| keys.verify_shares(instance, &shares))
                .map(|checked| DleqChecked::new(checked, Either::Coin, coin_faults)),
            _ => Err(mixed()),
        }
        .or_throw()
    }
}

/// Keys and one share for each member.
#[wasm_bindgen]
pub struct DleqDealt {
    keys: DleqKeys,
    shares: Vec<DleqKeyShare>,
}

#[wasm_bindgen]
impl DleqDealt {
    pub fn deal(is_coin: bool, committee: &[u8], threshold: &ThresholdHandle) -> JsResult<Self> {
        let (committee, threshold) = (decode(committee)?, threshold.0);
        if is_coin {
            let (keys, shares) = dleq::PublicKeys::deal(committee, threshold, &mut SysRng).or_throw()?;
            let shares = shares.into_iter().map(|share| DleqKeyShare(Either::Coin(share))).collect();
            Ok(Self { keys: DleqKeys(Either::Coin(Arc::new(keys))), shares })
        } else {
            let (keys, shares) = dleq::PublicKeys::deal(committee, threshold, &mut SysRng).or_throw()?;
            let shares = shares.into_iter().map(|share| DleqKeyShare(Either::Tdh2(share))).collect();
            Ok(Self { keys: DleqKeys(Either::Tdh2(Arc::new(keys))), shares })
        }
    }

    pub fn keys(&self) -> DleqKeys {
        DleqKeys(self.keys.0.clone())
    }

    pub fn shares(self) -> Vec<DleqKeyShare> {
        self.shares
    }
}

#[wasm_bindgen]
pub struct DleqKeyShare(pub(crate) Either<dleq::KeyShare<Tdh2>, dleq::KeyShare<CommonCoin>>);

#[wasm_bindgen]
impl DleqKeyShare {
    /// Owned, because a value borrowed from JavaScript is a copy in this memory that is never wiped.
    pub fn from_bytes(is_coin: bool, bytes: Vec<u8>) -> JsResult<Self> {
        let bytes = Zeroizing::new(bytes);
        if is_coin {
            dleq::KeyShare::from_bytes(&bytes).map(Either::Coin)
        } else {
            dleq::KeyShare::from_bytes(&bytes).map(Either::Tdh2)
        }
        .or_throw()
        .map(Self)
    }

    pub fn to_bytes(&self) -> Uint8Array {
        of!(&self.0, share => byte_array(share.to_bytes().as_slice()))
    }

    pub fn member(&self) -> MemberIndex {
        of!(&self.0, share => share.member())
    }

    pub fn committee(&self) -> Vec<u8> {
        of!(&self.0, share => share.committee().0.to_vec())
    }

    pub fn verification_key(&self) -> Vec<u8> {
        of!(&self.0, share => share.verification_key().as_bytes().to_vec())
    }

    pub fn check(&self, keys: &DleqKeys) -> JsResult<()> {
        match (&self.0, &keys.0) {
            (Either::Tdh2(share), Either::Tdh2(keys)) => share.check(keys),
            (Either::Coin(share), Either::Coin(keys)) => share.check(keys),
            _ => Err(mixed()),
        }
        .or_throw()
    }
}

/// The instance of shares: a checked ciphertext or a coin.
#[wasm_bindgen]
pub struct DleqInstance(pub(crate) Either<Instance<Tdh2>, Instance<CommonCoin>>);

type AnyShare = Either<Share<Tdh2>, Share<CommonCoin>>;

#[wasm_bindgen]
pub struct DleqShare(pub(crate) AnyShare);

#[wasm_bindgen]
impl DleqShare {
    pub fn decode(is_coin: bool, bytes: &[u8]) -> JsResult<Self> {
        decoded(is_coin, bytes).map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        of!(&self.0, share => share.encode())
    }

    pub fn member(&self) -> MemberIndex {
        of!(&self.0, share => share.member())
    }
}

/// Shares that are verified together.
#[wasm_bindgen]
#[derive(Default)]
pub struct DleqShares(Vec<AnyShare>);

#[wasm_bindgen]
impl DleqShares {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn add(&mut self, share: &DleqShare) {
        self.0.push(share.0);
    }
}

pub(crate) type AnyVerified = Either<VerifiedShare<Tdh2>, VerifiedShare<CommonCoin>>;

#[wasm_bindgen]
pub struct DleqVerified(AnyVerified);

#[wasm_bindgen]
impl DleqVerified {
    pub fn member(&self) -> MemberIndex {
        of!(&self.0, share => share.member())
    }
}

/// Shares to be combined.
#[wasm_bindgen]
#[derive(Default)]
pub struct DleqVerifiedShares(pub(crate) Vec<AnyVerified>);

#[wasm_bindgen]
impl DleqVerifiedShares {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn add(&mut self, share: &DleqVerified) {
        self.0.push(share.0);
    }
}

/// Result of checking several shares.
#[wasm_bindgen]
pub struct DleqChecked {
    verified: Vec<DleqVerified>,
    faults: Vec<DleqFault>,
}

impl DleqChecked {
    fn new<P: Purpose>(
        checked: dleq::Checked<P>,
        wrap: fn(VerifiedShare<P>) -> AnyVerified,
        faults: fn(Vec<ShareFault<P>>) -> Vec<DleqFault>,
    ) -> Self {
        let verified = checked.verified.into_iter().map(|share| DleqVerified(wrap(share))).collect();
        Self { verified, faults: faults(checked.faults) }
    }
}

#[wasm_bindgen]
impl DleqChecked {
    pub fn faults(&mut self) -> Vec<DleqFault> {
        std::mem::take(&mut self.faults)
    }

    pub fn verified(self) -> Vec<DleqVerified> {
        self.verified
    }
}

/// A share that did not verify: proven to be the member's own, or received in its name.
#[wasm_bindgen]
pub struct DleqFault {
    member: MemberIndex,
    evidence: Option<DleqWrong>,
    share: Option<DleqShare>,
}

#[wasm_bindgen]
impl DleqFault {
    pub fn member(&self) -> MemberIndex {
        self.member
    }

    pub fn evidence(&mut self) -> Option<DleqWrong> {
        self.evidence.take()
    }

    pub fn share(self) -> Option<DleqShare> {
        self.share
    }
}

fn fault<P: Purpose>(
    fault: ShareFault<P>,
    wrong: fn(WrongShare<P>) -> AnyWrong,
    wrap: fn(Share<P>) -> AnyShare,
) -> DleqFault {
    let member = fault.member();
    match fault {
        ShareFault::Proven(evidence) => {
            DleqFault { member, evidence: Some(DleqWrong(wrong(*evidence))), share: None }
        }
        ShareFault::Forged { share } => {
            DleqFault { member, evidence: None, share: Some(DleqShare(wrap(*share))) }
        }
    }
}

/// Converts faults of threshold encryption.
pub(crate) fn tdh2_faults(faults: Vec<ShareFault<Tdh2>>) -> Vec<DleqFault> {
    faults.into_iter().map(|one| fault(one, Either::Tdh2, Either::Tdh2)).collect()
}

/// Converts faults of the coin.
pub(crate) fn coin_faults(faults: Vec<ShareFault<CommonCoin>>) -> Vec<DleqFault> {
    faults.into_iter().map(|one| fault(one, Either::Coin, Either::Coin)).collect()
}

type AnyWrong = Either<WrongShare<Tdh2>, WrongShare<CommonCoin>>;

#[wasm_bindgen]
pub struct DleqWrong(AnyWrong);

#[wasm_bindgen]
impl DleqWrong {
    pub fn decode(is_coin: bool, bytes: &[u8]) -> JsResult<Self> {
        decoded(is_coin, bytes).map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        of!(&self.0, evidence => evidence.encode())
    }

    pub fn verify(&self, keys: &DleqKeys) -> JsResult<MemberIndex> {
        match (&self.0, &keys.0) {
            (Either::Tdh2(evidence), Either::Tdh2(keys)) => evidence.verify(keys),
            (Either::Coin(evidence), Either::Coin(keys)) => evidence.verify(keys),
            _ => Err(mixed()),
        }
        .or_throw()
    }
}
