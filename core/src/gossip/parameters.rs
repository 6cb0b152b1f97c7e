use core::time::Duration;

/// Parameters of gossip, see [`Gossip`](super::Gossip). They affect its speed and cost, never the validity of a
/// certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Maximum count of a signer; an aggregate with a higher count is refused. Default: 255.
    pub limit: u16,
    /// Maximum count in the sum of a [`Pool`](super::Pool). A sum with a higher count is merged only if that completes
    /// a quorum. Default: 16.
    pub preferred: u16,
    /// Maximum number of aggregates verified in one batch. Default: 4.
    pub batch: usize,
    /// Maximum number of concurrent sends, and number of members to which a new aggregate is sent. Default: 5.
    pub fan_out: usize,
    /// Back-off after a failed send to a peer; each further failure in a row adds the same time. Default: 2 s.
    pub back_off: Duration,
    /// Time after which an unanswered send counts as failed and frees its slot. Default: 500 ms.
    pub send_timeout: Duration,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            limit: 255,
            preferred: 16,
            batch: 4,
            fan_out: 5,
            back_off: Duration::from_secs(2),
            send_timeout: Duration::from_millis(500),
        }
    }
}
