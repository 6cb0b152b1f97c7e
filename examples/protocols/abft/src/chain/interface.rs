//! What a driver passes to the machine, and what it gets.

use std::sync::Arc;
use std::time::Duration;

use quorate::Error;
use quorate::certificate::Equivocation;
use quorate::committee::{Committee, Verified};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use zeroize::Zeroizing;

use super::block::CertifiedBlock;
use crate::epoch::{Encryption, Transaction};
use crate::setup::{Secrets, Setup};
use crate::signatures::ThresholdScheme;
use crate::violation::Violation;

/// Number of blocks in which a transaction is looked for before it is ordered again.
pub const RECENT: usize = 256;

/// Number of blocks in the answer to a member that is behind. It asks for the next ones when it has them all.
pub const PAGE: u64 = 16;

/// Keys and parameters of a member.
pub struct Config<S: ThresholdScheme, V: Scheme> {
    /// The keys of the epochs.
    pub setup: Arc<Setup<S>>,
    /// This member's secrets for the epochs.
    pub secrets: Arc<Secrets<S>>,
    /// The threshold encryption; without it members see transactions before they are ordered.
    pub encryption: Option<Encryption>,
    /// The members that sign blocks: those of the epochs, in the same order.
    pub voters: Arc<Committee<V>>,
    /// Secret of this member's random numbers, drawn once and kept: after a restart it must be the same.
    pub seed: Zeroizing<[u8; 32]>,
    /// Parameters, the same at all members.
    pub parameters: Parameters,
}

/// Parameters of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// B, the number of transactions that all members together propose for an epoch.
    pub batch: usize,
    /// Number of epochs that may run at once.
    pub window: u64,
    /// Interval after which messages are sent again.
    pub resend: Duration,
    /// Maximum number of pending transactions.
    pub max_pending: usize,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { batch: 10_000, window: 2, resend: Duration::from_secs(1), max_pending: 100_000 }
    }
}

/// Requests to the machine.
#[derive(Clone, Debug)]
pub enum Command {
    /// Adds a transaction to the pending ones. It is ordered unless this member crashes before it proposes it.
    Submit(Transaction),
}

/// Timers of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    /// Ask for what is missing.
    Resend,
}

/// Results of the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Output<V: Scheme> {
    /// The next block of the chain. The records of its height and below are needed no longer, but for the last
    /// [`RECENT`] blocks and the last vote.
    Committed(Arc<CertifiedBlock<V>>),
    /// A member lacks the blocks from a height on: send it up to [`PAGE`] of them, in order, as [`Message::Block`](super::Message).
    Serve {
        /// The member.
        to: MemberIndex,
        /// Height of the first block that it lacks.
        from: u64,
    },
    /// A transaction was not taken: it is empty, too long or known, or too many are pending.
    Refused {
        /// The transaction.
        transaction: Transaction,
        /// The reason.
        error: Error,
    },
    /// An internal operation failed; the machine cannot go on.
    Broken(Error),
}

/// Evidence of a violation.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence<V: Scheme> {
    /// A violation of an epoch's protocol.
    Violation(Violation),
    /// Two contradicting votes of one member, which anyone can verify.
    Equivocation(Box<Verified<Equivocation<V>>>),
}
