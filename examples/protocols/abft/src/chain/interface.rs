//! What a driver passes to the machine, and what it gets.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use quorate::Error;
use quorate::certificate::Equivocation;
use quorate::committee::{ChainId, Committee, Verified};
use quorate::machine::MemberIndex;
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
use quorate_protocol::Executed;
use quorate_protocol::batch::Batch;
use quorate_protocol::pruned_peers::PrunedHistory;
use zeroize::Zeroizing;

use super::block::{CertifiedBlock, Finality};
use crate::epoch::Encryption;
use crate::setup::{Secrets, Setup};
use crate::signatures::ThresholdScheme;
use crate::violation::Violation;

/// Number of blocks in which a transaction is looked for before it is ordered again.
pub const RECENT: u64 = 256;

/// Maximum number of blocks in the answer to a member that is behind. It asks for the next ones when it has them all.
pub const PAGE: u64 = 16;

/// Keys, parameters and state of a member.
pub struct Config<S: ThresholdScheme, V: Scheme> {
    /// The keys of the epochs.
    pub setup: Arc<Setup<S>>,
    /// This member's secrets for the epochs.
    pub secrets: Arc<Secrets<S>>,
    /// The threshold encryption; without it members see transactions before they are ordered.
    pub encryption: Option<Encryption>,
    /// The chain.
    pub chain: ChainId,
    /// The members that sign blocks: those of the epochs, in the same order.
    pub voters: Arc<Committee<V>>,
    /// The last durably executed state; its height is 0 before the first block. Delivery continues with the next height.
    pub executed: Executed,
    /// Older states: those of the last [`STATE_LAG`](super::STATE_LAG) heights are needed.
    pub recent_states: Vec<Executed>,
    /// Identifiers of the transactions of the last [`RECENT`] executed blocks, with the heights, ascending.
    pub recent_transactions: Vec<(u64, Vec<Hash>)>,
    /// Identifiers of transactions in recorded batches of this member's clients that older blocks contain. They are not proposed
    /// again.
    pub committed: HashSet<Hash>,
    /// The smallest sequence number of the batches of this member's clients, in all runs. Recorded batches with lower numbers are
    /// those of blocks, whose numbers are heights.
    pub first_sequence: u64,
    /// 32 bytes from the system's generator, used if no record contains the seed of an earlier run.
    pub entropy: Zeroizing<[u8; 32]>,
    /// Parameters. The batch size may differ between members.
    pub parameters: Parameters,
}

/// Parameters of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// B, the number of transactions that all members together propose for an epoch.
    pub batch: usize,
    /// Number of epochs that may run at once.
    pub window: u64,
    /// Interval between requests for missing messages while no block is committed.
    pub resend: Duration,
    /// Number of pending transactions above which clients have to wait. Twice as many are refused.
    pub pending: usize,
    /// Number of bytes of pending transactions above which clients have to wait. Twice as many are refused.
    pub pending_bytes: usize,
}

impl Default for Parameters {
    fn default() -> Self {
        let resend = Duration::from_secs(1);
        Self { batch: 16_000, window: 2, resend, pending: 100_000, pending_bytes: 32 << 20 }
    }
}

/// Requests to the machine.
#[derive(Clone, Debug)]
pub enum Command {
    /// Orders the transactions of a batch of this member's clients one by one.
    Submit(Arc<Batch>),
    /// All blocks up to this height are executed durably.
    Executed(Executed),
    /// The link to a member was established, for the first time or again.
    Connected(MemberIndex),
}

/// Timers of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    /// Ask for what is missing.
    Resend,
    /// Take part in an epoch that others started.
    Join,
}

/// Results of the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Output<V: Scheme> {
    /// The next block of the chain, to be executed.
    Deliver(Box<Delivery<V>>),
    /// All transactions of a batch of this member's clients are committed, the last of them by the block that the same step
    /// delivers next.
    Settled {
        /// The batch's number.
        sequence: u64,
    },
    /// All transactions of a batch of this member's clients were committed before it was submitted.
    Repeated {
        /// The batch's number.
        sequence: u64,
    },
    /// A batch was not accepted: too many transactions are pending, or one of them is empty or too long.
    Refused {
        /// The batch's number.
        sequence: u64,
    },
    /// Stop accepting client transactions (true), or accept them again (false).
    Congestion(bool),
    /// Batches of which no record is needed any more.
    PruneBatches(Vec<Hash>),
    /// The records of the epochs up to a height are not needed any more.
    PruneEpochs {
        /// The height.
        up_to: u64,
    },
    /// A member lacks the blocks from a height on: send it up to [`PAGE`] of them in order, each as
    /// [`Message::Block`](super::Message) with the batches after it, as [`Message::Batch`](super::Message), and then
    /// [`Message::End`](super::Message), also if there are none yet. If the first of them is pruned, send
    /// [`Message::Pruned`](super::Message) instead.
    Serve {
        /// The member.
        to: MemberIndex,
        /// Height of the first block that it lacks.
        from: u64,
        /// Height of the last block.
        tip: u64,
    },
    /// A certified block does not continue this member's chain: compare its parent with the archive. Then more than f members
    /// are faulty, or have lost their records.
    Compare {
        /// The member that sent the block.
        from: MemberIndex,
        /// The block, whose certificate is verified.
        certified: CertifiedBlock<V>,
    },
    /// An internal operation failed; the machine cannot go on.
    Broken(Error),
}

/// A block to be executed.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery<V: Scheme> {
    /// The block with its certificate.
    pub certified: CertifiedBlock<V>,
    /// Its batches, in order.
    pub batches: Vec<Arc<Batch>>,
}

/// Evidence of a violation.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence<V: Scheme> {
    /// A violation of an epoch's protocol.
    Violation(Violation),
    /// Two contradicting votes of one member, which anyone can verify.
    Equivocation(Box<Verified<Equivocation<V>>>),
    /// A certificate of another block than the one that this member made at the height: its application computed another
    /// state than those of the other members. The fault names this member.
    OtherBlock(Box<Finality<V>>),
}

/// State of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Height of the last certified block.
    pub committed: u64,
    /// Height of the highest epoch that runs, or of the last block.
    pub running: u64,
    /// True if correct members have blocks that this one lacks.
    pub catching_up: bool,
    /// Number of epochs for which this member has presignatures; `None` for a scheme without.
    pub presigned_epochs: Option<u64>,
    /// Missing blocks that other members have pruned.
    pub pruned_history: Option<PrunedHistory>,
}
