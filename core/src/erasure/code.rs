use super::shards::Shards;
use crate::Result;

/// A systematic code. Callers guarantee that the shards have the shape and a length that the code was created for,
/// and at least one parity shard.
pub(in crate::erasure) trait Code: Send + Sync {
    /// Computes the parity shards.
    fn encode(&mut self, shards: &mut Shards) -> Result<()>;

    /// Restores the `lost` data shards, at least one, from the shards at `sources`, whose number is that of the data
    /// shards. Both lists ascend.
    fn restore(&mut self, shards: &mut Shards, sources: &[usize], lost: &[usize]) -> Result<()>;

    /// Drops the cached tables of the last restoration, so that the next one costs as much as the first.
    fn clear_cache(&mut self) {}
}
