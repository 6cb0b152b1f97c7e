use std::convert::Infallible;

use quorate::wire::domain;
use rand_core::{TryCryptoRng, TryRng};

/// The random numbers of one machine, expanded from the seed that its constructor received. A run can therefore be
/// replayed from its inputs.
///
/// The seed is secret and is used for one machine only.
pub(crate) struct SeededRandom {
    seed: [u8; 32],
    blocks: u64,
}

impl SeededRandom {
    pub(crate) fn new(seed: [u8; 32]) -> Self {
        Self { seed, blocks: 0 }
    }

    /// Draws the seed of an inner machine.
    pub(crate) fn child(&mut self) -> [u8; 32] {
        let mut seed = [0; 32];
        let Ok(()) = self.try_fill_bytes(&mut seed);
        seed
    }
}

impl TryRng for SeededRandom {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        let mut hasher = domain::hasher(domain::ABFT_RANDOM);
        hasher.update(&self.seed).update(&self.blocks.to_le_bytes()).finalize_xof().fill(bytes);
        self.blocks += 1;
        Ok(())
    }
}

impl TryCryptoRng for SeededRandom {}
