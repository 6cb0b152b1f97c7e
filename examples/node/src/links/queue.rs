use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;

/// Outgoing frames of one lane to one peer. Never blocks the sender: a full queue drops its oldest frames.
#[derive(Debug)]
pub(super) struct Outbox {
    waiting: Mutex<Waiting>,
    ready: Notify,
    max_frames: usize,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Waiting {
    frames: VecDeque<Bytes>,
    bytes: usize,
    /// While the peer is disconnected, the queue uses only a sixteenth of its limits, because its frames become stale.
    connected: bool,
}

impl Outbox {
    pub(super) fn new(max_frames: usize, max_bytes: usize) -> Self {
        Self { waiting: Mutex::default(), ready: Notify::new(), max_frames, max_bytes }
    }

    /// Adds a frame. Returns the number of dropped frames.
    pub(super) fn push(&self, frame: Bytes) -> u64 {
        let mut waiting = self.lock();
        waiting.bytes += frame.len();
        waiting.frames.push_back(frame);
        let dropped = waiting.shrink(self.max_frames, self.max_bytes);
        let wake = waiting.connected;
        drop(waiting);
        if wake {
            self.ready.notify_one();
        }
        dropped
    }

    /// Moves frames of at most `max_bytes` in total into `into`, or one larger frame.
    pub(super) fn take(&self, max_bytes: usize, into: &mut Vec<Bytes>) {
        let mut waiting = self.lock();
        let mut taken = 0;
        while let Some(frame) = waiting.frames.front() {
            if taken > 0 && taken + frame.len() > max_bytes {
                break;
            }
            taken += frame.len();
            into.extend(waiting.frames.pop_front());
        }
        waiting.bytes -= taken;
    }

    /// Completes when a frame may be queued.
    pub(super) async fn ready(&self) {
        self.ready.notified().await;
    }

    /// Sets whether the peer is connected. Returns the number of dropped frames.
    pub(super) fn set_connected(&self, connected: bool) -> u64 {
        let mut waiting = self.lock();
        waiting.connected = connected;
        let dropped = waiting.shrink(self.max_frames, self.max_bytes);
        drop(waiting);
        self.ready.notify_one();
        dropped
    }

    /// Number of queued frames and bytes.
    pub(super) fn len(&self) -> (u64, u64) {
        let waiting = self.lock();
        (waiting.frames.len() as u64, waiting.bytes as u64)
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // No code panics while it changes the queue.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn shrink(&mut self, max_frames: usize, max_bytes: usize) -> u64 {
        let part = if self.connected { 1 } else { 16 };
        let mut dropped = 0;
        while self.frames.len() > 1
            && (self.frames.len() > max_frames / part || self.bytes > max_bytes / part)
        {
            if let Some(frame) = self.frames.pop_front() {
                self.bytes -= frame.len();
                dropped += 1;
            }
        }
        dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(len: usize, tag: u8) -> Bytes {
        vec![tag; len].into()
    }

    fn drain(outbox: &Outbox, max: usize) -> Vec<(usize, u8)> {
        let mut frames = Vec::new();
        outbox.take(max, &mut frames);
        frames.iter().map(|f| (f.len(), f[0])).collect()
    }

    #[test]
    fn a_full_queue_drops_its_oldest_frames() {
        let outbox = Outbox::new(64, 1000);
        outbox.set_connected(true);
        assert_eq!(outbox.push(frame(400, 1)), 0);
        assert_eq!(outbox.push(frame(400, 2)), 0);
        assert_eq!(outbox.push(frame(400, 3)), 1);
        assert_eq!(outbox.len(), (2, 800));
        assert_eq!(drain(&outbox, 500), [(400, 2)]);
        assert_eq!(drain(&outbox, 500), [(400, 3)]);
        assert_eq!(outbox.len(), (0, 0));
        for tag in 0..80 {
            assert_eq!(outbox.push(frame(1, tag)), u64::from(tag >= 64));
        }
        assert_eq!(drain(&outbox, 1000).first(), Some(&(1, 16)));
    }

    #[test]
    fn a_disconnected_peer_keeps_few_frames_but_the_newest() {
        let outbox = Outbox::new(64, 1600);
        outbox.set_connected(true);
        for tag in 0..10 {
            outbox.push(frame(150, tag));
        }
        assert_eq!(outbox.set_connected(false), 9);
        assert_eq!(outbox.push(frame(150, 10)), 1);
        assert_eq!(drain(&outbox, 1), [(150, 10)]);
    }
}
