//! Lanes, limits, settings and events of links.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use quorate::committee::{ChainId, Committee};
use quorate::ed25519::{self, Ed25519};
use quorate::machine::{MemberIndex, Time};
use tokio::sync::OwnedSemaphorePermit;

use crate::config::LinkConfig;
use crate::metrics::LinkMetrics;

/// The connection that a frame travels on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Consensus messages.
    Urgent,
    /// Batches and history.
    Bulk,
}

impl Lane {
    /// Both lanes.
    pub const ALL: [Lane; 2] = [Lane::Urgent, Lane::Bulk];
}

/// Limits that an operator cannot configure.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Maximum size of a frame on the urgent lane, in bytes.
    pub urgent_frame: usize,
    /// Maximum size of a frame on the bulk lane, in bytes.
    pub bulk_frame: usize,
    /// Maximum number of received bytes per peer that await the receiver, on the urgent lane.
    pub inbound_urgent: usize,
    /// Maximum number of received bytes per peer that await the receiver, on the bulk lane.
    pub inbound_bulk: usize,
    /// Interval at which the node dials its own public address to detect a second process with its key.
    pub probe_every: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            urgent_frame: 8 << 20,
            bulk_frame: 16 << 20,
            inbound_urgent: 8 << 20,
            inbound_bulk: 32 << 20,
            probe_every: Duration::from_secs(30),
        }
    }
}

/// Parameters of [`Links`](super::Links).
pub struct Settings {
    /// The operator's configuration.
    pub config: LinkConfig,
    /// The other limits.
    pub limits: Limits,
    /// The chain.
    pub chain: ChainId,
    /// Index of this node; `None` if it is not a member.
    pub me: Option<MemberIndex>,
    /// Identity key of this node.
    pub identity: ed25519::SecretKey,
    /// Identity keys of all members.
    pub identities: Arc<Committee<Ed25519>>,
    /// Names and addresses of all members, in order.
    pub members: Vec<(String, String)>,
    /// Former members, which may connect.
    pub former_members: Vec<FormerMember>,
    /// Counters.
    pub metrics: LinkMetrics,
}

/// A member of an earlier epoch that is not a member of this one.
#[derive(Clone, Debug)]
pub struct FormerMember {
    /// Its identity key.
    pub identity: ed25519::PublicKey,
    /// Its name.
    pub name: String,
    /// Its last known link address.
    pub address: String,
}

/// Receiver of frames and link events. The links' tasks call it, so it must not block.
pub trait Sink: Send + Sync + 'static {
    /// Receives a frame.
    fn frame(&self, received: Received);
    /// Receives an event.
    fn event(&self, event: LinkEvent);
    /// The clock that the protocol uses, in microseconds since 1970. Peers compare it with theirs. Usually that of the
    /// system.
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time(u64::try_from(since.as_micros()).unwrap_or(0))
    }
}

/// A received frame. Dropping it releases its share of the peer's inbound limit.
#[derive(Debug)]
pub struct Received {
    /// The sender.
    pub from: MemberIndex,
    /// The lane.
    pub lane: Lane,
    /// The frame.
    pub body: Bytes,
    pub(super) _share: OwnedSemaphorePermit,
}

#[cfg(test)]
impl Received {
    pub(crate) fn for_test(from: MemberIndex, lane: Lane, body: &[u8]) -> Self {
        let share = Arc::new(tokio::sync::Semaphore::new(1)).try_acquire_owned().unwrap();
        Self { from, lane, body: Bytes::copy_from_slice(body), _share: share }
    }
}

/// A change of a link's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkEvent {
    /// The urgent lane to a member is connected.
    Up(MemberIndex),
    /// The urgent lane to a member is disconnected.
    Down(MemberIndex),
    /// Another process proved possession of this node's identity key.
    SameIdentity {
        /// Address of that process.
        address: String,
    },
}
