use crate::certificate::Kind;
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// A guard's durable record: the last signed statement of one kind, or a spent presignature.
///
/// Make it durable before the vote or the share leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardRecord {
    pub(super) binding: [u8; 32],
    pub(super) kind: Kind,
    pub(super) epoch: u64,
    pub(super) view: u64,
    pub(super) identity: [u8; 32],
}

impl GuardRecord {
    /// Length of an encoded record in bytes.
    pub const LEN: usize = 81;

    /// Kind of a presignature record that closes its epoch and all earlier ones, among the records of presignatures.
    pub const CLOSED_EPOCH: Kind = Kind::new(2);

    /// Highest view that has a mark of its own.
    pub(super) const MAX_MARKED_VIEW: u64 = (1 << 56) - 1;

    /// Returns the kind of the statement, or the kind of a presignature record.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the epoch of the statement or of the presignatures.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns the view of the statement, or the number that identifies the presignatures.
    pub fn view(&self) -> u64 {
        self.view
    }

    /// Returns the position of a vote's record in the order of signatures, for a
    /// [`MonotonicCounter`](super::MonotonicCounter): view · 256 + kind. Views from 2⁵⁶ on have no mark of their
    /// own: it is 2⁶⁴ − 1 at most.
    ///
    /// A guard with a [`Floor`](super::Floor) signs in ascending order of marks, and no view from 2⁵⁶ on.
    pub fn mark(&self) -> u64 {
        self.view.saturating_mul(256).saturating_add(self.kind.number().into())
    }

    /// Returns the epoch and view, by which the records of one kind are ordered.
    pub(super) fn position(&self) -> (u64, u64) {
        (self.epoch, self.view)
    }

    /// Returns the error for a statement that contradicts this record.
    pub(super) fn contradiction(&self) -> Error {
        Error::Contradiction { kind: self.kind.number(), signed_view: self.view }
    }
}

impl Encode for GuardRecord {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&self.binding);
        w.u8(self.kind.number());
        w.u64(self.epoch);
        w.u64(self.view);
        w.raw(&self.identity);
    }
}

impl Decode for GuardRecord {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self {
            binding: r.array()?,
            kind: Kind::new(r.u8()?),
            epoch: r.u64()?,
            view: r.u64()?,
            identity: r.array()?,
        })
    }
}
