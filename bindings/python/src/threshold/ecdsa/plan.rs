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

/// Plan of an epoch's presignatures: the use of each, and the number of shares that it needs.
#[pyclass(frozen, eq, hash, module = "quorate.threshold.ecdsa")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Plan(pub(super) ecdsa::Plan);

#[pymethods]
impl Plan {
    /// Number of agreement rounds that suffices in all but one epoch in a million.
    #[classattr]
    const ROUNDS: u16 = ecdsa::Plan::ROUNDS;
    /// Maximum number of presignatures of an epoch.
    #[classattr]
    const MAX_COUNT: u32 = ecdsa::Plan::MAX_COUNT;
    /// Length of an encoded plan in bytes.
    #[classattr]
    const LEN: usize = ecdsa::Plan::LEN;

    /// Creates a plan for one asynchronous agreement; `prbc`, `promotion` and `completion` return its tags.
    #[staticmethod]
    #[pyo3(
        signature = (parties, rounds = Rounds(ecdsa::Plan::ROUNDS)),
        text_signature = "(parties, rounds=20)"
    )]
    fn for_agreement(parties: Parties, rounds: Rounds) -> Self {
        Self(ecdsa::Plan::Agreement { parties: parties.0, rounds: rounds.0 })
    }

    /// Creates a plan of `count` presignatures for messages that the parties agree on; the application numbers them.
    #[staticmethod]
    fn for_agreed(count: PresignatureCount) -> Self {
        Self(ecdsa::Plan::Agreed { count: count.0 })
    }

    /// Creates a plan of `count` presignatures for messages that an outside party chooses.
    #[staticmethod]
    fn for_unagreed(count: PresignatureCount) -> Self {
        Self(ecdsa::Plan::Unagreed { count: count.0 })
    }

    /// Decodes the 5 bytes.
    #[staticmethod]
    fn decode(data: Bytes) -> Outcome<Self> {
        Ok(Self(ecdsa::Plan::decode(&data, &())?))
    }

    /// Returns the 5 bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Number of presignatures in the plan.
    #[getter]
    fn count(&self) -> u32 {
        self.0.count()
    }

    /// Class of a presignature; `None` past the end.
    fn agreement(&self, index: PresignatureIndex) -> Option<Agreement> {
        self.0.agreement(index.0).map(Agreement)
    }

    /// Returns the tag for the delivery of a member's broadcast. All tags raise `WrongContextError` in a plan of
    /// another kind, and `ExhaustedError` past its end.
    fn prbc(&self, epoch: Epoch, member: Member) -> Outcome<Tag> {
        Ok(Tag(self.0.prbc(epoch.0, member.0)?.into()))
    }

    /// Returns the tag for step `step` (1 to 4) of the member's promotion of its proposal in a round, counted from 0.
    /// The member chooses the proposal.
    fn promotion(&self, epoch: Epoch, round: PlanRound, member: Member, step: Step) -> Outcome<Tag> {
        Ok(Tag(self.0.promotion(epoch.0, round.0, member.0, step.0)?.into()))
    }

    /// Returns the tag for the completion of a round, counted from 0, after enough promotions.
    fn completion(&self, epoch: Epoch, round: PlanRound) -> Outcome<Tag> {
        Ok(Tag(self.0.completion(epoch.0, round.0)?.into()))
    }

    /// Presignature number `number` of a plan made by `for_agreed`.
    fn agreed(&self, epoch: Epoch, number: Number) -> Outcome<Tag> {
        Ok(Tag(self.0.agreed(epoch.0, number.0)?.into()))
    }

    /// Presignature number `number` of a plan made by `for_unagreed`.
    fn unagreed(&self, epoch: Epoch, number: Number) -> Outcome<Tag> {
        Ok(Tag(self.0.unagreed(epoch.0, number.0)?.into()))
    }

    fn __repr__(&self) -> String {
        match self.0 {
            ecdsa::Plan::Agreement { parties, rounds } => {
                format!("Plan.for_agreement(parties={parties}, rounds={rounds})")
            }
            ecdsa::Plan::Agreed { count } => format!("Plan.for_agreed(count={count})"),
            ecdsa::Plan::Unagreed { count } => format!("Plan.for_unagreed(count={count})"),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.encode(py),))
    }
}

/// One presignature of one epoch, and the class of messages that it may sign. Only a plan creates tags.
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

    /// Index within the epoch.
    #[getter]
    fn index(&self) -> u32 {
        self.0.index()
    }

    /// Class of its messages.
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
