//! A plain ring between two threads: two counters and a buffer, without the safeguards of a link. The bench measures it beside
//! the links, to show what these cost. Threads share memory as processes do, and need no unsafe code for it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use quorate_link::{CAPACITY, MAX_MESSAGE};
use quorate_support::pinning::pin;

/// Polls after which a reader gives its core to another thread, for machines with one core.
const POLLS: u32 = 1 << 14;

/// A ring for one writer and one reader.
struct Ring {
    written: Counter,
    read: Counter,
    /// The length of a message, and its bytes.
    slots: Vec<Vec<AtomicU64>>,
}

/// Number of messages that one side has written or read. On cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
struct Counter {
    count: AtomicUsize,
    /// The last known count of the other side, so that its cache line is seldom fetched.
    other: AtomicUsize,
}

impl Ring {
    fn new() -> Self {
        let slot = || (0..=MAX_MESSAGE / 8).map(|_| AtomicU64::new(0)).collect();
        Self {
            written: Counter::default(),
            read: Counter::default(),
            slots: (0..CAPACITY).map(|_| slot()).collect(),
        }
    }

    /// Appends a message, unless the ring is full.
    fn send(&self, message: &[u8]) -> bool {
        let written = self.written.count.load(Ordering::Relaxed);
        if written - self.written.other.load(Ordering::Relaxed) >= CAPACITY {
            let read = self.read.count.load(Ordering::Acquire);
            self.written.other.store(read, Ordering::Relaxed);
            if written - read >= CAPACITY {
                return false;
            }
        }
        let slot = self.slots.get(written % CAPACITY).and_then(|slot| slot.split_first());
        let Some((length, words)) = slot else { return false };
        length.store(message.len() as u64, Ordering::Relaxed);
        for (word, bytes) in words.iter().zip(message.chunks(8)) {
            let mut padded = [0; 8];
            padded.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            word.store(u64::from_le_bytes(padded), Ordering::Relaxed);
        }
        self.written.count.store(written + 1, Ordering::Release);
        true
    }

    /// Replaces `message` by the next message, if there is one.
    fn receive(&self, message: &mut Vec<u8>) -> bool {
        let read = self.read.count.load(Ordering::Relaxed);
        if self.read.other.load(Ordering::Relaxed) == read {
            let written = self.written.count.load(Ordering::Acquire);
            self.read.other.store(written, Ordering::Relaxed);
            if written == read {
                return false;
            }
        }
        let slot = self.slots.get(read % CAPACITY).and_then(|slot| slot.split_first());
        let Some((length, words)) = slot else { return false };
        let length = length.load(Ordering::Relaxed) as usize;
        message.clear();
        for word in words.iter().take(length.div_ceil(8)) {
            message.extend_from_slice(&word.load(Ordering::Relaxed).to_le_bytes());
        }
        message.truncate(length);
        self.read.count.store(read + 1, Ordering::Release);
        true
    }
}

/// Calls `run` with a function that sends a message to another thread, on the core `other`, and waits for the first `answer`
/// bytes of it. That function returns false if there is no answer within `limit`.
pub(super) fn with_echo<T>(
    other: Option<usize>,
    answer: usize,
    limit: Duration,
    run: impl FnOnce(&mut dyn FnMut(&[u8], &mut Vec<u8>) -> bool) -> T,
) -> T {
    let (up, down, stop) = (Ring::new(), Ring::new(), AtomicBool::new(false));
    let echo = || {
        // Otherwise the thread stays where the first one is.
        let _ = other.map(pin);
        let mut message = Vec::with_capacity(MAX_MESSAGE);
        while !stop.load(Ordering::Relaxed) {
            if poll(&up, &mut message) {
                message.truncate(answer);
                down.send(&message);
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(echo);
        let outcome = run(&mut |message, answer| {
            let began = Instant::now();
            up.send(message) && {
                while !poll(&down, answer) {
                    if began.elapsed() > limit {
                        return false;
                    }
                }
                true
            }
        });
        stop.store(true, Ordering::Relaxed);
        outcome
    })
}

/// Polls for a message for some time.
fn poll(ring: &Ring, message: &mut Vec<u8>) -> bool {
    for _ in 0..POLLS {
        if ring.receive(message) {
            return true;
        }
        std::hint::spin_loop();
    }
    thread::yield_now();
    false
}
