//! Attacks that need no knowledge of the protocol.

use std::collections::VecDeque;
use std::sync::Mutex;

use quorate::machine::MemberIndex;
use quorate_node::links::Lane;
use quorate_support::rng::SplitMix64;

use super::script::{Outbox, Script};

/// Lengths of meaningless frames, up to the maximum of the lane.
const LENGTHS: [usize; 10] = [1, 2, 9, 60, 300, 2_000, 20_000, 300_000, 8 << 20, 16 << 20];
/// Maximum number of recorded frames, and of their bytes.
const MAX_RECORDED: (usize, usize) = (8192, 64 << 20);

/// Frames of meaningless bytes, with and without the tag of a message.
pub struct Garbage(Mutex<SplitMix64>);

impl Garbage {
    pub fn new() -> Self {
        Self(Mutex::new(SplitMix64::new(7)))
    }
}

impl Script for Garbage {
    fn next(&self, _: MemberIndex, lane: Lane) -> Option<Vec<u8>> {
        let mut random = self.0.lock().unwrap();
        let lengths = if lane == Lane::Urgent { LENGTHS.len() - 1 } else { LENGTHS.len() };
        // Long frames are rare, so that the others are sent too.
        let at = (random.next_u64() as usize % (lengths * lengths)).isqrt();
        let length = LENGTHS[lengths - 1 - at];
        let mut frame = Vec::with_capacity(length + 8);
        let word = random.next_u64() | 1;
        while frame.len() < length {
            frame.extend(word.rotate_left(frame.len() as u32 % 61).to_le_bytes());
        }
        frame.truncate(length);
        frame[0] = random.next_u64() as u8 % 32;
        Some(frame)
    }
}

/// Received frames again: whole, truncated, extended, on both lanes, to each member.
pub struct Replay(Mutex<Recorded>);

struct Recorded {
    frames: VecDeque<Vec<u8>>,
    bytes: usize,
    random: SplitMix64,
}

impl Replay {
    pub fn new() -> Self {
        Self(Mutex::new(Recorded { frames: VecDeque::new(), bytes: 0, random: SplitMix64::new(11) }))
    }
}

impl Script for Replay {
    fn observe(&self, _: MemberIndex, _: Lane, frame: &[u8], _: &Outbox) {
        let mut recorded = self.0.lock().unwrap();
        recorded.frames.push_back(frame.to_vec());
        recorded.bytes += frame.len();
        while recorded.frames.len() > MAX_RECORDED.0 || recorded.bytes > MAX_RECORDED.1 {
            let oldest = recorded.frames.pop_front().unwrap();
            recorded.bytes -= oldest.len();
        }
    }

    fn next(&self, _: MemberIndex, _: Lane) -> Option<Vec<u8>> {
        let mut recorded = self.0.lock().unwrap();
        let choice = recorded.random.next_u64() as usize;
        let count = recorded.frames.len();
        let mut frame = recorded.frames.get((choice >> 8) % count.max(1))?.clone();
        match choice % 32 {
            0 => frame.truncate(frame.len() - 1),
            1 => frame.truncate(1 + (choice >> 8) % frame.len()),
            2 => frame.push(0),
            _ => {}
        }
        Some(frame)
    }
}
