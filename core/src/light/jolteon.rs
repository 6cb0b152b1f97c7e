//! Jolteon's blocks and commit proofs: `spec/jolteon.md`.

use alloc::vec::Vec;

use super::batch::BatchHeader;
use super::block::{BatchSummary, BlockHeader, Finality, between, read_epoch};
use super::committees::Committees;
use super::protocol::{BLOCK, ChainProtocol};
use crate::certificate::{Certificate, Kind, TimeoutCertificate, Vote};
use crate::ed25519::Ed25519;
use crate::merkle::Hash;
use crate::scheme::Scheme;
use crate::wire::{Decode, Reader, domain};
use crate::{Error, Result};

const TIMEOUT: Kind = Kind::new(2);
const PROPOSAL: Kind = Kind::new(3);
const AVAILABLE: Kind = Kind::new(4);
const MAX_BATCHES: usize = 1024;
const MAX_LINKS: usize = 1024;

/// Reads a block.
pub(super) fn read_block<S: Scheme>(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<BlockHeader> {
    JolteonBlock::read(r, committees).map(|read| read.block)
}

/// A block with the view of its certified parent; 0 for the genesis.
struct JolteonBlock {
    block: BlockHeader,
    parent_view: u64,
}

impl JolteonBlock {
    fn read<S: Scheme>(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        let start = r.clone();
        let epoch = read_epoch(r, committees)?;
        let (view, height, author, parent) = (r.u64()?, r.u64()?, r.u16()?, r.array::<32>()?);
        let justify: Option<Certificate<S>> = r.option(&**committees.voters())?;
        let tc: Option<TimeoutCertificate<S>> = r.option(&**committees.voters())?;
        let count = r.count("batches of a block", MAX_BATCHES)?;
        let mut batches = Vec::new();
        for _ in 0..count {
            batches.push(read_batch(r, committees)?);
        }
        let (executed, _state_root, _timestamp) = (r.u64()?, r.raw(32)?, r.u64()?);
        if author >= committees.voters().len() {
            return Err(Error::UnknownSigner { index: author.into() });
        }
        let parent_view = parent_view(justify.as_ref(), &parent)?;
        check_view(view, parent_view, tc.as_ref())?;
        if height == 0 || (height == 1) != justify.is_none() || executed >= height {
            return Err(Error::Malformed { what: "block: impossible height" });
        }
        let digest = domain::hash(domain::JOLTEON_BLOCK, between(&start, r)?);
        let signature = <Ed25519 as Scheme>::Signature::decode_from(r, &())?;
        let statement = committees.identities().statement(PROPOSAL, view, digest);
        let author = Some(Vote::new(statement, author, signature));
        Ok(Self { block: BlockHeader { epoch, view, height, parent, digest, batches, author }, parent_view })
    }
}

/// Reads a batch's header and the certificate of its availability. The block's certificate covers both, so the latter is
/// not verified.
fn read_batch<S: Scheme>(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<BatchSummary> {
    let identities = committees.identities();
    let BatchHeader { author, slot, summary } = BatchHeader::read(r)?;
    if author >= identities.len() {
        return Err(Error::UnknownSigner { index: author.into() });
    }
    let statement = identities.statement(AVAILABLE, slot, summary.digest);
    Certificate::<Ed25519>::decode_detached(r, statement, identities)?;
    Ok(summary)
}

fn parent_view<S: Scheme>(justify: Option<&Certificate<S>>, parent: &Hash) -> Result<u64> {
    let Some(certificate) = justify else { return Ok(0) };
    let statement = certificate.statement();
    if statement.kind != BLOCK || statement.digest != *parent || statement.view == 0 {
        return Err(Error::Malformed { what: "block: its certificate is not for its parent" });
    }
    Ok(statement.view)
}

fn check_view<S: Scheme>(view: u64, parent_view: u64, tc: Option<&TimeoutCertificate<S>>) -> Result<()> {
    let next = parent_view.checked_add(1);
    let follows = match tc {
        None => next == Some(view),
        Some(tc) => {
            tc.kind() == TIMEOUT
                && next < Some(view)
                && tc.view().checked_add(1) == Some(view)
                && parent_view >= tc.highest_value()
        }
    };
    if follows {
        Ok(())
    } else {
        Err(Error::Malformed { what: "block: its view does not follow from its certificates" })
    }
}

/// Reads the commit proof of a block: its descendants up to two in consecutive views, and the certificate of the last.
pub(super) fn read_finality<S: Scheme>(
    r: &mut Reader<'_>,
    committees: &Committees<S>,
    block: &BlockHeader,
) -> Result<Finality<S>> {
    let count = r.count("blocks of a commit proof", MAX_LINKS)?;
    let mut links: Vec<JolteonBlock> = Vec::new();
    for _ in 0..count {
        links.push(JolteonBlock::read(r, committees)?);
    }
    if links.is_empty() {
        return Err(Error::Malformed { what: "commit proof without blocks" });
    }
    let certificate = Certificate::<S>::decode_from(r, &**committees.voters())?;
    let (mut parent, mut is_consecutive) = (block, false);
    for link in &links {
        if (link.block.parent, link.parent_view) != (parent.digest, parent.view) {
            return Err(Error::WrongContext { what: "parent of a block in the commit proof" });
        }
        is_consecutive = parent.view.checked_add(1) == Some(link.block.view);
        parent = &link.block;
    }
    if !is_consecutive {
        return Err(Error::WrongContext { what: "last view of the commit proof" });
    }
    let BlockHeader { height, view, digest, .. } = parent;
    if !ChainProtocol::Jolteon.certifies(certificate.statement(), *height, *view, digest) {
        return Err(Error::WrongContext { what: "certificate of the commit proof" });
    }
    let authors = links.into_iter().filter_map(|link| link.block.author).collect();
    Ok(Finality { certificate, authors })
}
