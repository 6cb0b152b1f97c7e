use alloc::vec::Vec;
use core::fmt;

use super::curve::Curve;
use super::slot::Slot;
use crate::Result;
use crate::machine::MemberIndex;
use crate::threshold::attestation::{Attestation, MAX_ATTESTATION};
use crate::threshold::group::Field;
use crate::wire::{Decode, Encode, Reader, Writer, domain};

/// One party's signature share. It is public, and unverified until the signature verifies.
///
/// Nothing in it proves that the party made it; only the link that delivered it does. To prove the share to other
/// processes, the party [attests](SignatureShare::attested_bytes) it.
#[derive(Clone, PartialEq, Eq)]
pub struct SignatureShare<G: Curve> {
    pub(super) member: MemberIndex,
    pub(super) epoch: u64,
    pub(super) index: u32,
    pub(super) digest: [u8; 32],
    pub(super) s: G::Scalar,
    attestation: Attestation,
}

impl<G: Curve> SignatureShare<G> {
    /// Maximum length of an attestation in bytes.
    pub const MAX_ATTESTATION: usize = MAX_ATTESTATION;

    pub(super) fn new(member: MemberIndex, slot: &Slot, digest: [u8; 32], s: G::Scalar) -> Self {
        Self { member, epoch: slot.epoch, index: slot.index, digest, s, attestation: Attestation::default() }
    }

    /// Returns the claimed member. Compare it with the sender.
    pub fn member(&self) -> MemberIndex {
        self.member
    }

    /// Returns the epoch of the presignature.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns the index of the presignature.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Returns the digest of the signed message, see [`Slot::digest`].
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// Returns the bytes that a party signs with its identity key, with DSig in a microsecond or with Ed25519, so
    /// that a wrong share can be proven to be its own: the domain [`THRESHOLD_SHARE`](domain::THRESHOLD_SHARE),
    /// digest 32, member u16, s 32.
    pub fn attested_bytes(&self) -> Vec<u8> {
        let mut w = Writer::with_capacity(domain::THRESHOLD_SHARE.len() + 66);
        w.raw(domain::THRESHOLD_SHARE.as_bytes());
        w.raw(&self.digest);
        w.u16(self.member);
        self.s.encode_to(&mut w);
        w.into_bytes()
    }

    /// Returns the party's signature of [`attested_bytes`](SignatureShare::attested_bytes); empty if it has
    /// none.
    pub fn attestation(&self) -> &[u8] {
        self.attestation.as_bytes()
    }

    /// Sets the party's signature of [`attested_bytes`](SignatureShare::attested_bytes).
    ///
    /// # Errors
    /// [`TooLarge`](crate::Error::TooLarge) above 8,192 bytes.
    pub fn attest(&mut self, attestation: Vec<u8>) -> Result<()> {
        self.attestation = Attestation::new(attestation)?;
        Ok(())
    }
}

/// Encoding: suite 1 ‖ member u16 ‖ epoch u64 ‖ index u32 ‖ digest 32 ‖ s 32 ‖ attestation with its length as u32: 83
/// bytes without one.
impl<G: Curve> Encode for SignatureShare<G> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(G::SUITE);
        w.u16(self.member);
        w.u64(self.epoch);
        w.u32(self.index);
        w.raw(&self.digest);
        self.s.encode_to(w);
        self.attestation.encode_to(w);
    }
}

impl<G: Curve> Decode for SignatureShare<G> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        r.expect_u8("suite of the signature share", G::SUITE)?;
        Ok(Self {
            member: r.u16()?,
            epoch: r.u64()?,
            index: r.u32()?,
            digest: r.array()?,
            s: G::Scalar::decode_from(r, "signature share")?,
            attestation: Attestation::decode_from(r)?,
        })
    }
}

impl<G: Curve> fmt::Debug for SignatureShare<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SignatureShare(member {}, epoch {}, index {})", self.member, self.epoch, self.index)
    }
}
