//! Erasure coding: a message as shards, some of which restore it.

use std::sync::{Arc, Mutex, PoisonError};

use napi::Env;
use napi::bindgen_prelude::{BigInt, Uint8Array};
use napi_derive::napi;
use quorate::erasure::tuner::{Row, Table};
use quorate::erasure::{
    CheckedShard, Coder, Coding, Commitment, Dispersal, ErasureSuite, MAX_MESSAGE, MAX_SHARDS, Packets, Shape,
};
use quorate::wire::{Decode, Encode};

use crate::glue::{Bytes, Flag, Promised, Result, Throw, bytes, handle, number, queue};
use crate::handle::External;

/// Limits.
#[napi(object, object_from_js = false)]
pub struct ErasureConstants {
    pub max_message: u32,
    pub max_shards: u32,
    pub max_rows: u32,
    pub max_log2_packet: u8,
}

#[napi(catch_unwind)]
pub fn erasure_constants() -> ErasureConstants {
    ErasureConstants {
        max_message: MAX_MESSAGE as u32,
        max_shards: MAX_SHARDS as u32,
        max_rows: Table::MAX_ROWS as u32,
        max_log2_packet: Packets::MAX_LOG2_PACKET,
    }
}

#[napi(catch_unwind)]
pub fn erasure_suite_leopard() -> External<ErasureSuite> {
    External::new(ErasureSuite::Leopard)
}

#[napi(catch_unwind)]
pub fn erasure_suite_gf8() -> External<ErasureSuite> {
    External::new(ErasureSuite::Gf8)
}

#[napi(catch_unwind)]
pub fn erasure_suite_jerasure(word: u8, log2_packet: u8) -> Result<External<ErasureSuite>> {
    handle(Packets::new(word, log2_packet).map(ErasureSuite::Jerasure))
}

#[napi(catch_unwind)]
pub fn erasure_suite_decode(data: &[u8]) -> Result<External<ErasureSuite>> {
    handle(ErasureSuite::decode(data, &()))
}

#[napi(catch_unwind)]
pub fn erasure_suite_encode<'env>(env: &'env Env, suite: &External<ErasureSuite>) -> Result<Bytes<'env>> {
    bytes(env, suite.encode())
}

/// Properties of a suite.
#[napi(object, object_from_js = false)]
pub struct SuiteInfo {
    pub number: u8,
    pub name: &'static str,
    pub is_available: bool,
    pub unit: u32,
    pub word: Option<u8>,
    pub log2_packet: Option<u8>,
}

#[napi(catch_unwind)]
pub fn erasure_suite_info(suite: &External<ErasureSuite>) -> SuiteInfo {
    let packets = if let ErasureSuite::Jerasure(packets) = **suite { Some(packets) } else { None };
    SuiteInfo {
        number: suite.number(),
        name: suite.name(),
        is_available: suite.is_available(),
        unit: suite.unit() as u32,
        word: packets.map(|packets| packets.word()),
        log2_packet: packets.map(|packets| packets.log2_packet()),
    }
}

#[napi(catch_unwind)]
pub fn erasure_suite_recommended(shape: &External<Shape>) -> External<ErasureSuite> {
    External::new(ErasureSuite::recommended(**shape))
}

#[napi(catch_unwind)]
pub fn erasure_shape_new(data: u16, parity: u16) -> Result<External<Shape>> {
    handle(Shape::new(data, parity))
}

#[napi(catch_unwind)]
pub fn erasure_shape_for_committee(members: u16, faulty: u16) -> Result<External<Shape>> {
    handle(Shape::for_committee(members, faulty))
}

/// Properties of a shape.
#[napi(object, object_from_js = false)]
pub struct ShapeInfo {
    pub data: u32,
    pub parity: u32,
    pub shards: u32,
}

#[napi(catch_unwind)]
pub fn erasure_shape_info(shape: &External<Shape>) -> ShapeInfo {
    let [data, parity, shards] = [shape.data(), shape.parity(), shape.shards()].map(|count| count as u32);
    ShapeInfo { data, parity, shards }
}

#[napi(catch_unwind)]
pub fn erasure_coding_new(
    suite: &External<ErasureSuite>,
    shape: &External<Shape>,
    max_message: u32,
) -> Result<External<Coding>> {
    handle(Coding::new(**suite, **shape, max_message as usize))
}

/// Properties of a coding.
#[napi(object, object_from_js = false)]
pub struct CodingInfo {
    pub suite: External<ErasureSuite>,
    pub shape: External<Shape>,
    pub max_message: u32,
    pub max_encoded_length: u32,
}

#[napi(catch_unwind)]
pub fn erasure_coding_info(coding: &External<Coding>) -> CodingInfo {
    CodingInfo {
        suite: External::new(coding.suite()),
        shape: External::new(coding.shape()),
        max_message: coding.max_message() as u32,
        max_encoded_length: CheckedShard::max_encoded_len(coding) as u32,
    }
}

#[napi(catch_unwind)]
pub fn erasure_coding_shard_length(coding: &External<Coding>, message: u32) -> u32 {
    coding.shard_len(message as usize) as u32
}

/// One coder per call in progress, so that no call waits for another. Idle ones are reused.
pub struct Coders {
    coding: Coding,
    idle: Mutex<Vec<Coder>>,
}

/// Shared by threads.
pub type SharedCoders = Arc<Coders>;

impl Coders {
    fn new(coding: Coding) -> quorate::Result<SharedCoders> {
        Ok(Arc::new(Self { coding, idle: Mutex::new(vec![Coder::new(coding)?]) }))
    }

    /// A coder is dropped if its user panicked.
    fn run<T>(&self, work: impl FnOnce(&mut Coder) -> quorate::Result<T>) -> quorate::Result<T> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle().pop();
        let mut coder = kept.map_or_else(|| Coder::new(self.coding), Ok)?;
        let done = work(&mut coder);
        idle().push(coder);
        done
    }
}

#[napi(catch_unwind)]
pub fn erasure_coder_new(coding: &External<Coding>) -> Result<External<SharedCoders>> {
    handle(Coders::new(**coding))
}

#[napi(catch_unwind)]
pub fn erasure_coder_coding(coder: &External<SharedCoders>) -> External<Coding> {
    External::new(coder.coding)
}

fn dispersed(made: Dispersal) -> External<Dispersal> {
    let size = made.shards().shape().shards() * made.shards().shard_len();
    External::sized(made, size)
}

#[napi(catch_unwind)]
pub fn erasure_coder_disperse(coder: &External<SharedCoders>, message: &[u8]) -> Result<External<Dispersal>> {
    coder.run(|coder| coder.disperse(message)).map(dispersed).throw()
}

#[napi(catch_unwind)]
pub fn erasure_coder_disperse_async(
    coder: &External<SharedCoders>,
    message: &[u8],
    cancelled: Option<&External<Flag>>,
) -> Promised<External<Dispersal>> {
    let (coder, message) = (SharedCoders::clone(coder), message.to_vec());
    queue(cancelled, move || coder.run(|coder| coder.disperse(&message)).map(dispersed))
}

/// A shard that its object and a thread can share without copying.
pub type SharedShard = Arc<CheckedShard>;

/// The core needs a contiguous slice. This is the only copy.
fn side_by_side(shards: &[SharedShard]) -> Vec<CheckedShard> {
    shards.iter().map(|shard| CheckedShard::clone(shard)).collect()
}

fn shared(shards: &[&External<SharedShard>]) -> Vec<SharedShard> {
    shards.iter().map(|shard| SharedShard::clone(shard)).collect()
}

#[napi(catch_unwind)]
pub fn erasure_coder_decode(
    coder: &External<SharedCoders>,
    shards: Vec<&External<SharedShard>>,
) -> Result<External<Dispersal>> {
    coder.run(|coder| coder.decode(&side_by_side(&shared(&shards)))).map(dispersed).throw()
}

#[napi(catch_unwind)]
pub fn erasure_coder_decode_async(
    coder: &External<SharedCoders>,
    shards: Vec<&External<SharedShard>>,
    cancelled: Option<&External<Flag>>,
) -> Promised<External<Dispersal>> {
    let (coder, shards) = (SharedCoders::clone(coder), shared(&shards));
    queue(cancelled, move || coder.run(|coder| coder.decode(&side_by_side(&shards))).map(dispersed))
}

#[napi(catch_unwind)]
pub fn erasure_commitment_decode(data: &[u8], coding: &External<Coding>) -> Result<External<Commitment>> {
    handle(Commitment::decode(data, coding))
}

#[napi(catch_unwind)]
pub fn erasure_commitment_encode<'env>(
    env: &'env Env,
    commitment: &External<Commitment>,
) -> Result<Bytes<'env>> {
    bytes(env, commitment.encode())
}

/// Properties of a commitment.
#[napi(object, object_from_js = false)]
pub struct CommitmentInfo {
    pub suite: External<ErasureSuite>,
    pub shape: External<Shape>,
    pub message_length: u32,
    pub root: Uint8Array,
}

#[napi(catch_unwind)]
pub fn erasure_commitment_info(commitment: &External<Commitment>) -> CommitmentInfo {
    CommitmentInfo {
        suite: External::new(commitment.suite()),
        shape: External::new(commitment.shape()),
        message_length: commitment.message_len() as u32,
        root: commitment.root().to_vec().into(),
    }
}

#[napi(catch_unwind)]
pub fn erasure_commitment_identity<'env>(
    env: &'env Env,
    commitment: &External<Commitment>,
) -> Result<Bytes<'env>> {
    bytes(env, commitment.identity())
}

fn held(shard: CheckedShard) -> External<SharedShard> {
    let size = shard.bytes().len();
    External::sized(Arc::new(shard), size)
}

#[napi(catch_unwind)]
pub fn erasure_shard_decode(data: &[u8], coding: &External<Coding>) -> Result<External<SharedShard>> {
    CheckedShard::decode(data, coding).map(held).throw()
}

#[napi(catch_unwind)]
pub fn erasure_shard_encode<'env>(env: &'env Env, shard: &External<SharedShard>) -> Result<Bytes<'env>> {
    bytes(env, shard.encode())
}

#[napi(catch_unwind)]
pub fn erasure_shard_commitment(shard: &External<SharedShard>) -> External<Commitment> {
    External::new(*shard.commitment())
}

#[napi(catch_unwind)]
pub fn erasure_shard_index(shard: &External<SharedShard>) -> u32 {
    shard.index() as u32
}

#[napi(catch_unwind)]
pub fn erasure_shard_bytes<'env>(env: &'env Env, shard: &External<SharedShard>) -> Result<Bytes<'env>> {
    bytes(env, shard.bytes())
}

#[napi(catch_unwind)]
pub fn erasure_shard_equals(shard: &External<SharedShard>, other: &External<SharedShard>) -> bool {
    **shard == **other
}

#[napi(catch_unwind)]
pub fn erasure_dispersal_commitment(dispersal: &External<Dispersal>) -> External<Commitment> {
    External::new(*dispersal.commitment())
}

#[napi(catch_unwind)]
pub fn erasure_dispersal_message<'env>(
    env: &'env Env,
    dispersal: &External<Dispersal>,
) -> Result<Bytes<'env>> {
    bytes(env, dispersal.message())
}

#[napi(catch_unwind)]
pub fn erasure_dispersal_shard(dispersal: &External<Dispersal>, index: u32) -> Result<External<SharedShard>> {
    dispersal.shard(index as usize).map(held).throw()
}

#[napi(catch_unwind)]
pub fn erasure_row_new(
    shape: &External<Shape>,
    message: u32,
    suite: &External<ErasureSuite>,
    cost: BigInt,
) -> Result<External<Row>> {
    handle(Row::new(**shape, message as usize, **suite, number(&cost)))
}

/// Properties of a row.
#[napi(object, object_from_js = false)]
pub struct RowInfo {
    pub shape: External<Shape>,
    pub message: u32,
    pub suite: External<ErasureSuite>,
    pub cost: u64,
}

#[napi(catch_unwind)]
pub fn erasure_row_info(row: &External<Row>) -> RowInfo {
    RowInfo {
        shape: External::new(row.shape()),
        message: row.message() as u32,
        suite: External::new(row.suite()),
        cost: row.cost(),
    }
}

#[napi(catch_unwind)]
pub fn erasure_row_equals(row: &External<Row>, other: &External<Row>) -> bool {
    **row == **other
}

#[napi(catch_unwind)]
pub fn erasure_table_new() -> External<Table> {
    External::new(Table::default())
}

#[napi(catch_unwind)]
pub fn erasure_table_decode(data: &[u8]) -> Result<External<Table>> {
    handle(Table::decode(data, &()))
}

#[napi(catch_unwind)]
pub fn erasure_table_encode<'env>(env: &'env Env, table: &External<Table>) -> Result<Bytes<'env>> {
    bytes(env, table.encode())
}

#[napi(catch_unwind)]
pub fn erasure_table_rows(table: &External<Table>) -> Vec<External<Row>> {
    table.rows().iter().copied().map(External::new).collect()
}

#[napi(catch_unwind)]
pub fn erasure_table_insert(table: &mut External<Table>, row: &External<Row>) -> Result<()> {
    table.insert(**row).throw()
}

/// The newer table is passed as its rows, since it may be the same object.
#[napi(catch_unwind)]
pub fn erasure_table_merge(table: &mut External<Table>, newer: Vec<&External<Row>>) -> Result<()> {
    newer.into_iter().try_for_each(|row| table.insert(**row)).throw()
}

/// `allowed` are the suites of the table that the user's function accepts.
#[napi(catch_unwind)]
pub fn erasure_table_best(
    table: &External<Table>,
    shape: &External<Shape>,
    message: u32,
    allowed: Vec<&External<ErasureSuite>>,
) -> Option<External<Row>> {
    let fits = |suite: ErasureSuite| allowed.iter().any(|one| ***one == suite);
    table.best(**shape, message as usize, fits).copied().map(External::new)
}
