//! `quorate.threshold.coin`: one random value per name, unpredictable until enough members release their shares.

use getrandom::SysRng;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;
use pyo3::types::PyBytes;
use quorate::any::threshold as any;
use quorate::threshold::coin::{self, CommonCoin};
use quorate::threshold::dleq::{self, Purpose};
use quorate::wire::{Decode, Encode};

use super::cache::{Cache, WithCache};
use super::common::Threshold;
use super::dleq::{Checked, Collected, purpose};
use crate::convert::{Below, Bytes, CoinInstance, Epoch, List, Member, Protocol, Round, exactly};
use crate::failure::Outcome;
use crate::held::{Held, held};
use crate::ids::CommitteeId;
use crate::layer::{Coroutine, off_thread};
use crate::pickle::{Reduced, reduced, refused};

purpose! {
    CommonCoin, type_hint_identifier!("quorate.threshold.coin", "ShareFault"), Coin;
    CoinPublicKeys, CoinKeyShare, CoinShare, CoinVerifiedShare, CoinWrongShare;
    {
        /// Returns this member's share of a coin. RELEASE IT ONLY WHEN THE PROTOCOL PERMITS IT: a party that sees
        /// enough shares early knows the value early. Cost: three multiplications.
        fn coin_share(&self, py: Python<'_>, coin: &Coin) -> Outcome<CoinShare> {
            Ok(CoinShare(self.secret.with(py, |share| share.coin_share(&coin.0, &mut SysRng))??))
        }
    }
}

/// Name of a coin. Use each name for one decision only.
#[pyclass(frozen, eq, ord, hash, module = "quorate.threshold.coin")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CoinName(coin::CoinName);

#[pymethods]
impl CoinName {
    /// Length of a name in bytes.
    #[classattr]
    const LEN: usize = coin::CoinName::LEN;

    /// `protocol` is a number chosen by the caller, so that two protocols never share a coin; then follow its epoch, an
    /// instance of the epoch, and a round of the instance.
    #[new]
    fn new(protocol: Protocol, epoch: Epoch, instance: CoinInstance, round: Round) -> Self {
        let (protocol, epoch, instance, round) = (protocol.0, epoch.0, instance.0, round.0);
        Self(coin::CoinName { protocol, epoch, instance, round })
    }

    /// Decodes the 25 bytes.
    #[staticmethod]
    fn decode(data: Bytes) -> Outcome<Self> {
        Ok(Self(coin::CoinName::decode(&data, &())?))
    }

    /// Returns the 25 bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Number of the protocol.
    #[getter]
    fn protocol(&self) -> u8 {
        self.0.protocol
    }

    /// Epoch of the protocol.
    #[getter]
    fn epoch(&self) -> u64 {
        self.0.epoch
    }

    /// Instance within the epoch.
    #[getter]
    fn instance(&self) -> u64 {
        self.0.instance
    }

    /// Round of the instance.
    #[getter]
    fn round(&self) -> u64 {
        self.0.round
    }

    fn __repr__(&self) -> String {
        let coin::CoinName { protocol, epoch, instance, round } = self.0;
        format!("CoinName(protocol={protocol}, epoch={epoch}, instance={instance}, round={round})")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.encode(py),))
    }
}

/// A name hashed to the group for a set of keys: the base of its shares.
#[pyclass(frozen, eq, module = "quorate.threshold.coin")]
#[derive(Clone, PartialEq)]
pub(crate) struct Coin(coin::Coin);

#[pymethods]
impl Coin {
    /// Returns the coin with that name. Cost: half a multiplication.
    #[staticmethod]
    fn from_name(py: Python<'_>, keys: &CoinPublicKeys, name: &CoinName) -> Outcome<Self> {
        Ok(Self(py.detach(|| coin::Coin::from_name(&keys.0, name.0))?))
    }

    /// Its name.
    #[getter]
    fn name(&self) -> CoinName {
        CoinName(self.0.name())
    }

    /// Identifier in the proofs of its shares: 32 bytes.
    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.instance().id())
    }

    /// The element whose multiples are the shares: 32 bytes.
    #[getter]
    fn base<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.instance().base().as_bytes())
    }

    /// Combines verified shares into the value. Raises `BelowQuorumError`, `DuplicateSignerError`, and
    /// `WrongContextError` for a share of another coin.
    #[pyo3(signature = (keys, shares, cache = None))]
    fn combine(
        &self,
        py: Python<'_>,
        keys: &CoinPublicKeys,
        shares: List<Py<CoinVerifiedShare>>,
        cache: Option<&Cache>,
    ) -> Outcome<CoinValue> {
        let shares: Vec<_> = shares.all()?.into_iter().map(|share| share.get().0).collect();
        let combine = |cache: &mut any::Cache| self.0.combine(&keys.0, &shares, cache.as_mut());
        Ok(CoinValue(py.detach(|| Cache::with(cache, combine))?))
    }

    fn __repr__(&self) -> String {
        format!("Coin({})", self.name().__repr__())
    }
}

/// 32 random bytes, the same for all members.
#[pyclass(frozen, eq, ord, hash, module = "quorate.threshold.coin")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CoinValue(coin::CoinValue);

#[pymethods]
impl CoinValue {
    /// Creates a known value of exactly 32 bytes.
    #[staticmethod]
    fn from_bytes(data: Bytes) -> Outcome<Self> {
        Ok(Self(coin::CoinValue(exactly(&data, "coin value")?)))
    }

    /// Returns the 32 bytes.
    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.0)
    }

    /// Returns one bit.
    fn bit(&self) -> bool {
        self.0.bit()
    }

    /// Returns a number from 0 to n − 1, for leader election; `None` if n is 0. The bias is below 2⁻²⁴⁰.
    fn below(&self, n: Below) -> Option<u16> {
        self.0.below(n.0)
    }

    /// Returns the bytes as 64 hex digits.
    fn __str__(&self) -> String {
        hex::encode(self.0.0)
    }

    fn __repr__(&self) -> String {
        format!("CoinValue({})", self.__str__())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "from_bytes", (self.__bytes__(py),))
    }
}

/// Collects the shares of one coin until enough are valid. It verifies all shares, in batches, before combining them,
/// because a combined value cannot be verified. Threads may share it.
#[pyclass(frozen, module = "quorate.threshold.coin")]
pub(crate) struct CoinCombiner {
    name: CoinName,
    inner: WithCache<coin::CoinCombiner>,
}

#[pymethods]
impl CoinCombiner {
    /// For a coin of these keys; otherwise it raises `WrongContextError`. Combiners that share a `cache` reuse the
    /// Lagrange coefficients of recent sets of members.
    #[new]
    #[pyo3(signature = (keys, coin, cache = None))]
    fn new(keys: &CoinPublicKeys, coin: &Coin, cache: Option<Py<Cache>>) -> Outcome<Self> {
        let inner = coin::CoinCombiner::new(keys.0.clone(), coin.0.clone())?;
        Ok(Self { name: coin.name(), inner: WithCache::new(inner, cache) })
    }

    /// Adds a share. The output is the value, returned once, when enough shares are valid. Raises `UnknownSignerError`.
    fn add(&self, py: Python<'_>, share: &CoinShare) -> Outcome<Collected<CoinValue, CommonCoin>> {
        let share = share.0;
        let got = self.inner.with(py, |inner, cache| inner.add(share, cache.as_mut()))?;
        Ok(Collected(dleq::Collected { output: got.output.map(CoinValue), faults: got.faults }))
    }

    /// True if the value was returned.
    #[getter]
    fn is_done(&self, py: Python<'_>) -> bool {
        self.inner.with(py, |inner, _| inner.is_done())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("CoinCombiner({}, done: {})", self.name.__repr__(), self.is_done(py))
    }
}
