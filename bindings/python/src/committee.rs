//! `Committee`.

use std::hash::{Hash, Hasher};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use quorate::any;
use quorate::committee::{RawSigners, Repeats};

use crate::convert::{Bytes, Epoch, Index, Kind, Member, Members, View, Weight, exactly};
use crate::failure::Outcome;
use crate::ids::{ChainId, CommitteeId};
use crate::keys::{PublicKey, VerifiedKey};
use crate::layer::{Coroutine, Suite, off_thread};
use crate::signers::SignerSet;
use crate::statement::Statement;

/// The members of one epoch of one chain, in their order. It is made once per epoch and then shared: it caches what
/// verification needs, and nothing in it changes. Two are equal if their ids are.
#[pyclass(frozen, eq, hash, module = "quorate")]
pub(crate) struct Committee(pub(crate) any::Committee);

impl PartialEq for Committee {
    fn eq(&self, other: &Self) -> bool {
        self.0.id() == other.0.id()
    }
}

impl Hash for Committee {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.id().hash(state);
    }
}

#[pymethods]
impl Committee {
    /// A committee of members whose possession was checked, each with its weight.
    #[new]
    fn new(
        py: Python<'_>,
        chain: &ChainId,
        epoch: Epoch,
        members: Members<(Py<VerifiedKey>, Weight)>,
    ) -> Outcome<Self> {
        let members = members.counted().into_iter();
        let members = members.map(|(key, weight)| (key.get().0.clone(), weight.0)).collect();
        let (chain, epoch) = (chain.0, epoch.0);
        Ok(Self(py.detach(|| any::Committee::new(chain, epoch, members))?))
    }

    /// A committee whose possession proofs SOMEBODY ELSE CHECKED, as a chain does when a validator registers: with a
    /// single unproven key in it, its owner can sign alone for everybody. With `allow_repeats` equal keys are taken,
    /// as in Ethereum's sync committees.
    #[staticmethod]
    #[pyo3(signature = (chain, epoch, members, *, allow_repeats = false))]
    fn from_attested(
        py: Python<'_>,
        chain: &ChainId,
        epoch: Epoch,
        members: Members<(Py<PublicKey>, Weight)>,
        allow_repeats: bool,
    ) -> Outcome<Self> {
        let members = members.counted().into_iter();
        let members = members.map(|(key, weight)| (key.get().0.clone(), weight.0)).collect();
        let repeats = if allow_repeats { Repeats::Allow } else { Repeats::Refuse };
        let (chain, epoch) = (chain.0, epoch.0);
        Ok(Self(py.detach(|| any::Committee::from_attested(chain, epoch, members, repeats))?))
    }

    /// What every signed statement names, so that it cannot be replayed elsewhere.
    #[getter]
    fn id(&self) -> CommitteeId {
        self.0.id().into()
    }

    /// The chain that this committee belongs to.
    #[getter]
    fn chain(&self) -> ChainId {
        self.0.chain().into()
    }

    /// The epoch that this committee decides.
    #[getter]
    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    /// The members' signature scheme.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// The sum of all weights.
    #[getter]
    fn total_weight(&self) -> u128 {
        self.0.total_weight()
    }

    /// The smallest weight above two thirds of the total.
    #[getter]
    fn quorum_weight(&self) -> u128 {
        self.0.quorum_weight()
    }

    /// The smallest weight above one third of the total: at least one of them is honest.
    #[getter]
    fn honest_weight(&self) -> u128 {
        self.0.honest_weight()
    }

    /// A member's weight; `None` if there is no such member.
    fn weight(&self, index: Member) -> Option<u128> {
        self.0.weight(index.0)
    }

    /// A member's key; `None` if there is no such member.
    fn key(&self, index: Member) -> Option<PublicKey> {
        self.0.key(index.0).map(PublicKey)
    }

    /// All keys in the members' order.
    fn keys(&self) -> Vec<PublicKey> {
        self.0.keys().into_iter().map(PublicKey).collect()
    }

    /// Whose key this is; the first of them where a key is repeated, `None` if it is nobody's.
    fn position(&self, key: &PublicKey) -> Option<u16> {
        self.0.position(&key.0)
    }

    /// The weight of a set; members that the committee does not have weigh nothing.
    fn weight_of(&self, py: Python<'_>, signers: &SignerSet) -> u128 {
        self.0.weight_of(&signers.now(py))
    }

    /// Whether a set weighs at least `quorum_weight`.
    fn has_quorum(&self, py: Python<'_>, signers: &SignerSet) -> bool {
        self.0.has_quorum(&signers.now(py))
    }

    /// Raises `BelowQuorumError`, which says what is missing, unless a set has a quorum.
    fn require_quorum(&self, py: Python<'_>, signers: &SignerSet) -> Outcome<()> {
        Ok(self.0.require_quorum(&signers.now(py))?)
    }

    /// Reads a signer set of this committee from exactly one of: indices, or a bitmap of ⌈n/8⌉ bytes with member 0 in
    /// the lowest or in the highest bit of the first byte.
    #[pyo3(signature = (*, indices = None, lsb_first = None, msb_first = None))]
    fn signer_set(
        &self,
        indices: Option<Members<Index>>,
        lsb_first: Option<Bytes>,
        msb_first: Option<Bytes>,
    ) -> Outcome<SignerSet> {
        let set = match (indices, lsb_first, msb_first) {
            (Some(indices), None, None) => {
                let indices: Vec<u32> = indices.counted().into_iter().map(|index| index.0).collect();
                self.0.signer_set(RawSigners::Indices(&indices))?
            }
            (None, Some(bitmap), None) => self.0.signer_set(RawSigners::LsbFirst(&bitmap))?,
            (None, None, Some(bitmap)) => self.0.signer_set(RawSigners::MsbFirst(&bitmap))?,
            _ => {
                let text = "give exactly one of indices, lsb_first and msb_first";
                return Err(PyTypeError::new_err(text).into());
            }
        };
        Ok(set.into())
    }

    /// Checks that `signers` signed `message` as it is, for chains that frame in their own way, and returns their
    /// weight: COMPARE IT WITH YOUR THRESHOLD. `proof` is the encoded aggregate (BLS), or the signatures in ascending
    /// order of the signers (Ed25519).
    fn verify_raw(&self, py: Python<'_>, message: Bytes, signers: &SignerSet, proof: Bytes) -> Outcome<u128> {
        let signers = signers.now(py);
        Ok(py.detach(|| self.0.verify_raw(&message, &signers, &proof))?)
    }

    /// As `verify_raw`, on another thread.
    fn verify_raw_async<'py>(
        slf: &Bound<'py, Self>,
        message: Bytes,
        signers: &SignerSet,
        proof: Bytes,
    ) -> PyResult<Coroutine<'py, u128>> {
        let py = slf.py();
        let signers = SignerSet::from(signers.now(py));
        off_thread(slf, "verify_raw", (message.into_python(py), signers, proof.into_python(py)))
    }

    /// A statement in this committee's epoch; the digest has 32 bytes.
    fn statement(&self, kind: Kind, view: View, digest: Bytes) -> Outcome<Statement> {
        Ok(self.0.statement(kind.into(), view.0, exactly(&digest, "digest")?).into())
    }

    fn __len__(&self) -> usize {
        self.0.len().into()
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}
