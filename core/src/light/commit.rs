use alloc::vec::Vec;

use super::block::{BlockHeader, Finality};
use super::committees::Committees;
use super::protocol::ChainProtocol;
use super::{abft, gosig, jolteon};
use crate::certificate::{Certificate, Vote};
use crate::ed25519::Ed25519;
use crate::merkle::Hash;
use crate::scheme::Scheme;
use crate::wire::{Decode, Reader};
use crate::{Error, Result};

/// A committed block. Only verification creates one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifiedCommit {
    epoch: u64,
    height: u64,
    view: u64,
    digest: Hash,
    parent: Hash,
}

impl VerifiedCommit {
    pub(super) fn new(block: &BlockHeader) -> Self {
        let BlockHeader { epoch, height, view, digest, parent, .. } = *block;
        Self { epoch, height, view, digest, parent }
    }

    /// Returns the epoch of the block.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns the height of the block: 1 for the first block of the chain.
    pub fn height(&self) -> u64 {
        self.height
    }

    /// Returns the view of the block: the round in which it was proposed first in Gosig, the height in ABFT.
    pub fn view(&self) -> u64 {
        self.view
    }

    /// Returns the digest of the block.
    pub fn digest(&self) -> &Hash {
        &self.digest
    }

    /// Returns the digest of the block before it.
    pub fn parent(&self) -> &Hash {
        &self.parent
    }
}

/// A block with a proof that it is committed. Their signatures are not verified.
pub(super) struct Commit<S: Scheme> {
    pub(super) block: BlockHeader,
    pub(super) finality: Finality<S>,
}

impl<S: Scheme> Commit<S> {
    /// Decodes a block and its commit proof, and checks that they belong together.
    pub(super) fn read(
        protocol: ChainProtocol,
        block: &[u8],
        finality: &[u8],
        committees: &Committees<S>,
    ) -> Result<Self> {
        let (mut block_reader, mut finality_reader) = (Reader::new(block), Reader::new(finality));
        let block = read_block(protocol, &mut block_reader, committees)?;
        block_reader.finish()?;
        let finality = read_finality(protocol, &mut finality_reader, committees, &block)?;
        finality_reader.finish()?;
        Ok(Self { block, finality })
    }

    /// Reads the same, one after the other.
    pub(super) fn read_from(
        protocol: ChainProtocol,
        r: &mut Reader<'_>,
        committees: &Committees<S>,
    ) -> Result<Self> {
        let block = read_block(protocol, r, committees)?;
        let finality = read_finality(protocol, r, committees, &block)?;
        Ok(Self { block, finality })
    }

    /// Verifies all signatures.
    pub(super) fn check(&self, committees: &Committees<S>) -> Result<()> {
        self.finality.certificate.check(committees.voters())?;
        check_authors(&self.block, &self.finality.authors, committees)
    }
}

/// Verifies the signatures of the authors of a block, and of the further blocks in its commit proof. Verify
/// the certificate first: it costs the same however long the proof is.
pub(super) fn check_authors<S: Scheme>(
    block: &BlockHeader,
    further: &[Vote<Ed25519>],
    committees: &Committees<S>,
) -> Result<()> {
    block.author.iter().chain(further).try_for_each(|author| author.check(committees.identities()))
}

fn read_block<S: Scheme>(
    protocol: ChainProtocol,
    r: &mut Reader<'_>,
    committees: &Committees<S>,
) -> Result<BlockHeader> {
    match protocol {
        ChainProtocol::Jolteon => jolteon::read_block(r, committees),
        ChainProtocol::Gosig => gosig::read_block(r, committees),
        ChainProtocol::Abft => abft::read_block(r, committees),
    }
}

fn read_finality<S: Scheme>(
    protocol: ChainProtocol,
    r: &mut Reader<'_>,
    committees: &Committees<S>,
    block: &BlockHeader,
) -> Result<Finality<S>> {
    if protocol == ChainProtocol::Jolteon {
        return jolteon::read_finality(r, committees, block);
    }
    let certificate = Certificate::decode_from(r, &**committees.voters())?;
    if !protocol.certifies(certificate.statement(), block.height, block.view, &block.digest) {
        return Err(Error::WrongContext { what: "certificate of another block" });
    }
    Ok(Finality { certificate, authors: Vec::new() })
}
