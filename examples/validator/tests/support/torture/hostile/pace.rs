//! Limits of the hostile member: without them it would only show that two programs share a processor.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Interval in which the spinning thread catches up.
const TICK: Duration = Duration::from_millis(2);

/// The processor time of a thread.
#[derive(Clone)]
pub struct ThreadClock(Arc<File>);

impl ThreadClock {
    /// That of the calling thread.
    pub fn of_this_thread() -> Self {
        Self(Arc::new(File::open("/proc/thread-self/schedstat").unwrap()))
    }

    /// Returns the time so far; zero when the thread has ended.
    pub fn used(&self) -> Duration {
        let mut text = [0; 64];
        let length = self.0.read_at(&mut text, 0).unwrap_or(0);
        let text = String::from_utf8_lossy(&text[..length]);
        Duration::from_nanos(text.split(' ').next().and_then(|used| used.parse().ok()).unwrap_or(0))
    }
}

/// What the hostile member may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Share of one processor.
    pub share: f64,
    /// Number of frames, or of connections, on each lane to each member.
    pub rounds: u64,
}

/// Slows the tasks of the hostile member's thread down to its limits.
pub struct Pace {
    limits: Limits,
    clock: ThreadClock,
    begin: Instant,
    sent: Arc<Sent>,
}

/// What the hostile member has sent.
#[derive(Default)]
pub struct Sent {
    pub frames: AtomicU64,
    pub bytes: AtomicU64,
}

impl Pace {
    pub fn new(limits: Limits, clock: ThreadClock, sent: Arc<Sent>) -> Self {
        Self { limits, clock, begin: Instant::now(), sent }
    }

    /// Waits until the thread has processor time left. Never returns after the last round.
    pub async fn turn(&self, rounds: u64) {
        if rounds >= self.limits.rounds {
            std::future::pending::<()>().await;
        }
        tokio::task::yield_now().await;
        loop {
            let earned = self.begin.elapsed().mul_f64(self.limits.share);
            let ahead = self.clock.used().saturating_sub(earned);
            if ahead.is_zero() {
                return;
            }
            tokio::time::sleep(ahead.div_f64(self.limits.share)).await;
        }
    }

    /// Number of frames that may follow.
    pub fn rounds_left(&self, rounds: u64) -> u64 {
        self.limits.rounds.saturating_sub(rounds)
    }

    pub fn count(&self, frames: u64, bytes: usize) {
        self.sent.frames.fetch_add(frames, Ordering::Relaxed);
        self.sent.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// A thread that spins for the part of a share of one processor that the hostile member does not use.
pub struct Spinner {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    pub fn start(share: f64, hostile: Option<ThreadClock>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let thread = thread::spawn(move || {
            let (begin, own) = (Instant::now(), ThreadClock::of_this_thread());
            while !flag.load(Ordering::Relaxed) {
                thread::sleep(TICK);
                let used = hostile.as_ref().map_or(Duration::ZERO, ThreadClock::used) + own.used();
                let behind = begin.elapsed().mul_f64(share).saturating_sub(used).min(TICK);
                let end = Instant::now() + behind;
                while Instant::now() < end {
                    std::hint::spin_loop();
                }
            }
        });
        Self { stop, thread: Some(thread) }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().unwrap().join();
    }
}
