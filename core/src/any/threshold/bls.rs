//! Threshold BLS with the suite chosen at run time, see [`crate::threshold::bls`]. The suite is one of the two BLS
//! suites; Ed25519 has no threshold signatures and is [`Error::WrongContext`].

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::cache::{Cache, part};
use super::outcome::Outcome;
use crate::Result;
use crate::any::dispatch::{conversions, wrong_suite};
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

/// Defines an enum with one variant per BLS suite.
macro_rules! per_variant {
    ($(#[$doc:meta])* $name:ident, $of:ident) => {
        $(#[$doc])*
        pub enum $name {
            /// BLS12-381 with short signatures.
            MinSig($of<crate::bls::MinSig>),
            /// BLS12-381 with short keys.
            MinPk($of<crate::bls::MinPk>),
        }

        conversions!($name, MinSig, $of<crate::bls::MinSig>);
        conversions!($name, MinPk, $of<crate::bls::MinPk>);

        impl $name {
            /// Returns the suite.
            pub fn suite(&self) -> Suite {
                match self {
                    $name::MinSig(_) => Suite::MinSig,
                    $name::MinPk(_) => Suite::MinPk,
                }
            }
        }
    };
}

macro_rules! each_variant {
    ($any:expr, $name:ident, $typed:pat => $body:expr) => {
        match $any {
            $name::MinSig($typed) => $body,
            $name::MinPk($typed) => $body,
        }
    };
}

macro_rules! with_variant {
    ($suite:expr, $variant:ident => $body:expr) => {
        match $suite {
            Suite::MinSig => {
                type $variant = crate::bls::MinSig;
                $body
            }
            Suite::MinPk => {
                type $variant = crate::bls::MinPk;
                $body
            }
            #[cfg(any(feature = "ed25519", feature = "gossip"))]
            _ => Err(wrong_suite()),
        }
    };
}

per_variant! {
    /// The public part of a shared key, see [`bls::GroupKey`]. A clone is another handle to the same key.
    #[derive(Clone, PartialEq, Eq)]
    GroupKey, KeyOf
}

per_variant! {
    /// One party's share of the key, see [`bls::KeyShare`].
    KeyShare, KeyShareOf
}

per_variant! {
    /// One party's signature share, see [`bls::SignatureShare`].
    #[derive(Clone, PartialEq, Eq)]
    SignatureShare, ShareOf
}

per_variant! {
    /// A message to sign, see [`bls::Signing`].
    #[derive(Clone)]
    Signing, SigningOf
}

per_variant! {
    /// Combines shares to a signature, see [`combiner`].
    Combiner, CombinerOf
}

per_variant! {
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
    with_variant!(suite, V => {
        let shares = bls::deal::<V, R>(committee, tolerance, agreement, rng)?;
        Ok(shares.into_iter().map(KeyShare::from).collect())
    })
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
        with_variant!(suite, V => bls::GroupKey::<V>::decode(bytes, &()).map(|key| Arc::new(key).into()))
    }

    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> {
        each_variant!(self, GroupKey, key => key.encode())
    }

    /// Returns the key's identifier, which every share binds.
    pub fn id(&self) -> &[u8; 32] {
        each_variant!(self, GroupKey, key => key.id())
    }

    /// Returns the committee that holds the key.
    pub fn committee(&self) -> CommitteeId {
        each_variant!(self, GroupKey, key => key.committee())
    }

    /// Returns the number of parties and of faulty parties.
    pub fn tolerance(&self) -> Tolerance {
        each_variant!(self, GroupKey, key => key.tolerance())
    }

    /// Returns the number of shares that a signature needs.
    pub fn threshold(&self) -> Threshold {
        each_variant!(self, GroupKey, key => key.threshold())
    }

    /// Returns the public key of the signatures.
    pub fn public(&self) -> PublicKey {
        each_variant!(self, GroupKey, key => key.public().clone().into())
    }

    /// Returns the public key of one party's shares.
    pub fn party(&self, member: MemberIndex) -> Option<PublicKey> {
        let index = ShareIndex::from_member(member).ok()?;
        each_variant!(self, GroupKey, key => key.party(index).cloned().map(PublicKey::from))
    }
}

impl fmt::Debug for GroupKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_variant!(self, GroupKey, key => key.fmt(f))
    }
}

impl KeyShare {
    /// Decodes the encoding of [`to_bytes`](KeyShare::to_bytes) for a suite.
    ///
    /// # Errors
    /// As [`bls::KeyShare::from_bytes`].
    pub fn from_bytes(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_variant!(suite, V => KeyShareOf::<V>::from_bytes(bytes).map(Self::from))
    }

    /// Returns the encoded share: **secret**, to be [sealed](crate::threshold::seal) for its party.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        each_variant!(self, KeyShare, share => share.to_bytes())
    }

    /// Returns the member that holds the share.
    pub fn member(&self) -> MemberIndex {
        each_variant!(self, KeyShare, share => share.member())
    }

    /// Returns the public part.
    pub fn key(&self) -> GroupKey {
        each_variant!(self, KeyShare, share => Arc::clone(share.key()).into())
    }

    /// Signs a message. The caller decides whether the message may be signed.
    pub fn sign(&self, message: &[u8]) -> SignatureShare {
        each_variant!(self, KeyShare, share => share.sign(message).into())
    }
}

/// Omits the secret.
impl fmt::Debug for KeyShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_variant!(self, KeyShare, share => share.fmt(f))
    }
}

impl SignatureShare {
    /// Decodes a share of a suite.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the bytes name another suite, and decoding errors.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_variant!(suite, V => ShareOf::<V>::decode(bytes, &()).map(Self::from))
    }

    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> {
        each_variant!(self, SignatureShare, share => share.encode())
    }

    /// Returns the claimed member. Compare it with the sender.
    pub fn member(&self) -> MemberIndex {
        each_variant!(self, SignatureShare, share => share.member())
    }

    /// Returns a hash of the key and the message.
    pub fn digest(&self) -> &[u8; 32] {
        each_variant!(self, SignatureShare, share => share.digest())
    }

    /// Returns the bytes that a party signs so that a wrong share can be proven to be its own, see
    /// [`bls::SignatureShare::attested_bytes`].
    pub fn attested_bytes(&self) -> Vec<u8> {
        each_variant!(self, SignatureShare, share => share.attested_bytes())
    }

    /// Returns the party's signature of [`attested_bytes`](SignatureShare::attested_bytes); empty if it has
    /// none.
    pub fn attestation(&self) -> &[u8] {
        each_variant!(self, SignatureShare, share => share.attestation())
    }

    /// Sets the party's signature of [`attested_bytes`](SignatureShare::attested_bytes).
    ///
    /// # Errors
    /// [`Error::TooLarge`] above 8,192 bytes.
    pub fn attest(&mut self, attestation: Vec<u8>) -> Result<()> {
        each_variant!(self, SignatureShare, share => share.attest(attestation))
    }
}

impl fmt::Debug for SignatureShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_variant!(self, SignatureShare, share => share.fmt(f))
    }
}

impl Signing {
    /// Creates an instance for shares of `message`. Everything that the signature must bind must be part of the
    /// message.
    pub fn new(key: &GroupKey, message: &[u8]) -> Self {
        each_variant!(key, GroupKey, key => SigningOf::new(Arc::clone(key), message).into())
    }
}

impl fmt::Debug for Signing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_variant!(self, Signing, signing => signing.fmt(f))
    }
}

impl Combiner {
    /// Creates a combiner without shares.
    pub fn new(signing: Signing) -> Self {
        each_variant!(signing, Signing, signing => CombinerOf::new(signing).into())
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
        each_variant!(self, Combiner, combiner => {
            combiner.add(part(cache), from, share.try_into()?).map(Outcome::from)
        })
    }

    /// Returns the instance.
    pub fn signing(&self) -> Signing {
        each_variant!(self, Combiner, combiner => combiner.instance().clone().into())
    }

    /// Returns the signature, once available.
    pub fn signature(&self) -> Option<Signature> {
        each_variant!(self, Combiner, combiner => combiner.signature().cloned().map(Signature::from))
    }

    /// Returns the number of operations so far.
    pub fn counts(&self) -> Counts {
        each_variant!(self, Combiner, combiner => combiner.counts())
    }
}

impl fmt::Debug for Combiner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_variant!(self, Combiner, combiner => combiner.fmt(f))
    }
}

impl ShareFault {
    /// Decodes evidence of a suite, without verification.
    ///
    /// # Errors
    /// Decoding errors.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with_variant!(suite, V => FaultOf::<V>::decode(bytes, &()).map(Self::from))
    }

    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> {
        each_variant!(self, ShareFault, fault => fault.encode())
    }

    /// Returns the wrong share.
    pub fn share(&self) -> SignatureShare {
        each_variant!(self, ShareFault, fault => fault.share().clone().into())
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

impl fmt::Debug for ShareFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_variant!(self, ShareFault, fault => fault.fmt(f))
    }
}
