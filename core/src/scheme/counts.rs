use alloc::vec::Vec;
use core::fmt;

use super::SignerSet;
use crate::machine::MemberIndex;
use crate::wire::{Reader, Writer};
use crate::{Error, Result};

const WHAT: &str = "counts of signers";
const ONES: u8 = 0;
const GAMMA: u8 = 1;

/// How often each signer's signature is in a sum. A set of signers stands beside it: of whoever is not in that set
/// this knows nothing.
///
/// The encoding is a form byte: `0` if every count is 1, and then nothing follows; `1` otherwise, and then the counts of
/// the signers in ascending order as Elias-gamma codes, the first bit the highest of the first byte, padded with zero
/// bits to whole bytes. A count c has ⌊log₂ c⌋ zero bits, then its ⌊log₂ c⌋ + 1 binary digits. Zero has no code.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// What is beyond once, by member, without zeros at the end.
    beyond: Vec<u16>,
}

impl Counts {
    /// The highest count that an encoding can hold. What is made here stays below a limit that may be lower.
    pub const MAX: u16 = u16::MAX;

    /// Everybody signed once.
    pub const fn ones() -> Self {
        Self { beyond: Vec::new() }
    }

    /// How often a signer's signature is in the sum.
    pub fn get(&self, signer: MemberIndex) -> u16 {
        1 + self.beyond_once(signer)
    }

    /// The highest count of all signers.
    pub fn highest(&self) -> u16 {
        1 + self.beyond.iter().copied().max().unwrap_or(0)
    }

    /// Whether everybody signed once.
    pub fn all_ones(&self) -> bool {
        self.beyond.is_empty()
    }
}
