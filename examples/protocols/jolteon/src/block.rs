//! Blocks: proposed by leaders, voted for by members.

use core::fmt;
use core::ops::Deref;
use std::sync::Arc;

use quorate::certificate::{Certificate, Statement, TimeoutCertificate, Vote};
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

use crate::batch::BatchRef;
use crate::ids::{BLOCK, BlockDigest, PROPOSAL, TIMEOUT};

pub use quorate_protocol::Executed;

/// Maximum number of batches per block, for any parameters.
pub const MAX_BLOCK_BATCHES: usize = 1024;

/// The two committees of an epoch.
///
/// Both have the same members in the same order, one with their voting keys and one with their identity keys.
/// Decoders need them for the length of signer sets.
#[derive(Clone, Debug)]
pub struct Committees<S: Scheme> {
    /// Keys that vote for blocks and sign timeouts.
    pub voters: Arc<Committee<S>>,
    /// Keys that sign proposals and acknowledge batches. They also authenticate the links.
    pub identities: Arc<Committee<Ed25519>>,
}

impl<S: Scheme> Committees<S> {
    /// Returns the digest of block 0: a hash of both committees and the state before block 1.
    pub fn genesis(&self, state_root: &Hash) -> BlockDigest {
        let mut w = Writer::new();
        self.voters.id().encode_to(&mut w);
        self.identities.id().encode_to(&mut w);
        w.raw(state_root);
        BlockDigest(domain::hash(domain::JOLTEON_GENESIS, &w.into_bytes()))
    }

    /// Returns the statement that a voter for a block signs.
    pub fn ballot(&self, view: u64, digest: BlockDigest) -> Statement {
        self.voters.statement(BLOCK, view, digest.0)
    }

    /// Returns the statement that a block's author signs.
    pub fn proposal(&self, view: u64, digest: BlockDigest) -> Statement {
        self.identities.statement(PROPOSAL, view, digest.0)
    }
}

/// The signed content of a block. The encoding is that of the fields in order; `epoch` must be the committee's.
#[derive(Clone, PartialEq, Eq)]
pub struct BlockContent<S: Scheme> {
    /// Epoch of the committee.
    pub epoch: u64,
    /// View of the proposal. At most one block per view is ever certified.
    pub view: u64,
    /// Height: one more than the parent's.
    pub height: u64,
    /// Leader of the view.
    pub author: MemberIndex,
    /// Digest of the parent block.
    pub parent: BlockDigest,
    /// Quorum certificate of the parent; `None` if the parent is the genesis.
    pub justify: Option<Certificate<S>>,
    /// Timeout certificate of the previous view; `None` if `justify` is of the previous view.
    pub tc: Option<TimeoutCertificate<S>>,
    /// The ordered batches.
    pub payload: Vec<BatchRef>,
    /// The newest state that the author executed and that this block's ancestors show to be committed, or the
    /// parent's `executed` if that is newer.
    pub executed: Executed,
    /// The author's clock in microseconds. Informative and unchecked.
    pub timestamp: u64,
}

/// A signed, immutable [`BlockContent`], to which it dereferences.
#[derive(Clone, PartialEq, Eq)]
pub struct Block<S: Scheme> {
    content: BlockContent<S>,
    digest: BlockDigest,
    signature: <Ed25519 as Scheme>::Signature,
}

impl<S: Scheme> BlockContent<S> {
    /// Returns the block's digest. Cost: one hash over the encoding.
    pub fn digest(&self) -> BlockDigest {
        BlockDigest(domain::hash(domain::JOLTEON_BLOCK, &self.encode()))
    }

    /// Returns the view of the certified parent; 0 for the genesis.
    pub fn parent_view(&self) -> u64 {
        self.justify.as_ref().map_or(0, |qc| qc.statement().view)
    }

    fn decode_from(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        let epoch = r.u64()?;
        if epoch != committees.voters.epoch() {
            return Err(Error::WrongContext { what: "epoch of the block" });
        }
        let content = Self {
            epoch,
            view: r.u64()?,
            height: r.u64()?,
            author: r.u16()?,
            parent: BlockDigest::decode_from(r, &())?,
            justify: r.option(&*committees.voters)?,
            tc: r.option(&*committees.voters)?,
            payload: r.list("batches of a block", MAX_BLOCK_BATCHES, &*committees.identities)?,
            executed: Executed { height: r.u64()?, state_root: r.array()? },
            timestamp: r.u64()?,
        };
        content.check_shape(committees)?;
        Ok(content)
    }

    /// Checks everything that needs neither the parent nor a signature.
    fn check_shape(&self, committees: &Committees<S>) -> Result<()> {
        if self.author >= committees.voters.len() {
            return Err(Error::UnknownSigner { index: self.author.into() });
        }
        if let Some(qc) = &self.justify {
            let statement = qc.statement();
            if statement.kind != BLOCK || statement.digest != self.parent.0 || statement.view == 0 {
                return Err(Error::Malformed { what: "block: its certificate is not for its parent" });
            }
        }
        let (view, parent_view) = (self.view, self.parent_view());
        let justified = match &self.tc {
            None => parent_view.checked_add(1) == Some(view),
            Some(tc) => {
                tc.kind() == TIMEOUT
                    && parent_view.checked_add(1) < Some(view)
                    && tc.view().checked_add(1) == Some(view)
                    && parent_view >= tc.highest_value()
            }
        };
        if !justified {
            return Err(Error::Malformed { what: "block: its view does not follow from its certificates" });
        }
        if self.height == 0
            || (self.height == 1) != self.justify.is_none()
            || self.executed.height >= self.height
        {
            return Err(Error::Malformed { what: "block: impossible height" });
        }
        Ok(())
    }
}

impl<S: Scheme> Block<S> {
    /// Creates a block from its content and the author's signature over [`Committees::proposal`]. Verifies nothing.
    pub fn new(content: BlockContent<S>, signature: <Ed25519 as Scheme>::Signature) -> Self {
        let digest = content.digest();
        Self { content, digest, signature }
    }

    /// Returns the block's digest.
    pub fn digest(&self) -> BlockDigest {
        self.digest
    }

    /// Returns the author's signature as a vote of kind [`PROPOSAL`]. Two different ones for one view are evidence.
    pub fn proposal(&self, committees: &Committees<S>) -> Vote<Ed25519> {
        let statement = committees.proposal(self.content.view, self.digest);
        Vote::new(statement, self.content.author, self.signature.clone())
    }

    /// Returns `true` if the certificate names this block. Does not verify its signatures.
    pub fn is_certified_by(&self, qc: &Certificate<S>) -> bool {
        let statement = qc.statement();
        statement.kind == BLOCK && statement.view == self.content.view && statement.digest == self.digest.0
    }
}

impl<S: Scheme> Deref for Block<S> {
    type Target = BlockContent<S>;

    fn deref(&self) -> &BlockContent<S> {
        &self.content
    }
}

impl<S: Scheme> Encode for BlockContent<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.epoch);
        w.u64(self.view);
        w.u64(self.height);
        w.u16(self.author);
        self.parent.encode_to(w);
        w.option(self.justify.as_ref());
        w.option(self.tc.as_ref());
        w.list(&self.payload);
        w.u64(self.executed.height);
        w.raw(&self.executed.state_root);
        w.u64(self.timestamp);
    }
}

impl<S: Scheme> Encode for Block<S> {
    fn encode_to(&self, w: &mut Writer) {
        self.content.encode_to(w);
        self.signature.encode_to(w);
    }
}

impl<S: Scheme> Decode<Committees<S>> for Block<S> {
    fn decode_from(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        let content = BlockContent::decode_from(r, committees)?;
        Ok(Self::new(content, Decode::decode_from(r, &())?))
    }
}

impl<S: Scheme> fmt::Debug for Block<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BlockContent { view, height, author, payload, .. } = &self.content;
        let digest = self.digest;
        write!(f, "Block({digest:?} at height {height}, view {view}, by {author}, {} batches)", payload.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{certificate, chain, committees, timeout_certificate};

    type Change = fn(&mut BlockContent<Ed25519>, &Committees<Ed25519>);

    #[test]
    fn malformed_blocks_do_not_decode() {
        let committees = committees::<Ed25519>(4);
        let [first, second] = chain(&committees, false);
        let [_, skipped] = chain(&committees, true);
        for block in [&first, &second, &skipped] {
            assert_eq!(&Block::decode(&block.encode(), &committees).as_ref(), &Ok(&**block));
            assert!(block.proposal(&committees).check(&committees.identities).is_ok());
        }
        let changes: [(&Block<Ed25519>, Change); 11] = [
            (&second, |b, _| b.epoch = 1),
            (&second, |b, _| b.view = 3),
            (&second, |b, _| b.height = 1),
            (&second, |b, _| b.author = 4),
            (&second, |b, _| b.parent.0[0] ^= 1),
            (&second, |b, _| b.justify = None),
            (&second, |b, _| b.executed.height = 2),
            (&second, |b, c| b.tc = Some(timeout_certificate(c, 1, 0))),
            (&skipped, |b, _| b.tc = None),
            (&skipped, |b, c| b.tc = Some(timeout_certificate(c, 2, 2))),
            (&skipped, |b, c| b.justify = Some(certificate(c, 1, [3; 32]))),
        ];
        for (i, (block, change)) in changes.into_iter().enumerate() {
            let mut content = (**block).clone();
            change(&mut content, &committees);
            let changed = Block::new(content, block.signature.clone());
            assert!(Block::decode(&changed.encode(), &committees).is_err(), "change {i}");
            assert!(changed.proposal(&committees).check(&committees.identities).is_err(), "change {i}");
        }
    }

    #[test]
    fn the_digest_binds_all_fields() {
        let committees = committees::<Ed25519>(4);
        let [_, second] = chain(&committees, false);
        let mut content = (**second).clone();
        content.payload.swap(0, 1);
        assert_ne!(content.digest(), second.digest());
        let mut content = (**second).clone();
        content.timestamp += 1;
        assert_ne!(content.digest(), second.digest());
    }
}
