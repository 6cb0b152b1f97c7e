//! What the front alone says of an entry: nothing proves it, but it must at least be possible.

use std::time::Duration;

use super::Findings;
use crate::frame::SignedCommand;
use crate::log::Entry;

/// What was said so far.
pub(super) struct Claims {
    pub(super) max_age: Option<Duration>,
    /// The last entry's time.
    pub(super) received: u64,
}

impl Claims {
    /// Looks at an entry whose bytes are those that were written, where it belongs.
    pub(super) fn check(&mut self, entry: &Entry<'_>, offset: u64, findings: &mut Findings) {
        let mut add = |code, detail| findings.add(code, entry.number, offset, detail);
        if entry.durable >= entry.number {
            add("DURABLE", format!("it says that entry {} was on disk before it", entry.durable));
        }
        if entry.received < self.received {
            let by = self.received - entry.received;
            add("CLOCK", format!("the front's time is {by} µs before that of the entry before"));
        }
        self.received = entry.received;
        if let (Some(max_age), Ok(signed)) = (self.max_age, SignedCommand::decode(entry.body)) {
            let apart = entry.received.abs_diff(signed.time.0);
            if u128::from(apart) > max_age.as_micros() {
                let side = if signed.time.0 < entry.received { "behind" } else { "ahead of" };
                let seconds = apart / 1_000_000;
                add(
                    "CLOCK",
                    format!("the client's time is {seconds} s {side} the front's, which is not allowed"),
                );
            }
        }
    }
}
