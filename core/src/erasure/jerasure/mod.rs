//! Suite 3: Cauchy Reed–Solomon over GF(2ʷ) by exclusive-ors of packets, with the C library Jerasure 2.0. It exists
//! for comparison with the ABFT paper, whose parameters (w, p) the tuner searches; the other suites are faster.
//!
//! One lock is held during each call, so coders on several threads run one at a time. A thread that used it may leak
//! some memory of the C allocator when it ends: use few threads, and reuse them.

mod ffi;

use alloc::vec::Vec;

use self::ffi::{Bits, Schedule};
use super::code::Code;
use super::shape::{Packets, Shape};
use super::shards::Shards;
use crate::Result;

/// Caches the schedule of the parity shards and that of the last restoration, because the same members tend to be
/// missing again.
pub(super) struct Jerasure {
    packets: Packets,
    /// `None` without parity shards.
    parity: Option<(Bits, Schedule)>,
    last: Option<Restoration>,
}

struct Restoration {
    sources: Vec<usize>,
    lost: Vec<usize>,
    schedule: Schedule,
}

impl Jerasure {
    /// Creates the code for a shape that the suite allows. Cost: (m·w)²·k·w steps.
    pub(super) fn new(shape: Shape, packets: Packets) -> Result<Self> {
        let parity = if shape.parity() == 0 {
            None
        } else {
            let bits = ffi::parity_bits(shape.data(), shape.parity(), packets.word())?;
            let schedule = Schedule::new(&bits, shape.data(), shape.parity(), packets)?;
            Some((bits, schedule))
        };
        Ok(Self { packets, parity, last: None })
    }
}

impl Code for Jerasure {
    fn encode(&mut self, shards: &mut Shards) -> Result<()> {
        let Some((_, schedule)) = &self.parity else { return Ok(()) };
        let data = shards.shape().data();
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for (index, shard) in shards.iter_mut().enumerate() {
            if index < data { inputs.push(&*shard) } else { outputs.push(shard) }
        }
        schedule.run(&inputs, &mut outputs)
    }

    fn restore(&mut self, shards: &mut Shards, sources: &[usize], lost: &[usize]) -> Result<()> {
        let Some((bits, _)) = &self.parity else { return Ok(()) };
        let known = self.last.take().filter(|last| last.sources == sources && last.lost == lost);
        let restoration = match known {
            Some(known) => known,
            None => {
                let data = shards.shape().data();
                let bits = ffi::restoring_bits(bits, data, self.packets.word(), sources, lost)?;
                let schedule = Schedule::new(&bits, data, lost.len(), self.packets)?;
                Restoration { sources: sources.to_vec(), lost: lost.to_vec(), schedule }
            }
        };
        let restoration = self.last.insert(restoration);
        let (mut from, mut to) = (sources.iter().copied().peekable(), lost.iter().copied().peekable());
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for (index, shard) in shards.iter_mut().enumerate() {
            if from.next_if_eq(&index).is_some() {
                inputs.push(&*shard);
            } else if to.next_if_eq(&index).is_some() {
                outputs.push(shard);
            }
        }
        restoration.schedule.run(&inputs, &mut outputs)
    }

    fn clear_cache(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{Schedule, ffi};
    use crate::erasure::{Coder, Coding, ErasureSuite, Packets, Shape, Shards};

    /// Encodes, and restores the first shards.
    fn works(word: u8, log2: u8, data: u16, parity: u16) {
        let suite = ErasureSuite::Jerasure(Packets::new(word, log2).unwrap());
        let coding = Coding::new(suite, Shape::new(data, parity).unwrap(), 1000).unwrap();
        let mut coder = Coder::new(coding).unwrap();
        let message: Vec<u8> = (0..1000u32).map(|i| ((i * i) >> 3) as u8).collect();
        let mut shards = Shards::from_message(&coding, &message).unwrap();
        coder.fill_parity(&mut shards).unwrap();
        let lost = usize::from(parity.min(data));
        let present: Vec<bool> = (0..coding.shape().shards()).map(|index| index >= lost).collect();
        shards.iter_mut().take(lost).for_each(|shard| shard.fill(1));
        for _ in 0..2 {
            coder.restore(&mut shards, &present).unwrap();
            assert_eq!(shards.message(1000), Ok(&message[..]), "w = {word}, {data} + {parity}");
        }
    }

    #[test]
    fn extreme_word_and_packet_sizes_work() {
        for word in 2..=16u8 {
            let half = (1 << (word - 1)).min(40);
            works(word, word % 5, half, half);
            works(word, 0, 1, 1);
        }
        for log2 in 0..=16 {
            works(3, log2, 3, 3);
        }
        works(16, 1, 64, 3);
        works(16, 0, 3, 64);
        works(9, 0, 113, 2);
        works(8, 3, 4, 0);
    }

    /// Tests shards of every alignment, with guard bytes around them.
    #[test]
    fn nothing_is_written_outside_a_shard() {
        for (word, log2) in (2..=16).flat_map(|word| [0, 3, 4, 7].map(|log2| (word, log2))) {
            let packets = Packets::new(word, log2).unwrap();
            let bits = ffi::parity_bits(2, 2, word).unwrap();
            let schedule = Schedule::new(&bits, 2, 2, packets).unwrap();
            let len = 3 * ErasureSuite::Jerasure(packets).unit();
            for gap in 33..50 {
                let mut memory: Vec<u8> = (0..gap + 4 * (len + gap)).map(|i| ((i * i) >> 5) as u8).collect();
                let before = memory.clone();
                let mut shards = memory.chunks_mut(len + gap).filter_map(|chunk| chunk.get_mut(gap..));
                let inputs: Vec<&[u8]> = shards.by_ref().take(2).map(|shard| &*shard).collect();
                let mut outputs: Vec<&mut [u8]> = shards.take(2).collect();
                schedule.run(&inputs, &mut outputs).unwrap();
                let beside = |memory: &[u8]| -> Vec<u8> {
                    let parts = memory.chunks(len + gap).enumerate();
                    let part = |(i, chunk): (usize, &[u8])| {
                        if i < 2 { chunk.to_vec() } else { chunk[..gap].to_vec() }
                    };
                    parts.flat_map(part).collect()
                };
                assert_eq!(beside(&memory), beside(&before), "w = {word}, p = 2^{log2}, gap {gap}");
            }
        }
    }

    #[test]
    fn threads_use_jerasure_one_at_a_time() {
        let threads: Vec<_> = (2..8)
            .map(|word| std::thread::spawn(move || (0..4).for_each(|_| works(word, 2, 2, 2))))
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}
