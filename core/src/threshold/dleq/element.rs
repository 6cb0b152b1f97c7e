use core::fmt;

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;

use crate::wire::{Encode, Reader, Writer};
use crate::{Error, Result};

/// An element of ristretto255 other than the neutral one, with its 32-byte encoding, which is hashed repeatedly.
#[derive(Clone, Copy)]
pub struct Element {
    point: RistrettoPoint,
    bytes: [u8; 32],
}

impl Element {
    /// Returns the 32-byte encoding of RFC 9496.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// Encodes a point. Cost: an inverse square root, an eighth of a multiplication.
    pub(crate) fn from_point(point: RistrettoPoint) -> Result<Self> {
        Self::from_encoded(point, point.compress())
    }

    /// Creates an element from a point with a known encoding.
    pub(crate) fn from_encoded(point: RistrettoPoint, bytes: CompressedRistretto) -> Result<Self> {
        // Only the neutral element is encoded as zeros.
        if bytes.0 == [0; 32] { Err(Error::Infinity) } else { Ok(Self { point, bytes: bytes.0 }) }
    }

    /// Returns the doubles of points; one inversion serves all encodings.
    pub(crate) fn doubled<const N: usize>(halves: &[RistrettoPoint; N]) -> Result<[Self; N]> {
        let bytes = RistrettoPoint::double_and_compress_batch(halves);
        let mut all = [Self { point: RistrettoPoint::default(), bytes: [0; 32] }; N];
        for ((element, half), bytes) in all.iter_mut().zip(halves).zip(bytes) {
            *element = Self::from_encoded(half + half, bytes)?;
        }
        Ok(all)
    }

    /// Reads 32 bytes. Cost: an inverse square root.
    ///
    /// # Errors
    /// [`Error::NonCanonical`] for s not below the field's prime and for negative s, [`Error::Infinity`] for the
    /// neutral element, [`Error::Malformed`] if the bytes encode no element.
    pub(crate) fn decode_from(r: &mut Reader<'_>, what: &'static str) -> Result<Self> {
        let bytes = CompressedRistretto(r.array()?);
        if !is_canonical(&bytes.0) {
            return Err(Error::NonCanonical { what });
        }
        let point = bytes.decompress().ok_or(Error::Malformed { what })?;
        Self::from_encoded(point, bytes)
    }

    pub(crate) fn point(&self) -> &RistrettoPoint {
        &self.point
    }
}

impl Encode for Element {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&self.bytes);
    }
}

impl PartialEq for Element {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Element {}

impl fmt::Debug for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Element({}…)", hex::encode(self.bytes.get(..6).unwrap_or_default()))
    }
}

/// Returns true if s, little endian, is below p = 2²⁵⁵ − 19 and even, that is, not negative.
fn is_canonical(bytes: &[u8; 32]) -> bool {
    let [first, middle @ .., last] = bytes;
    let from_p_on = *last == 0x7f && *first >= 0xed && middle.iter().all(|byte| *byte == 0xff);
    first & 1 == 0 && last >> 7 == 0 && !from_p_on
}

/// Reads a number below the group's order.
///
/// # Errors
/// [`Error::NonCanonical`] for larger numbers.
pub(crate) fn read_scalar(r: &mut Reader<'_>, what: &'static str) -> Result<Scalar> {
    Option::from(Scalar::from_canonical_bytes(r.array()?)).ok_or(Error::NonCanonical { what })
}

/// Returns half of a number, in constant time: points to be encoded in a batch are needed as halves.
pub(crate) fn half(scalar: &Scalar) -> Scalar {
    // (ℓ + 1)/2.
    const INVERSE_OF_2: [u8; 32] = [
        0xf7, 0xe9, 0x7a, 0x2e, 0x8d, 0x31, 0x09, 0x2c, 0x6b, 0xce, 0x7b, 0x51, 0xef, 0x7c, 0x6f, 0x0a, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8,
    ];
    scalar * Scalar::from_bytes_mod_order(INVERSE_OF_2)
}

/// Returns a challenge: the first 128 bits of a hash. A false proof needs a hash that hits one of 2¹²⁸ values, and a
/// short challenge halves the time of multiplications by public points.
pub(crate) fn challenge_bits(hash: &[u8; 32]) -> u128 {
    hash.first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_half_is_the_number() {
        for number in [0, 1, 2, 77, u64::MAX] {
            let whole = Scalar::from(number) * Scalar::from(number);
            assert_eq!(half(&whole) + half(&whole), whole);
        }
    }

    #[test]
    fn is_canonical_agrees_with_recompression() {
        let mut decoded = 0;
        for first in 0..=255u8 {
            for (fill, last) in [(0, 0), (0, 0x7f), (0xff, 0x7f), (0xff, 0xff), (0, 0x80), (7, 3)] {
                let mut bytes = [fill; 32];
                (bytes[0], bytes[31]) = (first, last);
                match CompressedRistretto(bytes).decompress() {
                    Some(point) => {
                        decoded += 1;
                        assert!(is_canonical(&bytes) && point.compress().to_bytes() == bytes);
                    }
                    None if !is_canonical(&bytes) => {}
                    None => {
                        // Canonical, but no element: no other encoding of it decodes either.
                        assert_eq!(
                            Element::decode_from(&mut Reader::new(&bytes), "e"),
                            Err(Error::Malformed { what: "e" })
                        );
                    }
                }
            }
        }
        assert!(decoded > 50);
        let zeros = Element::decode_from(&mut Reader::new(&[0; 32]), "e");
        assert_eq!(zeros, Err(Error::Infinity));
    }

    #[test]
    fn doubles_encode_alike_in_batches_and_alone() {
        let halves = [3u64, 70, 1 << 40].map(|s| RistrettoPoint::mul_base(&Scalar::from(s)));
        for (element, half) in Element::doubled(&halves).unwrap().iter().zip(halves) {
            assert_eq!(*element, Element::from_point(half + half).unwrap());
            assert_eq!(element.point(), &(half + half));
        }
        assert_eq!(Element::doubled(&[RistrettoPoint::default()]), Err(Error::Infinity));
    }
}
