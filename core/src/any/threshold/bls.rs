//! Threshold BLS with the suite chosen at run time, see [`crate::threshold::bls`]. The suite is one of the two BLS
//! suites; Ed25519 has no threshold signatures and is [`Error::WrongContext`].

use alloc::sync::Arc;
use alloc::vec::Vec;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::cache::{Cache, part};
use super::outcome::Outcome;
use crate::Result;
use crate::any::dispatch::wrong_suite;
use crate::any::families::{each, methods, per, with};
use crate::any::keys::{PublicKey, Signature};
use crate::any::suite::Suite;
use crate::committee::CommitteeId;
use crate::machine::MemberIndex;
use crate::threshold::combiner::{self, Counts};
use crate::threshold::{Agreement, ShareIndex, Threshold, Tolerance, bls};
use crate::wire::{Decode, Encode};

#[cfg(doc)]
use crate::Error;

type KeyOf<V> = Arc<bls::GroupKey<V>>;
type KeyShareOf<V> = bls::KeyShare<V>;
type ShareOf<V> = bls::SignatureShare<V>;
type SigningOf<V> = bls::Signing<V>;
type CombinerOf<V> = combiner::Combiner<bls::Signing<V>>;
type FaultOf<V> = bls::ShareFault<V>;

per! { bls:
    /// The public part of a shared key, see [`bls::GroupKey`]. A clone is another handle to the same key.
    #[derive(Clone, PartialEq, Eq)]
    GroupKey, KeyOf
}

per! { bls:
    /// One party's share of the key, see [`bls::KeyShare`].
    KeyShare, KeyShareOf
}

per! { bls:
    /// One party's signature share, see [`bls::SignatureShare`].
    #[derive(Clone, PartialEq, Eq)]
    SignatureShare, ShareOf
}

per! { bls:
    /// A message to sign, see [`bls::Signing`].
    #[derive(Clone)]
    Signing, SigningOf
}

per! { bls:
    /// Combines shares to a signature, see [`combiner`].
    Combiner, CombinerOf
}

per! { bls:
    /// A wrong share and its message, see [`bls::ShareFault`].
    #[derive(Clone, PartialEq, Eq)]
    ShareFault, FaultOf
}

/// Generates a key and shares it. **The process that runs this knows the key.**
///
/// # Errors
/// [`Error::Rng`] if the generator fails, [`Error::WrongContext`] for a suite without threshold signatures.
pub fn deal<R: TryCryptoRng + ?Sized>(
    suite: Suite,
    committee: CommitteeId,
    tolerance: Tolerance,
    agreement: Agreement,
    rng: &mut R,
) -> Result<Vec<KeyShare>> {
    with!(bls: suite, V => {
        let shares = bls::deal::<V, R>(committee, tolerance, agreement, rng)?;
        Ok(shares.into_iter().map(KeyShare::from).collect())
    }, _ => Err(wrong_suite()))
}

/// Returns 32 bytes that were unpredictable before t parties had signed, see [`bls::beacon`]. **Verify the signature
/// first.**
///
/// # Errors
/// [`Error::WrongContext`] for a signature that is not unique.
pub fn beacon(signature: &Signature) -> Result<[u8; 32]> {
    match signature {
        Signature::MinSig(signature) => Ok(bls::beacon(signature)),
        Signature::MinPk(signature) => Ok(bls::beacon(signature)),
        #[cfg(feature = "gossip")]
        Signature::MinSigCounted(signature) => Ok(bls::beacon(signature)),
        #[cfg(feature = "gossip")]
        Signature::MinPkCounted(signature) => Ok(bls::beacon(signature)),
        #[cfg(feature = "ed25519")]
        Signature::Ed25519(_) => Err(wrong_suite()),
    }
}

impl GroupKey {
    /// Decodes a key of a suite. Cost: a square root and a subgroup check for each party.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the bytes name another suite, and decoding errors.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with!(bls: suite, V => {
            bls::GroupKey::<V>::decode(bytes, &()).map(|key| Arc::new(key).into())
        }, _ => Err(wrong_suite()))
    }

    /// Returns the public key of one party's shares.
    pub fn party(&self, member: MemberIndex) -> Option<PublicKey> {
        let index = ShareIndex::from_member(member).ok()?;
        each!(bls: self, GroupKey, V, key => key.party(index).cloned().map(PublicKey::from))
    }
}

methods! { bls: self, GroupKey, V, key =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = key.encode();

    /// Returns the key's identifier, which every share binds.
    pub fn id(&self) -> &[u8; 32] = key.id();

    /// Returns the committee that holds the key.
    pub fn committee(&self) -> CommitteeId = key.committee();

    /// Returns the number of parties and of faulty parties.
    pub fn tolerance(&self) -> Tolerance = key.tolerance();

    /// Returns the number of shares that a signature needs.
    pub fn threshold(&self) -> Threshold = key.threshold();

    /// Returns the public key of the signatures.
    pub fn public(&self) -> PublicKey = key.public().clone().into();
}

impl KeyShare {
    /// Decodes the encoding of [`to_bytes`](KeyShare::to_bytes) for a suite.
    ///
    /// # Errors
    /// As [`bls::KeyShare::from_bytes`].
    pub fn from_bytes(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with!(bls: suite, V => KeyShareOf::<V>::from_bytes(bytes).map(Self::from), _ => Err(wrong_suite()))
    }
}

methods! { bls: self, KeyShare, V, share =>
    /// Returns the encoded share: **secret**, to be [sealed](crate::threshold::seal) for its party.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> = share.to_bytes();

    /// Returns the member that holds the share.
    pub fn member(&self) -> MemberIndex = share.member();

    /// Returns the public part.
    pub fn key(&self) -> GroupKey = Arc::clone(share.key()).into();

    /// Signs a message. The caller decides whether the message may be signed.
    pub fn sign(&self, message: &[u8]) -> SignatureShare = share.sign(message).into();
}

impl SignatureShare {
    /// Decodes a share of a suite.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the bytes name another suite, and decoding errors.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with!(bls: suite, V => ShareOf::<V>::decode(bytes, &()).map(Self::from), _ => Err(wrong_suite()))
    }
}

methods! { bls: self, SignatureShare, V, share =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = share.encode();

    /// Returns the claimed member. Compare it with the sender.
    pub fn member(&self) -> MemberIndex = share.member();

    /// Returns a hash of the key and the message.
    pub fn digest(&self) -> &[u8; 32] = share.digest();

    /// Returns the bytes that a party signs so that a wrong share can be proven to be its own, see
    /// [`bls::SignatureShare::attested_bytes`].
    pub fn attested_bytes(&self) -> Vec<u8> = share.attested_bytes();

    /// Returns the party's signature of [`attested_bytes`](SignatureShare::attested_bytes); empty if it has
    /// none.
    pub fn attestation(&self) -> &[u8] = share.attestation();

    /// Sets the party's signature of [`attested_bytes`](SignatureShare::attested_bytes).
    ///
    /// # Errors
    /// [`Error::TooLarge`] above 8,192 bytes.
    pub fn attest(&mut self, attestation: Vec<u8>) -> Result<()> = share.attest(attestation);
}

impl Signing {
    /// Creates an instance for shares of `message`. Everything that the signature must bind must be part of the
    /// message.
    pub fn new(key: &GroupKey, message: &[u8]) -> Self {
        each!(bls: key, GroupKey, V, key => SigningOf::new(Arc::clone(key), message).into())
    }
}

impl Combiner {
    /// Creates a combiner without shares.
    pub fn new(signing: Signing) -> Self {
        each!(bls: signing, Signing, V, signing => CombinerOf::new(signing).into())
    }

    /// Adds a share received over a link that authenticates `from`. No opening is ever requested.
    ///
    /// # Errors
    /// As [`combiner::Combiner::add`], and [`Error::WrongContext`] for a share of another suite.
    pub fn add(
        &mut self,
        cache: &mut Cache,
        from: MemberIndex,
        share: SignatureShare,
    ) -> Result<Outcome<Signature, ShareFault>> {
        each!(bls: self, Combiner, V, combiner => {
            combiner.add(part(cache), from, share.try_into()?).map(Outcome::from)
        })
    }
}

methods! { bls: self, Combiner, V, combiner =>
    /// Returns the instance.
    pub fn signing(&self) -> Signing = combiner.instance().clone().into();

    /// Returns the signature, once available.
    pub fn signature(&self) -> Option<Signature> = combiner.signature().cloned().map(Signature::from);

    /// Returns the number of operations so far.
    pub fn counts(&self) -> Counts = combiner.counts();
}

impl ShareFault {
    /// Decodes evidence of a suite, without verification.
    ///
    /// # Errors
    /// Decoding errors.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with!(bls: suite, V => FaultOf::<V>::decode(bytes, &()).map(Self::from), _ => Err(wrong_suite()))
    }

    /// Verifies the evidence and returns the culprit. `attested` verifies a member's attestation of bytes.
    ///
    /// # Errors
    /// As [`bls::ShareFault::verify`], and [`Error::WrongContext`] for a key of another suite.
    pub fn verify(
        &self,
        key: &GroupKey,
        attested: impl FnOnce(MemberIndex, &[u8], &[u8]) -> Result<()>,
    ) -> Result<MemberIndex> {
        match (self, key) {
            (ShareFault::MinSig(fault), GroupKey::MinSig(key)) => fault.verify(key, attested),
            (ShareFault::MinPk(fault), GroupKey::MinPk(key)) => fault.verify(key, attested),
            _ => Err(wrong_suite()),
        }
    }
}

methods! { bls: self, ShareFault, V, fault =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = fault.encode();

    /// Returns the wrong share.
    pub fn share(&self) -> SignatureShare = fault.share().clone().into();
}
