use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use quorate::machine::MemberIndex;

use super::shared::Shared;
use super::writer::{PeerRequest, send};
use crate::links::LinkSender;
use crate::protocol::Protocol;
use crate::store::Store;

/// Share of one processor that the answers to one peer may take: one in this number. A peer that catches up verifies what it
/// receives, which takes it longer.
const SHARE: u32 = 4;
/// Time of answers that a peer may take at once.
const BURST: Duration = Duration::from_millis(100);

/// Thread that answers peers from the archive, so that no other thread waits for these reads.
pub(super) struct ArchiveServer<P: Protocol> {
    pub(super) store: Arc<Store<P>>,
    pub(super) links: LinkSender,
    pub(super) requests: Receiver<PeerRequest<P>>,
    pub(super) shared: Arc<Shared>,
}

/// The time that answers to each peer took and that is not made up for yet.
#[derive(Debug, Default)]
struct Debts(BTreeMap<MemberIndex, (Instant, Duration)>);

impl<P: Protocol> ArchiveServer<P> {
    /// Runs until all senders of requests are dropped.
    pub(super) fn run(self) {
        let mut debts = Debts::default();
        for (to, request) in &self.requests {
            let begin = Instant::now();
            if !debts.may_ask(to, begin) {
                // The peer repeats the request, or sends it to another member.
                tracing::debug!(to, "request dropped: answers to this peer took too much time");
                continue;
            }
            let answered =
                P::answer(&*self.store, request, &mut |message| send::<P>(&self.links, to, message));
            if let Err(error) = answered {
                self.shared.fail(error);
                break;
            }
            debts.add(to, begin, begin.elapsed());
        }
    }
}

impl Debts {
    /// Returns true if the next request of a peer is to be answered.
    fn may_ask(&self, peer: MemberIndex, now: Instant) -> bool {
        self.left(peer, now) <= BURST
    }

    /// Adds the time of an answer that was begun at `now`.
    fn add(&mut self, peer: MemberIndex, now: Instant, took: Duration) {
        let left = self.left(peer, now);
        self.0.insert(peer, (now, left + took));
    }

    fn left(&self, peer: MemberIndex, now: Instant) -> Duration {
        self.0.get(&peer).map_or(Duration::ZERO, |(at, debt)| {
            debt.saturating_sub(now.saturating_duration_since(*at) / SHARE)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_to_one_peer_take_a_share_of_the_time() {
        let (mut debts, begin) = (Debts::default(), Instant::now());
        let answer = Duration::from_millis(10);
        let mut served = 0;
        // It asks without pause for ten seconds.
        for millisecond in (0..10_000).step_by(10) {
            let now = begin + Duration::from_millis(millisecond);
            if debts.may_ask(1, now) {
                debts.add(1, now, answer);
                served += 1;
            }
        }
        assert!((250..=262).contains(&served), "a quarter, and the burst: {served}");
        assert!(debts.may_ask(2, begin), "another peer has its own share");
    }
}
