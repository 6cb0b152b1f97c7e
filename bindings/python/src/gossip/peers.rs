use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use quorate::gossip;

use crate::convert::{Batch, CountLimit, Draw, FanOut, Member, Now, Preferred, Size, size};
use crate::failure::Outcome;
use crate::times::{BackOff, Patience, at};

/// What can be chosen. The values change how fast and how cheap spreading is, never what is accepted.
#[pyclass(frozen, eq, module = "quorate.gossip")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Parameters(pub(crate) gossip::Parameters);

#[pymethods]
impl Parameters {
    /// No count grows past `limit`, and no count of a pool's sum past `preferred` if it can be. So many aggregates are
    /// verified together at most (`batch`), so many sends are under way at once (`fan_out`). A peer that
    /// failed is left alone for `back_off`, and for as much more after each further failure in a row; a send that is not
    /// answered holds its place for `patience` and then counts as failed.
    #[new]
    #[pyo3(signature = (
        *,
        limit = CountLimit(255),
        preferred = Preferred(16),
        batch = Batch(4),
        fan_out = FanOut(5),
        back_off = BackOff(Duration::from_secs(2)),
        patience = Patience(Duration::from_millis(500)),
    ))]
    fn new(
        limit: CountLimit,
        preferred: Preferred,
        batch: Batch,
        fan_out: FanOut,
        back_off: BackOff,
        patience: Patience,
    ) -> Self {
        Self(gossip::Parameters {
            limit: limit.0,
            preferred: preferred.0,
            batch: size(batch.0),
            fan_out: size(fan_out.0),
            back_off: back_off.0,
            patience: patience.0,
        })
    }

    /// No count grows past this.
    #[getter]
    fn limit(&self) -> u16 {
        self.0.limit
    }

    /// No count of a pool's sum grows past this, unless sums that are above it make a quorum.
    #[getter]
    fn preferred(&self) -> u16 {
        self.0.preferred
    }

    /// How many aggregates are verified together at most.
    #[getter]
    fn batch(&self) -> usize {
        self.0.batch
    }

    /// How many sends are under way at once at most, and to how many members news are told.
    #[getter]
    fn fan_out(&self) -> usize {
        self.0.fan_out
    }

    /// How long a peer that failed is left alone.
    #[getter]
    fn back_off(&self) -> Duration {
        self.0.back_off
    }

    /// How long a send that is not answered holds its place.
    #[getter]
    fn patience(&self) -> Duration {
        self.0.patience
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// The parameters, or what they are by default.
pub(super) fn chosen(parameters: Option<&Parameters>) -> gossip::Parameters {
    parameters.map(|parameters| parameters.0).unwrap_or_default()
}

/// Randomness of the caller, or of the operating system.
pub(super) fn drawn(draw: Option<Draw>) -> Outcome<u64> {
    match draw {
        Some(draw) => Ok(draw.0),
        None => getrandom::u64().map_err(|_| quorate::Error::Rng.into()),
    }
}

/// The other members as one member sees them: who is being sent something, who did not answer and is left alone for a
/// while, who was heard lately. Every `Gossip` of a committee's term shares one, so that what is learnt of a peer holds
/// in all, and the limit of concurrent sends is one for all. Threads may share it. `now` is in microseconds, of any
/// clock that does not run backwards; without it the system's is read.
#[pyclass(frozen, module = "quorate.gossip")]
pub(crate) struct Peers(Mutex<gossip::Peers>);

impl Peers {
    /// For work without the interpreter.
    pub(super) fn lock(&self) -> MutexGuard<'_, gossip::Peers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn attached<T>(&self, py: Python<'_>, work: impl FnOnce(&mut gossip::Peers) -> T) -> T {
        work(&mut self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Peers {
    /// The peers of member `me` in a committee of `committee_len`.
    #[new]
    #[pyo3(signature = (me, committee_len, parameters = None))]
    fn new(me: Member, committee_len: Size, parameters: Option<&Parameters>) -> Self {
        Self(Mutex::new(gossip::Peers::new(me.0, committee_len.0, chosen(parameters))))
    }

    /// A member to whom something may be sent now: not oneself, not in the middle of a send, not left alone; by the
    /// randomness of `draw`, or of the operating system. `None` if as many sends as may be are under way, or there is
    /// nobody. Nothing is noted until `begin`.
    #[pyo3(signature = (*, draw = None, now = None))]
    fn pick(&self, py: Python<'_>, draw: Option<Draw>, now: Option<Now>) -> Outcome<Option<u16>> {
        let draw = drawn(draw)?;
        Ok(self.attached(py, |peers| peers.pick(at(now), draw)))
    }

    /// Whether one more send may begin.
    #[pyo3(signature = (now = None))]
    fn has_room(&self, py: Python<'_>, now: Option<Now>) -> bool {
        self.attached(py, |peers| peers.has_room(at(now)))
    }

    /// Whether something may be sent to this peer, were there a place.
    #[pyo3(signature = (peer, now = None))]
    fn is_available(&self, py: Python<'_>, peer: Member, now: Option<Now>) -> bool {
        self.attached(py, |peers| peers.is_available(peer.0, at(now)))
    }

    /// A send to a peer begins: it holds a place until it has `left`, was `sent` or `failed`, at most for the patience.
    /// `Gossip.next` says it itself.
    #[pyo3(signature = (peer, now = None))]
    fn begin(&self, py: Python<'_>, peer: Member, now: Option<Now>) {
        self.attached(py, |peers| peers.begin(peer.0, at(now)));
    }

    /// A message has left: its place is free again, though nobody knows yet whether it arrives.
    fn left(&self, py: Python<'_>, peer: Member) {
        self.attached(py, |peers| peers.left(peer.0));
    }

    /// A send was answered.
    fn sent(&self, py: Python<'_>, peer: Member) {
        self.attached(py, |peers| peers.sent(peer.0));
    }

    /// A send failed: the peer is left alone for a while, after each further failure in a row for so much longer.
    #[pyo3(signature = (peer, now = None))]
    fn failed(&self, py: Python<'_>, peer: Member, now: Option<Now>) {
        self.attached(py, |peers| peers.failed(peer.0, at(now)));
    }

    /// Something came from a peer: it is there.
    fn heard(&self, py: Python<'_>, peer: Member) {
        self.attached(py, |peers| peers.heard(peer.0));
    }

    /// A peer sent what does not verify: for a while nothing is sent to it, nor taken from it. `Gossip.check` says it
    /// itself.
    #[pyo3(signature = (peer, now = None))]
    fn accuse(&self, py: Python<'_>, peer: Member, now: Option<Now>) {
        self.attached(py, |peers| peers.accuse(peer.0, at(now)));
    }

    /// Whether nothing is taken from this peer now.
    #[pyo3(signature = (peer, now = None))]
    fn is_refused(&self, py: Python<'_>, peer: Member, now: Option<Now>) -> bool {
        self.attached(py, |peers| peers.is_refused(peer.0, at(now)))
    }

    /// When the next place gets free by itself, in microseconds, if no answer comes; `None` if no send is under way.
    fn next_free(&self, py: Python<'_>) -> Option<u64> {
        self.attached(py, |peers| peers.next_free()).map(|time| time.0)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        self.attached(py, |peers| format!("Peers(next free: {:?})", peers.next_free().map(|time| time.0)))
    }
}
