use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use prometheus_client::metrics::counter::Counter;
use quorate::ed25519;
use quorate::machine::{MemberIndex, Time};
use tokio::sync::{Notify, Semaphore};

use super::clock::ClockEstimate;
use super::error::LinkError;
use super::frame::OVERHEAD;
use super::hello::{InstanceId, Verdict};
use super::queue::Outbox;
use super::types::{Lane, Limits};
use crate::config::LinkConfig;
use crate::handle::PeerStatus;
use crate::metrics::{LinkMetrics, PeerCodeLabel, PeerLabel};

/// Number of strikes that disconnects a peer.
const STRIKES: u32 = 64;
/// Number of strikes that remain when the peer reconnects.
const REMAINING_STRIKES: u32 = 32;
/// Interval after which one strike expires.
const STRIKE_EXPIRY: Duration = Duration::from_secs(1);
/// Time for which a disconnected peer is refused.
const EXPULSION_TIME: Duration = Duration::from_secs(1);
/// Number of replaced processes of a peer that are remembered.
const MAX_REPLACED: usize = 8;
/// Maximum number of frames in a bulk queue, which is otherwise limited by bytes.
const MAX_BULK_FRAMES: usize = 1 << 16;
/// Maximum size of an urgent queue, which is otherwise limited by the number of frames.
const MAX_URGENT_BYTES: usize = 32 << 20;

/// A peer: another member or a former member.
pub(super) struct Peer {
    pub(super) index: MemberIndex,
    pub(super) name: String,
    pub(super) address: String,
    pub(super) key: ed25519::PublicKey,
    /// True for a former member.
    pub(super) is_former_member: bool,
    urgent: LaneState,
    bulk: LaneState,
    counters: Counters,
    metrics: LinkMetrics,
    strikes: Mutex<Strikes>,
    faults: AtomicU64,
    refused: AtomicU64,
    processes: Mutex<Processes>,
    last_error: Mutex<Option<String>>,
    clock: Mutex<ClockEstimate>,
}

/// Identity and address of a peer.
pub(super) struct PeerInfo {
    pub(super) index: MemberIndex,
    pub(super) name: String,
    pub(super) address: String,
    pub(super) key: ed25519::PublicKey,
    /// True for a former member.
    pub(super) is_former_member: bool,
}

/// State of one lane in both directions.
struct LaneState {
    outbox: Outbox,
    outgoing: AtomicBool,
    inbound: Arc<Semaphore>,
    /// Notified when the peer connects: it can probably be dialled now.
    peer_connected: Notify,
}

struct Counters {
    frames_sent: Counter,
    bytes_sent: Counter,
    frames_received: Counter,
    bytes_received: Counter,
    frames_dropped: Counter,
    links_lost: Counter,
}

/// Recent invalid frames of a peer. They outlast its connections, so that reconnecting does not reset them.
struct Strikes {
    count: u32,
    since: Instant,
}

/// The connected process of the peer and its connections.
#[derive(Default)]
struct Processes {
    current: Option<InstanceId>,
    replaced: VecDeque<InstanceId>,
    urgent: Option<Arc<Notify>>,
    bulk: Option<Arc<Notify>>,
    not_before: Option<Instant>,
}

impl Peer {
    pub(super) fn new(info: PeerInfo, config: &LinkConfig, limits: &Limits, metrics: &LinkMetrics) -> Self {
        let PeerInfo { index, name, address, key, is_former_member } = info;
        let new_lane = |max_frames, max_bytes, inbound| LaneState {
            outbox: Outbox::new(max_frames, max_bytes),
            outgoing: AtomicBool::new(false),
            inbound: Arc::new(Semaphore::new(inbound)),
            peer_connected: Notify::new(),
        };
        Self {
            urgent: new_lane(
                config.urgent_queue_frames,
                MAX_URGENT_BYTES,
                limits.inbound_urgent.max(limits.urgent_frame + OVERHEAD),
            ),
            bulk: new_lane(
                MAX_BULK_FRAMES,
                config.bulk_queue_bytes,
                limits.inbound_bulk.max(limits.bulk_frame + OVERHEAD),
            ),
            counters: Counters::new(&name, metrics),
            metrics: metrics.clone(),
            strikes: Mutex::new(Strikes { count: 0, since: Instant::now() }),
            faults: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            processes: Mutex::default(),
            last_error: Mutex::default(),
            clock: Mutex::default(),
            index,
            name,
            address,
            key,
            is_former_member,
        }
    }

    pub(super) fn enqueue(&self, lane: Lane, body: Bytes) {
        self.dropped(self.lane_state(lane).outbox.push(body));
    }

    pub(super) fn outbox(&self, lane: Lane) -> &Outbox {
        &self.lane_state(lane).outbox
    }

    /// Semaphore over the bytes that are received and not yet processed.
    pub(super) fn inbound(&self, lane: Lane) -> &Arc<Semaphore> {
        &self.lane_state(lane).inbound
    }

    /// Sets whether this node's connection is established. Returns true if the state of the urgent lane changed.
    pub(super) fn set_outgoing(&self, lane: Lane, up: bool) -> bool {
        let lane_state = self.lane_state(lane);
        self.dropped(lane_state.outbox.set_connected(up));
        if lane_state.outgoing.swap(up, Ordering::Relaxed) == up {
            return false;
        }
        let gauge = &self.metrics.links_up;
        if up {
            gauge.inc()
        } else {
            gauge.dec()
        };
        if !up {
            self.counters.links_lost.inc();
            // The next process of the peer may have another clock.
            *lock(&self.clock) = ClockEstimate::default();
        }
        // Only the urgent lane matters to consensus.
        lane == Lane::Urgent
    }

    /// Admits a connection of `process`, which replaces an older connection of the lane. The returned notice fires when
    /// this connection is replaced.
    ///
    /// # Errors
    /// The verdict to send to the peer.
    pub(super) fn admit(&self, lane: Lane, process: InstanceId) -> Result<Arc<Notify>, Verdict> {
        let mut processes = lock(&self.processes);
        if processes.not_before.is_some_and(|t| Instant::now() < t) {
            return Err(Verdict::TooSoon);
        }
        if processes.replaced.contains(&process) {
            return Err(Verdict::SameIdentity);
        }
        processes.set_current(process);
        let notice = Arc::new(Notify::new());
        if let Some(old) = processes.slot(lane).replace(notice.clone()) {
            old.notify_one();
        }
        drop(processes);
        for lane in Lane::ALL {
            self.lane_state(lane).peer_connected.notify_one();
        }
        Ok(notice)
    }

    /// Returns true if the peer is to be dialled: a member always, a former member while it is connected.
    pub(super) fn is_dialled(&self) -> bool {
        let processes = lock(&self.processes);
        !self.is_former_member || processes.urgent.is_some() || processes.bulk.is_some()
    }

    /// Completes when the peer connects: then it can probably be dialled.
    pub(super) async fn connected(&self, lane: Lane) {
        self.lane_state(lane).peer_connected.notified().await;
    }

    /// Notes the end of a connection that [`admit`](Self::admit) admitted.
    pub(super) fn leave(&self, lane: Lane, notice: &Arc<Notify>) {
        let mut processes = lock(&self.processes);
        let slot = processes.slot(lane);
        if slot.as_ref().is_some_and(|current| Arc::ptr_eq(current, notice)) {
            *slot = None;
        }
    }

    pub(super) fn sent(&self, frames: u64, bytes: u64) {
        self.counters.frames_sent.inc_by(frames);
        self.counters.bytes_sent.inc_by(bytes);
    }

    pub(super) fn received(&self, bytes: usize) {
        self.counters.frames_received.inc();
        self.counters.bytes_received.inc_by(bytes as u64);
    }

    /// Counts a frame that cannot be decoded.
    pub(super) fn refuse(&self, code: &'static str) {
        self.refused.fetch_add(1, Ordering::Relaxed);
        self.metrics.frames_refused.get_or_create(&self.label(code)).inc();
        self.strike(code);
    }

    /// Counts a frame that no honest member sends, and disconnects the peer after too many.
    pub(super) fn strike(&self, code: &'static str) {
        let now = Instant::now();
        if !lock(&self.strikes).add(now) {
            return;
        }
        tracing::warn!(
            code = "PEER_DISCONNECTED",
            peer = %self.name,
            reason = code,
            "disconnecting peer: too many invalid frames"
        );
        self.note(&LinkError::Expelled);
        let mut processes = lock(&self.processes);
        processes.not_before = Some(now + EXPULSION_TIME);
        for lane in Lane::ALL {
            if let Some(notice) = processes.slot(lane).take() {
                notice.notify_one();
            }
        }
    }

    /// Returns true if the peer was disconnected a moment ago. Its earlier frames are not processed either.
    pub(super) fn is_expelled(&self) -> bool {
        lock(&self.processes).not_before.is_some_and(|t| Instant::now() < t)
    }

    pub(super) fn count_fault(&self) {
        self.faults.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds an answer to a probe to the estimate of the peer's clock.
    pub(super) fn compare_clock(&self, sent: Time, peer: u64, received: Time) {
        lock(&self.clock).add(sent, peer, received);
    }

    /// Stores the last error, for the operator.
    pub(super) fn note(&self, error: &LinkError) {
        *lock(&self.last_error) = Some(format!("{}: {error}", error.code()));
    }

    pub(super) fn status(&self) -> PeerStatus {
        let (urgent, bulk) = (self.urgent.outbox.len(), self.bulk.outbox.len());
        let c = &self.counters;
        let incoming = {
            let processes = lock(&self.processes);
            processes.urgent.is_some() && processes.bulk.is_some()
        };
        PeerStatus {
            index: self.index,
            name: self.name.clone(),
            address: self.address.clone(),
            outgoing: Lane::ALL.iter().all(|lane| self.lane_state(*lane).outgoing.load(Ordering::Relaxed)),
            incoming,
            frames_sent: c.frames_sent.get(),
            bytes_sent: c.bytes_sent.get(),
            frames_received: c.frames_received.get(),
            bytes_received: c.bytes_received.get(),
            frames_dropped: c.frames_dropped.get(),
            frames_refused: self.refused.load(Ordering::Relaxed),
            faults: self.faults.load(Ordering::Relaxed),
            queued_frames: urgent.0 + bulk.0,
            queued_bytes: urgent.1 + bulk.1,
            last_error: lock(&self.last_error).clone(),
            clock_difference_ms: lock(&self.clock).milliseconds(),
        }
    }

    fn lane_state(&self, lane: Lane) -> &LaneState {
        match lane {
            Lane::Urgent => &self.urgent,
            Lane::Bulk => &self.bulk,
        }
    }

    fn dropped(&self, frames: u64) {
        if frames > 0 {
            self.counters.frames_dropped.inc_by(frames);
        }
    }

    fn label(&self, code: &'static str) -> PeerCodeLabel {
        PeerCodeLabel { peer: self.name.clone(), code }
    }
}

impl Strikes {
    /// Adds a strike. Returns true if the limit is reached.
    fn add(&mut self, now: Instant) -> bool {
        let forgiven = now.saturating_duration_since(self.since).as_secs() / STRIKE_EXPIRY.as_secs();
        let forgiven = u32::try_from(forgiven).unwrap_or(u32::MAX);
        if forgiven >= self.count {
            (self.count, self.since) = (0, now);
        } else {
            self.count -= forgiven;
            self.since += STRIKE_EXPIRY * forgiven;
        }
        self.count += 1;
        let too_many = self.count >= STRIKES;
        if too_many {
            self.count = REMAINING_STRIKES;
        }
        too_many
    }
}

impl Processes {
    /// Sets the connected process, and closes the connections of an older process.
    fn set_current(&mut self, process: InstanceId) {
        if self.current == Some(process) {
            return;
        }
        if let Some(old) = self.current.replace(process) {
            self.replaced.push_back(old);
            if self.replaced.len() > MAX_REPLACED {
                self.replaced.pop_front();
            }
        }
        for lane in Lane::ALL {
            if let Some(notice) = self.slot(lane).take() {
                notice.notify_one();
            }
        }
    }

    fn slot(&mut self, lane: Lane) -> &mut Option<Arc<Notify>> {
        match lane {
            Lane::Urgent => &mut self.urgent,
            Lane::Bulk => &mut self.bulk,
        }
    }
}

impl Counters {
    fn new(name: &str, metrics: &LinkMetrics) -> Self {
        let label = PeerLabel { peer: name.to_owned() };
        Self {
            frames_sent: metrics.frames_sent.get_or_create(&label).clone(),
            bytes_sent: metrics.bytes_sent.get_or_create(&label).clone(),
            frames_received: metrics.frames_received.get_or_create(&label).clone(),
            bytes_received: metrics.bytes_received.get_or_create(&label).clone(),
            frames_dropped: metrics.frames_dropped.get_or_create(&label).clone(),
            links_lost: metrics.links_lost.get_or_create(&label).clone(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code panics while it holds one of these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strikes_expire_with_time_and_outlast_connections() {
        let begin = Instant::now();
        let mut strikes = Strikes { count: 0, since: begin };
        let until_too_many = |strikes: &mut Strikes, at| (1..=1000).find(|_| strikes.add(at));
        assert_eq!(until_too_many(&mut strikes, begin), Some(STRIKES));
        assert_eq!(until_too_many(&mut strikes, begin), Some(STRIKES - REMAINING_STRIKES));
        assert_eq!(
            until_too_many(&mut strikes, begin + 10 * STRIKE_EXPIRY),
            Some(STRIKES - REMAINING_STRIKES + 10)
        );
        assert_eq!(until_too_many(&mut strikes, begin + 500 * STRIKE_EXPIRY), Some(STRIKES));
        // One strike a second never reaches the limit.
        for second in 501..2000 {
            assert!(!strikes.add(begin + second * STRIKE_EXPIRY));
        }
    }
}
