use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use super::group::Variant;
use super::keys::{PublicKey, SecretKey, Signature};
use super::pairing;
use crate::{Error, Result};

/// How another chain signs messages with BLS: one of the standard's ciphersuites (draft-irtf-cfrg-bls-signature, section
/// 4.2), or a domain separation tag of the chain's own.
///
/// It selects the signatures that [`Committee::verify_raw`](crate::committee::Committee::verify_raw) and its relatives
/// accept, see [`Committee::with_ciphersuite`](crate::committee::Committee::with_ciphersuite). Quorate's own statements
/// are always signed under [`ProofOfPossession`](Ciphersuite::ProofOfPossession), so a signature under any other
/// ciphersuite is never a vote.
///
/// The keys of a committee need verified proofs of possession under `Basic` and `Custom` too: the signatures of all
/// members on one message are verified against the sum of their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ciphersuite {
    /// The basic scheme, whose tags end in `NUL_`: Sui and drand.
    Basic,
    /// Message augmentation, whose tags end in `AUG_`: each member signs its public key followed by the message. Chia.
    ///
    /// Each signer costs a hash to the curve and a pairing, because no two sign the same bytes.
    MessageAugmentation,
    /// Proof of possession, whose tags end in `POP_`: Ethereum, Aptos, and quorate itself.
    #[default]
    ProofOfPossession,
    /// A domain separation tag of the chain's own, with messages as they are.
    Custom(Dst),
}

impl Ciphersuite {
    /// Creates a ciphersuite with a domain separation tag of the chain's own.
    ///
    /// # Errors
    /// As [`Dst::new`].
    pub fn custom(tag: &[u8]) -> Result<Self> {
        Dst::new(tag).map(Self::Custom)
    }

    /// Signs a message for another chain. Never sign with a key that signs quorate's statements: a
    /// [`Guard`](crate::guard::Guard) does not record it.
    pub fn sign<V: Variant>(&self, secret: &SecretKey<V>, message: &[u8]) -> Signature<V> {
        let message = match self {
            Self::MessageAugmentation => self.signed_bytes(&secret.public_key(), message),
            _ => Cow::Borrowed(message),
        };
        secret.sign(&message, self.tag::<V>())
    }

    /// Verifies one signature of another chain. Cost: a hash to the curve, a subgroup check, two pairings.
    ///
    /// # Errors
    /// [`Error::BadSignature`], [`Error::NotInSubgroup`], [`Error::Infinity`].
    pub fn verify<V: Variant>(
        &self,
        key: &PublicKey<V>,
        message: &[u8],
        signature: &Signature<V>,
    ) -> Result<()> {
        let message = self.signed_bytes(key, message);
        pairing::verify(&[(key.point(), &*message)], self.tag::<V>(), signature)
    }

    /// The domain separation tag of this ciphersuite.
    pub(super) fn tag<V: Variant>(&self) -> &[u8] {
        match self {
            Self::Basic => V::TAGS.basic,
            Self::MessageAugmentation => V::TAGS.augmented,
            Self::ProofOfPossession => V::TAGS.proven,
            Self::Custom(tag) => tag.as_bytes(),
        }
    }

    /// The bytes that the owner of `key` signs for `message`.
    pub(super) fn signed_bytes<'a, V: Variant>(
        &self,
        key: &PublicKey<V>,
        message: &'a [u8],
    ) -> Cow<'a, [u8]> {
        match self {
            Self::MessageAugmentation => [key.as_bytes(), message].concat().into(),
            _ => message.into(),
        }
    }

    /// True if each signer signs other bytes for one message.
    pub(super) fn is_augmented(&self) -> bool {
        *self == Self::MessageAugmentation
    }
}

/// A domain separation tag: 1 to 255 bytes (RFC 9380, section 3.1).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Dst(Vec<u8>);

impl Dst {
    /// Maximum length of a tag in bytes.
    pub const MAX_LEN: usize = 255;

    /// Creates a tag.
    ///
    /// # Errors
    /// [`Error::Malformed`] for an empty tag, [`Error::TooLarge`] above [`MAX_LEN`](Dst::MAX_LEN) bytes.
    pub fn new(tag: &[u8]) -> Result<Self> {
        if tag.is_empty() {
            return Err(Error::Malformed { what: "empty domain separation tag" });
        }
        if tag.len() > Self::MAX_LEN {
            return Err(Error::TooLarge { what: "domain separation tag", limit: Self::MAX_LEN as u64 });
        }
        Ok(Self(tag.to_vec()))
    }

    /// Returns the tag.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Dst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dst({})", self.0.escape_ascii())
    }
}

/// The standard's domain separation tags for one assignment of the groups.
#[derive(Debug)]
pub struct Tags {
    pub(super) basic: &'static [u8],
    pub(super) augmented: &'static [u8],
    /// Signatures under the ciphersuite with proofs of possession.
    pub(super) proven: &'static [u8],
    /// The proofs of possession themselves.
    pub(super) possession: &'static [u8],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bls::MinPk;
    use crate::scheme::Scheme;

    #[test]
    fn a_signature_verifies_under_its_own_ciphersuite_only() {
        let secret = MinPk::secret_from_bytes(&[7; 32]).unwrap();
        let key = MinPk::public_key(&secret);
        let all = [
            Ciphersuite::Basic,
            Ciphersuite::MessageAugmentation,
            Ciphersuite::ProofOfPossession,
            Ciphersuite::custom(b"my chain").unwrap(),
            Ciphersuite::custom(b"your chain").unwrap(),
        ];
        for signed in &all {
            let signature = signed.sign(&secret, b"m");
            for verified in &all {
                assert_eq!(verified.verify(&key, b"m", &signature).is_ok(), signed == verified);
            }
        }
        assert_eq!(Ciphersuite::default().sign(&secret, b"m"), MinPk::sign(&secret, b"m"));
    }

    #[test]
    fn a_custom_tag_has_1_to_255_bytes() {
        assert_eq!(Dst::new(b"").unwrap_err().code(), "MALFORMED");
        assert!(Dst::new(&[1; 255]).is_ok());
        assert_eq!(Dst::new(&[1; 256]).unwrap_err().code(), "TOO_LARGE");
    }
}
