use alloc::sync::Arc;
use alloc::vec::Vec;

use super::key::GroupKey;
use super::scheme::BlsScheme;
use super::share::SignatureShare;
use crate::bls::{Fr, Signature};
use crate::machine::MemberIndex;
use crate::threshold::combiner::Instance;
use crate::threshold::index::{ShareIndex, Threshold};
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// Maximum length of a message in evidence, in bytes.
const MAX_MESSAGE: usize = 1 << 24;

/// A message to sign, for a [`Combiner`](crate::threshold::Combiner) of its shares.
#[derive(Clone, Debug)]
pub struct Signing<V: BlsScheme> {
    key: Arc<GroupKey<V>>,
    message: Vec<u8>,
    digest: [u8; 32],
}

impl<V: BlsScheme> Signing<V> {
    /// Creates an instance for shares of `message`. Everything that the signature must bind must be part of the
    /// message.
    pub fn new(key: Arc<GroupKey<V>>, message: &[u8]) -> Self {
        Self { digest: key.digest(message), key, message: message.to_vec() }
    }
}

impl<V: BlsScheme> Instance for Signing<V> {
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
        let index = ShareIndex::from_member(share.member)?;
        self.threshold().check(index)?;
        Ok(index)
    }

    /// Cost: t multiplications in one pass, a subgroup check, two pairings.
    fn combine(&self, coefficients: &[Fr], shares: &[&SignatureShare<V>]) -> Option<Signature<V>> {
        let signatures: Vec<_> = shares.iter().map(|share| &share.signature).collect();
        let signature = Signature::interpolate(coefficients, &signatures);
        self.key.verify(&self.message, &signature).ok()?;
        Some(signature)
    }

    /// Cost: a subgroup check and two pairings.
    fn check(&self, share: &SignatureShare<V>, _: Option<&()>) -> Result<Option<bool>> {
        let key = self.key.party(ShareIndex::from_member(share.member)?);
        Ok(Some(key.is_some_and(|key| V::verify(key, &self.message, &share.signature).is_ok())))
    }

    fn evidence(&self, share: &SignatureShare<V>, _: Option<&()>) -> ShareFault<V> {
        ShareFault { message: self.message.clone(), share: share.clone() }
    }
}

/// A wrong share and its message. Any holder of the [`GroupKey`] can verify it if the share is
/// [attested](SignatureShare::attested_bytes).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShareFault<V: BlsScheme> {
    message: Vec<u8>,
    share: SignatureShare<V>,
}

impl<V: BlsScheme> ShareFault<V> {
    /// Returns the wrong share.
    pub fn share(&self) -> &SignatureShare<V> {
        &self.share
    }

    /// Verifies the evidence and returns the culprit. `attested` verifies a member's attestation of bytes.
    ///
    /// # Errors
    /// [`Error::NotEvidence`] if the share is right, [`Error::WrongContext`] for a share of another message or key,
    /// and the errors of `attested`.
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
        let party = key.party(ShareIndex::from_member(share.member)?).ok_or(unknown)?;
        attested(share.member, &share.attested_bytes(), share.attestation())?;
        match V::verify(party, &self.message, &share.signature) {
            Ok(()) => Err(Error::NotEvidence),
            Err(_) => Ok(share.member),
        }
    }
}

/// Encoding: message with its length as u32 ‖ share.
impl<V: BlsScheme> Encode for ShareFault<V> {
    fn encode_to(&self, w: &mut Writer) {
        w.bytes(&self.message);
        self.share.encode_to(w);
    }
}

/// Decodes without verification: call [`verify`](ShareFault::verify).
impl<V: BlsScheme> Decode for ShareFault<V> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let message = r.bytes("message of share evidence", MAX_MESSAGE)?.to_vec();
        Ok(Self { message, share: SignatureShare::decode_from(r, &())? })
    }
}
