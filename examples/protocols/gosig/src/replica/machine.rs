//! The state machine: one `match (phase, input)`, then the transitions that the input made possible.
//!
//! An input only updates the state. The transitions follow in a fixed order, each a `match` on the phase; beside them
//! are the lines of Algorithms 1 and 2 of the paper, or the section of `spec/gosig.md`.

use core::time::Duration;

use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
use quorate::wire::Decode;
use quorate::{Error, Result};

use super::effects::Effects;
use super::limits::{RETAINED_ROUNDS, STALLED_ROUNDS};
use super::phase::{Phase, VoteStep};
use super::state::Replica;
use crate::block::GosigScheme;
use crate::interface::{Command, Evidence, Output, Timer};
use crate::message::{Envelope, Message};
use crate::record::Record;

/// Minimum time until a request is repeated.
const MIN_RETRY: Duration = Duration::from_millis(5);

/// A transition that may follow any input.
#[derive(Clone, Copy, Debug)]
enum Transition {
    CompleteBodies,
    CommitBlocks,
    Prepare,
    CountVotes,
    CommitTentatively,
    Propose,
    GossipSignatures,
    ForwardTransactions,
    RequestMissing,
    ReportCongestion,
}

/// The transitions after each input, in order. `CommitBlocks` comes twice: the votes may complete a certificate.
const TRANSITIONS: [Transition; 11] = [
    Transition::CompleteBodies,
    Transition::CommitBlocks,
    Transition::Prepare,
    Transition::CountVotes,
    Transition::CommitTentatively,
    Transition::CommitBlocks,
    Transition::Propose,
    Transition::GossipSignatures,
    Transition::ForwardTransactions,
    Transition::RequestMissing,
    Transition::ReportCongestion,
];

impl<S: GosigScheme> Machine for Replica<S> {
    type Message = Envelope<S>;
    type Command = Command;
    type Timer = Timer;
    type Record = Record<S>;
    type Output = Output<S>;
    type Fault = Evidence<S>;

    fn decode(&self, from: MemberIndex, bytes: &[u8]) -> Result<Envelope<S>> {
        if from >= self.identity.committees.voters.len() {
            return Err(Error::UnknownSigner { index: from.into() });
        }
        Envelope::decode(bytes, &self.identity.committees)
    }

    fn handle(&mut self, now: Time, input: Input<Self>) -> Step<Self> {
        self.now = self.now.max(now);
        let mut out = Effects::new(self.identity.committees.voters.epoch());
        self.advance_clock(&mut out);
        self.apply(input, &mut out);
        for transition in TRANSITIONS {
            self.transition(transition, &mut out);
        }
        self.set_timers(&mut out);
        out.step
    }
}

impl<S: GosigScheme> Replica<S> {
    /// Records an input.
    fn apply(&mut self, input: Input<Self>, out: &mut Effects<S>) {
        match (self.phase, input) {
            (_, Input::Start) => self.on_start(out),
            (_, Input::Timer(Timer::Stage)) => self.timers.stage = None,
            (_, Input::Timer(Timer::Gossip)) => self.timers.gossip = None,
            (_, Input::Timer(Timer::Retry)) => self.timers.retry = None,
            (_, Input::Command(Command::Submit { sequence, payload })) => {
                self.on_submit(sequence, payload, out);
            }
            (_, Input::Command(Command::Executed(executed))) => self.on_executed(executed, out),
            (_, Input::Command(Command::Connected(peer))) => self.on_connected(peer, out),
            (_, Input::Command(Command::EpochMismatch(peer))) => self.on_epoch_mismatch(peer, out),
            (_, Input::Message { from, .. }) if from >= self.identity.committees.voters.len() => {
                let error = Error::UnknownSigner { index: from.into() };
                out.fault(from, Evidence::Invalid { what: "sender of a message", error });
            }
            (_, Input::Message { from, .. }) if Some(from) == self.identity.me => {}
            (phase, Input::Message { from, message }) => {
                // Any message shows that its sender is available.
                self.network.peers.heard(from);
                self.network.uplink.heard(from);
                let Envelope { epoch, message } = message;
                // A link may have decoded the message for the replica of another epoch.
                if epoch != out.epoch && !message.is_epoch_independent() {
                    self.on_epoch_mismatch(from, out);
                } else {
                    self.apply_message(phase, from, epoch, message, out);
                }
            }
        }
    }

    /// Records a message of this epoch, or one that is the same in all epochs.
    fn apply_message(
        &mut self,
        phase: Phase,
        from: MemberIndex,
        epoch: u64,
        message: Message<S>,
        out: &mut Effects<S>,
    ) {
        match (phase, message) {
            // "Catching up": committed blocks and their transactions, in every phase.
            (_, Message::Hello { committed }) => self.on_hello(from, committed, out),
            (_, Message::Welcome { committed }) => self.on_welcome(from, committed),
            (_, Message::Pruned { oldest }) => self.sync.record_pruned(from, oldest),
            (_, Message::BlockRequest { from: height }) => self.on_block_request(from, height, out),
            (_, Message::Blocks(blocks)) => self.on_blocks(from, blocks, out),
            (_, Message::TransactionRequest { block, height, places }) => {
                self.on_transaction_request(from, epoch, block, height, places, out);
            }
            (_, Message::TransactionReply { block, transactions }) => {
                self.on_transaction_reply(from, block, transactions);
            }

            // "Observers": an observer reads nothing else, also once the epoch has ended.
            (Phase::Observing, _) => {}
            (Phase::Succeeded, _) if self.is_observer() => {}

            // "A round", Stage I. New proposals have no effect once the epoch has ended.
            (_, Message::Proposal(proposal)) => self.on_proposal(from, proposal, out),
            (_, Message::Segment(segment)) => self.on_segment(from, segment, out),
            (_, Message::BodyRequest { block, round, segments }) => {
                self.on_body_request(from, block, round, &segments, out);
            }
            (_, Message::Transactions(transactions)) => self.on_transactions(from, transactions, out),

            // "A round", Stage II. Members collect and forward signatures of the last rounds in every phase.
            (_, Message::Signatures(aggregates)) => self.on_signatures(from, aggregates, out),
            (_, Message::ProposalRequest { round, ballot }) => {
                self.on_proposal_request(from, round, &ballot, out);
            }
            (_, Message::Heard) => {}
        }
    }

    /// Makes one transition, if the phase and the state allow it.
    fn transition(&mut self, transition: Transition, out: &mut Effects<S>) {
        use VoteStep::{Deciding, Prepared, Proposing};
        match (self.phase, transition) {
            (_, Transition::CompleteBodies) => self.complete_bodies(out),
            // Algorithm 1, lines 19–24: a quorum of TENTATIVEs commits. Blocks of `Blocks` messages, too.
            (_, Transition::CommitBlocks) => self.commit_blocks(out),

            // Algorithm 1, lines 1–6, and Algorithm 2.
            (Phase::Voting(Deciding), Transition::Prepare) => self.prepare(out),
            (_, Transition::Prepare) => {}

            // Algorithm 1, lines 11–13 and 18–20: verify and count signatures.
            (_, Transition::CountVotes) => self.count_votes(out),
            // Algorithm 1, lines 14–17: the quorum may also be that of the round before, as long as nothing was prepared
            // since ("A quorum of P messages", rule 2).
            (Phase::Voting(Proposing | Deciding | Prepared), Transition::CommitTentatively) => {
                self.commit_tentatively(out);
            }
            (_, Transition::CommitTentatively) => {}

            // "Start of Stage I of round r".
            (Phase::Voting(Proposing), Transition::Propose) => self.propose(out),
            // "Next round at once": the clock's round is decided.
            (Phase::Voting(_), Transition::Propose) if self.rounds.current > self.rounds.clock => {
                self.propose(out);
            }
            (_, Transition::Propose) => {}

            // "Pipelining": "Aggregates" and "Transactions ahead of blocks".
            (_, Transition::GossipSignatures) => self.gossip_signatures(out),
            (_, Transition::ForwardTransactions) => self.forward_transactions(out),
            // "Catching up" and "Missing transactions".
            (_, Transition::RequestMissing) => self.request_missing(out),
            // "Block size".
            (_, Transition::ReportCongestion) => self.report_congestion(out),
        }
    }

    /// Moves to the round and the stage of the clock.
    fn advance_clock(&mut self, out: &mut Effects<S>) {
        let round = self.schedule.round_at(self.now);
        if round > self.rounds.clock {
            self.begin_round(round, out);
        }
        if let Phase::Voting(VoteStep::Proposing) = self.phase {
            self.phase = Phase::Voting(self.vote_step());
        }
    }

    /// Ends the clock's round and begins another one.
    fn begin_round(&mut self, round: u64, out: &mut Effects<S>) {
        let had_work = self.has_work();
        // A block that came after the round had begun may have been too late for it: such a round is not undecided.
        let undecided = self.rounds.had_work && !self.rounds.has_committed;
        self.rounds.had_work = had_work;
        self.rounds.timeouts += u64::from(undecided);
        self.rounds.undecided = if undecided { self.rounds.undecided.saturating_add(1) } else { 0 };
        let best =
            self.rounds.states.get(&self.rounds.clock).and_then(|old| old.best(self.chain.tip.height + 1));
        let best = best.filter(|_| undecided);
        if best.is_some_and(|known| !known.proposal.block.payload.is_empty()) {
            self.transactions.block_size.on_lost_round();
        }
        let leader = best.map(|known| known.proposal.proposer).or(self.last_author());
        self.rounds.has_committed = false;
        self.rounds.clock = round;
        self.rounds.current = self.rounds.current.max(round);
        self.rounds.states.retain(|of, _| of.saturating_add(RETAINED_ROUNDS) >= round);
        self.rounds.early.retain(|_, (_, proposal)| proposal.round >= round);
        self.drop_bodies();
        match &mut self.phase {
            Phase::Voting(step) => *step = VoteStep::Proposing,
            Phase::Recovering { rounds, .. } if self.safety.abstains(self.chain.tip.height + 1) => {
                *rounds += 1;
                self.try_end_recovery();
            }
            Phase::Observing | Phase::Recovering { .. } | Phase::Succeeded => {}
        }
        if had_work {
            out.output(Output::Round { round, leader, undecided });
        }
        let observes = self.phase == Phase::Observing && !self.sync.is_polling();
        if self.rounds.undecided >= STALLED_ROUNDS || observes {
            // The other members may have committed the block that this one waits for. Members send an observer nothing
            // unless it asks.
            self.poll_some(out);
        }
    }

    /// Sets the timers to the times at which the state next needs attention.
    fn set_timers(&mut self, out: &mut Effects<S>) {
        let stage = match self.phase {
            Phase::Observing => Some(self.schedule.begins(self.rounds.clock + 1)),
            _ => self.has_work().then(|| self.next_stage()),
        };
        let retry = [self.sync.due(), self.bodies_due()].into_iter().flatten().min();
        let retry = retry.map(|due| due.max(self.now.plus(MIN_RETRY)));
        let gossip = [self.transactions.outbox_due, self.gossip_due()].into_iter().flatten().min();
        set_timer(&mut self.timers.stage, stage, Timer::Stage, self.now, out);
        set_timer(&mut self.timers.retry, retry, Timer::Retry, self.now, out);
        set_timer(&mut self.timers.gossip, gossip, Timer::Gossip, self.now, out);
    }

    /// Returns the time at which the next stage begins.
    fn next_stage(&self) -> Time {
        let second = self.schedule.second_stage(self.rounds.clock);
        if self.rounds.clock > 0 && second > self.now {
            second
        } else {
            self.schedule.begins(self.rounds.clock + 1)
        }
    }
}

/// Sets a timer to `due`. A timer that is set to an earlier time stays: when it fires, the machine only looks again, which
/// costs less than moving the timer with every message.
fn set_timer<S: GosigScheme>(
    armed: &mut Option<Time>,
    due: Option<Time>,
    timer: Timer,
    now: Time,
    out: &mut Effects<S>,
) {
    match (due, *armed) {
        (None, Some(_)) => {
            out.cancel_timer(timer);
            *armed = None;
        }
        (Some(due), before) if before.is_none_or(|before| due < before) => {
            out.set_timer(timer, due.since(now));
            *armed = Some(due);
        }
        _ => {}
    }
}
