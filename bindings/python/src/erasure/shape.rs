//! What a committee agrees on before anything is coded.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::erasure;
use quorate::wire::{Decode, Encode};

use crate::convert::{
    Bytes, DataShards, Faulty, Log2Packet, MemberCount, MessageLen, ParityShards, Word, size,
};
use crate::failure::Outcome;
use crate::pickle::{Reduced, rebuilt, reduced};

/// How many shards there are: `data` that hold the message and `parity` that make up for lost ones.
#[pyclass(frozen, eq, ord, hash, module = "quorate.erasure")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Shape(pub(crate) erasure::Shape);

#[pymethods]
impl Shape {
    /// So many shards; raises `BadShapeError` without data shards, or above 32,768 in all.
    #[new]
    fn new(data: DataShards, parity: ParityShards) -> Outcome<Self> {
        Ok(Self(erasure::Shape::new(data.0, parity.0)?))
    }

    /// One shard for each member, as a reliable broadcast needs it that outlives `faulty` of them: twice as many parity
    /// shards as those.
    #[staticmethod]
    fn of_committee(members: MemberCount, faulty: Faulty) -> Outcome<Self> {
        Ok(Self(erasure::Shape::of_committee(members.0, faulty.0)?))
    }

    /// Data shards: as many of any kind restore the message.
    #[getter]
    fn data(&self) -> usize {
        self.0.data()
    }

    /// Parity shards.
    #[getter]
    fn parity(&self) -> usize {
        self.0.parity()
    }

    /// All shards.
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

/// The parameters of suite 3 that the tuner searches: bits of a word, and bytes of a packet.
#[pyclass(frozen, eq, ord, hash, module = "quorate.erasure")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Packets(erasure::Packets);

#[pymethods]
impl Packets {
    /// The largest packet, as a power of two.
    #[classattr]
    const MAX_LOG2_PACKET: u8 = erasure::Packets::MAX_LOG2_PACKET;

    /// Words of 2 to 16 bits, packets of 2**`log2_packet` bytes.
    #[new]
    fn new(word: Word, log2_packet: Log2Packet) -> Outcome<Self> {
        Ok(Self(erasure::Packets::new(word.0, log2_packet.0)?))
    }

    /// Bits of a word.
    #[getter]
    fn word(&self) -> u8 {
        self.0.word()
    }

    /// Bytes of a packet.
    #[getter]
    fn packet(&self) -> usize {
        self.0.packet()
    }

    /// The packet's size as a power of two.
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

/// Which code makes the parity shards: the bytes on the wire depend on it, so all members use the same.
#[pyclass(frozen, eq, ord, hash, module = "quorate._native")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ErasureSuite(pub(crate) erasure::Suite);

#[pymethods]
impl ErasureSuite {
    /// 1: Reed–Solomon over GF(2¹⁶) by additive Fourier transforms; up to 32,768 shards.
    #[classattr]
    const LEOPARD: ErasureSuite = ErasureSuite(erasure::Suite::Leopard);
    /// 2: Cauchy Reed–Solomon over GF(2⁸); up to 256 shards, and the faster one for few of them.
    #[classattr]
    const GF8: ErasureSuite = ErasureSuite(erasure::Suite::Gf8);

    /// The one to take unless there is a reason for another: suite 2 up to its 256 shards, suite 1 above.
    #[staticmethod]
    fn recommended(shape: &Shape) -> Self {
        Self(erasure::Suite::recommended(shape.0))
    }

    /// 3: Jerasure's Cauchy Reed–Solomon of exclusive-ors, to compare with; most builds cannot run it.
    #[staticmethod]
    fn jerasure(packets: &Packets) -> Self {
        Self(erasure::Suite::Jerasure(packets.0))
    }

    /// Reads the 3 bytes.
    #[staticmethod]
    fn decode(data: Bytes) -> Outcome<Self> {
        Ok(Self(erasure::Suite::decode(&data, &())?))
    }

    /// The 3 bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// The byte that stands for it in encodings.
    #[getter]
    fn number(&self) -> u8 {
        self.0.number()
    }

    /// A name for people.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// The parameters of suite 3; `None` for the others.
    #[getter]
    fn packets(&self) -> Option<Packets> {
        match self.0 {
            erasure::Suite::Jerasure(packets) => Some(Packets(packets)),
            _ => None,
        }
    }

    /// Lengths of shards are multiples of this many bytes.
    #[getter]
    fn unit(&self) -> usize {
        self.0.unit()
    }

    /// Whether this build can run the code.
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

/// A code, a shape that it can do, and the longest message.
#[pyclass(frozen, eq, hash, module = "quorate.erasure")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Coding(pub(crate) erasure::Coding);

#[pymethods]
impl Coding {
    /// A coding of messages up to `max_message` bytes, with the recommended suite unless there is another. Raises `BadShapeError` if the suite cannot make these shards,
    /// `TooLargeError` above `MAX_MESSAGE`, or `MAX_SHARDS` bytes of all shards together.
    #[new]
    #[pyo3(signature = (shape, max_message, suite = None))]
    fn new(shape: &Shape, max_message: MessageLen, suite: Option<&ErasureSuite>) -> Outcome<Self> {
        let suite = suite.map_or_else(|| erasure::Suite::recommended(shape.0), |suite| suite.0);
        Ok(Self(erasure::Coding::new(suite, shape.0, size(max_message.0))?))
    }

    /// The code.
    #[getter]
    fn suite(&self) -> ErasureSuite {
        ErasureSuite(self.0.suite())
    }

    /// How many shards.
    #[getter]
    fn shape(&self) -> Shape {
        Shape(self.0.shape())
    }

    /// The longest message, in bytes.
    #[getter]
    fn max_message(&self) -> usize {
        self.0.max_message()
    }

    /// How long each shard of a message of this length is.
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
