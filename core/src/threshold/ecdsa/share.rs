use alloc::vec::Vec;
use core::fmt;

use super::curve::Curve;
use super::key::Slot;
use crate::machine::MemberIndex;
use crate::threshold::group::Field;
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// One party's part of a signature. It is public; whether it is right is open until the signature verifies.
///
/// It is as good as the link that it came over: nothing in it says that the party made it. Where the party shall be held
/// to it before others, it [attests](SignatureShare::attested_bytes) the share.
#[derive(Clone, PartialEq, Eq)]
pub struct SignatureShare<G: Curve> {
    pub(super) member: MemberIndex,
    pub(super) epoch: u64,
    pub(super) index: u32,
    pub(super) digest: [u8; 32],
    pub(super) s: G::Scalar,
    attestation: Vec<u8>,
}

impl<G: Curve> SignatureShare<G> {
    /// The longest attestation.
    pub const MAX_ATTESTATION: usize = 8_192;

    pub(super) fn new(member: MemberIndex, slot: &Slot, digest: [u8; 32], s: G::Scalar) -> Self {
        Self { member, epoch: slot.epoch, index: slot.index, digest, s, attestation: Vec::new() }
    }

    /// Whose it claims to be. Compare it with the sender.
    pub fn member(&self) -> MemberIndex {
        self.member
    }

    /// The epoch of the presignature.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The index of the presignature.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// What it signs, see [`Slot::digest`].
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// What a party signs with a key that others know to be its own, by DSig for a microsecond or by Ed25519, so that
    /// a wrong share can be proven to be its: the domain [`THRESHOLD_SHARE`](domain::THRESHOLD_SHARE), digest 32,
    /// member u16, s 32.
    pub fn attested_bytes(&self) -> Vec<u8> {
        let mut w = Writer::with_capacity(domain::THRESHOLD_SHARE.len() + 66);
        w.raw(domain::THRESHOLD_SHARE.as_bytes());
        w.raw(&self.digest);
        w.u16(self.member);
        self.s.encode_to(&mut w);
        w.into_bytes()
    }

    /// The party's signature of [`attested_bytes`](SignatureShare::attested_bytes); empty if there is none.
    pub fn attestation(&self) -> &[u8] {
        &self.attestation
    }

    /// Adds the party's signature.
    ///
    /// # Errors
    /// [`Error::TooLarge`] above 8,192 bytes.
    pub fn attest(&mut self, attestation: Vec<u8>) -> Result<()> {
        if attestation.len() > Self::MAX_ATTESTATION {
            let limit = Self::MAX_ATTESTATION as u64;
            return Err(Error::TooLarge { what: "attestation of a share", limit });
        }
        self.attestation = attestation;
        Ok(())
    }
}

/// suite 1 ‖ member u16 ‖ epoch u64 ‖ index u32 ‖ digest 32 ‖ s 32 ‖ attestation with its length as u32: 83 bytes
/// without one.
impl<G: Curve> Encode for SignatureShare<G> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(G::SUITE);
        w.u16(self.member);
        w.u64(self.epoch);
        w.u32(self.index);
        w.raw(&self.digest);
        self.s.encode_to(w);
        w.bytes(&self.attestation);
    }
}

impl<G: Curve> Decode for SignatureShare<G> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        if r.u8()? != G::SUITE {
            return Err(Error::WrongContext { what: "suite of the signature share" });
        }
        Ok(Self {
            member: r.u16()?,
            epoch: r.u64()?,
            index: r.u32()?,
            digest: r.array()?,
            s: G::Scalar::decode_from(r, "signature share")?,
            attestation: r.bytes("attestation of a share", Self::MAX_ATTESTATION)?.to_vec(),
        })
    }
}

impl<G: Curve> fmt::Debug for SignatureShare<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SignatureShare(member {}, epoch {}, index {})", self.member, self.epoch, self.index)
    }
}
