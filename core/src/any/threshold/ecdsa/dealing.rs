use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::{Presignatures, Tag};
use crate::Result;
use crate::any::threshold::group::{each_group, per_group, with_group};
use crate::any::threshold::{Group, wrong_group};
use crate::committee::CommitteeId;
use crate::threshold::Tolerance;
use crate::threshold::ecdsa::{self, KeyId, Plan};
use crate::wire::{Decode, Encode};

type DealerOf<G> = ecdsa::TrustedDealer<G>;
type KeyOf<G> = Arc<ecdsa::GroupKey<G>>;
type SignatureOf<G> = ecdsa::Signature<G>;

per_group! {
    /// Makes a key and deals presignatures of it; **it knows the key**, see [`ecdsa::TrustedDealer`].
    TrustedDealer, DealerOf
}

per_group! {
    /// The public key of a committee, see [`ecdsa::GroupKey`]. A clone is another handle to the same one.
    #[derive(Clone, PartialEq, Eq)]
    GroupKey, KeyOf
}

per_group! {
    /// A signature that decoded, see [`ecdsa::Signature`].
    #[derive(Clone, Copy, PartialEq, Eq)]
    Signature, SignatureOf
}

impl TrustedDealer {
    /// A new key for a committee.
    ///
    /// # Errors
    /// [`Error::Rng`](crate::Error::Rng) if the generator fails.
    pub fn new<R: TryCryptoRng + ?Sized>(
        group: Group,
        committee: CommitteeId,
        tolerance: Tolerance,
        rng: &mut R,
    ) -> Result<Self> {
        with_group!(group, G => DealerOf::<G>::new(committee, tolerance, rng).map(Self::from))
    }

    /// The dealer of a key that was written down, to deal for further epochs.
    ///
    /// # Errors
    /// As [`ecdsa::TrustedDealer::from_bytes`].
    pub fn from_bytes(
        group: Group,
        committee: CommitteeId,
        tolerance: Tolerance,
        secret: &[u8; 32],
    ) -> Result<Self> {
        with_group!(group, G => DealerOf::<G>::from_bytes(committee, tolerance, secret).map(Self::from))
    }

    /// The secret key itself.
    pub fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        each_group!(self, TrustedDealer, G, dealer => dealer.to_bytes())
    }

    /// The public key.
    pub fn key(&self) -> GroupKey {
        each_group!(self, TrustedDealer, G, dealer => Arc::clone(dealer.key()).into())
    }

    /// Deals the presignatures of one epoch, to each party its own, in the parties' order. **Never deal an epoch twice**.
    ///
    /// # Errors
    /// As [`ecdsa::TrustedDealer::deal`].
    pub fn deal<R: TryCryptoRng + ?Sized>(
        &self,
        epoch: u64,
        plan: Plan,
        rng: &mut R,
    ) -> Result<Vec<Presignatures>> {
        each_group!(self, TrustedDealer, G, dealer => {
            Ok(dealer.deal(epoch, plan, rng)?.into_iter().map(Presignatures::from).collect())
        })
    }
}

/// Without the secret.
impl fmt::Debug for TrustedDealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TrustedDealer({})", self.group())
    }
}

impl GroupKey {
    /// Reads a key over that group.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the bytes name another group, and what is wrong with them.
    pub fn decode(group: Group, bytes: &[u8]) -> Result<Self> {
        with_group!(group, G => ecdsa::GroupKey::<G>::decode(bytes, &()).map(|key| Arc::new(key).into()))
    }

    /// The canonical bytes.
    pub fn encode(&self) -> Vec<u8> {
        each_group!(self, GroupKey, G, key => key.encode())
    }

    /// Its name, which every share and every record binds.
    pub fn id(&self) -> KeyId {
        each_group!(self, GroupKey, G, key => key.id())
    }

    /// Whose key it is.
    pub fn committee(&self) -> CommitteeId {
        each_group!(self, GroupKey, G, key => key.committee())
    }

    /// How many parties there are and how many may be faulty.
    pub fn tolerance(&self) -> Tolerance {
        each_group!(self, GroupKey, G, key => key.tolerance())
    }

    /// Checks a signature that was made under a tag.
    ///
    /// # Errors
    /// [`BadSignature`](crate::Error::BadSignature), and [`WrongContext`](crate::Error::WrongContext) for one of another
    /// group.
    pub fn verify(&self, tag: Tag, message: &[u8], signature: &Signature) -> Result<()> {
        each_group!(self, GroupKey, G, key => {
            let signature = signature.try_into()?;
            match tag {
                Tag::Agreed(tag) => key.verify(tag, message, signature),
                Tag::Unagreed(tag) => key.verify(tag, message, signature),
            }
        })
    }

    /// Checks a signature over secp256k1 as any ECDSA library would, with SHA-256, and refuses high s besides.
    ///
    /// # Errors
    /// [`BadSignature`](crate::Error::BadSignature), and [`WrongContext`](crate::Error::WrongContext) over another group.
    pub fn verify_message(&self, message: &[u8], signature: &Signature) -> Result<()> {
        match self {
            GroupKey::Secp256k1(key) => key.verify_message(message, signature.try_into()?),
            GroupKey::Ristretto255(_) => Err(wrong_group()),
        }
    }

    /// The key over secp256k1 as a SubjectPublicKeyInfo in DER, which OpenSSL reads.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) over another group.
    pub fn to_spki_der(&self) -> Result<Vec<u8>> {
        match self {
            GroupKey::Secp256k1(key) => Ok(key.to_spki_der()),
            GroupKey::Ristretto255(_) => Err(wrong_group()),
        }
    }
}

impl fmt::Debug for GroupKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_group!(self, GroupKey, G, key => key.fmt(f))
    }
}

impl Signature {
    /// Reads a signature over that group.
    ///
    /// # Errors
    /// As [`ecdsa::Signature`]'s.
    pub fn decode(group: Group, bytes: &[u8]) -> Result<Self> {
        with_group!(group, G => SignatureOf::<G>::decode(bytes, &()).map(Self::from))
    }

    /// The 64 bytes.
    pub fn to_bytes(&self) -> [u8; 64] {
        each_group!(self, Signature, G, signature => signature.to_bytes())
    }

    /// The form of a signature over secp256k1 that X.509 and OpenSSL expect.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) over another group.
    pub fn to_der(&self) -> Result<Vec<u8>> {
        match self {
            Signature::Secp256k1(signature) => Ok(signature.to_der()),
            Signature::Ristretto255(_) => Err(wrong_group()),
        }
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_group!(self, Signature, G, signature => signature.fmt(f))
    }
}
