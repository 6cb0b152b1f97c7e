//! The numbers that all validators must agree on, and their limits.

use quorate_protocol::batch::MAX_BATCH_BYTES;
use serde::{Deserialize, Serialize};

use super::check::check_range;
use crate::Result;

/// What all validators must agree on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Largest transaction.
    pub max_transaction_bytes: u32,
    /// A batch is sealed when it holds this many bytes: its transactions, and four for the length of each…
    pub batch_bytes: u32,
    /// …or when its first transaction has waited this long.
    pub batch_delay_ms: u32,
    /// With Jolteon: how long a view may last before it is given up, at first; half as long
    /// again with each failure in a row.
    pub view_timeout_ms: u32,
    /// Where that growth ends.
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
        // A batch stores the length of each transaction before it.
        range("max_transaction_bytes", self.max_transaction_bytes, 1, self.batch_bytes - 4)?;
        range("batch_delay_ms", self.batch_delay_ms, 1, 10_000)?;
        range("view_timeout_ms", self.view_timeout_ms, 10, 600_000)?;
        range("max_view_timeout_ms", self.max_view_timeout_ms, self.view_timeout_ms, 3_600_000)
    }
}

/// The clock that all members share loosely. Safety does not rest on it: clocks that differ by more than a stage stop
/// the chain for as long as they do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// When round 1 begins: seconds since 1970.
    pub start: u64,
    /// The first stage of a round, in which proposals spread.
    #[serde(default = "stage")]
    pub proposals_ms: u32,
    /// The second stage, in which signatures do.
    #[serde(default = "stage")]
    pub signatures_ms: u32,
    /// How many members propose in a round on average.
    #[serde(default = "proposers")]
    pub proposers: u16,
}

impl Schedule {
    /// The usual pace, from a moment on: seconds since 1970.
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
