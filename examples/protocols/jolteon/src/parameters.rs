//! What can be tuned. Members need not agree on any of it.

use core::time::Duration;

/// How many bad votes of one member each collector checks. Links authenticate who votes, so nobody can use up
/// another's.
pub(crate) const FAILURE_LIMIT: u16 = 4;

/// The pace and the limits of a replica. [`Default`] fits four to a hundred members in one region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// How long a view may take while there is work. Above the round trip with room for a loaded machine.
    pub view_timeout: Duration,
    /// The longest that repeated timeouts make it: each that follows another without a certificate in between is
    /// half as long again.
    pub view_timeout_cap: Duration,
    /// How far apart a leader keeps its block from the one before. Lower is faster and costs every member two
    /// pairings per block.
    pub min_block_interval: Duration,
    /// The most batches that this member puts into a block.
    pub max_block_batches: usize,
    /// With that many own batches not yet committed, [`Output::Congestion`](crate::Output::Congestion) asks the
    /// driver to hold back. At most 48.
    pub max_outstanding: usize,
    /// How long before an unanswered request, or a batch without acknowledgements, is sent again. Doubles up to
    /// sixteenfold.
    pub retry: Duration,
    /// How many bytes of not yet committed batches are kept for each author. An honest author stays below
    /// `max_outstanding` batches.
    pub max_author_bytes: usize,
    /// How many bytes per second one peer may have served to it when it catches up. Answers from the archive are
    /// charged at an estimate.
    pub serve_bytes_per_second: u64,
    /// How many committed blocks may wait for their batches before no more blocks are asked for.
    pub max_undelivered: usize,
    /// How many bytes of batches may be delivered and not executed. One block is always delivered.
    pub max_unexecuted_bytes: usize,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            view_timeout: Duration::from_millis(1000),
            view_timeout_cap: Duration::from_secs(10),
            min_block_interval: Duration::from_millis(25),
            max_block_batches: 256,
            max_outstanding: 32,
            retry: Duration::from_millis(250),
            max_author_bytes: 48 << 20,
            serve_bytes_per_second: 64 << 20,
            max_undelivered: 256,
            max_unexecuted_bytes: 256 << 20,
        }
    }
}
