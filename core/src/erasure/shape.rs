//! What a committee agrees on before anything is coded: how many shards, which code, how long messages may be.

use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// How many shards there are: `data` that hold the message and `parity` that make up for lost ones. Any `data` of
/// them restore the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    data: u16,
    parity: u16,
}

/// Which code makes the parity shards: the bytes on the wire depend on it, so all members use the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Suite {
    /// 1: Reed–Solomon over GF(2¹⁶) by additive Fourier transforms; up to 32,768 shards.
    Leopard,
    /// 2: Cauchy Reed–Solomon over GF(2⁸); up to 256 shards, and the faster one for few of them.
    Gf8,
    /// 3: Jerasure's Cauchy Reed–Solomon of exclusive-ors; up to 2ʷ shards. Needs the feature `jerasure`.
    Jerasure(Packets),
}

/// The parameters of suite 3 that the tuner searches: bits of a word, and bytes of a packet as a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Packets {
    word: u8,
    log2_packet: u8,
}

/// A code, a shape that it can do, and the longest message: what [`Coder`](super::Coder)s and decoders are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Coding {
    suite: Suite,
    shape: Shape,
    max_message: u32,
}

/// The largest message that any coding allows.
pub const MAX_MESSAGE: usize = 1 << 30;
/// The most bytes that all shards of a message may have together.
pub const MAX_SHARDS: usize = (1 << 31) - 1;
/// The most shards of suite 1. Its field has twice as many elements, and padding to powers of two takes the rest.
const LEOPARD_SHARDS: u32 = 1 << 15;
/// The most shards of suite 2: the elements of its field.
const GF8_SHARDS: u32 = 1 << 8;
/// Word sizes of suite 3. Larger ones need more work for the same shards, and tables without bound.
const WORDS: core::ops::RangeInclusive<u8> = 2..=16;
/// Rows and columns of the largest matrix of bits of suite 3: its inverse takes the cube of this many steps.
const BIT_ROWS: u32 = 1024;

fn impossible<T>(rule: &'static str) -> Result<T> {
    Err(Error::BadShape { rule })
}

impl Shape {
    /// So many data shards and so many parity shards.
    ///
    /// # Errors
    /// [`Error::BadShape`] without data shards, or with more shards than any code can make.
    pub fn new(data: u16, parity: u16) -> Result<Self> {
        if data == 0 {
            return impossible("at least one data shard is needed");
        }
        if u32::from(data) + u32::from(parity) > LEOPARD_SHARDS {
            return impossible("no code makes more than 32,768 shards");
        }
        Ok(Self { data, parity })
    }

    /// One shard for each of `members`, as a reliable broadcast needs it that outlives `faulty` of them: twice as many
    /// parity shards as faulty members, since those may keep theirs while as many others are late.
    ///
    /// # Errors
    /// [`Error::BadShape`] unless three times `faulty` is below `members`.
    pub fn of_committee(members: u16, faulty: u16) -> Result<Self> {
        let (n, f) = (u32::from(members), u32::from(faulty));
        if 3 * f >= n {
            return impossible("three times the faulty members must be fewer than all members");
        }
        Self::new(members - 2 * faulty, 2 * faulty)
    }

    /// Data shards: as many of any kind restore the message.
    pub fn data(&self) -> usize {
        self.data.into()
    }

    /// Parity shards.
    pub fn parity(&self) -> usize {
        self.parity.into()
    }

    /// All shards.
    pub fn shards(&self) -> usize {
        self.data() + self.parity()
    }
}

impl Packets {
    /// Words of `word` bits, packets of 2^`log2_packet` bytes.
    ///
    /// # Errors
    /// [`Error::BadShape`] for words below 2 or above 16 bits, or packets above 65,536 bytes.
    pub fn new(word: u8, log2_packet: u8) -> Result<Self> {
        if !WORDS.contains(&word) {
            return impossible("a word has 2 to 16 bits");
        }
        if log2_packet > Self::MAX_LOG2_PACKET {
            return impossible("a packet has at most 65,536 bytes");
        }
        Ok(Self { word, log2_packet })
    }

    /// The largest packet, as a power of two.
    pub const MAX_LOG2_PACKET: u8 = 16;

    /// Bits of a word, w in the paper.
    pub fn word(&self) -> u8 {
        self.word
    }

    /// Bytes of a packet, p in the paper: a power of two.
    pub fn packet(&self) -> usize {
        1 << self.log2_packet
    }

    /// The packet's size as a power of two.
    pub fn log2_packet(&self) -> u8 {
        self.log2_packet
    }
}

impl Suite {
    /// The one to take unless there is a reason for another: suite 2 up to its 256 shards, suite 1 above. Only the shape
    /// decides, never the machine: the members must come to the same suite.
    ///
    /// The reason is what a receiver does, and all members are receivers: restore, then code again. With GFNI and AVX-512
    /// suite 2 restores at least five times faster in `cargo xtask bench threshold`, and codes faster except messages of a
    /// few hundred bytes. Processors without them are not measured.
    pub fn recommended(shape: Shape) -> Self {
        if Suite::Gf8.allow(shape).is_ok() { Suite::Gf8 } else { Suite::Leopard }
    }

    /// The number on the wire.
    pub fn number(&self) -> u8 {
        match self {
            Suite::Leopard => 1,
            Suite::Gf8 => 2,
            Suite::Jerasure(_) => 3,
        }
    }

    /// A name for people.
    pub fn name(&self) -> &'static str {
        match self {
            Suite::Leopard => "leopard",
            Suite::Gf8 => "gf8",
            Suite::Jerasure(_) => "jerasure",
        }
    }

    /// Whether this build can run the code. The codes do not depend on it, only who can take part.
    pub fn is_available(&self) -> bool {
        match self {
            Suite::Leopard | Suite::Gf8 => true,
            Suite::Jerasure(_) => cfg!(all(feature = "jerasure", not(target_family = "wasm"))),
        }
    }

    /// Lengths of shards are multiples of this many bytes.
    pub fn unit(&self) -> usize {
        match self {
            Suite::Leopard => 2,
            Suite::Gf8 => 1,
            Suite::Jerasure(packets) => usize::from(packets.word) << packets.log2_packet,
        }
    }

    /// Checks that the code can make these shards.
    ///
    /// # Errors
    /// [`Error::BadShape`].
    pub fn allow(&self, shape: Shape) -> Result<()> {
        let (k, n) = (u32::from(shape.data), u32::from(shape.data) + u32::from(shape.parity));
        match self {
            Suite::Leopard => Ok(()),
            Suite::Gf8 if n > GF8_SHARDS => impossible("suite 2 makes at most 256 shards"),
            Suite::Gf8 => Ok(()),
            Suite::Jerasure(packets) => {
                let word = u32::from(packets.word);
                if n > 1 << word {
                    return impossible("suite 3 makes at most 2^w shards; take a longer word");
                }
                if k * word > BIT_ROWS || (n - k) * word > BIT_ROWS {
                    return impossible("in suite 3 shards of a kind times bits of a word are at most 1,024");
                }
                Ok(())
            }
        }
    }
}

impl Coding {
    /// A coding of messages up to `max_message` bytes.
    ///
    /// # Errors
    /// [`Error::BadShape`] if the suite cannot make these shards, [`Error::TooLarge`] if messages, or all shards of the
    /// longest one together, are longer than this crate handles.
    pub fn new(suite: Suite, shape: Shape, max_message: usize) -> Result<Self> {
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

    /// The code.
    pub fn suite(&self) -> Suite {
        self.suite
    }

    /// How many shards.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The longest message, in bytes.
    pub fn max_message(&self) -> usize {
        self.max_message as usize
    }

    /// How long each shard of a message of this length is: its part of the message, rounded up to the code's unit, and
    /// never nothing. No message is longer than [`MAX_MESSAGE`].
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

impl Encode for Suite {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(self.number());
        let (word, log2_packet) = match self {
            Suite::Jerasure(packets) => (packets.word, packets.log2_packet),
            _ => (0, 0),
        };
        w.u8(word);
        w.u8(log2_packet);
    }
}

impl Decode for Suite {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        match r.array()? {
            [1, 0, 0] => Ok(Suite::Leopard),
            [2, 0, 0] => Ok(Suite::Gf8),
            [1 | 2, _, _] => Err(Error::NonCanonical { what: "erasure suite" }),
            [3, word, log2_packet] => Packets::new(word, log2_packet).map(Suite::Jerasure),
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
    fn impossible_shapes_have_one_code_whatever_the_suite() {
        assert_eq!(code(Shape::new(0, 4)), "BAD_SHAPE");
        assert_eq!(code(Shape::new(32_768, 1)), "BAD_SHAPE");
        assert_eq!(code(Shape::new(65_535, 65_535)), "BAD_SHAPE");
        let jerasure = |word, log2| Suite::Jerasure(Packets::new(word, log2).unwrap());
        let fits = |suite: Suite, data, parity| suite.allow(Shape::new(data, parity).unwrap());
        assert_eq!(fits(Suite::Leopard, 1, 32_767), Ok(()));
        assert_eq!(fits(Suite::Gf8, 200, 56), Ok(()));
        assert_eq!(code(fits(Suite::Gf8, 200, 57)), "BAD_SHAPE");
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
    fn what_is_recommended_can_be_made() {
        for (data, parity, suite) in [
            (1, 0, Suite::Gf8),
            (86, 170, Suite::Gf8),
            (86, 171, Suite::Leopard),
            (1, 32_767, Suite::Leopard),
            (32_768, 0, Suite::Leopard),
        ] {
            let shape = Shape::new(data, parity).unwrap();
            assert_eq!(Suite::recommended(shape), suite);
            assert_eq!(suite.allow(shape), Ok(()));
            assert!(suite.is_available());
        }
    }

    #[test]
    fn a_committee_gets_twice_as_many_parity_shards_as_faulty_members() {
        assert_eq!(Shape::of_committee(100, 25), Shape::new(50, 50));
        assert_eq!(Shape::of_committee(100, 33), Shape::new(34, 66));
        assert_eq!(Shape::of_committee(4, 1), Shape::new(2, 2));
        assert_eq!(Shape::of_committee(1, 0), Shape::new(1, 0));
        assert_eq!(code(Shape::of_committee(3, 1)), "BAD_SHAPE");
        assert_eq!(code(Shape::of_committee(0, 0)), "BAD_SHAPE");
        assert_eq!(code(Shape::of_committee(100, u16::MAX)), "BAD_SHAPE");
    }

    #[test]
    fn lengths_are_bounded_before_anything_is_allocated() {
        let shape = Shape::new(1, 32_767).unwrap();
        assert_eq!(code(Coding::new(Suite::Leopard, shape, 1 << 20)), "TOO_LARGE");
        assert_eq!(
            code(Coding::new(Suite::Leopard, Shape::new(4, 0).unwrap(), MAX_MESSAGE + 1)),
            "TOO_LARGE"
        );
        assert_eq!(code(Coding::new(Suite::Gf8, Shape::new(4, 4).unwrap(), usize::MAX)), "TOO_LARGE");
        let suite = Suite::Jerasure(Packets::new(10, 16).unwrap());
        let coding = Coding::new(suite, Shape::new(100, 100).unwrap(), 5).unwrap();
        assert_eq!(coding.shard_len(5), 655_360);
    }

    #[test]
    fn shards_are_never_empty_and_never_broken() {
        let coding = |suite| Coding::new(suite, Shape::new(3, 2).unwrap(), 1000).unwrap();
        let lengths = |suite, of: [usize; 4]| of.map(|len| coding(suite).shard_len(len));
        assert_eq!(lengths(Suite::Gf8, [0, 1, 3, 4]), [1, 1, 1, 2]);
        assert_eq!(lengths(Suite::Leopard, [0, 1, 6, 7]), [2, 2, 2, 4]);
        let packets = Suite::Jerasure(Packets::new(3, 1).unwrap());
        assert_eq!(lengths(packets, [0, 18, 19, 36]), [6, 6, 12, 12]);
    }

    #[test]
    fn a_suite_has_one_encoding() {
        for suite in [Suite::Leopard, Suite::Gf8, Suite::Jerasure(Packets::new(7, 13).unwrap())] {
            assert_eq!(Suite::decode(&suite.encode(), &()), Ok(suite));
        }
        assert_eq!(code(Suite::decode(&[1, 0, 1], &())), "NON_CANONICAL");
        assert_eq!(code(Suite::decode(&[2, 8, 0], &())), "NON_CANONICAL");
        assert_eq!(code(Suite::decode(&[0, 0, 0], &())), "MALFORMED");
        assert_eq!(code(Suite::decode(&[4, 0, 0], &())), "MALFORMED");
        assert_eq!(code(Suite::decode(&[3, 33, 0], &())), "BAD_SHAPE");
    }
}
