//! The public key of a committee, and its signatures.

use quorate::Result;
use quorate::any::threshold::ecdsa as any;

use super::Tag;
use crate::ids::CommitteeId;
use crate::threshold::{Group, Tolerance};

class! {
    /// The public key of a committee.
    object struct GroupKey(pub(super) any::GroupKey): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "GroupKey({}, {})", self.group(), hex::encode(self.id()));
    /// Decodes a key over that group.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a key.
    /// [`Error::NonCanonical`](quorate::Error) for a point or a number in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for the neutral element.
    /// [`Error::BadCommittee`](quorate::Error) for an impossible number of parties or of faulty ones.
    /// [`Error::WrongContext`](quorate::Error) for a key over another group.
    fn decode(group: &Group, bytes: &[u8]) -> Result<Self> {
        any::GroupKey::decode((*group).into(), bytes).map(Self)
    }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Its group.
    getter fn group(&self) -> Group { self.0.group().into() }
    /// Identifier of 32 bytes, which every share and every record contains.
    getter fn id(&self) -> [u8; 32] { self.0.id().0 }
    /// Committee of the key.
    getter fn committee(&self) -> CommitteeId { CommitteeId(self.0.committee()) }
    /// Number of parties, and the maximum number of faulty ones.
    getter fn tolerance(&self) -> Tolerance { Tolerance(self.0.tolerance()) }
    /// Verifies a signature made under a tag.
    /// [`Error::BadSignature`](quorate::Error) if the signature is not valid.
    /// [`Error::WrongContext`](quorate::Error) for a signature over another group.
    fn verify(&self, tag: &Tag, message: &[u8], signature: &Signature) -> Result<()> {
        self.0.verify(tag.0, message, &signature.0)
    }
    /// Verifies a signature over secp256k1 as standard ECDSA with SHA-256, and also rejects high s.
    /// [`Error::BadSignature`](quorate::Error) if the signature is not valid.
    /// [`Error::WrongContext`](quorate::Error) over another group.
    fn verify_message(&self, message: &[u8], signature: &Signature) -> Result<()> {
        self.0.verify_message(message, &signature.0)
    }
    /// Returns the key over secp256k1 as a SubjectPublicKeyInfo in DER, which OpenSSL reads.
    /// [`Error::WrongContext`](quorate::Error) over another group.
    fn to_spki_der(&self) -> Result<Vec<u8>> { self.0.to_spki_der() }
}

class! {
    /// A decoded signature: 64 bytes in the one accepted form. Over ristretto255 it is not standard ECDSA, and only
    /// quorate verifies it.
    object struct Signature(pub(super) any::Signature): Clone, Copy, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "Signature({}, {})", self.group(), hex::encode(self.0.to_bytes()));
    /// Decodes a signature over that group.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a signature.
    /// [`Error::NonCanonical`](quorate::Error) for another form of a signature.
    quick fn decode(group: &Group, bytes: &[u8]) -> Result<Self> {
        any::Signature::decode((*group).into(), bytes).map(Self)
    }
    /// Returns the 64 bytes.
    quick fn encode(&self) -> Vec<u8> { self.0.to_bytes().to_vec() }
    /// Returns the form of a signature over secp256k1 that X.509 and OpenSSL expect.
    /// [`Error::WrongContext`](quorate::Error) over another group.
    fn to_der(&self) -> Result<Vec<u8>> { self.0.to_der() }
    /// Its group.
    getter fn group(&self) -> Group { self.0.group().into() }
}
