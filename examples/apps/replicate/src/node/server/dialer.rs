use std::time::{Duration, Instant};

/// Pause between two attempts to connect to a replica.
pub(super) const RECONNECT: Duration = Duration::from_millis(500);

/// When to connect to the replicas with a lower index.
pub(super) struct Dialer {
    pub(super) next: Instant,
    pub(super) pauses: Vec<Pause>,
}

/// Time in which a replica that did not answer is left alone.
#[derive(Clone, Copy)]
pub(super) struct Pause {
    pub(super) until: Instant,
    pub(super) length: Duration,
}

impl Dialer {
    pub(super) fn new(me: u16) -> Self {
        let next = Instant::now();
        Self { next, pauses: vec![Pause { until: next, length: RECONNECT }; usize::from(me)] }
    }
}
