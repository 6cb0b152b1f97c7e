//! What a node that joins fetches from servers, and how it checks each piece. `spec/snapshot.md` is the reference.
//!
//! A *snapshot* is the state after a height h. Its **head** proves the application's root A(h) from a block that the committee
//! committed later, and describes the [parts](crate::application::parts) of the state. The newest **blocks** up to h come with it,
//! because a replica continues from them. Nothing in a piece is believed: the head is checked against the committees that follow
//! from the genesis, each block is committed by them and follows the one before it, and each part is checked against the head.
//! Only what is proved is written: see [`Joining`](crate::store::Joining).
//!
//! ```text
//! genesis ─▶ committees ─ signed ─▶ later block ─ states ─▶ E(H) ─ from A(f−1) … A(h) … A(H) ─▶ A(h) ─▶ outline ─▶ parts
//!                        └ signed ─▶ blocks f … h
//! ```

use std::sync::Arc;

use bytes::Bytes;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::application::{MAX_OUTLINE_BYTES, Outline, StateParts, hash};
use crate::execution::execution_root;
use crate::handle::Digest;
use crate::proof::RootProof;
use crate::protocol::{Batch, Block, Protocol, Record};
use crate::store::{JoinTarget, Roots, first_block};

/// Version of the formats.
pub const VERSION: u8 = 1;
/// Maximum length of an encoded head or block in bytes: a payload of Gosig has up to 64 MiB. A block of ABFT with more than 38
/// full batches is longer, and no snapshot near it can be fetched.
pub const MAX_PIECE_BYTES: usize = 80 << 20;
/// Maximum number of batches of a block.
const MAX_BATCHES: usize = 1 << 16;

/// A snapshot that a node serves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotView {
    /// Height of the state.
    pub height: u64,
    /// The application's state root after it.
    pub state_root: Digest,
    /// Height of the oldest block that belongs to it; the newest one has the height of the state.
    pub first_block: u64,
    /// Number of parts of the state.
    pub parts: u32,
    /// Length of the head in bytes.
    pub head_bytes: u64,
}

/// Answer to a request for a piece of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<T = Bytes> {
    /// The piece.
    Found(T),
    /// The node has no snapshot, or the snapshot no such piece.
    Missing,
    /// The snapshot is being prepared: repeat the request.
    Preparing,
    /// The node had the snapshot and has released it.
    Gone,
}

/// The head of a snapshot.
///
/// | bytes | field |
/// |---|---|
/// | 1 | version 1 |
/// | 32 | chain |
/// | 8 | height h |
/// | | root proof from a height below the oldest block up to at least h |
/// | byte string | outline |
pub struct SnapshotHead<P: Protocol> {
    /// The chain.
    pub chain: [u8; 32],
    /// Height of the state.
    pub height: u64,
    /// Proof of consecutive roots, with that of the state among them.
    pub roots: RootProof<P>,
    /// The outline of the state.
    pub outline: Vec<u8>,
}

/// A block of a snapshot.
///
/// | bytes | field |
/// |---|---|
/// | | block, finality |
/// | list | its batches |
pub struct SnapshotBlock<P: Protocol> {
    /// The block.
    pub block: Arc<P::Block>,
    /// Proof that it is committed.
    pub finality: P::Finality,
    /// Its batches, in order.
    pub batches: Vec<Arc<P::Batch>>,
}

/// A head whose proofs are verified.
pub struct VerifiedHead {
    target: JoinTarget,
    outline: Box<dyn Outline>,
}

impl<P: Protocol> SnapshotHead<P> {
    /// Verifies the head against the committees in `context`, and its outline against the state root that it proves. `genesis` is
    /// the application's root before block 1.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another chain, or for roots that do not lead to the committed block; the error of a proof or
    /// of the outline.
    pub fn verify(
        &self,
        context: &P::Context,
        chain: &[u8; 32],
        genesis: &[u8; 32],
        parts: &dyn StateParts,
    ) -> Result<VerifiedHead> {
        if self.chain != *chain {
            return Err(Error::WrongContext { what: "chain" });
        }
        let first = first_block::<P>(self.height);
        let proved = self.roots.height..self.roots.height.saturating_add(self.roots.roots.len() as u64);
        if self.height == 0 || !proved.contains(&self.height) || self.roots.height >= first {
            return Err(Error::WrongContext { what: "heights of the roots" });
        }
        self.roots.verify(context)?;
        let start = Roots { application: *genesis, execution: execution_root(&[0; 32], 0, genesis) };
        let (mut roots, mut previous) = (vec![(0, start)], self.roots.previous);
        for (height, application) in (self.roots.height..=self.height).zip(&self.roots.roots) {
            previous = execution_root(&previous, height, application);
            roots.push((height, Roots { application: *application, execution: previous }));
        }
        // The state before block 1 is in both; it must be the same.
        if self.roots.height == 0 && roots.get(1).map(|(_, roots)| *roots) != Some(start) {
            return Err(Error::WrongContext { what: "state before block 1" });
        }
        roots.dedup();
        let root = previous_root(&roots)?;
        let outline = parts.open(&self.outline, &root)?;
        let identifying = [&self.chain[..], &self.height.to_le_bytes(), &self.outline].concat();
        let id = hash("quorate-v1-snapshot", &identifying);
        let target =
            JoinTarget { id, height: self.height, first_block: first, roots, entries: outline.entries() };
        Ok(VerifiedHead { target, outline })
    }
}

impl<P: Protocol> SnapshotBlock<P> {
    /// Verifies a block of a snapshot, and returns its record. `previous` is the block below it with its record, if it is not the
    /// oldest one.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a block of another height, or that does not follow `previous`, or states another root than the
    /// head, or for other batches; the error of the finality.
    pub fn verify(
        &self,
        context: &P::Context,
        head: &VerifiedHead,
        height: u64,
        previous: Option<(&P::Block, Option<&Record<P>>)>,
    ) -> Result<Option<Record<P>>> {
        let block = &self.block;
        if block.height() != height {
            return Err(Error::WrongContext { what: "height of the block" });
        }
        if previous.is_some_and(|(previous, _)| previous.digest() != block.parent()) {
            return Err(Error::WrongContext { what: "parent of the block" });
        }
        let stated = block.executed();
        let known = head.target.roots.iter().find(|(height, _)| *height == stated.height);
        // The blocks that follow the newest one compare their roots with these; a start keeps those from the one below the oldest
        // block on.
        let is_kept = known.is_some() && stated.height + 1 >= head.target.first_block;
        if known.is_some_and(|(_, roots)| roots.execution != stated.state_root)
            || !is_kept && height == head.target.height
        {
            return Err(Error::WrongContext { what: "state root of the block" });
        }
        P::check_committed(block, &self.finality, context)?;
        let named: Vec<_> = block.payload().iter().map(|part| part.digest).collect();
        if named != self.batches.iter().map(|batch| batch.digest()).collect::<Vec<_>>() {
            return Err(Error::WrongContext { what: "batches of the block" });
        }
        P::committed_record(block, &self.finality, previous.and_then(|(_, record)| record), context)
    }
}

impl VerifiedHead {
    /// What a [`Joining`](crate::store::Joining) is opened with.
    pub fn target(&self) -> &JoinTarget {
        &self.target
    }

    /// The outline of the state.
    pub fn outline(&self) -> &dyn Outline {
        &*self.outline
    }

    /// The application's root of the state.
    pub fn state_root(&self) -> Digest {
        Digest(self.target.roots.last().map(|(_, roots)| roots.application).unwrap_or_default())
    }
}

fn previous_root(roots: &[(u64, Roots)]) -> Result<[u8; 32]> {
    let last = roots.last().ok_or(Error::WrongContext { what: "heights of the roots" })?;
    Ok(last.1.application)
}

impl<P: Protocol> Encode for SnapshotHead<P> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(VERSION);
        w.raw(&self.chain);
        w.u64(self.height);
        self.roots.encode_to(w);
        w.bytes(&self.outline);
    }
}

impl<P: Protocol> Decode<P::Context> for SnapshotHead<P> {
    fn decode_from(r: &mut Reader<'_>, context: &P::Context) -> Result<Self> {
        if r.u8()? != VERSION {
            return Err(Error::WrongContext { what: "version of the snapshot" });
        }
        let (chain, height) = (r.array()?, r.u64()?);
        let roots = RootProof::decode_from(r, context)?;
        Ok(Self { chain, height, roots, outline: r.bytes("outline", MAX_OUTLINE_BYTES)?.to_vec() })
    }
}

impl<P: Protocol> Encode for SnapshotBlock<P> {
    fn encode_to(&self, w: &mut Writer) {
        self.block.encode_to(w);
        self.finality.encode_to(w);
        w.count(self.batches.len());
        self.batches.iter().for_each(|batch| w.bytes(&batch.encode()));
    }
}

impl<P: Protocol> Decode<P::Context> for SnapshotBlock<P> {
    fn decode_from(r: &mut Reader<'_>, context: &P::Context) -> Result<Self> {
        let block = Arc::new(P::Block::decode_from(r, context)?);
        let finality = P::Finality::decode_from(r, context)?;
        let n = r.count("batches of a block", MAX_BATCHES)?;
        let mut batches = Vec::with_capacity(n.min(r.remaining() / 4));
        for _ in 0..n {
            let batch = P::Batch::decode(r.bytes("batch", MAX_PIECE_BYTES)?, &())?;
            batches.push(Arc::new(batch));
        }
        Ok(Self { block, finality, batches })
    }
}
