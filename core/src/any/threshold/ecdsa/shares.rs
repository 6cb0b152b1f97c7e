use alloc::vec::Vec;

use super::key::GroupKey;
use crate::Result;
use crate::any::families::{methods, per, with};
use crate::any::threshold::group::{Group, wrong_group};
use crate::machine::MemberIndex;
use crate::threshold::ecdsa::{self, Deal};
use crate::wire::{Decode, Encode};

type ShareOf<G> = ecdsa::SignatureShare<G>;
type OpeningOf<G> = ecdsa::Opening<G>;
type FaultOf<G> = ecdsa::ShareFault<G>;

per! { group:
    /// One party's signature share, see [`ecdsa::SignatureShare`].
    #[derive(Clone, PartialEq, Eq)]
    SignatureShare, ShareOf
}

per! { group:
    /// Data for verifying a party's share, see [`ecdsa::Opening`].
    #[derive(Clone, PartialEq, Eq)]
    Opening, OpeningOf
}

per! { group:
    /// Evidence of a wrong share, see [`ecdsa::ShareFault`].
    #[derive(Clone, PartialEq, Eq)]
    ShareFault, FaultOf
}

impl SignatureShare {
    /// Decodes a share over a group.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the bytes name another group, and decoding errors.
    pub fn decode(group: Group, bytes: &[u8]) -> Result<Self> {
        with!(group: group, G => ShareOf::<G>::decode(bytes, &()).map(Self::from))
    }
}

methods! { group: self, SignatureShare, G, share =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = share.encode();

    /// Returns the claimed member. Compare it with the sender.
    pub fn member(&self) -> MemberIndex = share.member();

    /// Returns the epoch of the presignature.
    pub fn epoch(&self) -> u64 = share.epoch();

    /// Returns the index of the presignature.
    pub fn index(&self) -> u32 = share.index();

    /// Returns the digest of the signed message, see [`Slot::digest`](ecdsa::Slot::digest).
    pub fn digest(&self) -> &[u8; 32] = share.digest();

    /// Returns the bytes that a party signs so that a wrong share can be proven to be its own, see
    /// [`ecdsa::SignatureShare::attested_bytes`].
    pub fn attested_bytes(&self) -> Vec<u8> = share.attested_bytes();

    /// Returns the party's signature of [`attested_bytes`](SignatureShare::attested_bytes); empty if it has
    /// none.
    pub fn attestation(&self) -> &[u8] = share.attestation();

    /// Sets the party's signature of [`attested_bytes`](SignatureShare::attested_bytes).
    ///
    /// # Errors
    /// [`TooLarge`](crate::Error::TooLarge) above 8,192 bytes.
    pub fn attest(&mut self, attestation: Vec<u8>) -> Result<()> = share.attest(attestation);
}

impl Opening {
    /// Decodes an opening over a group, which its bytes do not name. Cost: three square roots.
    ///
    /// # Errors
    /// Decoding errors.
    pub fn decode(group: Group, bytes: &[u8]) -> Result<Self> {
        with!(group: group, G => OpeningOf::<G>::decode(bytes, &()).map(Self::from))
    }
}

methods! { group: self, Opening, G, opening =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = opening.encode();

    /// Returns the member whose share it opens.
    pub fn member(&self) -> MemberIndex = opening.member();

    /// Returns the index of the presignature.
    pub fn index(&self) -> u32 = opening.index();
}

impl ShareFault {
    /// Decodes evidence over a group, without verification.
    ///
    /// # Errors
    /// Decoding errors.
    pub fn decode(group: Group, bytes: &[u8]) -> Result<Self> {
        with!(group: group, G => FaultOf::<G>::decode(bytes, &()).map(Self::from))
    }

    /// Verifies the evidence and returns the culprit. `attested` verifies a member's attestation: its arguments are
    /// the member, the bytes and the attestation, and it is called for every share of the evidence.
    ///
    /// # Errors
    /// As [`ecdsa::ShareFault::verify`], and [`WrongContext`](crate::Error::WrongContext) for a key of another group.
    pub fn verify(
        &self,
        key: &GroupKey,
        deal: &Deal,
        attested: impl FnMut(MemberIndex, &[u8], &[u8]) -> Result<()>,
    ) -> Result<MemberIndex> {
        match (self, key) {
            (ShareFault::Ristretto255(fault), GroupKey::Ristretto255(key)) => {
                fault.verify(key, deal, attested)
            }
            (ShareFault::Secp256k1(fault), GroupKey::Secp256k1(key)) => fault.verify(key, deal, attested),
            _ => Err(wrong_group()),
        }
    }
}

methods! { group: self, ShareFault, G, fault =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = fault.encode();

    /// Returns the wrong share.
    pub fn share(&self) -> SignatureShare = fault.share().clone().into();
}
