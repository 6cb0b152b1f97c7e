//! The header of encoded votes and certificates, before they are verified.

use quorate::Result;
use quorate::any::Suite;
use quorate::certificate;
use quorate::wire::{Decode, Encode};

class! {
    /// The header that encoded bytes **claim** to have: the first fields of a vote, a certificate, a timeout vote, a
    /// timeout certificate, an equivocation, a conflict or an aggregate, read without a committee. A light client
    /// chooses the committee of this epoch with it, and decodes and verifies the bytes under that committee. No field
    /// is verified: the sender chose all of them.
    encoded struct UntrustedHeader {
        suite: Suite,
        header: certificate::UntrustedHeader,
    }: Clone, Debug, PartialEq, Eq;
    shown |self, f| {
        let Self { suite, header } = self;
        let (kind, epoch, view) = (header.kind().number(), header.epoch(), header.view());
        write!(f, "UntrustedHeader({suite}, kind {kind}, epoch {epoch}, view {view})")
    };
    /// Reads the header of an encoding. Ignores the bytes after it.
    /// [`Error::Malformed`](quorate::Error) for fewer than 18 bytes.
    /// [`Error::WrongContext`](quorate::Error) if no suite has the number in the first byte.
    quick fn peek(bytes: &[u8]) -> Result<Self> { Self::known(certificate::UntrustedHeader::peek(bytes)?) }
    /// Decodes a header alone: 18 bytes.
    /// [`Error::Malformed`](quorate::Error) for another length.
    /// [`Error::WrongContext`](quorate::Error) if no suite has the number in the first byte.
    quick fn decode(bytes: &[u8]) -> Result<Self> {
        Self::known(certificate::UntrustedHeader::decode(bytes, &())?)
    }
    /// Returns the 18 bytes of the header.
    quick fn encode(&self) -> Vec<u8> { self.header.encode() }
    /// The claimed signature scheme.
    getter fn suite(&self) -> Suite { self.suite }
    /// The claimed kind of statement.
    getter fn kind(&self) -> u8 { self.header.kind().number() }
    /// The claimed epoch.
    getter fn epoch(&self) -> u64 { self.header.epoch() }
    /// The claimed view.
    getter fn view(&self) -> u64 { self.header.view() }
}

impl UntrustedHeader {
    fn known(header: certificate::UntrustedHeader) -> Result<Self> {
        Ok(Self { suite: Suite::from_number(header.suite())?, header })
    }
}
