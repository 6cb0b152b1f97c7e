#![forbid(unsafe_code)]
//! Adapter that runs [Jolteon](quorate_jolteon) in the [node](quorate_node).
//!
//! [`Jolteon`] implements [`Protocol`]; [`start`] starts a validator of a Jolteon chain.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use quorate::bls::MinSig;
use quorate::certificate::Kind;
use quorate::ed25519::Ed25519;
use quorate::machine::{MemberIndex, Step};
use quorate::merkle::{Hash, Merkle};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate_jolteon::{
    AVAILABLE, BLOCK, BatchDigest, BlockDigest, Committees, Config, Evidence, Finality, HistoryRequest,
    MAX_LINKS, MAX_RANGE_BLOCKS, MAX_RANGE_BYTES, PROPOSAL, Record, Replica, TIMEOUT, TRANSACTIONS,
    VotingKey, block_range,
};

use quorate_node::application::Application;
use quorate_node::config::NodeConfig;
use quorate_node::evidence::{SignedTwice, SigningKey};
use quorate_node::genesis::{self, Genesis, Parameters, SchemeName};
use quorate_node::protocol::{
    Action, Archive, BatchSummary, Block, Command, Delivery, Executed, FaultReport, LatestRecord,
    MachineSetup, Protocol, RecordKind, Signed, Status,
};
use quorate_node::runtime::{Node, Starting};
use quorate_node::signer::RemoteSigner;
use quorate_node::{NodeError, Result};

/// The examples of the README and of the guide to it. They are tested here because this crate depends on all crates that
/// they use.
#[cfg(doctest)]
#[doc = include_str!("../../../../../README.md")]
#[doc = include_str!("../../../../guides/three-ways-in.md")]
pub struct Readme;

/// Name of the protocol in genesis files.
pub const NAME: &str = "jolteon";

/// Starts a validator of a Jolteon chain with the signature scheme that the genesis names. See [`Node::start`].
pub fn start(config: NodeConfig, genesis: Genesis, application: Box<dyn Application>) -> Starting {
    match genesis.scheme {
        SchemeName::Bls => Node::start::<Jolteon<MinSig>>(config, genesis, application),
        SchemeName::Ed25519 => Node::start::<Jolteon<Ed25519>>(config, genesis, application),
    }
}

/// [Jolteon](quorate_jolteon) with votes signed by the scheme `S`.
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
    type Request = HistoryRequest<S>;

    const NAME: &'static str = NAME;
    const ABSTAINS: bool = true;
    const TRANSACTIONS: Merkle<'static> = TRANSACTIONS;
    const STORES_NEWEST_FINALITY: bool = true;
    const HAS_SIGNER: bool = true;

    fn check_genesis(genesis: &Genesis) -> Result<()> {
        match genesis.schedule {
            None => Ok(()),
            Some(_) => {
                let problem = "schedule: Jolteon has none; remove [schedule], or set protocol = \"gosig\"";
                Err(NodeError::Genesis { path: None, problem: problem.into() })
            }
        }
    }

    fn context(committees: &genesis::Committees<S>) -> Committees<S> {
        Committees { voters: committees.voters.clone(), identities: committees.identities.clone() }
    }

    fn machine(setup: MachineSetup<'_, Self>, archive: &dyn Archive<Self>) -> Result<Replica<S>> {
        // The committee never changes, so there are no observers that wait to join it.
        let me = setup
            .me
            .ok_or(quorate::Error::WrongContext { what: "observer: Jolteon has a fixed committee" })?;
        let config = Config {
            voters: setup.committees.voters.clone(),
            identities: setup.committees.identities.clone(),
            me,
            voting_key: voting_key(&setup, me)?,
            identity_key: setup.keys.identity()?,
            genesis_root: setup.genesis_root,
            executed: setup.executed,
            recent_states: setup.recent_states,
            first_sequence: setup.first_sequence,
            history: setup.history,
            parameters: parameters(&setup.genesis.parameters),
        };
        Ok(Replica::new(config, archive.load()?)?)
    }

    fn next_sequence(replica: &Replica<S>) -> u64 {
        replica.next_sequence()
    }

    fn status(replica: &Replica<S>) -> Status {
        let quorate_jolteon::Status {
            view,
            leader,
            committed,
            timeouts,
            catching_up,
            abstention,
            pruned_history,
            ..
        } = replica.status();
        Status {
            view,
            leader: Some(leader),
            committed,
            timeouts,
            catching_up,
            pruned_history,
            abstention,
            presigned_epochs: None,
        }
    }

    fn command(command: Command) -> quorate::Result<quorate_jolteon::Command> {
        Ok(match command {
            Command::Submit(batch) => quorate_jolteon::Command::Seal(batch),
            Command::Executed(executed) => quorate_jolteon::Command::Executed(executed),
            Command::Connected(member) => quorate_jolteon::Command::Connected(member),
            // A Jolteon chain has only one epoch.
            Command::OtherEpoch(_) => {
                return Err(quorate::Error::WrongContext { what: "epoch: a Jolteon chain has only one" });
            }
        })
    }

    fn action(output: Output<S>, me: Option<MemberIndex>) -> Option<Action<Self>> {
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
            Output::PruneBatches(batches) => {
                Action::PruneBatches(batches.into_iter().map(|digest| digest.0).collect())
            }
            Output::PruneBlocks(blocks) => {
                Action::PruneBlocks(blocks.into_iter().map(|digest| digest.0).collect())
            }
            Output::View { view, leader, timed_out } => {
                Action::View { view, leader: Some(leader), timed_out }
            }
        })
    }

    fn fault_report(evidence: &Evidence<S>) -> FaultReport {
        let charge = |code, description| FaultReport { code, description, strike: false };
        match evidence {
            Evidence::Votes(_) => charge("EQUIVOCATION", "two votes in one view"),
            Evidence::Identity(_) => {
                charge("EQUIVOCATION", "two proposals in one view, or two batches with one sequence number")
            }
            Evidence::Invalid { what, error } => FaultReport::invalid(what, error),
            Evidence::Proposal { rule, .. } => charge("BAD_PROPOSAL", rule),
            Evidence::StateRoot { .. } => {
                charge("STATE_ROOT", "the state root of a block differs from the one that this node computed")
            }
            Evidence::Unexpected { what } => {
                FaultReport { code: "UNEXPECTED", description: what, strike: true }
            }
        }
    }

    fn evidence(evidence: &Evidence<S>) -> Option<SignedTwice> {
        match evidence {
            Evidence::Votes(votes) => Some(SignedTwice::new(SigningKey::Voting, votes)),
            Evidence::Identity(statements) => Some(SignedTwice::new(SigningKey::Identity, statements)),
            _ => None,
        }
    }

    fn proves_fault(key: SigningKey, kind: Kind) -> bool {
        match key {
            SigningKey::Voting => [BLOCK, TIMEOUT].contains(&kind),
            SigningKey::Identity => [PROPOSAL, AVAILABLE].contains(&kind),
        }
    }

    fn is_bulk(message: &Message<S>) -> bool {
        message.is_bulk()
    }

    /// An acknowledgement depends only on the record of its batch. A vote claims that this node stores batches too, but the same
    /// step has their records, or their acknowledgements have been sent.
    fn stores_only_batches(step: &Step<Replica<S>>) -> bool {
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

    fn record_kind(record: &Record<S>) -> RecordKind<'_, Self> {
        match record {
            Record::Batch(batch) => RecordKind::Batch(batch),
            Record::Block(block) => RecordKind::Block(block),
            Record::VoteGuard(guard) => RecordKind::Latest(LatestRecord::VoteGuard(guard.kind().number())),
            Record::ProposalGuard(guard) => {
                RecordKind::Latest(LatestRecord::ProposalGuard(guard.kind().number()))
            }
            Record::Timeout(_) => RecordKind::Latest(LatestRecord::View),
            Record::Committed(_) => RecordKind::Latest(LatestRecord::CommittedTip),
        }
    }

    fn signed(record: &Record<S>) -> Option<Signed> {
        match record {
            Record::VoteGuard(guard) => Some(Signed::Vote(guard.mark())),
            Record::ProposalGuard(guard) => Some(Signed::Proposal(guard.mark())),
            _ => None,
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

    /// Each block contains the certificate of its parent, so the chain itself proves that all blocks except the newest
    /// are committed.
    fn finality(
        archive: &dyn Archive<Self>,
        block: &quorate_jolteon::Block<S>,
    ) -> Result<Option<Finality<S>>> {
        let (mut chain, mut certificate) = (vec![], None);
        for height in (block.height..).take(MAX_LINKS + 2) {
            match archive.block_at(height)? {
                Some(next) => chain.push(next),
                None => {
                    // The finality of the newest executed block is stored beside the chain.
                    let tip = chain.last().map(|tip: &Arc<quorate_jolteon::Block<S>>| tip.digest());
                    let newest = archive.newest_finality()?;
                    let newest = newest.filter(|f| f.links.first().map(|link| link.parent) == tip);
                    if let Some(finality) = newest {
                        chain.extend(finality.links);
                        certificate = Some(finality.certificate);
                    }
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

    /// The certificate that the block contains: that of its parent.
    fn certificate(
        _: &dyn Archive<Self>,
        block: &quorate_jolteon::Block<S>,
    ) -> Result<(Vec<u8>, Vec<MemberIndex>)> {
        let certificate = block.justify.as_ref().map(|qc| (qc.encode(), qc.signers().iter().collect()));
        Ok(certificate.unwrap_or_default())
    }

    fn answer(
        archive: &dyn Archive<Self>,
        request: HistoryRequest<S>,
        send: &mut dyn FnMut(&Message<S>),
    ) -> Result<()> {
        match request {
            HistoryRequest::Blocks { from } if from < archive.oldest_height() => send_pruned(archive, send),
            HistoryRequest::Blocks { from } => {
                let blocks = archive.history(from, MAX_RANGE_BLOCKS, MAX_RANGE_BYTES)?;
                if !blocks.is_empty() {
                    send(&block_range(blocks));
                } else if from < archive.oldest_height() {
                    // It was pruned meanwhile.
                    send_pruned(archive, send);
                }
            }
            HistoryRequest::Batches(digests) => {
                let mut is_complete = true;
                for BatchDigest(digest) in digests {
                    match archive.batch(&digest)? {
                        Some(batch) => send(&Message::BatchReply(batch)),
                        None => is_complete = false,
                    }
                }
                if !is_complete && archive.oldest_height() > 1 {
                    send_pruned(archive, send);
                }
            }
            HistoryRequest::CheckCertified(target) => {
                // A certified block that lost is also unknown. Then the peer's history is equal.
                if archive.block(&target.0)?.is_none() {
                    send(&Message::BlockRequest { from: archive.oldest_height(), target });
                }
            }
            HistoryRequest::Compare(blocks) => compare(archive, &blocks)?,
        }
        Ok(())
    }

    /// The certificate alone proves that the block is committed. The authors' signatures are verified too, so that no byte
    /// of a proof can be changed.
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

impl<S: Scheme> Block<Jolteon<S>> for quorate_jolteon::Block<S> {
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

    fn author(&self) -> Option<MemberIndex> {
        Some(self.author)
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

    fn payload(&self) -> Vec<BatchSummary> {
        let summary = |batch: &quorate_jolteon::BatchRef| BatchSummary {
            digest: batch.digest().0,
            author: batch.header.slot.author,
            sequence: batch.header.slot.sequence,
            count: batch.header.count,
            bytes: batch.header.bytes,
            root: batch.header.root,
        };
        self.payload.iter().map(summary).collect()
    }
}

/// The voting key of the key file, or that of a signer.
fn voting_key<S: Scheme>(setup: &MachineSetup<'_, Jolteon<S>>, me: MemberIndex) -> Result<VotingKey<S>> {
    let Some(signer) = setup.signer else { return Ok(VotingKey::Secret(setup.keys.voting::<S>()?)) };
    let voters = setup.committees.voters.clone();
    let signer = RemoteSigner::open(signer.clone(), setup.keys.identity()?, voters, me)?;
    Ok(VotingKey::External(Box::new(signer)))
}

/// The replica's parameters: the defaults, with the view timeouts of the genesis.
fn parameters(p: &Parameters) -> quorate_jolteon::Parameters {
    let milliseconds = |ms: u32| Duration::from_millis(ms.into());
    quorate_jolteon::Parameters {
        view_timeout: milliseconds(p.view_timeout_ms),
        view_timeout_cap: milliseconds(p.max_view_timeout_ms),
        ..quorate_jolteon::Parameters::default()
    }
}

/// Answers that older blocks are pruned.
fn send_pruned<S: Scheme>(archive: &dyn Archive<Jolteon<S>>, send: &mut dyn FnMut(&Message<S>)) {
    send(&Message::Pruned { oldest: archive.oldest_height() });
}

/// Compares consecutive blocks of a peer with the archive, up to the first difference.
fn compare<S: Scheme>(
    archive: &dyn Archive<Jolteon<S>>,
    blocks: &[Arc<quorate_jolteon::Block<S>>],
) -> Result<()> {
    let mut rest = blocks;
    while let Some((block, later)) = rest.split_first() {
        let Some(own) = archive.block_at(block.height)? else { break };
        if own.digest() != block.digest() {
            let finality = committing_link(rest).filter(|at| *at <= MAX_LINKS).and_then(|at| {
                let certificate = rest.get(at + 1)?.justify.clone()?;
                Some(Finality { links: later.iter().take(at).cloned().collect(), certificate })
            });
            return finality.map_or(Ok(()), |finality| archive.compare(block, &finality));
        }
        rest = later;
    }
    Ok(())
}

/// Position of the first block, after the chain's first one, whose view is the view after its parent's.
fn committing_link<S: Scheme>(chain: &[Arc<quorate_jolteon::Block<S>>]) -> Option<usize> {
    let consecutive = |pair: &[Arc<quorate_jolteon::Block<S>>]| matches!(pair, [a, b] if a.view.checked_add(1) == Some(b.view));
    chain.windows(2).position(consecutive).map(|at| at + 1)
}
