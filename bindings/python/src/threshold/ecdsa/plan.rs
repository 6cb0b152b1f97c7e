use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::any::threshold::ecdsa as any;
use quorate::threshold::ecdsa;
use quorate::wire::{Decode, Encode};

use crate::convert::{
    Bytes, Epoch, Member, Number, Parties, PlanRound, PresignatureCount, PresignatureIndex, Rounds, Step,
};
use crate::failure::Outcome;
use crate::pickle::{Reduced, reduced};
use crate::threshold::common::Agreement;

/// What the presignatures of an epoch are for: which one signs what, and how many shares that takes.
#[pyclass(frozen, eq, hash, module = "quorate.threshold.ecdsa")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Plan(pub(super) ecdsa::Plan);

#[pymethods]
impl Plan {
    /// The rounds of agreement that are enough for all but one epoch in a million.
    #[classattr]
    const ROUNDS: u16 = ecdsa::Plan::ROUNDS;
    /// The most presignatures that an epoch can have.
    #[classattr]
    const MAX_COUNT: u32 = ecdsa::Plan::MAX_COUNT;
    /// Bytes of an encoded plan.
    #[classattr]
    const LEN: usize = ecdsa::Plan::LEN;

    /// An asynchronous agreement, of whose tags `prbc`, `promotion` and `completion` tell.
    #[staticmethod]
    #[pyo3(signature = (parties, rounds = Rounds(ecdsa::Plan::ROUNDS)))]
    fn of_agreement(parties: Parties, rounds: Rounds) -> Self {
        Self(ecdsa::Plan::Agreement { parties: parties.0, rounds: rounds.0 })
    }

    /// So many, all for messages on which the parties agree, for a use that numbers them itself.
    #[staticmethod]
    fn of_agreed(count: PresignatureCount) -> Self {
        Self(ecdsa::Plan::Agreed { count: count.0 })
    }

    /// So many, all for messages that somebody chooses.
    #[staticmethod]
    fn of_unagreed(count: PresignatureCount) -> Self {
        Self(ecdsa::Plan::Unagreed { count: count.0 })
    }

    /// Reads the 5 bytes.
    #[staticmethod]
    fn decode(data: Bytes) -> Outcome<Self> {
        Ok(Self(ecdsa::Plan::decode(&data, &())?))
    }

    /// The 5 bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// How many presignatures it takes.
    #[getter]
    fn count(&self) -> u32 {
        self.0.count()
    }

    /// The class of a presignature; `None` past the end.
    fn agreement(&self, index: PresignatureIndex) -> Option<Agreement> {
        self.0.agreement(index.0).map(Agreement)
    }

    /// Member's broadcast was delivered. All tags raise `WrongContextError` in a plan of another kind, and `ExhaustedError`
    /// past its end.
    fn prbc(&self, epoch: Epoch, member: Member) -> Outcome<Tag> {
        Ok(Tag(self.0.prbc(epoch.0, member.0)?.into()))
    }

    /// Step `step` of 1 to 4 of the member's promotion of its proposal in a round, from 0. The member chooses it.
    fn promotion(&self, epoch: Epoch, round: PlanRound, member: Member, step: Step) -> Outcome<Tag> {
        Ok(Tag(self.0.promotion(epoch.0, round.0, member.0, step.0)?.into()))
    }

    /// A round, from 0, has enough promotions.
    fn completion(&self, epoch: Epoch, round: PlanRound) -> Outcome<Tag> {
        Ok(Tag(self.0.completion(epoch.0, round.0)?.into()))
    }

    /// Presignature number `number` of a plan `of_agreed`.
    fn agreed(&self, epoch: Epoch, number: Number) -> Outcome<Tag> {
        Ok(Tag(self.0.agreed(epoch.0, number.0)?.into()))
    }

    /// Presignature number `number` of a plan `of_unagreed`.
    fn unagreed(&self, epoch: Epoch, number: Number) -> Outcome<Tag> {
        Ok(Tag(self.0.unagreed(epoch.0, number.0)?.into()))
    }

    fn __repr__(&self) -> String {
        match self.0 {
            ecdsa::Plan::Agreement { parties, rounds } => {
                format!("Plan.of_agreement(parties={parties}, rounds={rounds})")
            }
            ecdsa::Plan::Agreed { count } => format!("Plan.of_agreed(count={count})"),
            ecdsa::Plan::Unagreed { count } => format!("Plan.of_unagreed(count={count})"),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.encode(py),))
    }
}

/// One presignature of one epoch, and the class of messages that it may sign. Only a plan makes one.
#[pyclass(frozen, eq, ord, hash, module = "quorate.threshold.ecdsa")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Tag(pub(super) any::Tag);

#[pymethods]
impl Tag {
    /// The epoch.
    #[getter]
    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    /// The index within the epoch.
    #[getter]
    fn index(&self) -> u32 {
        self.0.index()
    }

    /// The class.
    #[getter]
    fn agreement(&self) -> Agreement {
        Agreement(self.0.agreement())
    }

    fn __repr__(&self) -> String {
        let (epoch, index) = (self.epoch(), self.index());
        format!("Tag(epoch {epoch}, index {index}, {:?})", self.0.agreement())
            .to_lowercase()
            .replacen('t', "T", 1)
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
