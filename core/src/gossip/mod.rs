//! Order-free aggregates of signatures, and how they spread by gossip: Gosig's aggregated signature gossip.

mod aggregate;
mod peers;
mod pool;
mod spread;

use core::time::Duration;

pub use crate::scheme::{Additive, CountedProof, Counts};
pub use aggregate::Aggregate;
pub use peers::Peers;
pub use pool::{POOL, Pool};
pub use spread::{Checked, Gossip, Received, STACK};

/// What can be chosen. The values change how fast and how cheap spreading is, never what is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// No count grows past this: 255.
    pub limit: u16,
    /// Merges avoid counts above this as long as there is another way: 16.
    pub preferred: u16,
    /// How many aggregates are verified together at most: 4.
    pub batch: usize,
    /// How many sends are under way at once at most: 5.
    pub fan_out: usize,
    /// How long a peer that failed is left alone; each further failure in a row adds as much.
    pub back_off: Duration,
    /// How long a send that is not answered holds its place; then it counts as failed.
    pub patience: Duration,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            limit: 255,
            preferred: 16,
            batch: 4,
            fan_out: 5,
            back_off: Duration::from_secs(2),
            patience: Duration::from_millis(500),
        }
    }
}
