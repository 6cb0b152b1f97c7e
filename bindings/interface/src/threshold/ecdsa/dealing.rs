//! The dealer of keys and presignatures; the public parts of a deal and of a key, and its signatures.

use std::sync::Arc;

use getrandom::SysRng;
use quorate::any::threshold::ecdsa as any;
use quorate::merkle::Hash;
use quorate::threshold::ecdsa;
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};
use zeroize::Zeroizing;

use super::{Plan, Presignatures, Tag};
use crate::ids::CommitteeId;
use crate::threshold::{Group, Tolerance};
use crate::{SecretBytes, exactly};

class! {
    /// Public part of the deal for one epoch; its holder can verify evidence. Compare the ids: parties that hold
    /// different deals cannot sign together.
    object struct Deal(pub(super) Arc<ecdsa::Deal>): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "Deal(epoch {}, {})", self.epoch(), hex::encode(self.id()));
    /// Decodes a deal.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a deal.
    /// [`Error::TooLarge`](quorate::Error) for more parties than can share a key.
    fn decode(bytes: &[u8]) -> Result<Self> {
        ecdsa::Deal::decode(bytes, &()).map(|deal| Self(Arc::new(deal)))
    }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Identifier: 32 bytes.
    getter fn id(&self) -> Hash { self.0.id() }
    /// Identifier of the key: 32 bytes.
    getter fn key(&self) -> [u8; 32] { self.0.key().0 }
    /// The epoch.
    getter fn epoch(&self) -> u64 { self.0.epoch() }
    /// Plan of the presignatures.
    getter fn plan(&self) -> Plan { Plan(self.0.plan()) }
    /// The roots of the parties' trees of openings.
    getter fn roots(&self) -> Vec<Hash> { self.0.roots().to_vec() }
}

/// In a module of WebAssembly the presignatures of all parties together must fit into its memory: these are a sixth of a
/// gigabyte.
const MAX_MODULE_DEALT: u32 = 1 << 20;

class! {
    /// Generates a key and deals its presignatures. **It knows the key**: it can sign alone, and so can an attacker
    /// that compromises it. Run it offline, seal each party's file, and wipe the machine.
    object secret struct TrustedDealer(any::TrustedDealer): Debug;
    shown |self, f| write!(f, "TrustedDealer({})", self.group());
    /// Creates the dealer of a new key for a committee.
    /// [`Error::Rng`](quorate::Error) if the generator fails.
    fn new(group: &Group, committee: &CommitteeId, tolerance: &Tolerance) -> Result<Self> {
        any::TrustedDealer::new((*group).into(), committee.0, tolerance.0, &mut SysRng).map(Self)
    }
    /// Returns the dealer of a stored key of 32 bytes, to deal for further epochs. The caller keeps the bytes and
    /// overwrites them.
    /// [`Error::Malformed`](quorate::Error) for another length, or zero.
    /// [`Error::NonCanonical`](quorate::Error) for a number that is not below the group's order.
    fn from_bytes(
        group: &Group,
        committee: &CommitteeId,
        tolerance: &Tolerance,
        bytes: &[u8],
    ) -> Result<Self> {
        let secret = Zeroizing::new(exactly(bytes, "secret threshold key")?);
        any::TrustedDealer::from_bytes((*group).into(), committee.0, tolerance.0, &secret).map(Self)
    }
    /// Returns the secret key: 32 bytes.
    fn to_bytes(&self) -> SecretBytes { Zeroizing::new(self.0.to_bytes().to_vec()) }
    /// Its group.
    getter fn group(&self) -> Group { self.0.group().into() }
    /// The public key.
    getter fn key(&self) -> GroupKey { GroupKey(self.0.key()) }
    /// Deals the presignatures of one epoch: one file for each party, in the parties' order. **Never deal an epoch
    /// twice.** Cost: 0.1 ms per presignature and party. Memory: 150 bytes for each.
    /// [`Error::WrongContext`](quorate::Error) for a plan with another number of parties.
    /// [`Error::Malformed`](quorate::Error) for a plan without presignatures.
    /// [`Error::TooLarge`](quorate::Error) for more presignatures than [`Plan::MAX_COUNT`]; in WebAssembly, for more
    /// than 2²⁰ of all parties together.
    /// [`Error::Rng`](quorate::Error) if the generator fails.
    slow fn deal(&self, epoch: u64, plan: &Plan) -> Result<Vec<Presignatures>> {
        let limit = MAX_MODULE_DEALT / u32::from(self.0.key().tolerance().parties());
        let count = plan.0.count();
        if cfg!(target_family = "wasm") && count > limit && count <= Plan::MAX_COUNT {
            let what = "presignatures of an epoch in a module's memory";
            return Err(Error::TooLarge { what, limit: limit.into() });
        }
        let dealt = self.0.deal(epoch, plan.0, &mut SysRng)?;
        Ok(dealt.into_iter().map(Presignatures::from_core).collect())
    }
}

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
