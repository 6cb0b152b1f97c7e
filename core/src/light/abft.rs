//! Blocks of the asynchronous protocols: `spec/abft.md`.

use alloc::vec::Vec;

use super::batch::BatchHeader;
use super::block::{BlockHeader, between, read_epoch};
use super::committees::Committees;
use crate::scheme::Scheme;
use crate::wire::{Reader, domain};
use crate::{Error, Result};

/// Bytes of a batch's header.
const HEADER: usize = 50;

/// Reads a block. Its certificate proves that it is correct, so nothing else is checked.
pub(super) fn read_block<S: Scheme>(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<BlockHeader> {
    let start = r.clone();
    let (epoch, height, parent) = (read_epoch(r, committees)?, r.u64()?, r.array()?);
    let (_state_height, _state_root) = (r.u64()?, r.raw(32)?);
    let count = r.count("batches of a block", r.remaining() / HEADER)?;
    let mut batches = Vec::with_capacity(count);
    for _ in 0..count {
        batches.push(BatchHeader::read(r)?.summary);
    }
    if height == 0 {
        return Err(Error::Malformed { what: "block: impossible height" });
    }
    let digest = domain::hash(domain::ABFT_BLOCK, between(&start, r)?);
    Ok(BlockHeader { epoch, view: height, height, parent, digest, batches, author: None })
}
