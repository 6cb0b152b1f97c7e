//! Blocks: the header that members sign. The transactions are a [`Payload`](crate::Payload).

use core::fmt;
use core::ops::Deref;
use std::sync::Arc;

use quorate::certificate::Statement;
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::merkle::Hash;
use quorate::scheme::{Additive, Scheme, Vrf};
use quorate::sortition::SeedProof;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

use crate::digests::BlockDigest;
use crate::kinds::{PREPARE, PROPOSAL, SEGMENT, TENTATIVE};
use crate::payload::Summary;

pub use quorate_protocol::Executed;

/// A signature scheme that Gosig can use: its signatures aggregate in any order, and are unique, for the lottery.
pub trait GosigScheme: Additive + Vrf {}

impl<S: Additive + Vrf> GosigScheme for S {}

/// The two committees of an epoch: the same members in the same order, with their voting keys and with their identity keys.
/// Decoders need them for the length of signer sets.
#[derive(Clone, Debug)]
pub struct Committees<S: Scheme> {
    /// Voting keys, which prepare and commit blocks and draw tickets.
    pub voters: Arc<Committee<S>>,
    /// Identity keys, which sign proposals and segments and authenticate links.
    pub identities: Arc<Committee<Ed25519>>,
}

impl<S: Scheme> Committees<S> {
    /// Computes the digest that stands for block 0: a hash of both committees and of the state before block 1.
    pub fn genesis(&self, state_root: &Hash) -> BlockDigest {
        let mut w = Writer::new();
        self.voters.id().encode_to(&mut w);
        self.identities.id().encode_to(&mut w);
        w.raw(state_root);
        BlockDigest(domain::hash(domain::GOSIG_GENESIS, &w.into_bytes()))
    }

    /// Computes the ballot of a block, which its votes sign: a hash of its height and its digest.
    pub fn ballot(&self, height: u64, block: BlockDigest) -> [u8; 32] {
        let mut hasher = domain::hasher(domain::GOSIG_VOTE);
        *hasher.update(&height.to_le_bytes()).update(&block.0).finalize().as_bytes()
    }

    /// Returns the statement that prepares a block.
    pub fn prepare(&self, round: u64, height: u64, block: BlockDigest) -> Statement {
        self.voters.statement(PREPARE, round, self.ballot(height, block))
    }

    /// Returns the statement that commits a block tentatively.
    pub fn tentative(&self, round: u64, height: u64, block: BlockDigest) -> Statement {
        self.voters.statement(TENTATIVE, round, self.ballot(height, block))
    }

    /// Returns the statement that a proposer signs for a proposal.
    pub fn proposal(&self, round: u64, digest: [u8; 32]) -> Statement {
        self.identities.statement(PROPOSAL, round, digest)
    }

    /// Returns the statement that a proposer signs for a segment.
    pub fn segment(&self, round: u64, digest: [u8; 32]) -> Statement {
        self.identities.statement(SEGMENT, round, digest)
    }
}

/// Content of a block. It encodes as its fields in order; a decoder checks `epoch` against the committee.
#[derive(Clone, PartialEq, Eq)]
pub struct BlockContent<S: Vrf> {
    /// Epoch of the committee.
    pub epoch: u64,
    /// Round in which the block was first proposed.
    pub round: u64,
    /// Height of the block: one more than its parent's.
    pub height: u64,
    /// Member that made the block.
    pub author: MemberIndex,
    /// Digest of the block that it extends.
    pub parent: BlockDigest,
    /// The author's proof for the seed: its hash is the seed after this block. Encoded without its signer, which is the
    /// author.
    pub seed: SeedProof<S>,
    /// Summary of the transactions that the block orders.
    pub payload: Summary,
    /// Newest state that the author has executed, at a height below the block's.
    pub executed: Executed,
    /// The author's clock in microseconds. Informative: no rule depends on it and no member checks it.
    pub timestamp: u64,
}

/// An immutable [`BlockContent`], to which it derefs, with its digest. It has no signature of its own: a proposer signs its
/// proposal, and a quorum signs its ballot.
#[derive(Clone, PartialEq, Eq)]
pub struct Block<S: Vrf> {
    content: BlockContent<S>,
    digest: BlockDigest,
}

impl<S: Vrf> BlockContent<S> {
    /// Computes the block's digest. Cost: a hash over the encoding.
    pub fn digest(&self) -> BlockDigest {
        BlockDigest(domain::hash(domain::GOSIG_BLOCK, &self.encode()))
    }
}

impl<S: Vrf> Block<S> {
    /// Returns a block of this content, without any check.
    pub fn new(content: BlockContent<S>) -> Self {
        let digest = content.digest();
        Self { content, digest }
    }

    /// Returns the digest of the block.
    pub fn digest(&self) -> BlockDigest {
        self.digest
    }
}

impl<S: Vrf> Deref for Block<S> {
    type Target = BlockContent<S>;

    fn deref(&self) -> &BlockContent<S> {
        &self.content
    }
}

impl<S: Vrf> Encode for BlockContent<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.epoch);
        w.u64(self.round);
        w.u64(self.height);
        w.u16(self.author);
        self.parent.encode_to(w);
        self.seed.encode_detached(w);
        self.payload.encode_to(w);
        w.u64(self.executed.height);
        w.raw(&self.executed.state_root);
        w.u64(self.timestamp);
    }
}

impl<S: Vrf> Encode for Block<S> {
    fn encode_to(&self, w: &mut Writer) {
        self.content.encode_to(w);
    }
}

impl<S: Vrf> Decode<Committees<S>> for Block<S> {
    fn decode_from(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        let (epoch, round, height, author) = (r.u64()?, r.u64()?, r.u64()?, r.u16()?);
        let expected = committees.voters.epoch();
        if epoch != expected {
            return Err(Error::Mismatch { what: "epoch of a block", expected, actual: epoch });
        }
        if author >= committees.voters.len() {
            return Err(Error::UnknownSigner { index: author.into() });
        }
        let content = BlockContent {
            epoch,
            round,
            height,
            author,
            parent: BlockDigest::decode_from(r, &())?,
            seed: SeedProof::decode_detached(r, author)?,
            payload: Summary::decode_from(r, &())?,
            executed: Executed { height: r.u64()?, state_root: r.array()? },
            timestamp: r.u64()?,
        };
        if content.round == 0 || content.height == 0 || content.executed.height >= content.height {
            return Err(Error::Malformed { what: "round, height or executed height of a block" });
        }
        Ok(Self::new(content))
    }
}

impl<S: Vrf> fmt::Debug for Block<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BlockContent { round, height, author, payload, .. } = &self.content;
        let digest = self.digest;
        write!(
            f,
            "Block({digest:?} at height {height}, round {round}, by {author}, {} transactions)",
            payload.count
        )
    }
}
