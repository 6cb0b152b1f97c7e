//! Parameters that a committee agrees on before any message is encoded.

use quorate::Result;
use quorate::erasure;
use quorate::wire::{Decode, Encode};

use crate::Length;

class! {
    /// Number of shards: `data` shards that hold the message and `parity` shards that replace lost ones. Any `data` of
    /// them restore the message.
    value struct Shape(pub(super) erasure::Shape): Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| write!(f, "Shape(data={}, parity={})", self.data(), self.parity());
    /// Creates a shape.
    /// [`Error::BadShape`](quorate::Error) without data shards, or with more than 32,768 shards.
    quick fn new(data: u16, parity: u16) -> Result<Self> { erasure::Shape::new(data, parity).map(Self) }
    /// One shard per member, for a reliable broadcast that tolerates `faulty` of them: the parity shards number twice
    /// that.
    /// [`Error::BadShape`](quorate::Error) unless three times `faulty` is below `members`.
    quick fn for_committee(members: u16, faulty: u16) -> Result<Self> {
        erasure::Shape::for_committee(members, faulty).map(Self)
    }
    /// Number of data shards: as many shards of any kind restore the message.
    getter fn data(&self) -> u16 { self.0.data() as u16 }
    /// Number of parity shards.
    getter fn parity(&self) -> u16 { self.0.parity() as u16 }
    /// Number of all shards.
    getter fn shards(&self) -> u16 { self.0.shards() as u16 }
}

class! {
    /// The tuner's parameters of suite 3: bits per word, and bytes per packet as a power of two.
    value struct Packets(erasure::Packets): Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| write!(f, "Packets(word={}, log2_packet={})", self.word(), self.log2_packet());
    const MAX_LOG2_PACKET: u8 = 16 == erasure::Packets::MAX_LOG2_PACKET,
        "The largest packet size, as a power of two.";
    /// Creates parameters with words of 2 to 16 bits and packets of 2^`log2_packet` bytes.
    /// [`Error::BadShape`](quorate::Error) for words below 2 or above 16 bits, or packets above 65,536 bytes.
    quick fn new(word: u8, log2_packet: u8) -> Result<Self> {
        erasure::Packets::new(word, log2_packet).map(Self)
    }
    /// Bits per word.
    getter fn word(&self) -> u8 { self.0.word() }
    /// Bytes per packet.
    getter fn packet(&self) -> Length { self.0.packet() }
    /// Packet size as a power of two.
    getter fn log2_packet(&self) -> u8 { self.0.log2_packet() }
}

class! {
    /// Code of the parity shards. It determines the bytes on the wire, so all members must use the same.
    encoded struct Suite(pub(super) erasure::ErasureSuite):
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| {
        match self.packets() {
            Some(packets) => write!(f, "Suite.jerasure({packets})"),
            None => write!(f, "Suite.{}", self.0.name().to_uppercase()),
        }
    };
    /// 1: Reed–Solomon over GF(2¹⁶) by additive Fourier transforms; up to 32,768 shards.
    variant quick fn leopard() -> Self { Self(erasure::ErasureSuite::Leopard) }
    /// 2: Cauchy Reed–Solomon over GF(2⁸); up to 256 shards, and faster for few of them.
    variant quick fn gf8() -> Self { Self(erasure::ErasureSuite::Gf8) }
    /// 3: Jerasure's Cauchy Reed–Solomon code of exclusive-ors, for comparison; up to 2ʷ shards. Most builds do not
    /// support it.
    variant quick fn jerasure(packets: &Packets) -> Self { Self(erasure::ErasureSuite::Jerasure(packets.0)) }
    /// Returns the recommended code: suite 2 up to its 256 shards, suite 1 above. Only the shape determines it, so all
    /// members get the same.
    quick fn recommended(shape: &Shape) -> Self { Self(erasure::ErasureSuite::recommended(shape.0)) }
    /// Decodes the 3 bytes.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a suite.
    /// [`Error::NonCanonical`](quorate::Error) for parameters of a suite that has none.
    quick fn decode(bytes: &[u8]) -> Result<Self> { erasure::ErasureSuite::decode(bytes, &()).map(Self) }
    /// Returns the 3 bytes.
    quick fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Byte that identifies the suite in encodings.
    getter fn number(&self) -> u8 { self.0.number() }
    /// Human-readable name: `leopard`, `gf8` or `jerasure`.
    getter fn name(&self) -> String { self.0.name().to_owned() }
    /// The parameters of suite 3; the other suites have none.
    getter fn packets(&self) -> Option<Packets> {
        match self.0 {
            erasure::ErasureSuite::Jerasure(packets) => Some(Packets(packets)),
            _ => None,
        }
    }
    /// Shard lengths are multiples of this number of bytes.
    getter fn unit(&self) -> Length { self.0.unit() }
    /// True if this build supports the code.
    getter computed fn is_available(&self) -> bool { self.0.is_available() }
}

class! {
    /// A code, a shape that it supports, and the maximum message length: the parameters that a committee agrees on
    /// before any message is encoded.
    value struct Coding(pub(super) erasure::Coding): Clone, Copy, Debug, PartialEq, Eq, Hash;
    shown |self, f|
        write!(f, "Coding({}, max_message={}, suite={})", self.shape(), self.max_message(), self.suite());
    module const MAX_MESSAGE: u32 = 1_073_741_824 == erasure::MAX_MESSAGE,
        "Maximum message length of any coding, in bytes.";
    module const MAX_SHARDS: u32 = 2_147_483_647 == erasure::MAX_SHARDS,
        "Maximum total length of all shards of a message, in bytes.";
    /// Creates a coding of messages up to `max_message` bytes, with the recommended suite by default.
    /// [`Error::BadShape`](quorate::Error) if the suite does not support this shape.
    /// [`Error::TooLarge`](quorate::Error) if the maximum message length, or that of all its shards, is too large.
    quick fn new(shape: &Shape, max_message: Length, suite: Option<&Suite>) -> Result<Self> {
        let suite = suite.map_or_else(|| Suite::recommended(shape), |suite| *suite);
        erasure::Coding::new(suite.0, shape.0, max_message).map(Self)
    }
    /// Number of data and parity shards.
    getter fn shape(&self) -> Shape { Shape(self.0.shape()) }
    /// Maximum message length in bytes.
    getter fn max_message(&self) -> Length { self.0.max_message() }
    /// The erasure code.
    getter fn suite(&self) -> Suite { Suite(self.0.suite()) }
    /// Returns the length of each shard of a message of this length.
    quick fn shard_len(&self, message: Length) -> Length { self.0.shard_len(message) }
}
