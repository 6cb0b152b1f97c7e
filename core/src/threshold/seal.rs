//! Sealed files: encryption of the dealer's files to each party, for any transport.
//!
//! X25519 between an ephemeral key and the recipient's key, BLAKE3 as key derivation, ChaCha20-Poly1305 under the
//! derived key: the structure of HPKE's base mode (RFC 9180), built from primitives that this crate already contains.
//! The curve is that of Ed25519 and ristretto255; the cipher also encrypts the payloads of threshold encryption. Its
//! implementation (RustCrypto) runs in constant time without hardware support, also in a browser, and is maintained
//! together with the curves. A password would be weaker: it can be guessed, and a machine that starts unattended stores
//! it on its disk as well.
//!
//! **A seal keeps the content secret. It does not authenticate the sender.** Any holder of the public key can seal a
//! file to it. A party compares the identities of the key and the deal in its file with those that the other parties
//! have.
//!
//! | bytes | field |
//! |---|---|
//! | 32 | ephemeral public key E = e·B |
//! | len | ciphertext, under nonce zero because a key encrypts once |
//! | 16 | tag |
//!
//! key = BLAKE3 under [`SEALED_FILE`](domain::SEALED_FILE) of e·P ‖ E ‖ P ‖ context, for the recipient's key P.
//!
//! ```
//! use quorate::threshold::seal::SealingKey;
//!
//! let mut rng = getrandom::SysRng;
//! let bob = SealingKey::generate(&mut rng)?;                              // Bob sends bob.public() to the dealer
//! let sealed = bob.public().seal(b"epoch 7", b"his shares", &mut rng)?;
//! assert_eq!(&bob.open(b"epoch 7", &sealed)?[..], b"his shares");
//! assert!(bob.open(b"epoch 8", &sealed).is_err());
//! # Ok::<(), quorate::Error>(())
//! ```

use alloc::vec::Vec;
use core::fmt;

use chacha20poly1305::aead::{AeadInOut, KeyInit};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};
use curve25519_dalek::montgomery::MontgomeryPoint;
use rand_core::TryCryptoRng;
use zeroize::{Zeroize, Zeroizing};

use crate::scheme::{SecretBytes, random_32};
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// Number of bytes by which a sealed file is longer than its content.
pub const OVERHEAD: usize = 48;
/// Maximum length of the content: 64 MiB.
pub const MAX_CONTENT: usize = 1 << 26;

/// A secret key that opens files sealed to its public key. It is wiped when dropped, and has no `Clone` or `Debug`.
pub struct SealingKey {
    secret: SecretBytes,
    public: SealingPublicKey,
}

/// A recipient's X25519 public key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SealingPublicKey([u8; 32]);

impl SealingKey {
    /// Generates a key.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails.
    pub fn generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self> {
        random_32(rng).map(Self::new)
    }

    /// Decodes a key from bytes. Any 32 bytes are a valid key.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self> {
        SecretBytes::filled(|secret| {
            secret.copy_from_slice(bytes);
            Ok(())
        })
        .map(Self::new)
    }

    /// Returns the secret key as 32 bytes, for a key file. Keep them secret.
    pub fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(*self.secret)
    }

    /// Returns the public key.
    pub fn public(&self) -> SealingPublicKey {
        self.public
    }

    /// Opens a sealed file. Cost: a multiplication, and a nanosecond per byte.
    ///
    /// # Errors
    /// [`Error::Malformed`] for less than 48 bytes, [`Error::TooLarge`], [`Error::Infinity`] for an ephemeral key of
    /// small order, and [`Error::WrongContext`] for any file that was not sealed to this key with this context.
    pub fn open(&self, context: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        let what = "sealed file";
        if sealed.len() > MAX_CONTENT + OVERHEAD {
            return Err(Error::TooLarge { what, limit: MAX_CONTENT as u64 });
        }
        let mut r = Reader::new(sealed);
        let ephemeral = SealingPublicKey::decode_from(&mut r, &())?;
        let (body, tag) = r
            .raw(r.remaining())?
            .split_last_chunk::<16>()
            .ok_or(Error::Malformed { what: "sealed file without a tag" })?;
        let cipher = cipher(&ephemeral.diffie_hellman(&self.secret)?, &ephemeral, &self.public, context);
        let mut content = Zeroizing::new(body.to_vec());
        cipher
            .decrypt_inout_detached(&Nonce::default(), &[], content.as_mut_slice().into(), &(*tag).into())
            .map_err(|_| Error::WrongContext { what: "recipient, context or content of the sealed file" })?;
        Ok(content)
    }

    fn new(secret: SecretBytes) -> Self {
        let public = SealingPublicKey(MontgomeryPoint::mul_base_clamped(*secret).to_bytes());
        Self { secret, public }
    }
}

impl SealingPublicKey {
    /// Seals content to this key. Opening it needs the same `context`, which describes the content. Cost: two
    /// multiplications, and a nanosecond per byte.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails, [`Error::TooLarge`], [`Error::Infinity`] for a recipient's key of small
    /// order.
    pub fn seal<R: TryCryptoRng + ?Sized>(
        &self,
        context: &[u8],
        content: &[u8],
        rng: &mut R,
    ) -> Result<Vec<u8>> {
        let too_large = Error::TooLarge { what: "content to seal", limit: MAX_CONTENT as u64 };
        if content.len() > MAX_CONTENT {
            return Err(too_large);
        }
        let ephemeral = SealingKey::generate(rng)?;
        let cipher = cipher(&self.diffie_hellman(&ephemeral.secret)?, &ephemeral.public, self, context);
        let mut sealed = Vec::with_capacity(content.len() + OVERHEAD);
        sealed.extend_from_slice(&ephemeral.public.0);
        sealed.extend_from_slice(content);
        let body = sealed.get_mut(32..).unwrap_or_default();
        let tag =
            cipher.encrypt_inout_detached(&Nonce::default(), &[], body.into()).map_err(|_| too_large)?;
        sealed.extend_from_slice(&tag);
        Ok(sealed)
    }

    fn diffie_hellman(&self, secret: &SecretBytes) -> Result<SecretBytes> {
        let mut point = MontgomeryPoint(self.0).mul_clamped(**secret);
        // The shared secret with a key of small order is zero, which is no secret.
        let shared = SecretBytes::filled(|bytes| {
            bytes.copy_from_slice(&point.0);
            if *bytes == [0; 32] { Err(Error::Infinity) } else { Ok(()) }
        });
        point.0.zeroize();
        shared
    }
}

fn cipher(
    shared: &SecretBytes,
    ephemeral: &SealingPublicKey,
    recipient: &SealingPublicKey,
    context: &[u8],
) -> ChaCha20Poly1305 {
    let mut hasher = domain::hasher(domain::SEALED_FILE);
    hasher.update(&**shared).update(&ephemeral.0).update(&recipient.0).update(context);
    let mut output = hasher.finalize_xof();
    let mut key = Key::default();
    output.fill(key.as_mut_slice());
    let cipher = ChaCha20Poly1305::new(&key);
    key.as_mut_slice().zeroize();
    output.zeroize();
    hasher.zeroize();
    cipher
}

impl Encode for SealingPublicKey {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&self.0);
    }
}

/// Accepts any 32 bytes; keys of small order are refused when used.
impl Decode for SealingPublicKey {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        r.array().map(Self)
    }
}

impl fmt::Debug for SealingPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealingPublicKey({}…)", hex::encode(self.0.get(..6).unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use getrandom::SysRng;

    #[test]
    fn file_opens_only_with_its_key_context_and_bytes() {
        let (bob, eve) =
            (SealingKey::generate(&mut SysRng).unwrap(), SealingKey::generate(&mut SysRng).unwrap());
        for content in [&b""[..], b"shares"] {
            let sealed = bob.public().seal(b"context", content, &mut SysRng).unwrap();
            assert_eq!(sealed.len(), content.len() + OVERHEAD);
            assert_eq!(bob.open(b"context", &sealed).unwrap()[..], *content);
            let again = SealingKey::from_bytes(&bob.to_bytes()).unwrap();
            assert_eq!(again.open(b"context", &sealed).unwrap()[..], *content);
            let refused = |key: &SealingKey, context: &[u8], sealed: &[u8]| {
                key.open(context, sealed).map(drop).unwrap_err().code()
            };
            assert_eq!(refused(&eve, b"context", &sealed), "WRONG_CONTEXT");
            assert_eq!(refused(&bob, b"contex", &sealed), "WRONG_CONTEXT");
            for at in 0..sealed.len() {
                let mut other = sealed.clone();
                other[at] ^= 1;
                assert_eq!(refused(&bob, b"context", &other), "WRONG_CONTEXT", "byte {at}");
                let expected = if at < OVERHEAD { "MALFORMED" } else { "WRONG_CONTEXT" };
                assert_eq!(refused(&bob, b"context", &sealed[..at]), expected);
            }
            // X25519 ignores the top bit of a public key, but the key derivation does not.
            let mut other = sealed.clone();
            other[31] ^= 0x80;
            assert_eq!(refused(&bob, b"context", &other), "WRONG_CONTEXT");
        }
        let [a, b] = [(); 2].map(|()| bob.public().seal(b"", b"", &mut SysRng).unwrap());
        assert_ne!(a, b, "an ephemeral key each time");
    }

    #[test]
    fn keys_of_small_order_are_refused_on_both_sides() {
        let bob = SealingKey::generate(&mut SysRng).unwrap();
        let mut one = [0; 32];
        one[0] = 1;
        for small in [[0; 32], one] {
            assert_eq!(SealingPublicKey(small).seal(b"", b"x", &mut SysRng), Err(Error::Infinity));
            let sealed = [&small[..], &[0; 20]].concat();
            assert_eq!(bob.open(b"", &sealed).map(drop), Err(Error::Infinity));
        }
    }

    /// RFC 7748, section 5.2.
    #[test]
    fn key_agreement_is_x25519() {
        let bytes = |text: &str| <[u8; 32]>::try_from(hex::decode(text).unwrap()).unwrap();
        let secret = bytes("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4");
        let public = bytes("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c");
        let secret = SealingKey::from_bytes(&secret).unwrap().secret;
        let shared = SealingPublicKey(public).diffie_hellman(&secret).unwrap();
        assert_eq!(*shared, bytes("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"));
    }
}
