//! Send buffer of a connection. Any thread can append to it. Data is written immediately if the socket accepts it,
//! and by a task otherwise.

use std::io::ErrorKind;
use std::sync::{Arc, Mutex};

use tokio::net::tcp::OwnedWriteHalf;
use tokio::sync::Notify;

use crate::lock;

/// The writing half of a connection.
pub(crate) struct Outbox {
    state: Mutex<State>,
    wake: Notify,
    cap: usize,
}

struct State {
    /// `None` once it is closed.
    half: Option<Arc<OwnedWriteHalf>>,
    buffer: Vec<u8>,
    sent: usize,
    finishing: bool,
}

impl Outbox {
    /// Creates an outbox that closes when more than `cap` bytes wait because the peer does not read.
    pub(crate) fn new(half: OwnedWriteHalf, cap: usize) -> Arc<Self> {
        let half = Some(Arc::new(half));
        let state = State { half, buffer: Vec::new(), sent: 0, finishing: false };
        Arc::new(Self { state: Mutex::new(state), wake: Notify::new(), cap })
    }

    /// Appends data. Nothing is sent before [`flush`](Self::flush).
    pub(crate) fn push(&self, write: impl FnOnce(&mut Vec<u8>)) {
        let mut state = lock(&self.state);
        if state.half.is_none() || state.finishing {
            return;
        }
        write(&mut state.buffer);
        if state.buffer.len() - state.sent > self.cap {
            state.close();
            self.wake.notify_one();
        }
    }

    /// Writes as much as the socket accepts; the task writes the rest.
    pub(crate) fn flush(&self) {
        if lock(&self.state).write() {
            self.wake.notify_one();
        }
    }

    /// Closes the connection when all data is sent.
    pub(crate) fn finish(&self) {
        lock(&self.state).finishing = true;
        self.flush();
        self.wake.notify_one();
    }

    /// Closes the connection immediately.
    pub(crate) fn close(&self) {
        lock(&self.state).close();
        self.wake.notify_one();
    }

    /// Runs the task. Returns when the outbox is closed.
    pub(crate) async fn run(&self) {
        loop {
            let (half, waiting) = {
                let state = lock(&self.state);
                (state.half.clone(), !state.buffer.is_empty())
            };
            let Some(half) = half else { return };
            if waiting {
                if half.writable().await.is_err() {
                    return self.close();
                }
                drop(half);
                lock(&self.state).write();
            } else {
                drop(half);
                self.wake.notified().await;
            }
        }
    }
}

impl State {
    /// Writes data and returns true if the task must continue.
    fn write(&mut self) -> bool {
        let Some(half) = self.half.clone() else { return false };
        while let Some(rest) = self.buffer.get(self.sent..).filter(|rest| !rest.is_empty()) {
            match half.try_write(rest) {
                Ok(0) => return self.close(),
                Ok(sent) => self.sent += sent,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Err(_) => return self.close(),
            }
        }
        self.buffer.clear();
        self.sent = 0;
        // The memory of a large reply is released.
        self.buffer.shrink_to(1 << 20);
        if self.finishing { self.close() } else { false }
    }

    fn close(&mut self) -> bool {
        (self.half, self.buffer, self.sent) = (None, Vec::new(), 0);
        true
    }
}
