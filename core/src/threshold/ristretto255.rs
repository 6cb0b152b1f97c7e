use alloc::vec::Vec;

use curve25519_dalek::RistrettoPoint;
use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT;
use curve25519_dalek::ristretto::CompressedRistretto;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{Identity, IsIdentity, VartimeMultiscalarMul};
use k256::elliptic_curve::bigint::{Odd, U256};

use super::group::{Field, Group};
use crate::scheme::sealed::Sealed;
use crate::wire::Reader;
use crate::{Error, Result};

/// ristretto255 (RFC 9496), the paper's group. Suite 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ristretto255 {}

/// ℓ = 2²⁵² + 27742317777372353535851937790883648493.
const ORDER: Odd<U256> =
    Odd::<U256>::from_be_hex("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed");

impl Sealed for Ristretto255 {}
impl Sealed for Scalar {}

impl Field for Scalar {
    const ZERO: Self = Scalar::ZERO;
    const ONE: Self = Scalar::ONE;

    fn from_u64(value: u64) -> Self {
        value.into()
    }

    fn from_u128(value: u128) -> Self {
        value.into()
    }

    fn from_wide(bytes: &[u8; 64]) -> Self {
        Scalar::from_bytes_mod_order_wide(bytes)
    }

    fn to_bytes(&self) -> [u8; 32] {
        Scalar::to_bytes(self)
    }

    fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        Scalar::from_canonical_bytes(*bytes).into()
    }

    fn invert(&self) -> Option<Self> {
        (*self != Scalar::ZERO).then(|| Scalar::invert(self))
    }

    fn invert_public(&self) -> Option<Self> {
        let inverse = U256::from_le_slice(self.as_bytes()).invert_odd_mod_vartime(&ORDER).into_option()?;
        let bytes: [u8; 32] = inverse.to_le_bytes().into();
        Scalar::from_canonical_bytes(bytes).into()
    }
}

impl Group for Ristretto255 {
    const SUITE: u8 = 1;
    const NAME: &'static str = "ristretto255";
    const ELEMENT_LEN: usize = 32;

    type Scalar = Scalar;
    type Element = RistrettoPoint;

    fn generator() -> RistrettoPoint {
        RISTRETTO_BASEPOINT_POINT
    }

    fn identity() -> RistrettoPoint {
        RistrettoPoint::identity()
    }

    fn base(scalar: &Scalar) -> RistrettoPoint {
        RistrettoPoint::mul_base(scalar)
    }

    fn times(element: &RistrettoPoint, scalar: &Scalar) -> RistrettoPoint {
        element * scalar
    }

    fn public_sum(terms: &[(Scalar, RistrettoPoint)]) -> RistrettoPoint {
        RistrettoPoint::vartime_multiscalar_mul(
            terms.iter().map(|(scalar, _)| scalar),
            terms.iter().map(|(_, element)| element),
        )
    }

    fn public_double(a: &Scalar, element: &RistrettoPoint, b: &Scalar) -> RistrettoPoint {
        RistrettoPoint::vartime_double_scalar_mul_basepoint(a, element, b)
    }

    fn encode_all(elements: &[RistrettoPoint]) -> Vec<u8> {
        elements.iter().flat_map(|element| element.compress().to_bytes()).collect()
    }

    fn decode_element(r: &mut Reader<'_>, what: &'static str) -> Result<RistrettoPoint> {
        let point = CompressedRistretto(r.array()?).decompress().ok_or(Error::Malformed { what })?;
        if point.is_identity() { Err(Error::Infinity) } else { Ok(point) }
    }
}
