//! The parts of blocks and of their commit proofs that a light client uses.

use alloc::vec::Vec;

use super::committees::Committees;
use crate::certificate::{Certificate, Vote};
use crate::ed25519::Ed25519;
use crate::merkle::Hash;
use crate::scheme::Scheme;
use crate::wire::Reader;
use crate::{Error, Result};

/// The transactions of one member's batch, or of a Gosig block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchSummary {
    pub(super) digest: Hash,
    pub(super) count: u32,
    pub(super) root: Hash,
}

/// A decoded block.
#[derive(Clone, Debug)]
pub(super) struct BlockHeader {
    pub(super) epoch: u64,
    pub(super) view: u64,
    pub(super) height: u64,
    pub(super) parent: Hash,
    pub(super) digest: Hash,
    pub(super) batches: Vec<BatchSummary>,
    /// The author's signature, in protocols whose blocks have one. Not verified.
    pub(super) author: Option<Vote<Ed25519>>,
}

/// A decoded commit proof, which names the block that it is for. No signature is verified.
pub(super) struct Finality<S: Scheme> {
    pub(super) certificate: Certificate<S>,
    /// Signatures of the authors of further blocks in the proof.
    pub(super) authors: Vec<Vote<Ed25519>>,
}

/// Reads the epoch of a block, which must be the committees'.
pub(super) fn read_epoch<S: Scheme>(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<u64> {
    let (actual, expected) = (r.u64()?, committees.epoch());
    if actual == expected {
        Ok(actual)
    } else {
        Err(Error::Mismatch { what: "epoch of a block", expected, actual })
    }
}

/// Returns the bytes between two positions of a reader.
pub(super) fn between<'a>(before: &Reader<'a>, after: &Reader<'a>) -> Result<&'a [u8]> {
    before.clone().raw(before.remaining().saturating_sub(after.remaining()))
}
