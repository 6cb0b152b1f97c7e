//! `fixed-leader`: a complete protocol and its adapter in one file, for tests and for the page `PROTOCOL.md`.
//!
//! Member 0 is always the leader. Each member sends its oldest uncommitted batch to the leader; the leader proposes one
//! batch per block; the members vote; a quorum certificate over the block commits it.
//!
//! ```text
//!  member ──Batch──▶ leader ──Proposal──▶ all ──Vote──▶ leader ──Committed──▶ all
//!  member ──Hello──▶ leader ──Committed…──▶ member                               after a restart or a lost message
//! ```
//!
//! It is safe with fewer than a third faulty members, and live only while the leader is honest and running: there are no
//! views, so no other member replaces the leader.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use quorate::certificate::{Certificate, Kind, Statement, Suspects, Vote, VoteCollector};
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::guard::{Guard, GuardRecord};
use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
use quorate::merkle::{Hash, Merkle};
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};
use quorate_node::NodeError;
use quorate_node::genesis::Committees;
use quorate_node::protocol::*;
use quorate_protocol::batch::{Batch, BatchHeader, TRANSACTIONS};

/// Name of the protocol in genesis files.
pub const NAME: &str = "fixed-leader";

/// Signature scheme of votes.
type S = Ed25519;

/// A vote for a block. Statement: view = height, digest = the block's.
const BLOCK: Kind = Kind::new(1);
/// The member that proposes every block.
const LEADER: MemberIndex = 0;
/// Interval after which unanswered messages are sent again.
const RETRY: Duration = Duration::from_millis(100);
/// Maximum number of blocks in an answer to `Hello`.
const MAX_BLOCKS: usize = 32;

// ---------------------------------------------------------------------------------------------------------------------
// 1. The data: blocks, messages and records, each with one canonical encoding.
// ---------------------------------------------------------------------------------------------------------------------

/// A block: the header of the one batch that it orders, and the state that the leader has executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaderBlock {
    epoch: u64,
    height: u64,
    parent: Hash,
    batch: BatchHeader,
    executed: Executed,
    timestamp: u64,
}

/// A block with its batch and the certificate that commits it.
#[derive(Clone, Debug)]
pub struct CommittedBlock {
    block: Arc<LeaderBlock>,
    batch: Arc<Batch>,
    certificate: Certificate<S>,
}

/// Messages between replicas.
#[derive(Clone, Debug)]
pub enum LeaderMessage {
    /// To the leader: the sender's oldest uncommitted batch.
    Batch(Arc<Batch>),
    /// From the leader: the next block.
    Proposal(Arc<LeaderBlock>, Arc<Batch>),
    /// To the leader: a vote for its proposal.
    Vote(Vote<S>),
    /// A committed block. Any member may send it, because the certificate proves it.
    Committed(CommittedBlock),
    /// To the leader: the height that the sender has committed.
    Hello(u64),
}

/// Durable records of a replica.
#[derive(Clone, Debug)]
pub enum LeaderRecord {
    /// A batch, this member's own or one that it voted for.
    Batch(Arc<Batch>),
    /// A block that this member proposed or voted for.
    Block(Arc<LeaderBlock>),
    /// The last statement that the voting key signed.
    Guard(GuardRecord),
    /// The certificate that commits the block at a height.
    Certificate(u64, Certificate<S>),
    /// The committed tip.
    Tip(Tip),
}

/// The committed tip of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tip {
    height: u64,
    digest: Hash,
    /// For each member, the sequence number of its last committed batch.
    sequences: Vec<u64>,
}

impl LeaderBlock {
    fn digest(&self) -> Hash {
        domain::hash("quorate-example-fixed-leader-block", &self.encode())
    }
}

/// The statement that commits a block.
fn statement(committee: &Committee<S>, block: &LeaderBlock) -> Statement {
    committee.statement(BLOCK, block.height, block.digest())
}

/// Verifies that `certificate` commits `block`.
fn check_certificate(
    block: &LeaderBlock,
    certificate: &Certificate<S>,
    committee: &Committee<S>,
) -> Result<()> {
    if *certificate.statement() != statement(committee, block) {
        return Err(Error::Malformed { what: "statement of a block's certificate" });
    }
    certificate.check(committee)
}

// ---------------------------------------------------------------------------------------------------------------------
// 2. The replica: a pure state machine. It does no I/O; the node persists its records before it sends its messages.
// ---------------------------------------------------------------------------------------------------------------------

/// One member's replica.
pub struct Replica {
    committee: Arc<Committee<S>>,
    me: MemberIndex,
    guard: Guard<S>,
    tip: Tip,
    executed: Executed,
    /// This member's batches that are not committed, by sequence number.
    own: BTreeMap<u64, Arc<Batch>>,
    next_sequence: u64,
    /// Committed blocks that were not executed before the restart.
    undelivered: Vec<CommittedBlock>,
    /// The leader's proposal from before the restart.
    proposed: Option<(Arc<LeaderBlock>, Arc<Batch>)>,
    /// The leader's state; `None` at the other members.
    leader: Option<Leader>,
    behind: bool,
}

#[derive(Default)]
struct Leader {
    /// Batches to propose: at most one per member.
    queue: VecDeque<Arc<Batch>>,
    /// The proposal that collects votes.
    proposal: Option<Proposal>,
}

struct Proposal {
    block: Arc<LeaderBlock>,
    batch: Arc<Batch>,
    votes: VoteCollector<S>,
}

impl Machine for Replica {
    type Message = LeaderMessage;
    type Command = Command;
    type Timer = ();
    type Record = LeaderRecord;
    type Output = Action<FixedLeader>;
    type Fault = &'static str;

    fn decode(&self, _: MemberIndex, bytes: &[u8]) -> Result<LeaderMessage> {
        LeaderMessage::decode(bytes, &self.committee)
    }

    fn handle(&mut self, now: Time, input: Input<Self>) -> Step<Self> {
        let mut step = Step::new();
        match input {
            Input::Start => {
                for committed in std::mem::take(&mut self.undelivered) {
                    self.deliver(committed, &mut step);
                }
                if let Some((block, batch)) = self.proposed.take() {
                    self.start_proposal(block, batch, &mut step);
                }
                self.retry(&mut step);
            }
            Input::Timer(()) => self.retry(&mut step),
            Input::Message { from, message } => self.receive(from, message, &mut step),
            Input::Command(Command::Submit(batch)) => {
                step.persist(LeaderRecord::Batch(batch.clone()));
                self.next_sequence = batch.sequence() + 1;
                self.own.insert(batch.sequence(), batch);
                self.send_oldest(&mut step);
            }
            Input::Command(Command::Executed(executed)) => self.executed = executed,
            Input::Command(Command::Connected(LEADER)) => self.send_hello(&mut step),
            Input::Command(Command::Connected(_) | Command::OtherEpoch(_)) => {}
        }
        self.propose(now, &mut step);
        step
    }
}

impl Replica {
    fn receive(&mut self, from: MemberIndex, message: LeaderMessage, step: &mut Step<Self>) {
        match message {
            LeaderMessage::Batch(batch) if batch.author() == from => self.enqueue(batch),
            LeaderMessage::Proposal(block, batch) if from == LEADER => self.vote(block, batch, step),
            LeaderMessage::Vote(vote) if vote.signer() == from => self.count(vote, step),
            LeaderMessage::Committed(committed) => self.accept(from, committed, step),
            LeaderMessage::Hello(height) if self.leader.is_some() => {
                if height < self.tip.height {
                    step.output(Action::Serve { to: from, request: height + 1 });
                }
            }
            _ => step.fault(from, "a message that only another member may send"),
        }
    }

    /// The leader queues a batch unless it is committed, proposed or queued.
    fn enqueue(&mut self, batch: Arc<Batch>) {
        let Some(leader) = &mut self.leader else { return };
        let committed = self.tip.sequences.get(usize::from(batch.author())).copied().unwrap_or(u64::MAX);
        let proposed = leader.proposal.iter().map(|proposal| &proposal.batch);
        let waiting = leader.queue.iter().chain(proposed).any(|other| other.author() == batch.author());
        if batch.sequence() > committed && !waiting {
            leader.queue.push_back(batch);
        }
    }

    /// The leader proposes the next block if none is in flight. The block is durable before it leaves, so a restarted
    /// leader proposes the same block again.
    fn propose(&mut self, now: Time, step: &mut Step<Self>) {
        let Some(leader) = &mut self.leader else { return };
        if leader.proposal.is_some() {
            return;
        }
        let Some(batch) = leader.queue.pop_front() else { return };
        let block = LeaderBlock {
            epoch: self.committee.epoch(),
            height: self.tip.height + 1,
            parent: self.tip.digest,
            batch: *batch.header(),
            executed: self.executed,
            timestamp: now.0,
        };
        self.start_proposal(Arc::new(block), batch, step);
    }

    fn start_proposal(&mut self, block: Arc<LeaderBlock>, batch: Arc<Batch>, step: &mut Step<Self>) {
        let votes = VoteCollector::new(self.committee.clone(), BLOCK, block.height);
        if let Some(leader) = &mut self.leader {
            leader.proposal = Some(Proposal { block: block.clone(), batch: batch.clone(), votes });
        }
        step.broadcast(LeaderMessage::Proposal(block.clone(), batch.clone()));
        self.vote(block, batch, step);
    }

    /// Votes for the block that extends the tip. The guard refuses a second block at the same height.
    fn vote(&mut self, block: Arc<LeaderBlock>, batch: Arc<Batch>, step: &mut Step<Self>) {
        self.behind = block.height > self.tip.height + 1;
        if block.height != self.tip.height + 1 || block.parent != self.tip.digest {
            return;
        }
        let Ok((vote, record)) = self.guard.sign(&self.committee, statement(&self.committee, &block)) else {
            return step.fault(LEADER, "two proposals at one height");
        };
        step.persist(LeaderRecord::Batch(batch));
        step.persist(LeaderRecord::Block(block));
        step.persist(LeaderRecord::Guard(record));
        if self.me == LEADER {
            self.count(vote, step);
        } else {
            step.send(LEADER, LeaderMessage::Vote(vote));
        }
    }

    /// The leader counts a vote; the one that completes a quorum commits the block.
    fn count(&mut self, vote: Vote<S>, step: &mut Step<Self>) {
        let Some(proposal) = self.leader.as_mut().and_then(|leader| leader.proposal.as_mut()) else { return };
        if vote.statement().view != proposal.block.height {
            return; // A late vote for a committed block.
        }
        let collected = proposal.votes.add(vote, &mut Suspects::new());
        for fault in &collected.faults {
            step.fault(fault.signer(), "a bad vote");
        }
        let Some(certificate) = collected.certificate else { return };
        let (block, batch) = (proposal.block.clone(), proposal.batch.clone());
        let committed = CommittedBlock { block, batch, certificate: certificate.into_inner() };
        step.broadcast(LeaderMessage::Committed(committed.clone()));
        if let Some(leader) = &mut self.leader {
            leader.proposal = None;
        }
        self.commit(committed, step);
    }

    /// Commits a block from another member if it is the next one and its certificate is valid.
    fn accept(&mut self, from: MemberIndex, committed: CommittedBlock, step: &mut Step<Self>) {
        let CommittedBlock { block, batch, certificate } = &committed;
        self.behind = block.height > self.tip.height + 1;
        if block.height != self.tip.height + 1 {
            return;
        }
        let extends = block.parent == self.tip.digest && block.batch == *batch.header();
        if !extends || check_certificate(block, certificate, &self.committee).is_err() {
            return step.fault(from, "a committed block without a valid certificate");
        }
        self.commit(committed, step);
    }

    fn commit(&mut self, committed: CommittedBlock, step: &mut Step<Self>) {
        let CommittedBlock { block, batch, certificate } = &committed;
        self.tip.height = block.height;
        self.tip.digest = block.digest();
        if let Some(last) = self.tip.sequences.get_mut(usize::from(batch.author())) {
            *last = batch.sequence();
        }
        step.persist(LeaderRecord::Batch(batch.clone()));
        step.persist(LeaderRecord::Block(block.clone()));
        step.persist(LeaderRecord::Certificate(block.height, certificate.clone()));
        step.persist(LeaderRecord::Tip(self.tip.clone()));
        self.deliver(committed, step);
        self.send_oldest(step);
    }

    fn deliver(&mut self, committed: CommittedBlock, step: &mut Step<Self>) {
        let CommittedBlock { block, batch, certificate } = committed;
        let mut own_batches = Vec::new();
        if batch.author() == self.me {
            let sequence = batch.sequence();
            self.own.remove(&sequence);
            step.output(Action::OwnBatch { sequence, state: OwnBatchState::Committed });
            own_batches.push(sequence);
        }
        let (batches, finality) = (vec![batch], Arc::new(certificate));
        step.output(Action::Deliver(Box::new(Delivery { block, batches, finality, own_batches })));
    }

    /// Sends this member's oldest uncommitted batch to the leader. One at a time keeps each member's batches in order.
    fn send_oldest(&mut self, step: &mut Step<Self>) {
        let Some(batch) = self.own.values().next().cloned() else { return };
        if self.me == LEADER {
            self.enqueue(batch);
        } else {
            step.send(LEADER, LeaderMessage::Batch(batch));
        }
    }

    fn send_hello(&mut self, step: &mut Step<Self>) {
        if self.me != LEADER {
            step.send(LEADER, LeaderMessage::Hello(self.tip.height));
        }
    }

    /// Repeats messages that may have been lost.
    fn retry(&mut self, step: &mut Step<Self>) {
        self.send_hello(step);
        self.send_oldest(step);
        if let Some(Proposal { block, batch, .. }) = self.leader.as_ref().and_then(|l| l.proposal.as_ref()) {
            step.broadcast(LeaderMessage::Proposal(block.clone(), batch.clone()));
        }
        step.set_timer((), RETRY);
    }

    /// Creates a replica from its records; see step 4.
    fn restore(
        setup: MachineSetup<'_, FixedLeader>,
        records: Vec<LeaderRecord>,
    ) -> quorate_node::Result<Self> {
        let committee = setup.committees.voters.clone();
        let me = setup.me.ok_or(NodeError::Stopped { why: "fixed-leader has no observers".into() })?;
        let genesis = domain::hash(
            "quorate-example-fixed-leader-genesis",
            &[committee.id().0, setup.genesis_root].concat(),
        );
        let mut tip = Tip { height: 0, digest: genesis, sequences: vec![0; usize::from(committee.len())] };
        let (mut guards, mut batches) = (Vec::new(), BTreeMap::new());
        let (mut blocks, mut certificates) = (BTreeMap::new(), BTreeMap::new());
        for record in records {
            match record {
                LeaderRecord::Batch(batch) => drop(batches.insert(batch.digest(), batch)),
                LeaderRecord::Block(block) => drop(blocks.insert(block.height, block)),
                LeaderRecord::Guard(record) => guards.push(record),
                LeaderRecord::Certificate(height, certificate) => {
                    certificates.insert(height, certificate);
                }
                LeaderRecord::Tip(newest) => tip = newest,
            }
        }
        let missing = || NodeError::corrupt("the chain", "a committed block is incomplete");
        let mut undelivered = Vec::new();
        for height in setup.executed.height + 1..=tip.height {
            let block: Arc<LeaderBlock> = blocks.remove(&height).ok_or_else(missing)?;
            let batch = batches.get(&block.batch.digest()).cloned().ok_or_else(missing)?;
            let certificate = certificates.remove(&height).ok_or_else(missing)?;
            undelivered.push(CommittedBlock { block, batch, certificate });
        }
        let last = |member: MemberIndex| tip.sequences.get(usize::from(member)).copied().unwrap_or(0);
        let own: BTreeMap<u64, Arc<Batch>> = batches
            .values()
            .filter(|batch| batch.author() == me && batch.sequence() > last(me))
            .map(|batch| (batch.sequence(), batch.clone()))
            .collect();
        let used = own.keys().next_back().copied().unwrap_or(0).max(last(me));
        let mut replica = Self {
            guard: Guard::restore(setup.keys.voting::<S>()?, committee.chain(), guards)?,
            committee,
            me,
            executed: setup.executed,
            own,
            next_sequence: setup.first_sequence.max(used + 1),
            undelivered,
            proposed: None,
            leader: (me == LEADER).then(Leader::default),
            behind: false,
            tip,
        };
        // The leader proposed the block above the tip before the restart.
        let proposed = blocks.remove(&(replica.tip.height + 1)).filter(|_| me == LEADER);
        replica.proposed = proposed
            .and_then(|block| batches.get(&block.batch.digest()).cloned().map(|batch| (block, batch)));
        Ok(replica)
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// 3. The view of a block for clients.
// ---------------------------------------------------------------------------------------------------------------------

impl Block<FixedLeader> for LeaderBlock {
    fn digest(&self) -> Hash {
        Self::digest(self)
    }
    fn epoch(&self) -> u64 {
        self.epoch
    }
    fn view(&self) -> u64 {
        self.height
    }
    fn height(&self) -> u64 {
        self.height
    }
    fn author(&self) -> Option<MemberIndex> {
        Some(LEADER)
    }
    fn parent(&self) -> Hash {
        self.parent
    }
    fn timestamp(&self) -> u64 {
        self.timestamp
    }
    fn executed(&self) -> Executed {
        self.executed
    }
    fn payload(&self) -> Vec<BatchSummary> {
        let BatchHeader { slot, count, bytes, root } = self.batch;
        let digest = self.batch.digest().0;
        vec![BatchSummary { digest, author: slot.author, sequence: slot.sequence, count, bytes, root }]
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// 4. The adapter.
// ---------------------------------------------------------------------------------------------------------------------

/// The protocol, as a type without values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixedLeader {}

impl Protocol for FixedLeader {
    type Scheme = S;
    type Machine = Replica;
    type Block = LeaderBlock;
    type Batch = Batch;
    type Finality = Certificate<S>;
    type Context = Committee<S>;
    /// The height from which a member asks for blocks.
    type Request = u64;

    const NAME: &'static str = NAME;
    const TRANSACTIONS: Merkle<'static> = TRANSACTIONS;
    /// The record of each height contains the certificate.
    const STORES_NEWEST_FINALITY: bool = false;

    fn context(committees: &Committees<S>) -> Committee<S> {
        Committee::clone(&committees.voters)
    }

    fn machine(setup: MachineSetup<'_, Self>, archive: &dyn Archive<Self>) -> quorate_node::Result<Replica> {
        Replica::restore(setup, archive.load()?)
    }

    fn next_sequence(replica: &Replica) -> u64 {
        replica.next_sequence
    }

    fn status(replica: &Replica) -> Status {
        let committed = replica.tip.height;
        let view = committed + 1;
        Status {
            view,
            leader: Some(LEADER),
            committed,
            timeouts: 0,
            catching_up: replica.behind,
            pruned_history: None,
            abstention: None,
            presigned_epochs: None,
        }
    }

    fn command(command: Command) -> Result<Command> {
        Ok(command)
    }

    fn action(action: Action<Self>, _: Option<MemberIndex>) -> Option<Action<Self>> {
        Some(action)
    }

    fn fault_report(description: &&'static str) -> FaultReport {
        FaultReport { code: "BAD_MESSAGE", description, strike: true }
    }

    fn is_bulk(message: &LeaderMessage) -> bool {
        matches!(message, LeaderMessage::Batch(_) | LeaderMessage::Committed(_))
    }

    /// Never: this protocol does not acknowledge batches before it orders them.
    fn stores_only_batches(_: &Step<Replica>) -> bool {
        false
    }

    fn message_weight(message: &LeaderMessage) -> usize {
        match message {
            LeaderMessage::Committed(committed) => committed.batch.bytes(),
            _ => 0,
        }
    }

    fn record_kind(record: &LeaderRecord) -> RecordKind<'_, Self> {
        match record {
            LeaderRecord::Batch(batch) => RecordKind::Batch(batch),
            LeaderRecord::Block(block) => RecordKind::Block(block),
            LeaderRecord::Guard(_) => RecordKind::Latest(LatestRecord::VoteGuard(BLOCK.number())),
            LeaderRecord::Certificate(height, _) => RecordKind::AtHeight(*height),
            LeaderRecord::Tip(_) => RecordKind::Latest(LatestRecord::CommittedTip),
        }
    }

    fn batch_record(batch: Arc<Batch>) -> LeaderRecord {
        LeaderRecord::Batch(batch)
    }

    fn block_record(block: Arc<LeaderBlock>) -> LeaderRecord {
        LeaderRecord::Block(block)
    }

    fn decode_record(bytes: &[u8], committee: &Committee<S>) -> Result<LeaderRecord> {
        LeaderRecord::decode(bytes, committee)
    }

    fn finality(
        archive: &dyn Archive<Self>,
        block: &LeaderBlock,
    ) -> quorate_node::Result<Option<Certificate<S>>> {
        Ok(match archive.record_at(block.height)? {
            Some(LeaderRecord::Certificate(_, certificate)) => Some(certificate),
            _ => None,
        })
    }

    fn certificate(
        archive: &dyn Archive<Self>,
        block: &LeaderBlock,
    ) -> quorate_node::Result<(Vec<u8>, Vec<MemberIndex>)> {
        let certificate = Self::finality(archive, block)?;
        Ok(certificate.map(|shown| (shown.encode(), shown.signers().iter().collect())).unwrap_or_default())
    }

    fn answer(
        archive: &dyn Archive<Self>,
        from: u64,
        send: &mut dyn FnMut(&LeaderMessage),
    ) -> quorate_node::Result<()> {
        for height in (from..).take(MAX_BLOCKS) {
            let Some(block) = archive.block_at(height)? else { break };
            let Some(certificate) = Self::finality(archive, &block)? else { break };
            let Some(batch) = archive.batch(&block.batch.digest().0)? else { break };
            send(&LeaderMessage::Committed(CommittedBlock { block, batch, certificate }));
        }
        Ok(())
    }

    fn check_committed(
        block: &LeaderBlock,
        certificate: &Certificate<S>,
        committee: &Committee<S>,
    ) -> Result<()> {
        check_certificate(block, certificate, committee)
    }

    fn certificate_bytes(certificate: &Certificate<S>) -> usize {
        certificate.encoded_len()
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// 5. Encodings: a tag, then the fields.
// ---------------------------------------------------------------------------------------------------------------------

impl Encode for LeaderBlock {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.epoch);
        w.u64(self.height);
        w.raw(&self.parent);
        self.batch.encode_to(w);
        w.u64(self.executed.height);
        w.raw(&self.executed.state_root);
        w.u64(self.timestamp);
    }
}

impl Decode<Committee<S>> for LeaderBlock {
    fn decode_from(r: &mut Reader<'_>, _: &Committee<S>) -> Result<Self> {
        Ok(Self {
            epoch: r.u64()?,
            height: r.u64()?,
            parent: r.array()?,
            batch: BatchHeader::decode_from(r, &())?,
            executed: Executed { height: r.u64()?, state_root: r.array()? },
            timestamp: r.u64()?,
        })
    }
}

impl Encode for LeaderMessage {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Self::Batch(batch) => {
                w.u8(1);
                batch.encode_to(w);
            }
            Self::Proposal(block, batch) => {
                w.u8(2);
                block.encode_to(w);
                batch.encode_to(w);
            }
            Self::Vote(vote) => {
                w.u8(3);
                vote.encode_to(w);
            }
            Self::Committed(CommittedBlock { block, batch, certificate }) => {
                w.u8(4);
                block.encode_to(w);
                batch.encode_to(w);
                certificate.encode_to(w);
            }
            Self::Hello(height) => {
                w.u8(5);
                w.u64(*height);
            }
        }
    }
}

impl Decode<Committee<S>> for LeaderMessage {
    fn decode_from(r: &mut Reader<'_>, committee: &Committee<S>) -> Result<Self> {
        let tag = r.u8()?;
        let block = |r: &mut Reader<'_>| {
            let block = LeaderBlock::decode_from(r, committee)?;
            let batch = Batch::decode_from(r, &())?;
            match block.batch == *batch.header() {
                true => Ok((Arc::new(block), Arc::new(batch))),
                false => Err(Error::Malformed { what: "block with the header of another batch" }),
            }
        };
        Ok(match tag {
            1 => Self::Batch(Arc::new(Batch::decode_from(r, &())?)),
            2 => {
                let (block, batch) = block(r)?;
                Self::Proposal(block, batch)
            }
            3 => Self::Vote(Vote::decode_from(r, &())?),
            4 => {
                let (block, batch) = block(r)?;
                let certificate = Certificate::decode_from(r, committee)?;
                Self::Committed(CommittedBlock { block, batch, certificate })
            }
            5 => Self::Hello(r.u64()?),
            _ => return Err(Error::Malformed { what: "message tag" }),
        })
    }
}

impl Encode for LeaderRecord {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Self::Batch(batch) => {
                w.u8(1);
                batch.encode_to(w);
            }
            Self::Block(block) => {
                w.u8(2);
                block.encode_to(w);
            }
            Self::Guard(record) => {
                w.u8(3);
                record.encode_to(w);
            }
            Self::Certificate(height, certificate) => {
                w.u8(4);
                w.u64(*height);
                certificate.encode_to(w);
            }
            Self::Tip(tip) => {
                w.u8(5);
                w.u64(tip.height);
                w.raw(&tip.digest);
                w.count(tip.sequences.len());
                tip.sequences.iter().for_each(|sequence| w.u64(*sequence));
            }
        }
    }
}

impl Decode<Committee<S>> for LeaderRecord {
    fn decode_from(r: &mut Reader<'_>, committee: &Committee<S>) -> Result<Self> {
        Ok(match r.u8()? {
            1 => Self::Batch(Arc::new(Batch::decode_from(r, &())?)),
            2 => Self::Block(Arc::new(LeaderBlock::decode_from(r, committee)?)),
            3 => Self::Guard(GuardRecord::decode_from(r, &())?),
            4 => Self::Certificate(r.u64()?, Certificate::decode_from(r, committee)?),
            5 => {
                let (height, digest) = (r.u64()?, r.array()?);
                let members = r.count("sequence numbers", usize::from(committee.len()))?;
                let sequences = (0..members).map(|_| r.u64()).collect::<Result<_>>()?;
                Self::Tip(Tip { height, digest, sequences })
            }
            _ => return Err(Error::Malformed { what: "record tag" }),
        })
    }
}
