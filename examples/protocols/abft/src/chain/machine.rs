//! The inputs of the machine.

use std::sync::Arc;
use std::time::Duration;

use quorate::certificate::{Vote, VoteCollector, VoteFault};
use quorate::machine::{Input, Machine, MemberIndex, Outgoing, Step, Time};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};
use quorate_protocol::batch::Batch;

use super::block::{BLOCK, CertifiedBlock, Finality, STATE_LAG, statement};
use super::interface::{Command, Delivery, Evidence, Output, Timer};
use super::message::{Message, Record};
use super::payload;
use super::running::{Admission, Results, Running};
use super::state::{Chain, ChainStep};
use crate::epoch;
use crate::signatures::ThresholdScheme;
use crate::violation::Violation;

/// Pause before a member takes part in an epoch after one useless block is twice as long, and doubles with each such block.
const JOIN_PAUSE: Duration = Duration::from_millis(5);
/// Number of votes that a collector verifies together.
const VOTES_PER_CHECK: usize = 2;

impl<S: ThresholdScheme, V: Scheme> Machine for Chain<S, V> {
    type Message = Message<S, V>;
    type Command = Command;
    type Timer = Timer;
    type Record = Record<V>;
    type Output = Output<V>;
    type Fault = Evidence<V>;

    fn decode(&self, _: MemberIndex, bytes: &[u8]) -> Result<Message<S, V>> {
        Message::decode(bytes, &self.limits)
    }

    fn handle(&mut self, now: Time, input: Input<Self>) -> Step<Self> {
        let mut step = Step::new();
        if !self.is_seed_recorded {
            self.is_seed_recorded = true;
            step.persist(Record::Seed(self.seed.clone()));
        }
        match input {
            Input::Start => {
                let undelivered = std::mem::take(&mut self.undelivered);
                let deliver = |delivery| step.output(Output::Deliver(Box::new(delivery)));
                undelivered.into_iter().for_each(deliver);
                if !self.obsolete.is_empty() {
                    // Otherwise their transactions would be ordered again once they are not recent.
                    step.output(Output::PruneBatches(std::mem::take(&mut self.obsolete)));
                }
                self.ask(&mut step);
            }
            Input::Timer(Timer::Resend) => {
                let is_stuck = self.timer_set_at.take() == Some(self.tip.height);
                if is_stuck && self.lacks_something() {
                    self.fall_back(now, &mut step);
                    self.ask(&mut step);
                }
            }
            Input::Timer(Timer::Join) => {
                self.is_join_timer_set = false;
                self.joins_up_to = self.tip.height + 1;
            }
            Input::Command(Command::Submit(batch)) => self.submit(batch, &mut step),
            Input::Command(Command::Executed(executed)) => {
                self.execution.record(executed);
                // These blocks are durable, so that their epochs never run again.
                S::close_epochs(&self.config.secrets.agreed, executed.height);
                self.execution.prune_below(self.tip.height.saturating_sub(2 * STATE_LAG));
            }
            Input::Command(Command::Connected(member)) => {
                self.answered.remove(&member);
                self.not_ahead.remove(&member);
                self.pruned.forget(member);
                step.send(member, Message::Status { height: self.tip.height + 1 });
            }
            Input::Message { from, message } => match message {
                Message::Epoch { height, message } => self.on_epoch(now, from, height, message, &mut step),
                Message::Vote(vote) => self.on_vote(from, vote, &mut step),
                Message::Block(certified) => self.on_block(from, certified, &mut step),
                Message::Batch(batch) => self.on_batch(batch, &mut step),
                Message::Status { height } => self.on_status(now, from, height, &mut step),
                Message::End { next, tip } => self.on_end(from, next, tip, &mut step),
                Message::Pruned { oldest, tip } => self.on_pruned(from, oldest, tip),
            },
        }
        self.advance(now, &mut step);
        for height in std::mem::take(&mut self.newly_presigned) {
            step.persist(Record::Presigned { height });
        }
        let spent = S::take_records(&self.config.secrets.agreed);
        spent.into_iter().for_each(|record| step.persist(Record::Spent(record)));
        step
    }
}

impl<S: ThresholdScheme, V: Scheme> Chain<S, V> {
    fn is_in_window(&self, height: u64) -> bool {
        height > self.tip.height && height - self.tip.height <= self.config.parameters.window
    }

    /// Signs in the next epoch, which makes no progress, without presignatures, too: others may have none.
    fn fall_back(&mut self, now: Time, step: &mut ChainStep<S, V>) {
        let height = self.tip.height + 1;
        let Some(running) = self.running.get_mut(&height).filter(|running| running.may_fall_back) else {
            return;
        };
        if running.decided.is_none() {
            step.persist(Record::FallBack { height });
            S::fall_back(&self.config.secrets.agreed, height);
            carry_over(running.fall_back(now), height, step);
        }
    }

    /// Remembers that a member is at a height which this one cannot handle yet.
    pub(super) fn note_height(&mut self, from: MemberIndex, height: u64) {
        if height > self.tip.height {
            let known = self.ahead.entry(from).or_default();
            *known = height.max(*known);
        }
    }

    /// Returns true while an epoch runs or a block arrives, if a member is ahead, and after a question until a correct
    /// member has answered that it is not.
    fn lacks_something(&self) -> bool {
        let (faulty, others) = (self.config.setup.tolerance.faulty(), self.config.setup.members() - 1);
        let is_answered = self.not_ahead.len() >= usize::from(others.min(faulty + 1));
        !self.running.is_empty() || !self.fetched.is_empty() || !self.ahead.is_empty() || !is_answered
    }

    /// Returns true if a block names the state after the last transactions, so that clients can verify it.
    pub(super) fn is_state_named(&self) -> bool {
        self.last_filled == 0 || self.tip.height >= self.last_filled + STATE_LAG
    }

    fn submit(&mut self, batch: Arc<Batch>, step: &mut ChainStep<S, V>) {
        let sequence = batch.sequence();
        // A proposal has a number of transactions, and a length before each.
        let limit = self.max_batch.saturating_sub(8);
        let is_orderable = |one: &[u8]| !one.is_empty() && one.len() <= limit;
        let parameters = &self.config.parameters;
        let is_full = self.pending.len() > 2 * parameters.pending
            || self.pending.bytes() > 2 * parameters.pending_bytes;
        if self.pending.contains_batch(sequence) {
            return;
        }
        if is_full || batch.author() != self.me || !batch.transactions().all(is_orderable) {
            return step.output(Output::Refused { sequence });
        }
        self.next_sequence = self.next_sequence.max(sequence.saturating_add(1));
        let recent = &self.recent;
        if self.pending.add(batch.clone(), |id| recent.contains(id)) {
            return step.output(Output::Repeated { sequence });
        }
        step.persist(Record::Batch(batch));
    }

    /// Tells clients to wait while much is pending.
    fn note_congestion(&mut self, step: &mut ChainStep<S, V>) {
        let (parameters, pending) = (&self.config.parameters, &self.pending);
        let exceeds = |part: usize| {
            pending.len() > parameters.pending / part || pending.bytes() > parameters.pending_bytes / part
        };
        let is_congested = exceeds(if self.is_congested { 2 } else { 1 });
        if is_congested != self.is_congested {
            self.is_congested = is_congested;
            step.output(Output::Congestion(is_congested));
        }
    }

    fn on_epoch(
        &mut self,
        now: Time,
        from: MemberIndex,
        height: u64,
        message: epoch::Message<S>,
        step: &mut ChainStep<S, V>,
    ) {
        if !self.is_in_window(height) {
            return self.note_height(from, height);
        }
        let running = match self.running_at(height) {
            Ok(running) => running,
            Err(error) => return step.output(Output::Broken(error)),
        };
        let encoded = message.encode();
        match running.admit(from, &encoded, message.shard_len() > 0) {
            Admission::New => {
                step.persist(Record::Input { height, from, message: encoded });
                carry_over(running.message(now, from, message), height, step);
            }
            Admission::Known => {}
            Admission::TooMany => {
                let violation = Violation::Refused { what: "more messages than an epoch has" };
                step.fault(from, Evidence::Violation(violation));
            }
        }
    }

    /// Everything that follows from what the machine knows: blocks, votes and proposals.
    fn advance(&mut self, now: Time, step: &mut ChainStep<S, V>) {
        self.settle(step);
        for height in self.tip.height + 1..=self.tip.height + self.config.parameters.window {
            self.propose(now, height, step);
            // The decision may be complete with the proposal, in a committee of one.
            self.settle(step);
        }
        self.note_congestion(step);
        if self.lacks_something() && self.timer_set_at.is_none() {
            self.timer_set_at = Some(self.tip.height);
            step.set_timer(Timer::Resend, self.config.parameters.resend);
        }
    }

    /// Commits and signs all blocks that it can.
    pub(super) fn settle(&mut self, step: &mut ChainStep<S, V>) {
        while self.commit_fetched(step) || self.vote(step) || self.commit_own(step) {}
    }

    /// Returns whether this member takes part, without transactions of its own, in an epoch that others started. After useless
    /// blocks it does so at once only if a correct member started the epoch, too, and otherwise after a while: a faulty
    /// member could make an idle chain grow as fast as the network permits.
    fn joins(&mut self, height: u64, step: &mut ChainStep<S, V>) -> bool {
        let proposers = self.running.get(&height).map_or(0, Running::proposers);
        let is_wanted = proposers > usize::from(self.config.setup.tolerance.faulty());
        if self.useless == 0 || is_wanted || !self.is_state_named() || height <= self.joins_up_to {
            return true;
        }
        if !std::mem::replace(&mut self.is_join_timer_set, true) {
            let pause = JOIN_PAUSE * (1 << self.useless.min(10));
            step.set_timer(Timer::Join, pause.min(self.config.parameters.resend));
        }
        false
    }

    /// Proposes in an epoch that others started, for which transactions are pending, or whose block will name the state
    /// after the last transactions.
    fn propose(&mut self, now: Time, height: u64, step: &mut ChainStep<S, V>) {
        let has_proposed = self.running.get(&height).map(|running| running.has_proposed);
        let (members, batch) = (self.config.setup.members(), self.config.parameters.batch);
        let wanted = match has_proposed {
            Some(true) => return,
            Some(false) => 0,
            None if height == self.tip.height + 1 => usize::from(self.is_state_named()),
            // An epoch costs the same whatever it orders: the next one starts early only for a full proposal.
            None => batch.div_ceil(usize::from(members)).max(1),
        };
        if self.pending.proposable() < wanted && self.pending.bytes() < self.max_batch {
            return;
        }
        if wanted == 0 && self.pending.proposable() == 0 && !self.joins(height, step) {
            return;
        }
        let proposed = match self.pending.choose(batch, members, self.max_batch, &mut self.random) {
            Ok(proposed) if proposed.is_empty() && wanted > 0 => return,
            Ok(proposed) => proposed,
            Err(error) => return step.output(Output::Broken(error)),
        };
        let batch = epoch::Batch::new(proposed.iter().map(|one| one.as_ref().to_vec()).collect());
        step.persist(Record::Proposal { height, batch: batch.clone() });
        match self.running_at(height) {
            Ok(running) => {
                running.proposed = proposed;
                carry_over(running.propose(now, batch), height, step);
            }
            Err(error) => step.output(Output::Broken(error)),
        }
    }

    /// Signs the block above the tip, once this member's epoch decided it and the state that it names is executed. Returns
    /// true if it did.
    fn vote(&mut self, step: &mut ChainStep<S, V>) -> bool {
        let height = self.tip.height + 1;
        if self.candidate.is_some() {
            return false;
        }
        let decided = self.running.get(&height).and_then(|running| running.decided.as_deref());
        let (Some(decided), Some(executed)) = (decided, self.stated_at(height)) else { return false };
        let (voters, parent) = (&self.config.voters, self.tip.digest);
        let built =
            payload::decided_batches(decided, height, |id| self.recent.contains(id)).and_then(|batches| {
                let block = payload::block(voters.epoch(), height, parent, executed, &batches);
                let digest = block.digest();
                Ok((self.guard.sign(voters, statement(voters, height, digest))?, digest, block, batches))
            });
        match built {
            Ok(((vote, record), digest, block, batches)) => {
                step.persist(Record::Vote(record));
                step.broadcast(Message::Vote(vote.clone()));
                self.candidate = Some((digest, Arc::new(block), batches));
                self.collect(vote, step);
                true
            }
            Err(error) => {
                step.output(Output::Broken(error));
                false
            }
        }
    }

    fn on_vote(&mut self, from: MemberIndex, vote: Vote<V>, step: &mut ChainStep<S, V>) {
        let statement = vote.statement();
        if vote.signer() != from || statement.kind != BLOCK || statement.epoch != self.config.voters.epoch() {
            let violation = Violation::Refused { what: "vote of another member, kind or epoch" };
            return step.fault(from, Evidence::Violation(violation));
        }
        let height = statement.view;
        if !self.is_in_window(height) {
            self.note_height(from, height);
        } else if !self.certified.contains_key(&height) {
            self.collect(vote, step);
        }
    }

    fn collect(&mut self, vote: Vote<V>, step: &mut ChainStep<S, V>) {
        let (height, voters) = (vote.statement().view, self.config.voters.clone());
        let collector = self.votes.entry(height).or_insert_with(|| {
            VoteCollector::new(voters, BLOCK, height).with_batch_threshold(VOTES_PER_CHECK)
        });
        let collected = collector.add(vote, &mut self.suspects);
        for fault in collected.faults {
            let signer = fault.signer();
            let evidence = match fault {
                VoteFault::Stray { error, .. } => {
                    Evidence::Violation(Violation::Invalid { what: "vote", error })
                }
                VoteFault::BadSignature { signer } => {
                    let error = Error::BadSignature { signers: vec![signer] };
                    Evidence::Violation(Violation::Invalid { what: "signature of a vote", error })
                }
                VoteFault::Equivocation(evidence) => Evidence::Equivocation(evidence),
            };
            step.fault(signer, evidence);
        }
        if let Some(certificate) = collected.certificate {
            self.certified.insert(height, certificate.into_inner());
        }
    }

    /// Commits this member's block if a quorum signed it. Returns true if it did.
    fn commit_own(&mut self, step: &mut ChainStep<S, V>) -> bool {
        let height = self.tip.height + 1;
        let (Some((digest, ..)), Some(certificate)) = (&self.candidate, self.certified.get(&height)) else {
            return false;
        };
        if certificate.statement().digest != digest.0 {
            // The states differ, or more members are faulty than can be. The certified block is fetched from others, and
            // the driver compares the state that it names.
            if !std::mem::replace(&mut self.is_refuted, true) {
                let certificate = certificate.clone();
                step.fault(self.me, Evidence::OtherBlock(Box::new(Finality(certificate))));
            }
            return false;
        }
        if let (Some((_, block, batches)), Some(certificate)) =
            (self.candidate.take(), self.certified.remove(&height))
        {
            let certified = CertifiedBlock { block, finality: Arc::new(Finality(certificate)) };
            self.commit(Delivery { certified, batches }, step);
        }
        true
    }

    pub(super) fn commit(&mut self, delivery: Delivery<V>, step: &mut ChainStep<S, V>) {
        let CertifiedBlock { block, finality } = &delivery.certified;
        let settled = self.append(&delivery);
        for batch in &delivery.batches {
            step.persist(Record::Batch(batch.clone()));
        }
        step.persist(Record::Block(block.clone()));
        step.persist(Record::Certificate(finality.clone()));
        let up_to = block.height;
        settled.iter().for_each(|batch| step.output(Output::Settled { sequence: batch.sequence() }));
        step.output(Output::Deliver(Box::new(delivery)));
        if !settled.is_empty() {
            step.output(Output::PruneBatches(settled.iter().map(|batch| batch.digest().0).collect()));
        }
        step.output(Output::PruneEpochs { up_to });
    }
}

/// Moves the results of an epoch into a step of the chain.
fn carry_over<S: ThresholdScheme, V: Scheme>(results: Results<S>, height: u64, step: &mut ChainStep<S, V>) {
    for Outgoing { to, message } in results.messages {
        step.messages.push(Outgoing { to, message: Message::Epoch { height, message } });
    }
    for (culprit, violation) in results.faults {
        step.fault(culprit, Evidence::Violation(violation));
    }
    if let Some(error) = results.error {
        step.output(Output::Broken(error));
    }
}
