//! Threshold BLS: a key shared by the members of a committee. Its signatures verify under [`GroupKey::public`]. They
//! are unique, so that each is also an unpredictable random value: see [`beacon`].
//!
//! The suite is one of the two BLS suites; Ed25519 has no shares.
#![cfg_attr(binding, module = "threshold/bls")]

use getrandom::SysRng;
use quorate::Result;
use quorate::any::Suite;
use quorate::any::threshold::bls as any;

use super::WithCache;
use crate::ids::CommitteeId;
use crate::keys::{PublicKey, Signature};
use crate::threshold::{Agreement, Cache, Counts, Threshold, Tolerance};
use crate::{Attested, SecretBytes, progress, required};

/// Generates a key and shares it, one share per party. **The process that runs this knows the key**: run it once,
/// offline, and give each member only its own share.
/// [`Error::WrongContext`](quorate::Error) for Ed25519, which has no shares.
/// [`Error::Rng`](quorate::Error) if the generator fails.
#[cfg_attr(binding, slow)]
pub fn deal(
    suite: Suite,
    committee: &CommitteeId,
    tolerance: &Tolerance,
    agreement: &Agreement,
) -> Result<Vec<KeyShare>> {
    let shares = any::deal(suite, committee.0, tolerance.0, (*agreement).into(), &mut SysRng)?;
    Ok(shares.into_iter().map(KeyShare).collect())
}

/// Returns 32 bytes that were unpredictable before enough parties had signed. **Verify the signature first.**
/// [`Error::WrongContext`](quorate::Error) for a signature of Ed25519, which is not unique.
#[cfg_attr(binding, quick)]
pub fn beacon(signature: &Signature) -> Result<[u8; 32]> {
    any::beacon(&signature.0)
}

class! {
    /// Public part of a shared key.
    object struct GroupKey(any::GroupKey): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "GroupKey({}, {})", self.suite(), hex::encode(self.0.id()));
    /// Decodes a key of that suite. Cost: a square root and a subgroup check for each party.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a key.
    /// [`Error::NonCanonical`](quorate::Error) for a point or a number in another form than the canonical one.
    /// [`Error::NotInSubgroup`](quorate::Error) for a point outside the subgroup.
    /// [`Error::Infinity`](quorate::Error) for the neutral element.
    /// [`Error::BadCommittee`](quorate::Error) for an impossible number of parties or of faulty ones.
    /// [`Error::WrongContext`](quorate::Error) for a key of another suite.
    fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> { any::GroupKey::decode(suite, bytes).map(Self) }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// Identifier of 32 bytes, which every share contains.
    getter fn id(&self) -> [u8; 32] { *self.0.id() }
    /// Committee of the key.
    getter fn committee(&self) -> CommitteeId { CommitteeId(self.0.committee()) }
    /// Number of parties, and the maximum number of faulty ones.
    getter fn tolerance(&self) -> Tolerance { Tolerance(self.0.tolerance()) }
    /// Number of shares that a signature needs.
    getter fn threshold(&self) -> Threshold { Threshold(self.0.threshold()) }
    /// Key under which the signatures verify.
    getter fn public(&self) -> PublicKey { PublicKey(self.0.public()) }
    /// Returns the verification key of one party's shares; nothing if there is no such party.
    quick fn party(&self, member: u16) -> Option<PublicKey> { self.0.party(member).map(PublicKey) }
}

class! {
    /// One party's share of the key.
    object secret struct KeyShare(any::KeyShare): Debug;
    shown |self, f| write!(f, "KeyShare({}, member {})", self.suite(), self.member());
    /// Decodes the result of [`KeyShare::to_bytes`] for that suite. The caller keeps the bytes and overwrites them.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a share.
    /// [`Error::NonCanonical`](quorate::Error) for a point or a number in another form than the canonical one.
    /// [`Error::NotInSubgroup`](quorate::Error) for a point outside the subgroup.
    /// [`Error::Infinity`](quorate::Error) for the neutral element.
    /// [`Error::BadCommittee`](quorate::Error) for an impossible number of parties or of faulty ones.
    /// [`Error::UnknownSigner`](quorate::Error) if the key has no such party.
    /// [`Error::WrongContext`](quorate::Error) for a share of another suite, or a secret that is not the member's.
    fn from_bytes(suite: Suite, bytes: &[u8]) -> Result<Self> {
        any::KeyShare::from_bytes(suite, bytes).map(Self)
    }
    /// Returns the whole share, **secret**, to be sealed for its party.
    fn to_bytes(&self) -> SecretBytes { self.0.to_bytes() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// Index of its party.
    getter fn member(&self) -> u16 { self.0.member() }
    /// Public part of the key.
    getter fn key(&self) -> GroupKey { GroupKey(self.0.key()) }
    /// Signs. The caller decides whether the message may be signed: nothing is recorded.
    fn sign(&self, message: &[u8]) -> SignatureShare { SignatureShare(self.0.sign(message)) }
}

class! {
    /// One party's part of a signature. It is public; whether it is right is unknown until the signature verifies.
    object struct SignatureShare(any::SignatureShare): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "SignatureShare({}, member {})", self.suite(), self.member());
    /// Decodes a share of that suite.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a share.
    /// [`Error::NonCanonical`](quorate::Error) for a point or a number in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for the neutral element.
    /// [`Error::TooLarge`](quorate::Error) for an attestation above 8,192 bytes.
    /// [`Error::WrongContext`](quorate::Error) for a share of another suite.
    fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        any::SignatureShare::decode(suite, bytes).map(Self)
    }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// Index of the party that the share names. Compare it with the sender.
    getter fn member(&self) -> u16 { self.0.member() }
    /// A hash of the key and the message: 32 bytes.
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
    /// Combines shares into a signature: optimistically at first; only if that fails, it checks each share and
    /// identifies the wrong ones. Threads may share it.
    object struct Combiner { key: GroupKey, inner: WithCache<any::Combiner> }: Debug;
    shown |self, f| write!(f, "Combiner({}, {})", self.key.suite(), progress(self.signature().is_some()));
    /// Creates a combiner for a message, which is signed without any framing: it must contain everything that the
    /// signature is to bind. Combiners that share a `cache` reuse the Lagrange coefficients of recent sets of members.
    fn new(key: &GroupKey, message: &[u8], cache: Option<&Cache>) -> Self {
        let combiner = any::Combiner::new(any::Signing::new(&key.0, message));
        Self { key: key.clone(), inner: WithCache::new(combiner, cache) }
    }
    /// Adds a share received over a link that authenticates `sender`. It never requests openings.
    /// [`Error::WrongContext`](quorate::Error) for a share of another message, or of another party than the sender.
    /// [`Error::UnknownSigner`](quorate::Error) if there is no such party.
    /// [`Error::DuplicateSigner`](quorate::Error) for a second share of a party.
    /// [`Error::BadShare`](quorate::Error) from a party that sent a wrong share before.
    fn add(&self, sender: u16, share: &SignatureShare) -> Result<Outcome> {
        let share = share.0.clone();
        let outcome = self.inner.with(|combiner, cache| combiner.add(cache, sender, share))?;
        let fault = |fault: quorate::machine::Fault<any::ShareFault>| Fault {
            culprit: fault.culprit,
            evidence: ShareFault(fault.evidence),
        };
        Ok(Outcome {
            signature: outcome.signature.map(Signature),
            wanted: outcome.wanted,
            faults: outcome.faults.into_iter().map(fault).collect(),
        })
    }
    /// Key whose shares it collects.
    getter fn key(&self) -> GroupKey { self.key.clone() }
    /// The signature, once it exists.
    getter fn signature(&self) -> Option<Signature> {
        self.inner.with(|combiner, _| combiner.signature()).map(Signature)
    }
    /// Work done so far.
    getter fn counts(&self) -> Counts { self.inner.with(|combiner, _| combiner.counts()).into() }
}

/// Result of adding a share.
pub struct Outcome {
    /// The signature, once it exists.
    pub signature: Option<Signature>,
    /// Members whose share openings are needed: none, because no share of this scheme has an opening.
    pub wanted: Vec<u16>,
    /// Members that sent wrong shares.
    pub faults: Vec<Fault>,
}

/// A party sent a wrong share.
pub struct Fault {
    /// The member at fault.
    pub culprit: u16,
    /// The evidence against it.
    pub evidence: ShareFault,
}

class! {
    /// A wrong share, with the message that it was to sign. Every holder of the key can verify it, if the share is
    /// attested.
    object struct ShareFault(any::ShareFault): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "ShareFault({})", self.share());
    /// Decodes unverified evidence of that suite.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of evidence.
    /// [`Error::NonCanonical`](quorate::Error) for a point or a number in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for the neutral element.
    /// [`Error::TooLarge`](quorate::Error) for a message or an attestation above the limits.
    /// [`Error::WrongContext`](quorate::Error) for evidence of another suite.
    fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> { any::ShareFault::decode(suite, bytes).map(Self) }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// The wrong share.
    getter fn share(&self) -> SignatureShare { SignatureShare(self.0.share()) }
    /// Verifies the evidence and returns the culprit. `attested` is called with a member, bytes and that member's
    /// attestation of them; it returns true if the attestation is valid.
    /// [`Error::NotEvidence`](quorate::Error) if the attestation is not valid, or the share is right.
    /// [`Error::WrongContext`](quorate::Error) for evidence of another key.
    fn verify(&self, key: &GroupKey, attested: Attested<'_>) -> Result<u16> {
        self.0.verify(&key.0, required(attested))
    }
}
