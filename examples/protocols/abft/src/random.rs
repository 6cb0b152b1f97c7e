use std::convert::Infallible;

use quorate::wire::domain;
use rand_core::{TryCryptoRng, TryRng};
use zeroize::{Zeroize, Zeroizing};

use crate::setup::Context;
use crate::signatures::ThresholdScheme;

/// The random numbers of one machine, expanded from a secret seed. A run can therefore be replayed from its inputs.
pub(crate) struct SeededRandom {
    seed: Zeroizing<[u8; 32]>,
    blocks: u64,
}

impl SeededRandom {
    pub(crate) fn new(seed: [u8; 32]) -> Self {
        Self { seed: Zeroizing::new(seed), blocks: 0 }
    }

    /// The random numbers of a member in an epoch. A seed that a caller uses again, in another epoch or at another
    /// member, gives other numbers: two ciphertexts with the same numbers would reveal their plaintexts.
    pub(crate) fn in_epoch<S: ThresholdScheme>(seed: [u8; 32], context: &Context<S>) -> Self {
        let mut hasher = domain::hasher(domain::ABFT_RANDOM);
        hasher.update(&*Zeroizing::new(seed)).update(&context.setup.committee.0);
        hasher.update(&context.epoch.to_le_bytes()).update(&context.me().to_le_bytes());
        let random = Self::new(*hasher.finalize().as_bytes());
        hasher.zeroize();
        random
    }

    /// The random numbers of one use of a value. They do not depend on what was drawn before, so a member that is restored
    /// to an earlier state never uses the same numbers for two values.
    pub(crate) fn for_value(&self, value: &[u8]) -> Self {
        let mut hasher = domain::hasher(domain::ABFT_RANDOM);
        hasher.update(&*self.seed).update(&u64::MAX.to_le_bytes()).update(value);
        let random = Self::new(*hasher.finalize().as_bytes());
        hasher.zeroize();
        random
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
        let mut output = hasher.update(&*self.seed).update(&self.blocks.to_le_bytes()).finalize_xof();
        output.fill(bytes);
        output.zeroize();
        hasher.zeroize();
        self.blocks += 1;
        Ok(())
    }
}

impl TryCryptoRng for SeededRandom {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signatures::Ed25519List;
    use crate::testing::Keys;

    #[test]
    fn numbers_for_a_value_depend_on_nothing_else() {
        let mut random = SeededRandom::new([1; 32]);
        let before = random.for_value(b"a").child();
        random.child();
        assert_eq!(random.for_value(b"a").child(), before);
        assert_ne!(random.for_value(b"b").child(), before);
    }

    #[test]
    fn a_seed_that_is_used_again_gives_other_numbers() {
        let keys = Keys::<Ed25519List>::deal(4, 1);
        let drawn = |me, epoch| SeededRandom::in_epoch([1; 32], &keys.context(me, epoch)).child();
        assert_eq!(drawn(0, 0), drawn(0, 0));
        assert_ne!(drawn(0, 0), drawn(0, 1));
        assert_ne!(drawn(0, 0), drawn(1, 0));
    }
}
