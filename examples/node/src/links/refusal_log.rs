use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::error::LinkError;

/// Interval between two warnings about the same peer and code.
const INTERVAL: Duration = Duration::from_secs(10);

/// Warns about refused connections. Anyone can cause them, so the log gets the first of each kind, and then one line per
/// interval with the number of those left out.
#[derive(Debug, Default)]
pub(crate) struct RefusalLog(Mutex<HashMap<(String, &'static str), Warned>>);

#[derive(Debug)]
struct Warned {
    at: Instant,
    left_out: u64,
}

impl RefusalLog {
    /// Logs a refusal, unless one of this peer and code was logged a short time ago. The number of names is that of the
    /// members, and one for strangers.
    pub(crate) fn warn(&self, peer: &str, from: SocketAddr, error: &LinkError) {
        let code = error.code();
        if let Some(left_out) = self.due(peer, code, Instant::now()) {
            tracing::warn!(
                code = "CONNECTION_REFUSED",
                peer,
                address = %from,
                reason = code,
                %error,
                left_out,
                "connection refused"
            );
        }
    }

    /// The number of refusals left out before this one, if this one is to be logged.
    pub(crate) fn due(&self, peer: &str, code: &'static str, now: Instant) -> Option<u64> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let warned = all.entry((peer.to_owned(), code));
        let mut is_first = false;
        let warned = warned.or_insert_with(|| {
            is_first = true;
            Warned { at: now, left_out: 0 }
        });
        if !is_first && now.duration_since(warned.at) < INTERVAL {
            warned.left_out += 1;
            return None;
        }
        warned.at = now;
        Some(std::mem::take(&mut warned.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_logged_once_per_interval() {
        let (log, start) = (RefusalLog::default(), Instant::now());
        let logged = (0..1000).filter_map(|_| log.due("unknown", "TLS", start)).collect::<Vec<_>>();
        assert_eq!(logged, [0]);
        assert_eq!(log.due("unknown", "TIMEOUT", start), Some(0));
        assert_eq!(log.due("node1", "TLS", start), Some(0));
        assert_eq!(log.due("unknown", "TLS", start + INTERVAL), Some(999));
        assert_eq!(log.due("unknown", "TLS", start + INTERVAL), None);
    }
}
