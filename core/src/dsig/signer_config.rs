use core::time::Duration;

use super::batch::Batch;
use super::suite::DsigSuite;
use super::tree::MAX_LOG2;
use crate::machine::Time;

/// Number and lifetime of a signer's keys.
#[derive(Clone, Debug)]
pub struct SignerConfig {
    /// Log2 of the number of keys per batch, at most 7.
    pub log2_batch: u8,
    /// Minimum number of fresh keys per group. A group below it gets another batch, so it has up to ⌈low_water /
    /// batch⌉ + 1 batches at a time. Keys in the last quarter of their lifetime do not count, and are dropped once
    /// replaced. Verifiers must have room for that number of batches of each of their groups
    /// ([`announced`](super::VerifierConfig::announced)). A key takes 5 kB in suites 1 to 3.
    pub low_water: usize,
    /// Age at which keys stop signing, so that a machine that was copied or suspended does not continue with them.
    /// Keys dated further than this in the future are dropped too; a clock set back by less extends their lifetime by
    /// that amount.
    ///
    /// Expired keys are wiped by the next [`plan`](super::Signer::plan) and the batch it plans. An idle signer wipes
    /// nothing: [`invalidate`](super::Signer::invalidate) or drop it before it idles.
    pub lifetime: Duration,
}

impl Default for SignerConfig {
    fn default() -> Self {
        Self { log2_batch: MAX_LOG2, low_water: 512, lifetime: Duration::from_secs(10) }
    }
}

impl SignerConfig {
    /// Returns true if a batch is in the last quarter of its lifetime. The keys of a signer that rarely signs were
    /// made together and would expire together, so they are replaced before.
    pub(super) fn is_old<S: DsigSuite>(&self, batch: &Batch<S>, now: Time) -> bool {
        now.since(batch.made) >= self.lifetime - self.lifetime / 4
    }
}
