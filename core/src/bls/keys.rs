use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

use super::ffi::{Group, Scalar};
use super::group::{Affine, Variant};
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// A secret key. It is wiped when dropped and implements neither `Clone` nor `Debug` nor serialization.
pub struct SecretKey<V: Variant> {
    pub(super) scalar: Scalar,
    pub(super) variant: PhantomData<V>,
}

impl<V: Variant> SecretKey<V> {
    pub(super) fn new(scalar: Scalar) -> Self {
        Self { scalar, variant: PhantomData }
    }

    pub(super) fn public_key(&self) -> PublicKey<V> {
        PublicKey::new(V::Key::public_key(&self.scalar))
    }

    pub(super) fn sign(&self, message: &[u8], tag: &[u8]) -> Signature<V> {
        Signature { point: V::Sig::sign(&self.scalar, message, tag) }
    }

    /// Converts a reconstructed or dealt scalar to a key; `None` for zero.
    #[cfg(feature = "threshold")]
    pub(crate) fn from_scalar(number: super::ffi::Fr) -> Option<Self> {
        number.to_secret().map(Self::new)
    }
}

/// A decoded public key: canonical, in the subgroup, not the point at infinity. Equality and order are those of the
/// compressed bytes.
#[derive(Clone)]
pub struct PublicKey<V: Variant> {
    point: Affine<V::Key>,
    bytes: <V::Key as Group>::Compressed,
}

impl<V: Variant> PublicKey<V> {
    pub(super) fn new(point: Affine<V::Key>) -> Self {
        Self { point, bytes: V::Key::compress(&point) }
    }

    /// Returns the compressed encoding: 96 bytes (`MinSig`) or 48 bytes (`MinPk`).
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    pub(super) fn point(&self) -> Affine<V::Key> {
        self.point
    }

    pub(super) fn point_ref(&self) -> &Affine<V::Key> {
        &self.point
    }

    pub(super) fn sum<'a>(keys: impl Iterator<Item = &'a Self>) -> Affine<V::Key> {
        let points: Vec<_> = keys.map(|key| &key.point).collect();
        V::Key::sum(&points)
    }
}

impl<V: Variant> Encode for PublicKey<V> {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(self.bytes.as_ref());
    }
}

/// Cost: one square root and one subgroup check.
impl<V: Variant> Decode for PublicKey<V> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let point = V::Key::uncompress(r.raw(V::Key::COMPRESSED_LEN)?, "BLS public key")?;
        if V::Key::in_subgroup(&point) { Ok(Self::new(point)) } else { Err(Error::NotInSubgroup) }
    }
}

impl<V: Variant> PartialEq for PublicKey<V> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl<V: Variant> Eq for PublicKey<V> {}

impl<V: Variant> PartialOrd for PublicKey<V> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<V: Variant> Ord for PublicKey<V> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bytes.cmp(&other.bytes)
    }
}

impl<V: Variant> Hash for PublicKey<V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes.hash(state);
    }
}

impl<V: Variant> fmt::Debug for PublicKey<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({}…)", hex::encode(self.as_bytes().get(..6).unwrap_or_default()))
    }
}

/// A decoded signature: a canonical point of the curve other than infinity.
///
/// It is **not yet known to be in the subgroup**; every verification checks that.
#[derive(Clone, PartialEq, Eq)]
pub struct Signature<V: Variant> {
    pub(super) point: Affine<V::Sig>,
}

impl<V: Variant> Signature<V> {
    /// Returns the compressed encoding: 48 bytes (`MinSig`) or 96 bytes (`MinPk`).
    pub fn to_bytes(&self) -> Vec<u8> {
        V::Sig::compress(&self.point).as_ref().to_vec()
    }

    pub(super) fn sum<'a>(signatures: impl Iterator<Item = &'a Self>) -> Self {
        let points: Vec<_> = signatures.map(|signature| &signature.point).collect();
        Self { point: V::Sig::sum(&points) }
    }

    /// Returns Σ coefficientᵢ·signatureᵢ: the threshold signature of its shares. Nothing is verified.
    #[cfg(feature = "threshold")]
    pub(crate) fn interpolate(coefficients: &[super::ffi::Fr], signatures: &[&Self]) -> Self {
        let scalars: Vec<_> = coefficients.iter().map(|coefficient| coefficient.to_lendian()).collect();
        let points: Vec<_> = signatures.iter().map(|signature| &signature.point).collect();
        Self { point: V::Sig::combine_wide(&points, &scalars) }
    }

    pub(super) fn is_infinity(&self) -> bool {
        V::Sig::is_infinity(&self.point)
    }

    /// Checks that the point is finite and in the subgroup. Cost: one subgroup check.
    pub(super) fn check(&self) -> Result<()> {
        if self.is_infinity() {
            Err(Error::Infinity)
        } else if !V::Sig::in_subgroup(&self.point) {
            Err(Error::NotInSubgroup)
        } else {
            Ok(())
        }
    }

    pub(super) fn encode_uncompressed(&self, w: &mut Writer) {
        let mut bytes = Vec::with_capacity(2 * V::Sig::COMPRESSED_LEN);
        V::Sig::serialize(&self.point, &mut bytes);
        w.raw(&bytes);
    }

    pub(super) fn decode_uncompressed(r: &mut Reader<'_>) -> Result<Self> {
        let point = V::Sig::deserialize(r.raw(2 * V::Sig::COMPRESSED_LEN)?, "uncompressed BLS signature")?;
        Ok(Self { point })
    }
}

impl<V: Variant> Encode for Signature<V> {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(V::Sig::compress(&self.point).as_ref());
    }
}

/// Cost: one square root.
impl<V: Variant> Decode for Signature<V> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self { point: V::Sig::uncompress(r.raw(V::Sig::COMPRESSED_LEN)?, "BLS signature")? })
    }
}

impl<V: Variant> fmt::Debug for Signature<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({}…)", hex::encode(self.to_bytes().get(..6).unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bls::{MinPk, MinSig};

    #[test]
    fn a_secret_key_is_a_pointer_so_moving_copies_no_secret() {
        assert_eq!(size_of::<SecretKey<MinSig>>(), size_of::<usize>());
        assert_eq!(size_of::<SecretKey<MinPk>>(), size_of::<usize>());
    }
}
