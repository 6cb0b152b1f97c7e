use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::{GroupKey, Suite};
use crate::bls::{Fr, Signature};
use crate::machine::MemberIndex;
use crate::scheme::Scheme;
use crate::threshold::combiner::Instance;
use crate::threshold::sharing::{ShareIndex, Threshold};
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The longest message that evidence carries.
const MAX_MESSAGE: usize = 1 << 24;

/// One party's part of a signature. Whether it is right, and in the subgroup, is open until the signature verifies.
#[derive(Clone, PartialEq, Eq)]
pub struct SignatureShare<V: Suite> {
    member: MemberIndex,
    digest: [u8; 32],
    signature: Signature<V>,
    attestation: Vec<u8>,
}

impl<V: Suite> SignatureShare<V> {
    /// The longest attestation.
    pub const MAX_ATTESTATION: usize = 8_192;

    pub(super) fn new(member: MemberIndex, digest: [u8; 32], signature: Signature<V>) -> Self {
        Self { member, digest, signature, attestation: Vec::new() }
    }

    /// Whose it claims to be. Compare it with the sender.
    pub fn member(&self) -> MemberIndex {
        self.member
    }

    /// A hash of the key and the message.
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// What a party signs with a key that others know to be its own, so that a wrong share can be proven to be its: the
    /// domain [`THRESHOLD_SHARE`](domain::THRESHOLD_SHARE), digest 32, member u16, the signature. (A right share needs
    /// no such proof, and a wrong one verifies under nobody's key.)
    pub fn attested_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new();
        w.raw(domain::THRESHOLD_SHARE.as_bytes());
        w.raw(&self.digest);
        w.u16(self.member);
        self.signature.encode_to(&mut w);
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

/// 16 + suite 1 ‖ member u16 ‖ digest 32 ‖ signature ‖ attestation with its length as u32.
impl<V: Suite> Encode for SignatureShare<V> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(16 + <V as Scheme>::SUITE);
        w.u16(self.member);
        w.raw(&self.digest);
        self.signature.encode_to(w);
        w.bytes(&self.attestation);
    }
}

impl<V: Suite> Decode for SignatureShare<V> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        if r.u8()? != 16 + <V as Scheme>::SUITE {
            return Err(Error::WrongContext { what: "suite of the signature share" });
        }
        Ok(Self {
            member: r.u16()?,
            digest: r.array()?,
            signature: Signature::decode_from(r, &())?,
            attestation: r.bytes("attestation of a share", Self::MAX_ATTESTATION)?.to_vec(),
        })
    }
}

impl<V: Suite> fmt::Debug for SignatureShare<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SignatureShare(member {})", self.member)
    }
}

/// A message: what a [`Combiner`](crate::threshold::Combiner) needs to make a signature of shares.
#[derive(Clone, Debug)]
pub struct Signing<V: Suite> {
    key: Arc<GroupKey<V>>,
    message: Vec<u8>,
    digest: [u8; 32],
}

impl<V: Suite> Signing<V> {
    /// For shares of `message`, as it is: what the signature must bind, the message must say.
    pub fn new(key: Arc<GroupKey<V>>, message: &[u8]) -> Self {
        Self { digest: key.digest(message), key, message: message.to_vec() }
    }
}

impl<V: Suite> Instance for Signing<V> {
    type Scalar = Fr;
    type Share = SignatureShare<V>;
    type Opening = ();
    type Signature = Signature<V>;
    type Evidence = ShareFault<V>;

    fn threshold(&self) -> Threshold {
        self.key.threshold()
    }

    fn faulty(&self) -> u16 {
        self.key.tolerance().faulty()
    }

    fn index(&self, share: &SignatureShare<V>) -> Result<ShareIndex> {
        if share.digest != self.digest {
            return Err(Error::WrongContext { what: "message or key of the share" });
        }
        let index = ShareIndex::of_member(share.member)?;
        self.threshold().check(index)?;
        Ok(index)
    }

    /// Cost: t multiplications in one pass, a subgroup check, two pairings.
    fn combine(&self, coefficients: &[Fr], shares: &[&SignatureShare<V>]) -> Option<Signature<V>> {
        let signatures: Vec<_> = shares.iter().map(|share| &share.signature).collect();
        let signature = Signature::interpolate(coefficients, &signatures);
        V::verify(self.key.public(), &self.message, &signature).ok()?;
        Some(signature)
    }

    /// Cost: a subgroup check and two pairings.
    fn check(&self, share: &SignatureShare<V>, _: Option<&()>) -> Result<Option<bool>> {
        let key = self.key.party(ShareIndex::of_member(share.member)?);
        Ok(Some(key.is_some_and(|key| V::verify(key, &self.message, &share.signature).is_ok())))
    }

    fn evidence(&self, share: &SignatureShare<V>, _: Option<&()>) -> ShareFault<V> {
        ShareFault { message: self.message.clone(), share: share.clone() }
    }
}

/// A wrong share and what it was to sign. Anybody who holds the [`GroupKey`] can judge it, if the share is
/// [attested](SignatureShare::attested_bytes).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShareFault<V: Suite> {
    message: Vec<u8>,
    share: SignatureShare<V>,
}

impl<V: Suite> ShareFault<V> {
    /// The wrong share.
    pub fn share(&self) -> &SignatureShare<V> {
        &self.share
    }

    /// Checks it and returns the culprit. `attested` says whether a member's attestation of some bytes is good.
    ///
    /// # Errors
    /// [`Error::NotEvidence`] if the share is right, [`Error::WrongContext`] for one of another message or key, and what
    /// `attested` returns.
    pub fn verify(
        &self,
        key: &GroupKey<V>,
        attested: impl FnOnce(MemberIndex, &[u8], &[u8]) -> Result<()>,
    ) -> Result<MemberIndex> {
        let share = &self.share;
        if share.digest != key.digest(&self.message) {
            return Err(Error::WrongContext { what: "message or key of the share" });
        }
        let unknown = Error::UnknownSigner { index: share.member.into() };
        let party = key.party(ShareIndex::of_member(share.member)?).ok_or(unknown)?;
        attested(share.member, &share.attested_bytes(), &share.attestation)?;
        match V::verify(party, &self.message, &share.signature) {
            Ok(()) => Err(Error::NotEvidence),
            Err(_) => Ok(share.member),
        }
    }
}

/// message with its length as u32 ‖ share.
impl<V: Suite> Encode for ShareFault<V> {
    fn encode_to(&self, w: &mut Writer) {
        w.bytes(&self.message);
        self.share.encode_to(w);
    }
}

/// The bytes only: it still is to be verified.
impl<V: Suite> Decode for ShareFault<V> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let message = r.bytes("message of share evidence", MAX_MESSAGE)?.to_vec();
        Ok(Self { message, share: SignatureShare::decode_from(r, &())? })
    }
}
