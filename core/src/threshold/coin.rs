//! The common coin of Cachin, Kursawe and Shoup (*Random Oracles in Constantinople*, 2000) over ristretto255: for
//! each name a value that is the same for all members and unpredictable until f + 1 of them have released their
//! shares.
//!
//! 1. A [`CoinName`] is hashed to a group element B of unknown logarithm.
//! 2. Member i sends xᵢ·B with a proof ([`KeyShare::coin_share`](KeyShare)), 130 bytes.
//! 3. f + 1 verified shares yield x·B, and the value is a hash of it ([`CoinValue`]).
//!
//! Unlike a decryption, a coin value cannot be recognised as wrong. So all shares are verified before they are
//! combined, many with one sum.
//!
//! **A coin is secret until the protocol needs it.** Release a share only when the protocol says so: an attacker with
//! f + 1 early shares knows the value early. Coin keys are not shared with [`tdh2`](super::tdh2); their types differ.
//!
//! ```
//! use std::sync::Arc;
//! use quorate::committee::CommitteeId;
//! use quorate::threshold::coin::{Coin, CoinName, PublicKeys, CoinCombiner};
//! use quorate::threshold::{Threshold, lagrange};
//!
//! let mut rng = getrandom::SysRng;
//! let (keys, shares) = PublicKeys::deal(CommitteeId([7; 32]), Threshold::new(2, 4)?, &mut rng)?;
//! let keys = Arc::new(keys.precomputed());
//!
//! let name = CoinName { protocol: 1, epoch: 12, instance: 3, round: 0 };
//! let coin = Coin::from_name(&keys, name)?;
//! let sent = [0, 3].map(|i: usize| shares[i].coin_share(&coin, &mut rng));
//!
//! let (mut combiner, mut cache) = (CoinCombiner::new(keys, coin)?, lagrange::Cache::default());
//! let mut value = None;
//! for share in sent {
//!     value = combiner.add(share?, &mut cache)?.output;
//! }
//! let heads: bool = value.unwrap().bit();
//! # let _ = heads;
//! # Ok::<(), quorate::Error>(())
//! ```

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use rand_core::TryCryptoRng;

use super::dleq::{self, Collected, Element, Instance, SharePool};
use super::lagrange;
use crate::Result;
use crate::scheme::sealed::Sealed;
use crate::wire::{Decode, Encode, Reader, Writer, domain};

/// The purpose of coin keys, number 2 (Cachin, Kursawe and Shoup).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CommonCoin {}

impl Sealed for CommonCoin {}

impl dleq::Purpose for CommonCoin {
    const NUMBER: u8 = 2;
    const NAME: &'static str = "coin";
}

/// The public keys of a coin's committee.
pub type PublicKeys = dleq::PublicKeys<CommonCoin>;
/// A member's secret key share.
pub type KeyShare = dleq::KeyShare<CommonCoin>;
/// A member's share of a coin.
pub type CoinShare = dleq::Share<CommonCoin>;
/// A verified share.
pub type VerifiedShare = dleq::VerifiedShare<CommonCoin>;
/// A share that failed verification.
pub type ShareFault = dleq::ShareFault<CommonCoin>;
/// Evidence that a member made a wrong share.
pub type WrongShare = dleq::WrongShare<CommonCoin>;

/// The name of a coin. Each name is used for one decision.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CoinName {
    /// Number of the protocol, chosen by the caller, so that two protocols never share a coin.
    pub protocol: u8,
    /// Epoch of the protocol.
    pub epoch: u64,
    /// Instance within the epoch.
    pub instance: u64,
    /// Round within the instance.
    pub round: u64,
}

impl CoinName {
    /// Length of an encoded name in bytes.
    pub const LEN: usize = 25;
}

/// Encoding: protocol u8 ‖ epoch u64 ‖ instance u64 ‖ round u64.
impl Encode for CoinName {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(self.protocol);
        w.u64(self.epoch);
        w.u64(self.instance);
        w.u64(self.round);
    }
}

impl Decode for CoinName {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self { protocol: r.u8()?, epoch: r.u64()?, instance: r.u64()?, round: r.u64()? })
    }
}

/// A coin name, hashed to the group for the members with certain keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coin {
    name: CoinName,
    instance: Instance<CommonCoin>,
}

impl Coin {
    /// Hashes a name to the group. Cost: a hash to the group and an encoding, half a multiplication.
    ///
    /// # Errors
    /// None in practice: the neutral element has a probability of 2⁻²⁵².
    pub fn from_name(keys: &PublicKeys, name: CoinName) -> Result<Self> {
        let encoded = name.encode();
        let mut wide = [0; 64];
        domain::hasher(domain::COIN_BASE)
            .update(&keys.committee().0)
            .update(&encoded)
            .finalize_xof()
            .fill(&mut wide);
        let base = Element::from_point(RistrettoPoint::from_uniform_bytes(&wide))?;
        let mut hasher = domain::hasher(domain::COIN_ID);
        hasher.update(&keys.committee().0).update(keys.key().as_bytes()).update(&encoded);
        let id = *hasher.finalize().as_bytes();
        Ok(Self { name, instance: Instance::new(keys.committee(), keys.key(), base, id) })
    }

    /// Returns the name.
    pub fn name(&self) -> CoinName {
        self.name
    }

    /// Returns the instance that the coin's shares are verified for.
    pub fn instance(&self) -> &Instance<CommonCoin> {
        &self.instance
    }

    /// Combines the first `needed` verified shares, ascending by member, to the value. Cost: a sum of t products, and
    /// the coefficients if the cache does not have this set of members.
    ///
    /// # Errors
    /// [`Error::WrongContext`](crate::Error::WrongContext) for a share of another coin or under other keys,
    /// [`Error::DuplicateSigner`](crate::Error::DuplicateSigner), [`Error::BelowQuorum`](crate::Error::BelowQuorum).
    pub fn combine(
        &self,
        keys: &PublicKeys,
        shares: &[VerifiedShare],
        cache: &mut lagrange::Cache<Scalar>,
    ) -> Result<CoinValue> {
        keys.combine(&self.instance, shares, cache).map(|point| self.value(point))
    }

    fn value(&self, point: RistrettoPoint) -> CoinValue {
        let mut hasher = domain::hasher(domain::COIN_VALUE);
        hasher.update(&self.name.encode()).update(point.compress().as_bytes());
        CoinValue(*hasher.finalize().as_bytes())
    }
}

/// A coin's value: 32 random bytes, the same for all members.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CoinValue(pub [u8; 32]);

impl CoinValue {
    /// Returns one bit: the lowest of the first byte.
    pub fn bit(&self) -> bool {
        let [first, ..] = self.0;
        first & 1 == 1
    }

    /// Returns a number below n, for example to choose a leader: the value as a little-endian integer mod n. `None`
    /// for n = 0. The bias is below 2⁻²⁴⁰.
    pub fn below(&self, n: u16) -> Option<u16> {
        let step = |rest: u32, byte: &u8| (rest << 8 | u32::from(*byte)).checked_rem(n.into());
        let rest = self.0.iter().rev().try_fold(0, step)?;
        u16::try_from(rest).ok()
    }
}

impl KeyShare {
    /// Makes this member's share of a coin. Cost: two multiplications, one of the generator, three encodings.
    ///
    /// # Errors
    /// [`Error::WrongContext`](crate::Error::WrongContext) if the coin was created for other keys,
    /// [`Error::Rng`](crate::Error::Rng).
    pub fn coin_share<R: TryCryptoRng + ?Sized>(&self, coin: &Coin, rng: &mut R) -> Result<CoinShare> {
        self.prove(coin.instance(), rng)
    }
}

/// Collects the shares of one coin until enough of them are right.
pub struct CoinCombiner {
    coin: Coin,
    pool: SharePool<CommonCoin>,
    done: bool,
}

impl CoinCombiner {
    /// Creates a combiner without shares.
    ///
    /// # Errors
    /// [`Error::WrongContext`](crate::Error::WrongContext) if the coin was created for other keys.
    pub fn new(keys: Arc<PublicKeys>, coin: Coin) -> Result<Self> {
        let pool = SharePool::new(keys, coin.instance.clone())?;
        Ok(Self { coin, pool, done: false })
    }

    /// Adds a share. Cost: nothing until there are enough; then that of [`PublicKeys::verify_shares`] and of
    /// [`Coin::combine`]. If some were wrong, each later share is verified by itself.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`](crate::Error::UnknownSigner).
    pub fn add(
        &mut self,
        share: CoinShare,
        cache: &mut lagrange::Cache<Scalar>,
    ) -> Result<Collected<CoinValue, CommonCoin>> {
        let (mut output, mut faults) = (None, Vec::new());
        if !self.done {
            self.pool.hold(share, &mut faults)?;
            if self.pool.is_enough() {
                self.pool.verify_pending(&mut faults)?;
                output = self.pool.combine(cache)?.map(|point| self.coin.value(point));
                self.done = output.is_some();
            }
        }
        Ok(Collected { output, faults })
    }

    /// Returns true if the value was returned.
    pub fn is_done(&self) -> bool {
        self.done
    }
}

impl fmt::Debug for CoinCombiner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CoinCombiner").field(&self.coin.name).finish()
    }
}
