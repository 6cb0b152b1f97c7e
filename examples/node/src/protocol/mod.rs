//! The interface between the node and a consensus protocol.
//!
//! A protocol is a [`Machine`] in its own crate, which does not depend on this node. Its *adapter*, a type without
//! values in a crate beside the node, implements [`Protocol`]: it creates the replica from the records on disk,
//! translates the replica's inputs, outputs and records, and describes its blocks to clients. Links, inbox,
//! persist-before-send, storage, execution, mempool, HTTP, streams and metrics are the same for all protocols.
//!
//! ```text
//!  Command ──▶ command() ──▶ Machine::Command      Machine::Output ──▶ action()       ──▶ Action
//!                                                  Machine::Record ──▶ record_kind()  ──▶ RecordKind: storage class
//!                                                  Machine::Fault  ──▶ fault_report() ──▶ FaultReport: code for metrics
//! ```
//!
//! | the node's term | Jolteon | Gosig | ABFT |
//! |---|---|---|---|
//! | view | view | round | height |
//! | [`Block`] | a block: it references certified batches | a block without its payload | a block without its batches; it has no author and no time |
//! | [`Batch`] | a batch of one member's transactions | a payload: all transactions of a block | the transactions of one member's proposal |
//! | [`Protocol::Finality`] | descendants down to two in consecutive views, and the certificate of the last | the certificate of the members that committed the block tentatively | the certificate of the members that decided the block |
//! | [`Command::Submit`] | the batch is ordered as it is | the transactions of the batch are ordered one by one | as in Gosig |
//! | dealt keys | none | none | [`Protocol::deal`] |
//!
//! `PROTOCOL.md` beside this crate's manifest explains, step by step, how to write an adapter.

mod block;
mod vocabulary;

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quorate::Error;
use quorate::certificate::Kind;
use quorate::guard::GuardRecord;
use quorate::machine::{Machine, MemberIndex, Step};
use quorate::merkle::{Hash, Merkle};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use zeroize::Zeroizing;

pub use block::{Batch, BatchSummary, Block};
pub use quorate_protocol::Executed;
pub use quorate_protocol::batch::OwnBatchState;
pub use quorate_protocol::pruned_peers::PrunedHistory;
pub use quorate_protocol::signing_history::{Abstention, SigningHistory};
pub use vocabulary::{Command, FaultReport, LatestRecord, Signed, Status};

use crate::Result;
use crate::epochs::{Anchor, NextEpoch};
use crate::evidence::{SignedTwice, SigningKey};
use crate::genesis::{Committees, Genesis};
use crate::keys::NodeKeys;
use crate::signer::SignerAddress;

/// A consensus protocol that the node can run.
pub trait Protocol: Clone + fmt::Debug + Eq + Send + Sync + 'static {
    /// Signature scheme of votes.
    type Scheme: Scheme;
    /// Replica: the state machine of one validator.
    type Machine: Machine<Message: Send, Record: Send, Timer: Copy> + Send + 'static;
    /// Element of the chain: small, linked by hash, shown to clients in proofs.
    type Block: Block<Self> + Encode + Decode<Self::Context>;
    /// Transactions that a block orders, stored as one piece.
    type Batch: Batch<Self> + Encode + Decode;
    /// Proof that a block is committed, for a verifier that knows only the committee.
    type Finality: Clone + fmt::Debug + Eq + Encode + Decode<Self::Context> + Send + Sync + 'static;
    /// Data that decoders need, such as the committees.
    type Context: Clone + Send + Sync + 'static;
    /// A peer's request that only the archive can answer.
    type Request: fmt::Debug + Send + 'static;

    /// Name of the protocol in genesis files and data directories.
    const NAME: &'static str;
    /// Merkle tree over a batch's transactions. A leaf is also the identifier of its transaction.
    const TRANSACTIONS: Merkle<'static>;
    /// True if the archive stores the finality of its newest block, because no block or record contains it.
    const STORES_NEWEST_FINALITY: bool;
    /// True if the committee may change. Then a node that is not a member may observe the chain.
    const HAS_EPOCHS: bool = false;
    /// True if the replica abstains after a start with old records, as [`MachineSetup::history`] says.
    const ABSTAINS: bool = false;
    /// Number of newest blocks that a node needs, besides the state after the last of them, to join from a snapshot. `None` if its
    /// replica also needs what no block proves.
    const SNAPSHOT_BLOCKS: Option<u64> = None;
    /// True if a dealer makes keys for a genesis: see [`deal`](Protocol::deal).
    const HAS_DEALER: bool = false;
    /// True if a [signer](crate::signer) can hold the voting key: the guard signs everything that this key signs, and the
    /// committee is that of the genesis.
    const HAS_SIGNER: bool = false;

    /// Checks the fields of a genesis that only this protocol uses.
    ///
    /// # Errors
    /// [`NodeError::Genesis`](crate::NodeError::Genesis), which names the field.
    fn check_genesis(_genesis: &Genesis) -> Result<()> {
        Ok(())
    }

    /// Makes the keys that the members of a genesis share. **The process that runs this knows the secrets of all members.**
    ///
    /// # Errors
    /// [`NodeError::Genesis`](crate::NodeError::Genesis) if the protocol has no dealer, or for members or options that it
    /// cannot serve.
    fn deal(_genesis: &Genesis, _options: DealOptions) -> Result<Dealt> {
        let problem = format!("protocol {} has no dealt keys", Self::NAME);
        Err(crate::NodeError::Genesis { path: None, problem })
    }

    /// Returns true if the members of a genesis sign with presignatures. Then the node keeps the records of
    /// [`RecordKind::Spent`] beside them.
    fn presigns(_genesis: &Genesis) -> bool {
        false
    }

    /// Deals the presignatures of one epoch, **once**, with the dealer's secret. Returns a file for each member, in the order of
    /// the genesis, which only that member can open.
    ///
    /// # Errors
    /// [`NodeError::Genesis`](crate::NodeError::Genesis) if the members do not sign with presignatures, or the secret is that of
    /// another genesis.
    fn deal_presignatures(_genesis: &Genesis, _dealer: &[u8], _epoch: u64) -> Result<Vec<Vec<u8>>> {
        let problem = "the validators of this chain do not sign with presignatures".to_owned();
        Err(crate::NodeError::Genesis { path: None, problem })
    }

    /// Creates the decoders' context from the committees of the genesis.
    fn context(committees: &Committees<Self::Scheme>) -> Self::Context;

    /// Adds the committees of a later epoch to a context and to all of its clones.
    fn add_epoch(_context: &Self::Context, _committees: &Committees<Self::Scheme>) {}

    /// Creates the replica from the records in the archive, or a new one if the archive is empty.
    ///
    /// # Errors
    /// If the archive fails, or if keys, committees and records do not match.
    fn machine(setup: MachineSetup<'_, Self>, archive: &dyn Archive<Self>) -> Result<Self::Machine>;

    /// Sequence number of the next batch of this node's clients.
    fn next_sequence(machine: &Self::Machine) -> u64;

    /// The replica's state, for status reports and metrics.
    fn status(machine: &Self::Machine) -> Status;

    /// Translates a command of the node into one of the replica.
    ///
    /// # Errors
    /// For a batch that exceeds the replica's limits. The limits of a valid genesis are below them.
    fn command(command: Command) -> quorate::Result<<Self::Machine as Machine>::Command>;

    /// Translates an output of the replica; `None` if the node does nothing about it. `me` is the author of this
    /// node's own batches.
    fn action(output: Output<Self>, me: Option<MemberIndex>) -> Option<Action<Self>>;

    /// Reason to reject a client's transaction regardless of the application. Used for transactions that have no
    /// effect but cost every member time.
    fn rejection(_context: &Self::Context, _transaction: &[u8]) -> Option<&'static str> {
        None
    }

    /// Returns true if a message could not be decoded only because its sender is in another epoch, which is no fault.
    fn is_other_epoch(_error: &Error) -> bool {
        false
    }

    /// Reply to a message of a former member; `None` for a message that only members may send.
    fn answer_former_member(
        _machine: &Self::Machine,
        _message: Message<Self>,
    ) -> Option<FormerMemberReply<Self>> {
        None
    }

    /// Describes a fault for the log and the metrics.
    fn fault_report(fault: &<Self::Machine as Machine>::Fault) -> FaultReport;

    /// Returns the evidence in a fault that third parties can verify: the node keeps it in a file. Its kind is one of those
    /// of [`proves_fault`](Protocol::proves_fault).
    fn evidence(_fault: &<Self::Machine as Machine>::Fault) -> Option<SignedTwice> {
        None
    }

    /// Returns true if an honest member never signs two statements of this kind with equal epoch and view and this key.
    fn proves_fault(_key: SigningKey, _kind: Kind) -> bool {
        false
    }

    /// Returns true if a message is large and must not delay urgent messages.
    fn is_bulk(message: &Message<Self>) -> bool;

    /// Returns true if a step only stores batches and acknowledges them. Such a step may overtake other steps and be
    /// overtaken: its messages must depend only on the records of the step itself.
    fn stores_only_batches(step: &Step<Self::Machine>) -> bool;

    /// Approximate memory that a message alone holds, in bytes, beyond one kilobyte.
    fn message_weight(message: &Message<Self>) -> usize;

    /// Classifies a record for the store.
    fn record_kind(record: &Record<Self>) -> RecordKind<'_, Self>;

    /// Returns the mark of the signature that a record of a guard is about, for a counter outside the data directory. `None`
    /// for other records.
    fn signed(_record: &Record<Self>) -> Option<Signed> {
        None
    }

    /// Creates the record of a batch.
    fn batch_record(batch: Arc<Self::Batch>) -> Record<Self>;

    /// Creates the record of a block.
    fn block_record(block: Arc<Self::Block>) -> Record<Self>;

    /// Decodes a record that is neither a block nor a batch.
    ///
    /// # Errors
    /// If the bytes are malformed.
    fn decode_record(bytes: &[u8], context: &Self::Context) -> quorate::Result<Record<Self>>;

    /// Finality of an executed block; `None` if the archive does not contain it. No block is archived during the call.
    ///
    /// # Errors
    /// If the archive fails.
    fn finality(archive: &dyn Archive<Self>, block: &Self::Block) -> Result<Option<Self::Finality>>;

    /// Certificate that clients see beside an executed block: its encoding and its signers. Both are empty if there is
    /// none.
    ///
    /// # Errors
    /// If the archive fails.
    fn certificate(archive: &dyn Archive<Self>, block: &Self::Block) -> Result<(Vec<u8>, Vec<MemberIndex>)>;

    /// Answers a peer's request from the archive. A request for blocks below [`Archive::oldest_height`] needs an answer, too, so
    /// that the peer asks another member and [`Status::pruned_history`] of its replica can say that no member has them.
    ///
    /// # Errors
    /// If the archive fails.
    fn answer(
        archive: &dyn Archive<Self>,
        request: Self::Request,
        send: &mut dyn FnMut(&Message<Self>),
    ) -> Result<()>;

    /// Verifies that a block is committed, and that its author and the committee signed every byte of the block and of
    /// its finality.
    ///
    /// # Errors
    /// The first check that fails.
    fn check_committed(
        block: &Self::Block,
        finality: &Self::Finality,
        context: &Self::Context,
    ) -> quorate::Result<()>;

    /// The record of a committed block at its height, for a node that joins from a snapshot. `previous` is that of the block before
    /// it; `None` for the oldest one. The block is verified.
    ///
    /// # Errors
    /// If the block does not follow the previous one.
    fn committed_record(
        _block: &Self::Block,
        _finality: &Self::Finality,
        _previous: Option<&Record<Self>>,
        _context: &Self::Context,
    ) -> quorate::Result<Option<Record<Self>>> {
        Ok(None)
    }

    /// Size of the certificate in a finality, in bytes.
    fn certificate_bytes(finality: &Self::Finality) -> usize;
}

/// Messages exchanged between the replicas of a protocol.
pub type Message<P> = <<P as Protocol>::Machine as Machine>::Message;
/// Durable records of a protocol's replica.
pub type Record<P> = <<P as Protocol>::Machine as Machine>::Record;
/// Outputs of a protocol's replica to the node.
pub type Output<P> = <<P as Protocol>::Machine as Machine>::Output;

/// The chain's blocks, batches and records on disk, as an adapter reads them.
pub trait Archive<P: Protocol> {
    /// Records that a replica needs after a restart: the latest of each slot, those at heights not below the executed
    /// one, and every block and batch that is not executed.
    ///
    /// # Errors
    /// `CORRUPT` if a record cannot be decoded; `STORE`.
    fn load(&self) -> Result<Vec<Record<P>>>;

    /// Height of the oldest executed block in the archive; 1 if none is pruned. The archive has no block, batch or record of
    /// lower heights.
    fn oldest_height(&self) -> u64;

    /// The executed block at a height; `None` also if it is pruned.
    ///
    /// # Errors
    /// If the store fails.
    fn block_at(&self, height: u64) -> Result<Option<Arc<P::Block>>>;

    /// A block, executed or not.
    ///
    /// # Errors
    /// If the store fails.
    fn block(&self, digest: &Hash) -> Result<Option<Arc<P::Block>>>;

    /// A batch, executed or not. Cost: one hash over the batch.
    ///
    /// # Errors
    /// If the store fails.
    fn batch(&self, digest: &Hash) -> Result<Option<Arc<P::Batch>>>;

    /// Returns true if the index of executed transactions contains an identifier. Cost: a few reads of the disk.
    ///
    /// # Errors
    /// If the store fails.
    fn is_indexed(&self, id: &Hash) -> Result<bool>;

    /// Consecutive executed blocks from a height on: at most `max_blocks`, ending with the first block that makes the
    /// sum of the encodings exceed `max_bytes`.
    ///
    /// # Errors
    /// If the store fails.
    fn history(&self, from: u64, max_blocks: usize, max_bytes: usize) -> Result<Vec<Arc<P::Block>>>;

    /// The record at a height; see [`RecordKind::AtHeight`].
    ///
    /// # Errors
    /// If the store fails.
    fn record_at(&self, height: u64) -> Result<Option<Record<P>>>;

    /// Finality of the newest archived block, for protocols with [`Protocol::STORES_NEWEST_FINALITY`].
    ///
    /// # Errors
    /// If the store fails.
    fn newest_finality(&self) -> Result<Option<P::Finality>>;

    /// Compares a block that a peer claims to be committed, or its parent, with the executed block of that height.
    /// `finality` need not be verified.
    ///
    /// # Errors
    /// `CONFLICTING_COMMIT` if the blocks differ and `finality` is valid: then a third of the members is faulty, or has
    /// lost its records. The proofs of both blocks are in a file. The node stops.
    fn compare(&self, block: &P::Block, finality: &P::Finality) -> Result<()>;
}

/// Everything that a replica is created from, besides its records.
pub struct MachineSetup<'a, P: Protocol> {
    /// Committees of the epoch.
    pub committees: &'a Committees<P::Scheme>,
    /// Index of this member; `None` for an observer.
    pub me: Option<MemberIndex>,
    /// Block on which the epoch begins; `None` for the genesis epoch.
    pub anchor: Option<Anchor>,
    /// Secret keys of this validator. With a [signer](Self::signer), the voting key among them has no use.
    pub keys: &'a NodeKeys,
    /// The signer that holds the voting key; only for protocols that [can use one](Protocol::HAS_SIGNER).
    pub signer: Option<&'a SignerAddress>,
    /// This validator's secrets from the [dealer](Protocol::deal); empty if the protocol has none.
    pub shares: &'a [u8],
    /// The presignatures of this validator, if its chain [uses them](Protocol::presigns).
    pub presignatures: Option<PresignatureFiles<'a>>,
    /// The genesis.
    pub genesis: &'a Genesis,
    /// State root before block 1.
    pub genesis_root: Hash,
    /// Last durably executed state. Delivery continues with the next height.
    pub executed: Executed,
    /// Recent states, which blocks of other members may reference.
    pub recent_states: Vec<Executed>,
    /// A number above every batch number that this validator used before this start.
    pub first_sequence: u64,
    /// What is known about the signatures of the keys.
    pub history: SigningHistory,
}

/// A request of a replica to the node. The node carries it out after the records of the same step are durable.
#[derive(Debug)]
pub enum Action<P: Protocol> {
    /// Execute the next block of the chain.
    Deliver(Box<Delivery<P>>),
    /// The state of a batch of this node's clients changed.
    OwnBatch {
        /// Sequence number of the batch.
        sequence: u64,
        /// The new state.
        state: OwnBatchState,
    },
    /// All transactions of a batch of this node's clients are committed, the last of them by the block that the same step
    /// delivers next. Used by protocols that order transactions one by one and leave [`Delivery::own_batches`] empty.
    Settled {
        /// Sequence number of the batch.
        sequence: u64,
    },
    /// All transactions of a batch of this node's clients were committed before it was submitted.
    Repeated {
        /// Sequence number of the batch.
        sequence: u64,
    },
    /// Stop accepting client transactions (true), or accept them again (false).
    Congestion(bool),
    /// The epoch ends with the block that was delivered last; continue with the next epoch.
    EndEpoch(Box<NextEpoch>),
    /// Answer a peer from the archive.
    Serve {
        /// The peer.
        to: MemberIndex,
        /// Its request.
        request: P::Request,
    },
    /// Delete the records of batches that can never be committed.
    PruneBatches(Vec<Hash>),
    /// Delete the records of blocks that can never be committed.
    PruneBlocks(Vec<Hash>),
    /// Delete the records of the [log](RecordKind::Log) up to a height.
    PruneLog {
        /// The height.
        up_to: u64,
    },
    /// The replica cannot continue: stop the node.
    Fail(Error),
    /// A view began.
    View {
        /// The view.
        view: u64,
        /// Its leader, as far as this member knows; `None` if the protocol has no leaders.
        leader: Option<MemberIndex>,
        /// True if the previous view timed out.
        timed_out: bool,
    },
}

/// Reply to a message of a former member.
pub enum FormerMemberReply<P: Protocol> {
    /// Send this message.
    Message(Message<P>),
    /// Answer this request from the archive.
    Archive(P::Request),
}

/// A committed block.
#[derive(Clone, Debug)]
pub struct Delivery<P: Protocol> {
    /// The block.
    pub block: Arc<P::Block>,
    /// The batches of its payload, in order.
    pub batches: Vec<Arc<P::Batch>>,
    /// Proof that the block is committed.
    pub finality: Arc<P::Finality>,
    /// Sequence numbers of this node's own batches that the block commits.
    pub own_batches: Vec<u64>,
}

/// Storage class of a record.
pub enum RecordKind<'a, P: Protocol> {
    /// A batch, stored until it is executed or pruned.
    Batch(&'a Arc<P::Batch>),
    /// A block, stored until it is executed or pruned.
    Block(&'a Arc<P::Block>),
    /// A record that replaces the previous record of the same slot.
    Latest(LatestRecord),
    /// A record that is stored under its height until the block there is pruned.
    AtHeight(u64),
    /// A record of a height that is stored until [`Action::PruneLog`]. All such records are loaded in the order in which they
    /// were written.
    Log {
        /// The height.
        height: u64,
        /// Approximate size of the record in bytes.
        bytes: usize,
    },
    /// Spent presignatures. The record is stored beside the presignatures, outside the data directory, before the messages of the
    /// step leave.
    Spent(&'a GuardRecord),
}

/// Presignatures on disk.
pub struct PresignatureFiles<'a> {
    /// The directory with the files from the [dealer](Protocol::deal_presignatures); see [`presignature_file`].
    pub directory: &'a Path,
    /// The records of those that are spent.
    pub spent: Vec<GuardRecord>,
    /// The presignatures of epochs up to this one must not be used: they were destroyed, because the journal was lost.
    pub destroyed: u64,
}

/// Returns the directory of a validator's presignatures, beside its file of shares.
pub fn presignature_directory(shares: &Path) -> PathBuf {
    let mut directory = shares.as_os_str().to_owned();
    directory.push(".presignatures");
    directory.into()
}

/// Returns the name of the file with a validator's presignatures of an epoch.
pub fn presignature_file(epoch: u64) -> String {
    format!("{epoch}.sealed")
}

/// Returns the epoch of a file with a validator's presignatures; `None` for a file with another name.
pub fn presignature_epoch(file: &OsStr) -> Option<u64> {
    let name = file.to_str()?;
    let epoch = name.strip_suffix(".sealed")?.parse().ok()?;
    (presignature_file(epoch) == name).then_some(epoch)
}

/// Options of a deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DealOptions {
    /// Keys that encrypt transactions until their order is fixed.
    pub encrypts: bool,
    /// A key for signatures with presignatures, of which the dealer [deals](Protocol::deal_presignatures) some for each epoch.
    pub presigns: bool,
}

/// Keys from a dealer.
pub struct Dealt {
    /// The public part, for the genesis.
    pub public: Vec<u8>,
    /// The secrets of each member, in the order of the genesis.
    pub shares: Vec<Zeroizing<Vec<u8>>>,
    /// The dealer's own secret, with which it deals presignatures; empty without them.
    pub dealer: Zeroizing<Vec<u8>>,
}

/// A computation that is generic over the protocol, for callers that choose the protocol at run time.
pub trait ProtocolVisitor {
    /// Result of the computation.
    type Output;
    /// Runs the computation with the protocol `P`.
    fn visit<P: Protocol>(self) -> Self::Output;
}
