//! The inputs of the machine.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate::certificate::{Certificate, Vote, VoteCollector, VoteFault};
use quorate::machine::{Input, Machine, MemberIndex, Outgoing, Step, Time};
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
use quorate::wire::Decode;
use quorate::{Error, Result};

use super::block::{BLOCK, Block, CertifiedBlock, TRANSACTIONS, statement};
use super::interface::{Command, Evidence, Output, PAGE, Timer};
use super::message::{Message, Record};
use super::running::{Admission, Results};
use super::state::{Chain, ChainStep};
use crate::epoch::{self, Batch, Transaction};
use crate::signatures::ThresholdScheme;
use crate::violation::Violation;

/// Number of votes that a collector verifies together.
const VOTES_PER_CHECK: usize = 2;

impl<S: ThresholdScheme, V: Scheme> Machine for Chain<S, V> {
    type Message = Message<S, V>;
    type Command = Command;
    type Timer = Timer;
    type Record = Record<S, V>;
    type Output = Output<V>;
    type Fault = Evidence<V>;

    fn decode(&self, _: MemberIndex, bytes: &[u8]) -> Result<Message<S, V>> {
        Message::decode(bytes, &self.limits)
    }

    fn handle(&mut self, now: Time, input: Input<Self>) -> Step<Self> {
        let mut step = Step::new();
        match input {
            Input::Start => self.ask(&mut step),
            Input::Timer(Timer::Resend) => {
                self.is_timer_set = false;
                if self.lacks_something() {
                    self.ask(&mut step);
                }
            }
            Input::Command(Command::Submit(transaction)) => self.submit(transaction, &mut step),
            Input::Message { from, message } => match message {
                Message::Epoch { height, message } => self.on_epoch(now, from, height, message, &mut step),
                Message::Vote(vote) => self.on_vote(from, vote, &mut step),
                Message::Block(block) => self.on_block(from, block, &mut step),
                Message::Status { height } => self.on_status(now, from, height, &mut step),
            },
        }
        self.advance(now, &mut step);
        step
    }
}

impl<S: ThresholdScheme, V: Scheme> Chain<S, V> {
    fn is_in_window(&self, height: u64) -> bool {
        height > self.tip.height && height - self.tip.height <= self.config.parameters.window
    }

    fn is_recent(&self, id: &Hash) -> bool {
        self.recent.iter().any(|block| block.contains(id))
    }

    /// Remembers that a member is at a height which this one cannot handle yet.
    fn note_height(&mut self, from: MemberIndex, height: u64) {
        if height > self.tip.height {
            let known = self.ahead.entry(from).or_default();
            *known = height.max(*known);
        }
    }

    /// Returns true while an epoch runs, or if a correct member is ahead.
    fn lacks_something(&self) -> bool {
        !self.running.is_empty() || self.ahead.len() > usize::from(self.config.setup.tolerance.faulty())
    }

    fn submit(&mut self, transaction: Transaction, step: &mut ChainStep<S, V>) {
        let id = TRANSACTIONS.leaf(&transaction);
        let is_known = self.known.contains(&id) || self.is_recent(&id);
        // A proposal has a number of transactions, and a length before each.
        let limit = self.max_batch.saturating_sub(8);
        let error = if transaction.is_empty() {
            Error::Malformed { what: "empty transaction" }
        } else if transaction.len() > limit {
            Error::TooLarge { what: "transaction", limit: limit as u64 }
        } else if is_known {
            Error::WrongContext { what: "known transaction" }
        } else if self.known.len() >= self.config.parameters.max_pending {
            Error::TooLarge { what: "pending transactions", limit: self.config.parameters.max_pending as u64 }
        } else {
            self.known.insert(id);
            return self.pending.push_back(transaction);
        };
        step.output(Output::Refused { transaction, error });
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
        let members = self.config.setup.members();
        let running = match self.running_at(height) {
            Ok(running) => running,
            Err(error) => return step.output(Output::Broken(error)),
        };
        match running.admit(from, &message, members) {
            Admission::New => {
                step.persist(Record::Input { height, from, message: message.clone() });
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
        if self.lacks_something() && !self.is_timer_set {
            self.is_timer_set = true;
            step.set_timer(Timer::Resend, self.config.parameters.resend);
        }
    }

    /// Commits and signs all blocks that it can.
    fn settle(&mut self, step: &mut ChainStep<S, V>) {
        loop {
            while let Some(next) = self.waiting.remove(&(self.tip.height + 1)) {
                self.commit(next, step);
            }
            if !self.vote(step) && !self.commit_own(step) {
                return;
            }
        }
    }

    /// Proposes in an epoch that others started, or for which transactions are pending.
    fn propose(&mut self, now: Time, height: u64, step: &mut ChainStep<S, V>) {
        if self.running.get(&height).is_some_and(|running| running.proposed.is_some()) {
            return;
        }
        if self.pending.is_empty() && !self.running.contains_key(&height) {
            return;
        }
        let (members, batch) = (self.config.setup.members(), self.config.parameters.batch);
        let oldest: Vec<Transaction> = self.pending.iter().take(batch).cloned().collect();
        let batch = match Batch::choose(&oldest, batch, members, self.max_batch, &mut self.random) {
            Ok(batch) => batch,
            Err(error) => return step.output(Output::Broken(error)),
        };
        let chosen: BTreeSet<&Transaction> = batch.transactions().iter().collect();
        self.pending.retain(|transaction| !chosen.contains(transaction));
        step.persist(Record::Proposal { height, batch: batch.clone() });
        match self.running_at(height) {
            Ok(running) => carry_over(running.propose(now, &batch, members), height, step),
            Err(error) => step.output(Output::Broken(error)),
        }
    }

    /// Signs the block above the tip, once this member's epoch decided it. Returns true if it did.
    fn vote(&mut self, step: &mut ChainStep<S, V>) -> bool {
        let height = self.tip.height + 1;
        if self.candidate.is_some() {
            return false;
        }
        let Some(decided) = self.running.get(&height).and_then(|running| running.decided.clone()) else {
            return false;
        };
        let is_new = |transaction: &Transaction| !self.is_recent(&TRANSACTIONS.leaf(transaction));
        let transactions = decided.into_iter().filter(is_new).collect();
        let block = Block { height, parent: self.tip.digest, transactions };
        let digest = block.digest();
        self.candidate = Some((digest, block));
        match self.guard.sign(&self.config.voters, statement(&self.config.voters, height, digest)) {
            Ok((vote, record)) => {
                step.persist(Record::Vote(record));
                step.broadcast(Message::Vote(vote.clone()));
                self.collect(vote, step);
            }
            Err(error) => step.output(Output::Broken(error)),
        }
        true
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
        let is_certified = |certificate: &Certificate<V>| {
            self.candidate.as_ref().is_some_and(|(digest, _)| *digest == certificate.statement().digest)
        };
        if !self.certified.get(&height).is_some_and(is_certified) {
            return false;
        }
        if let (Some((_, block)), Some(certificate)) = (self.candidate.take(), self.certified.remove(&height))
        {
            self.commit(Arc::new(CertifiedBlock { block, certificate }), step);
        }
        true
    }

    fn commit(&mut self, certified: Arc<CertifiedBlock<V>>, step: &mut ChainStep<S, V>) {
        self.append(&certified.block);
        step.persist(Record::Block(certified.clone()));
        step.output(Output::Committed(certified));
    }

    /// Takes a certified block from another member, and commits it with those that follow it.
    fn on_block(&mut self, from: MemberIndex, certified: Arc<CertifiedBlock<V>>, step: &mut ChainStep<S, V>) {
        let height = certified.block.height;
        let is_wanted = height > self.tip.height && height - self.tip.height <= PAGE;
        if !is_wanted || self.waiting.contains_key(&height) {
            return;
        }
        if let Err(error) = certified.check(&self.config.voters) {
            let violation = Violation::Invalid { what: "certified block", error };
            return step.fault(from, Evidence::Violation(violation));
        }
        self.waiting.insert(height, certified);
        self.settle(step);
        let next = self.tip.height + 1;
        if next >= self.asked.saturating_add(PAGE) {
            self.asked = next;
            step.send(from, Message::Status { height: next });
        }
    }

    /// Asks all members for what this one lacks.
    fn ask(&mut self, step: &mut ChainStep<S, V>) {
        self.asked = self.tip.height + 1;
        step.broadcast(Message::Status { height: self.asked });
    }

    /// Answers a member: with blocks, or with what this member sent in running epochs.
    fn on_status(&mut self, now: Time, from: MemberIndex, height: u64, step: &mut ChainStep<S, V>) {
        let interval = self.config.parameters.resend / 2;
        let is_early = |(answered, from): &(Time, u64)| {
            now.since(*answered) < interval && height < from.saturating_add(PAGE)
        };
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
        if height > self.tip.height && !self.running.contains_key(&(self.tip.height + 1)) {
            // This member lacks what the other one has of that epoch, or the blocks before it.
            step.send(from, Message::Status { height: self.tip.height + 1 });
        }
        // The guard returns the same vote again.
        if let Some((digest, block)) = &self.candidate {
            let statement = statement(&self.config.voters, block.height, *digest);
            if let Ok((vote, _)) = self.guard.sign(&self.config.voters, statement) {
                step.send(from, Message::Vote(vote));
            }
        }
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
