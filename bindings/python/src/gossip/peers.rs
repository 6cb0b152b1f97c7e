use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use quorate::gossip;

use crate::convert::{Batch, CountLimit, Draw, FanOut, Member, Now, Preferred, Size, size};
use crate::failure::Outcome;
use crate::times::{BackOff, SendTimeout, at};

/// Parameters of gossip. They affect the speed and cost of dissemination, never the validity of a certificate.
#[pyclass(frozen, eq, module = "quorate.gossip")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Parameters(pub(crate) gossip::Parameters);

#[pymethods]
impl Parameters {
    /// No count exceeds `limit`; no count of a pool's sum exceeds `preferred` if that is possible. At most `batch`
    /// aggregates are verified together, and at most `fan_out` sends are in progress at once. A failed peer is
    /// suspended for `back_off`, and for as much longer after each further failure in a row; an unanswered send
    /// occupies its slot for `send_timeout` and then counts as failed.
    #[new]
    #[pyo3(
        signature = (
            *,
            limit = CountLimit(255),
            preferred = Preferred(16),
            batch = Batch(4),
            fan_out = FanOut(5),
            back_off = BackOff(Duration::from_secs(2)),
            send_timeout = SendTimeout(Duration::from_millis(500)),
        ),
        text_signature = "(*, limit=255, preferred=16, batch=4, fan_out=5, back_off=..., send_timeout=...)"
    )]
    fn new(
        limit: CountLimit,
        preferred: Preferred,
        batch: Batch,
        fan_out: FanOut,
        back_off: BackOff,
        send_timeout: SendTimeout,
    ) -> Self {
        Self(gossip::Parameters {
            limit: limit.0,
            preferred: preferred.0,
            batch: size(batch.0),
            fan_out: size(fan_out.0),
            back_off: back_off.0,
            send_timeout: send_timeout.0,
        })
    }

    /// Maximum of every count.
    #[getter]
    fn limit(&self) -> u16 {
        self.0.limit
    }

    /// Preferred maximum of the counts of a pool's sum; only sums that make a quorum exceed it.
    #[getter]
    fn preferred(&self) -> u16 {
        self.0.preferred
    }

    /// Maximum number of aggregates that are verified together.
    #[getter]
    fn batch(&self) -> usize {
        self.0.batch
    }

    /// Maximum number of concurrent sends, and number of members to which a new aggregate is sent.
    #[getter]
    fn fan_out(&self) -> usize {
        self.0.fan_out
    }

    /// Back-off after a failed send to a peer.
    #[getter]
    fn back_off(&self) -> Duration {
        self.0.back_off
    }

    /// Time after which an unanswered send counts as failed and frees its slot.
    #[getter]
    fn send_timeout(&self) -> Duration {
        self.0.send_timeout
    }

    fn __repr__(&self) -> String {
        let gossip::Parameters { limit, preferred, batch, fan_out, .. } = self.0;
        let span = |span: Duration| format!("timedelta(seconds={})", span.as_secs_f64());
        let (back_off, send_timeout) = (span(self.0.back_off), span(self.0.send_timeout));
        format!(
            "Parameters(limit={limit}, preferred={preferred}, batch={batch}, fan_out={fan_out}, back_off={back_off}, \
             send_timeout={send_timeout})"
        )
    }
}

/// Returns the given parameters, or the default ones.
pub(super) fn chosen(parameters: Option<&Parameters>) -> gossip::Parameters {
    parameters.map(|parameters| parameters.0).unwrap_or_default()
}

/// Returns the caller's randomness, or the operating system's.
pub(super) fn draw_or_random(draw: Option<Draw>) -> Outcome<u64> {
    match draw {
        Some(draw) => Ok(draw.0),
        None => getrandom::u64().map_err(|_| quorate::Error::Rng.into()),
    }
}

/// One member's view of the other members: sends in progress, suspended peers, and peers heard from recently. Every
/// `Gossip` of a committee's epoch shares one, so that knowledge about a peer and the limit of concurrent sends apply
/// to all. Threads may share it. `now` is in microseconds of any monotonic clock; it defaults to the system's.
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

    /// Picks a peer that may be sent to now: neither this member, nor a peer with a send in progress, nor a suspended
    /// one; at random by `draw`, or by the operating system's randomness. `None` if the maximum number of sends is in
    /// progress, or no peer is available. The pick takes effect only with `begin`.
    #[pyo3(signature = (*, draw = None, now = None))]
    fn pick(&self, py: Python<'_>, draw: Option<Draw>, now: Option<Now>) -> Outcome<Option<u16>> {
        let draw = draw_or_random(draw)?;
        Ok(self.attached(py, |peers| peers.pick(at(now), draw)))
    }

    /// Returns true if another send may begin.
    #[pyo3(signature = (now = None))]
    fn has_room(&self, py: Python<'_>, now: Option<Now>) -> bool {
        self.attached(py, |peers| peers.has_room(at(now)))
    }

    /// Returns true if this peer may be sent to, slots aside.
    #[pyo3(signature = (peer, now = None))]
    fn is_available(&self, py: Python<'_>, peer: Member, now: Option<Now>) -> bool {
        self.attached(py, |peers| peers.is_available(peer.0, at(now)))
    }

    /// Registers the start of a send: it occupies a slot until it has `left`, was `sent` or `failed`, at most for the
    /// send timeout. `Gossip.next` calls it itself.
    #[pyo3(signature = (peer, now = None))]
    fn begin(&self, py: Python<'_>, peer: Member, now: Option<Now>) {
        self.attached(py, |peers| peers.begin(peer.0, at(now)));
    }

    /// Registers that a message has left: its slot is free again, although its delivery is unknown.
    fn left(&self, py: Python<'_>, peer: Member) {
        self.attached(py, |peers| peers.left(peer.0));
    }

    /// Registers that a send was answered.
    fn sent(&self, py: Python<'_>, peer: Member) {
        self.attached(py, |peers| peers.sent(peer.0));
    }

    /// Registers that a send failed: the peer is suspended, and longer after each further failure in a row.
    #[pyo3(signature = (peer, now = None))]
    fn failed(&self, py: Python<'_>, peer: Member, now: Option<Now>) {
        self.attached(py, |peers| peers.failed(peer.0, at(now)));
    }

    /// Registers that a message came from a peer: it is reachable.
    fn heard(&self, py: Python<'_>, peer: Member) {
        self.attached(py, |peers| peers.heard(peer.0));
    }

    /// Registers that a peer sent an invalid message: nothing is sent to it or accepted from it for a while.
    /// `Gossip.check` calls it itself.
    #[pyo3(signature = (peer, now = None))]
    fn accuse(&self, py: Python<'_>, peer: Member, now: Option<Now>) {
        self.attached(py, |peers| peers.accuse(peer.0, at(now)));
    }

    /// Returns true if nothing is accepted from this peer now.
    #[pyo3(signature = (peer, now = None))]
    fn is_refused(&self, py: Python<'_>, peer: Member, now: Option<Now>) -> bool {
        self.attached(py, |peers| peers.is_refused(peer.0, at(now)))
    }

    /// Time at which the next slot becomes free without an answer, in microseconds; `None` if no send is in progress.
    fn next_free(&self, py: Python<'_>) -> Option<u64> {
        self.attached(py, |peers| peers.next_free()).map(|time| time.0)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let next = self.attached(py, |peers| peers.next_free().map(|time| time.0.to_string()));
        format!("<Peers next_free={}>", next.as_deref().unwrap_or("None"))
    }
}
