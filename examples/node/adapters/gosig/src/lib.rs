#![forbid(unsafe_code)]
//! Adapter that runs [Gosig](quorate_gosig) in the [node](quorate_node).
//!
//! [`Gosig`] implements [`Protocol`]; [`start`] starts a validator of a Gosig chain.

mod epochs;
mod views;

use std::collections::HashSet;
use std::marker::PhantomData;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use quorate::bls::{Counted, MinSig};
use quorate::certificate::Kind;
use quorate::machine::{MemberIndex, Step};
use quorate::merkle::{Hash, Merkle};
use quorate::wire::Encode;
use quorate_gosig::{
    Anchor, BlockDigest, Committed, Config, EPOCH_MISMATCH, Evidence, Finality, GosigScheme, HistoryRequest,
    MAX_RANGE_BLOCKS, MAX_TRANSACTION_BYTES, PROPOSAL, Payload, PayloadDigest, Record, RecordKey, Replica,
    Submission, TRANSACTIONS, block_range, transaction_range,
};

use quorate_node::application::Application;
use quorate_node::config::NodeConfig;
use quorate_node::evidence::{SignedTwice, SigningKey};
use quorate_node::genesis::{self, Genesis, Schedule, SchemeName, check_range};
use quorate_node::protocol::{
    Action, Archive, Block, Command, Delivery, FaultReport, FormerMemberReply, LatestRecord, MachineSetup,
    OwnBatchState, Protocol, RecordKind, Signed, Status,
};
use quorate_node::runtime::{Node, Starting};
use quorate_node::{NodeError, Result};

pub use epochs::{Epochs, anchor_at, seed_after};
use epochs::{committees, gosig_anchor, next_epoch};

/// Name of the protocol in genesis files.
pub const NAME: &str = "gosig";

/// Starts a validator of a Gosig chain. See [`Node::start`].
pub fn start(config: NodeConfig, genesis: Genesis, application: Box<dyn Application>) -> Starting {
    Node::start::<Gosig<Counted<MinSig>>>(config, genesis, application)
}

/// [Gosig](quorate_gosig) with votes signed by the scheme `S`. A block's transactions form its only batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gosig<S>(PhantomData<S>);

/// Size of a reply with blocks, in bytes. The block that exceeds it is the last one.
const MAX_RANGE_BYTES: usize = 1 << 20;
/// Number of recent heights whose transactions a replica knows after a start.
const RECENT_HEIGHTS: u64 = 64;

type Message<S> = quorate_gosig::Envelope<S>;
type Output<S> = quorate_gosig::Output<S>;

impl<S: GosigScheme> Protocol for Gosig<S> {
    type Scheme = S;
    type Machine = Replica<S>;
    type Block = quorate_gosig::Block<S>;
    type Batch = Payload;
    type Finality = Finality<S>;
    type Context = Epochs<S>;
    type Request = HistoryRequest<S>;

    const NAME: &'static str = NAME;
    const ABSTAINS: bool = true;
    const TRANSACTIONS: Merkle<'static> = TRANSACTIONS;
    /// The record of each committed block contains its finality.
    const STORES_NEWEST_FINALITY: bool = false;
    const HAS_EPOCHS: bool = true;
    const SNAPSHOT_BLOCKS: Option<u64> = Some(RECENT_HEIGHTS);

    fn check_genesis(genesis: &Genesis) -> Result<()> {
        if genesis.schedule.is_none() {
            return Err(invalid_genesis("schedule: Gosig needs one; add [schedule] with start".into()));
        }
        if genesis.scheme != SchemeName::Bls {
            let problem = format!(
                "scheme is {}; Gosig aggregates signatures, which needs scheme = \"bls\"",
                genesis.scheme
            );
            return Err(invalid_genesis(problem));
        }
        let size = genesis.parameters.max_transaction_bytes;
        check_range("parameters.max_transaction_bytes", size, 1, MAX_TRANSACTION_BYTES as u32)
    }

    fn context(first: &genesis::Committees<S>) -> Epochs<S> {
        Epochs::new(committees(first))
    }

    fn add_epoch(epochs: &Epochs<S>, next: &genesis::Committees<S>) {
        epochs.add(committees(next));
    }

    fn machine(setup: MachineSetup<'_, Self>, archive: &dyn Archive<Self>) -> Result<Replica<S>> {
        let schedule = setup.genesis.schedule.as_ref();
        let no_schedule = || invalid_genesis("schedule: Gosig needs one; add [schedule] with start".into());
        let committees = committees(setup.committees);
        let mut entropy = [0; 32];
        getrandom::fill(&mut entropy).map_err(|_| quorate::Error::Rng)?;
        let config = Config {
            anchor: match setup.anchor {
                Some(anchor) => gosig_anchor(&anchor),
                None => Anchor::genesis(&committees, &setup.genesis_root, &[]),
            },
            voters: committees.voters,
            identities: committees.identities,
            me: setup.me,
            voting_key: setup.keys.voting::<S>()?,
            identity_key: setup.keys.identity()?,
            executed: setup.executed,
            recent_states: setup.recent_states,
            committed_transactions: committed_transactions(archive, setup.executed.height)?,
            schedule: schedule.map(clock).ok_or_else(no_schedule)?,
            parameters: quorate_gosig::Parameters::default(),
            entropy,
            history: setup.history,
        };
        Ok(Replica::new(config, records(archive)?)?)
    }

    /// The replica does not number batches. Clients see the numbers on their tickets, so a restart must not reuse numbers of
    /// an earlier run.
    fn next_sequence(_: &Replica<S>) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (since.as_secs() << 16).max(1)
    }

    fn status(replica: &Replica<S>) -> Status {
        let quorate_gosig::Status {
            round,
            leader,
            committed,
            timeouts,
            catching_up,
            abstention,
            pruned_history,
            ..
        } = replica.status();
        Status {
            view: round,
            leader: Some(leader),
            committed,
            timeouts,
            catching_up,
            pruned_history,
            abstention,
            presigned_epochs: None,
        }
    }

    fn command(command: Command) -> quorate::Result<quorate_gosig::Command> {
        Ok(match command {
            Command::Submit(batch) => {
                let payload = Arc::new(Payload::from_bytes(batch.transactions())?);
                quorate_gosig::Command::Submit { sequence: batch.sequence(), payload }
            }
            Command::Executed(executed) => quorate_gosig::Command::Executed(executed),
            Command::Connected(member) => quorate_gosig::Command::Connected(member),
            Command::OtherEpoch(member) => quorate_gosig::Command::EpochMismatch(member),
        })
    }

    fn action(output: Output<S>, _: Option<MemberIndex>) -> Option<Action<Self>> {
        Some(match output {
            Output::Deliver(delivery) => {
                let quorate_gosig::Delivery { block, payload, finality, .. } = *delivery;
                let batches = Some(payload).filter(|payload| !payload.is_empty()).into_iter().collect();
                // `Action::Settled` reports own batches before the delivery.
                Action::Deliver(Box::new(Delivery { block, batches, finality, own_batches: Vec::new() }))
            }
            Output::Submitted { sequence, state: Submission::Committed } => Action::Settled { sequence },
            Output::Submitted { sequence, state: Submission::Repeated } => Action::Repeated { sequence },
            Output::Submitted { sequence, state: Submission::Refused } => {
                Action::OwnBatch { sequence, state: OwnBatchState::Refused }
            }
            // A batch is settled without its known transactions, at once if it contains no other ones.
            Output::AlreadyCommitted(_) => return None,
            Output::Congestion(congested) => Action::Congestion(congested),
            Output::Serve { to, request } => Action::Serve { to, request },
            Output::PrunePayloads(payloads) => {
                Action::PruneBatches(payloads.into_iter().map(|digest| digest.0).collect())
            }
            Output::PruneBlocks(blocks) => {
                Action::PruneBlocks(blocks.into_iter().map(|digest| digest.0).collect())
            }
            Output::Round { round, leader, undecided } => {
                Action::View { view: round, leader, timed_out: undecided }
            }
            Output::Succeeded(successor) => Action::EndEpoch(Box::new(next_epoch(&successor))),
        })
    }

    fn rejection(epochs: &Epochs<S>, transaction: &[u8]) -> Option<&'static str> {
        epochs::is_uncertified_change(epochs, transaction)
            .then_some("NOT_ALLOWED: the members of the epoch have not certified this membership change")
    }

    fn is_other_epoch(error: &quorate::Error) -> bool {
        *error == EPOCH_MISMATCH
    }

    fn answer_former_member(replica: &Replica<S>, message: Message<S>) -> Option<FormerMemberReply<Self>> {
        let epoch = replica.committees().voters.epoch();
        Some(match message.message {
            quorate_gosig::Message::Hello { .. } => {
                let committed = replica.status().committed;
                FormerMemberReply::Message(quorate_gosig::Message::Welcome { committed }.in_epoch(epoch))
            }
            quorate_gosig::Message::BlockRequest { from } => {
                FormerMemberReply::Archive(HistoryRequest::Blocks { from })
            }
            quorate_gosig::Message::TransactionRequest { block, height, places } => {
                FormerMemberReply::Archive(HistoryRequest::Transactions { block, height, places })
            }
            _ => return None,
        })
    }

    fn fault_report(evidence: &Evidence<S>) -> FaultReport {
        match evidence {
            Evidence::Invalid { what, error } => FaultReport::invalid(what, error),
            other => FaultReport {
                code: other.code(),
                description: other.what(),
                strike: matches!(other, Evidence::Unexpected { .. } | Evidence::Body { .. }),
            },
        }
    }

    fn evidence(evidence: &Evidence<S>) -> Option<SignedTwice> {
        match evidence {
            Evidence::Identity(statements) => Some(SignedTwice::new(SigningKey::Identity, statements)),
            _ => None,
        }
    }

    /// Proposals only: a proposer signs many segments in a round, and a member any number of membership changes.
    fn proves_fault(key: SigningKey, kind: Kind) -> bool {
        key == SigningKey::Identity && kind == PROPOSAL
    }

    fn is_bulk(message: &Message<S>) -> bool {
        message.is_bulk()
    }

    /// Storing a submitted payload depends on nothing, and forwarding it depends only on that record. A vote stores the
    /// payload that it refers to in its own step.
    fn stores_only_batches(step: &Step<Replica<S>>) -> bool {
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

    fn record_kind(record: &Record<S>) -> RecordKind<'_, Self> {
        match (record, record.key()) {
            (Record::Payload(payload), _) => RecordKind::Batch(payload),
            (Record::Block(block), _) => RecordKind::Block(block),
            (_, RecordKey::Committed(height)) => RecordKind::AtHeight(height),
            (_, RecordKey::VoteGuard(kind)) => RecordKind::Latest(LatestRecord::VoteGuard(kind)),
            (_, RecordKey::ProposalGuard(kind)) => RecordKind::Latest(LatestRecord::ProposalGuard(kind)),
            (_, _) => RecordKind::Latest(LatestRecord::View),
        }
    }

    fn signed(record: &Record<S>) -> Option<Signed> {
        match record {
            Record::VoteGuard(guard) => Some(Signed::Vote(guard.mark())),
            Record::ProposalGuard(guard) => Some(Signed::Proposal(guard.mark())),
            _ => None,
        }
    }

    fn batch_record(payload: Arc<Payload>) -> Record<S> {
        Record::Payload(payload)
    }

    fn block_record(block: Arc<quorate_gosig::Block<S>>) -> Record<S> {
        Record::Block(block)
    }

    fn decode_record(bytes: &[u8], epochs: &Epochs<S>) -> quorate::Result<Record<S>> {
        epochs::decode_record(bytes, epochs)
    }

    fn finality(archive: &dyn Archive<Self>, block: &quorate_gosig::Block<S>) -> Result<Option<Finality<S>>> {
        Ok(match archive.record_at(block.height)? {
            Some(Record::Committed(committed)) if committed.digest == block.digest() => {
                Some(committed.finality)
            }
            _ => None,
        })
    }

    /// The certificate that commits the block: Gosig blocks contain no certificates.
    fn certificate(
        archive: &dyn Archive<Self>,
        block: &quorate_gosig::Block<S>,
    ) -> Result<(Vec<u8>, Vec<MemberIndex>)> {
        let finality = Self::finality(archive, block)?;
        let certificate = finality.as_ref().map(Finality::certificate);
        Ok(certificate.map(|qc| (qc.encode(), qc.signers().iter().collect())).unwrap_or_default())
    }

    fn answer(
        archive: &dyn Archive<Self>,
        request: HistoryRequest<S>,
        send: &mut dyn FnMut(&Message<S>),
    ) -> Result<()> {
        match request {
            HistoryRequest::Blocks { from } => {
                let mut blocks = Vec::new();
                for block in archive.history(from, MAX_RANGE_BLOCKS, MAX_RANGE_BYTES)? {
                    let Some(finality) = Self::finality(archive, &block)? else { break };
                    blocks.push((block, Arc::new(finality)));
                }
                match block_range(blocks) {
                    Some(answer) => send(&answer),
                    None => send_if_pruned(archive, from, send)?,
                }
            }
            HistoryRequest::Transactions { block: BlockDigest(digest), height, places } => {
                let block = archive.block(&digest)?;
                if let Some(block) = block
                    && let Some(payload) = archive.batch(&block.payload.digest().0)?
                {
                    send(&transaction_range(&block, &payload, &places));
                } else {
                    send_if_pruned(archive, height, send)?;
                }
            }
            HistoryRequest::CheckCommitted { height, digest } => {
                if let Some(own) = archive.block_at(height)?.filter(|own| own.digest() != digest) {
                    send(&quorate_gosig::Message::BlockRequest { from: height }.in_epoch(own.epoch));
                }
            }
            HistoryRequest::Compare((block, finality)) => archive.compare(&block, &finality)?,
        }
        Ok(())
    }

    fn check_committed(
        block: &quorate_gosig::Block<S>,
        finality: &Finality<S>,
        epochs: &Epochs<S>,
    ) -> quorate::Result<()> {
        finality.verify(&epochs.committees(block.epoch)?, block)
    }

    /// The seed after the oldest block follows from its proof alone, which the committee has verified. Those of the others are
    /// verified again.
    fn committed_record(
        block: &quorate_gosig::Block<S>,
        finality: &Finality<S>,
        previous: Option<&Record<S>>,
        epochs: &Epochs<S>,
    ) -> quorate::Result<Option<Record<S>>> {
        let previous = match previous {
            Some(Record::Committed(committed)) => Some(committed),
            _ => None,
        };
        let seed = match previous {
            Some(previous) => previous.seed.next(&block.seed, &epochs.committees(block.epoch)?.voters)?,
            None => seed_after(block)?,
        };
        let payload_height = match previous {
            _ if !block.payload.is_empty() => block.height,
            // If the last transactions are older than all blocks of a snapshot, their state is in a block already.
            previous => previous.map_or(0, |previous| previous.payload_height),
        };
        let (height, digest, finality) = (block.height, block.digest(), finality.clone());
        Ok(Some(Record::Committed(Box::new(Committed { height, digest, finality, seed, payload_height }))))
    }

    fn certificate_bytes(finality: &Finality<S>) -> usize {
        finality.certificate().encoded_len()
    }
}

/// Answers that a height is pruned, if it is. The epoch of the answer is that of the oldest block.
fn send_if_pruned<S: GosigScheme>(
    archive: &dyn Archive<Gosig<S>>,
    height: u64,
    send: &mut dyn FnMut(&Message<S>),
) -> Result<()> {
    let oldest = archive.oldest_height();
    if height < oldest {
        let epoch = archive.block_at(oldest)?.map_or(0, |block| block.epoch);
        send(&quorate_gosig::Message::Pruned { oldest }.in_epoch(epoch));
    }
    Ok(())
}

/// Converts the schedule of the genesis, in seconds since 1970, to the replica's clock, in microseconds since 1970.
fn clock(schedule: &Schedule) -> quorate_gosig::Schedule {
    quorate_gosig::Schedule {
        start: i64::try_from(schedule.start).unwrap_or(i64::MAX).saturating_mul(1_000_000),
        proposals: Duration::from_millis(schedule.proposals_ms.into()),
        signatures: Duration::from_millis(schedule.signatures_ms.into()),
        proposers: NonZeroU16::new(schedule.proposers).unwrap_or(NonZeroU16::MIN),
    }
}

/// The archive's records for a replica, and the payload of each block among them, including that of the executed tip.
fn records<S: GosigScheme>(archive: &dyn Archive<Gosig<S>>) -> Result<Vec<Record<S>>> {
    let mut records = archive.load()?;
    let payload = |record: &Record<S>| match record {
        Record::Payload(payload) => Some(payload.digest()),
        _ => None,
    };
    let mut present: HashSet<PayloadDigest> = records.iter().filter_map(payload).collect();
    for at in 0..records.len() {
        let Some(Record::Block(block)) = records.get(at) else { continue };
        let digest = block.payload.digest();
        if !block.payload.is_empty() && present.insert(digest) {
            records.extend(archive.batch(&digest.0)?.map(Record::Payload));
        }
    }
    Ok(records)
}

/// Identifiers of the transactions in the last executed blocks.
fn committed_transactions<S: GosigScheme>(
    archive: &dyn Archive<Gosig<S>>,
    executed: u64,
) -> Result<Vec<Hash>> {
    let mut ids = Vec::new();
    for height in (executed + 1).saturating_sub(RECENT_HEIGHTS).max(1)..=executed {
        let Some(block) = archive.block_at(height)? else { continue };
        for part in Block::payload(&*block) {
            ids.extend(archive.batch(&part.digest)?.iter().flat_map(|payload| payload.ids().to_vec()));
        }
    }
    Ok(ids)
}

fn invalid_genesis(problem: String) -> NodeError {
    NodeError::Genesis { path: None, problem }
}
