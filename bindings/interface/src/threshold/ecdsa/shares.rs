//! What the parties send: shares, their openings, and evidence against wrong ones.

use quorate::Result;
use quorate::any::threshold::ecdsa as any;
use quorate::threshold::{Ristretto255, ecdsa};

use super::{Deal, GroupKey};
use crate::threshold::Group;
use crate::{Attested, required};

class! {
    /// One party's part of a signature. It names its key, epoch, index and message. It is public; whether it is right
    /// is unknown until the signature verifies.
    object struct SignatureShare(pub(super) any::SignatureShare): Clone, Debug, PartialEq, Eq;
    shown |self, f| {
        let (group, member, epoch, index) = (self.group(), self.member(), self.epoch(), self.index());
        write!(f, "SignatureShare({group}, member {member}, epoch {epoch}, index {index})")
    };
    module const MAX_ATTESTATION: u32 = 8_192 == ecdsa::SignatureShare::<Ristretto255>::MAX_ATTESTATION,
        "Maximum length of a share's attestation in bytes.";
    /// Decodes a share over that group.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a share.
    /// [`Error::NonCanonical`](quorate::Error) for a point or a number in another form than the canonical one.
    /// [`Error::TooLarge`](quorate::Error) for an attestation above 8,192 bytes.
    /// [`Error::WrongContext`](quorate::Error) for a share over another group.
    quick fn decode(group: &Group, bytes: &[u8]) -> Result<Self> {
        any::SignatureShare::decode((*group).into(), bytes).map(Self)
    }
    /// Returns the canonical encoding.
    quick fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Its group.
    getter fn group(&self) -> Group { self.0.group().into() }
    /// Index of the party that the share names. Compare it with the sender.
    getter fn member(&self) -> u16 { self.0.member() }
    /// Epoch of the presignature.
    getter fn epoch(&self) -> u64 { self.0.epoch() }
    /// Index of the presignature.
    getter fn index(&self) -> u32 { self.0.index() }
    /// Hash of the key, the epoch, the index and the message: 32 bytes.
    getter fn digest(&self) -> [u8; 32] { *self.0.digest() }
    /// The party's signature on [`SignatureShare::attested_bytes`]; empty if there is none.
    getter fn attestation(&self) -> &[u8] { self.0.attestation() }
    /// Returns the bytes that a party signs with a key known to be its own, so that a wrong share can be attributed to
    /// it.
    fn attested_bytes(&self) -> Vec<u8> { self.0.attested_bytes() }
    /// Returns the share with the party's signature.
    /// [`Error::TooLarge`](quorate::Error) above 8,192 bytes.
    fn attest(&self, attestation: &[u8]) -> Result<Self> {
        let mut share = self.0.clone();
        share.attest(attestation.to_vec())?;
        Ok(Self(share))
    }
}

class! {
    /// An opening, which lets the other members check a party's share.
    object struct Opening(pub(super) any::Opening): Clone, Debug, PartialEq, Eq;
    shown |self, f|
        write!(f, "Opening({}, member {}, index {})", self.group(), self.member(), self.index());
    /// Decodes an opening over that group, which its bytes do not name. Cost: three square roots.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of an opening.
    /// [`Error::NonCanonical`](quorate::Error) for a point or a number in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for the neutral element.
    fn decode(group: &Group, bytes: &[u8]) -> Result<Self> {
        any::Opening::decode((*group).into(), bytes).map(Self)
    }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Its group.
    getter fn group(&self) -> Group { self.0.group().into() }
    /// Index of its party.
    getter fn member(&self) -> u16 { self.0.member() }
    /// Index of the presignature that it opens.
    getter fn index(&self) -> u32 { self.0.index() }
}

class! {
    /// A wrong share, with the evidence against it. Every holder of the deal can verify it, if the share is attested.
    object struct ShareFault(pub(super) any::ShareFault): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "ShareFault({})", self.share());
    /// Decodes unverified evidence over that group.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of evidence.
    /// [`Error::NonCanonical`](quorate::Error) for a point or a number in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for the neutral element.
    /// [`Error::TooLarge`](quorate::Error) for a message, an attestation or a list above the limits.
    /// [`Error::WrongContext`](quorate::Error) for evidence over another group.
    fn decode(group: &Group, bytes: &[u8]) -> Result<Self> {
        any::ShareFault::decode((*group).into(), bytes).map(Self)
    }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Its group.
    getter fn group(&self) -> Group { self.0.group().into() }
    /// The wrong share.
    getter fn share(&self) -> SignatureShare { SignatureShare(self.0.share()) }
    /// Verifies the evidence and returns the culprit. `attested` is called with a member, bytes and that member's
    /// attestation of them, once for every share of the evidence; it returns true if the attestation is valid.
    /// [`Error::NotEvidence`](quorate::Error) if an attestation is not valid, or the share is right.
    /// [`Error::WrongContext`](quorate::Error) for evidence of another key or deal.
    fn verify(&self, key: &GroupKey, deal: &Deal, attested: Attested<'_>) -> Result<u16> {
        self.0.verify(&key.0, &deal.0, required(attested))
    }
}
