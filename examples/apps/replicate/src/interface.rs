use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use quorate::Error;
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate_broadcast::authentication::Authentication;

use crate::statement::Equivocation;
use crate::value::{Answer, ClientIndex, Request, Value};

/// Configuration of a replica.
pub struct Config<A, P> {
    /// The replicas, n = 3f + 1. Their weights are ignored: each has one vote.
    pub group: Arc<Committee<Ed25519>>,
    /// Index of this replica.
    pub me: MemberIndex,
    /// Signatures.
    pub authentication: A,
    /// The application in its initial state, the same at all replicas.
    pub application: P,
    /// Parameters of the replica.
    pub parameters: Parameters,
}

/// Parameters of a replica. All replicas must agree on `clients`, `window` and `checkpoint`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Number of clients.
    pub clients: u16,
    /// Maximum number of slots above the last stable checkpoint; at least twice `checkpoint`.
    pub window: u64,
    /// Number of slots between two checkpoints.
    pub checkpoint: u64,
    /// Path of a slot that meets no fault.
    pub path: Path,
    /// Time from the acceptance of a slot after which the replica begins its slow path.
    pub fast_timeout: Duration,
    /// Time after such a timeout in which slots begin their slow path at once: a replica is down or slow.
    pub slow_for: Duration,
    /// Time without progress after which the replica suspects the leader. Doubles with each view without progress.
    pub suspect: Duration,
    /// Interval of status messages, upon which lost messages are repeated.
    pub retry: Duration,
    /// A defect, with which tests show that the checks of the simulation find it.
    pub flaw: Option<Flaw>,
}

/// Path of a slot that meets no fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Without signatures, if all replicas accept in time.
    Fast,
    /// With signatures, as if a replica were down. For measurements.
    Slow,
}

/// A defect of the machine for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A view change ignores the values that were accepted on the fast path.
    IgnoresAccepted,
    /// A view change ignores certificates.
    IgnoresPrepared,
    /// A request is executed as often as it is decided.
    RepeatsRequests,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            clients: 1,
            window: 64,
            checkpoint: 32,
            path: Path::Fast,
            fast_timeout: Duration::from_millis(5),
            slow_for: Duration::from_secs(1),
            suspect: Duration::from_millis(1_000),
            retry: Duration::from_millis(200),
            flaw: None,
        }
    }
}

/// Commands of the driver.
pub enum Command<A: Authentication> {
    /// A request arrived over a link that authenticates its client.
    Request(Request),
    /// Returns the result of background work.
    Done(Outcome<A>),
}

/// Outputs for the driver.
pub enum Output<A: Authentication> {
    /// Answers a client's request. The request is durable and executed.
    Reply {
        /// The client.
        client: ClientIndex,
        /// The number of the request.
        sequence: u64,
        /// The answer.
        answer: Answer,
    },
    /// Refuses a client's request, because one with a higher number was executed. It may have been executed before that one.
    Outdated {
        /// The client.
        client: ClientIndex,
        /// The number of the request.
        sequence: u64,
        /// The number of the client's last executed request.
        last: u64,
    },
    /// A slot was executed, for observers.
    Executed {
        /// The slot.
        slot: u64,
        /// Its value.
        value: Value,
        /// True if the value was a request that had not been executed before.
        applied: bool,
    },
    /// The replica skipped slots with the state of other replicas.
    Restored {
        /// The slot of the state.
        slot: u64,
    },
    /// Requests background work, whose result returns with [`Command::Done`]. At any time there is at most one job
    /// that generates keys, and eight per replica that verify announcements.
    Work(Work<A>),
    /// The machine can no longer sign, because the random number generator failed.
    Broken(Error),
}

/// Timers of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    /// Begin the slow path of a slot.
    Fast(u64),
    /// Suspect the leader.
    Suspect,
    /// Send the status, and repeat what was lost.
    Retry,
    /// Verify one slow signature. Fire it when no message waits.
    Deferred,
}

/// A protocol violation by a replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misbehaviour<S> {
    /// The replica signed two values for one slot and view. Provable to third parties.
    Equivocation(Box<Equivocation<S>>),
    /// The replica sent an invalid message. Not provable to third parties.
    Invalid {
        /// The invalid message.
        what: &'static str,
        /// The verification error.
        error: Error,
    },
}

impl<S> Misbehaviour<S> {
    /// Returns a stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Misbehaviour::Equivocation(_) => "EQUIVOCATION",
            Misbehaviour::Invalid { error, .. } => error.code(),
        }
    }
}

/// Summary of a replica's state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The view.
    pub view: u64,
    /// False while the replica waits for the leader of the view.
    pub active: bool,
    /// Last executed slot.
    pub executed: u64,
    /// Last slot of the last stable checkpoint.
    pub stable: u64,
    /// Number of slots that were decided on the fast path, on the slow path, and by reports of other replicas.
    pub decided: [u64; 3],
    /// Number of fast and of slow verifications of votes.
    pub verified: (u64, u64),
    /// Votes that wait for a slow verification.
    pub deferred: usize,
    /// Slots above the checkpoint that hold state.
    pub slots: usize,
}

/// Background work.
pub struct Work<A: Authentication>(pub(crate) A::Job);

/// Result of background work.
pub struct Outcome<A: Authentication>(pub(crate) A::Done);

impl<A: Authentication> Work<A> {
    /// Performs the work.
    pub fn run(self) -> Outcome<A> {
        Outcome(A::run(self.0))
    }
}

impl<A: Authentication> fmt::Debug for Command<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Request(request) => request.fmt(f),
            Command::Done(_) => f.write_str("Done"),
        }
    }
}

impl<A: Authentication> fmt::Debug for Output<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Output::Reply { client, sequence, answer } => {
                write!(f, "Reply({client}, {sequence}, {answer:?})")
            }
            Output::Outdated { client, sequence, last } => {
                write!(f, "Outdated({client}, {sequence}, {last})")
            }
            Output::Executed { slot, value, applied } => write!(f, "Executed({slot}, {value:?}, {applied})"),
            Output::Restored { slot } => write!(f, "Restored({slot})"),
            Output::Work(_) => f.write_str("Work"),
            Output::Broken(error) => write!(f, "Broken({error:?})"),
        }
    }
}
