//! Erasure coding: a message as shards, some of which restore it.

use quorate::Error;
use quorate::erasure::tuner::{Row, Table};
use quorate::erasure::{
    CheckedShard, Coder, Coding, Commitment, Dispersal, MAX_MESSAGE, MAX_SHARDS, Packets, Shape,
};
use quorate::wire::{Decode, Encode};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::glue::{JsResult, OrThrow, decode};

/// All shards of a message, the coder's working memory and two copies must fit into four gigabytes; otherwise an
/// allocation fails and aborts the module.
const MAX_SHARD_BYTES: usize = 1 << 28;

/// The limits that JavaScript's copies are compared with: message, shards, rows.
#[wasm_bindgen]
pub fn erasure_limits() -> Vec<u32> {
    [MAX_MESSAGE, MAX_SHARDS, Table::MAX_ROWS].map(|limit| limit as u32).into()
}

#[wasm_bindgen]
pub struct ErasureSuite(quorate::erasure::ErasureSuite);

#[wasm_bindgen]
impl ErasureSuite {
    pub fn leopard() -> Self {
        Self(quorate::erasure::ErasureSuite::Leopard)
    }

    pub fn gf8() -> Self {
        Self(quorate::erasure::ErasureSuite::Gf8)
    }

    pub fn jerasure(word: u8, log2_packet: u8) -> JsResult<Self> {
        Packets::new(word, log2_packet)
            .or_throw()
            .map(|packets| Self(quorate::erasure::ErasureSuite::Jerasure(packets)))
    }

    pub fn recommended(shape: &ErasureShape) -> Self {
        Self(quorate::erasure::ErasureSuite::recommended(shape.0))
    }

    pub fn decode(bytes: &[u8]) -> JsResult<Self> {
        decode(bytes).map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn number(&self) -> u8 {
        self.0.number()
    }

    pub fn name(&self) -> String {
        self.0.name().to_owned()
    }

    pub fn is_available(&self) -> bool {
        self.0.is_available()
    }

    pub fn unit(&self) -> u32 {
        self.0.unit() as u32
    }

    /// The word and the packet, or nothing.
    pub fn packets(&self) -> Vec<u8> {
        if let quorate::erasure::ErasureSuite::Jerasure(packets) = self.0 {
            vec![packets.word(), packets.log2_packet()]
        } else {
            Vec::new()
        }
    }
}

#[wasm_bindgen]
pub struct ErasureShape(Shape);

#[wasm_bindgen]
impl ErasureShape {
    pub fn new(data: u16, parity: u16) -> JsResult<Self> {
        Shape::new(data, parity).or_throw().map(Self)
    }

    pub fn for_committee(members: u16, faulty: u16) -> JsResult<Self> {
        Shape::for_committee(members, faulty).or_throw().map(Self)
    }

    pub fn data(&self) -> u32 {
        self.0.data() as u32
    }

    pub fn parity(&self) -> u32 {
        self.0.parity() as u32
    }

    pub fn shards(&self) -> u32 {
        self.0.shards() as u32
    }
}

#[wasm_bindgen]
pub struct ErasureCoding(Coding);

#[wasm_bindgen]
impl ErasureCoding {
    pub fn new(suite: &ErasureSuite, shape: &ErasureShape, max_message: u32) -> JsResult<Self> {
        Coding::new(suite.0, shape.0, max_message as usize).or_throw().map(Self)
    }

    pub fn suite(&self) -> ErasureSuite {
        ErasureSuite(self.0.suite())
    }

    pub fn shape(&self) -> ErasureShape {
        ErasureShape(self.0.shape())
    }

    pub fn max_message(&self) -> u32 {
        self.0.max_message() as u32
    }

    pub fn shard_length(&self, message: u32) -> u32 {
        self.0.shard_len(message as usize) as u32
    }

    pub fn max_encoded_length(&self) -> u32 {
        CheckedShard::max_encoded_len(&self.0) as u32
    }
}

#[wasm_bindgen]
pub struct ErasureCoder(Coder);

#[wasm_bindgen]
impl ErasureCoder {
    pub fn new(coding: &ErasureCoding) -> JsResult<Self> {
        let coding = coding.0;
        if coding.shard_len(coding.max_message()).saturating_mul(coding.shape().shards()) > MAX_SHARD_BYTES {
            let what = "shards of a message in a module's memory";
            return Err(Error::TooLarge { what, limit: MAX_SHARD_BYTES as u64 }).or_throw();
        }
        Coder::new(coding).or_throw().map(Self)
    }

    pub fn coding(&self) -> ErasureCoding {
        ErasureCoding(*self.0.coding())
    }

    pub fn disperse(&mut self, message: &[u8]) -> JsResult<ErasureDispersal> {
        self.0.disperse(message).or_throw().map(ErasureDispersal)
    }

    pub fn decode(&mut self, shards: ErasureShards) -> JsResult<ErasureDispersal> {
        self.0.decode(&shards.0).or_throw().map(ErasureDispersal)
    }
}

/// Shards to be decoded.
#[wasm_bindgen]
#[derive(Default)]
pub struct ErasureShards(Vec<CheckedShard>);

#[wasm_bindgen]
impl ErasureShards {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn add(&mut self, shard: &ErasureShard) {
        self.0.push(shard.0.clone());
    }
}

#[wasm_bindgen]
pub struct ErasureCommitment(Commitment);

#[wasm_bindgen]
impl ErasureCommitment {
    pub fn decode(bytes: &[u8], coding: &ErasureCoding) -> JsResult<Self> {
        Commitment::decode(bytes, &coding.0).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn suite(&self) -> ErasureSuite {
        ErasureSuite(self.0.suite())
    }

    pub fn shape(&self) -> ErasureShape {
        ErasureShape(self.0.shape())
    }

    pub fn message_length(&self) -> u32 {
        self.0.message_len() as u32
    }

    pub fn root(&self) -> Vec<u8> {
        self.0.root().to_vec()
    }

    pub fn identity(&self) -> Vec<u8> {
        self.0.identity().to_vec()
    }
}

#[wasm_bindgen]
pub struct ErasureShard(CheckedShard);

#[wasm_bindgen]
impl ErasureShard {
    pub fn decode(bytes: &[u8], coding: &ErasureCoding) -> JsResult<Self> {
        CheckedShard::decode(bytes, &coding.0).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn commitment(&self) -> ErasureCommitment {
        ErasureCommitment(*self.0.commitment())
    }

    pub fn index(&self) -> u32 {
        self.0.index() as u32
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.0.bytes().to_vec()
    }
}

#[wasm_bindgen]
pub struct ErasureDispersal(Dispersal);

#[wasm_bindgen]
impl ErasureDispersal {
    pub fn commitment(&self) -> ErasureCommitment {
        ErasureCommitment(*self.0.commitment())
    }

    pub fn message(&self) -> Vec<u8> {
        self.0.message().to_vec()
    }

    pub fn shard(&self, index: u32) -> JsResult<ErasureShard> {
        self.0.shard(index as usize).or_throw().map(ErasureShard)
    }
}

#[wasm_bindgen]
pub struct ErasureRow(Row);

#[wasm_bindgen]
impl ErasureRow {
    pub fn new(shape: &ErasureShape, message: u32, suite: &ErasureSuite, cost: u64) -> JsResult<Self> {
        Row::new(shape.0, message as usize, suite.0, cost).or_throw().map(Self)
    }

    pub fn shape(&self) -> ErasureShape {
        ErasureShape(self.0.shape())
    }

    pub fn message(&self) -> u32 {
        self.0.message() as u32
    }

    pub fn suite(&self) -> ErasureSuite {
        ErasureSuite(self.0.suite())
    }

    pub fn cost(&self) -> u64 {
        self.0.cost()
    }

    pub fn equals(&self, other: &ErasureRow) -> bool {
        self.0 == other.0
    }
}

#[wasm_bindgen]
#[derive(Default)]
pub struct ErasureTable(Table);

#[wasm_bindgen]
impl ErasureTable {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn decode(bytes: &[u8]) -> JsResult<Self> {
        decode(bytes).map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn rows(&self) -> Vec<ErasureRow> {
        self.0.rows().iter().copied().map(ErasureRow).collect()
    }

    pub fn length(&self) -> u32 {
        self.0.rows().len() as u32
    }

    /// A new table with the same rows.
    pub fn copy(&self) -> Self {
        Self(self.0.clone())
    }

    pub fn insert(&mut self, row: &ErasureRow) -> JsResult<()> {
        self.0.insert(row.0).or_throw()
    }

    pub fn merge(&mut self, newer: ErasureTable) -> JsResult<()> {
        self.0.merge(&newer.0).or_throw()
    }

    /// `allowed` are the suites of the table that the user's function accepts.
    pub fn best(&self, shape: &ErasureShape, message: u32, allowed: ErasureSuites) -> Option<ErasureRow> {
        self.0.best(shape.0, message as usize, |suite| allowed.0.contains(&suite)).copied().map(ErasureRow)
    }
}

/// Suites that a user allows.
#[wasm_bindgen]
#[derive(Default)]
pub struct ErasureSuites(Vec<quorate::erasure::ErasureSuite>);

#[wasm_bindgen]
impl ErasureSuites {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn add(&mut self, suite: &ErasureSuite) {
        self.0.push(suite.0);
    }
}
