use alloc::vec::Vec;

use k256::elliptic_curve::BatchNormalize;
use k256::elliptic_curve::ff::PrimeField;
use k256::elliptic_curve::group::GroupEncoding;
use k256::elliptic_curve::ops::{LinearCombination, MulByGeneratorVartime, Reduce};
use k256::{AffinePoint, ProjectivePoint, Scalar, WideBytes};

use super::group::{Field, Group};
use crate::scheme::sealed::Sealed;
use crate::wire::Reader;
use crate::{Error, Result};

/// secp256k1 (SEC 2), whose signatures any ECDSA library verifies. Suite 2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Secp256k1 {}

impl Sealed for Secp256k1 {}
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
        <Scalar as Reduce<WideBytes>>::reduce(&(*bytes).into())
    }

    fn to_bytes(&self) -> [u8; 32] {
        Scalar::to_bytes(self).into()
    }

    fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        Scalar::from_repr((*bytes).into()).into()
    }

    fn invert(&self) -> Option<Self> {
        Scalar::invert(self).into()
    }

    fn invert_public(&self) -> Option<Self> {
        self.invert_vartime().into()
    }
}

impl Group for Secp256k1 {
    const SUITE: u8 = 2;
    const NAME: &'static str = "secp256k1";
    /// SEC 1, compressed: the sign of y as 2 or 3, then x.
    const ELEMENT_LEN: usize = 33;

    type Scalar = Scalar;
    type Element = ProjectivePoint;

    fn generator() -> ProjectivePoint {
        ProjectivePoint::GENERATOR
    }

    fn identity() -> ProjectivePoint {
        ProjectivePoint::IDENTITY
    }

    fn base(scalar: &Scalar) -> ProjectivePoint {
        ProjectivePoint::mul_by_generator(scalar)
    }

    fn times(element: &ProjectivePoint, scalar: &Scalar) -> ProjectivePoint {
        element * scalar
    }

    fn public_sum(terms: &[(Scalar, ProjectivePoint)]) -> ProjectivePoint {
        let terms: Vec<_> = terms.iter().map(|(scalar, element)| (*element, *scalar)).collect();
        ProjectivePoint::lincomb_vartime(&terms[..])
    }

    fn public_double(a: &Scalar, element: &ProjectivePoint, b: &Scalar) -> ProjectivePoint {
        ProjectivePoint::mul_by_generator_and_mul_add_vartime(b, a, element)
    }

    fn encode_all(elements: &[ProjectivePoint]) -> Vec<u8> {
        let affine = ProjectivePoint::batch_normalize(elements);
        affine.iter().flat_map(|element| <[u8; 33]>::from(element.to_bytes())).collect()
    }

    fn decode_element(r: &mut Reader<'_>, what: &'static str) -> Result<ProjectivePoint> {
        let bytes: [u8; 33] = r.array()?;
        if bytes == [0; 33] {
            return Err(Error::Infinity);
        }
        let point = Option::<AffinePoint>::from(AffinePoint::from_bytes(&bytes.into()));
        point.map(ProjectivePoint::from).ok_or(Error::Malformed { what })
    }
}
