//! What all members must agree on, and what each can tune for itself.

use core::num::NonZeroU16;
use core::time::Duration;

use quorate::gossip;
use quorate::sortition::EXPECTED_WINNERS;

/// The clock that all members share loosely, and how many propose: **the same for all members**.
///
/// ```text
///   start                                   round r
///     │ round 1     │ round 2     │  …  ├── proposals ──┬── signatures ──┤
///                                        Stage I         Stage II
/// ```
///
/// Safety never depends on it. Clocks that differ by more than a stage cost liveness while they do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// When round 1 begins, in microseconds **of the driver's clock**; negative if that clock began later.
    pub start: i64,
    /// Stage I of a round: proposals spread.
    pub proposals: Duration,
    /// Stage II of a round: blocks are prepared and committed.
    pub signatures: Duration,
    /// How many members propose in a round on average.
    pub proposers: NonZeroU16,
}

/// The pace and the limits of a replica. Members need not agree on any of it. [`Default`] fits four to a hundred
/// members in one region.
///
/// Five switches turn the paper's optimisations off, each by itself, to see what it is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Prepare a block as soon as its header is known, and receive its transactions meanwhile. Off: prepare it only
    /// when all of it is there.
    pub stage_pipelining: bool,
    /// Begin the next round as soon as this round's block is committed: propose, and take proposals. Off: when the
    /// clock says so.
    pub round_pipelining: bool,
    /// Into how many segments a body is cut, at least; large ones into more. 1: not at all.
    pub segments: u16,
    /// Pass transactions on as they come, so that a body only names them. Off: bodies carry the transactions.
    pub asynchronous_transactions: bool,
    /// Name transactions by 6 bytes where that is enough. Off: by 32.
    pub short_hashes: bool,
    /// Sum signatures on the way. Off: each member tells its own to all, and sums only what it keeps.
    pub aggregation: bool,

    /// To how many members at a time something is passed on.
    pub fanout: usize,
    /// To how many members a transaction is passed on.
    pub transaction_fanout: usize,
    /// How long transactions gather before they are passed on.
    pub transaction_delay: Duration,
    /// How fast signatures leave: as fast as this member's line does, or others' messages wait behind sums that are no
    /// longer the best.
    pub uplink_bytes_per_second: u64,
    /// How long to wait for a member that something was sent to; after that it is left alone for
    /// [`back_off`](Self::back_off), and longer by that each further time.
    pub patience: Duration,
    /// See [`patience`](Self::patience).
    pub back_off: Duration,
    /// How long before an unanswered request is sent to somebody else.
    pub retry: Duration,
    /// The most bytes of transactions, each with its length, that this member puts into a block.
    pub max_block_bytes: usize,
    /// The most transactions that this member puts into a block.
    pub max_block_transactions: usize,
    /// How many bytes, each with its length, the first block may hold. From then on it is about what was committed
    /// lately: full blocks double it until a round is lost, which halves it; after that it rises in steps.
    pub first_block_bytes: usize,
    /// The same for how many transactions.
    pub first_block_transactions: usize,
    /// The most bytes of transactions that wait to be ordered, and 256 for each of them. At three quarters of it, or if
    /// more wait than a few blocks hold, [`Output::Congestion`](crate::Output::Congestion) asks the driver to hold back.
    pub max_pool_bytes: usize,
    /// The most bytes of them that one other member may have brought.
    pub max_peer_bytes: usize,
    /// How many bytes per second one peer may have served to it.
    pub serve_bytes_per_second: u64,
    /// How many bytes of transactions may be delivered and not executed. One block is always delivered.
    pub max_unexecuted_bytes: usize,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            start: 0,
            proposals: Duration::from_millis(250),
            signatures: Duration::from_millis(250),
            proposers: EXPECTED_WINNERS,
        }
    }
}

impl Parameters {
    /// What core's gossip needs of them.
    pub(crate) fn gossip(&self) -> gossip::Parameters {
        gossip::Parameters {
            fan_out: self.fanout,
            back_off: self.back_off,
            patience: self.patience,
            ..gossip::Parameters::default()
        }
    }
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            stage_pipelining: true,
            round_pipelining: true,
            segments: 5,
            asynchronous_transactions: true,
            short_hashes: true,
            aggregation: true,
            fanout: 5,
            transaction_fanout: 3,
            transaction_delay: Duration::from_millis(10),
            uplink_bytes_per_second: 12_500_000,
            patience: Duration::from_millis(250),
            back_off: Duration::from_millis(250),
            retry: Duration::from_millis(100),
            max_block_bytes: 4 << 20,
            max_block_transactions: 1 << 16,
            first_block_bytes: 1 << 20,
            first_block_transactions: 4096,
            max_pool_bytes: 128 << 20,
            max_peer_bytes: 32 << 20,
            serve_bytes_per_second: 64 << 20,
            max_unexecuted_bytes: 256 << 20,
        }
    }
}
