//! The schedule, on which all members must agree, and the parameters, which each member sets for itself.

use core::num::NonZeroU16;
use core::time::Duration;

use quorate::gossip;
use quorate::sortition::EXPECTED_WINNERS;

/// The schedule of rounds and the expected number of proposers: **the same for all members**.
///
/// ```text
///   start                                   round r
///     │ round 1     │ round 2     │  …  ├── proposals ──┬── signatures ──┤
///                                        Stage I         Stage II
/// ```
///
/// Safety does not depend on it. While clocks differ by more than a stage, liveness is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Beginning of round 1, in microseconds **of the driver's clock**; negative if that clock began later.
    pub start: i64,
    /// Length of Stage I, in which proposals spread.
    pub proposals: Duration,
    /// Length of Stage II, in which blocks are prepared and committed.
    pub signatures: Duration,
    /// Expected number of proposers per round.
    pub proposers: NonZeroU16,
}

/// Parameters of a replica. Members need not agree on them. [`Default`] suits four to a hundred members in one region.
///
/// The first six fields switch the paper's optimisations off, each by itself, to measure its effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Prepare a block as soon as its header is known, while its transactions arrive. Off: prepare it only when it is
    /// complete.
    pub stage_pipelining: bool,
    /// Begin the next round as soon as this round's block is committed. Off: begin it by the clock.
    pub round_pipelining: bool,
    /// Minimum number of segments of a body; large bodies have more. 1 switches segments off.
    pub segments: u16,
    /// Forward transactions as they arrive, so that a body only names them. Off: bodies contain the transactions.
    pub asynchronous_transactions: bool,
    /// Name transactions by 6 bytes where those are unique. Off: by 32.
    pub short_hashes: bool,
    /// Aggregate signatures as they spread. Off: each member sends its own to all members, and aggregates only those that
    /// it receives.
    pub aggregation: bool,

    /// Number of members to which a message is forwarded at a time.
    pub fanout: usize,
    /// Number of members to which a transaction is forwarded.
    pub transaction_fanout: usize,
    /// Time for which transactions are batched before they are forwarded.
    pub transaction_delay: Duration,
    /// Rate at which signatures are sent. It should be that of the member's uplink: above it, messages queue behind
    /// aggregates that better ones have overtaken.
    pub uplink_bytes_per_second: u64,
    /// Time to wait for an answer. A member that does not answer is sent nothing for [`back_off`](Self::back_off), and for as
    /// much longer each further time.
    pub send_timeout: Duration,
    /// Back-off from a member that does not answer within [`send_timeout`](Self::send_timeout).
    pub back_off: Duration,
    /// Time until an unanswered request is sent to another member.
    pub retry: Duration,
    /// Maximum bytes of transactions, each with its length, in a block of this member.
    pub max_block_bytes: usize,
    /// Maximum number of transactions in a block of this member.
    pub max_block_transactions: usize,
    /// Maximum bytes of transactions, each with its length, in the first block. The limit then follows the blocks that are
    /// committed: a full block doubles it until a round is lost; a lost round halves it, and after the first one it rises in
    /// steps.
    pub first_block_bytes: usize,
    /// Maximum number of transactions in the first block; it follows the committed blocks likewise.
    pub first_block_transactions: usize,
    /// Maximum size of the pool: bytes of pending transactions plus 256 for each. At three quarters of it, or at a backlog of
    /// a few blocks, [`Output::Congestion`](crate::Output::Congestion) asks the driver to hold back.
    pub max_pool_bytes: usize,
    /// Maximum share of the pool that one other member may fill.
    pub max_peer_bytes: usize,
    /// Rate at which one peer is served, in bytes per second.
    pub serve_bytes_per_second: u64,
    /// Maximum bytes of transactions that are delivered and not executed. One block is always delivered.
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
    /// Returns the parameters of the core's gossip.
    pub(crate) fn gossip(&self) -> gossip::Parameters {
        gossip::Parameters {
            fan_out: self.fanout,
            back_off: self.back_off,
            send_timeout: self.send_timeout,
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
            send_timeout: Duration::from_millis(250),
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
