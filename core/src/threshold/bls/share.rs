use alloc::vec::Vec;
use core::fmt;

use super::scheme::BlsScheme;
use crate::Result;
use crate::bls::Signature;
use crate::machine::MemberIndex;
use crate::scheme::Scheme;
use crate::threshold::attestation::{Attestation, MAX_ATTESTATION};
use crate::wire::{Decode, Encode, Reader, Writer, domain};

/// One party's signature share. It is unverified, also for subgroup membership, until the signature verifies.
#[derive(Clone, PartialEq, Eq)]
pub struct SignatureShare<V: BlsScheme> {
    pub(super) member: MemberIndex,
    pub(super) digest: [u8; 32],
    pub(super) signature: Signature<V>,
    attestation: Attestation,
}

impl<V: BlsScheme> SignatureShare<V> {
    /// Maximum length of an attestation in bytes.
    pub const MAX_ATTESTATION: usize = MAX_ATTESTATION;

    pub(super) fn new(member: MemberIndex, digest: [u8; 32], signature: Signature<V>) -> Self {
        Self { member, digest, signature, attestation: Attestation::default() }
    }

    /// Returns the claimed member. Compare it with the sender.
    pub fn member(&self) -> MemberIndex {
        self.member
    }

    /// Returns a hash of the key and the message.
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// Returns the bytes that a party signs with its identity key, so that a wrong share can be proven to be its own:
    /// the domain [`THRESHOLD_SHARE`](domain::THRESHOLD_SHARE), digest 32, member u16, the signature. (A right share
    /// needs no such proof, and a wrong one verifies under no key.)
    pub fn attested_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new();
        w.raw(domain::THRESHOLD_SHARE.as_bytes());
        w.raw(&self.digest);
        w.u16(self.member);
        self.signature.encode_to(&mut w);
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

/// Encoding: 16 + suite 1 ‖ member u16 ‖ digest 32 ‖ signature ‖ attestation with its length as u32.
impl<V: BlsScheme> Encode for SignatureShare<V> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(16 + <V as Scheme>::SUITE);
        w.u16(self.member);
        w.raw(&self.digest);
        self.signature.encode_to(w);
        self.attestation.encode_to(w);
    }
}

impl<V: BlsScheme> Decode for SignatureShare<V> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        r.expect_u8("suite of the signature share", 16 + <V as Scheme>::SUITE)?;
        Ok(Self {
            member: r.u16()?,
            digest: r.array()?,
            signature: Signature::decode_from(r, &())?,
            attestation: Attestation::decode_from(r)?,
        })
    }
}

impl<V: BlsScheme> fmt::Debug for SignatureShare<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SignatureShare(member {})", self.member)
    }
}
