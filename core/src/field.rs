//! Prime fields of scalars for threshold cryptography. The groups of `threshold` and BLS12-381 implement the trait.

use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use rand_core::TryCryptoRng;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

use crate::scheme::sealed::Sealed;
use crate::wire::{Reader, Writer};
use crate::{Error, Result};

/// A prime field of scalars, whose elements are secrets and shares. Addition and multiplication take constant time.
///
/// Values are plain numbers, which may be public. Keep a secret number in a
/// [`SecretScalar`](crate::threshold::SecretScalar).
pub trait Field:
    Sealed
    + Copy
    + Eq
    + ConstantTimeEq
    + Zeroize
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// The number 0.
    const ZERO: Self;
    /// The number 1.
    const ONE: Self;

    /// Converts a 64-bit number.
    fn from_u64(value: u64) -> Self;

    /// Converts a 128-bit number.
    fn from_u128(value: u128) -> Self {
        let half = Self::from_u64(1 << 32);
        Self::from_u64((value >> 64) as u64) * half * half + Self::from_u64(value as u64)
    }

    /// Reduces 64 uniform bytes to a field element with a bias below 2⁻²⁵⁰.
    fn from_wide(bytes: &[u8; 64]) -> Self;

    /// Returns the 32-byte encoding of the field's standard: little endian for ristretto255, big endian for secp256k1
    /// and BLS12-381.
    fn to_bytes(&self) -> [u8; 32];

    /// Decodes 32 bytes; returns `None` for numbers that are not below the field's order.
    fn from_bytes(bytes: &[u8; 32]) -> Option<Self>;

    /// Returns 1/x in constant time; `None` for zero.
    fn invert(&self) -> Option<Self>;

    /// Returns 1/x in **variable time**, for public numbers only; `None` for zero.
    fn invert_public(&self) -> Option<Self> {
        self.invert()
    }

    /// Draws a uniform number.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails.
    fn random<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self> {
        let mut bytes = Zeroizing::new([0; 64]);
        rng.try_fill_bytes(&mut *bytes).map_err(|_| Error::Rng)?;
        Ok(Self::from_wide(&bytes))
    }

    /// Writes the 32-byte encoding.
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&self.to_bytes());
    }

    /// Reads a 32-byte encoding.
    ///
    /// # Errors
    /// [`Error::NonCanonical`] for numbers that are not below the field's order, [`Error::Truncated`] for too few
    /// bytes.
    fn decode_from(r: &mut Reader<'_>, what: &'static str) -> Result<Self> {
        Self::from_bytes(&r.array()?).ok_or(Error::NonCanonical { what })
    }
}
