//! Events of a run.

use core::time::Duration;
use std::sync::Arc;

use quorate::machine::{Machine, MemberIndex, Recipient};

use crate::fault::Fault;
use crate::node_state::Payload;

/// Two nodes that share one identity, and the assignment of the other nodes to them.
pub(super) struct Twins {
    pub(super) second: usize,
    pub(super) with_second: Vec<bool>,
}

/// A message from one node to another.
pub(super) struct InFlight {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) payload: Arc<Payload>,
}

pub(super) enum Event<M: Machine> {
    FirstStart(usize),
    Arrival {
        in_flight: InFlight,
        sent: u64,
    },
    /// A message delayed before it enters its link.
    Departure(InFlight),
    /// An adversary's message delayed before it enters its link.
    Emission {
        from: usize,
        to: Recipient,
        payload: Arc<Payload>,
    },
    Timer {
        slot: usize,
        incarnation: u32,
        generation: u64,
        timer: M::Timer,
    },
    Command {
        slot: usize,
        incarnation: u32,
        command: M::Command,
    },
    HostWake {
        slot: usize,
        incarnation: u32,
        token: u64,
    },
    AdversaryWake {
        slot: usize,
        incarnation: u32,
        adversary_generation: u32,
        token: u64,
    },
    Ready {
        slot: usize,
        incarnation: u32,
    },
    Fault(Fault),
    RedistributeTwins {
        member: MemberIndex,
        every: Duration,
    },
    Liveness,
    /// The last fault is over.
    Quiet,
}
