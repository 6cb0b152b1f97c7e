use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use ed25519_dalek::VerifyingKey;
use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign};
use sha2::{Digest, Sha512};

use crate::scheme::{SecretBytes, memo};
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// A secret key. It is wiped when dropped and implements neither `Clone` nor `Debug` nor serialization.
///
/// It corresponds to the library's `SigningKey`, but its seed stays at one address on the heap.
pub struct SecretKey {
    seed: SecretBytes,
    // Always the key of this seed: a signature under another public key would reveal the secret.
    verifying: VerifyingKey,
}

impl SecretKey {
    pub(super) fn new(seed: SecretBytes) -> Self {
        let verifying = VerifyingKey::from(&ExpandedSecretKey::from(&*seed));
        Self { seed, verifying }
    }

    pub(super) fn seed(&self) -> &[u8; 32] {
        &self.seed
    }

    pub(super) fn sign(&self, message: &[u8]) -> ed25519_dalek::Signature {
        let signature = raw_sign::<Sha512>(&ExpandedSecretKey::from(&*self.seed), message, &self.verifying);
        if memo::is_active() {
            memo::remember(memo::ED25519, &[self.verifying.as_bytes(), &signature.to_bytes(), message]);
        }
        signature
    }
}

/// A decoded public key: a canonical point that is not of small order.
///
/// It may have a torsion component, which the verification rule makes irrelevant.
#[derive(Clone)]
pub struct PublicKey {
    negated: EdwardsPoint,
    bytes: [u8; 32],
}

impl PublicKey {
    pub(super) fn from_secret(secret: &SecretKey) -> Self {
        let verifying = &secret.verifying;
        Self { negated: -verifying.to_edwards(), bytes: verifying.to_bytes() }
    }

    /// Returns the 32-byte encoding.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    pub(super) fn negated(&self) -> EdwardsPoint {
        self.negated
    }

    /// Verifies a signature by the cofactored equation of the module's rule.
    pub(super) fn verify(&self, message: &[u8], signature: &Signature) -> Result<()> {
        if memo::is_active() {
            let parts = [self.bytes.as_slice(), &signature.to_bytes(), message];
            if !memo::is_valid(memo::ED25519, &parts) {
                self.verify_equation(message, signature)?;
                memo::remember(memo::ED25519, &parts);
            }
            return Ok(());
        }
        self.verify_equation(message, signature)
    }

    fn verify_equation(&self, message: &[u8], signature: &Signature) -> Result<()> {
        let r = signature.r_point().ok_or_else(Error::bad_signature)?;
        let k = signature.challenge(self, message);
        let expected = EdwardsPoint::vartime_double_scalar_mul_basepoint(&k, &self.negated, &signature.s);
        if (expected - r).mul_by_cofactor().is_identity() { Ok(()) } else { Err(Error::bad_signature()) }
    }

    /// Verifies a signature by the strictest common rule: R is the canonical encoding of s·B − k·A, and neither R nor
    /// the key is of small order. Use it only for signatures that are never verified in batches, because the batch
    /// equation is a different one.
    #[cfg(feature = "dsig")]
    pub(crate) fn verify_strict(&self, message: &[u8], signature: &[u8; 64]) -> Result<()> {
        let (Some(r), Some(s)) = (signature.first_chunk(), signature.last_chunk()) else {
            return Err(Error::bad_signature());
        };
        let s = Option::<Scalar>::from(Scalar::from_canonical_bytes(*s)).ok_or_else(Error::bad_signature)?;
        let k = Signature { r: *r, s }.challenge(self, message);
        let expected = EdwardsPoint::vartime_double_scalar_mul_basepoint(&k, &self.negated, &s);
        // Decoding refuses keys of small order.
        if expected.compress().as_bytes() == r && !expected.is_small_order() {
            Ok(())
        } else {
            Err(Error::bad_signature())
        }
    }
}

impl Encode for PublicKey {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&self.bytes);
    }
}

/// Cost: one square root and three doublings.
impl Decode for PublicKey {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let bytes = r.array()?;
        if !is_canonical(&bytes) {
            return Err(Error::NonCanonical { what: "Ed25519 public key" });
        }
        let point =
            CompressedEdwardsY(bytes).decompress().ok_or(Error::Malformed { what: "Ed25519 public key" })?;
        if point.is_small_order() {
            return Err(Error::Infinity);
        }
        Ok(Self { negated: -point, bytes })
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for PublicKey {}

impl PartialOrd for PublicKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PublicKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bytes.cmp(&other.bytes)
    }
}

impl Hash for PublicKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes.hash(state);
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({}…)", hex::encode(self.bytes.get(..6).unwrap_or_default()))
    }
}

/// A decoded signature: `R` is canonical as a byte string and `s` is below the group order.
///
/// Verification checks that `R` is on the curve.
#[derive(Clone, PartialEq, Eq)]
pub struct Signature {
    r: [u8; 32],
    s: Scalar,
}

impl Signature {
    pub(super) fn from_dalek(signature: &ed25519_dalek::Signature) -> Self {
        Self { r: *signature.r_bytes(), s: Scalar::from_bytes_mod_order(*signature.s_bytes()) }
    }

    /// Returns the 64-byte encoding.
    pub fn to_bytes(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        let (r, s) = bytes.split_at_mut(32);
        r.copy_from_slice(&self.r);
        s.copy_from_slice(self.s.as_bytes());
        bytes
    }

    pub(super) fn s(&self) -> &Scalar {
        &self.s
    }

    pub(super) fn r_point(&self) -> Option<EdwardsPoint> {
        CompressedEdwardsY(self.r).decompress()
    }

    /// Returns SHA-512(R ‖ A ‖ message) as a scalar.
    pub(super) fn challenge(&self, key: &PublicKey, message: &[u8]) -> Scalar {
        let hash =
            Sha512::new().chain_update(self.r).chain_update(key.bytes).chain_update(message).finalize();
        Scalar::from_bytes_mod_order_wide(&hash.into())
    }
}

impl Encode for Signature {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&self.to_bytes());
    }
}

impl Decode for Signature {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let (point, s) = (r.array()?, r.array()?);
        if !is_canonical(&point) {
            return Err(Error::NonCanonical { what: "R of an Ed25519 signature" });
        }
        let s = Option::from(Scalar::from_canonical_bytes(s))
            .ok_or(Error::NonCanonical { what: "s of an Ed25519 signature" })?;
        Ok(Self { r: point, s })
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({}…)", hex::encode(self.r.get(..6).unwrap_or_default()))
    }
}

/// Returns true if 32 bytes can be a canonical point: y is below the field's prime p = 2²⁵⁵ − 19, and the sign bit is
/// not set where x is zero, which is only at y = 1 and y = −1.
fn is_canonical(bytes: &[u8; 32]) -> bool {
    let [first, middle @ .., last] = bytes;
    let (sign, last) = (last >> 7, last & 0x7f);
    let near_p = last == 0x7f && middle.iter().all(|b| *b == 0xff);
    if near_p && *first >= 0xed {
        return false;
    }
    let one = *first == 1 && last == 0 && middle.iter().all(|b| *b == 0);
    let minus_one = near_p && *first == 0xec;
    sign == 0 || !(one || minus_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "memo")]
    #[test]
    fn only_valid_signatures_are_remembered() {
        use crate::ed25519::Ed25519;
        use crate::scheme::{Scheme, with_memo};

        let secret = Ed25519::secret_from_bytes(&[3; 32]).unwrap();
        let key = Ed25519::public_key(&secret);
        let is_known = |message: &[u8], signature: &Signature| {
            memo::is_valid(memo::ED25519, &[key.bytes.as_slice(), &signature.to_bytes(), message])
        };
        let outside = Ed25519::sign(&secret, b"outside");
        with_memo(|| {
            let inside = Ed25519::sign(&secret, b"inside");
            assert!(is_known(b"inside", &inside) && !is_known(b"outside", &inside));
            assert!(!is_known(b"outside", &outside));
            assert!(Ed25519::verify(&key, b"other", &outside).is_err() && !is_known(b"other", &outside));
            assert_eq!(Ed25519::verify(&key, b"outside", &outside), Ok(()));
            assert!(is_known(b"outside", &outside));
        });
        assert!(!is_known(b"outside", &outside));
    }

    #[cfg(feature = "dsig")]
    #[test]
    fn verify_strict_agrees_with_ed25519_dalek() {
        let secret = SecretKey::new(SecretBytes::copy_of(&[3; 32]));
        let key = PublicKey::from_secret(&secret);
        let theirs = secret.verifying;
        let good = secret.sign(b"m").to_bytes();
        let mut tampered: alloc::vec::Vec<[u8; 64]> = (0..512)
            .map(|bit| {
                let mut bad = good;
                bad[bit / 8] ^= 1 << (bit % 8);
                bad
            })
            .collect();
        // s + ℓ, and R of small order with s = 0.
        let order = hex::decode("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010").unwrap();
        let (mut high, mut carry) = (good, 0u16);
        for (byte, add) in high[32..].iter_mut().zip(order) {
            let sum = u16::from(*byte) + u16::from(add) + carry;
            (*byte, carry) = (sum as u8, sum >> 8);
        }
        let mut small = [0; 64];
        small[0] = 1;
        tampered.extend([high, small, good]);
        for bytes in tampered {
            let expected = theirs.verify_strict(b"m", &ed25519_dalek::Signature::from_bytes(&bytes)).is_ok();
            assert_eq!(key.verify_strict(b"m", &bytes).is_ok(), expected);
            assert_eq!(expected, bytes == good);
        }
    }

    #[test]
    fn moving_a_secret_key_keeps_its_address() {
        let secret = SecretKey::new(SecretBytes::copy_of(&[7; 32]));
        let place = secret.seed().as_ptr();
        let moved = [secret];
        assert_eq!(moved[0].seed().as_ptr(), place);
    }

    #[test]
    fn canonical_points_compress_to_the_same_bytes() {
        let mut cases = alloc::vec::Vec::new();
        for first in 0..=255u8 {
            for fill in [0x00, 0xff] {
                for last in [0x00, 0x7f, 0x80, 0xff] {
                    let mut bytes = [fill; 32];
                    bytes[0] = first;
                    bytes[31] = last;
                    cases.push(bytes);
                }
            }
        }
        let mut points = 0;
        for bytes in cases {
            if let Some(point) = CompressedEdwardsY(bytes).decompress() {
                points += 1;
                assert_eq!(
                    is_canonical(&bytes),
                    point.compress().to_bytes() == bytes,
                    "{}",
                    hex::encode(bytes)
                );
            }
        }
        assert!(points > 500);
    }
}
