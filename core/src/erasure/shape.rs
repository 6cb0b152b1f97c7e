//! The parameters that a committee agrees on before coding: number of shards, code, and maximum message length.

use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// Numbers of shards: `data` shards that hold the message and `parity` shards that replace lost ones. Any `data` of
/// them restore the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    data: u16,
    parity: u16,
}

/// The code that computes the parity shards. The shards' bytes depend on it, so all members use the same suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ErasureSuite {
    /// 1: Reed–Solomon over GF(2¹⁶) by additive Fourier transforms; up to 32,768 shards.
    Leopard,
    /// 2: Cauchy Reed–Solomon over GF(2⁸); up to 256 shards, and the faster suite for few shards.
    Gf8,
    /// 3: Cauchy Reed–Solomon by exclusive-ors, as in Jerasure; up to 2ʷ shards. Needs the feature `jerasure`.
    Jerasure(Packets),
}

/// The parameters of suite 3 that the tuner searches: bits of a word, and log2 of the bytes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Packets {
    word: u8,
    log2_packet: u8,
}

/// A code, a shape that it supports, and the maximum message length. [`Coder`](super::Coder)s and decoders are
/// created for a coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Coding {
    suite: ErasureSuite,
    shape: Shape,
    max_message: u32,
}

/// Maximum message length of any coding, in bytes.
pub const MAX_MESSAGE: usize = 1 << 30;
/// Maximum total length of all shards of a message, in bytes.
pub const MAX_SHARDS: usize = (1 << 31) - 1;
/// Maximum number of shards of suite 1. Its field has twice that number of elements; padding to powers of two takes
/// the rest.
const LEOPARD_SHARDS: u32 = 1 << 15;
/// Maximum number of shards of suite 2: the number of elements of its field.
const GF8_SHARDS: u32 = 1 << 8;
/// Word sizes of suite 3. Larger words need more work for the same shards, and tables without bound.
const WORDS: core::ops::RangeInclusive<u8> = 2..=16;
/// Maximum number of rows and columns of a bit matrix of suite 3: inverting it takes the cube of this number of
/// steps.
const BIT_ROWS: u32 = 1024;

fn bad_shape<T>(rule: &'static str) -> Result<T> {
    Err(Error::BadShape { rule })
}

impl Shape {
    /// Creates a shape from the numbers of data and parity shards.
    ///
    /// # Errors
    /// [`Error::BadShape`] without data shards, or with more shards than any code supports.
    pub fn new(data: u16, parity: u16) -> Result<Self> {
        if data == 0 {
            return bad_shape("at least one data shard is needed");
        }
        if u32::from(data) + u32::from(parity) > LEOPARD_SHARDS {
            return bad_shape("at most 32,768 shards are supported");
        }
        Ok(Self { data, parity })
    }

    /// Creates the shape of a reliable broadcast with one shard for each of `members`, of which `faulty` may fail. It
    /// has two parity shards per faulty member: the faulty members may withhold their shards while the same number of
    /// others are late.
    ///
    /// # Errors
    /// [`Error::BadShape`] unless 3 · `faulty` < `members`.
    pub fn for_committee(members: u16, faulty: u16) -> Result<Self> {
        let (n, f) = (u32::from(members), u32::from(faulty));
        if 3 * f >= n {
            return bad_shape("3 * faulty must be less than the number of members");
        }
        Self::new(members - 2 * faulty, 2 * faulty)
    }

    /// Returns the number of data shards; that number of any shards restores the message.
    pub fn data(&self) -> usize {
        self.data.into()
    }

    /// Returns the number of parity shards.
    pub fn parity(&self) -> usize {
        self.parity.into()
    }

    /// Returns the number of all shards.
    pub fn shards(&self) -> usize {
        self.data() + self.parity()
    }
}

impl Packets {
    /// Creates the parameters for words of `word` bits and packets of 2^`log2_packet` bytes.
    ///
    /// # Errors
    /// [`Error::BadShape`] for words below 2 or above 16 bits, or packets above 65,536 bytes.
    pub fn new(word: u8, log2_packet: u8) -> Result<Self> {
        if !WORDS.contains(&word) {
            return bad_shape("a word has 2 to 16 bits");
        }
        if log2_packet > Self::MAX_LOG2_PACKET {
            return bad_shape("a packet has at most 65,536 bytes");
        }
        Ok(Self { word, log2_packet })
    }

    /// Maximum packet size, as log2 of bytes.
    pub const MAX_LOG2_PACKET: u8 = 16;

    /// Returns the bits of a word, w in the paper.
    pub fn word(&self) -> u8 {
        self.word
    }

    /// Returns the bytes of a packet, p in the paper: a power of two.
    pub fn packet(&self) -> usize {
        1 << self.log2_packet
    }

    /// Returns log2 of the packet size.
    pub fn log2_packet(&self) -> u8 {
        self.log2_packet
    }
}

impl ErasureSuite {
    /// Returns the suite to use unless there is a reason for another: suite 2 up to its 256 shards, suite 1 above. It
    /// depends on the shape only, never on the machine, because all members must use the same suite.
    ///
    /// The choice follows the cost at a receiver, which every member is: restore, then encode again. With GFNI and
    /// AVX-512 suite 2 restores at least five times faster in `cargo xtask bench threshold`, and encodes faster
    /// except for messages of a few hundred bytes. Processors without them are not measured.
    pub fn recommended(shape: Shape) -> Self {
        if ErasureSuite::Gf8.allow(shape).is_ok() { ErasureSuite::Gf8 } else { ErasureSuite::Leopard }
    }

    /// Returns the suite number used in encodings.
    pub fn number(&self) -> u8 {
        match self {
            ErasureSuite::Leopard => 1,
            ErasureSuite::Gf8 => 2,
            ErasureSuite::Jerasure(_) => 3,
        }
    }

    /// Returns a name for display.
    pub fn name(&self) -> &'static str {
        match self {
            ErasureSuite::Leopard => "leopard",
            ErasureSuite::Gf8 => "gf8",
            ErasureSuite::Jerasure(_) => "jerasure",
        }
    }

    /// Returns true if this build contains the code. The encoded bytes do not depend on the build.
    pub fn is_available(&self) -> bool {
        match self {
            ErasureSuite::Leopard | ErasureSuite::Gf8 => true,
            ErasureSuite::Jerasure(_) => cfg!(all(feature = "jerasure", not(target_family = "wasm"))),
        }
    }

    /// Returns the unit of shard lengths in bytes: every length is a multiple of it.
    pub fn unit(&self) -> usize {
        match self {
            ErasureSuite::Leopard => 2,
            ErasureSuite::Gf8 => 1,
            ErasureSuite::Jerasure(packets) => usize::from(packets.word) << packets.log2_packet,
        }
    }

    /// Checks that the code supports this shape.
    ///
    /// # Errors
    /// [`Error::BadShape`].
    pub fn allow(&self, shape: Shape) -> Result<()> {
        let (k, n) = (u32::from(shape.data), u32::from(shape.data) + u32::from(shape.parity));
        match self {
            ErasureSuite::Leopard => Ok(()),
            ErasureSuite::Gf8 if n > GF8_SHARDS => bad_shape("suite 2 supports at most 256 shards"),
            ErasureSuite::Gf8 => Ok(()),
            ErasureSuite::Jerasure(packets) => {
                let word = u32::from(packets.word);
                if n > 1 << word {
                    return bad_shape("suite 3 supports at most 2^w shards; use a longer word");
                }
                if k * word > BIT_ROWS || (n - k) * word > BIT_ROWS {
                    return bad_shape(
                        "suite 3 supports at most 1,024 data bits and 1,024 parity bits: shards times word bits",
                    );
                }
                Ok(())
            }
        }
    }
}

impl Coding {
    /// Creates a coding of messages of up to `max_message` bytes.
    ///
    /// # Errors
    /// [`Error::BadShape`] if the suite does not support this shape, [`Error::TooLarge`] if `max_message` exceeds
    /// [`MAX_MESSAGE`], or all shards of such a message together [`MAX_SHARDS`].
    pub fn new(suite: ErasureSuite, shape: Shape, max_message: usize) -> Result<Self> {
        suite.allow(shape)?;
        let too_large = Error::TooLarge { what: "erasure-coded message", limit: MAX_MESSAGE as u64 };
        let Some(stated) = u32::try_from(max_message).ok().filter(|_| max_message <= MAX_MESSAGE) else {
            return Err(too_large);
        };
        let coding = Self { suite, shape, max_message: stated };
        match coding.shard_len(max_message).checked_mul(shape.shards()) {
            Some(all) if all <= MAX_SHARDS => Ok(coding),
            _ => Err(Error::TooLarge { what: "shards of a message", limit: MAX_SHARDS as u64 }),
        }
    }

    /// Returns the code.
    pub fn suite(&self) -> ErasureSuite {
        self.suite
    }

    /// Returns the numbers of shards.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the maximum message length in bytes.
    pub fn max_message(&self) -> usize {
        self.max_message as usize
    }

    /// Returns the length of each shard of a message of `message` bytes: its part of the message, rounded up to the
    /// code's unit, and at least one unit. Messages longer than [`MAX_MESSAGE`] count as [`MAX_MESSAGE`].
    pub fn shard_len(&self, message: usize) -> usize {
        message.min(MAX_MESSAGE).div_ceil(self.shape.data()).max(1).next_multiple_of(self.suite.unit())
    }
}

impl Encode for Shape {
    fn encode_to(&self, w: &mut Writer) {
        w.u16(self.data);
        w.u16(self.parity);
    }
}

impl Decode for Shape {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Self::new(r.u16()?, r.u16()?)
    }
}

impl Encode for ErasureSuite {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(self.number());
        let (word, log2_packet) = match self {
            ErasureSuite::Jerasure(packets) => (packets.word, packets.log2_packet),
            _ => (0, 0),
        };
        w.u8(word);
        w.u8(log2_packet);
    }
}

impl Decode for ErasureSuite {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        match r.array()? {
            [1, 0, 0] => Ok(ErasureSuite::Leopard),
            [2, 0, 0] => Ok(ErasureSuite::Gf8),
            [1 | 2, _, _] => Err(Error::NonCanonical { what: "erasure suite" }),
            [3, word, log2_packet] => Packets::new(word, log2_packet).map(ErasureSuite::Jerasure),
            _ => Err(Error::Malformed { what: "erasure suite" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code<T: core::fmt::Debug>(result: Result<T>) -> &'static str {
        result.unwrap_err().code()
    }

    #[test]
    fn unsupported_shapes_have_one_error_code() {
        assert_eq!(code(Shape::new(0, 4)), "BAD_SHAPE");
        assert_eq!(code(Shape::new(32_768, 1)), "BAD_SHAPE");
        assert_eq!(code(Shape::new(65_535, 65_535)), "BAD_SHAPE");
        let jerasure = |word, log2| ErasureSuite::Jerasure(Packets::new(word, log2).unwrap());
        let fits = |suite: ErasureSuite, data, parity| suite.allow(Shape::new(data, parity).unwrap());
        assert_eq!(fits(ErasureSuite::Leopard, 1, 32_767), Ok(()));
        assert_eq!(fits(ErasureSuite::Gf8, 200, 56), Ok(()));
        assert_eq!(code(fits(ErasureSuite::Gf8, 200, 57)), "BAD_SHAPE");
        assert_eq!(fits(jerasure(7, 0), 50, 50), Ok(()));
        assert_eq!(fits(jerasure(7, 0), 64, 64), Ok(()));
        assert_eq!(code(fits(jerasure(7, 0), 64, 65)), "BAD_SHAPE");
        assert_eq!(code(fits(jerasure(16, 0), 65, 1)), "BAD_SHAPE");
        assert_eq!(code(fits(jerasure(16, 0), 1, 65)), "BAD_SHAPE");
        for (word, log2) in [(0, 0), (1, 0), (17, 0), (33, 0), (255, 0), (8, 17), (8, 255)] {
            assert_eq!(code(Packets::new(word, log2)), "BAD_SHAPE");
        }
    }

    #[test]
    fn recommended_suite_supports_the_shape() {
        for (data, parity, suite) in [
            (1, 0, ErasureSuite::Gf8),
            (86, 170, ErasureSuite::Gf8),
            (86, 171, ErasureSuite::Leopard),
            (1, 32_767, ErasureSuite::Leopard),
            (32_768, 0, ErasureSuite::Leopard),
        ] {
            let shape = Shape::new(data, parity).unwrap();
            assert_eq!(ErasureSuite::recommended(shape), suite);
            assert_eq!(suite.allow(shape), Ok(()));
            assert!(suite.is_available());
        }
    }

    #[test]
    fn committee_gets_two_parity_shards_per_faulty_member() {
        assert_eq!(Shape::for_committee(100, 25), Shape::new(50, 50));
        assert_eq!(Shape::for_committee(100, 33), Shape::new(34, 66));
        assert_eq!(Shape::for_committee(4, 1), Shape::new(2, 2));
        assert_eq!(Shape::for_committee(1, 0), Shape::new(1, 0));
        assert_eq!(code(Shape::for_committee(3, 1)), "BAD_SHAPE");
        assert_eq!(code(Shape::for_committee(0, 0)), "BAD_SHAPE");
        assert_eq!(code(Shape::for_committee(100, u16::MAX)), "BAD_SHAPE");
    }

    #[test]
    fn lengths_are_bounded_before_anything_is_allocated() {
        let shape = Shape::new(1, 32_767).unwrap();
        assert_eq!(code(Coding::new(ErasureSuite::Leopard, shape, 1 << 20)), "TOO_LARGE");
        assert_eq!(
            code(Coding::new(ErasureSuite::Leopard, Shape::new(4, 0).unwrap(), MAX_MESSAGE + 1)),
            "TOO_LARGE"
        );
        assert_eq!(code(Coding::new(ErasureSuite::Gf8, Shape::new(4, 4).unwrap(), usize::MAX)), "TOO_LARGE");
        let suite = ErasureSuite::Jerasure(Packets::new(10, 16).unwrap());
        let coding = Coding::new(suite, Shape::new(100, 100).unwrap(), 5).unwrap();
        assert_eq!(coding.shard_len(5), 655_360);
    }

    #[test]
    fn shard_lengths_are_positive_multiples_of_the_unit() {
        let coding = |suite| Coding::new(suite, Shape::new(3, 2).unwrap(), 1000).unwrap();
        let lengths = |suite, of: [usize; 4]| of.map(|len| coding(suite).shard_len(len));
        assert_eq!(lengths(ErasureSuite::Gf8, [0, 1, 3, 4]), [1, 1, 1, 2]);
        assert_eq!(lengths(ErasureSuite::Leopard, [0, 1, 6, 7]), [2, 2, 2, 4]);
        let packets = ErasureSuite::Jerasure(Packets::new(3, 1).unwrap());
        assert_eq!(lengths(packets, [0, 18, 19, 36]), [6, 6, 12, 12]);
    }

    #[test]
    fn every_suite_has_one_encoding() {
        for suite in
            [ErasureSuite::Leopard, ErasureSuite::Gf8, ErasureSuite::Jerasure(Packets::new(7, 13).unwrap())]
        {
            assert_eq!(ErasureSuite::decode(&suite.encode(), &()), Ok(suite));
        }
        assert_eq!(code(ErasureSuite::decode(&[1, 0, 1], &())), "NON_CANONICAL");
        assert_eq!(code(ErasureSuite::decode(&[2, 8, 0], &())), "NON_CANONICAL");
        assert_eq!(code(ErasureSuite::decode(&[0, 0, 0], &())), "MALFORMED");
        assert_eq!(code(ErasureSuite::decode(&[4, 0, 0], &())), "MALFORMED");
        assert_eq!(code(ErasureSuite::decode(&[3, 33, 0], &())), "BAD_SHAPE");
    }
}
