use crate::Result;
use crate::committee::{Committee, CommitteeId};
use crate::scheme::Scheme;
use crate::wire::{Decode, Encode, Reader, Writer, domain};

/// The kind of a statement.
///
/// A protocol gives each of its phases a separate kind, so that a vote of one phase never counts in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(u8);

impl Kind {
    /// Creates the kind with this number.
    pub const fn new(number: u8) -> Self {
        Self(number)
    }

    /// Returns the number, which is also the encoding.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Reads a kind, for encodings that do not contain a whole statement.
    pub(super) fn decode_from(r: &mut Reader<'_>) -> Result<Self> {
        r.u8().map(Self)
    }
}

/// The content of a vote: a claim that `digest` is right for this kind, epoch and view.
///
/// | bytes | field |
/// |---|---|
/// | 1 | kind |
/// | 8 | epoch |
/// | 8 | view |
/// | 32 | digest |
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Statement {
    /// Phase of the protocol.
    pub kind: Kind,
    /// Epoch of the committee.
    pub epoch: u64,
    /// View within the epoch: the number of the attempt to agree.
    pub view: u64,
    /// The value, usually the hash of a block.
    pub digest: [u8; 32],
}

impl Statement {
    /// Length of an encoded statement in bytes.
    pub const LEN: usize = 49;
    /// Length of the signed bytes.
    pub const SIGNED_LEN: usize = domain::VOTE.len() + 32 + Self::LEN;

    /// Returns the bytes that a member of `committee` signs: the domain [`VOTE`](domain::VOTE), the committee's
    /// identifier, and the statement. The identifier prevents replay of a vote in another committee, epoch, chain or
    /// suite.
    pub fn signed_bytes(&self, committee: &CommitteeId) -> [u8; Self::SIGNED_LEN] {
        let mut bytes = [0; Self::SIGNED_LEN];
        let (prefix, rest) = bytes.split_at_mut(domain::VOTE.len());
        prefix.copy_from_slice(domain::VOTE.as_bytes());
        let (id, fields) = rest.split_at_mut(32);
        id.copy_from_slice(&committee.0);
        let (kind, fields) = fields.split_at_mut(1);
        kind.fill(self.kind.0);
        let (epoch, fields) = fields.split_at_mut(8);
        epoch.copy_from_slice(&self.epoch.to_le_bytes());
        let (view, digest) = fields.split_at_mut(8);
        view.copy_from_slice(&self.view.to_le_bytes());
        digest.copy_from_slice(&self.digest);
        bytes
    }

    /// Returns the identity of the statement under `committee`.
    ///
    /// Never use the bytes of a certificate as an identity: two different certificates can certify the same statement.
    pub fn identity(&self, committee: &CommitteeId) -> [u8; 32] {
        domain::hash(domain::STATEMENT, &self.signed_bytes(committee))
    }

    /// Returns true if the kind, epoch and view are equal, and the digests differ: a member may not sign both, unless the
    /// protocol allows several statements of the kind in a view.
    pub fn contradicts(&self, other: &Self) -> bool {
        (self.kind, self.epoch, self.view) == (other.kind, other.epoch, other.view)
            && self.digest != other.digest
    }
}

impl Encode for Statement {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(self.kind.0);
        w.u64(self.epoch);
        w.u64(self.view);
        w.raw(&self.digest);
    }
}

impl Decode for Statement {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self { kind: Kind::decode_from(r)?, epoch: r.u64()?, view: r.u64()?, digest: r.array()? })
    }
}

impl<S: Scheme> Committee<S> {
    /// Creates a statement in this committee's epoch.
    pub fn statement(&self, kind: Kind, view: u64, digest: [u8; 32]) -> Statement {
        Statement { kind, epoch: self.epoch(), view, digest }
    }
}
