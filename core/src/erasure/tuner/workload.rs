use alloc::vec::Vec;

use crate::Result;
use crate::erasure::{Coder, Coding, ErasureSuite, Shards};

/// Length at which all caches are full; beyond it the time grows linearly.
const LONG: usize = 32 << 20;
/// That length for suite 3 with small packets, where each operation is mostly call overhead.
const LONG_IN_SMALL_PACKETS: usize = 1 << 20;
const SMALL_PACKET: usize = 64;

/// Returns how many bytes of a message of `message` bytes suffice for a measurement, to be scaled to the whole
/// length. With packets of one byte, 25 MB take suite 3 half a minute.
pub fn sample_len(suite: ErasureSuite, message: usize) -> usize {
    match suite {
        ErasureSuite::Jerasure(packets) if packets.packet() < SMALL_PACKET => {
            message.min(LONG_IN_SMALL_PACKETS)
        }
        _ => message.min(LONG),
    }
}

/// The operations to measure, as in the paper: encode a message, decode it with f shards lost, decode it with 2f
/// lost, where 2f is the number of parity shards and data shards are lost first. The caller measures the time.
#[derive(Debug)]
pub struct Workload {
    coder: Coder,
    shards: Shards,
}

impl Workload {
    /// Creates a message of `message` bytes and all its shards.
    ///
    /// # Errors
    /// As [`Coder::new`] and [`Coder::disperse`].
    pub fn new(coding: Coding, message: usize) -> Result<Self> {
        let mut shards = Shards::zero(&coding, message)?;
        // Arbitrary bytes, neither constant nor random.
        let mut state = 1u32;
        for byte in shards.iter_mut().flatten().take(message) {
            state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            *byte = (state >> 24) as u8;
        }
        let mut coder = Coder::new(coding)?;
        coder.fill_parity(&mut shards)?;
        Ok(Self { coder, shards })
    }

    /// Computes the parity shards.
    ///
    /// # Errors
    /// As [`Coder::fill_parity`].
    pub fn encode(&mut self) -> Result<()> {
        self.coder.fill_parity(&mut self.shards)
    }

    /// Restores the data shards after half as many losses as there are parity shards.
    ///
    /// # Errors
    /// As [`Coder::restore`].
    pub fn decode_f(&mut self) -> Result<()> {
        self.decode(self.shards.shape().parity() / 2)
    }

    /// Restores the data shards after as many losses as there are parity shards.
    ///
    /// # Errors
    /// As [`Coder::restore`].
    pub fn decode_2f(&mut self) -> Result<()> {
        self.decode(self.shards.shape().parity())
    }

    /// Runs the three operations in this order.
    ///
    /// # Errors
    /// Those of the three operations.
    pub fn run(&mut self) -> Result<()> {
        self.encode()?;
        self.decode_f()?;
        self.decode_2f()
    }

    fn decode(&mut self, lost: usize) -> Result<()> {
        let present: Vec<bool> = (0..self.shards.shape().shards()).map(|index| index >= lost).collect();
        self.coder.clear_cache();
        self.coder.restore(&mut self.shards, &present)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erasure::{ErasureSuite, Shape};

    #[test]
    fn measured_operations_restore_the_shards() {
        for suite in [ErasureSuite::Leopard, ErasureSuite::Gf8] {
            let coding = Coding::new(suite, Shape::for_committee(7, 2).unwrap(), 1000).unwrap();
            let mut work = Workload::new(coding, 1000).unwrap();
            let before = work.shards.clone();
            work.run().unwrap();
            assert_eq!(work.shards, before);
            assert!(before.message(1000).unwrap().iter().any(|byte| *byte != 0));
        }
    }
}
