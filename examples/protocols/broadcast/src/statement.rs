use quorate::committee::{Committee, CommitteeId};
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

use crate::authentication::Authentication;

/// Digest of a message.
pub type Digest = [u8; 32];

/// Returns the digest of a message. Cost: ⌈len/64⌉ + 1 compressions.
pub fn digest(message: &[u8]) -> Digest {
    domain::hash(domain::BROADCAST_MESSAGE, message)
}

/// Position of one message: the sender and its sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The sender.
    pub sender: MemberIndex,
    /// The sender's number of the message, starting at 1.
    pub sequence: u64,
}

impl Encode for Slot {
    fn encode_to(&self, w: &mut Writer) {
        w.u16(self.sender);
        w.u64(self.sequence);
    }
}

/// Decodes a slot in a group with the given number of members.
impl Decode<u16> for Slot {
    fn decode_from(r: &mut Reader<'_>, members: &u16) -> Result<Self> {
        let sender = r.u16()?;
        if sender >= *members {
            return Err(Error::UnknownSigner { index: sender.into() });
        }
        Ok(Self { sender, sequence: sequence(r)? })
    }
}

pub(crate) fn sequence(r: &mut Reader<'_>) -> Result<u64> {
    match r.u64()? {
        0 => Err(Error::Malformed { what: "sequence: expected at least 1, got 0" }),
        sequence => Ok(sequence),
    }
}

/// Returns the bytes a member signs, once per slot, to attest that the message of this slot has this digest.
///
/// They are 102 bytes: the prefix 26, the committee 32, the member 2, the sender 2, the sequence 8, the digest 32.
pub fn attestation_bytes(
    committee: &CommitteeId,
    member: MemberIndex,
    slot: Slot,
    digest: &Digest,
) -> Vec<u8> {
    let mut w = Writer::with_capacity(domain::BROADCAST_VOUCH.len() + 76);
    w.raw(domain::BROADCAST_VOUCH.as_bytes());
    w.raw(&committee.0);
    w.u16(member);
    slot.encode_to(&mut w);
    w.raw(digest);
    w.into_bytes()
}

/// A member's signed statement about the message of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attestation<S> {
    /// The slot.
    pub slot: Slot,
    /// Digest of the message.
    pub digest: Digest,
    /// The member's signature of [`attestation_bytes`].
    pub signature: S,
}

impl<S: Encode> Encode for Attestation<S> {
    fn encode_to(&self, w: &mut Writer) {
        self.slot.encode_to(w);
        w.raw(&self.digest);
        self.signature.encode_to(w);
    }
}

impl<S: Decode> Decode<u16> for Attestation<S> {
    fn decode_from(r: &mut Reader<'_>, members: &u16) -> Result<Self> {
        let slot = Slot::decode_from(r, members)?;
        Ok(Self { slot, digest: r.array()?, signature: S::decode_from(r, &())? })
    }
}

/// Evidence that a member attested two messages in one slot. Verifiable with the group alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equivocation<S> {
    /// The member at fault.
    pub culprit: MemberIndex,
    /// The slot.
    pub slot: Slot,
    /// Two digests with the culprit's signatures, the smaller digest first.
    pub attestations: [(Digest, S); 2],
}

impl<S> Equivocation<S> {
    /// Creates evidence in canonical order.
    pub(crate) fn new(culprit: MemberIndex, slot: Slot, one: (Digest, S), other: (Digest, S)) -> Self {
        let attestations = if one.0 < other.0 { [one, other] } else { [other, one] };
        Self { culprit, slot, attestations }
    }

    /// Verifies both signatures with the group alone.
    ///
    /// # Errors
    /// [`Error::NotEvidence`] if the signatures are not transferable or the digests are equal;
    /// [`Error::UnknownSigner`]; [`Error::BadSignature`].
    pub fn verify<A>(&self, group: &Committee<Ed25519>) -> Result<()>
    where
        A: Authentication<Signature = S>,
    {
        let [(one, _), (other, _)] = &self.attestations;
        if !A::TRANSFERABLE || one >= other {
            return Err(Error::NotEvidence);
        }
        let key = group.key(self.culprit).ok_or(Error::UnknownSigner { index: self.culprit.into() })?;
        self.attestations.iter().try_for_each(|(digest, signature)| {
            let bytes = attestation_bytes(&group.id(), self.culprit, self.slot, digest);
            A::verify_alone(key, &bytes, signature)
        })
    }
}

impl<S: Encode> Encode for Equivocation<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u16(self.culprit);
        self.slot.encode_to(w);
        for (digest, signature) in &self.attestations {
            w.raw(digest);
            signature.encode_to(w);
        }
    }
}

impl<S: Decode> Decode<u16> for Equivocation<S> {
    fn decode_from(r: &mut Reader<'_>, members: &u16) -> Result<Self> {
        let culprit = r.u16()?;
        if culprit >= *members {
            return Err(Error::UnknownSigner { index: culprit.into() });
        }
        let slot = Slot::decode_from(r, members)?;
        let attestations = [(r.array()?, S::decode_from(r, &())?), (r.array()?, S::decode_from(r, &())?)];
        if attestations[0].0 >= attestations[1].0 {
            return Err(Error::NonCanonical { what: "equivocation: digests are not in ascending order" });
        }
        Ok(Self { culprit, slot, attestations })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_fields_of_an_attestation_are_signed() {
        let bytes = |committee, member, sender, sequence, digest| {
            let slot = Slot { sender, sequence };
            attestation_bytes(&CommitteeId([committee; 32]), member, slot, &[digest; 32])
        };
        let all = [
            bytes(1, 2, 3, 4, 5),
            bytes(9, 2, 3, 4, 5),
            bytes(1, 9, 3, 4, 5),
            bytes(1, 2, 9, 4, 5),
            bytes(1, 2, 3, 9, 5),
            bytes(1, 2, 3, 4, 9),
        ];
        assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), all.len());
        assert!(all.iter().all(|bytes| bytes.len() == 102));
    }
}
