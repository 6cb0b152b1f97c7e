//! `quorate.threshold.tdh2`: any client encrypts to a committee, and its members decrypt together.

use getrandom::SysRng;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::type_hint_identifier;
use pyo3::types::PyBytes;
use quorate::any::threshold as any;
use quorate::threshold::dleq::{self, Purpose};
use quorate::threshold::tdh2::{self, Tdh2};
use quorate::wire::{Decode, Encode};

use super::cache::{Cache, WithCache};
use super::common::Threshold;
use super::dleq::{Checked, faults, purpose};
use crate::convert::{Bytes, Epoch, List, Member};
use crate::failure::{Outcome, exception};
use crate::held::{Held, held};
use crate::ids::CommitteeId;
use crate::layer::{Coroutine, off_thread};
use crate::pickle::{Reduced, reduced, refused};

purpose! {
    Tdh2, type_hint_identifier!("quorate.threshold.tdh2", "ShareFault"), ValidCiphertext;
    Tdh2PublicKeys, Tdh2KeyShare, DecryptionShare, Tdh2VerifiedShare, Tdh2WrongShare;
    {
        /// Returns this member's share of a decryption, which is valid for this ciphertext only. Only a checked
        /// ciphertext has shares. Cost: three multiplications.
        fn decryption_share(&self, py: Python<'_>, ciphertext: &ValidCiphertext) -> Outcome<DecryptionShare> {
            let made = self.secret.with(py, |share| share.decryption_share(&ciphertext.0, &mut SysRng))?;
            Ok(DecryptionShare(made?))
        }
    }
}

/// The key for encrypting and checking ciphertexts: all that a client needs of a committee.
#[pyclass(frozen, module = "quorate.threshold.tdh2")]
pub(crate) struct EncryptionKey(tdh2::EncryptionKey);

#[pymethods]
impl EncryptionKey {
    /// Returns the encryption key of a committee.
    #[staticmethod]
    fn from_public_keys(py: Python<'_>, keys: &Tdh2PublicKeys) -> Self {
        Self(py.detach(|| tdh2::EncryptionKey::from_public_keys(&keys.0)))
    }

    /// Decodes the 65 bytes.
    #[staticmethod]
    fn decode(py: Python<'_>, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| tdh2::EncryptionKey::decode(&data, &()))?))
    }

    /// Returns the 65 bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Returns the same key with tables, which make encryption more than twice as fast and checks faster. Memory:
    /// 61,440 bytes. Cost: about 80 multiplications, recovered after some fifty ciphertexts.
    fn precomputed(&self, py: Python<'_>) -> Outcome<Self> {
        let key = py.detach(|| tdh2::EncryptionKey::decode(&self.0.encode(), &()))?;
        Ok(Self(py.detach(|| key.precomputed())))
    }

    /// Committee whose members decrypt.
    #[getter]
    fn committee(&self) -> CommitteeId {
        self.0.committee().into()
    }

    /// The public key: 32 bytes.
    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.key().as_bytes())
    }

    /// Encrypts at most `MAX_PLAINTEXT` bytes. The ciphertext binds epoch and proposer, so that no other member can
    /// propose it, and none in another epoch. Cost: five multiplications, plus a cipher and a hash over the payload.
    fn encrypt(
        &self,
        py: Python<'_>,
        epoch: Epoch,
        proposer: Member,
        plaintext: Bytes,
    ) -> Outcome<Ciphertext> {
        let encrypt = || self.0.encrypt(epoch.0, proposer.0, &plaintext, &mut SysRng);
        Ok(Ciphertext(py.detach(encrypt)?))
    }

    fn __repr__(&self) -> String {
        format!(
            "<EncryptionKey committee={} key={}>",
            self.0.committee(),
            hex::encode(self.0.key().as_bytes())
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.encode(py),))
    }
}

/// A ciphertext as sent by a proposer. Only its form is checked.
#[pyclass(frozen, eq, module = "quorate.threshold.tdh2")]
#[derive(Clone, PartialEq)]
pub(crate) struct Ciphertext(tdh2::Ciphertext);

#[pymethods]
impl Ciphertext {
    /// Decodes a ciphertext.
    #[staticmethod]
    fn decode(py: Python<'_>, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| tdh2::Ciphertext::decode(&data, &()))?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.0.encode()))
    }

    /// The context that it names.
    #[getter]
    fn label(&self) -> Label {
        Label(self.0.header().label)
    }

    /// The encrypted payload, `OVERHEAD` bytes longer than the plaintext.
    #[getter]
    fn payload<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.payload())
    }

    /// Checks that this is a ciphertext for these keys, that it is for this proposer and epoch (the link authenticates
    /// the sender), and that payload and proof are its author's. Raises `WrongContextError` or `BadCiphertextError`.
    /// Cost: four multiplications, two of them short, plus a hash of the payload.
    fn check(
        &self,
        py: Python<'_>,
        key: &EncryptionKey,
        epoch: Epoch,
        proposer: Member,
    ) -> Outcome<ValidCiphertext> {
        Ok(ValidCiphertext(py.detach(|| self.0.clone().check(&key.0, epoch.0, proposer.0))?))
    }

    /// As `check`, on another thread.
    fn check_async<'py>(
        slf: &Bound<'py, Self>,
        key: &Bound<'py, EncryptionKey>,
        epoch: Epoch,
        proposer: Member,
    ) -> PyResult<Coroutine<'py, ValidCiphertext>> {
        off_thread(slf, "check", (key, epoch.0, proposer.0))
    }

    fn __repr__(&self) -> String {
        format!("<Ciphertext {}>", shown(&self.0.header().label))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.encode(py),))
    }
}

/// A checked ciphertext, for which shares can be made. Only `Ciphertext.check` creates one.
#[pyclass(frozen, eq, module = "quorate.threshold.tdh2")]
#[derive(Clone, PartialEq)]
pub(crate) struct ValidCiphertext(tdh2::ValidCiphertext);

#[pymethods]
impl ValidCiphertext {
    /// The ciphertext, without the proof that it was checked.
    #[getter]
    fn ciphertext(&self) -> Ciphertext {
        Ciphertext(self.0.clone().into_inner())
    }

    /// Its context.
    #[getter]
    fn label(&self) -> Label {
        Label(*self.0.label())
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

    /// Decrypts with verified shares. Raises `BelowQuorumError`, `DuplicateSignerError`, and `WrongContextError` for a
    /// share of another ciphertext; raises `BadCiphertextError` if the author encrypted no valid plaintext: treat it as
    /// empty, as all members will.
    #[pyo3(signature = (keys, shares, cache = None))]
    fn combine<'py>(
        &self,
        py: Python<'py>,
        keys: &Tdh2PublicKeys,
        shares: List<Py<Tdh2VerifiedShare>>,
        cache: Option<&Cache>,
    ) -> Outcome<Bound<'py, PyBytes>> {
        let shares: Vec<_> = shares.all()?.into_iter().map(|share| share.get().0).collect();
        let combine = |cache: &mut any::Cache| self.0.combine(&keys.0, &shares, cache.as_mut());
        Ok(PyBytes::new(py, &py.detach(|| Cache::with(cache, combine))?))
    }

    fn __repr__(&self) -> String {
        format!("<ValidCiphertext {}>", shown(self.0.label()))
    }

    /// Raises `TypeError`: unpickling would bypass verification.
    fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {
        refused("a ValidCiphertext cannot be pickled; send its bytes and check them there")
    }

    fn __copy__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[allow(unused_variables, reason = "part of the protocol")]
    #[pyo3(signature = (memo, /))]
    fn __deepcopy__<'py>(slf: PyRef<'py, Self>, memo: &Bound<'py, PyAny>) -> PyRef<'py, Self> {
        slf
    }
}

/// Collects the shares of one ciphertext until it can be decrypted: optimistically at first; after a failure it checks
/// each share once and identifies the wrong ones. Threads may share it.
#[pyclass(frozen, module = "quorate.threshold.tdh2")]
pub(crate) struct Decryption {
    label: tdh2::Label,
    inner: WithCache<tdh2::Decryption>,
}

#[pymethods]
impl Decryption {
    /// For a ciphertext that was checked for these keys; otherwise it raises `WrongContextError`. Combiners that share
    /// a `cache` reuse the Lagrange coefficients of recent sets of members.
    #[new]
    #[pyo3(signature = (keys, ciphertext, cache = None))]
    fn new(keys: &Tdh2PublicKeys, ciphertext: &ValidCiphertext, cache: Option<Py<Cache>>) -> Outcome<Self> {
        let inner = tdh2::Decryption::new(keys.0.clone(), ciphertext.0.clone())?;
        Ok(Self { label: *ciphertext.0.label(), inner: WithCache::new(inner, cache) })
    }

    /// Adds a share, and decrypts the ciphertext once there are enough. Raises `UnknownSignerError`.
    fn add(&self, py: Python<'_>, share: &DecryptionShare) -> Outcome<Collected> {
        let share = share.0;
        Ok(Collected(self.inner.with(py, |inner, cache| inner.add(share, cache.as_mut()))?))
    }

    /// True if the ciphertext is decrypted, or known to be invalid.
    #[getter]
    fn is_done(&self, py: Python<'_>) -> bool {
        self.inner.with(py, |inner, _| inner.is_done())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let done = if self.is_done(py) { "True" } else { "False" };
        format!("<Decryption {} is_done={done}>", shown(&self.label))
    }
}

/// The attributes of a ciphertext in representations.
fn shown(label: &tdh2::Label) -> String {
    let tdh2::Label { epoch, proposer, payload, .. } = label;
    format!("epoch={epoch} proposer={proposer} payload={}", hex::encode(payload))
}

/// `quorate.threshold.tdh2.Collected`.
pub(crate) struct Collected(dleq::Collected<quorate::Result<Vec<u8>>, Tdh2>);

impl<'py> IntoPyObject<'py> for Collected {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_identifier!("quorate.threshold.tdh2", "Collected");

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let (output, error) = match self.0.output {
            None => (None, None),
            Some(Ok(plaintext)) => (Some(PyBytes::new(py, &plaintext)), None),
            Some(Err(error)) => (None, Some(exception(py, &error)?)),
        };
        let faults = faults(py, self.0.faults)?;
        CLASS.import(py, "quorate.threshold.tdh2", "Collected")?.call1((output, error, faults))
    }
}

/// `quorate.threshold.tdh2.Label`.
pub(crate) struct Label(tdh2::Label);

impl<'py> IntoPyObject<'py> for Label {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_identifier!("quorate.threshold.tdh2", "Label");

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let tdh2::Label { committee, epoch, proposer, payload } = self.0;
        let fields = (CommitteeId(committee), epoch, proposer, PyBytes::new(py, &payload));
        CLASS.import(py, "quorate.threshold.tdh2", "Label")?.call1(fields)
    }
}
