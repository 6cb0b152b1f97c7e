//! Statements that members sign.

use quorate::Result;
use quorate::certificate;
use quorate::wire::{Decode, Encode};

use crate::exactly;
use crate::ids::CommitteeId;

class! {
    /// A statement that members sign: that `digest` is valid for this kind, epoch and view. `Committee.statement`
    /// creates one in the committee's epoch.
    value struct Statement(pub certificate::Statement):
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| write!(f, "Statement({})", shown(&self.0));
    const LEN: u32 = 49 == certificate::Statement::LEN, "Bytes of an encoded statement.";
    const SIGNED_LEN: u32 = 96 == certificate::Statement::SIGNED_LEN, "Length of the signed bytes.";
    /// Creates a statement. Each phase of a protocol has a kind of its own; the digest has 32 bytes.
    /// [`Error::Malformed`](quorate::Error) for a digest of another length.
    fields quick fn new(kind: u8, epoch: u64, view: u64, digest: &[u8]) -> Result<Self> {
        let digest = exactly(digest, "digest")?;
        Ok(Self(certificate::Statement { kind: certificate::Kind::new(kind), epoch, view, digest }))
    }
    /// Phase of the protocol: each phase has a kind of its own.
    getter fn kind(&self) -> u8 { self.0.kind.number() }
    /// The committee's epoch.
    getter fn epoch(&self) -> u64 { self.0.epoch }
    /// The view within the epoch.
    getter fn view(&self) -> u64 { self.0.view }
    /// The value, usually the hash of a block: 32 bytes.
    getter fn digest(&self) -> [u8; 32] { self.0.digest }
    /// Decodes the 49 bytes.
    /// [`Error::Malformed`](quorate::Error) for another number of bytes.
    quick fn decode(bytes: &[u8]) -> Result<Self> { certificate::Statement::decode(bytes, &()).map(Self) }
    /// Returns the 49 bytes.
    quick fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Returns the bytes that a member of that committee signs.
    quick fn signed_bytes(&self, committee: &CommitteeId) -> Vec<u8> {
        self.0.signed_bytes(&committee.0).to_vec()
    }
    /// Returns the identifier of the certified statement: 32 bytes. Certificates of one statement may differ; this does
    /// not.
    quick fn identity(&self, committee: &CommitteeId) -> [u8; 32] { self.0.identity(&committee.0) }
    /// Returns true if a member must not sign both: same kind, epoch and view, different digest.
    quick fn contradicts(&self, other: &Statement) -> bool { self.0.contradicts(&other.0) }
}

/// The fields of a statement in texts.
pub(crate) fn shown(statement: &certificate::Statement) -> String {
    let certificate::Statement { kind, epoch, view, digest } = statement;
    format!("kind={}, epoch={epoch}, view={view}, digest={}", kind.number(), hex::encode(digest))
}
