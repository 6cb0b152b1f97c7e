//! `quorate.sortition`: leader sortition.

use core::num::NonZeroU16;

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::wire::{Decode, Encode};
use quorate::{any, sortition};

use crate::committee::Committee;
use crate::convert::{Bytes, Expected, Member, Round};
use crate::failure::Outcome;
use crate::ids::ChainId;
use crate::keys::{SecretKey, Signature};
use crate::layer::{Coroutine, Suite, off_thread};
use crate::pickle::{Reduced, reduced, refused};
use crate::text::Shown;
use crate::verified::verified;

/// Randomness of the lotteries, renewed with each block. Members whose chains agree up to its height have the same
/// seed.
#[pyclass(frozen, eq, ord, hash, module = "quorate.sortition")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Seed(sortition::Seed);

#[pymethods]
impl Seed {
    /// Length of an encoded seed in bytes.
    #[classattr]
    const LEN: usize = sortition::Seed::LEN;

    /// Returns the first seed of a chain, from bytes that NO MEMBER CHOSE and that were unknown when the keys were
    /// fixed: control over them is control over the first proposers.
    #[staticmethod]
    fn genesis(chain: &ChainId, data: Bytes) -> Self {
        Self(sortition::Seed::genesis(chain.0, &data))
    }

    /// Decodes the 40 bytes.
    #[staticmethod]
    fn decode(data: Bytes) -> Outcome<Self> {
        Ok(Self(sortition::Seed::decode(&data, &())?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Number of proofs that precede it.
    #[getter]
    fn height(&self) -> u64 {
        self.0.height()
    }

    /// Its 32 bytes.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.value())
    }

    /// Derives the next seed: the hash of the proof. THE PROTOCOL DETERMINES THE PROVER, usually the proposer of the
    /// block: compare `proof.signer`. Cost: one subgroup check, one hash to the curve, two pairings.
    fn next(&self, py: Python<'_>, proof: &SeedProof, committee: &Committee) -> Outcome<Self> {
        Ok(Self(py.detach(|| proof.0.next_seed(&self.0, &committee.0))?))
    }

    fn __repr__(&self) -> String {
        format!("<Seed height={} value={}>", self.0.height(), hex::encode(self.0.value()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.encode(py),))
    }
}

/// A member's signature on a seed; its hash is the next seed. It is unique: the member's only choice is whether to
/// publish it. Until it is published, no other member knows the next seed.
#[pyclass(frozen, eq, module = "quorate.sortition")]
#[derive(Clone, PartialEq)]
pub(crate) struct SeedProof(any::SeedProof);

#[pymethods]
impl SeedProof {
    /// Creates a proof from its parts. Nothing is verified.
    #[new]
    fn new(signer: Member, signature: &Signature) -> Outcome<Self> {
        Ok(Self(any::SeedProof::new(signer.0, signature.0.clone())?))
    }

    /// Signs a seed: this member's proof. Raises `WrongContextError` if the key belongs to no member, and for Ed25519,
    /// whose signatures are not unique.
    #[staticmethod]
    fn sign(py: Python<'_>, secret: &SecretKey, committee: &Committee, seed: &Seed) -> Outcome<Self> {
        let proof = secret.with(py, |key| any::SeedProof::sign(key, &committee.0, &seed.0))?;
        Ok(Self(proof?))
    }

    /// Decodes a proof of that suite.
    #[staticmethod]
    fn decode(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::SeedProof::decode(suite.0, &data))?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Decodes the signature, where the signer is known.
    #[staticmethod]
    fn decode_detached(py: Python<'_>, suite: Suite, data: Bytes, signer: Member) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::SeedProof::decode_detached(suite.0, &data, signer.0))?))
    }

    /// Returns the signature alone, for formats that contain the rest already.
    fn encode_detached<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode_detached())
    }

    /// The signature scheme.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// The signer that the proof names.
    #[getter]
    fn signer(&self) -> u16 {
        self.0.signer()
    }

    /// The signature.
    #[getter]
    fn signature(&self) -> Signature {
        Signature(self.0.signature())
    }

    fn __repr__(&self) -> String {
        format!("<SeedProof signer={} suite={}>", self.0.signer(), self.0.suite())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.suite(), self.encode(py)))
    }
}

/// One round's lottery among the members of a committee. Each member plays in secret, and a winner can prove that it
/// won. It needs unique signatures: any suite but Ed25519.
#[pyclass(frozen, module = "quorate.sortition")]
pub(crate) struct Lottery {
    inner: any::Lottery,
    committee: Py<Committee>,
}

#[pymethods]
impl Lottery {
    /// The lottery of `round`, in which `expected` members win on average. Every member has the same chance, whatever
    /// its weight.
    #[new]
    #[pyo3(
        signature = (committee, seed, round, expected = Expected(sortition::EXPECTED_WINNERS.get())),
        text_signature = "(committee, seed, round, expected=EXPECTED_WINNERS)"
    )]
    fn new(committee: Py<Committee>, seed: &Seed, round: Round, expected: Expected) -> Outcome<Self> {
        let expected = NonZeroU16::new(expected.0)
            .ok_or_else(|| PyOverflowError::new_err("expected must be from 1 to 65535"))?;
        let inner = any::Lottery::new(&committee.get().0, seed.0, round.0, expected)?;
        Ok(Self { inner, committee })
    }

    /// Returns this member's ticket, if it won. Raises `WrongContextError` if the key belongs to no member. Cost: one
    /// multiplication, one signature.
    fn draw(&self, py: Python<'_>, secret: &SecretKey) -> Outcome<Option<VerifiedTicket>> {
        let drawn = secret.with(py, |key| self.inner.draw(key))?;
        Ok(drawn?.map(VerifiedTicket::from))
    }

    /// The participating committee.
    #[getter]
    fn committee(&self, py: Python<'_>) -> Py<Committee> {
        self.committee.clone_ref(py)
    }

    /// The seed.
    #[getter]
    fn seed(&self) -> Seed {
        Seed(self.inner.seed())
    }

    /// The round.
    #[getter]
    fn round(&self) -> u64 {
        self.inner.round()
    }

    /// Average number of winners.
    #[getter]
    fn expected(&self) -> u16 {
        self.inner.expected().get()
    }

    fn __repr__(&self) -> String {
        let (height, round, expected) = (self.inner.seed().height(), self.round(), self.expected());
        format!("<Lottery height={height} round={round} expected={expected}>")
    }
}

/// A member's claim to have won. A decoded ticket is not verified yet.
#[pyclass(frozen, eq, module = "quorate.sortition")]
#[derive(Clone, PartialEq)]
pub(crate) struct Ticket(any::Ticket);

#[pymethods]
impl Ticket {
    /// Creates a ticket from its parts. Nothing is verified.
    #[new]
    fn new(round: Round, member: Member, signature: &Signature) -> Outcome<Self> {
        Ok(Self(any::Ticket::new(round.0, member.0, signature.0.clone())?))
    }

    /// Decodes a ticket of that suite.
    #[staticmethod]
    fn decode(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::Ticket::decode(suite.0, &data))?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Decodes the signature of a ticket whose round and member are known.
    #[staticmethod]
    fn decode_detached(
        py: Python<'_>,
        suite: Suite,
        data: Bytes,
        round: Round,
        member: Member,
    ) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::Ticket::decode_detached(suite.0, &data, round.0, member.0))?))
    }

    /// Returns the signature alone, for formats that contain the rest already.
    fn encode_detached<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode_detached())
    }

    /// The signature scheme.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// Round of the lottery.
    #[getter]
    fn round(&self) -> u64 {
        self.0.round()
    }

    /// Member that the ticket names.
    #[getter]
    fn member(&self) -> u16 {
        self.0.member()
    }

    /// The proof.
    #[getter]
    fn signature(&self) -> Signature {
        Signature(self.0.signature())
    }

    /// Verifies that this member won this lottery. Raises `NotDrawnError` for a ticket that does not win, before any
    /// pairing. Cost: one subgroup check and a hash; for a winning ticket, also one hash to the curve and two pairings.
    fn verify(&self, py: Python<'_>, lottery: &Lottery) -> Outcome<VerifiedTicket> {
        Ok(py.detach(|| self.0.clone().verify(&lottery.inner))?.into())
    }

    /// As `verify`, on another thread.
    fn verify_async<'py>(
        slf: &Bound<'py, Self>,
        lottery: &Bound<'py, Lottery>,
    ) -> PyResult<Coroutine<'py, VerifiedTicket>> {
        off_thread(slf, "verify", (lottery,))
    }

    fn __repr__(&self) -> String {
        format!("<Ticket {}>", self.0.shown())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.suite(), self.encode(py)))
    }
}

verified! {
    /// A verified winning ticket.
    VerifiedTicket of Ticket: any::Ticket, {
        /// Score of the ticket: the SMALLEST score ranks first.
        #[getter]
        fn score(&self) -> Score {
            Score(self.0.score())
        }
    }
}

/// Score of a winning ticket: 32 pseudorandom bytes. The smallest score ranks first; scores compare as byte strings.
#[pyclass(frozen, eq, ord, hash, module = "quorate.sortition")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Score(sortition::Score);

#[pymethods]
impl Score {
    /// Returns the 32 bytes.
    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.as_bytes())
    }

    /// Returns the bytes as 64 hex digits.
    fn __str__(&self) -> String {
        hex::encode(self.0.as_bytes())
    }

    fn __repr__(&self) -> String {
        format!("Score({})", self.__str__())
    }

    /// Raises `TypeError`: only a verified ticket has a score.
    fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {
        refused("a Score cannot be pickled or copied; send the ticket and verify it there")
    }
}
