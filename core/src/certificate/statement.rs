use crate::committee::{Committee, CommitteeId};
use crate::scheme::Scheme;
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// What a statement is about: a protocol gives each of its phases a kind of its own, so that a vote of one phase
/// never counts in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(u8);

impl Kind {
    /// The kind with this number.
    pub const fn new(number: u8) -> Self {
        Self(number)
    }

    /// The number, which is also its encoding.
    pub const fn number(self) -> u8 {
        self.0
    }
}

/// What members sign: that `digest` is right for this kind, epoch and view.
///
/// | bytes | field |
/// |---|---|
/// | 1 | kind |
/// | 8 | epoch |
/// | 8 | view |
/// | 32 | digest |
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Statement {
    /// What it is about.
    pub kind: Kind,
    /// The committee's term.
    pub epoch: u64,
    /// The attempt to agree within the epoch.
    pub view: u64,
    /// The value, usually the hash of a block.
    pub digest: [u8; 32],
}

impl Statement {
    /// Bytes of an encoded statement.
    pub const LEN: usize = 49;
    /// Bytes that are signed.
    pub const SIGNED_LEN: usize = domain::VOTE.len() + 32 + Self::LEN;

    /// The bytes that a member of `committee` signs: the domain [`VOTE`](domain::VOTE), the committee's id, the
    /// statement. The id keeps a vote from being replayed to another committee, epoch, chain or suite.
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

    /// The name of what was certified. The bytes of a certificate never are: two different ones can certify the
    /// same statement.
    pub fn identity(&self, committee: &CommitteeId) -> [u8; 32] {
        domain::hash(domain::STATEMENT, &self.signed_bytes(committee))
    }

    /// Whether one member must not sign both: the same kind, epoch and view, another digest.
    pub fn contradicts(&self, other: &Self) -> bool {
        (self.kind, self.epoch, self.view) == (other.kind, other.epoch, other.view)
            && self.digest != other.digest
    }

    pub(crate) fn check_epoch<S: Scheme>(&self, committee: &Committee<S>) -> Result<()> {
        if self.epoch == committee.epoch() { Ok(()) } else { Err(Error::WrongContext { what: "epoch" }) }
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
        Ok(Self { kind: Kind(r.u8()?), epoch: r.u64()?, view: r.u64()?, digest: r.array()? })
    }
}

impl<S: Scheme> Committee<S> {
    /// A statement in this committee's epoch.
    pub fn statement(&self, kind: Kind, view: u64, digest: [u8; 32]) -> Statement {
        Statement { kind, epoch: self.epoch(), view, digest }
    }
}
