#![forbid(unsafe_code)]
//! Adapter that runs [ABFT](quorate_abft) in the [node](quorate_node).
//!
//! [`Abft`] implements [`Protocol`]. The members share keys that a dealer makes for the genesis: those of the coin, those that
//! encrypt transactions until their order is fixed, and, with `scheme = "bls"`, those of the threshold signatures inside the
//! epochs. With `scheme = "ed25519"` members sign there with their identity keys, which takes less time and more bytes.
//!
//! With `scheme = "bls"` the dealer may also deal presignatures of threshold ECDSA, which take the least time: a file for each
//! epoch and member. Past them the members sign with BLS.
//!
//! All members have the same weight, and the committee is fixed.

mod keys;
mod member;
mod presignatures;
mod recovery;
mod views;

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use quorate::bls::MinSig;
use quorate::certificate::Kind;
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::{MemberIndex, Step};
use quorate::merkle::Merkle;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate_abft::Violation;
use quorate_abft::chain::{self, BLOCK, CertifiedBlock, Chain, Config, Evidence, Finality, PAGE, Record};
use quorate_protocol::batch::{Batch, TRANSACTIONS};
use zeroize::Zeroizing;

use quorate_node::application::Application;
use quorate_node::config::NodeConfig;
use quorate_node::evidence::{SignedTwice, SigningKey};
use quorate_node::genesis::{self, Genesis, Hex, SchemeName};
use quorate_node::protocol::{
    Action, Archive, Block, Command, DealOptions, Dealt, Delivery, Executed, FaultReport, LatestRecord,
    MachineSetup, OwnBatchState, Protocol, RecordKind, Status,
};
use quorate_node::runtime::{Node, Starting};
use quorate_node::{NodeError, Result};

pub use keys::{ChainScheme, KeyShare};
use keys::{Published, dealt_committee, tolerance};
pub use member::Member;
use recovery::{FIRST_SEQUENCE, committed_transactions, recent_transactions, records};

/// Name of the protocol in genesis files.
pub const NAME: &str = "abft";

/// Maximum number of bytes of blocks in the answer to a member that is behind, beyond its last block.
const PAGE_BYTES: usize = 8 << 20;
/// Length above which a message must not delay others.
const BULK: usize = 16 << 10;
/// Maximum number of members of a chain with Ed25519 votes, whose lists of signatures grow with the square of that number.
const MAX_ED25519_MEMBERS: usize = 256;

/// Starts a validator of an ABFT chain with the signature scheme that the genesis names. See [`Node::start`].
pub fn start(config: NodeConfig, genesis: Genesis, application: Box<dyn Application>) -> Starting {
    match genesis.scheme {
        SchemeName::Bls => Node::start::<Abft<MinSig>>(config, genesis, application),
        SchemeName::Ed25519 => Node::start::<Abft<Ed25519>>(config, genesis, application),
    }
}

/// [ABFT](quorate_abft) with votes signed by the scheme `S`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abft<S>(PhantomData<S>);

/// A question to the archive.
#[derive(Clone, Debug)]
pub enum HistoryRequest<S: Scheme> {
    /// Send a member the blocks from a height on.
    Blocks {
        /// The height.
        from: u64,
        /// Height of this node's last block.
        tip: u64,
    },
    /// Compare the parent of a member's certified block with this node's block.
    Compare(CertifiedBlock<S>),
}

type Threshold<S> = <S as ChainScheme>::Threshold;
type Message<S> = chain::Message<Threshold<S>, S>;
type Output<S> = chain::Output<S>;

impl<S: ChainScheme> Protocol for Abft<S> {
    type Scheme = S;
    type Machine = Chain<Threshold<S>, S>;
    type Block = chain::Block;
    type Batch = Batch;
    type Finality = Finality<S>;
    type Context = Arc<Committee<S>>;
    type Request = HistoryRequest<S>;

    const NAME: &'static str = NAME;
    const TRANSACTIONS: Merkle<'static> = TRANSACTIONS;
    const STORES_NEWEST_FINALITY: bool = false;
    const HAS_DEALER: bool = true;
    /// A transaction is ordered again only after this number of blocks.
    const SNAPSHOT_BLOCKS: Option<u64> = Some(chain::RECENT);

    fn check_genesis(genesis: &Genesis) -> Result<()> {
        if genesis.schedule.is_some() {
            return Err(invalid_genesis("schedule: ABFT has none; remove [schedule]".into()));
        }
        if genesis.members.iter().any(|member| member.weight != 1) {
            return Err(invalid_genesis("weight: all members of an ABFT chain have the weight 1".into()));
        }
        let size = genesis.members.len();
        tolerance(genesis).map_err(|e| invalid_genesis(format!("{size} members: {e}")))?;
        if genesis.scheme == SchemeName::Ed25519 && size > MAX_ED25519_MEMBERS {
            return Err(invalid_genesis(format!(
                "{size} members: ABFT with ed25519 has at most {MAX_ED25519_MEMBERS}; use scheme = \"bls\""
            )));
        }
        match &genesis.dealt {
            None => Ok(()),
            Some(Hex(dealt)) => Published::<S>::decode(dealt, genesis)
                .map(drop)
                .map_err(|e| invalid_genesis(format!("dealt: {e}"))),
        }
    }

    fn deal(genesis: &Genesis, options: DealOptions) -> Result<Dealt> {
        Ok(keys::deal::<S>(genesis, options)?)
    }

    fn presigns(genesis: &Genesis) -> bool {
        published::<S>(genesis).is_some_and(|published| published.presigning().is_some())
    }

    fn deal_presignatures(genesis: &Genesis, dealer: &[u8], epoch: u64) -> Result<Vec<Vec<u8>>> {
        let none = || invalid_genesis("dealt: the members do not sign with presignatures".into());
        let published = published::<S>(genesis).ok_or_else(none)?;
        let keys = published.presigning().ok_or_else(none)?;
        Ok(keys.deal(dealt_committee(genesis), tolerance(genesis)?, dealer, epoch)?)
    }

    fn context(committees: &genesis::Committees<S>) -> Arc<Committee<S>> {
        committees.voters.clone()
    }

    fn machine(setup: MachineSetup<'_, Self>, archive: &dyn Archive<Self>) -> Result<Self::Machine> {
        let me =
            setup.me.ok_or(quorate::Error::WrongContext { what: "observer: ABFT has a fixed committee" })?;
        let no_keys =
            || invalid_genesis("dealt: missing; create the file with `quorate genesis --shares`".into());
        let Hex(dealt) = setup.genesis.dealt.as_ref().ok_or_else(no_keys)?;
        let identity = setup.keys.identity()?;
        let identities: Vec<_> = setup.committees.identities.keys().to_vec();
        let member = Member {
            committee: dealt_committee(setup.genesis),
            tolerance: tolerance(setup.genesis)?,
            identities: &identities,
            index: me,
            identity: &identity,
            chain: setup.committees.chain,
            presignatures: setup.presignatures,
        };
        let keys = Published::<S>::decode(dealt, setup.genesis)?.member(member, setup.shares);
        let keys = keys.map_err(|e| NodeError::Config {
            path: None,
            problem: format!("node.shares: not the shares of this validator for this genesis ({e})"),
        })?;
        let mut entropy = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *entropy).map_err(|_| quorate::Error::Rng)?;
        let mut recent_states = setup.recent_states;
        recent_states.push(Executed { height: 0, state_root: setup.genesis_root });
        let records = records(archive)?;
        let config = Config {
            setup: Arc::new(keys.setup),
            secrets: Arc::new(keys.secrets),
            encryption: keys.encryption,
            chain: setup.committees.chain,
            voters: setup.committees.voters.clone(),
            executed: setup.executed,
            recent_states,
            recent_transactions: recent_transactions(archive, setup.executed.height)?,
            committed: committed_transactions(archive, &records)?,
            first_sequence: FIRST_SEQUENCE,
            entropy,
            parameters: chain::Parameters::default(),
        };
        Ok(Chain::restore(config, setup.keys.voting::<S>()?, records)?)
    }

    /// Clients see the numbers on their tickets, so a restart must not reuse numbers of an earlier run. Numbers of settled
    /// batches are in no record.
    fn next_sequence(machine: &Self::Machine) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        machine.next_sequence().max(since.as_secs() << 16)
    }

    fn status(machine: &Self::Machine) -> Status {
        let chain::Status { committed, running, catching_up, presigned_epochs, pruned_history } =
            machine.status();
        Status {
            view: running,
            leader: None,
            committed,
            timeouts: 0,
            catching_up,
            pruned_history,
            abstention: None,
            presigned_epochs,
        }
    }

    fn command(command: Command) -> quorate::Result<chain::Command> {
        Ok(match command {
            Command::Submit(batch) => chain::Command::Submit(batch),
            Command::Executed(executed) => chain::Command::Executed(executed),
            Command::Connected(member) => chain::Command::Connected(member),
            Command::OtherEpoch(_) => {
                return Err(quorate::Error::WrongContext { what: "epoch: an ABFT chain has only one" });
            }
        })
    }

    fn action(output: Output<S>, _: Option<MemberIndex>) -> Option<Action<Self>> {
        Some(match output {
            Output::Deliver(delivery) => {
                let chain::Delivery { certified: CertifiedBlock { block, finality }, batches } = *delivery;
                // `Action::Settled` reports own batches before the delivery.
                Action::Deliver(Box::new(Delivery { block, batches, finality, own_batches: Vec::new() }))
            }
            Output::Settled { sequence } => Action::Settled { sequence },
            Output::Repeated { sequence } => Action::Repeated { sequence },
            Output::Refused { sequence } => Action::OwnBatch { sequence, state: OwnBatchState::Refused },
            Output::Congestion(congested) => Action::Congestion(congested),
            Output::PruneBatches(batches) => Action::PruneBatches(batches),
            Output::PruneEpochs { up_to } => Action::PruneLog { up_to },
            Output::Serve { to, from, tip } => {
                Action::Serve { to, request: HistoryRequest::Blocks { from, tip } }
            }
            Output::Compare { from, certified } => {
                Action::Serve { to: from, request: HistoryRequest::Compare(certified) }
            }
            Output::Broken(error) => Action::Fail(error),
        })
    }

    fn fault_report(evidence: &Evidence<S>) -> FaultReport {
        let report = |code, description, strike| FaultReport { code, description, strike };
        match evidence {
            Evidence::Equivocation(_) => report("EQUIVOCATION", "two votes at one height", false),
            Evidence::OtherBlock(_) => {
                report("STATE_ROOT", "a quorum certified another block than this node computed", false)
            }
            Evidence::Violation(Violation::Invalid { what, error }) => FaultReport::invalid(what, error),
            Evidence::Violation(Violation::Contradiction { what }) => report("CONTRADICTION", what, false),
            Evidence::Violation(Violation::WrongShare { what, .. }) => report("WRONG_SHARE", what, false),
            Evidence::Violation(Violation::InconsistentShards) => {
                report("BAD_ENCODING", "the shards of a proposal do not encode one message", false)
            }
            Evidence::Violation(Violation::Refused { what }) => report("UNEXPECTED", what, true),
        }
    }

    fn evidence(evidence: &Evidence<S>) -> Option<SignedTwice> {
        match evidence {
            Evidence::Equivocation(votes) => Some(SignedTwice::new(SigningKey::Voting, votes)),
            _ => None,
        }
    }

    fn proves_fault(key: SigningKey, kind: Kind) -> bool {
        key == SigningKey::Voting && kind == BLOCK
    }

    fn is_bulk(message: &Message<S>) -> bool {
        match message {
            // The end of an answer follows its blocks.
            chain::Message::Batch(_) | chain::Message::Block(_) | chain::Message::End { .. } => true,
            chain::Message::Epoch { message, .. } => message.shard_len() > BULK,
            chain::Message::Vote(_) | chain::Message::Status { .. } | chain::Message::Pruned { .. } => false,
        }
    }

    /// Storing a submitted batch depends on nothing.
    fn stores_only_batches(step: &Step<Self::Machine>) -> bool {
        let records = step.persist.iter().all(|record| matches!(record, Record::Batch(_)));
        !step.persist.is_empty() && records && step.messages.is_empty()
    }

    fn message_weight(message: &Message<S>) -> usize {
        match message {
            chain::Message::Epoch { message, .. } => message.shard_len(),
            chain::Message::Batch(batch) => batch.bytes(),
            _ => 0,
        }
    }

    fn record_kind(record: &Record<S>) -> RecordKind<'_, Self> {
        match record {
            Record::Input { height, message, .. } => {
                RecordKind::Log { height: *height, bytes: message.len() }
            }
            Record::Proposal { height, batch } => {
                RecordKind::Log { height: *height, bytes: batch.encoded_len() }
            }
            Record::Presigned { height } | Record::FallBack { height } => {
                RecordKind::Log { height: *height, bytes: 0 }
            }
            Record::Spent(record) => RecordKind::Spent(record),
            Record::Seed(_) => RecordKind::Latest(LatestRecord::Seed),
            Record::Vote(_) => RecordKind::Latest(LatestRecord::VoteGuard(BLOCK.number())),
            Record::Batch(batch) => RecordKind::Batch(batch),
            Record::Block(block) => RecordKind::Block(block),
            Record::Certificate(finality) => RecordKind::AtHeight(finality.0.statement().view),
        }
    }

    fn batch_record(batch: Arc<Batch>) -> Record<S> {
        Record::Batch(batch)
    }

    fn block_record(block: Arc<chain::Block>) -> Record<S> {
        Record::Block(block)
    }

    fn decode_record(bytes: &[u8], voters: &Arc<Committee<S>>) -> quorate::Result<Record<S>> {
        Record::decode(bytes, voters)
    }

    fn finality(archive: &dyn Archive<Self>, block: &chain::Block) -> Result<Option<Finality<S>>> {
        Ok(match archive.record_at(block.height)? {
            Some(Record::Certificate(finality)) if finality.0.statement().digest == block.digest().0 => {
                Some(Finality::clone(&finality))
            }
            _ => None,
        })
    }

    /// The certificate that commits the block.
    fn certificate(archive: &dyn Archive<Self>, block: &chain::Block) -> Result<(Vec<u8>, Vec<MemberIndex>)> {
        let finality = Self::finality(archive, block)?;
        let shown = |Finality(certificate)| (certificate.encode(), certificate.signers().iter().collect());
        Ok(finality.map(shown).unwrap_or_default())
    }

    fn answer(
        archive: &dyn Archive<Self>,
        request: HistoryRequest<S>,
        send: &mut dyn FnMut(&Message<S>),
    ) -> Result<()> {
        let (from, tip) = match request {
            HistoryRequest::Blocks { from, tip } => (from, tip),
            HistoryRequest::Compare(CertifiedBlock { block, finality }) => {
                return archive.compare(&block, &finality);
            }
        };
        let (mut bytes, mut next) = (0, from);
        for height in (from..).take(PAGE as usize) {
            let Some(block) = archive.block_at(height)? else { break };
            let Some(finality) = Self::finality(archive, &block)? else { break };
            let parts = Block::<Self>::payload(&*block);
            let mut batches = Vec::with_capacity(parts.len());
            for part in &parts {
                batches.extend(archive.batch(&part.digest)?);
            }
            if batches.len() < parts.len() {
                break;
            }
            next = height + 1;
            send(&chain::Message::Block(CertifiedBlock { block, finality: Arc::new(finality) }));
            for batch in batches {
                bytes += batch.bytes();
                send(&chain::Message::Batch(batch));
            }
            if bytes > PAGE_BYTES {
                break;
            }
        }
        let oldest = archive.oldest_height();
        if next == from && from < oldest {
            send(&chain::Message::Pruned { oldest, tip });
        } else {
            send(&chain::Message::End { next, tip });
        }
        Ok(())
    }

    fn check_committed(
        block: &chain::Block,
        finality: &Finality<S>,
        voters: &Arc<Committee<S>>,
    ) -> quorate::Result<()> {
        finality.verify(voters, block)
    }

    fn committed_record(
        _: &chain::Block,
        finality: &Finality<S>,
        _: Option<&Record<S>>,
        _: &Arc<Committee<S>>,
    ) -> quorate::Result<Option<Record<S>>> {
        Ok(Some(Record::Certificate(Arc::new(finality.clone()))))
    }

    fn certificate_bytes(finality: &Finality<S>) -> usize {
        finality.0.encoded_len()
    }
}

/// The public part of a genesis' dealt keys, if it is there and valid.
fn published<S: ChainScheme>(genesis: &Genesis) -> Option<Published<S>> {
    let Hex(dealt) = genesis.dealt.as_ref()?;
    Published::<S>::decode(dealt, genesis).ok()
}

fn invalid_genesis(problem: String) -> NodeError {
    NodeError::Genesis { path: None, problem }
}
