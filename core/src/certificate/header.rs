use super::statement::Kind;
use crate::Result;
use crate::wire::{Decode, Encode, Reader, Writer};

/// The header that encoded bytes **claim** to have: the first fields of a [`Vote`](super::Vote),
/// [`Certificate`](super::Certificate), [`TimeoutVote`](super::TimeoutVote),
/// [`TimeoutCertificate`](super::TimeoutCertificate), [`Equivocation`](super::Equivocation),
/// [`Conflict`](super::Conflict), or a gossip aggregate, read without a committee.
///
/// A light client chooses the committee of [`epoch`](UntrustedHeader::epoch) with it, and decodes and verifies the
/// bytes under that committee. No field is verified: the sender chose all of them. The encodings do not contain the
/// chain; the signatures cover it through the committee's identifier.
///
/// | bytes | field |
/// |---|---|
/// | 1 | suite |
/// | 1 | kind |
/// | 8 | epoch |
/// | 8 | view |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UntrustedHeader {
    suite: u8,
    kind: Kind,
    epoch: u64,
    view: u64,
}

impl UntrustedHeader {
    /// Length of the header in bytes.
    pub const LEN: usize = 18;

    /// Reads the header of an encoding. Ignores the bytes after it.
    ///
    /// # Errors
    /// [`Error::Truncated`](crate::Error::Truncated) for fewer than [`LEN`](UntrustedHeader::LEN) bytes.
    pub fn peek(bytes: &[u8]) -> Result<Self> {
        let mut r = Reader::new(bytes);
        let header = r.raw(Self::LEN)?;
        Self::decode(header, &())
    }

    /// Returns the claimed suite's number.
    pub fn suite(&self) -> u8 {
        self.suite
    }

    /// Returns the claimed kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the claimed epoch.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns the claimed view.
    pub fn view(&self) -> u64 {
        self.view
    }
}

impl Encode for UntrustedHeader {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(self.suite);
        w.u8(self.kind.number());
        w.u64(self.epoch);
        w.u64(self.view);
    }
}

impl Decode for UntrustedHeader {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self { suite: r.u8()?, kind: Kind::decode_from(r)?, epoch: r.u64()?, view: r.u64()? })
    }
}
