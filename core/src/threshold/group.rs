use alloc::vec::Vec;
use core::fmt::Debug;
use core::hash::Hash;
use core::ops::{Add, Neg, Sub};

use crate::Result;
pub use crate::field::Field;
use crate::scheme::sealed::Sealed;
use crate::wire::{Reader, Writer};

#[cfg(doc)]
use crate::Error;

/// A group of prime order in which the discrete logarithm is hard.
///
/// The trait is sealed: the proofs need a group without a cofactor and with one encoding per element. The two
/// implementations have both.
pub trait Group: Sealed + Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// The suite byte of every encoding that depends on the group.
    const SUITE: u8;
    /// A short name for display and configuration files.
    const NAME: &'static str;
    /// Length of an encoded element in bytes.
    const ELEMENT_LEN: usize;

    /// Scalars.
    type Scalar: Field;
    /// Elements, with constant-time arithmetic.
    type Element: Copy
        + Eq
        + Debug
        + Send
        + Sync
        + Add<Output = Self::Element>
        + Sub<Output = Self::Element>
        + Neg<Output = Self::Element>;

    /// Returns the generator G.
    fn generator() -> Self::Element;

    /// Returns the neutral element.
    fn identity() -> Self::Element;

    /// Returns scalar · G in constant time. Cost: 0.3 multiplications with ristretto255, which has a table of G; one
    /// with secp256k1.
    fn base(scalar: &Self::Scalar) -> Self::Element;

    /// Returns scalar · element in constant time.
    fn times(element: &Self::Element, scalar: &Self::Scalar) -> Self::Element;

    /// Returns Σ scalarᵢ · elementᵢ in **variable time**: for public numbers only. Cost: from 0.8 multiplications for
    /// one term down to 0.2 per term for hundreds.
    fn public_sum(terms: &[(Self::Scalar, Self::Element)]) -> Self::Element;

    /// Returns a · element + b · G in **variable time**: for public numbers only. Cost: 1.1 multiplications.
    fn public_double(a: &Self::Scalar, element: &Self::Element, b: &Self::Scalar) -> Self::Element;

    /// Returns the canonical encodings, concatenated. One inversion serves all where the encoding needs one.
    fn encode_all(elements: &[Self::Element]) -> Vec<u8>;

    /// Writes the canonical encoding of one element.
    fn encode_element(element: &Self::Element, w: &mut Writer) {
        w.raw(&Self::encode_all(core::slice::from_ref(element)));
    }

    /// Decodes an element other than the neutral one. Cost: one square root.
    ///
    /// # Errors
    /// [`Error::Infinity`] for the neutral element, [`Error::Malformed`] for bytes that are no canonical encoding.
    fn decode_element(r: &mut Reader<'_>, what: &'static str) -> Result<Self::Element>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::threshold::{Ristretto255, Secp256k1};
    use getrandom::SysRng;

    fn the_laws_hold<G: Group>() {
        let [a, b] = [(); 2].map(|()| G::Scalar::random(&mut SysRng).unwrap());
        assert!(a.invert().unwrap() * a == G::Scalar::ONE && G::Scalar::ZERO.invert().is_none());
        for number in [a, b, -G::Scalar::ONE, G::Scalar::from_u64(2), G::Scalar::ONE] {
            assert!(number.invert_public() == number.invert());
        }
        assert!(G::Scalar::ZERO.invert_public().is_none());
        let (high, low) = (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210);
        let half = G::Scalar::from_u64(1 << 32);
        let number = G::Scalar::from_u64(high) * half * half + G::Scalar::from_u64(low);
        assert!(G::Scalar::from_u128(u128::from(high) << 64 | u128::from(low)) == number);
        assert_eq!(G::base(&a), G::times(&G::generator(), &a));
        assert_eq!(G::base(&(a + b)), G::base(&a) + G::base(&b));
        assert_eq!(G::public_sum(&[(a, G::generator()), (b, G::base(&a))]), G::base(&(a + a * b)));
        assert_eq!(G::public_double(&a, &G::base(&b), &b), G::base(&(a * b + b)));
        assert_eq!(G::public_sum(&[]), G::identity());
        assert_eq!(G::public_sum(&[(a, G::base(&b)), (-a, G::base(&b))]), G::identity());
        let many: Vec<_> = (0..40).map(|i| (a + G::Scalar::from_u64(i), G::base(&b))).collect();
        let sum = many.iter().fold(G::Scalar::ZERO, |sum, (scalar, _)| sum + *scalar);
        assert_eq!(G::public_sum(&many), G::base(&(sum * b)));
    }

    fn encodings_are_canonical<G: Group>() {
        let element = G::base(&G::Scalar::random(&mut SysRng).unwrap());
        let encoded = G::encode_all(&[element, G::generator()]);
        assert_eq!(encoded.len(), 2 * G::ELEMENT_LEN);
        let mut r = Reader::new(&encoded);
        assert_eq!(G::decode_element(&mut r, "e"), Ok(element));
        assert_eq!(G::decode_element(&mut r, "e"), Ok(G::generator()));
        assert!(r.is_empty());
        let identity = G::encode_all(&[G::identity()]);
        assert_eq!(G::decode_element(&mut Reader::new(&identity), "e"), Err(Error::Infinity));
        assert_eq!(G::encode_all(&[element, G::identity()])[G::ELEMENT_LEN..], identity[..]);
        // Every encoding that decodes is canonical.
        for bit in 0..8 * G::ELEMENT_LEN {
            let mut bytes = encoded[..G::ELEMENT_LEN].to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            if let Ok(other) = G::decode_element(&mut Reader::new(&bytes), "e") {
                assert_eq!(G::encode_all(&[other]), bytes);
            }
        }
        assert!(G::decode_element(&mut Reader::new(&[0xff; 33]), "e").is_err());
        assert!(G::decode_element(&mut Reader::new(&[2; 20]), "e").is_err());
    }

    fn scalars_from_the_order_on_are_refused<G: Group>() {
        let a = G::Scalar::random(&mut SysRng).unwrap();
        assert!(G::Scalar::from_bytes(&a.to_bytes()) == Some(a));
        assert!(G::Scalar::from_bytes(&[0xff; 32]).is_none());
        let mut w = Writer::new();
        w.raw(&[0xff; 32]);
        let refused = G::Scalar::decode_from(&mut Reader::new(&w.into_bytes()), "scalar").err();
        assert_eq!(refused, Some(Error::NonCanonical { what: "scalar" }));
        let largest = -G::Scalar::ONE;
        assert!(G::Scalar::from_bytes(&largest.to_bytes()) == Some(largest));
        // The order itself: one more than the largest scalar, in either byte order.
        let mut order = largest.to_bytes();
        let lowest = if G::SUITE == Ristretto255::SUITE { 0 } else { 31 };
        order[lowest] += 1;
        assert!(G::Scalar::from_bytes(&order).is_none());
    }

    #[test]
    fn both_groups() {
        the_laws_hold::<Ristretto255>();
        the_laws_hold::<Secp256k1>();
        encodings_are_canonical::<Ristretto255>();
        encodings_are_canonical::<Secp256k1>();
        scalars_from_the_order_on_are_refused::<Ristretto255>();
        scalars_from_the_order_on_are_refused::<Secp256k1>();
    }
}
