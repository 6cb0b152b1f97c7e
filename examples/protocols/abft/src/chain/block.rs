use std::sync::Arc;

use quorate::certificate::{Certificate, Kind, Statement};
use quorate::committee::Committee;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};
use quorate_protocol::Executed;
use quorate_protocol::batch::BatchHeader;

/// Kind of the votes for blocks.
pub const BLOCK: Kind = Kind::new(1);

/// Number of heights between a block and the state that it names: members execute blocks while they agree on the next ones.
pub const STATE_LAG: u64 = 2;

quorate_protocol::digest!(
    /// Identifier of a block: the hash of its encoding.
    BlockDigest
);

/// The transactions that an epoch decided, as an element of the chain. All correct members make the same block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Epoch of the committee.
    pub epoch: u64,
    /// Height in the chain, which is also the number of the agreement. The first block has height 1.
    pub height: u64,
    /// Digest of the previous block; zeros for the first one.
    pub parent: BlockDigest,
    /// The state after the block [`STATE_LAG`] heights below, or before the first block.
    pub executed: Executed,
    /// The batches in their order, at most one of each member: its transactions, without those of earlier batches and
    /// blocks. The sequence number of a batch is the height.
    pub payload: Vec<BatchHeader>,
}

/// The certificate of a block: a proof for everyone who knows the committee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finality<V: Scheme>(pub Certificate<V>);

/// A block with its certificate.
#[derive(Clone, Debug, PartialEq)]
pub struct CertifiedBlock<V: Scheme> {
    /// The block.
    pub block: Arc<Block>,
    /// The signatures of a quorum on its digest.
    pub finality: Arc<Finality<V>>,
}

impl Block {
    /// Returns the hash of the encoding.
    pub fn digest(&self) -> BlockDigest {
        BlockDigest(domain::hash(domain::ABFT_BLOCK, &self.encode()))
    }
}

impl<V: Scheme> Finality<V> {
    /// Verifies that a quorum of the committee signed the block. Cost: one verification of a certificate.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the certificate is for another block; the errors of [`Certificate::check`].
    pub fn verify(&self, committee: &Committee<V>, block: &Block) -> Result<()> {
        let Self(certificate) = self;
        let expected = statement(committee, block.height, block.digest());
        if block.epoch != committee.epoch() || *certificate.statement() != expected {
            return Err(Error::WrongContext { what: "certificate of another block" });
        }
        certificate.check(committee)
    }
}

/// What members sign about a block.
pub(super) fn statement<V: Scheme>(committee: &Committee<V>, height: u64, digest: BlockDigest) -> Statement {
    committee.statement(BLOCK, height, digest.0)
}

/// Encoding: epoch u64 ‖ height u64 ‖ parent 32 ‖ height of the state u64 ‖ its root 32 ‖ number of batches u32 ‖ their
/// headers of 50 bytes.
impl Encode for Block {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.epoch);
        w.u64(self.height);
        self.parent.encode_to(w);
        w.u64(self.executed.height);
        w.raw(&self.executed.state_root);
        w.count(self.payload.len());
        self.payload.iter().for_each(|header| header.encode_to(w));
    }
}

/// A block decodes without the committee: its certificate proves that it is correct.
impl<C: ?Sized> Decode<C> for Block {
    fn decode_from(r: &mut Reader<'_>, _: &C) -> Result<Self> {
        let (epoch, height) = (r.u64()?, r.u64()?);
        let parent = BlockDigest(r.array::<32>()?);
        let executed = Executed { height: r.u64()?, state_root: r.array::<32>()? };
        let count = r.count("batches of a block", r.remaining() / BatchHeader::LEN)?;
        let mut payload: Vec<BatchHeader> = Vec::with_capacity(count);
        for _ in 0..count {
            payload.push(BatchHeader::decode_from(r, &())?);
        }
        Ok(Self { epoch, height, parent, executed, payload })
    }
}

impl<V: Scheme> Encode for Finality<V> {
    fn encode_to(&self, w: &mut Writer) {
        self.0.encode_to(w);
    }
}

impl<V: Scheme> Decode<Arc<Committee<V>>> for Finality<V> {
    fn decode_from(r: &mut Reader<'_>, committee: &Arc<Committee<V>>) -> Result<Self> {
        Certificate::decode_from(r, &**committee).map(Self)
    }
}

/// Encoding: block ‖ certificate.
impl<V: Scheme> Encode for CertifiedBlock<V> {
    fn encode_to(&self, w: &mut Writer) {
        self.block.encode_to(w);
        self.finality.encode_to(w);
    }
}

impl<V: Scheme> Decode<Arc<Committee<V>>> for CertifiedBlock<V> {
    fn decode_from(r: &mut Reader<'_>, committee: &Arc<Committee<V>>) -> Result<Self> {
        let block = Arc::new(Block::decode_from(r, committee)?);
        Ok(Self { block, finality: Arc::new(Finality::decode_from(r, committee)?) })
    }
}
