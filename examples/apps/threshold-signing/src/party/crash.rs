//! Crash points: a process aborts at a chosen point, for tests that try every point.

use std::sync::atomic::{AtomicU64, Ordering};

/// `THRESHOLD_SIGNING_ABORT=recorded:3` aborts the process when it reaches that point for the third time.
const VARIABLE: &str = "THRESHOLD_SIGNING_ABORT";

/// Point at which the process can abort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// Shares are computed; nothing is durable.
    Made,
    /// A block's reservation is durable; the guard has not confirmed it.
    Reserved,
    /// The records are durable; no share is sent.
    Recorded,
    /// A share is sent.
    Sent,
}

/// Counts how often the chosen point is reached.
#[derive(Debug, Default)]
pub(super) struct CrashPoints {
    chosen: Option<(Point, u64)>,
    reached: AtomicU64,
}

impl CrashPoints {
    /// Reads the chosen point from the environment; no crash point if the variable is not set.
    pub(super) fn from_environment() -> Result<Self, String> {
        match std::env::var(VARIABLE) {
            Ok(text) => {
                let chosen =
                    parse(&text).ok_or_else(|| format!("{VARIABLE}={text:?} is not POINT:NUMBER with the point made, reserved, recorded or sent"))?;
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
    fn crash_points_are_parsed() {
        assert_eq!(parse("recorded:3"), Some((Point::Recorded, 3)));
        for nonsense in ["", "recorded", "recorded:", "later:1", "made:-1"] {
            assert_eq!(parse(nonsense), None);
        }
    }
}
