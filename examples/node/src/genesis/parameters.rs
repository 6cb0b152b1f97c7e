//! Parameters that all validators share, and their limits.

use quorate_protocol::batch::MAX_BATCH_BYTES;
use serde::{Deserialize, Serialize};

use super::check::check_range;
use crate::Result;

/// Parameters that all validators share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Maximum size of a transaction in bytes.
    pub max_transaction_bytes: u32,
    /// Size at which a batch is sealed, in bytes: its transactions, and four bytes for the length of each.
    pub batch_bytes: u32,
    /// Time after which a batch is sealed, from its first transaction on, in milliseconds.
    pub batch_delay_ms: u32,
    /// First timeout of a view, in milliseconds, for protocols with views. Jolteon's later timeouts follow the durations of
    /// recent views, up to this one.
    pub view_timeout_ms: u32,
    /// Maximum timeout of a view after timeouts, each of which doubles it, in milliseconds.
    pub max_view_timeout_ms: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            max_transaction_bytes: 128 << 10,
            batch_bytes: 500_000,
            batch_delay_ms: 100,
            view_timeout_ms: 1_000,
            max_view_timeout_ms: 30_000,
        }
    }
}

impl Parameters {
    pub(super) fn check(&self) -> Result<()> {
        let range = |field: &str, value: u32, least: u32, most: u32| {
            check_range(&format!("parameters.{field}"), value, least, most)
        };
        range("batch_bytes", self.batch_bytes, 1 << 10, MAX_BATCH_BYTES as u32)?;
        // A batch contains the 4-byte length of each transaction.
        range("max_transaction_bytes", self.max_transaction_bytes, 1, self.batch_bytes - 4)?;
        range("batch_delay_ms", self.batch_delay_ms, 1, 10_000)?;
        range("view_timeout_ms", self.view_timeout_ms, 10, 600_000)?;
        range("max_view_timeout_ms", self.max_view_timeout_ms, self.view_timeout_ms, 3_600_000)
    }
}

/// Schedule of rounds for protocols with loosely synchronized clocks. Safety does not depend on it: while clocks differ by
/// more than a stage, the chain stops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Start of round 1, in seconds since 1970.
    pub start: u64,
    /// Length of the first stage of a round, in which proposals spread, in milliseconds.
    #[serde(default = "stage")]
    pub proposals_ms: u32,
    /// Length of the second stage, in which signatures spread, in milliseconds.
    #[serde(default = "stage")]
    pub signatures_ms: u32,
    /// Expected number of proposers in a round.
    #[serde(default = "proposers")]
    pub proposers: u16,
}

impl Schedule {
    /// The default schedule, starting at a time in seconds since 1970.
    pub fn starting(start: u64) -> Self {
        Self { start, proposals_ms: stage(), signatures_ms: stage(), proposers: proposers() }
    }

    pub(super) fn check(&self) -> Result<()> {
        check_range("schedule.start", self.start, 0, 1 << 40)?;
        check_range("schedule.proposals_ms", self.proposals_ms, 10, 600_000)?;
        check_range("schedule.signatures_ms", self.signatures_ms, 10, 600_000)?;
        check_range("schedule.proposers", self.proposers, 1, u16::MAX)
    }
}

fn stage() -> u32 {
    250
}

fn proposers() -> u16 {
    quorate::sortition::EXPECTED_WINNERS.get()
}
