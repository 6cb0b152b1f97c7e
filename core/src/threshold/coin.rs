//! The common coin of Cachin, Kursawe and Shoup (*Random Oracles in Constantinople*, 2000) over ristretto255: a value for
//! each name that is the same for all and that nobody knows before f + 1 members have shown their shares.
//!
//! 1. A [`CoinName`] is hashed to an element B of the group whose logarithm nobody knows.
//! 2. Member i sends xᵢ·B with a proof ([`KeyShare::coin_share`](KeyShare)), 130 bytes.
//! 3. f + 1 verified shares give x·B, and the value is a hash of it ([`CoinValue`]).
//!
//! Unlike a decryption, a value cannot be looked at to see whether it is right. So all shares are checked before they are
//! combined, many with one sum.
//!
//! **A coin is a secret until it is wanted.** Show a share only when the protocol says so; who sees f + 1 shares early knows
//! the value early. And keys are not shared with [`tdh2`](super::tdh2): their types differ.
//!
//! ```
//! use std::sync::Arc;
//! use quorate::committee::CommitteeId;
//! use quorate::threshold::coin::{Coin, CoinName, PublicKeys, Toss};
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
//! let (mut toss, mut cache) = (Toss::new(keys, coin)?, lagrange::Cache::default());
//! let mut value = None;
//! for share in sent {
//!     value = toss.add(share?, &mut cache)?.output;
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

use super::dleq::{self, Collected, Element, Instance, Pool};
use super::lagrange;
use crate::Result;
use crate::scheme::sealed::Sealed;
use crate::wire::{Decode, Encode, Reader, Writer, domain};

/// Keys of the common coin: purpose 2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cks {}

impl Sealed for Cks {}

impl dleq::Purpose for Cks {
    const NUMBER: u8 = 2;
    const NAME: &'static str = "coin";
}

/// What everybody knows of dealt keys.
pub type PublicKeys = dleq::PublicKeys<Cks>;
/// A member's secret.
pub type KeyShare = dleq::KeyShare<Cks>;
/// A member's part in a coin.
pub type CoinShare = dleq::Share<Cks>;
/// One that was verified.
pub type VerifiedShare = dleq::VerifiedShare<Cks>;
/// One that did not verify.
pub type ShareFault = dleq::ShareFault<Cks>;
/// Proof that a member made a wrong one.
pub type WrongShare = dleq::WrongShare<Cks>;

/// Which coin. Each name is used for one decision.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CoinName {
    /// Which protocol asks, so that two of them never share a coin: a number of the caller's.
    pub protocol: u8,
    /// The protocol's epoch.
    pub epoch: u64,
    /// Which of the epoch's instances.
    pub instance: u64,
    /// Which of the instance's rounds.
    pub round: u64,
}

impl CoinName {
    /// Bytes of a name.
    pub const LEN: usize = 25;
}

/// protocol u8 ‖ epoch u64 ‖ instance u64 ‖ round u64.
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

/// A name, hashed to the group for the members of certain keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coin {
    name: CoinName,
    instance: Instance<Cks>,
}

impl Coin {
    /// Cost: a hash to the group and an encoding, half a multiplication.
    ///
    /// # Errors
    /// Never in practice: the neutral element has a probability of 2⁻²⁵².
    pub fn from_name(keys: &PublicKeys, name: CoinName) -> Result<Self> {
        let encoded = name.encode();
        let mut wide = [0; 64];
        domain::hasher(domain::COIN_BASE)
            .update(&keys.committee().0)
            .update(&encoded)
            .finalize_xof()
            .fill(&mut wide);
        let base = Element::of(RistrettoPoint::from_uniform_bytes(&wide))?;
        let mut hasher = domain::hasher(domain::COIN_ID);
        hasher.update(&keys.committee().0).update(keys.key().as_bytes()).update(&encoded);
        let id = *hasher.finalize().as_bytes();
        Ok(Self { name, instance: Instance::new(keys.committee(), keys.key(), base, id) })
    }

    /// Its name.
    pub fn name(&self) -> CoinName {
        self.name
    }

    /// What its shares are verified for.
    pub fn instance(&self) -> &Instance<Cks> {
        &self.instance
    }

    /// The value, from verified shares: the first `needed` by member. Cost: a sum of t products, and the coefficients if
    /// this set of members is new to the cache.
    ///
    /// # Errors
    /// [`Error::WrongContext`](crate::Error::WrongContext) for a share of another coin or for other keys,
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

/// 32 random bytes that all have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CoinValue(pub [u8; 32]);

impl CoinValue {
    /// One bit: the lowest of the first byte.
    pub fn bit(&self) -> bool {
        let [first, ..] = self.0;
        first & 1 == 1
    }

    /// A number below n, for choosing a leader: the value as an integer, little endian, mod n. `None` for n = 0. The bias is
    /// below 2⁻²⁴⁰.
    pub fn below(&self, n: u16) -> Option<u16> {
        let step = |rest: u32, byte: &u8| (rest << 8 | u32::from(*byte)).checked_rem(n.into());
        let rest = self.0.iter().rev().try_fold(0, step)?;
        u16::try_from(rest).ok()
    }
}

impl KeyShare {
    /// This member's part in a coin. Cost: two multiplications, one of the generator, three encodings.
    ///
    /// # Errors
    /// [`Error::WrongContext`](crate::Error::WrongContext) if the coin is of other keys,
    /// [`Error::Rng`](crate::Error::Rng).
    pub fn coin_share<R: TryCryptoRng + ?Sized>(&self, coin: &Coin, rng: &mut R) -> Result<CoinShare> {
        self.prove(coin.instance(), rng)
    }
}

/// Collects the shares of one coin until there are enough good ones.
pub struct Toss {
    coin: Coin,
    pool: Pool<Cks>,
    done: bool,
}

impl Toss {
    /// # Errors
    /// [`Error::WrongContext`](crate::Error::WrongContext) if the coin is of other keys.
    pub fn new(keys: Arc<PublicKeys>, coin: Coin) -> Result<Self> {
        let pool = Pool::new(keys, coin.instance.clone())?;
        Ok(Self { coin, pool, done: false })
    }

    /// Takes a share in. Cost: nothing before there are enough; then that of [`PublicKeys::verify_shares`] and of
    /// [`Coin::combine`]. If some were wrong, each share that comes after is checked by itself.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`](crate::Error::UnknownSigner).
    pub fn add(
        &mut self,
        share: CoinShare,
        cache: &mut lagrange::Cache<Scalar>,
    ) -> Result<Collected<CoinValue, Cks>> {
        let (mut output, mut faults) = (None, Vec::new());
        if !self.done {
            self.pool.hold(share, &mut faults)?;
            if self.pool.is_enough() {
                self.pool.settle(&mut faults)?;
                output = self.pool.combine(cache)?.map(|point| self.coin.value(point));
                self.done = output.is_some();
            }
        }
        Ok(Collected { output, faults })
    }

    /// Whether the value is out.
    pub fn is_done(&self) -> bool {
        self.done
    }
}

impl fmt::Debug for Toss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Toss").field(&self.coin.name).finish()
    }
}
