//! Suite 2: a Cauchy code over GF(2⁸). It costs k·m operations per byte, each on a whole vector: less than suite 1
//! for few shards, and without tables computed at start.
//!
//! It is implemented here because no published crate fits: `reed-solomon-erasure` is unmaintained since 2022,
//! compiles C for one processor model without detecting it, and has a lock and a cache in each coder; the other
//! crates use plain tables without vectors, or GF(2¹⁶).

mod combine;
mod field;
mod kernel;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod x86;

use alloc::vec::Vec;

use self::field::{Factor, factors};
use super::code::Code;
use super::shape::Shape;
use super::shards::Shards;
use crate::Result;

/// Caches the factors of the parity shards and those of the last restoration, because the same members tend to be
/// missing again.
pub(super) struct Gf8 {
    parity: Vec<Vec<&'static Factor>>,
    last: Option<Restoration>,
}

struct Restoration {
    sources: Vec<usize>,
    lost: Vec<usize>,
    factors: Vec<Vec<&'static Factor>>,
}

impl Gf8 {
    /// Creates the code for at most 256 shards. Cost: k² + k·m additions.
    pub(super) fn new(shape: Shape) -> Self {
        let data: Vec<usize> = (0..shape.data()).collect();
        let parity: Vec<usize> = (shape.data()..shape.shards()).collect();
        Self { parity: factors(shape.data(), &data, &parity), last: None }
    }
}

impl Code for Gf8 {
    fn encode(&mut self, shards: &mut Shards) -> Result<()> {
        let data = shards.shape().data();
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for (index, shard) in shards.iter_mut().enumerate() {
            if index < data { inputs.push(&*shard) } else { outputs.push(shard) }
        }
        combine::combine(&self.parity, &inputs, &mut outputs);
        Ok(())
    }

    fn restore(&mut self, shards: &mut Shards, sources: &[usize], lost: &[usize]) -> Result<()> {
        let known = self.last.take().filter(|last| last.sources == sources && last.lost == lost);
        let restoration = self.last.insert(known.unwrap_or_else(|| Restoration {
            sources: sources.to_vec(),
            lost: lost.to_vec(),
            factors: factors(shards.shape().data(), sources, lost),
        }));
        let (mut from, mut to) = (sources.iter().copied().peekable(), lost.iter().copied().peekable());
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for (index, shard) in shards.iter_mut().enumerate() {
            if from.next_if_eq(&index).is_some() {
                inputs.push(&*shard);
            } else if to.next_if_eq(&index).is_some() {
                outputs.push(shard);
            }
        }
        combine::combine(&restoration.factors, &inputs, &mut outputs);
        Ok(())
    }

    fn clear_cache(&mut self) {
        self.last = None;
    }
}
