//! The state machine: it takes inputs in, and lets the parts of this crate say what follows.
//!
//! | file | what it handles |
//! |---|---|
//! | `restore` | making a replica, and making it again from its records |
//! | `propose` | proposals, own and others' |
//! | `vote` | votes for blocks, own and others' |
//! | `timeout` | giving views up, and helping those who are behind |
//! | `certificates` | what follows from a quorum or timeout certificate |
//! | `commit` | commits, deliveries, states |
//! | `batches` | dissemination of batches |
//! | `catchup` | asking for what is missing, answering those who ask |

mod batches;
mod catchup;
mod certificates;
mod commit;
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

pub use restore::Config;

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

/// How many verified certificates are remembered, and how far ahead votes are collected.
const VIEW_WINDOW: usize = 64;
/// How many delivered blocks may wait for their execution before delivery waits too.
const MAX_UNEXECUTED: u64 = 128;
/// The shortest time until something is sent again.
const MIN_RETRY: core::time::Duration = core::time::Duration::from_millis(20);

/// One validator. See the [crate](crate).
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
    sync: Synchronizer<S>,
    execution: Execution,

    /// Votes by view, for views that are not certified.
    votes: BTreeMap<u64, VoteCollector<S>>,
    suspects: Suspects,
    last_vote: Option<Vote<S>>,
    /// The block of this view that this member would vote for.
    candidate: Option<BlockDigest>,
    /// The first proposal of each author in each view.
    proposals: BTreeMap<(u64, MemberIndex), Vote<Ed25519>>,
    /// Each author's last block whose parent is missing.
    orphans: BTreeMap<MemberIndex, Arc<Block<S>>>,
    /// Verified certificates by view.
    verified: BTreeMap<u64, Certificate<S>>,
    verified_tc: Option<TimeoutCertificate<S>>,
    last_block_at: Option<Time>,
    /// When a member was last sent what it missed.
    advance_sent_at: BTreeMap<MemberIndex, Time>,

    /// Committed blocks that were not delivered.
    queue: VecDeque<FinalizedBlock<S>>,
    delivered: u64,
    /// Heights and bytes of the blocks that were delivered and not executed.
    unexecuted: VecDeque<(u64, usize)>,
    next_sequence: u64,
    /// Whether there were no records.
    has_no_records: bool,
    /// How often a view timed out from which it abstains for that reason.
    abstained: u32,
    timeouts: u64,

    view_timer: Option<u64>,
    propose_timer: bool,
    retry_timer: Option<Time>,
}

type ReplicaStep<S> = Step<Replica<S>>;

impl<S: Scheme> Replica<S> {
    /// The number for this member's next batch.
    pub fn next_sequence(&self) -> u64 {
        self.next_sequence
    }

    /// What decoders need to know; a link can use it to decode on its own thread.
    pub fn committees(&self) -> &Committees<S> {
        &self.committees
    }

    /// A few numbers.
    pub fn status(&self) -> Status {
        Status {
            view: self.pacemaker.view(),
            leader: self.leader(),
            certified_view: self.pacemaker.certified(),
            committed: self.tree.root().height,
            delivered: self.delivered,
            timeouts: self.timeouts,
            outstanding: self.mempool.outstanding(),
            pending: self.mempool.pending(),
            blocks: self.tree.nodes().count(),
            catching_up: self.sync.is_active(),
        }
    }

    /// Who leads the current view, as far as this member knows: by the chain of its highest certificate, or by the
    /// committed chain while that is incomplete.
    fn leader(&self) -> MemberIndex {
        let high = self.high_digest();
        let state = self.tree.state(&high).unwrap_or(&self.tree.root().state);
        state.reputation.leader(&self.committees.voters, self.pacemaker.view())
    }

    /// The block of the highest certificate; the genesis if there is none.
    fn high_digest(&self) -> BlockDigest {
        self.pacemaker.high().map_or(self.tree.root().digest, |qc| BlockDigest(qc.statement().digest))
    }

    fn dispatch(&mut self, input: Input<Self>, out: &mut ReplicaStep<S>) {
        match input {
            Input::Start => self.on_start(out),
            Input::Message { from, message } => match check_sender(&self.committees, from, &message) {
                Ok(()) if from != self.me => self.on_message(from, message, out),
                Ok(()) => {}
                Err(error) => out.fault(from, Evidence::Invalid { what: "sender of a message", error }),
            },
            Input::Timer(Timer::View) => {
                self.view_timer = None;
                self.on_view_timer(out);
            }
            Input::Timer(Timer::Propose) => {
                self.propose_timer = false;
            }
            Input::Timer(Timer::Retry) => self.retry_timer = None,
            Input::Command(Command::Seal(batch)) => self.on_seal(batch, out),
            Input::Command(Command::Executed(executed)) => self.on_executed(executed, out),
            Input::Command(Command::Connected(peer)) => self.on_connected(peer, out),
        }
    }

    fn on_message(&mut self, from: MemberIndex, message: Message<S>, out: &mut ReplicaStep<S>) {
        match message {
            Message::Proposal(block) => self.on_proposal(from, block, out),
            Message::Vote(vote) => self.on_vote(vote, out),
            Message::Timeout(timeout) => self.on_timeout(from, *timeout, out),
            Message::Advance(advance) => self.on_advance(from, *advance, out),
            Message::Hello { .. } => self.send_advance(from, out),
            Message::Batch(batch) => self.on_batch(from, batch, out),
            Message::Acknowledge(vote) => self.on_acknowledge(vote, out),
            Message::Certified(batch) => self.on_certified(from, *batch, out),
            Message::BlockRequest { from: height, target } => {
                self.on_block_request(from, height, &target, out)
            }
            Message::Blocks(blocks) => self.on_blocks(from, blocks, out),
            Message::BatchRequest(digests) => self.on_batch_request(from, digests, out),
            Message::BatchReply(batch) => self.on_batch_reply(batch, out),
        }
    }

    /// Whether another block is needed: for batches that are certified and not committed, or to state, in a
    /// committed block, the state after the last batches. Clients cannot prove that state before.
    fn wants_block(&self) -> bool {
        let root = self.tree.root();
        let payload = root.state.payload_height;
        self.mempool.pending() > 0
            || (root.executed.height < payload && self.execution.newest().height >= payload)
    }

    /// Whether the view's timer should run.
    fn has_work(&self) -> bool {
        self.wants_block() || self.pacemaker.sent.is_some()
    }

    /// Proposes if it is time, asks for what is missing, and makes the timers agree with the state.
    fn finish_step(&mut self, out: &mut ReplicaStep<S>) {
        self.try_propose(out);
        self.resend_batches(out);
        self.send_requests(out);
        let view = self.has_work().then_some(self.pacemaker.view());
        if view != self.view_timer {
            match view {
                Some(_) => out.set_timer(Timer::View, self.pacemaker.patience(&self.parameters)),
                None => out.cancel_timer(Timer::View),
            }
            self.view_timer = view;
        }
        let full = self.queue.len() >= self.parameters.max_undelivered;
        let due = [self.sync.due(full), self.mempool.due()].into_iter().flatten().min();
        match (due, self.retry_timer) {
            (None, Some(_)) => {
                out.cancel_timer(Timer::Retry);
                self.retry_timer = None;
            }
            (Some(due), armed) => {
                let due = due.max(self.now.plus(MIN_RETRY));
                // A timer that fires too early only looks again; moving it with every message would cost more.
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

/// Votes, proposals and batches come from those who made them; whatever else is passed on has certificates.
fn check_sender<S: Scheme>(
    committees: &Committees<S>,
    from: MemberIndex,
    message: &Message<S>,
) -> Result<()> {
    if from >= committees.voters.len() {
        return Err(Error::UnknownSigner { index: from.into() });
    }
    let maker = match message {
        Message::Proposal(block) => block.author,
        Message::Vote(vote) => vote.signer(),
        Message::Timeout(timeout) => timeout.vote.signer(),
        Message::Batch(batch) => batch.author(),
        Message::Acknowledge(vote) => vote.signer(),
        _ => from,
    };
    if maker == from { Ok(()) } else { Err(Error::WrongContext { what: "maker of the message" }) }
}
