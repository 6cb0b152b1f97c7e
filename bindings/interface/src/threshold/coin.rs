//! The common coin: one value per name, the same for all members, and unpredictable until enough members have released
//! their shares.
//!
//! **A coin is secret until it is needed**: release a share only when the protocol permits it. The coin has keys of its
//! own, distinct from those of `tdh2`.
#![cfg_attr(binding, module = "threshold/coin")]

use std::sync::Arc;

use quorate::Result;
use quorate::threshold::coin::{self, CommonCoin};
use quorate::threshold::dleq;
use quorate::wire::{Decode, Encode};

use super::WithCache;
use crate::ids::CommitteeId;
use crate::threshold::Cache;
use crate::{SecretBytes, exactly, progress};

super::dleq::purpose! { CommonCoin, Coin, CoinShare }

impl KeyShare {
    /// Returns this member's share of a coin. **Release it only when the protocol permits it**: a party that sees enough
    /// shares early knows the value early. Cost: three multiplications.
    /// [`Error::WrongContext`](quorate::Error) if the coin belongs to other keys.
    /// [`Error::Rng`](quorate::Error) if the operating system has no random bytes.
    pub fn coin_share(&self, coin: &Coin) -> Result<CoinShare> {
        let share = self.0.coin_share(&coin.0, &mut getrandom::SysRng)?;
        Ok(CoinShare(share.into()))
    }
}

class! {
    /// Name of a coin. Use each name for one decision only.
    value plain struct CoinName(coin::CoinName): Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| {
        let coin::CoinName { protocol, epoch, instance, round } = self.0;
        write!(f, "CoinName(protocol={protocol}, epoch={epoch}, instance={instance}, round={round})")
    };
    const LEN: u32 = 25 == coin::CoinName::LEN, "Length of a name in bytes.";
    /// Creates a name. The caller chooses the number of the `protocol`, so that two protocols never share a coin; then
    /// follow its epoch, an instance of the epoch, and a round of the instance.
    quick fn new(protocol: u8, epoch: u64, instance: u64, round: u64) -> Self {
        Self(coin::CoinName { protocol, epoch, instance, round })
    }
    /// Decodes the 25 bytes.
    /// [`Error::Malformed`](quorate::Error) for another number of bytes.
    quick fn decode(bytes: &[u8]) -> Result<Self> { coin::CoinName::decode(bytes, &()).map(Self) }
    /// Returns the 25 bytes.
    quick fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Number of the protocol.
    getter fn protocol(&self) -> u8 { self.0.protocol }
    /// Epoch of the protocol.
    getter fn epoch(&self) -> u64 { self.0.epoch }
    /// Instance within the epoch.
    getter fn instance(&self) -> u64 { self.0.instance }
    /// Round of the instance.
    getter fn round(&self) -> u64 { self.0.round }
}

class! {
    /// A name hashed to the group for a set of keys: the base of its shares.
    #[cfg_attr(binding, instead = "send its name and create it there")]
    object struct Coin(coin::Coin): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "Coin({})", self.name());
    /// Returns the coin with that name. Cost: half a multiplication.
    fn from_name(keys: &PublicKeys, name: &CoinName) -> Result<Self> {
        coin::Coin::from_name(&keys.0, name.0).map(Self)
    }
    /// Its name.
    getter fn name(&self) -> CoinName { CoinName(self.0.name()) }
    /// Identifier in the proofs of its shares: 32 bytes.
    getter fn id(&self) -> [u8; 32] { self.0.instance().id() }
    /// The element whose multiples are the shares: 32 bytes.
    getter fn base(&self) -> [u8; 32] { *self.0.instance().base().as_bytes() }
    /// Combines verified shares into the value. Combiners that share a `cache` reuse the Lagrange coefficients of
    /// recent sets of members.
    /// [`Error::BelowQuorum`](quorate::Error) for too few shares.
    /// [`Error::DuplicateSigner`](quorate::Error) for two shares of one member.
    /// [`Error::WrongContext`](quorate::Error) for a share of another coin.
    fn combine(
        &self,
        keys: &PublicKeys,
        shares: &[&VerifiedShare],
        cache: Option<&Cache>,
    ) -> Result<CoinValue> {
        let shares: Vec<_> = shares.iter().map(|share| share.0).collect();
        Cache::with(cache, |cache| self.0.combine(&keys.0, &shares, cache.as_mut())).map(CoinValue)
    }
}

class! {
    /// 32 random bytes, the same for all members.
    encoded hex struct CoinValue(coin::CoinValue): Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| f.write_str(&hex::encode(self.bytes()));
    /// Creates a known value of exactly 32 bytes.
    /// [`Error::Malformed`](quorate::Error) for another number of bytes.
    quick fn from_bytes(bytes: &[u8]) -> Result<Self> {
        exactly(bytes, "coin value").map(coin::CoinValue).map(Self)
    }
    /// The 32 bytes.
    getter fn bytes(&self) -> [u8; 32] { self.0.0 }
    /// Returns one bit.
    quick fn bit(&self) -> bool { self.0.bit() }
    /// Returns a number from 0 to n − 1, for leader election; nothing if `n` is 0. The bias is below 2⁻²⁴⁰.
    quick fn below(&self, n: u16) -> Option<u16> { self.0.below(n) }
}

class! {
    /// Collects the shares of one coin until enough are valid. It verifies all shares, in batches, before combining
    /// them, because a combined value cannot be verified. Threads may share it.
    object struct CoinCombiner { name: CoinName, inner: WithCache<coin::CoinCombiner> }: Debug;
    shown |self, f| write!(f, "CoinCombiner({}, {})", self.name, progress(self.is_done()));
    /// Creates a combiner for a coin of these keys. Combiners that share a `cache` reuse the Lagrange coefficients of
    /// recent sets of members.
    /// [`Error::WrongContext`](quorate::Error) if the coin belongs to other keys.
    fn new(keys: &PublicKeys, coin: &Coin, cache: Option<&Cache>) -> Result<Self> {
        let inner = coin::CoinCombiner::new(Arc::clone(&keys.0), coin.0.clone())?;
        Ok(Self { name: coin.name(), inner: WithCache::new(inner, cache) })
    }
    /// Adds a share. The output is the value, once enough shares are valid.
    /// [`Error::UnknownSigner`](quorate::Error) if the keys have no such member.
    fn add(&self, share: &CoinShare) -> Result<Collected> {
        let collected = self.inner.with(|inner, cache| inner.add(*share.0, cache.as_mut()))?;
        Ok(Collected { output: collected.output.map(CoinValue), faults: faults(collected.faults) })
    }
    /// True if the value was returned.
    getter fn is_done(&self) -> bool { self.inner.with(|inner, _| inner.is_done()) }
}

/// Result of adding a share.
pub struct Collected {
    /// The value, returned once.
    pub output: Option<CoinValue>,
    /// Faults of the shares found to be wrong.
    pub faults: Vec<ShareFault>,
}
