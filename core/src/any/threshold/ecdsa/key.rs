use alloc::sync::Arc;
use alloc::vec::Vec;

use super::tag::Tag;
use crate::Result;
use crate::any::families::{each, methods, per, with};
use crate::any::threshold::group::{Group, wrong_group};
use crate::committee::CommitteeId;
use crate::threshold::Tolerance;
use crate::threshold::ecdsa::{self, KeyId};
use crate::wire::{Decode, Encode};

type KeyOf<G> = Arc<ecdsa::GroupKey<G>>;
type SignatureOf<G> = ecdsa::Signature<G>;

per! { group:
    /// The public key of a committee, see [`ecdsa::GroupKey`]. A clone is another handle to the same key.
    #[derive(Clone, PartialEq, Eq)]
    GroupKey, KeyOf
}

per! { group:
    /// A decoded signature, see [`ecdsa::Signature`].
    #[derive(Clone, Copy, PartialEq, Eq)]
    Signature, SignatureOf
}

impl GroupKey {
    /// Decodes a key over a group.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the bytes name another group, and decoding errors.
    pub fn decode(group: Group, bytes: &[u8]) -> Result<Self> {
        with!(group: group, G => ecdsa::GroupKey::<G>::decode(bytes, &()).map(|key| Arc::new(key).into()))
    }

    /// Verifies a signature made under a tag.
    ///
    /// # Errors
    /// [`BadSignature`](crate::Error::BadSignature), and [`WrongContext`](crate::Error::WrongContext) for a signature
    /// over another group.
    pub fn verify(&self, tag: Tag, message: &[u8], signature: &Signature) -> Result<()> {
        each!(group: self, GroupKey, G, key => {
            let signature = signature.try_into()?;
            match tag {
                Tag::Agreed(tag) => key.verify(tag, message, signature),
                Tag::Unagreed(tag) => key.verify(tag, message, signature),
            }
        })
    }

    /// Verifies a signature over secp256k1 as any ECDSA library would, with SHA-256, and also refuses high s.
    ///
    /// # Errors
    /// [`BadSignature`](crate::Error::BadSignature), and [`WrongContext`](crate::Error::WrongContext) over another
    /// group.
    pub fn verify_message(&self, message: &[u8], signature: &Signature) -> Result<()> {
        match self {
            GroupKey::Secp256k1(key) => key.verify_message(message, signature.try_into()?),
            GroupKey::Ristretto255(_) => Err(wrong_group()),
        }
    }

    /// Returns the key over secp256k1 as a SubjectPublicKeyInfo in DER, which OpenSSL reads.
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

methods! { group: self, GroupKey, G, key =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = key.encode();

    /// Returns the key's identifier, which every share and every record binds.
    pub fn id(&self) -> KeyId = key.id();

    /// Returns the committee that holds the key.
    pub fn committee(&self) -> CommitteeId = key.committee();

    /// Returns the number of parties and of faulty parties.
    pub fn tolerance(&self) -> Tolerance = key.tolerance();
}

impl Signature {
    /// Decodes a signature over a group.
    ///
    /// # Errors
    /// Those of decoding an [`ecdsa::Signature`].
    pub fn decode(group: Group, bytes: &[u8]) -> Result<Self> {
        with!(group: group, G => SignatureOf::<G>::decode(bytes, &()).map(Self::from))
    }

    /// Returns the 64 bytes.
    pub fn to_bytes(&self) -> [u8; 64] {
        each!(group: self, Signature, G, signature => signature.to_bytes())
    }

    /// Returns the DER form of a signature over secp256k1, for X.509 and OpenSSL.
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
