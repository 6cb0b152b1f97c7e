//! The state machine: one match over the phase and the input, whose handlers are in the files of this folder.
//!
//! | file | responsibility |
//! |---|---|
//! | `phase` | phases of the replica |
//! | `restore` | creating a replica, also from its records |
//! | `propose` | proposals, own and received |
//! | `vote` | votes for blocks, own and received |
//! | `timeout` | timeouts and certificates of other members |
//! | `certificates` | effects of quorum and timeout certificates |
//! | `commit` | commits, deliveries, states |
//! | `batches` | dissemination of batches |
//! | `catchup` | requests for missing blocks and batches, and responses |
//! | `abstain` | abstention after a start with records that may be old |

mod abstain;
mod batches;
mod catchup;
mod certificates;
mod commit;
mod phase;
mod propose;
mod restore;
#[cfg(test)]
mod tests;
mod timeout;
mod vote;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use quorate::certificate::{Certificate, Suspects, TimeoutCertificate, Vote, VoteCollector};
use quorate::ed25519::Ed25519;
use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
use quorate::scheme::Scheme;
use quorate::wire::Decode;
use quorate::{Error, Result};
use quorate_protocol::execution::Execution;
use quorate_protocol::rate_limit::PeerRateLimiter;

pub use restore::Config;

use phase::{Participation, Phase};

use crate::block::{Block, Committees};
use crate::finality::FinalizedBlock;
use crate::ids::BlockDigest;
use crate::interface::{Command, Evidence, Output, Status, Timer};
use crate::mempool::Mempool;
use crate::message::Message;
use crate::pacemaker::Pacemaker;
use crate::parameters::Parameters;
use crate::record::Record;
use crate::safety::Safety;
use crate::sync::Synchronizer;
use crate::tree::Tree;

/// Number of verified certificates kept, and number of views ahead for which votes are collected.
const VIEW_WINDOW: usize = 64;
/// Maximum number of delivered, unexecuted blocks.
const MAX_UNEXECUTED: u64 = 128;
/// Minimum time until a message is sent again.
const MIN_RETRY: core::time::Duration = core::time::Duration::from_millis(20);

/// A validator. See the [crate](crate).
pub struct Replica<S: Scheme> {
    committees: Committees<S>,
    me: MemberIndex,
    identity_key: <Ed25519 as Scheme>::SecretKey,
    parameters: Parameters,
    now: Time,

    safety: Safety<S>,
    pacemaker: Pacemaker<S>,
    tree: Tree<S>,
    mempool: Mempool,
    repeated: PeerRateLimiter,
    sync: Synchronizer<S>,
    execution: Execution,

    /// Votes by view, for uncertified views.
    votes: BTreeMap<u64, VoteCollector<S>>,
    suspects: Suspects,
    last_vote: Option<Vote<S>>,
    /// The block of the current view to vote for.
    candidate: Option<BlockDigest>,
    /// First proposal of each author in each view.
    proposals: BTreeMap<(u64, MemberIndex), Vote<Ed25519>>,
    /// Last block of each author whose parent is missing.
    orphans: BTreeMap<MemberIndex, Arc<Block<S>>>,
    /// Verified certificates by view.
    verified: BTreeMap<u64, Certificate<S>>,
    verified_tc: Option<TimeoutCertificate<S>>,
    last_block_at: Option<Time>,
    /// Time of the last `Advance` to each member.
    advance_sent_at: BTreeMap<MemberIndex, Time>,

    /// Committed, undelivered blocks.
    queue: VecDeque<FinalizedBlock<S>>,
    delivered: u64,
    /// Heights and sizes in bytes of the delivered, unexecuted blocks.
    unexecuted: VecDeque<(u64, usize)>,
    next_sequence: u64,
    participation: Participation,
    timeouts: u64,

    view_timer: Option<u64>,
    propose_timer: bool,
    retry_timer: Option<Time>,
}

type ReplicaStep<S> = Step<Replica<S>>;

impl<S: Scheme> Replica<S> {
    /// Returns the number of this member's next batch.
    pub fn next_sequence(&self) -> u64 {
        self.next_sequence
    }

    /// Returns the context of decoders. A link can use it to decode on its own thread.
    pub fn committees(&self) -> &Committees<S> {
        &self.committees
    }

    /// Returns a summary of the state.
    pub fn status(&self) -> Status {
        Status {
            view: self.pacemaker.view(),
            leader: self.leader(),
            certified_view: self.pacemaker.certified(),
            committed: self.tree.root().height,
            delivered: self.delivered,
            timeouts: self.timeouts,
            outstanding: self.mempool.own.len(),
            pending: self.mempool.pending(),
            blocks: self.tree.nodes().count(),
            catching_up: self.sync.is_active(),
            abstention: self.participation.abstention(),
            pruned_history: self.sync.pruned_history(self.tree.root().height),
        }
    }

    /// Returns the leader of the current view, derived from the chain of the highest certificate or, while that chain
    /// is incomplete, from the committed chain.
    fn leader(&self) -> MemberIndex {
        let high = self.high_digest();
        let state = self.tree.state(&high).unwrap_or(&self.tree.root().state);
        state.reputation.leader(&self.committees.voters, self.pacemaker.view())
    }

    /// Returns the block of the highest certificate; the genesis if there is none.
    fn high_digest(&self) -> BlockDigest {
        self.pacemaker.high().map_or(self.tree.root().digest, |qc| BlockDigest(qc.statement().digest))
    }

    /// Applies one input. The comments name the sections of spec/jolteon.md.
    fn dispatch(&mut self, input: Input<Self>, out: &mut ReplicaStep<S>) {
        match (self.phase(), input) {
            // Catching up, Poll: `finish_step` sends Hello.
            (_, Input::Start) => self.on_start(out),
            (_, Input::Message { from, message }) => match check_sender(&self.committees, from, &message) {
                Ok(()) if from != self.me => self.on_message(from, message, out),
                Ok(()) => {}
                Err(error) => out.fault(from, Evidence::Invalid { what: "sender of a message", error }),
            },
            // Pacemaker, Timer: without work the view lasts.
            (Phase::Idle, Input::Timer(Timer::View)) => self.view_timer = None,
            // Pacemaker, Timeout: the member times out the view.
            (Phase::Working, Input::Timer(Timer::View)) => {
                self.view_timer = None;
                self.on_view_timer(out);
            }
            // Pacemaker, Timeout: it repeats its timeout until the view ends.
            (Phase::TimedOut, Input::Timer(Timer::View)) => {
                self.view_timer = None;
                self.repeat_timeout(out);
            }
            // Pacemaker, Leader: `finish_step` proposes.
            (_, Input::Timer(Timer::Propose)) => self.propose_timer = false,
            // Batches and Catching up: `finish_step` sends the messages that are due.
            (_, Input::Timer(Timer::Retry)) => self.retry_timer = None,
            (_, Input::Command(Command::Seal(batch))) => self.on_seal(batch, out),
            (_, Input::Command(Command::Executed(executed))) => self.on_executed(executed, out),
            (_, Input::Command(Command::Connected(peer))) => self.on_connected(peer, out),
        }
    }

    fn on_message(&mut self, from: MemberIndex, message: Message<S>, out: &mut ReplicaStep<S>) {
        match message {
            // Safety rules; Validity for a parent.
            Message::Proposal(block) => self.on_proposal(from, block, out),
            Message::Vote(vote) => self.on_vote(vote, out),
            // Pacemaker.
            Message::Timeout(timeout) => self.on_timeout(from, *timeout, out),
            Message::Advance(advance) => {
                self.on_advance(from, *advance, out);
            }
            Message::Hello { .. } => self.send_advance(from, out),
            // Batches.
            Message::Batch(batch) => self.on_batch(from, batch, out),
            Message::Acknowledge(vote) => self.on_acknowledge(vote, out),
            Message::Certified(batch) => self.on_certified(from, *batch, out),
            // Catching up.
            Message::BlockRequest { from: height, target } => {
                self.on_block_request(from, height, &target, out)
            }
            Message::Blocks(blocks) => self.on_blocks(from, blocks, out),
            Message::BatchRequest(digests) => self.on_batch_request(from, digests, out),
            Message::BatchReply(batch) => self.on_batch_reply(batch, out),
            Message::Pruned { oldest } => self.sync.record_pruned(from, oldest, self.tree.root().height),
            // Rollback.
            Message::ViewRequest { nonce } => self.on_view_request(from, nonce, out),
            Message::ViewReply { nonce, advance } => self.on_view_reply(from, nonce, *advance, out),
        }
    }

    /// Returns `true` if another block is needed: for certified, uncommitted batches, or to state the state after the
    /// last batches in a committed block, before which clients cannot prove that state.
    fn wants_block(&self) -> bool {
        let root = self.tree.root();
        let payload = root.state.payload_height;
        self.mempool.pending() > 0
            || (root.executed.height < payload && self.execution.newest().height >= payload)
    }

    /// Returns the phase of the current view.
    fn phase(&self) -> Phase {
        if self.pacemaker.sent.is_some() {
            Phase::TimedOut
        } else if self.wants_block() {
            Phase::Working
        } else {
            Phase::Idle
        }
    }

    /// Completes a step: proposes if possible, sends due requests, and sets the timers.
    fn finish_step(&mut self, out: &mut ReplicaStep<S>) {
        self.try_propose(out);
        self.resend_batches(out);
        self.send_requests(out);
        self.request_views(out);
        let view = (self.phase() != Phase::Idle).then_some(self.pacemaker.view());
        if view != self.view_timer {
            match view {
                Some(_) => out.set_timer(Timer::View, self.pacemaker.start_timer(self.now, &self.parameters)),
                None => {
                    self.pacemaker.stop_timer();
                    out.cancel_timer(Timer::View);
                }
            }
            self.view_timer = view;
        }
        let full = self.queue.len() >= self.parameters.max_undelivered;
        let due = [self.sync.due(full), self.mempool.own.due(), self.view_request_due()];
        let due = due.into_iter().flatten().min();
        match (due, self.retry_timer) {
            (None, Some(_)) => {
                out.cancel_timer(Timer::Retry);
                self.retry_timer = None;
            }
            (Some(due), armed) => {
                let due = due.max(self.now.plus(MIN_RETRY));
                // A timer that fires early is harmless; resetting it with every message would cost more.
                if armed.is_none_or(|armed| due < armed) {
                    out.set_timer(Timer::Retry, due.since(self.now));
                    self.retry_timer = Some(due);
                }
            }
            (None, None) => {}
        }
    }
}

impl<S: Scheme> Machine for Replica<S> {
    type Message = Message<S>;
    type Command = Command;
    type Timer = Timer;
    type Record = Record<S>;
    type Output = Output<S>;
    type Fault = Evidence<S>;

    fn decode(&self, from: MemberIndex, bytes: &[u8]) -> Result<Message<S>> {
        let message = Message::decode(bytes, &self.committees)?;
        check_sender(&self.committees, from, &message)?;
        Ok(message)
    }

    fn handle(&mut self, now: Time, input: Input<Self>) -> Step<Self> {
        self.now = self.now.max(now);
        let mut out = Step::new();
        self.dispatch(input, &mut out);
        self.finish_step(&mut out);
        out
    }
}

impl<S: Scheme> core::fmt::Debug for Replica<S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Replica")
            .field("me", &self.me)
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

/// Checks the author of votes, timeouts, proposals, batches and acknowledgements. Other messages may be relayed,
/// because they carry certificates.
fn check_sender<S: Scheme>(
    committees: &Committees<S>,
    from: MemberIndex,
    message: &Message<S>,
) -> Result<()> {
    if from >= committees.voters.len() {
        return Err(Error::UnknownSigner { index: from.into() });
    }
    let author = match message {
        Message::Proposal(block) => block.author,
        Message::Vote(vote) => vote.signer(),
        Message::Timeout(timeout) => timeout.vote.signer(),
        Message::Batch(batch) => batch.author(),
        Message::Acknowledge(vote) => vote.signer(),
        _ => from,
    };
    if author == from { Ok(()) } else { Err(Error::WrongContext { what: "author of the message" }) }
}
