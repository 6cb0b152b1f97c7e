//! Parameters that a committee agrees on before any message is encoded.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::erasure;
use quorate::wire::{Decode, Encode};

use crate::convert::{
    Bytes, DataShards, Faulty, Log2Packet, MemberCount, MessageLen, ParityShards, Word, size,
};
use crate::failure::Outcome;
use crate::pickle::{Reduced, rebuilt, reduced};

/// Number of shards: `data` shards that hold the message and `parity` shards that replace lost ones.
#[pyclass(frozen, eq, ord, hash, module = "quorate.erasure")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Shape(pub(crate) erasure::Shape);

#[pymethods]
impl Shape {
    /// Creates a shape; raises `BadShapeError` without data shards, or above 32,768 shards in total.
    #[new]
    fn new(data: DataShards, parity: ParityShards) -> Outcome<Self> {
        Ok(Self(erasure::Shape::new(data.0, parity.0)?))
    }

    /// One shard per member, for a reliable broadcast that tolerates `faulty` of them: the parity shards number twice
    /// that.
    #[staticmethod]
    fn for_committee(members: MemberCount, faulty: Faulty) -> Outcome<Self> {
        Ok(Self(erasure::Shape::for_committee(members.0, faulty.0)?))
    }

    /// Number of data shards: as many shards of any kind restore the message.
    #[getter]
    fn data(&self) -> usize {
        self.0.data()
    }

    /// Number of parity shards.
    #[getter]
    fn parity(&self) -> usize {
        self.0.parity()
    }

    /// Number of all shards.
    #[getter]
    fn shards(&self) -> usize {
        self.0.shards()
    }

    pub(super) fn __repr__(&self) -> String {
        format!("Shape(data={}, parity={})", self.data(), self.parity())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        rebuilt::<Self>(py, (self.data(), self.parity()))
    }
}

/// The tuner's parameters of suite 3: bits per word, and bytes per packet.
#[pyclass(frozen, eq, ord, hash, module = "quorate.erasure")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Packets(erasure::Packets);

#[pymethods]
impl Packets {
    /// The largest packet size, as a power of two.
    #[classattr]
    const MAX_LOG2_PACKET: u8 = erasure::Packets::MAX_LOG2_PACKET;

    /// Creates parameters with words of 2 to 16 bits and packets of 2**`log2_packet` bytes.
    #[new]
    fn new(word: Word, log2_packet: Log2Packet) -> Outcome<Self> {
        Ok(Self(erasure::Packets::new(word.0, log2_packet.0)?))
    }

    /// Bits per word.
    #[getter]
    fn word(&self) -> u8 {
        self.0.word()
    }

    /// Bytes per packet.
    #[getter]
    fn packet(&self) -> usize {
        self.0.packet()
    }

    /// Packet size as a power of two.
    #[getter]
    fn log2_packet(&self) -> u8 {
        self.0.log2_packet()
    }

    pub(super) fn __repr__(&self) -> String {
        format!("Packets(word={}, log2_packet={})", self.word(), self.log2_packet())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        rebuilt::<Self>(py, (self.word(), self.log2_packet()))
    }
}

/// Code of the parity shards. It determines the bytes on the wire, so all members must use the same.
#[pyclass(frozen, eq, ord, hash, module = "quorate._native")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ErasureSuite(pub(crate) erasure::ErasureSuite);

#[pymethods]
impl ErasureSuite {
    /// 1: Reed–Solomon over GF(2¹⁶) by additive Fourier transforms; up to 32,768 shards.
    #[classattr]
    const LEOPARD: ErasureSuite = ErasureSuite(erasure::ErasureSuite::Leopard);
    /// 2: Cauchy Reed–Solomon over GF(2⁸); up to 256 shards, and faster for few of them.
    #[classattr]
    const GF8: ErasureSuite = ErasureSuite(erasure::ErasureSuite::Gf8);

    /// Returns the recommended code: suite 2 up to its 256 shards, suite 1 above.
    #[staticmethod]
    fn recommended(shape: &Shape) -> Self {
        Self(erasure::ErasureSuite::recommended(shape.0))
    }

    /// 3: Jerasure's Cauchy Reed–Solomon code of exclusive-ors, for comparison; most builds do not support it.
    #[staticmethod]
    fn jerasure(packets: &Packets) -> Self {
        Self(erasure::ErasureSuite::Jerasure(packets.0))
    }

    /// Decodes the 3 bytes.
    #[staticmethod]
    fn decode(data: Bytes) -> Outcome<Self> {
        Ok(Self(erasure::ErasureSuite::decode(&data, &())?))
    }

    /// Returns the 3 bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Byte that identifies the suite in encodings.
    #[getter]
    fn number(&self) -> u8 {
        self.0.number()
    }

    /// Human-readable name.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// The parameters of suite 3; `None` for the other suites.
    #[getter]
    fn packets(&self) -> Option<Packets> {
        match self.0 {
            erasure::ErasureSuite::Jerasure(packets) => Some(Packets(packets)),
            _ => None,
        }
    }

    /// Shard lengths are multiples of this number of bytes.
    #[getter]
    fn unit(&self) -> usize {
        self.0.unit()
    }

    /// True if this build supports the code.
    fn is_available(&self) -> bool {
        self.0.is_available()
    }

    pub(super) fn __repr__(&self) -> String {
        match self.packets() {
            Some(packets) => format!("Suite.jerasure({})", packets.__repr__()),
            None => format!("Suite.{}", self.0.name().to_uppercase()),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.encode(py),))
    }
}

/// A code, a shape that it supports, and the maximum message length.
#[pyclass(frozen, eq, hash, module = "quorate.erasure")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Coding(pub(crate) erasure::Coding);

#[pymethods]
impl Coding {
    /// A coding of messages up to `max_message` bytes, with the recommended suite by default. Raises `BadShapeError` if
    /// the suite does not support the shape, and `TooLargeError` above `MAX_MESSAGE`, or if all shards together exceed
    /// `MAX_SHARDS` bytes.
    #[new]
    #[pyo3(signature = (shape, max_message, suite = None))]
    fn new(shape: &Shape, max_message: MessageLen, suite: Option<&ErasureSuite>) -> Outcome<Self> {
        let suite = suite.map_or_else(|| erasure::ErasureSuite::recommended(shape.0), |suite| suite.0);
        Ok(Self(erasure::Coding::new(suite, shape.0, size(max_message.0))?))
    }

    /// The erasure code.
    #[getter]
    fn suite(&self) -> ErasureSuite {
        ErasureSuite(self.0.suite())
    }

    /// Number of data and parity shards.
    #[getter]
    fn shape(&self) -> Shape {
        Shape(self.0.shape())
    }

    /// Maximum message length in bytes.
    #[getter]
    fn max_message(&self) -> usize {
        self.0.max_message()
    }

    /// Length of each shard of a message of this length.
    fn shard_len(&self, message: MessageLen) -> usize {
        self.0.shard_len(size(message.0))
    }

    pub(super) fn __repr__(&self) -> String {
        let (suite, shape) = (self.suite().__repr__(), self.shape().__repr__());
        format!("Coding({shape}, max_message={}, suite={suite})", self.max_message())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        rebuilt::<Self>(py, (self.shape(), self.max_message(), self.suite()))
    }
}
