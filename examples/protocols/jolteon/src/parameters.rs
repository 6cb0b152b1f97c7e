//! Tunable parameters. Members need not agree on them.

use core::time::Duration;

/// Maximum number of invalid votes per member that each collector verifies. Links authenticate the voter, so that no
/// member can exhaust the limit of another.
pub(crate) const FAILURE_LIMIT: u16 = 4;

/// Timeouts and limits of a replica. The [`Default`] suits four to a hundred members in one region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Timeout of a view while there is work, until the durations of eight views are known, and its upper limit afterwards,
    /// when it follows them. Must exceed the round trip, with a margin for loaded machines.
    pub view_timeout: Duration,
    /// Lower limit of the view timeout that follows the durations of recent views. A value from `view_timeout` on makes
    /// the timeout constant.
    pub min_view_timeout: Duration,
    /// Upper limit of the view timeout after timeouts. Each view that times out doubles it, and each
    /// commit halves the number of doublings.
    pub view_timeout_cap: Duration,
    /// Minimum interval between blocks. A shorter interval lowers latency and costs every member two pairings per
    /// block.
    pub min_block_interval: Duration,
    /// Maximum number of batches in this member's blocks.
    pub max_block_batches: usize,
    /// Number of own uncommitted batches at which [`Output::Congestion`](crate::Output::Congestion) asks the driver
    /// to pause. At most 48.
    pub max_outstanding: usize,
    /// Time after which an unanswered request or an unacknowledged batch is sent again. Doubles up to sixteenfold.
    pub retry: Duration,
    /// Maximum memory in bytes of the uncommitted batches kept per author. An honest author stays below
    /// `max_outstanding` batches, which take less even if they contain the smallest transactions.
    pub max_author_bytes: usize,
    /// Bytes per second served to one peer that catches up. Responses from the archive are charged an estimate.
    pub serve_bytes_per_second: u64,
    /// Bytes per second of batches from one author that are stored and acknowledged again. An author repeats a batch if it lacks
    /// the acknowledgement.
    pub repeated_bytes_per_second: u64,
    /// Number of committed blocks without their batches at which no more blocks are requested.
    pub max_undelivered: usize,
    /// Maximum size in bytes of batches that are delivered but not executed. One block is always delivered.
    pub max_unexecuted_bytes: usize,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            view_timeout: Duration::from_millis(1000),
            min_view_timeout: Duration::from_millis(150),
            view_timeout_cap: Duration::from_secs(10),
            min_block_interval: Duration::from_millis(25),
            max_block_batches: 256,
            max_outstanding: 32,
            retry: Duration::from_millis(250),
            max_author_bytes: 96 << 20,
            serve_bytes_per_second: 64 << 20,
            repeated_bytes_per_second: 8 << 20,
            max_undelivered: 256,
            max_unexecuted_bytes: 256 << 20,
        }
    }
}
