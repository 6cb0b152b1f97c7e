use core::fmt;
use core::hash::Hash;

use super::element::Element;
use crate::committee::CommitteeId;
use crate::scheme::sealed::Sealed;
use crate::wire::{Encode, Reader, Writer};
use crate::{Error, Result};

/// Purpose of keys. Keys of different purposes cannot be mixed, neither by type nor on the wire.
pub trait Purpose: Sealed + Copy + Eq + Ord + Hash + fmt::Debug + Send + Sync + 'static {
    /// Purpose byte of keys and proofs.
    const NUMBER: u8;
    /// A short name for display.
    const NAME: &'static str;
}

pub(super) fn read_purpose<P: Purpose>(r: &mut Reader<'_>) -> Result<()> {
    if r.u8()? == P::NUMBER { Ok(()) } else { Err(Error::WrongContext { what: "purpose" }) }
}

pub(super) fn write_keys<P: Purpose>(committee: CommitteeId, key: &Element, w: &mut Writer) {
    w.u8(P::NUMBER);
    committee.encode_to(w);
    key.encode_to(w);
}
