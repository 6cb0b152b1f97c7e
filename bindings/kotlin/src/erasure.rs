//! Erasure coding. Suites and commitments cross the boundary as their encodings.

use std::sync::{Arc, Mutex};

use quorate::erasure::{self, tuner};
use quorate::wire::{Decode, Encode};

use crate::glue::{NativeFailure, Result, lock};

fn suite(bytes: &[u8]) -> Result<erasure::Suite> {
    Ok(erasure::Suite::decode(bytes, &())?)
}

#[derive(uniffi::Record)]
struct ErasureConstants {
    max_message: u32,
    max_shards: u32,
    max_log2_packet: u8,
    max_rows: u32,
}

#[uniffi::export]
fn erasure_constants() -> ErasureConstants {
    ErasureConstants {
        max_message: erasure::MAX_MESSAGE as u32,
        max_shards: erasure::MAX_SHARDS as u32,
        max_log2_packet: erasure::Packets::MAX_LOG2_PACKET,
        max_rows: tuner::Table::MAX_ROWS as u32,
    }
}

#[derive(Clone, Copy, uniffi::Record)]
struct ErasureShape {
    data: u16,
    parity: u16,
}

impl TryFrom<ErasureShape> for erasure::Shape {
    type Error = NativeFailure;

    fn try_from(shape: ErasureShape) -> Result<Self> {
        Ok(erasure::Shape::new(shape.data, shape.parity)?)
    }
}

impl From<erasure::Shape> for ErasureShape {
    fn from(shape: erasure::Shape) -> Self {
        Self { data: shape.data() as u16, parity: shape.parity() as u16 }
    }
}

#[uniffi::export]
fn erasure_shape_check(shape: ErasureShape) -> Result<()> {
    erasure::Shape::try_from(shape).map(drop)
}

#[uniffi::export]
fn erasure_shape_of_committee(members: u16, faulty: u16) -> Result<ErasureShape> {
    Ok(erasure::Shape::of_committee(members, faulty)?.into())
}

#[uniffi::export]
fn erasure_packets_check(word: u8, log2_packet: u8) -> Result<()> {
    Ok(erasure::Packets::new(word, log2_packet).map(drop)?)
}

/// Fields of a suite, read from its encoding.
#[derive(uniffi::Record)]
struct ErasureSuiteFields {
    name: String,
    unit: u32,
    is_available: bool,
}

#[uniffi::export]
fn erasure_suite_decode(bytes: Vec<u8>) -> Result<ErasureSuiteFields> {
    let suite = suite(&bytes)?;
    Ok(ErasureSuiteFields {
        name: suite.name().to_owned(),
        unit: suite.unit() as u32,
        is_available: suite.is_available(),
    })
}

#[uniffi::export]
fn erasure_suite_recommended(shape: ErasureShape) -> Result<Vec<u8>> {
    Ok(erasure::Suite::recommended(shape.try_into()?).encode())
}

#[derive(uniffi::Record)]
struct ErasureCoding {
    suite: Vec<u8>,
    shape: ErasureShape,
    max_message: u64,
}

/// A number that does not fit exceeds every possible size.
fn size(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

impl TryFrom<ErasureCoding> for erasure::Coding {
    type Error = NativeFailure;

    fn try_from(coding: ErasureCoding) -> Result<Self> {
        let ErasureCoding { suite, shape, max_message } = coding;
        Ok(erasure::Coding::new(self::suite(&suite)?, shape.try_into()?, size(max_message))?)
    }
}

#[uniffi::export]
fn erasure_coding_check(coding: ErasureCoding) -> Result<()> {
    erasure::Coding::try_from(coding).map(drop)
}

#[uniffi::export]
fn erasure_shard_len(coding: ErasureCoding, message: u64) -> Result<u32> {
    Ok(erasure::Coding::try_from(coding)?.shard_len(size(message)) as u32)
}

#[uniffi::export]
fn erasure_max_encoded_len(coding: ErasureCoding) -> Result<u32> {
    Ok(erasure::CheckedShard::max_encoded_len(&coding.try_into()?) as u32)
}

#[derive(uniffi::Record)]
struct ErasureCommitment {
    bytes: Vec<u8>,
    suite: Vec<u8>,
    shape: ErasureShape,
    message_len: u32,
    root: Vec<u8>,
    identity: Vec<u8>,
}

impl From<&erasure::Commitment> for ErasureCommitment {
    fn from(commitment: &erasure::Commitment) -> Self {
        Self {
            bytes: commitment.encode(),
            suite: commitment.suite().encode(),
            shape: commitment.shape().into(),
            message_len: commitment.message_len() as u32,
            root: commitment.root().to_vec(),
            identity: commitment.identity().to_vec(),
        }
    }
}

#[uniffi::export]
fn erasure_commitment_decode(bytes: Vec<u8>, coding: ErasureCoding) -> Result<ErasureCommitment> {
    Ok((&erasure::Commitment::decode(&bytes, &coding.try_into()?)?).into())
}

#[derive(uniffi::Object)]
struct CheckedShard(erasure::CheckedShard);

#[uniffi::export]
impl CheckedShard {
    #[uniffi::constructor]
    fn decode(bytes: Vec<u8>, coding: ErasureCoding) -> Result<Self> {
        Ok(Self(erasure::CheckedShard::decode(&bytes, &coding.try_into()?)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn commitment(&self) -> ErasureCommitment {
        self.0.commitment().into()
    }

    fn index(&self) -> u32 {
        self.0.index() as u32
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.bytes().to_vec()
    }
}

#[derive(uniffi::Object)]
struct Coder(Mutex<erasure::Coder>);

#[uniffi::export]
impl Coder {
    #[uniffi::constructor]
    fn new(coding: ErasureCoding) -> Result<Self> {
        Ok(Self(Mutex::new(erasure::Coder::new(coding.try_into()?)?)))
    }

    fn disperse(&self, message: Vec<u8>) -> Result<Arc<Dispersal>> {
        Ok(Arc::new(Dispersal(lock(&self.0).disperse(&message)?)))
    }

    fn decode(&self, shards: Vec<Arc<CheckedShard>>) -> Result<Arc<Dispersal>> {
        let mut coder = lock(&self.0);
        // One shard more than the maximum suffices to report the error.
        let most = coder.coding().shape().shards() + 1;
        let shards: Vec<_> = shards.iter().take(most).map(|shard| shard.0.clone()).collect();
        Ok(Arc::new(Dispersal(coder.decode(&shards)?)))
    }
}

#[derive(uniffi::Object)]
struct Dispersal(erasure::Dispersal);

#[uniffi::export]
impl Dispersal {
    fn commitment(&self) -> ErasureCommitment {
        self.0.commitment().into()
    }

    fn message(&self) -> Vec<u8> {
        self.0.message().to_vec()
    }

    fn shard(&self, index: u32) -> Result<Arc<CheckedShard>> {
        Ok(Arc::new(CheckedShard(self.0.shard(index as usize)?)))
    }
}

#[derive(uniffi::Record)]
struct ErasureRow {
    shape: ErasureShape,
    message: u32,
    suite: Vec<u8>,
    cost: u64,
}

impl From<&tuner::Row> for ErasureRow {
    fn from(row: &tuner::Row) -> Self {
        Self {
            shape: row.shape().into(),
            message: row.message() as u32,
            suite: row.suite().encode(),
            cost: row.cost(),
        }
    }
}

#[derive(uniffi::Object)]
struct ErasureTable(tuner::Table);

#[uniffi::export]
impl ErasureTable {
    #[uniffi::constructor]
    fn decode(bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(tuner::Table::decode(&bytes, &())?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn rows(&self) -> Vec<ErasureRow> {
        self.0.rows().iter().map(ErasureRow::from).collect()
    }

    /// Rust never calls Kotlin: `allowed` was determined before.
    fn best(&self, shape: ErasureShape, message: u64, allowed: Vec<Vec<u8>>) -> Result<Option<ErasureRow>> {
        let allow = |suite: erasure::Suite| allowed.contains(&suite.encode());
        Ok(self.0.best(shape.try_into()?, size(message), allow).map(ErasureRow::from))
    }
}
