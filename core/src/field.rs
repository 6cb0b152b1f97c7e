//! The prime fields of threshold cryptography, below the groups and BLS, which both have one.

use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use rand_core::TryCryptoRng;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

use crate::scheme::sealed::Sealed;
use crate::wire::{Reader, Writer};
use crate::{Error, Result};

/// A prime field of scalars: what secrets and shares are numbers of. Sums and products take constant time.
///
/// Values are plain numbers, which may be public. A secret one belongs into a
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
    /// Nothing.
    const ZERO: Self;
    /// One.
    const ONE: Self;

    /// A small number.
    fn from_u64(value: u64) -> Self;

    /// A number below 2¹²⁸.
    fn from_u128(value: u128) -> Self {
        let half = Self::from_u64(1 << 32);
        Self::from_u64((value >> 64) as u64) * half * half + Self::from_u64(value as u64)
    }

    /// 64 uniform bytes, reduced: the bias is below 2⁻²⁵⁰.
    fn from_wide(bytes: &[u8; 64]) -> Self;

    /// The 32-byte encoding that the field's standard has: little endian for ristretto255, big endian for secp256k1
    /// and BLS12-381.
    fn to_bytes(&self) -> [u8; 32];

    /// Reads the encoding; `None` for numbers from the field's order on.
    fn from_bytes(bytes: &[u8; 32]) -> Option<Self>;

    /// 1/x in constant time; `None` for zero.
    fn invert(&self) -> Option<Self>;

    /// 1/x in **variable time**: for public numbers only; `None` for zero.
    fn invert_public(&self) -> Option<Self> {
        self.invert()
    }

    /// A uniform number.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails.
    fn random<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self> {
        let mut bytes = Zeroizing::new([0; 64]);
        rng.try_fill_bytes(&mut *bytes).map_err(|_| Error::Rng)?;
        Ok(Self::from_wide(&bytes))
    }

    /// Writes the 32 bytes.
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&self.to_bytes());
    }

    /// Reads 32 bytes.
    ///
    /// # Errors
    /// [`Error::NonCanonical`] for numbers from the field's order on, [`Error::Malformed`] for too few bytes.
    fn decode_from(r: &mut Reader<'_>, what: &'static str) -> Result<Self> {
        Self::from_bytes(&r.array()?).ok_or(Error::NonCanonical { what })
    }
}
