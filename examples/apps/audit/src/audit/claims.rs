//! Checks the fields of an entry that only the server vouches for: they cannot be proven, but they must be consistent.

use std::time::Duration;

use super::report::Findings;
use crate::log::Entry;
use crate::signed::SignedCommand;

/// State of the checks.
pub(super) struct ServerClaims {
    pub(super) max_age: Option<Duration>,
    /// Time of receipt of the last entry.
    pub(super) received: u64,
}

impl ServerClaims {
    /// Checks an entry that is unaltered and in order.
    pub(super) fn check(&mut self, entry: &Entry<'_>, offset: u64, findings: &mut Findings) {
        let mut add = |code, detail| findings.add(code, entry.number, offset, detail);
        if entry.durable >= entry.number {
            add("DURABLE", format!("it marks entry {} as on disk before it", entry.durable));
        }
        if entry.received < self.received {
            let by = self.received - entry.received;
            add("CLOCK", format!("its time of receipt is {by} µs before that of the previous entry"));
        }
        self.received = entry.received;
        if let (Some(max_age), Ok(signed)) = (self.max_age, SignedCommand::decode(entry.body)) {
            let apart = entry.received.abs_diff(signed.time.0);
            if u128::from(apart) > max_age.as_micros() {
                let side = if signed.time.0 < entry.received { "behind" } else { "ahead of" };
                let seconds = apart / 1_000_000;
                add(
                    "CLOCK",
                    format!(
                        "the client's time is {seconds} s {side} the time of receipt, which exceeds the limit"
                    ),
                );
            }
        }
    }
}
