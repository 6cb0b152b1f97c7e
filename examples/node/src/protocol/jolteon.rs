use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use quorate::machine::{MemberIndex, Step};
use quorate::merkle::{Hash, Merkle, Path};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate_jolteon::{
    BatchDigest, BlockDigest, Committees, Config, Evidence, Finality, HistoryRequest, MAX_LINKS,
    MAX_RANGE_BLOCKS, MAX_RANGE_BYTES, Record, RecordKey, Replica, TRANSACTIONS, block_range,
};

use super::{
    Action, Batch, Block, Command, Delivery, Executed, Judgement, Kept, Part, Protocol, Setup, Status,
    invalid,
};
use crate::Result;
use crate::genesis::{self, Parameters};
use crate::store::Store;

/// [Jolteon](quorate_jolteon), whose votes are signed with `S`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jolteon<S>(PhantomData<S>);

type Message<S> = quorate_jolteon::Message<S>;
type Output<S> = quorate_jolteon::Output<S>;

impl<S: Scheme> Protocol for Jolteon<S> {
    type Scheme = S;
    type Machine = Replica<S>;
    type Block = quorate_jolteon::Block<S>;
    type Batch = quorate_jolteon::Batch;
    type Finality = Finality<S>;
    type Context = Committees<S>;
    type Request = HistoryRequest;

    const TRANSACTIONS: Merkle<'static> = TRANSACTIONS;
    const KEEPS_NEWEST_FINALITY: bool = true;

    fn context(committees: &genesis::Committees<S>) -> Committees<S> {
        Committees { voters: committees.voters.clone(), identities: committees.identities.clone() }
    }

    fn machine(setup: Setup<'_, Self>, store: &Store<Self>) -> Result<Replica<S>> {
        // Its members never change: nobody looks on who waits to become one.
        let me = setup.me.ok_or(quorate::Error::WrongContext { what: "node; it is no member" })?;
        let config = Config {
            voters: setup.committees.voters.clone(),
            identities: setup.committees.identities.clone(),
            me,
            voting_key: setup.keys.voting::<S>()?,
            identity_key: setup.keys.identity()?,
            genesis_root: setup.genesis_root,
            executed: setup.executed,
            recent: setup.recent,
            first_sequence: setup.first_sequence,
            parameters: parameters(&setup.genesis.parameters),
        };
        Ok(Replica::new(config, store.load()?)?)
    }

    fn next_sequence(replica: &Replica<S>) -> u64 {
        replica.next_sequence()
    }

    fn status(replica: &Replica<S>) -> Status {
        let quorate_jolteon::Status { view, leader, committed, timeouts, catching_up, .. } = replica.status();
        Status { view, leader, committed, timeouts, catching_up }
    }

    fn command(command: Command) -> quorate::Result<quorate_jolteon::Command> {
        Ok(match command {
            Command::Submit(batch) => quorate_jolteon::Command::Seal(batch),
            Command::Executed(executed) => quorate_jolteon::Command::Executed(executed),
            Command::Connected(member) => quorate_jolteon::Command::Connected(member),
            // There is but one epoch.
            Command::Elsewhere(_) => return Err(quorate::Error::WrongContext { what: "epoch" }),
        })
    }

    fn act(output: Output<S>, me: Option<MemberIndex>) -> Option<Action<Self>> {
        Some(match output {
            Output::Deliver(delivery) => {
                let quorate_jolteon::Delivery { block, batches, finality, .. } = *delivery;
                let own =
                    batches.iter().filter(|batch| Some(batch.author()) == me).map(|batch| batch.sequence());
                let own_batches = own.collect();
                Action::Deliver(Box::new(Delivery { block, batches, finality, own_batches }))
            }
            Output::OwnBatch { sequence, state } => Action::OwnBatch { sequence, state },
            Output::Congestion(congested) => Action::Congestion(congested),
            Output::Serve { to, request } => Action::Serve { to, request },
            Output::Forget(batches) => {
                Action::ForgetBatches(batches.into_iter().map(|digest| digest.0).collect())
            }
            Output::ForgetBlocks(blocks) => {
                Action::ForgetBlocks(blocks.into_iter().map(|digest| digest.0).collect())
            }
            Output::View { view, leader, timed_out } => Action::View { view, leader, timed_out },
        })
    }

    fn judge(evidence: &Evidence<S>) -> Judgement {
        let charge = |code, what| Judgement { code, what, strike: false };
        match evidence {
            Evidence::Votes(_) => charge("EQUIVOCATION", "two votes in one view"),
            Evidence::Identity(_) => {
                charge("EQUIVOCATION", "two proposals in one view, or two batches of one number")
            }
            Evidence::Invalid { what, error } => invalid(what, error),
            Evidence::Proposal { rule, .. } => charge("BAD_PROPOSAL", rule),
            Evidence::StateRoot { .. } => {
                charge("STATE_ROOT", "a block states another state root than this node computed")
            }
            Evidence::Unexpected { what } => Judgement { code: "UNEXPECTED", what, strike: true },
        }
    }

    fn is_bulk(message: &Message<S>) -> bool {
        message.is_bulk()
    }

    /// An acknowledgement speaks of its batch alone, and no other message claims that this node holds a batch.
    fn concerns_batches_alone(step: &Step<Replica<S>>) -> bool {
        let records = step.persist.iter().all(|record| matches!(record, Record::Batch(_)));
        let messages = step.messages.iter().all(|outgoing| {
            matches!(outgoing.message, Message::Batch(_) | Message::Acknowledge(_) | Message::BatchRequest(_))
        });
        !step.persist.is_empty() && records && messages
    }

    fn message_weight(message: &Message<S>) -> usize {
        match message {
            Message::BatchReply(batch) => batch.bytes(),
            _ => 0,
        }
    }

    fn keep(record: &Record<S>) -> Kept<'_, Self> {
        match record {
            Record::Batch(batch) => Kept::Batch(batch),
            Record::Block(block) => Kept::Block(block),
            _ => Kept::Newest(small_key(&record.key())),
        }
    }

    fn batch_record(batch: Arc<quorate_jolteon::Batch>) -> Record<S> {
        Record::Batch(batch)
    }

    fn block_record(block: Arc<quorate_jolteon::Block<S>>) -> Record<S> {
        Record::Block(block)
    }

    fn decode_record(bytes: &[u8], committees: &Committees<S>) -> quorate::Result<Record<S>> {
        Record::decode(bytes, committees)
    }

    /// Blocks carry the certificates of their parents, so the chain itself shows why all but its newest blocks are
    /// committed.
    fn finality(store: &Store<Self>, block: &quorate_jolteon::Block<S>) -> Result<Option<Finality<S>>> {
        let (mut chain, mut certificate) = (vec![], None);
        for height in (block.height..).take(MAX_LINKS + 2) {
            match store.block_at(height)? {
                Some(next) => chain.push(next),
                None => {
                    // Behind the newest executed block comes what committed it.
                    let tip = chain.last().map(|tip: &Arc<quorate_jolteon::Block<S>>| tip.digest());
                    let newest = store.newest_finality()?;
                    let newest = newest.filter(|f| f.links.first().map(|link| link.parent) == tip);
                    certificate = newest.map(|finality| {
                        chain.extend(finality.links);
                        finality.certificate
                    });
                    break;
                }
            }
            if committing_link(&chain).is_some_and(|at| at + 1 < chain.len()) {
                break;
            }
        }
        let Some(at) = committing_link(&chain).filter(|at| *at <= MAX_LINKS) else { return Ok(None) };
        let certificate = match chain.get(at + 1) {
            Some(next) => next.justify.clone(),
            None => certificate,
        };
        let links = chain.into_iter().take(at + 1).skip(1).collect();
        Ok(certificate.map(|certificate| Finality { links, certificate }))
    }

    /// The one that it carries, of its parent.
    fn certificate(
        _: &Store<Self>,
        block: &quorate_jolteon::Block<S>,
    ) -> Result<(Vec<u8>, Vec<MemberIndex>)> {
        let shown = block.justify.as_ref().map(|qc| (qc.encode(), qc.signers().iter().collect()));
        Ok(shown.unwrap_or_default())
    }

    fn answer(store: &Store<Self>, request: HistoryRequest, send: &mut dyn FnMut(&Message<S>)) -> Result<()> {
        match request {
            HistoryRequest::Blocks { from } => {
                let blocks = store.history(from, MAX_RANGE_BLOCKS, MAX_RANGE_BYTES)?;
                if !blocks.is_empty() {
                    send(&block_range(blocks));
                }
            }
            HistoryRequest::Batches(digests) => {
                for BatchDigest(digest) in digests {
                    if let Some(batch) = store.batch(&digest)? {
                        send(&Message::BatchReply(batch));
                    }
                }
            }
        }
        Ok(())
    }

    /// The authors' signatures add nothing to the committee's word; without them, those bytes of a proof could be
    /// anything.
    fn check_committed(
        block: &quorate_jolteon::Block<S>,
        finality: &Finality<S>,
        committees: &Committees<S>,
    ) -> quorate::Result<()> {
        finality.verify(&committees.voters, block)?;
        let blocks = std::iter::once(block).chain(finality.links.iter().map(|link| &**link));
        blocks.map(|block| block.proposal(committees)).try_for_each(|vote| vote.check(&committees.identities))
    }

    fn certificate_bytes(finality: &Finality<S>) -> usize {
        finality.certificate.encoded_len()
    }
}

impl<S: Scheme> Block for quorate_jolteon::Block<S> {
    fn digest(&self) -> Hash {
        let BlockDigest(digest) = Self::digest(self);
        digest
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn view(&self) -> u64 {
        self.view
    }

    fn height(&self) -> u64 {
        self.height
    }

    fn author(&self) -> MemberIndex {
        self.author
    }

    fn parent(&self) -> Hash {
        self.parent.0
    }

    fn timestamp(&self) -> u64 {
        self.timestamp
    }

    fn executed(&self) -> Executed {
        self.executed
    }

    fn payload(&self) -> Vec<Part> {
        let part = |named: &quorate_jolteon::BatchRef| Part {
            digest: named.digest().0,
            author: named.header.slot.author,
            sequence: named.header.slot.sequence,
            count: named.header.count,
            bytes: named.header.bytes,
            root: named.header.root,
        };
        self.payload.iter().map(part).collect()
    }
}

impl Batch for quorate_jolteon::Batch {
    fn digest(&self) -> Hash {
        let BatchDigest(digest) = Self::digest(self);
        digest
    }

    fn ids(&self) -> &[Hash] {
        Self::ids(self)
    }

    fn transactions(&self) -> impl Iterator<Item = &[u8]> {
        Self::transactions(self)
    }

    fn transaction(&self, position: usize) -> Option<&[u8]> {
        Self::transaction(self, position)
    }

    fn path(&self, position: usize) -> quorate::Result<Path> {
        Self::path(self, position)
    }

    fn bytes(&self) -> usize {
        Self::bytes(self)
    }
}

/// The replica's parameters: its defaults, but for what the genesis says.
fn parameters(p: &Parameters) -> quorate_jolteon::Parameters {
    let milliseconds = |ms: u32| Duration::from_millis(ms.into());
    quorate_jolteon::Parameters {
        view_timeout: milliseconds(p.view_timeout_ms),
        view_timeout_cap: milliseconds(p.max_view_timeout_ms),
        batch_bytes: p.batch_bytes as usize,
        batch_delay: milliseconds(p.batch_delay_ms),
        ..quorate_jolteon::Parameters::default()
    }
}

/// The keys of the records that replace each other: what data directories hold.
fn small_key(key: &RecordKey) -> [u8; 2] {
    match key {
        RecordKey::Batch(_) => [1, 0],
        RecordKey::Block(_) => [2, 0],
        RecordKey::VoteGuard(kind) => [3, *kind],
        RecordKey::ProposalGuard(kind) => [4, *kind],
        RecordKey::Timeout => [5, 0],
        RecordKey::Committed => [6, 0],
    }
}

/// The first block of a chain, behind its first one, whose view follows on its parent's.
fn committing_link<S: Scheme>(chain: &[Arc<quorate_jolteon::Block<S>>]) -> Option<usize> {
    let consecutive = |pair: &[Arc<quorate_jolteon::Block<S>>]| matches!(pair, [a, b] if a.view.checked_add(1) == Some(b.view));
    chain.windows(2).position(consecutive).map(|at| at + 1)
}
