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

/// The members of one epoch of one chain, in order. Create it once per epoch and share it: it is immutable and caches
/// data for verification. Two committees are equal if their ids are.
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
    /// A committee of members whose proofs of possession were verified, each with its weight.
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

    /// Creates a committee whose proofs of possession WERE VERIFIED ELSEWHERE, as a chain does when a validator
    /// registers. The owner of a single unproven key can forge signatures in the name of all members. With
    /// `allow_repeats`, repeated keys are accepted, as in Ethereum's sync committees.
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

    /// Identifier that every signed statement contains, which prevents replay in another context.
    #[getter]
    fn id(&self) -> CommitteeId {
        self.0.id().into()
    }

    /// The chain of this committee.
    #[getter]
    fn chain(&self) -> ChainId {
        self.0.chain().into()
    }

    /// The epoch of this committee.
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

    /// The smallest weight above one third of the total: signers of this weight include at least one honest member.
    #[getter]
    fn honest_weight(&self) -> u128 {
        self.0.honest_weight()
    }

    /// Returns a member's weight; `None` if there is no such member.
    fn weight(&self, index: Member) -> Option<u128> {
        self.0.weight(index.0)
    }

    /// Returns a member's key; `None` if there is no such member.
    fn key(&self, index: Member) -> Option<PublicKey> {
        self.0.key(index.0).map(PublicKey)
    }

    /// Returns all keys, in the order of the members.
    fn keys(&self) -> Vec<PublicKey> {
        self.0.keys().into_iter().map(PublicKey).collect()
    }

    /// Index of the member with this key; the first one if the key is repeated, `None` if no member has it.
    fn position(&self, key: &PublicKey) -> Option<u16> {
        self.0.position(&key.0)
    }

    /// Weight of a set; indices outside the committee weigh nothing.
    fn weight_of(&self, py: Python<'_>, signers: &SignerSet) -> u128 {
        self.0.weight_of(&signers.now(py))
    }

    /// Returns true if the set weighs at least `quorum_weight`.
    fn has_quorum(&self, py: Python<'_>, signers: &SignerSet) -> bool {
        self.0.has_quorum(&signers.now(py))
    }

    /// Raises `BelowQuorumError`, with the missing weight, unless the set has a quorum.
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

    /// Verifies that `signers` signed exactly the bytes of `message`, for chains with their own framing, and returns
    /// their weight: COMPARE IT WITH YOUR THRESHOLD. `proof` is the encoded aggregate (BLS), or the signatures in
    /// ascending order of the signers (Ed25519).
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

    /// Creates a statement in this committee's epoch; the digest has 32 bytes.
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
