use alloc::vec::Vec;
use core::fmt;

use super::GroupKey;
use crate::Result;
use crate::any::threshold::Group;
use crate::any::threshold::group::{each_group, per_group, with_group};
use crate::machine::MemberIndex;
use crate::threshold::ecdsa::{self, Deal};
use crate::wire::{Decode, Encode};

type ShareOf<G> = ecdsa::SignatureShare<G>;
type OpeningOf<G> = ecdsa::Opening<G>;
type FaultOf<G> = ecdsa::ShareFault<G>;

per_group! {
    /// One party's part of a signature, see [`ecdsa::SignatureShare`].
    #[derive(Clone, PartialEq, Eq)]
    SignatureShare, ShareOf
}

per_group! {
    /// What lets others check a party's share, see [`ecdsa::Opening`].
    #[derive(Clone, PartialEq, Eq)]
    Opening, OpeningOf
}

per_group! {
    /// A wrong share, with what shows that it is wrong, see [`ecdsa::ShareFault`].
    #[derive(Clone, PartialEq, Eq)]
    ShareFault, FaultOf
}

impl SignatureShare {
    /// Reads a share over that group.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the bytes name another group, and what is wrong with them.
    pub fn decode(group: Group, bytes: &[u8]) -> Result<Self> {
        with_group!(group, G => ShareOf::<G>::decode(bytes, &()).map(Self::from))
    }

    /// The canonical bytes.
    pub fn encode(&self) -> Vec<u8> {
        each_group!(self, SignatureShare, G, share => share.encode())
    }

    /// Whose it claims to be. Compare it with the sender.
    pub fn member(&self) -> MemberIndex {
        each_group!(self, SignatureShare, G, share => share.member())
    }

    /// The epoch of the presignature.
    pub fn epoch(&self) -> u64 {
        each_group!(self, SignatureShare, G, share => share.epoch())
    }

    /// The index of the presignature.
    pub fn index(&self) -> u32 {
        each_group!(self, SignatureShare, G, share => share.index())
    }

    /// What it signs, see [`Slot::digest`](ecdsa::Slot::digest).
    pub fn digest(&self) -> &[u8; 32] {
        each_group!(self, SignatureShare, G, share => share.digest())
    }

    /// What a party signs so that a wrong share can be proven to be its, see [`ecdsa::SignatureShare::attested_bytes`].
    pub fn attested_bytes(&self) -> Vec<u8> {
        each_group!(self, SignatureShare, G, share => share.attested_bytes())
    }

    /// The party's signature of [`attested_bytes`](SignatureShare::attested_bytes); empty if there is none.
    pub fn attestation(&self) -> &[u8] {
        each_group!(self, SignatureShare, G, share => share.attestation())
    }

    /// Adds the party's signature.
    ///
    /// # Errors
    /// [`TooLarge`](crate::Error::TooLarge) above 8,192 bytes.
    pub fn attest(&mut self, attestation: Vec<u8>) -> Result<()> {
        each_group!(self, SignatureShare, G, share => share.attest(attestation))
    }
}

impl fmt::Debug for SignatureShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_group!(self, SignatureShare, G, share => share.fmt(f))
    }
}

impl Opening {
    /// Reads an opening over that group, whose bytes do not name it. Cost: three square roots.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub fn decode(group: Group, bytes: &[u8]) -> Result<Self> {
        with_group!(group, G => OpeningOf::<G>::decode(bytes, &()).map(Self::from))
    }

    /// The canonical bytes.
    pub fn encode(&self) -> Vec<u8> {
        each_group!(self, Opening, G, opening => opening.encode())
    }

    /// Whose it is.
    pub fn member(&self) -> MemberIndex {
        each_group!(self, Opening, G, opening => opening.member())
    }

    /// Which presignature it opens.
    pub fn index(&self) -> u32 {
        each_group!(self, Opening, G, opening => opening.index())
    }
}

impl fmt::Debug for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_group!(self, Opening, G, opening => opening.fmt(f))
    }
}

impl ShareFault {
    /// Reads evidence over that group. It still is to be verified.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub fn decode(group: Group, bytes: &[u8]) -> Result<Self> {
        with_group!(group, G => FaultOf::<G>::decode(bytes, &()).map(Self::from))
    }

    /// The canonical bytes.
    pub fn encode(&self) -> Vec<u8> {
        each_group!(self, ShareFault, G, fault => fault.encode())
    }

    /// The wrong share.
    pub fn share(&self) -> SignatureShare {
        each_group!(self, ShareFault, G, fault => fault.share().clone().into())
    }

    /// Checks it and returns the culprit. `attested` says whether a member's attestation of some bytes is good: it gets
    /// the member, the bytes and the attestation, and is asked for every share of the evidence.
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
            _ => Err(crate::any::threshold::wrong_group()),
        }
    }
}

impl fmt::Debug for ShareFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_group!(self, ShareFault, G, fault => fault.fmt(f))
    }
}
