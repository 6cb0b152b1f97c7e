//! Blocks for members that are behind, and messages that were lost.

use std::sync::Arc;

use quorate::machine::{MemberIndex, Time};
use quorate::scheme::Scheme;
use quorate_protocol::batch::Batch;

use super::block::{CertifiedBlock, statement};
use super::interface::{Delivery, Evidence, Output, PAGE};
use super::message::Message;
use super::state::{Answers, Chain, ChainStep, Fetched};
use crate::signatures::ThresholdScheme;
use crate::violation::Violation;

/// Maximum number of answers to a member in an interval.
const MAX_ANSWERS: usize = 64;

impl<S: ThresholdScheme, V: Scheme> Chain<S, V> {
    /// Commits the next block if other members sent all of it. Returns true if it did.
    pub(super) fn commit_fetched(&mut self, step: &mut ChainStep<S, V>) -> bool {
        let height = self.tip.height + 1;
        let is_complete = |fetched: &Fetched<V>| fetched.batches.iter().all(Option::is_some);
        if !self.fetched.get(&height).is_some_and(is_complete) {
            return false;
        }
        if let Some(Fetched { from, certified, batches }) = self.fetched.remove(&height) {
            if certified.block.parent == self.tip.digest {
                self.commit(Delivery { certified, batches: batches.into_iter().flatten().collect() }, step);
            } else {
                step.output(Output::Compare { from, certified });
            }
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
        self.fetched.insert(height, Fetched { from, certified, batches });
        self.settle(step);
    }

    /// Takes a batch of a certified block.
    pub(super) fn on_batch(&mut self, batch: Arc<Batch>, step: &mut ChainStep<S, V>) {
        // The sequence number of a batch in a block is the height.
        let Some(fetched) = self.fetched.get_mut(&batch.sequence()) else { return };
        let headers = fetched.certified.block.payload.iter();
        let place = headers.zip(&mut fetched.batches).find(|(header, _)| *header == batch.header());
        if let Some((_, slot @ None)) = place {
            *slot = Some(batch);
            self.settle(step);
        }
    }

    /// Asks for the blocks after an answer, or sends what a member lacks that is not ahead.
    pub(super) fn on_end(&mut self, from: MemberIndex, next: u64, tip: u64, step: &mut ChainStep<S, V>) {
        if tip > self.tip.height {
            self.note_height(from, tip);
            // Without progress, the timer asks again.
            if next == self.tip.height + 1 && next > self.asked {
                self.asked = next;
                step.send(from, Message::Status { height: next });
            }
            return;
        }
        // Once per question: the answer is small, and what is repeated is large.
        if self.not_ahead.insert(from) && tip == self.tip.height {
            self.repeat(from, tip + 1, step);
        }
        // The others have gone on meanwhile: with their messages of the next epoch this member takes part again. If it waited for
        // the timer, it would follow them at that distance as long as they are busy.
        if self.tip.height + 1 > self.asked {
            self.ask(step);
        }
    }

    /// Remembers what a member has pruned. The others were asked, too; the timer asks all of them again.
    pub(super) fn on_pruned(&mut self, from: MemberIndex, oldest: u64, tip: u64) {
        self.pruned.record(from, oldest);
        self.note_height(from, tip);
    }

    /// Sends a member again what this one sent it in running epochs.
    fn repeat(&self, to: MemberIndex, from_height: u64, step: &mut ChainStep<S, V>) {
        for (height, running) in self.running.range(from_height..) {
            for message in running.sent_to(to) {
                step.send(to, Message::Epoch { height: *height, message: message.clone() });
            }
        }
    }

    /// Asks all members for what this one lacks.
    pub(super) fn ask(&mut self, step: &mut ChainStep<S, V>) {
        self.asked = self.tip.height + 1;
        self.not_ahead.clear();
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
        let fresh = Answers { since: now, number: 0, from: height };
        let answers = self.answered.entry(from).or_insert(fresh);
        if now.since(answers.since) >= interval {
            *answers = fresh;
        }
        // More than one in an interval only if the member asks for further blocks.
        if answers.number >= MAX_ANSWERS || (answers.number > 0 && height <= answers.from) {
            return;
        }
        (answers.number, answers.from) = (answers.number + 1, height);
        let tip = self.tip.height;
        if height <= tip {
            return step.output(Output::Serve { to: from, from: height, tip });
        }
        self.note_height(from, height - 1);
        if self.running.contains_key(&(tip + 1)) {
            self.repeat(from, height, step);
        } else {
            // This member has nothing of that epoch: the other one sends what it has.
            step.send(from, Message::End { next: tip + 1, tip });
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
