use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use super::group::{MinPk, MinSig, Tags, Variant};
use super::keys::PublicKey;
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// The rules by which another chain signs messages with BLS: one of the standard's ciphersuites
/// (draft-irtf-cfrg-bls-signature, section 4.2), or a domain separation tag of the chain's own.
///
/// It selects the signatures that [`Committee::verify_raw`](crate::committee::Committee::verify_raw) and its relatives
/// accept, see [`Committee::with_ciphersuite`](crate::committee::Committee::with_ciphersuite). Quorate's own statements
/// are always signed under [`ProofOfPossession`](Ciphersuite::ProofOfPossession), and no custom tag can equal its tags:
/// a signature under any other ciphersuite is never a vote.
///
/// | bytes | field |
/// |---|---|
/// | 1 | 0: basic, 1: message augmentation, 2: proof of possession, 3: custom |
/// | 0, or 1 + 1 to 255 | nothing, or the length of the custom tag and the tag |
///
/// A beacon of drand, whose group has one key:
///
/// ```
/// # fn bytes(text: &str) -> Vec<u8> {
/// #     (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
/// # }
/// use quorate::bls::{Ciphersuite, MinSig, PublicKey, Signature};
/// use quorate::wire::Decode;
///
/// let key = "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451\
///            0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a";
/// let message = "f652498d092acd949bad74e40683bf3824fb817980504a0c7e6722cfc5a9c0a3"; // SHA-256 of the round, 1000
/// let signature = "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125\
///                  e342b73a8dd2bacbe47e4b6b63ed5e39";
/// let key = PublicKey::<MinSig>::decode(&bytes(key), &())?;
/// let signature = Signature::<MinSig>::decode(&bytes(signature), &())?;
/// Ciphersuite::Basic.verify(&key, &bytes(message), &signature)?;
/// # Ok::<(), quorate::Error>(())
/// ```
///
/// The keys of a committee need verified proofs of possession under `Basic` and `Custom` too: the signatures of all
/// members on one message are verified against the sum of their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ciphersuite {
    /// The basic scheme, whose tags end in `NUL_`: Sui and drand.
    Basic,
    /// Message augmentation, whose tags end in `AUG_`: Chia. Each member signs its public key followed by the message.
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

    /// Returns the domain separation tag of this ciphersuite.
    pub(super) fn tag<V: Variant>(&self) -> &[u8] {
        match self {
            Self::Basic => V::TAGS.basic,
            Self::MessageAugmentation => V::TAGS.augmented,
            Self::ProofOfPossession => V::TAGS.proven,
            Self::Custom(tag) => tag.as_bytes(),
        }
    }

    /// Returns the bytes that the owner of `key` signs for `message`.
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

    /// Returns true if the signed bytes of one message depend on the signer.
    pub(super) fn is_augmented(&self) -> bool {
        *self == Self::MessageAugmentation
    }
}

impl Encode for Ciphersuite {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Self::Basic => w.u8(0),
            Self::MessageAugmentation => w.u8(1),
            Self::ProofOfPossession => w.u8(2),
            Self::Custom(tag) => {
                w.u8(3);
                w.u8(tag.0.len() as u8);
                w.raw(&tag.0);
            }
        }
    }
}

impl Decode for Ciphersuite {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        match r.u8()? {
            0 => Ok(Self::Basic),
            1 => Ok(Self::MessageAugmentation),
            2 => Ok(Self::ProofOfPossession),
            3 => {
                let len = r.u8()?;
                Self::custom(r.raw(len.into())?)
            }
            _ => Err(Error::Malformed { what: "ciphersuite" }),
        }
    }
}

impl fmt::Display for Ciphersuite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Basic => f.write_str("basic"),
            Self::MessageAugmentation => f.write_str("message-augmentation"),
            Self::ProofOfPossession => f.write_str("proof-of-possession"),
            Self::Custom(tag) => write!(f, "custom {tag:?}"),
        }
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
    /// [`Error::Malformed`] for an empty tag, [`Error::TooLarge`] above [`MAX_LEN`](Dst::MAX_LEN) bytes,
    /// [`Error::NonCanonical`] for a tag under which quorate signs statements or proofs of possession.
    pub fn new(tag: &[u8]) -> Result<Self> {
        if tag.is_empty() {
            return Err(Error::Malformed { what: "empty domain separation tag" });
        }
        if tag.len() > Self::MAX_LEN {
            return Err(Error::TooLarge { what: "domain separation tag", limit: Self::MAX_LEN as u64 });
        }
        let is_own = |tags: &Tags| [tags.proven, tags.possession].contains(&tag);
        if is_own(&MinSig::TAGS) || is_own(&MinPk::TAGS) {
            return Err(Error::NonCanonical { what: "domain separation tag of the default ciphersuite" });
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
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_custom_tag_has_1_to_255_bytes() {
        assert_eq!(Dst::new(b"").unwrap_err().code(), "MALFORMED");
        assert!(Dst::new(&[1; 255]).is_ok());
        assert_eq!(Dst::new(&[1; 256]).unwrap_err().code(), "TOO_LARGE");
        for own in [MinSig::TAGS.proven, MinPk::TAGS.proven, MinSig::TAGS.possession, MinPk::TAGS.possession]
        {
            assert_eq!(Dst::new(own).unwrap_err().code(), "NON_CANONICAL");
        }
        assert!(Dst::new(MinPk::TAGS.basic).is_ok());
    }

    #[test]
    fn an_encoding_is_exact() {
        let long = Ciphersuite::custom(&[7; 255]).unwrap();
        for (ciphersuite, len) in
            [(Ciphersuite::Basic, 1), (Ciphersuite::MessageAugmentation, 1), (long, 257)]
        {
            let bytes = ciphersuite.encode();
            assert_eq!(bytes.len(), len);
            assert_eq!(Ciphersuite::decode(&bytes, &()), Ok(ciphersuite));
        }
        for bad in [&[][..], &[4], &[0, 0], &[3], &[3, 0], &[3, 2, b'a'], &[3, 1, b'a', b'b']] {
            assert_eq!(Ciphersuite::decode(bad, &()).unwrap_err().code(), "MALFORMED", "{bad:?}");
        }
    }
}
