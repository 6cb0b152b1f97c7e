//! Blocks for members that are behind, and messages that were lost.

use std::sync::Arc;

use quorate::machine::{MemberIndex, Time};
use quorate::scheme::Scheme;
use quorate_protocol::batch::Batch;

use super::block::{CertifiedBlock, statement};
use super::interface::{Delivery, Evidence, Output, PAGE};
use super::message::Message;
use super::state::{Chain, ChainStep, Fetched};
use crate::signatures::ThresholdScheme;
use crate::violation::Violation;

impl<S: ThresholdScheme, V: Scheme> Chain<S, V> {
    /// Commits the next block if other members sent all of it. Returns true if it did.
    pub(super) fn commit_fetched(&mut self, step: &mut ChainStep<S, V>) -> bool {
        let height = self.tip.height + 1;
        let is_complete = |fetched: &Fetched<V>| fetched.batches.iter().all(Option::is_some);
        if !self.fetched.get(&height).is_some_and(is_complete) {
            return false;
        }
        if let Some(Fetched { certified, batches }) = self.fetched.remove(&height) {
            self.commit(Delivery { certified, batches: batches.into_iter().flatten().collect() }, step);
        }
        true
    }

    /// Takes the head of a certified block from another member; its batches follow.
    pub(super) fn on_block(
        &mut self,
        from: MemberIndex,
        certified: CertifiedBlock<V>,
        step: &mut ChainStep<S, V>,
    ) {
        let height = certified.block.height;
        let is_wanted = height > self.tip.height && height - self.tip.height <= PAGE;
        if !is_wanted || self.fetched.contains_key(&height) {
            return;
        }
        if let Err(error) = certified.finality.verify(&self.config.voters, &certified.block) {
            let violation = Violation::Invalid { what: "certified block", error };
            return step.fault(from, Evidence::Violation(violation));
        }
        let batches = vec![None; certified.block.payload.len()];
        self.fetched.insert(height, Fetched { certified, batches });
        self.ask_for_more(from, step);
    }

    /// Takes a batch of a certified block.
    pub(super) fn on_batch(&mut self, from: MemberIndex, batch: Arc<Batch>, step: &mut ChainStep<S, V>) {
        // The sequence number of a batch in a block is the height.
        let Some(fetched) = self.fetched.get_mut(&batch.sequence()) else { return };
        let headers = fetched.certified.block.payload.iter();
        let place = headers.zip(&mut fetched.batches).find(|(header, _)| *header == batch.header());
        if let Some((_, slot @ None)) = place {
            *slot = Some(batch);
            self.ask_for_more(from, step);
        }
    }

    /// Commits what is complete, and asks for the blocks after a complete answer.
    fn ask_for_more(&mut self, from: MemberIndex, step: &mut ChainStep<S, V>) {
        self.settle(step);
        let next = self.tip.height + 1;
        if next >= self.asked.saturating_add(PAGE) || (next > self.asked && self.fetched.is_empty()) {
            self.asked = next;
            step.send(from, Message::Status { height: next });
        }
    }

    /// Asks all members for what this one lacks.
    pub(super) fn ask(&mut self, step: &mut ChainStep<S, V>) {
        self.asked = self.tip.height + 1;
        step.broadcast(Message::Status { height: self.asked });
    }

    /// Answers a member: with blocks, or with what this member sent in running epochs.
    pub(super) fn on_status(
        &mut self,
        now: Time,
        from: MemberIndex,
        height: u64,
        step: &mut ChainStep<S, V>,
    ) {
        let interval = self.config.parameters.resend / 2;
        let is_early = |(answered, from): &(Time, u64)| now.since(*answered) < interval && height <= *from;
        if self.answered.get(&from).is_some_and(is_early) {
            return;
        }
        self.answered.insert(from, (now, height));
        if height <= self.tip.height {
            return step.output(Output::Serve { to: from, from: height });
        }
        for (height, running) in self.running.range(height..) {
            for message in running.sent_to(from) {
                step.send(from, Message::Epoch { height: *height, message: message.clone() });
            }
        }
        if height > self.tip.height + 1 {
            // This member lacks the blocks before it.
            step.send(from, Message::Status { height: self.tip.height + 1 });
        }
        // The guard returns the same vote again.
        if let Some((digest, block, _)) = &self.candidate {
            let statement = statement(&self.config.voters, block.height, *digest);
            if let Ok((vote, _)) = self.guard.sign(&self.config.voters, statement) {
                step.send(from, Message::Vote(vote));
            }
        }
    }
}
