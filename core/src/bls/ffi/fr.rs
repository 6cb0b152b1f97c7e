//! The scalar field of BLS12-381, for secrets that are shared among members.

use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use blst::*;
use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroize;

use super::Scalar;
use crate::field::Field;
use crate::scheme::sealed::Sealed;

/// A number modulo the order of BLS12-381's groups, encoded big endian as in the standard's key files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fr(blst_fr);

impl Fr {
    /// Converts to a secret scalar; `None` for zero.
    pub(crate) fn to_secret(self) -> Option<Scalar> {
        let mut bytes = self.to_bytes();
        let secret = Scalar::from_bytes(&bytes);
        bytes.zeroize();
        secret
    }

    /// Returns 32 little-endian bytes, the form that blst's multiplications need.
    pub(crate) fn to_lendian(self) -> [u8; 32] {
        let mut bytes = self.to_bytes();
        bytes.reverse();
        bytes
    }

    fn from_scalar(scalar: &blst_scalar) -> Self {
        let mut out = blst_fr::default();
        // SAFETY: one scalar below the order is read, one field element is written.
        unsafe { blst_fr_from_scalar(&mut out, scalar) };
        Self(out)
    }
}

impl Sealed for Fr {}

impl Field for Fr {
    const ZERO: Self = Self(blst_fr { l: [0; 4] });
    /// The number 1 in Montgomery form: 2²⁵⁶ modulo the order.
    const ONE: Self = Self(blst_fr {
        l: [0x0000_0001_ffff_fffe, 0x5884_b7fa_0003_4802, 0x998c_4fef_ecbc_4ff5, 0x1824_b159_acc5_056f],
    });

    fn from_u64(value: u64) -> Self {
        let mut out = blst_fr::default();
        // SAFETY: four readable limbs, one field element is written.
        unsafe { blst_fr_from_uint64(&mut out, [value, 0, 0, 0].as_ptr()) };
        Self(out)
    }

    fn from_wide(bytes: &[u8; 64]) -> Self {
        let mut scalar = blst_scalar::default();
        // SAFETY: 64 readable bytes, which blst reduces; one scalar is written. The returned flag, which reports zero, is not needed.
        unsafe { blst_scalar_from_le_bytes(&mut scalar, bytes.as_ptr(), bytes.len()) };
        let reduced = Self::from_scalar(&scalar);
        scalar.b.zeroize();
        reduced
    }

    fn to_bytes(&self) -> [u8; 32] {
        let (mut scalar, mut bytes) = (blst_scalar::default(), [0; 32]);
        // SAFETY: one field element is read, one scalar written; then it is read and 32 bytes are written.
        unsafe {
            blst_scalar_from_fr(&mut scalar, &self.0);
            blst_bendian_from_scalar(bytes.as_mut_ptr(), &scalar);
        }
        scalar.b.zeroize();
        bytes
    }

    fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let mut scalar = blst_scalar::default();
        // SAFETY: 32 readable bytes; one scalar is written and then read.
        let valid = unsafe {
            blst_scalar_from_bendian(&mut scalar, bytes.as_ptr());
            blst_scalar_fr_check(&scalar)
        };
        let number = valid.then(|| Self::from_scalar(&scalar));
        scalar.b.zeroize();
        number
    }

    fn invert(&self) -> Option<Self> {
        let mut out = blst_fr::default();
        // SAFETY: one field element is read, one written.
        unsafe { blst_fr_inverse(&mut out, &self.0) };
        (*self != Self::ZERO).then_some(Self(out))
    }
}

macro_rules! operator {
    ($operator:ident, $method:ident, $assign:ident, $assign_method:ident, $blst:ident) => {
        impl $operator for Fr {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                let mut out = blst_fr::default();
                // SAFETY: two field elements are read, one is written.
                unsafe { $blst(&mut out, &self.0, &other.0) };
                Self(out)
            }
        }

        impl $assign for Fr {
            fn $assign_method(&mut self, other: Self) {
                *self = $operator::$method(*self, other);
            }
        }
    };
}

operator!(Add, add, AddAssign, add_assign, blst_fr_add);
operator!(Sub, sub, SubAssign, sub_assign, blst_fr_sub);
operator!(Mul, mul, MulAssign, mul_assign, blst_fr_mul);

impl Neg for Fr {
    type Output = Self;

    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

impl ConstantTimeEq for Fr {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.0.l.ct_eq(&other.0.l)
    }
}

impl Zeroize for Fr {
    fn zeroize(&mut self) {
        self.0.l.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use getrandom::SysRng;

    #[test]
    fn is_a_field_with_one_encoding_per_element() {
        assert!(Fr::from_u64(1) == Fr::ONE && Fr::from_u64(0) == Fr::ZERO);
        let [a, b] = [(); 2].map(|()| Fr::random(&mut SysRng).unwrap());
        assert!(a * a.invert().unwrap() == Fr::ONE && Fr::ZERO.invert().is_none());
        assert!((a + b) * (a - b) == a * a - b * b);
        assert!(-a + a == Fr::ZERO && a * Fr::from_u64(3) == a + a + a);
        assert!(Fr::from_bytes(&a.to_bytes()) == Some(a) && Fr::from_bytes(&[0xff; 32]).is_none());
        // 2⁶⁴ through the wide reduction.
        let mut wide = [0; 64];
        wide[8] = 1;
        assert!(Fr::from_wide(&wide) == Fr::from_u64(u64::MAX) + Fr::ONE);
        let mut order = (-Fr::ONE).to_bytes();
        order[31] += 1;
        assert!(Fr::from_bytes(&order).is_none());
        assert!(Fr::ZERO.to_secret().is_none() && *a.to_secret().unwrap().to_bytes() == a.to_bytes());
    }
}
