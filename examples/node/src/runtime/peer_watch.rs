//! Warnings about the peers as a whole: no quorum is reachable, or this node's clock differs from theirs.

use std::time::{Duration, Instant};

use crate::handle::{MissingHistory, PeerStatus, Reachable};
use crate::protocol::{PrunedHistory, Status};

/// Interval of the checks.
pub(super) const WATCH_INTERVAL: Duration = Duration::from_secs(1);
/// Number of checks without a quorum before a warning. A restart or a lost link takes less.
const WATCHED_BEFORE_WARNING: u32 = 5;
/// Difference of this node's clock and its peers', in milliseconds, from which on it warns.
pub const MAX_CLOCK_DIFFERENCE_MS: u64 = 500;
/// Interval of the warnings while the clocks differ.
const CLOCK_WARNING_INTERVAL: Duration = Duration::from_secs(60);

/// Median of the peers' clocks minus this node's clock, in milliseconds. Of an even number, the mean of the middle two.
/// While less than a third of the members is faulty, the median lies between clocks of honest members.
pub(super) fn clock_difference(peers: &[PeerStatus]) -> Option<i64> {
    let mut differences: Vec<i64> = peers.iter().filter_map(|peer| peer.clock_difference_ms).collect();
    differences.sort_unstable();
    let last = differences.len().checked_sub(1)?;
    let (low, high) = (differences.get(last / 2)?, differences.get(last.div_ceil(2))?);
    Some(low.midpoint(*high))
}

/// The blocks that a replica lacks, if all connected peers have pruned them.
pub(super) fn missing_history(replica: &Status, peers: &[PeerStatus]) -> Option<MissingHistory> {
    let PrunedHistory { height, peers: pruned, oldest } = replica.pruned_history.as_ref()?;
    let mut connected = peers.iter().filter(|peer| peer.outgoing).peekable();
    connected.peek()?;
    let all_pruned = connected.all(|peer| pruned.contains(&peer.index));
    all_pruned.then_some(MissingHistory { height: *height, oldest: *oldest })
}

/// What the last checks found.
#[derive(Debug, Default)]
pub(super) struct PeerWatch {
    without_quorum: u32,
    warned_of_quorum: bool,
    warned_of_clock: Option<Instant>,
    warned_of_history: bool,
}

impl PeerWatch {
    /// Logs when the node has been without links to a quorum for a while, and when it has them again.
    pub(super) fn check_quorum(&mut self, Reachable { members, of, quorum }: Reachable) {
        self.without_quorum = if quorum { 0 } else { self.without_quorum.saturating_add(1) };
        if self.without_quorum == WATCHED_BEFORE_WARNING {
            tracing::warn!(
                code = "NO_QUORUM",
                "no quorum: {members} of {of} members are reachable; nothing commits"
            );
            self.warned_of_quorum = true;
        }
        if quorum && std::mem::take(&mut self.warned_of_quorum) {
            tracing::info!("a quorum is reachable again: {members} of {of} members");
        }
    }

    /// Logs that no connected peer has the blocks that this node lacks.
    pub(super) fn check_history(&mut self, missing: Option<MissingHistory>) {
        if let Some(MissingHistory { height, oldest }) = missing.filter(|_| !self.warned_of_history) {
            tracing::error!(
                code = "HISTORY_PRUNED",
                height,
                oldest,
                "cannot catch up: this node lacks blocks that all connected peers have pruned; start or connect a member that \
                 still has them"
            );
        }
        self.warned_of_history = missing.is_some();
    }

    /// Logs while this node's clock differs from the peers', at intervals, and when it no longer does.
    pub(super) fn check_clock(&mut self, difference_ms: Option<i64>) {
        if let Some(text) = self.clock_warning(difference_ms, Instant::now()) {
            tracing::warn!(code = "CLOCK_DIFFERS", "{text}");
        }
    }

    fn clock_warning(&mut self, difference_ms: Option<i64>, now: Instant) -> Option<String> {
        let difference = difference_ms?;
        if difference.unsigned_abs() < MAX_CLOCK_DIFFERENCE_MS {
            self.warned_of_clock = None;
            return None;
        }
        if self.warned_of_clock.is_some_and(|at| now.saturating_duration_since(at) < CLOCK_WARNING_INTERVAL) {
            return None;
        }
        self.warned_of_clock = Some(now);
        let seconds = difference.unsigned_abs() as f64 / 1000.0;
        let side = if difference > 0 { "behind" } else { "ahead" };
        Some(format!(
            "clock differs from peers by {seconds:.1} s: it is {side}; synchronize the clock of this machine, then restart the \
             validator, which reads the clock when it starts"
        ))
    }
}

#[cfg(test)]
mod tests {
    use quorate::machine::MemberIndex;

    use super::*;

    const STATUS: Status = Status {
        view: 1,
        leader: None,
        committed: 6,
        timeouts: 0,
        catching_up: true,
        pruned_history: None,
        abstention: None,
        presigned_epochs: None,
    };

    #[test]
    fn history_is_missing_if_each_connected_peer_pruned_it() {
        let missing = |connected: &[MemberIndex], pruned: &[MemberIndex]| {
            let peers = (0..5).map(|index| PeerStatus {
                index,
                outgoing: connected.contains(&index),
                ..PeerStatus::default()
            });
            let peers_that_pruned = pruned.iter().copied().collect();
            let history = PrunedHistory { height: 7, peers: peers_that_pruned, oldest: 50 };
            let replica = Status { pruned_history: Some(history), ..STATUS };
            missing_history(&replica, &peers.collect::<Vec<_>>()).map(|missing| missing.oldest)
        };
        assert_eq!(missing(&[1, 2], &[1, 2]), Some(50));
        assert_eq!(missing(&[1, 2], &[1, 2, 3]), Some(50));
        assert_eq!(missing(&[1, 2], &[1, 3]), None, "peer 2 may have it");
        assert_eq!(missing(&[1], &[]), None);
        assert_eq!(missing(&[], &[1]), None);
        assert_eq!(missing_history(&STATUS, &[]), None);
    }

    #[test]
    fn the_median_ignores_a_minority_of_wrong_clocks() {
        let median = |differences: &[Option<i64>]| {
            let peers = differences.iter().map(|clock_difference_ms| PeerStatus {
                clock_difference_ms: *clock_difference_ms,
                ..PeerStatus::default()
            });
            clock_difference(&peers.collect::<Vec<_>>())
        };
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[None]), None);
        assert_eq!(median(&[Some(7), None]), Some(7));
        assert_eq!(median(&[Some(i64::MAX), Some(-3), Some(2)]), Some(2));
        assert_eq!(median(&[Some(2000), Some(0), Some(2000), Some(0)]), Some(1000));
    }

    #[test]
    fn a_wrong_clock_is_reported_once_a_minute() {
        let (mut watch, start) = (PeerWatch::default(), Instant::now());
        let mut warning = |difference, seconds| {
            watch.clock_warning(difference, start + Duration::from_secs(seconds)).unwrap_or_default()
        };
        assert_eq!(warning(None, 0), "");
        assert_eq!(warning(Some(-499), 1), "");
        assert!(warning(Some(1960), 2).starts_with("clock differs from peers by 2.0 s: it is behind"));
        assert_eq!(warning(Some(1960), 61), "");
        assert!(warning(Some(-500), 62).contains("by 0.5 s: it is ahead"));
        assert_eq!(warning(Some(0), 63), "");
        assert!(!warning(Some(700), 64).is_empty());
    }
}
