mod epochs;

use std::collections::HashSet;
use std::marker::PhantomData;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use quorate::machine::{MemberIndex, Step};
use quorate::merkle::{Hash, Merkle, Path};
use quorate::wire::Encode;
use quorate_gosig::{
    Anchor, BlockDigest, Config, EPOCH_MISMATCH, Evidence, Finality, GosigScheme, HistoryRequest,
    MAX_RANGE_BLOCKS, Payload, PayloadDigest, Record, RecordKey, Replica, Submission, TRANSACTIONS,
    Transaction, block_range, transaction_range,
};

use super::{
    Action, Batch, Block, Command, Delivery, Executed, Help, Judgement, Kept, OwnBatchState, Part, Protocol,
    Setup, Status, invalid,
};
pub use epochs::Epochs;
use epochs::{anchor_of, of, successor_of};

use crate::genesis::{self, Schedule};
use crate::store::Store;
use crate::{NodeError, Result};

/// [Gosig](quorate_gosig), whose votes are signed with `S`. A block's transactions are its one batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gosig<S>(PhantomData<S>);

/// An answer of blocks is cut when they exceed that many bytes.
const MAX_RANGE_BYTES: usize = 1 << 20;
/// Of how many heights a member remembers, at a start, which transactions they hold.
const REMEMBERED: u64 = 64;

type Message<S> = quorate_gosig::Envelope<S>;
type Output<S> = quorate_gosig::Output<S>;

impl<S: GosigScheme> Protocol for Gosig<S> {
    type Scheme = S;
    type Machine = Replica<S>;
    type Block = quorate_gosig::Block<S>;
    type Batch = Payload;
    type Finality = Finality<S>;
    type Context = Epochs<S>;
    type Request = HistoryRequest;

    const TRANSACTIONS: Merkle<'static> = TRANSACTIONS;
    /// The records of committed blocks show it, of each block.
    const KEEPS_NEWEST_FINALITY: bool = false;
    const HAS_EPOCHS: bool = true;

    fn context(committees: &genesis::Committees<S>) -> Epochs<S> {
        Epochs::new(of(committees))
    }

    fn extend(epochs: &Epochs<S>, committees: &genesis::Committees<S>) {
        epochs.extend(of(committees));
    }

    fn machine(setup: Setup<'_, Self>, store: &Store<Self>) -> Result<Replica<S>> {
        let schedule = setup.genesis.schedule.as_ref();
        let no_schedule =
            || NodeError::Genesis { path: None, problem: "schedule: Gosig needs one".to_owned() };
        let committees = of(setup.committees);
        let mut entropy = [0; 32];
        getrandom::fill(&mut entropy).map_err(|_| quorate::Error::Rng)?;
        let config = Config {
            anchor: match setup.anchor {
                Some(anchor) => anchor_of(&anchor),
                None => Anchor::genesis(&committees, &setup.genesis_root, &[]),
            },
            voters: committees.voters,
            identities: committees.identities,
            me: setup.me,
            voting_key: setup.keys.voting::<S>()?,
            identity_key: setup.keys.identity()?,
            executed: setup.executed,
            recent: setup.recent,
            known: known(store, setup.executed.height)?,
            schedule: schedule.map(clock).ok_or_else(no_schedule)?,
            parameters: quorate_gosig::Parameters::default(),
            entropy,
        };
        Ok(Replica::new(config, records(store)?)?)
    }

    /// The machine numbers nothing. Clients see these numbers on their tickets, so those of an earlier run must not come
    /// again.
    fn next_sequence(_: &Replica<S>) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (since.as_secs() << 16).max(1)
    }

    fn status(replica: &Replica<S>) -> Status {
        let quorate_gosig::Status { round, leader, committed, timeouts, catching_up, .. } = replica.status();
        Status { view: round, leader, committed, timeouts, catching_up }
    }

    fn command(command: Command) -> quorate::Result<quorate_gosig::Command> {
        Ok(match command {
            Command::Submit(batch) => {
                let payload = Arc::new(Payload::from_bytes(batch.transactions())?);
                quorate_gosig::Command::Submit { sequence: batch.sequence(), payload }
            }
            Command::Executed(executed) => quorate_gosig::Command::Executed(executed),
            Command::Connected(member) => quorate_gosig::Command::Connected(member),
            Command::Elsewhere(member) => quorate_gosig::Command::EpochMismatch(member),
        })
    }

    fn act(output: Output<S>, _: Option<MemberIndex>) -> Option<Action<Self>> {
        Some(match output {
            Output::Deliver(delivery) => {
                let quorate_gosig::Delivery { block, payload, finality, .. } = *delivery;
                let batches = Some(payload).filter(|payload| !payload.is_empty()).into_iter().collect();
                // What is settled with it was told before.
                Action::Deliver(Box::new(Delivery { block, batches, finality, own_batches: Vec::new() }))
            }
            Output::Submitted { sequence, state: Submission::Committed } => Action::Settled { sequence },
            Output::Submitted { sequence, state: Submission::Refused } => {
                Action::OwnBatch { sequence, state: OwnBatchState::Refused }
            }
            // The batch that holds them is settled without them, at once if it holds nothing else.
            Output::Known(_) => return None,
            Output::Congestion(congested) => Action::Congestion(congested),
            Output::Serve { to, request } => Action::Serve { to, request },
            Output::Forget(payloads) => {
                Action::ForgetBatches(payloads.into_iter().map(|digest| digest.0).collect())
            }
            Output::ForgetBlocks(blocks) => {
                Action::ForgetBlocks(blocks.into_iter().map(|digest| digest.0).collect())
            }
            Output::Round { round, leader, undecided } => {
                Action::View { view: round, leader: leader.unwrap_or_default(), timed_out: undecided }
            }
            Output::Succeeded(successor) => Action::Succeed(Box::new(successor_of(&successor))),
        })
    }

    fn refuses(epochs: &Epochs<S>, transaction: &[u8]) -> Option<&'static str> {
        epochs::is_forbidden(epochs, transaction)
            .then_some("NOT_ALLOWED: a change of the members that those of its epoch have not allowed")
    }

    fn is_excused(error: &quorate::Error) -> bool {
        *error == EPOCH_MISMATCH
    }

    fn help(replica: &Replica<S>, message: Message<S>) -> Option<Help<Self>> {
        let epoch = replica.committees().voters.epoch();
        Some(match message.message {
            quorate_gosig::Message::Hello { .. } => {
                let committed = replica.status().committed;
                Help::Answer(quorate_gosig::Message::Welcome { committed }.in_epoch(epoch))
            }
            quorate_gosig::Message::BlockRequest { from } => Help::Serve(HistoryRequest::Blocks { from }),
            quorate_gosig::Message::TransactionRequest { block, height, places } => {
                Help::Serve(HistoryRequest::Transactions { block, height, places })
            }
            _ => return None,
        })
    }

    fn judge(evidence: &Evidence<S>) -> Judgement {
        match evidence {
            Evidence::Invalid { what, error } => invalid(what, error),
            other => Judgement {
                code: other.code(),
                what: other.what(),
                strike: matches!(other, Evidence::Unexpected { .. } | Evidence::Body { .. }),
            },
        }
    }

    fn is_bulk(message: &Message<S>) -> bool {
        message.is_bulk()
    }

    /// What was submitted rests on nothing, and passing it on rests on it alone: a vote stores what it speaks of in its
    /// own step.
    fn concerns_batches_alone(step: &Step<Replica<S>>) -> bool {
        let records = step.persist.iter().all(|record| matches!(record, Record::Payload(_)));
        let messages = step
            .messages
            .iter()
            .all(|outgoing| matches!(*outgoing.message, quorate_gosig::Message::Transactions(_)));
        !step.persist.is_empty() && records && messages
    }

    fn message_weight(message: &Message<S>) -> usize {
        message.payload_bytes()
    }

    fn keep(record: &Record<S>) -> Kept<'_, Self> {
        match (record, record.key()) {
            (Record::Payload(payload), _) => Kept::Batch(payload),
            (Record::Block(block), _) => Kept::Block(block),
            (_, RecordKey::Committed(height)) => Kept::Height(height),
            (_, RecordKey::VoteGuard(kind)) => Kept::Newest([3, kind]),
            (_, RecordKey::ProposalGuard(kind)) => Kept::Newest([4, kind]),
            (_, _) => Kept::Newest([5, 0]),
        }
    }

    fn batch_record(payload: Arc<Payload>) -> Record<S> {
        Record::Payload(payload)
    }

    fn block_record(block: Arc<quorate_gosig::Block<S>>) -> Record<S> {
        Record::Block(block)
    }

    fn decode_record(bytes: &[u8], epochs: &Epochs<S>) -> quorate::Result<Record<S>> {
        epochs::record(bytes, epochs)
    }

    fn finality(store: &Store<Self>, block: &quorate_gosig::Block<S>) -> Result<Option<Finality<S>>> {
        Ok(match store.record_at(block.height)? {
            Some(Record::Committed(committed)) if committed.digest == block.digest() => {
                Some(committed.finality)
            }
            _ => None,
        })
    }

    /// The one that commits it: blocks carry none.
    fn certificate(
        store: &Store<Self>,
        block: &quorate_gosig::Block<S>,
    ) -> Result<(Vec<u8>, Vec<MemberIndex>)> {
        let finality = store.finality(block)?;
        let certificate = finality.as_ref().map(Finality::certificate);
        let shown = certificate.map(|shown| (shown.encode(), shown.signers().iter().collect()));
        Ok(shown.unwrap_or_default())
    }

    fn answer(store: &Store<Self>, request: HistoryRequest, send: &mut dyn FnMut(&Message<S>)) -> Result<()> {
        match request {
            HistoryRequest::Blocks { from } => {
                let mut blocks = Vec::new();
                for block in store.history(from, MAX_RANGE_BLOCKS, MAX_RANGE_BYTES)? {
                    let Some(finality) = store.finality(&block)? else { break };
                    blocks.push((block, Arc::new(finality)));
                }
                if let Some(answer) = block_range(blocks) {
                    send(&answer);
                }
            }
            HistoryRequest::Transactions { block: BlockDigest(digest), places, .. } => {
                let block = store.block(&digest)?;
                if let Some(block) = block
                    && let Some(payload) = store.batch(&block.payload.digest().0)?
                {
                    send(&transaction_range(&block, &payload, &places));
                }
            }
        }
        Ok(())
    }

    fn check_committed(
        block: &quorate_gosig::Block<S>,
        finality: &Finality<S>,
        epochs: &Epochs<S>,
    ) -> quorate::Result<()> {
        finality.verify(&epochs.of(block.epoch)?, block)
    }

    fn certificate_bytes(finality: &Finality<S>) -> usize {
        finality.certificate().encoded_len()
    }
}

impl<S: GosigScheme> Block for quorate_gosig::Block<S> {
    fn digest(&self) -> Hash {
        let BlockDigest(digest) = Self::digest(self);
        digest
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn view(&self) -> u64 {
        self.round
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

    /// One batch, whose number is the block's height; none if the block orders nothing.
    fn payload(&self) -> Vec<Part> {
        let part = Part {
            digest: self.payload.digest().0,
            author: self.author,
            sequence: self.height,
            count: self.payload.count,
            bytes: self.payload.bytes,
            root: self.payload.root,
        };
        Some(part).filter(|part| part.count > 0).into_iter().collect()
    }
}

impl Batch for Payload {
    fn digest(&self) -> Hash {
        let PayloadDigest(digest) = Self::digest(self);
        digest
    }

    fn ids(&self) -> &[Hash] {
        Self::ids(self)
    }

    fn transactions(&self) -> impl Iterator<Item = &[u8]> {
        Self::transactions(self).iter().map(Transaction::bytes)
    }

    fn transaction(&self, position: usize) -> Option<&[u8]> {
        Self::transaction(self, position).map(Transaction::bytes)
    }

    fn path(&self, position: usize) -> quorate::Result<Path> {
        Self::path(self, position)
    }

    fn bytes(&self) -> usize {
        Self::bytes(self)
    }
}

/// The node's clock counts microseconds since 1970, as the genesis does seconds.
fn clock(schedule: &Schedule) -> quorate_gosig::Schedule {
    quorate_gosig::Schedule {
        start: i64::try_from(schedule.start).unwrap_or(i64::MAX).saturating_mul(1_000_000),
        proposals: Duration::from_millis(schedule.proposals_ms.into()),
        signatures: Duration::from_millis(schedule.signatures_ms.into()),
        proposers: NonZeroU16::new(schedule.proposers).unwrap_or(NonZeroU16::MIN),
    }
}

/// What the store has for a replica, and with each block its payload: also the tip's, which is executed.
fn records<S: GosigScheme>(store: &Store<Gosig<S>>) -> Result<Vec<Record<S>>> {
    let mut records = store.load()?;
    let payload = |record: &Record<S>| match record {
        Record::Payload(payload) => Some(payload.digest()),
        _ => None,
    };
    let mut there: HashSet<PayloadDigest> = records.iter().filter_map(payload).collect();
    for at in 0..records.len() {
        let Some(Record::Block(block)) = records.get(at) else { continue };
        let digest = block.payload.digest();
        if !block.payload.is_empty() && there.insert(digest) {
            records.extend(store.batch(&digest.0)?.map(Record::Payload));
        }
    }
    Ok(records)
}

/// Transactions of the last executed blocks.
fn known<S: GosigScheme>(store: &Store<Gosig<S>>, executed: u64) -> Result<Vec<Hash>> {
    let mut known = Vec::new();
    for height in (executed + 1).saturating_sub(REMEMBERED).max(1)..=executed {
        let Some(block) = store.block_at(height)? else { continue };
        for part in Block::payload(&*block) {
            known.extend(store.batch(&part.digest)?.iter().flat_map(|payload| payload.ids().to_vec()));
        }
    }
    Ok(known)
}
