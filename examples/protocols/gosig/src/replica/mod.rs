//! The state machine: it takes inputs in, and lets the parts of this crate say what follows.
//!
//! | file | what it handles |
//! |---|---|
//! | `restore` | making a replica, and making it again from its records |
//! | `propose` | own proposals |
//! | `proposals` | others' proposals, their segments |
//! | `votes` | preparing, committing tentatively, passing signatures on |
//! | `bodies` | getting a block's transactions together |
//! | `transactions` | clients' transactions, and those of others' clients |
//! | `commit` | commits, deliveries, states |
//! | `catchup` | asking for what is missing, answering those who ask |

mod bodies;
mod catchup;
mod commit;
mod proposals;
mod propose;
mod restore;
#[cfg(test)]
mod tests;
mod transactions;
mod votes;

use core::ops::{Deref, DerefMut};
use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use quorate::certificate::Certificate;
use quorate::ed25519::Ed25519;
use quorate::gossip::Peers;
use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
use quorate::scheme::Scheme;
use quorate::sortition::Seed;
use quorate::wire::Decode;
use quorate::{Error, Result};
use quorate_protocol::execution::Execution;

pub use restore::Config;

use crate::assembly::Assembly;
use crate::block::{Block, Committees, GosigScheme};
use crate::block_size::BlockSizeController;
use crate::block_sync::BlockSync;
use crate::digests::BlockDigest;
use crate::finality::{Finality, FinalizedBlock};
use crate::interface::{Command, Evidence, Output, Status, Timer};
use crate::kinds::{PREPARE, TENTATIVE};
use crate::message::{Envelope, Message};
use crate::parameters::{Parameters, Schedule};
use crate::payload::Payload;
use crate::pool::{Outbox, Pool};
use crate::proposal::Proposal;
use crate::record::Record;
use crate::rounds::Round;
use crate::safety::Safety;
use crate::sampler::PeerSampler;
use crate::uplink::Uplink;

/// For so many rounds after its end a round is remembered: until then others can be helped to its block.
const RETAINED_ROUNDS: u64 = 2;
/// How many verified certificates are remembered.
const VERIFIED_CERTIFICATES: usize = 32;
/// How many delivered blocks may wait for their execution before no more are committed.
const MAX_UNEXECUTED: u64 = 128;
/// The shortest time until something is sent again.
const MIN_RETRY: Duration = Duration::from_millis(5);
/// How often to look whether there is somebody to tell about signatures.
const GOSSIP_INTERVAL: Duration = Duration::from_millis(20);
/// How soon at most, while messages leave.
const MIN_GOSSIP_INTERVAL: Duration = Duration::from_millis(1);
/// After so many undecided rounds something is wrong: one commit may be missed, and more is not by chance.
const STALLED_ROUNDS: u32 = 2;

/// One validator. See the [crate](crate).
pub struct Replica<S: GosigScheme> {
    committees: Committees<S>,
    /// None observes.
    me: Option<MemberIndex>,
    voting_key: S::SecretKey,
    identity_key: <Ed25519 as Scheme>::SecretKey,
    schedule: Schedule,
    parameters: Parameters,
    sampler: PeerSampler,
    now: Time,

    safety: Safety<S>,
    tip: Tip<S>,
    /// The height on which the epoch begins.
    anchor: u64,
    /// The committee of the next epoch is known: this one signs nothing more.
    succeeded: bool,
    /// The round by the clock, and the one that this member is in: at most one later.
    clock_round: u64,
    round: u64,
    rounds: BTreeMap<u64, Round<S>>,
    /// Proposals for the height above the next, by proposer: they wait for a commit.
    early: BTreeMap<MemberIndex, (MemberIndex, Arc<Proposal<S>>)>,
    /// Blocks whose transactions are here or on their way.
    assemblies: BTreeMap<BlockDigest, Assembly>,
    /// The payload of the last block, as the records had it.
    last_payload: Option<Arc<Payload>>,
    /// The block of the lock.
    locked: Option<Arc<Block<S>>>,
    highest_prepare_qc: Option<HighestPrepareQc<S>>,
    verified: VecDeque<Certificate<S>>,
    peers: Peers,
    uplink: Uplink,

    pool: Pool,
    outbox: Outbox,
    outbox_due: Option<Time>,
    congested: bool,
    block_size: BlockSizeController,
    execution: Execution,
    sync: BlockSync<S>,
    /// When a member was last answered how far this one is.
    welcome_sent: BTreeMap<MemberIndex, Time>,
    /// When one that is in another epoch was last asked.
    hello_sent: BTreeMap<MemberIndex, Time>,

    delivered: u64,
    /// Committed blocks that were not delivered in this run: only at its start.
    undelivered: VecDeque<Committable<S>>,
    /// Heights and bytes of the blocks that were delivered and not executed.
    unexecuted: VecDeque<(u64, usize)>,
    /// Whether there were no records, and how many rounds passed since it began to abstain for that reason.
    is_blank: bool,
    abstained: u32,
    /// Whether there was work when the clock's round began, whether a block was committed in it, and for how many rounds
    /// none was though there was work.
    worked: bool,
    progressed: bool,
    idle_rounds: u32,
    timeouts: u64,

    stage_timer: Option<Time>,
    gossip_timer: Option<Time>,
    retry_timer: Option<Time>,
}

/// The end of the committed chain.
struct Tip<S: GosigScheme> {
    height: u64,
    digest: BlockDigest,
    /// The seed after it.
    seed: Seed,
    payload_height: u64,
    /// The block and why it is committed; none where the epoch begins.
    last: Option<FinalizedBlock<S>>,
}

/// The block for the next height with the newest quorum of PREPAREs that is known here. Somebody may be locked on it, and
/// then it is what a quorum can agree on.
struct HighestPrepareQc<S: GosigScheme> {
    block: Arc<Block<S>>,
    certificate: Certificate<S>,
}

impl<S: GosigScheme> HighestPrepareQc<S> {
    fn round(&self) -> u64 {
        self.certificate.statement().view
    }
}

/// A committed block with all that is delivered with it.
struct Committable<S: GosigScheme> {
    block: Arc<Block<S>>,
    finality: Arc<Finality<S>>,
    payload: Arc<Payload>,
}

/// What follows from an input. It derefs to the step; what is sent is of the replica's epoch unless it is an answer.
struct Effects<S: GosigScheme> {
    epoch: u64,
    step: Step<Replica<S>>,
}

impl<S: GosigScheme> Effects<S> {
    fn send(&mut self, to: MemberIndex, message: Message<S>) {
        self.step.send(to, message.in_epoch(self.epoch));
    }

    fn broadcast(&mut self, message: Message<S>) {
        self.step.broadcast(message.in_epoch(self.epoch));
    }

    fn answer(&mut self, to: MemberIndex, answer: Envelope<S>) {
        self.step.send(to, answer);
    }
}

impl<S: GosigScheme> Deref for Effects<S> {
    type Target = Step<Replica<S>>;

    fn deref(&self) -> &Self::Target {
        &self.step
    }
}

impl<S: GosigScheme> DerefMut for Effects<S> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.step
    }
}

impl<S: GosigScheme> Replica<S> {
    /// What decoders need to know; a link can use it to decode on its own thread.
    pub fn committees(&self) -> &Committees<S> {
        &self.committees
    }

    /// A few numbers.
    pub fn status(&self) -> Status {
        let best = self.rounds.get(&self.clock_round).and_then(|round| round.best(self.tip.height + 1));
        let leader = best.map(|entry| entry.proposal.proposer);
        Status {
            round: self.round,
            leader: leader.or(self.tip.last.as_ref().map(|(block, _)| block.author)).unwrap_or(0),
            committed: self.tip.height,
            delivered: self.delivered,
            prepared: self.safety.prepared_round(),
            locked: self.safety.lock().map_or(0, |lock| lock.round()),
            timeouts: self.timeouts,
            outstanding: self.pool.outstanding(),
            pending: self.pool.len(),
            pending_bytes: self.pool.bytes(),
            proposals: self.rounds.values().map(|round| round.entries().len()).sum(),
            catching_up: self.sync.is_behind(self.tip.height, &self.committees.voters),
        }
    }

    /// How many signatures are known of the block that was prepared last, or else of the best one of this round: those
    /// that prepare it, and those that commit it tentatively.
    pub fn collected(&self) -> (usize, usize) {
        let prepared = self.safety.prepared().filter(|prepared| prepared.round == self.clock_round);
        let prepared = prepared.map(|prepared| self.committees.ballot(prepared.height, prepared.block));
        let Some(state) = self.rounds.get(&self.clock_round) else { return (0, 0) };
        let best = || state.best(self.tip.height + 1).map(|entry| entry.ballot);
        let Some(ballot) = prepared.or_else(best) else { return (0, 0) };
        let count = |kind| state.votes.get(&(kind, ballot)).map_or(0, |gossip| gossip.signers().len());
        (count(PREPARE), count(TENTATIVE))
    }

    /// Whose proposals this member knows in the round that it is in.
    pub fn proposers(&self) -> Vec<MemberIndex> {
        let entries = self.rounds.get(&self.round).map_or(&[][..], |state| state.entries());
        let mut proposers: Vec<MemberIndex> = entries.iter().map(|entry| entry.proposal.proposer).collect();
        proposers.sort_unstable();
        proposers.dedup();
        proposers
    }

    fn dispatch(&mut self, input: Input<Self>, out: &mut Effects<S>) {
        match input {
            Input::Start => self.on_start(out),
            Input::Message { from, .. } if from >= self.committees.voters.len() => {
                let error = Error::UnknownSigner { index: from.into() };
                out.fault(from, Evidence::Invalid { what: "sender of a message", error });
            }
            Input::Message { from, message } if Some(from) != self.me => self.on_message(from, message, out),
            Input::Message { .. } => {}
            Input::Timer(Timer::Stage) => self.stage_timer = None,
            Input::Timer(Timer::Gossip) => self.gossip_timer = None,
            Input::Timer(Timer::Retry) => self.retry_timer = None,
            Input::Command(Command::Submit { sequence, payload }) => self.on_submit(sequence, payload, out),
            Input::Command(Command::Executed(executed)) => self.on_executed(executed, out),
            Input::Command(Command::Connected(peer)) => self.on_connected(peer, out),
            Input::Command(Command::EpochMismatch(peer)) => self.on_epoch_mismatch(peer, out),
        }
    }

    fn on_message(&mut self, from: MemberIndex, envelope: Envelope<S>, out: &mut Effects<S>) {
        let Envelope { epoch, message } = envelope;
        // It is there, whatever it says.
        self.peers.heard(from);
        self.uplink.heard(from);
        // It may have been read for the replica of another epoch.
        if epoch != out.epoch && !message.is_epoch_independent() {
            return self.on_epoch_mismatch(from, out);
        }
        if self.observes() && !message.is_history() {
            return;
        }
        match message {
            Message::Proposal(proposal) => self.on_proposal(from, proposal, out),
            Message::Segment(segment) => self.on_segment(from, segment, out),
            Message::Signatures(aggregates) => self.on_signatures(from, aggregates, out),
            Message::Heard => {}
            Message::Transactions(transactions) => self.on_transactions(from, transactions),
            Message::TransactionRequest { block, height, places } => {
                self.on_transaction_request(from, epoch, block, height, places, out);
            }
            Message::TransactionReply { block, transactions } => {
                self.on_transaction_reply(from, block, transactions);
            }
            Message::BodyRequest { block, round, segments } => {
                self.on_body_request(from, block, round, &segments, out);
            }
            Message::ProposalRequest { round, ballot } => {
                self.on_proposal_request(from, round, &ballot, out);
            }
            Message::Hello { committed } => self.on_hello(from, committed, out),
            Message::Welcome { committed } => self.on_welcome(from, committed),
            Message::BlockRequest { from: height } => self.on_block_request(from, height, out),
            Message::Blocks(blocks) => self.on_blocks(from, blocks, out),
        }
    }

    /// The clock may have reached another round.
    fn tick(&mut self, out: &mut Effects<S>) {
        let round = self.schedule.round_at(self.now);
        if round <= self.clock_round {
            return;
        }
        let had_work = self.has_work();
        // What came when the round had begun may have been too late for it.
        let undecided = self.worked && !self.progressed;
        self.worked = had_work;
        self.timeouts += u64::from(undecided);
        self.idle_rounds = if undecided { self.idle_rounds.saturating_add(1) } else { 0 };
        let best = self.rounds.get(&self.clock_round).and_then(|old| old.best(self.tip.height + 1));
        let best = best.filter(|_| undecided);
        if best.is_some_and(|entry| !entry.proposal.block.payload.is_empty()) {
            self.block_size.lost();
        }
        let leader = best.map(|entry| entry.proposal.proposer);
        let leader = leader.or(self.tip.last.as_ref().map(|(block, _)| block.author));
        self.progressed = false;
        self.clock_round = round;
        self.round = self.round.max(round);
        self.rounds.retain(|of, _| of.saturating_add(RETAINED_ROUNDS) >= round);
        self.early.retain(|_, (_, proposal)| proposal.round >= round);
        self.forget_bodies();
        if self.is_blank && self.safety.abstains(self.tip.height + 1) {
            self.abstained += 1;
            self.end_abstention();
        }
        if had_work {
            out.output(Output::Round { round, leader, undecided });
        }
        let looks_on = self.observes() && !self.succeeded && !self.sync.is_greeting();
        if self.idle_rounds >= STALLED_ROUNDS || looks_on {
            // Maybe the others have committed what this member still waits for.
            self.ask_how_far(out);
        }
    }

    /// Whether this is nobody's replica.
    fn observes(&self) -> bool {
        self.me.is_none()
    }

    /// Whether another block is needed: for transactions that wait, or to state, in a committed block, the state after
    /// the last transactions. Clients cannot prove that state before.
    fn wants_block(&self) -> bool {
        let payload = self.tip.payload_height;
        let stated = self.tip.last.as_ref().map_or(0, |(block, _)| block.executed.height);
        self.pool.len() > 0 || (stated < payload && self.execution.newest().height >= payload)
    }

    /// Whether rounds should pass.
    fn has_work(&self) -> bool {
        let above = |round: &Round<S>| {
            round.entries().iter().any(|entry| entry.proposal.block.height > self.tip.height)
        };
        !self.succeeded
            && !self.observes()
            && (self.wants_block()
                || self.safety.lock().is_some()
                || !self.early.is_empty()
                || self.rounds.range(self.clock_round..).any(|(_, round)| above(round)))
    }

    /// Does what has become possible, asks for what is missing, and makes the timers agree with the state.
    fn settle(&mut self, out: &mut Effects<S>) {
        self.finish_bodies(out);
        self.try_commit(out);
        self.try_prepare(out);
        self.check_votes(out);
        self.try_commit(out);
        self.try_propose(out);
        self.pass_on(out);
        self.flush_outbox(out);
        self.ask(out);
        self.report_congestion(out);

        // Nobody tells an observer anything: it asks once a round.
        let stage = if self.observes() && !self.succeeded {
            Some(self.schedule.begins(self.clock_round + 1))
        } else {
            self.has_work().then(|| self.next_stage())
        };
        let retry = [self.sync.due(), self.bodies_due()].into_iter().flatten().min();
        let retry = retry.map(|due| due.max(self.now.plus(MIN_RETRY)));
        let gossip = [self.outbox_due, self.pulse()].into_iter().flatten().min();
        set(&mut self.stage_timer, stage, Timer::Stage, self.now, out);
        set(&mut self.retry_timer, retry, Timer::Retry, self.now, out);
        set(&mut self.gossip_timer, gossip, Timer::Gossip, self.now, out);
    }

    /// When the next stage begins.
    fn next_stage(&self) -> Time {
        let second = self.schedule.second_stage(self.clock_round);
        if self.clock_round > 0 && second > self.now {
            second
        } else {
            self.schedule.begins(self.clock_round + 1)
        }
    }

    fn random(&mut self, k: usize, but: &[MemberIndex]) -> Vec<MemberIndex> {
        let (n, me, now) = (self.committees.voters.len(), self.me, self.now);
        let mut others: Vec<MemberIndex> =
            (0..n).filter(|member| Some(*member) != me && !but.contains(member)).collect();
        let ready: Vec<MemberIndex> =
            others.iter().copied().filter(|member| !self.peers.is_refused(*member, now)).collect();
        if !ready.is_empty() {
            others = ready;
        }
        self.sampler.some(others, k)
    }
}

/// Makes a timer agree with when it should fire. One that fires too early only looks again; moving it with every
/// message would cost more.
fn set<S: GosigScheme>(
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

impl<S: GosigScheme> Machine for Replica<S> {
    type Message = Envelope<S>;
    type Command = Command;
    type Timer = Timer;
    type Record = Record<S>;
    type Output = Output<S>;
    type Fault = Evidence<S>;

    fn decode(&self, from: MemberIndex, bytes: &[u8]) -> Result<Envelope<S>> {
        if from >= self.committees.voters.len() {
            return Err(Error::UnknownSigner { index: from.into() });
        }
        Envelope::decode(bytes, &self.committees)
    }

    fn handle(&mut self, now: Time, input: Input<Self>) -> Step<Self> {
        self.now = self.now.max(now);
        let mut out = Effects { epoch: self.committees.voters.epoch(), step: Step::new() };
        self.tick(&mut out);
        self.dispatch(input, &mut out);
        self.settle(&mut out);
        out.step
    }
}

impl<S: GosigScheme> core::fmt::Debug for Replica<S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Replica")
            .field("me", &self.me)
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}
