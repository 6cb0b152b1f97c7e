//! A process that ends itself at a chosen point, as a crash would: for tests that try every point.

use std::sync::atomic::{AtomicU64, Ordering};

/// `THRESHOLD_SIGNING_ABORT=recorded:3` ends the process when it reaches that point for the third time.
const VARIABLE: &str = "THRESHOLD_SIGNING_ABORT";

/// Where a process may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// The shares are made, and nothing is written.
    Made,
    /// A block's reservation is durable, and the guard does not know it.
    Reserved,
    /// The records are durable, and no share is sent.
    Recorded,
    /// A share is sent.
    Sent,
}

/// Counts how often each point is reached.
#[derive(Debug, Default)]
pub(super) struct CrashPoints {
    chosen: Option<(Point, u64)>,
    reached: AtomicU64,
}

impl CrashPoints {
    /// What the environment says; nothing if it says nothing.
    pub(super) fn from_environment() -> Result<Self, String> {
        match std::env::var(VARIABLE) {
            Ok(text) => {
                let chosen =
                    parse(&text).ok_or_else(|| format!("{VARIABLE}={text:?} is no point and number"))?;
                Ok(Self { chosen: Some(chosen), reached: AtomicU64::new(0) })
            }
            Err(_) => Ok(Self::default()),
        }
    }

    pub(super) fn reach(&self, point: Point) {
        let Some((chosen, number)) = self.chosen else { return };
        if chosen == point && self.reached.fetch_add(1, Ordering::Relaxed) + 1 == number {
            std::process::abort();
        }
    }
}

fn parse(text: &str) -> Option<(Point, u64)> {
    let (name, number) = text.split_once(':')?;
    let points = [
        ("made", Point::Made),
        ("reserved", Point::Reserved),
        ("recorded", Point::Recorded),
        ("sent", Point::Sent),
    ];
    let (_, point) = points.into_iter().find(|(known, _)| *known == name)?;
    Some((point, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read() {
        assert_eq!(parse("recorded:3"), Some((Point::Recorded, 3)));
        for nonsense in ["", "recorded", "recorded:", "later:1", "made:-1"] {
            assert_eq!(parse(nonsense), None);
        }
    }
}
