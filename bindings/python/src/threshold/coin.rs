//! `quorate.threshold.coin`: a random value for each name that nobody knows before enough members want it.

use getrandom::SysRng;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;
use pyo3::types::PyBytes;
use quorate::any::threshold as any;
use quorate::threshold::coin::{self, Cks};
use quorate::threshold::dleq::{self, Purpose};
use quorate::wire::{Decode, Encode};

use super::cache::{Cache, Own};
use super::common::Threshold;
use super::dleq::{Checked, Collected, purpose};
use crate::convert::{Below, Bytes, CoinInstance, Epoch, List, Member, Protocol, Round, exactly};
use crate::failure::Outcome;
use crate::held::{Held, held};
use crate::ids::CommitteeId;
use crate::layer::{Coroutine, off_thread};
use crate::pickle::{Reduced, reduced, refused};

purpose! {
    Cks, type_hint_identifier!("quorate.threshold.coin", "ShareFault"), Coin;
    CoinPublicKeys, CoinKeyShare, CoinShare, CoinVerifiedShare, CoinWrongShare;
    {
        /// This member's part in a coin. SHOW IT ONLY WHEN THE PROTOCOL SAYS SO: who sees enough shares early knows the value
        /// early. Cost: three multiplications.
        fn coin_share(&self, py: Python<'_>, coin: &Coin) -> Outcome<CoinShare> {
            Ok(CoinShare(self.secret.with(py, |share| share.coin_share(&coin.0, &mut SysRng))??))
        }
    }
}

/// Which coin. Each name is used for one decision.
#[pyclass(frozen, eq, ord, hash, module = "quorate.threshold.coin")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CoinName(coin::CoinName);

#[pymethods]
impl CoinName {
    /// Bytes of a name.
    #[classattr]
    const LEN: usize = coin::CoinName::LEN;

    /// The protocol that asks, a number of the caller's, so that two of them never share a coin; its epoch, which of the
    /// epoch's instances, and which of that one's rounds.
    #[new]
    fn new(protocol: Protocol, epoch: Epoch, instance: CoinInstance, round: Round) -> Self {
        let (protocol, epoch, instance, round) = (protocol.0, epoch.0, instance.0, round.0);
        Self(coin::CoinName { protocol, epoch, instance, round })
    }

    /// Reads the 25 bytes.
    #[staticmethod]
    fn decode(data: Bytes) -> Outcome<Self> {
        Ok(Self(coin::CoinName::decode(&data, &())?))
    }

    /// The 25 bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Which protocol asks.
    #[getter]
    fn protocol(&self) -> u8 {
        self.0.protocol
    }

    /// The protocol's epoch.
    #[getter]
    fn epoch(&self) -> u64 {
        self.0.epoch
    }

    /// Which of the epoch's instances.
    #[getter]
    fn instance(&self) -> u64 {
        self.0.instance
    }

    /// Which of the instance's rounds.
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

/// A name, hashed to the group for the members of certain keys: what shares are made of.
#[pyclass(frozen, eq, module = "quorate.threshold.coin")]
#[derive(Clone, PartialEq)]
pub(crate) struct Coin(coin::Coin);

#[pymethods]
impl Coin {
    /// The coin of that name. Cost: half a multiplication.
    #[staticmethod]
    fn of(py: Python<'_>, keys: &CoinPublicKeys, name: &CoinName) -> Outcome<Self> {
        Ok(Self(py.detach(|| coin::Coin::from_name(&keys.0, name.0))?))
    }

    /// Its name.
    #[getter]
    fn name(&self) -> CoinName {
        CoinName(self.0.name())
    }

    /// What the proofs of its shares name: 32 bytes.
    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.instance().id())
    }

    /// The element that its shares are multiples of: 32 bytes.
    #[getter]
    fn base<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.instance().base().as_bytes())
    }

    /// The value, from verified shares. Raises `BelowQuorumError`, `DuplicateSignerError`, and `WrongContextError` for a
    /// share of another coin.
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

/// 32 random bytes that all have in common.
#[pyclass(frozen, eq, ord, hash, module = "quorate.threshold.coin")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CoinValue(coin::CoinValue);

#[pymethods]
impl CoinValue {
    /// A value that was known before, of exactly 32 bytes.
    #[staticmethod]
    fn from_bytes(data: Bytes) -> Outcome<Self> {
        Ok(Self(coin::CoinValue(exactly(&data, "coin value")?)))
    }

    /// The 32 bytes.
    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.0)
    }

    /// One bit.
    fn bit(&self) -> bool {
        self.0.bit()
    }

    /// A number from 0 to n − 1, for choosing a leader; `None` for 0. The bias is below 2⁻²⁴⁰.
    fn below(&self, n: Below) -> Option<u16> {
        self.0.below(n.0)
    }

    /// The bytes as 64 hex digits.
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

/// Collects the shares of one coin until there are enough good ones. All are checked, many with one sum, before they are
/// combined, since a value cannot be looked at to see whether it is right. Threads may share it.
#[pyclass(frozen, module = "quorate.threshold.coin")]
pub(crate) struct Toss {
    name: CoinName,
    inner: Own<coin::Toss>,
}

#[pymethods]
impl Toss {
    /// Of a coin of these keys; else it raises `WrongContextError`. Those who share a `cache` spare each other the
    /// coefficients of their sets of members.
    #[new]
    #[pyo3(signature = (keys, coin, cache = None))]
    fn new(keys: &CoinPublicKeys, coin: &Coin, cache: Option<Py<Cache>>) -> Outcome<Self> {
        let inner = coin::Toss::new(keys.0.clone(), coin.0.clone())?;
        Ok(Self { name: coin.name(), inner: Own::new(inner, cache) })
    }

    /// Takes a share in. The output is the value, once there are enough good shares; it comes once. Raises
    /// `UnknownSignerError`.
    fn add(&self, py: Python<'_>, share: &CoinShare) -> Outcome<Collected<CoinValue, Cks>> {
        let share = share.0;
        let got = self.inner.with(py, |inner, cache| inner.add(share, cache.as_mut()))?;
        Ok(Collected(dleq::Collected { output: got.output.map(CoinValue), faults: got.faults }))
    }

    /// Whether the value is out.
    #[getter]
    fn is_done(&self, py: Python<'_>) -> bool {
        self.inner.with(py, |inner, _| inner.is_done())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Toss({}, done: {})", self.name.__repr__(), self.is_done(py))
    }
}
