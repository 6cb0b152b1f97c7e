//! `Committee`.

use std::hash::{Hash, Hasher};

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use quorate::committee::{self, RawSigners, Repeats};
use quorate::scheme::Claim;
use quorate::{any, bls};
use quorate_interface::ciphersuite as interface;

use crate::ciphersuite::Ciphersuite;
use crate::convert::{Bytes, Epoch, Index, Kind, List, Member, Members, View, Weight, exactly};
use crate::failure::Outcome;
use crate::ids::{ChainId, CommitteeId};
use crate::keys::{PublicKey, VerifiedKey};
use crate::layer::{Coroutine, Suite, off_thread};
use crate::pickle::Reduced;
use crate::signers::SignerSet;
use crate::statement::Statement;
use crate::verdicts::Verdicts;

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

impl Committee {
    /// How the members sign the messages of another chain.
    fn ciphersuite(&self) -> Ciphersuite {
        let ciphersuite = match &self.0 {
            any::Committee::MinSig(committee) => committee.ciphersuite().clone(),
            any::Committee::MinPk(committee) => committee.ciphersuite().clone(),
            _ => bls::Ciphersuite::default(),
        };
        Ciphersuite(interface::Ciphersuite(ciphersuite))
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

    /// Returns a committee of the same members, which sign the messages of another chain under this ciphersuite: it
    /// selects the signatures that `verify_raw`, `verify_raw_each` and `verify_raw_batch` accept. Statements are not
    /// affected, and the ids are equal: votes and certificates verify under both committees. This committee does not
    /// change. Cost: a copy of the keys and of the cached data. Raises `WrongContextError` for another ciphersuite than
    /// the default if the suite is neither `bls-min-sig` nor `bls-min-pk`.
    fn with_ciphersuite(&self, py: Python<'_>, ciphersuite: &Ciphersuite) -> Outcome<Self> {
        Ok(Self(py.detach(|| self.0.clone().with_ciphersuite(ciphersuite.0.0.clone()))?))
    }

    /// Verifies that `signers` signed exactly the bytes of `message`, for chains with their own framing, and returns
    /// their weight: COMPARE IT WITH YOUR THRESHOLD. `proof` is the encoded aggregate (BLS), or the signatures in
    /// ascending order of the signers (Ed25519). Cost (BLS): two pairings, one hash to the curve, one subgroup check,
    /// and one addition for each absent member (or each present member, if those are fewer); under message augmentation,
    /// one hash to the curve and one pairing for each signer. Raises `BelowQuorumError` for an empty set,
    /// `WrongContextError` for a set of another committee size, and `BadSignatureError`, whose `culprits` are known for
    /// Ed25519.
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

    /// Verifies that each member signed its own message, as in a commit of CometBFT, where the signed bytes of a vote
    /// contain its time, and returns the members' weight: COMPARE IT WITH YOUR THRESHOLD. `signed` are pairs of a member
    /// and its message, in ascending order of the members; `proof` is that of `verify_raw`. Cost (BLS): one hash to the
    /// curve and one pairing for each member, one more pairing, one subgroup check. Raises `UnknownSignerError` and
    /// `DuplicateSignerError` (also for members that are not in ascending order), `BelowQuorumError` without members,
    /// and `BadSignatureError`, whose `culprits` are known for Ed25519.
    fn verify_raw_each(
        &self,
        py: Python<'_>,
        signed: Members<(Member, Bytes)>,
        proof: Bytes,
    ) -> Outcome<u128> {
        let signed = signed.counted();
        Ok(py.detach(|| {
            let signed: Vec<(u16, &[u8])> =
                signed.iter().map(|(member, message)| (member.0, &**message)).collect();
            self.0.verify_raw_each(&signed, &proof)
        })?)
    }

    /// As `verify_raw_each`, on another thread.
    fn verify_raw_each_async<'py>(
        slf: &Bound<'py, Self>,
        signed: Members<(Member, Bytes)>,
        proof: Bytes,
    ) -> PyResult<Coroutine<'py, u128>> {
        let py = slf.py();
        let own = |(member, message): (Member, Bytes)| (member.0, message.into_python(py));
        let signed: Vec<_> = signed.counted().into_iter().map(own).collect();
        off_thread(slf, "verify_raw_each", (signed, proof.into_python(py)))
    }

    /// Verifies several messages by a random linear combination and returns a verdict for each, in input order: the
    /// signers' weight, or the exception that `verify_raw` would have raised. COMPARE EACH WEIGHT WITH YOUR THRESHOLD.
    /// `items` are triples of message, signers and proof. Items with the same signers share a pairing; if the
    /// combination fails, bisection finds every bad item.
    fn verify_raw_batch(
        &self,
        py: Python<'_>,
        items: List<(Bytes, Py<SignerSet>, Bytes)>,
    ) -> Outcome<Verdicts<u128>> {
        let own = |(message, signers, proof): (_, Py<SignerSet>, _)| (message, signers.get().now(py), proof);
        let items: Vec<(Bytes, committee::SignerSet, Bytes)> = items.all()?.into_iter().map(own).collect();
        Ok(Verdicts(py.detach(|| {
            let items: Vec<(Claim<'_>, &[u8])> = items
                .iter()
                .map(|(message, signers, proof)| (Claim { message, signers }, &**proof))
                .collect();
            self.0.verify_raw_batch(&items, &mut getrandom::SysRng)
        })))
    }

    /// As `verify_raw_batch`, on another thread.
    fn verify_raw_batch_async<'py>(
        slf: &Bound<'py, Self>,
        items: List<(Bytes, Py<SignerSet>, Bytes)>,
    ) -> Outcome<Coroutine<'py, Verdicts<u128>>> {
        let py = slf.py();
        let own = |(message, signers, proof): (Bytes, Py<SignerSet>, Bytes)| {
            (message.into_python(py), SignerSet::from(signers.get().now(py)), proof.into_python(py))
        };
        let items: Vec<_> = items.all()?.into_iter().map(own).collect();
        Ok(off_thread(slf, "verify_raw_batch", (items,))?)
    }

    /// Creates a statement in this committee's epoch; the digest has 32 bytes.
    fn statement(&self, kind: Kind, view: View, digest: Bytes) -> Outcome<Statement> {
        Ok(self.0.statement(kind.into(), view.0, exactly(&digest, "digest")?).into())
    }

    fn __len__(&self) -> usize {
        self.0.len().into()
    }

    fn __repr__(&self) -> String {
        let (members, epoch, suite, id) = (self.0.len(), self.0.epoch(), self.0.suite(), self.0.id());
        format!("<Committee members={members} epoch={epoch} suite={suite} id={id}>")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        static COMMITTEE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let keys = || (0..).zip(self.0.keys());
        let has_repeats = keys().any(|(index, key)| self.0.position(&key) != Some(index));
        let members: Vec<_> = keys().map(|(index, key)| (PublicKey(key), self.0.weight(index))).collect();
        let arguments = (self.chain(), self.epoch(), members, has_repeats, self.ciphersuite());
        let function = COMMITTEE.import(py, "quorate._pickle", "committee")?;
        (function, arguments).into_bound_py_any(py)
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
