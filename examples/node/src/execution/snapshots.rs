//! Snapshots that a node serves to nodes that join.

use std::sync::Arc;

use bytes::Bytes;
use quorate::wire::Encode;

use super::queries::Queries;
use crate::handle::Digest;
use crate::protocol::{Archive, Block, Protocol};
use crate::snapshot::{Piece, SnapshotBlock, SnapshotHead, SnapshotView};
use crate::store::{FrozenState, first_block};
use crate::{NodeError, Result};

impl<P: Protocol> Queries<P> {
    /// The newest snapshot whose state a committed block contains. The first request for a snapshot starts its preparation, on a
    /// thread of its own: a pass over the state.
    ///
    /// # Errors
    /// If the store fails.
    pub fn snapshot(&self, chain: &[u8; 32]) -> Result<Piece<SnapshotView>> {
        for frozen in self.store().snapshots().into_iter().rev() {
            let height = frozen.height();
            let Some(roots) = self.store().state().roots(height)? else { continue };
            match self.head(&frozen, chain)? {
                Piece::Found(head) => {
                    return Ok(Piece::Found(SnapshotView {
                        height,
                        state_root: Digest(roots.application),
                        first_block: first_block::<P>(height),
                        parts: frozen.outline().map_or(0, |(_, outline)| outline.parts()),
                        head_bytes: head.len() as u64,
                    }));
                }
                Piece::Preparing => return Ok(Piece::Preparing),
                Piece::Missing | Piece::Gone => {}
            }
        }
        Ok(Piece::Missing)
    }

    /// The encoded [head](SnapshotHead) of a snapshot.
    ///
    /// # Errors
    /// If the store fails.
    pub fn snapshot_head(&self, height: u64, chain: &[u8; 32]) -> Result<Piece> {
        match self.frozen(height)? {
            Piece::Found(frozen) => self.head(&frozen, chain),
            other => Ok(other.without()),
        }
    }

    /// An encoded [block](SnapshotBlock) of a snapshot.
    ///
    /// # Errors
    /// If the store fails.
    pub fn snapshot_block(&self, height: u64, at: u64) -> Result<Piece> {
        match self.frozen(height)? {
            Piece::Found(_) if !(first_block::<P>(height)..=height).contains(&at) => Ok(Piece::Missing),
            Piece::Found(_) => self.encoded_block(at),
            other => Ok(other.without()),
        }
    }

    /// An encoded part of the state of a snapshot.
    ///
    /// # Errors
    /// If the store fails.
    pub fn snapshot_part(&self, height: u64, part: u32) -> Result<Piece> {
        let frozen = match self.frozen(height)? {
            Piece::Found(frozen) => frozen,
            other => return Ok(other.without()),
        };
        match frozen.outline() {
            Some((_, outline)) if part >= outline.parts() => Ok(Piece::Missing),
            Some((_, outline)) => Ok(Piece::Found(outline.export(frozen.state(), part)?.into())),
            None => Ok(Piece::Preparing),
        }
    }

    fn frozen(&self, height: u64) -> Result<Piece<Arc<FrozenState>>> {
        let held = self.store().snapshots();
        let executed = self.store().state().executed()?.map_or(0, |(height, _)| height);
        Ok(match held.into_iter().find(|frozen| frozen.height() == height) {
            Some(frozen) => Piece::Found(frozen),
            None if self.store().has_snapshots() && height <= executed => Piece::Gone,
            None => Piece::Missing,
        })
    }

    /// The head of a state, which is complete once a block contains the state and the outline is computed.
    fn head(&self, frozen: &Arc<FrozenState>, chain: &[u8; 32]) -> Result<Piece> {
        if let Some(head) = frozen.head.get() {
            return Ok(Piece::Found(head.clone()));
        }
        let height = frozen.height();
        let first = first_block::<P>(height);
        if first < self.store().oldest_height() {
            return Ok(Piece::Gone);
        }
        let Some(newest) = self.store().block_at(height)? else { return Ok(Piece::Gone) };
        let from = first - 1;
        // Where execution lagged far behind the blocks, later ones state a root that a joined node does not keep.
        if newest.executed().height < from || self.store().state().roots(from.saturating_sub(1))?.is_none() {
            return Ok(Piece::Missing);
        }
        let Some(roots) = self.certified_roots(from, height)? else { return Ok(Piece::Missing) };
        let Some((outline, _)) = frozen.outline() else {
            self.prepare(frozen)?;
            return Ok(Piece::Preparing);
        };
        let head = SnapshotHead { chain: *chain, height, roots, outline: outline.to_vec() };
        let head = Bytes::from(head.encode());
        Ok(Piece::Found(frozen.head.get_or_init(|| head).clone()))
    }

    /// Computes the outline on a thread of its own, unless one does.
    fn prepare(&self, frozen: &Arc<FrozenState>) -> Result<()> {
        let Some(preparation) = Preparation::begin(frozen) else { return Ok(()) };
        let Some(roots) = self.store().state().roots(frozen.height())? else { return Ok(()) };
        let parts = self.parts();
        let compute = move || {
            let frozen = &preparation.0;
            let height = frozen.height();
            let outline = parts.outline(frozen.state()).map_err(NodeError::from);
            let opened = outline.and_then(|bytes| {
                let opened = parts.open(&bytes, &roots.application)?;
                Ok((Bytes::from(bytes), Arc::from(opened)))
            });
            match opened {
                Ok((bytes, outline)) => {
                    frozen.set_outline(bytes, outline);
                    tracing::info!(height, "a snapshot of the state is prepared for nodes that join");
                }
                Err(error) => {
                    tracing::warn!(code = "SNAPSHOT_FAILED", height, %error, "a snapshot cannot be prepared")
                }
            }
        };
        let spawned = std::thread::Builder::new().name("snapshot".into()).spawn(compute);
        spawned.map(drop).map_err(|source| NodeError::Io { during: "starting a thread", path: None, source })
    }

    fn encoded_block(&self, height: u64) -> Result<Piece> {
        let store = self.store();
        let Some(block) = store.block_at(height)? else { return Ok(Piece::Gone) };
        let Some(finality) = store.finality(&block)? else { return Ok(Piece::Gone) };
        let mut batches = Vec::new();
        for part in block.payload() {
            let Some(batch) = store.batch(&part.digest)? else { return Ok(Piece::Gone) };
            batches.push(batch);
        }
        Ok(Piece::Found(SnapshotBlock::<P> { block, finality, batches }.encode().into()))
    }
}

/// The computation of an outline, which ends when this is dropped.
struct Preparation(Arc<FrozenState>);

impl Preparation {
    /// Begins it, unless it runs.
    fn begin(frozen: &Arc<FrozenState>) -> Option<Self> {
        frozen.begin_preparation().then(|| Self(frozen.clone()))
    }
}

impl Drop for Preparation {
    fn drop(&mut self) {
        self.0.end_preparation();
    }
}

impl<T> Piece<T> {
    /// The same answer for another type; a found piece becomes a missing one.
    fn without<U>(self) -> Piece<U> {
        match self {
            Self::Found(_) | Self::Missing => Piece::Missing,
            Self::Preparing => Piece::Preparing,
            Self::Gone => Piece::Gone,
        }
    }
}
