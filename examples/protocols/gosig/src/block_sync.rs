//! What is missing below the tips of the others, whom to ask for it, and how much of our own to give.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use quorate::committee::{Committee, SignerSet};
use quorate::machine::{MemberIndex, Time};
use quorate::sortition::Seed;
use quorate_protocol::rate_limit::PeerRateLimiter;
use quorate_protocol::status_poll::StatusPoll;

use crate::block::{Block, GosigScheme};
use crate::finality::Finality;
use crate::parameters::Parameters;
use crate::sampler::PeerSampler;

/// So many committed blocks wait for their transactions at most.
pub(crate) const MAX_QUEUE: usize = 256;

/// See the [module](self).
pub(crate) struct BlockSync<S: GosigScheme> {
    me: Option<MemberIndex>,
    members: u16,
    /// How far members say they are.
    heights: BTreeMap<MemberIndex, u64>,
    /// Who was asked for blocks, until when, and who may still answer.
    asked: Option<(MemberIndex, Time)>,
    awaited: Vec<MemberIndex>,
    queue: VecDeque<Certified<S>>,
    greeting: StatusPoll,
    budgets: PeerRateLimiter,
}

/// A block that is committed, and waits for its transactions.
pub(crate) struct Certified<S: GosigScheme> {
    pub(crate) block: Arc<Block<S>>,
    pub(crate) finality: Arc<Finality<S>>,
    /// The seed after it.
    pub(crate) seed: Seed,
}

impl<S: GosigScheme> BlockSync<S> {
    pub(crate) fn new(me: Option<MemberIndex>, members: u16) -> Self {
        let mut greeting = StatusPoll::new(members);
        if me.is_some() && members < 2 {
            greeting.close();
        }
        Self {
            me,
            members,
            heights: BTreeMap::new(),
            asked: None,
            awaited: Vec::new(),
            queue: VecDeque::new(),
            greeting,
            budgets: PeerRateLimiter::default(),
        }
    }

    // Blocks.

    /// A member says, or shows, that it committed up to a height.
    pub(crate) fn note(&mut self, member: MemberIndex, height: u64) {
        if Some(member) != self.me && member < self.members {
            let known = self.heights.entry(member).or_default();
            *known = (*known).max(height);
        }
    }

    /// Whether blocks above a height are known to be committed.
    pub(crate) fn is_behind(&self, height: u64, voters: &Committee<S>) -> bool {
        !self.queue.is_empty() || self.supported(voters) > height
    }

    /// Committed blocks that wait for their transactions, lowest first.
    pub(crate) fn queue(&self) -> &VecDeque<Certified<S>> {
        &self.queue
    }

    /// Adds the block above the last of the queue; false if there is no room.
    pub(crate) fn push(&mut self, certified: Certified<S>) -> bool {
        let fits = self.queue.len() < MAX_QUEUE;
        if fits {
            self.queue.push_back(certified);
        }
        fits
    }

    /// The lowest block of the queue has its transactions, or was committed otherwise.
    pub(crate) fn pop(&mut self) -> Option<Certified<S>> {
        self.queue.pop_front()
    }

    /// The highest block of the queue.
    pub(crate) fn last(&self) -> Option<&Certified<S>> {
        self.queue.back()
    }

    /// Whom to ask for the blocks above `height` now; none if nobody is known to have them, or an answer is expected.
    pub(crate) fn ask_blocks(
        &mut self,
        now: Time,
        height: u64,
        draw: &mut PeerSampler,
        parameters: &Parameters,
    ) -> Option<MemberIndex> {
        if self.queue.len() > MAX_QUEUE / 2 {
            return None;
        }
        match self.asked {
            Some((_, due)) if due > now => return None,
            Some((silent, _)) => {
                // Whoever says that it has something and does not give it is asked again when it says so again.
                self.heights.remove(&silent);
                self.asked = None;
            }
            None => {}
        }
        let holders = self.heights.iter().filter(|(_, of)| **of > height).map(|(member, _)| *member);
        let peer = draw.some(holders.collect(), 1).first().copied()?;
        self.asked = Some((peer, now.plus(parameters.retry * 4)));
        if !self.awaited.contains(&peer) {
            self.awaited.push(peer);
        }
        Some(peer)
    }

    /// An answer came: whether it was asked for.
    pub(crate) fn answers(&mut self, from: MemberIndex) -> bool {
        let awaited = self.awaited.contains(&from);
        if awaited {
            self.awaited.retain(|member| *member != from);
            self.asked = self.asked.filter(|(peer, _)| *peer != from);
        }
        awaited
    }

    /// A member's answer was of no use: it is not what it says it is.
    pub(crate) fn distrust(&mut self, member: MemberIndex) {
        self.heights.remove(&member);
    }

    /// The highest height that is spoken of by members who weigh more than a third together, so that an honest one does.
    pub(crate) fn supported(&self, voters: &Committee<S>) -> u64 {
        let mut claims: Vec<(u64, u128)> = self
            .heights
            .iter()
            .map(|(member, height)| (*height, voters.weight(*member).unwrap_or_default()))
            .collect();
        claims.sort_unstable_by(|a, b| b.cmp(a));
        let mut sum = 0;
        let supported = claims.into_iter().find(|(_, weight)| {
            sum += weight;
            sum >= voters.honest_weight()
        });
        supported.map_or(0, |(height, _)| height)
    }

    /// Members who say that they are at a height or above.
    pub(crate) fn holders(&self, height: u64) -> Vec<MemberIndex> {
        self.heights.iter().filter(|(_, of)| **of >= height).map(|(member, _)| *member).collect()
    }

    /// When to look again for what was asked for.
    pub(crate) fn due(&self) -> Option<Time> {
        [self.asked.map(|(_, due)| due), self.greeting.due()].into_iter().flatten().min()
    }

    // Greetings.

    /// Whether to ask everybody (again) how far they are; until members that weigh more than a third answered.
    pub(crate) fn greet(&mut self, now: Time, parameters: &Parameters) -> bool {
        self.greeting.start_attempt(now, parameters.retry * 2)
    }

    /// Somebody answered; `enough` says of a set of members whether it is enough.
    pub(crate) fn answered(&mut self, from: MemberIndex, enough: impl FnOnce(&SignerSet) -> bool) {
        self.greeting.record_answer(from, enough);
    }

    /// Whether answers to the greeting are still awaited.
    pub(crate) fn is_greeting(&self) -> bool {
        self.greeting.is_open()
    }

    // Serving.

    /// Takes `bytes` from what a peer may have served; false if it had enough for now.
    pub(crate) fn afford(
        &mut self,
        now: Time,
        peer: MemberIndex,
        bytes: usize,
        parameters: &Parameters,
    ) -> bool {
        self.budgets.try_consume(now, peer, bytes, parameters.serve_bytes_per_second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::T;

    #[test]
    fn those_who_say_that_they_are_ahead_are_asked_one_after_the_other() {
        let (parameters, mut draw) = (Parameters::default(), PeerSampler::new([1; 32]));
        let mut sync = BlockSync::<T>::new(Some(0), 4);
        let voters = crate::testing::committees::<T>(4).voters;
        assert!(sync.ask_blocks(Time(0), 0, &mut draw, &parameters).is_none());
        sync.note(0, 9);
        sync.note(9, 9);
        assert!(sync.holders(1).is_empty(), "neither oneself nor nobody");
        sync.note(1, u64::MAX);
        assert!(!sync.is_behind(0, &voters), "one may lie");
        sync.distrust(1);
        sync.note(1, 5);
        sync.note(2, 6);
        assert!(sync.is_behind(4, &voters) && !sync.is_behind(5, &voters));
        sync.note(3, 2);
        assert_eq!(sync.holders(5), [1, 2]);
        let first = sync.ask_blocks(Time(0), 4, &mut draw, &parameters).unwrap();
        assert!(sync.ask_blocks(Time(0), 4, &mut draw, &parameters).is_none(), "an answer is expected");
        let later = sync.due().unwrap().max(Time(10_000_000));
        let second = sync.ask_blocks(later, 4, &mut draw, &parameters).unwrap();
        assert_eq!(first.min(second), 1);
        assert_eq!(first.max(second), 2);
        assert!(sync.answers(first) && !sync.answers(first), "late, but asked for");
        assert!(!sync.answers(3));
        assert!(sync.answers(second));
        assert!(sync.ask_blocks(later, 4, &mut draw, &parameters) == Some(second), "at once");
    }

    #[test]
    fn greetings_end_and_who_is_alone_has_none() {
        let parameters = Parameters::default();
        let mut sync = BlockSync::<T>::new(Some(0), 4);
        assert!(sync.greet(Time(0), &parameters) && sync.is_greeting());
        assert_eq!(sync.due(), Some(Time(0).plus(parameters.retry * 2)));
        sync.answered(2, |set| set.len() == 1);
        assert!(!sync.is_greeting() && sync.due().is_none());
        assert!(!BlockSync::<T>::new(Some(0), 1).is_greeting(), "alone");
    }
}
