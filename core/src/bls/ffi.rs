//! Safe wrappers around `blst`; no other module calls into it.
//!
//! Each `unsafe` block passes blst pointers to initialised values, or to memory that blst fills completely, of exactly
//! the sizes that blst's header states. The module exports safe functions over owned values.
#![allow(unsafe_code)]

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod eights;
#[cfg(feature = "threshold")]
mod fr;
mod miller;
mod scalar;

use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Debug;
use core::hash::Hash;
use core::ptr;

use blst::*;
#[cfg(feature = "threshold")]
pub use fr::Fr;
pub(super) use miller::{Lines, Target};
pub(super) use scalar::Scalar;

use crate::{Error, Result};

/// One of the two source groups of the pairing, [`G1`] or [`G2`].
///
/// An `Affine` is always on the curve but not always in the subgroup.
pub trait Group: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    type Affine: Copy + Eq + Debug + Send + Sync;
    /// Compressed form: 48 or 96 bytes.
    type Compressed: Copy + Eq + Ord + Hash + AsRef<[u8]> + Debug + Send + Sync;

    const COMPRESSED_LEN: usize;

    fn generator() -> Self::Affine;
    fn infinity() -> Self::Affine;
    fn is_infinity(point: &Self::Affine) -> bool;
    fn in_subgroup(point: &Self::Affine) -> bool;
    fn negate(point: &Self::Affine) -> Self::Affine;
    fn compress(point: &Self::Affine) -> Self::Compressed;
    /// Appends the uncompressed form, which is twice as long.
    fn serialize(point: &Self::Affine, out: &mut Vec<u8>);
    /// Decodes exactly `COMPRESSED_LEN` bytes: a canonical point of the curve other than infinity.
    fn uncompress(bytes: &[u8], what: &'static str) -> Result<Self::Affine>;
    /// Decodes exactly twice `COMPRESSED_LEN` bytes: a canonical uncompressed point of the curve other than infinity.
    fn deserialize(bytes: &[u8], what: &'static str) -> Result<Self::Affine>;
    fn hash(message: &[u8], dst: &[u8]) -> Self::Affine;
    /// Hashes many messages to the curve with one shared inversion.
    fn hash_many(messages: &[&[u8]], dst: &[u8]) -> Vec<Self::Affine>;
    /// Sums points, which may be equal or opposite. Uses affine batch addition from 16 points on, and from 48 on adds
    /// eight pairs at a time where the processor can.
    fn sum(points: &[&Self::Affine]) -> Self::Affine;
    /// Returns the sums of all 2ᵏ subsets of `k` points, which may be equal or opposite, by the bitmap of the subset.
    #[cfg(feature = "group-sums")]
    fn subset_sums(points: &[Self::Affine]) -> Vec<Self::Affine>;
    /// Returns Σ weightᵢ·(sum of the points with weightᵢ) in variable time, for few distinct weights in descending
    /// order. Cost: a batch addition per weight, and two more additions between adjacent weights.
    #[cfg(feature = "gossip")]
    fn ladder(points: &[(u16, Vec<&Self::Affine>)]) -> Self::Affine;
    /// Returns Σ scalarᵢ·pointᵢ in variable time, with public scalars of `bits` bits.
    fn combine(points: &[&Self::Affine], scalars: &[u128], bits: usize) -> Self::Affine;
    /// Returns Σ scalarᵢ·pointᵢ in variable time, with public 32-byte little-endian scalars.
    #[cfg(feature = "threshold")]
    fn combine_wide(points: &[&Self::Affine], scalars: &[[u8; 32]]) -> Self::Affine;
    /// Returns secret · generator in constant time.
    fn public_key(secret: &Scalar) -> Self::Affine;
    /// Returns secret · H(message) in constant time: a signature under a key of the other group.
    fn sign(secret: &Scalar, message: &[u8], dst: &[u8]) -> Self::Affine;
}

fn wrong_length(what: &'static str, expected: u64, bytes: &[u8]) -> Error {
    Error::WrongLength { what, expected, actual: bytes.len() as u64 }
}

fn decoded<A>(what: &'static str, error: BLST_ERROR, point: A, infinity: bool) -> Result<A> {
    match error {
        BLST_ERROR::BLST_SUCCESS if infinity => Err(Error::Infinity),
        BLST_ERROR::BLST_SUCCESS => Ok(point),
        BLST_ERROR::BLST_POINT_NOT_IN_GROUP => Err(Error::NotInSubgroup),
        _ => Err(Error::Malformed { what }),
    }
}

macro_rules! group {
    (
        $name:ident, $affine:ident, $projective:ident, $len:literal, $fp:ident,
        $generator:ident, $is_inf:ident, $in_group:ident, $to_affine:ident,
        $compress:ident, $serialize:ident, $uncompress:ident, $deserialize:ident, $hash:ident, $all_to_affine:ident,
        $sum:ident, $add:ident, $add_affine:ident, $pippenger:ident, $scratch:ident, $public_key:ident, $sign:ident
    ) => {
        /// A source group of the pairing.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name {}

        impl $name {
            fn affine(point: &$projective) -> $affine {
                let mut out = $affine::default();
                // SAFETY: one point is read, one written.
                unsafe { $to_affine(&mut out, point) };
                out
            }

            fn all_affine(points: &[$projective]) -> Vec<$affine> {
                let mut out = vec![$affine::default(); points.len()];
                let pointers: Vec<*const $projective> = points.iter().map(ptr::from_ref).collect();
                if !points.is_empty() {
                    // SAFETY: as many live points as places in `out`, at least one.
                    unsafe { $all_to_affine(out.as_mut_ptr(), pointers.as_ptr(), points.len()) };
                }
                out
            }

            fn hash_projective(message: &[u8], dst: &[u8]) -> $projective {
                let mut out = $projective::default();
                // SAFETY: three readable slices with their lengths, the last of them empty; one point is written.
                unsafe {
                    $hash(&mut out, message.as_ptr(), message.len(), dst.as_ptr(), dst.len(), ptr::null(), 0);
                }
                out
            }

            #[cfg(feature = "gossip")]
            fn plus(a: &$projective, b: &$projective) -> $projective {
                let mut out = $projective::default();
                // SAFETY: two points are read, equal, opposite and infinite ones allowed; one is written.
                unsafe { $add(&mut out, a, b) };
                out
            }

            #[cfg(any(feature = "gossip", feature = "group-sums"))]
            fn plus_affine(a: &$projective, b: &$affine) -> $projective {
                let mut out = $projective::default();
                // SAFETY: two points are read, equal, opposite and infinite ones allowed; one is written.
                unsafe { $add_affine(&mut out, a, b) };
                out
            }

            /// Sums at least one point.
            fn sum_projective(points: &[&$affine]) -> $projective {
                #[cfg(all(feature = "std", target_arch = "x86_64"))]
                if let Some(fewer) = eights::reduce(points) {
                    return Self::sum_by_blst(&fewer.iter().collect::<Vec<_>>());
                }
                Self::sum_by_blst(points)
            }

            fn sum_by_blst(points: &[&$affine]) -> $projective {
                let pointers: Vec<*const $affine> = points.iter().map(|p| ptr::from_ref(*p)).collect();
                let mut out = $projective::default();
                if !pointers.is_empty() {
                    // SAFETY: that many pointers to live points, at least one; one point is written.
                    unsafe { $sum(&mut out, pointers.as_ptr(), pointers.len()) };
                }
                out
            }

            fn pippenger<const N: usize>(points: &[&$affine], scalars: &[[u8; N]], bits: usize) -> $affine {
                let n = points.len().min(scalars.len());
                if n == 0 {
                    return <Self as Group>::infinity();
                }
                let pointers: Vec<*const $affine> = points.iter().map(|p| ptr::from_ref(*p)).collect();
                let scalars: Vec<*const u8> = scalars.iter().map(|b| b.as_ptr()).collect();
                let mut out = $projective::default();
                // SAFETY: `n` live points and `n` scalars of `N` ≥ ⌈bits/8⌉ bytes (16 for at most 128 bits, 32 for
                // 255); the scratch space has the size that blst requires, in bytes, rounded up to limbs.
                unsafe {
                    let mut scratch: Vec<limb_t> = vec![0; $scratch(n).div_ceil(size_of::<limb_t>())];
                    $pippenger(&mut out, pointers.as_ptr(), n, scalars.as_ptr(), bits, scratch.as_mut_ptr());
                }
                Self::affine(&out)
            }
        }

        impl Group for $name {
            type Affine = $affine;
            type Compressed = [u8; $len];

            const COMPRESSED_LEN: usize = $len;

            fn generator() -> $affine {
                // SAFETY: blst returns a pointer to a constant.
                unsafe { *$generator() }
            }

            fn infinity() -> $affine {
                $affine::default()
            }

            fn is_infinity(point: &$affine) -> bool {
                // SAFETY: one live point.
                unsafe { $is_inf(point) }
            }

            fn in_subgroup(point: &$affine) -> bool {
                // SAFETY: one live point.
                unsafe { $in_group(point) }
            }

            fn negate(point: &$affine) -> $affine {
                let mut out = *point;
                // SAFETY: one field element is read, another one is written; blst would even allow the same element.
                unsafe { $fp(&mut out.y, &point.y, true) };
                out
            }

            fn compress(point: &$affine) -> [u8; $len] {
                let mut out = [0; $len];
                // SAFETY: blst writes exactly this many bytes.
                unsafe { $compress(out.as_mut_ptr(), point) };
                out
            }

            fn serialize(point: &$affine, out: &mut Vec<u8>) {
                let mut bytes = [0; 2 * $len];
                // SAFETY: blst writes exactly this many bytes.
                unsafe { $serialize(bytes.as_mut_ptr(), point) };
                out.extend_from_slice(&bytes);
            }

            fn uncompress(bytes: &[u8], what: &'static str) -> Result<$affine> {
                let bytes: &[u8; $len] = bytes.try_into().map_err(|_| wrong_length(what, $len, bytes))?;
                if bytes.first().is_none_or(|first| first & 0x80 == 0) {
                    return Err(Error::NonCanonical { what });
                }
                let mut point = $affine::default();
                // SAFETY: blst reads exactly this many bytes and writes one point.
                let error = unsafe { $uncompress(&mut point, bytes.as_ptr()) };
                decoded(what, error, point, Self::is_infinity(&point))
            }

            fn deserialize(bytes: &[u8], what: &'static str) -> Result<$affine> {
                let bytes: &[u8; 2 * $len] =
                    bytes.try_into().map_err(|_| wrong_length(what, 2 * $len, bytes))?;
                if bytes.first().is_none_or(|first| first & 0x80 != 0) {
                    return Err(Error::NonCanonical { what });
                }
                let mut point = $affine::default();
                // SAFETY: blst reads exactly this many bytes of an uncompressed point and writes one point.
                let error = unsafe { $deserialize(&mut point, bytes.as_ptr()) };
                decoded(what, error, point, Self::is_infinity(&point))
            }

            fn hash(message: &[u8], dst: &[u8]) -> $affine {
                Self::affine(&Self::hash_projective(message, dst))
            }

            fn hash_many(messages: &[&[u8]], dst: &[u8]) -> Vec<$affine> {
                let points: Vec<_> = messages.iter().map(|m| Self::hash_projective(m, dst)).collect();
                Self::all_affine(&points)
            }

            fn sum(points: &[&$affine]) -> $affine {
                match points {
                    [] => Self::infinity(),
                    [point] => **point,
                    _ => Self::affine(&Self::sum_projective(points)),
                }
            }

            #[cfg(feature = "group-sums")]
            fn subset_sums(points: &[$affine]) -> Vec<$affine> {
                let mut sums = vec![$projective::default()];
                for point in points {
                    let with_point: Vec<_> = sums.iter().map(|sum| Self::plus_affine(sum, point)).collect();
                    sums.extend(with_point);
                }
                Self::all_affine(&sums)
            }

            #[cfg(feature = "gossip")]
            fn ladder(points: &[(u16, Vec<&$affine>)]) -> $affine {
                // `sum` is the sum of all points whose weight is at least the current one.
                let (mut sum, mut out) = ($projective::default(), $projective::default());
                let lower = points.iter().skip(1).map(|(weight, _)| *weight).chain([0]);
                for ((weight, points), lower) in points.iter().zip(lower) {
                    sum = match points.as_slice() {
                        [] => sum,
                        [point] => Self::plus_affine(&sum, point),
                        points => Self::plus(&sum, &Self::sum_projective(points)),
                    };
                    let gap = weight.saturating_sub(lower);
                    let mut multiple = $projective::default();
                    for bit in (0..u16::BITS - gap.leading_zeros()).rev() {
                        multiple = Self::plus(&multiple, &multiple);
                        if gap >> bit & 1 == 1 {
                            multiple = Self::plus(&multiple, &sum);
                        }
                    }
                    out = Self::plus(&out, &multiple);
                }
                Self::affine(&out)
            }

            fn combine(points: &[&$affine], scalars: &[u128], bits: usize) -> $affine {
                let bytes: Vec<[u8; 16]> = scalars.iter().map(|s| s.to_le_bytes()).collect();
                Self::pippenger(points, &bytes, bits.min(128))
            }

            #[cfg(feature = "threshold")]
            fn combine_wide(points: &[&$affine], scalars: &[[u8; 32]]) -> $affine {
                Self::pippenger(points, scalars, 255)
            }

            fn public_key(secret: &Scalar) -> $affine {
                let mut out = $projective::default();
                // SAFETY: one scalar is read, one point written.
                unsafe { $public_key(&mut out, &*secret.0) };
                Self::affine(&out)
            }

            fn sign(secret: &Scalar, message: &[u8], dst: &[u8]) -> $affine {
                let hash = Self::hash_projective(message, dst);
                let mut out = $projective::default();
                // SAFETY: one point and one scalar are read, one point is written.
                unsafe { $sign(&mut out, &hash, &*secret.0) };
                Self::affine(&out)
            }
        }
    };
}

group!(
    G1,
    blst_p1_affine,
    blst_p1,
    48,
    blst_fp_cneg,
    blst_p1_affine_generator,
    blst_p1_affine_is_inf,
    blst_p1_affine_in_g1,
    blst_p1_to_affine,
    blst_p1_affine_compress,
    blst_p1_affine_serialize,
    blst_p1_uncompress,
    blst_p1_deserialize,
    blst_hash_to_g1,
    blst_p1s_to_affine,
    blst_p1s_add,
    blst_p1_add_or_double,
    blst_p1_add_or_double_affine,
    blst_p1s_mult_pippenger,
    blst_p1s_mult_pippenger_scratch_sizeof,
    blst_sk_to_pk_in_g1,
    blst_sign_pk_in_g2
);
group!(
    G2,
    blst_p2_affine,
    blst_p2,
    96,
    blst_fp2_cneg,
    blst_p2_affine_generator,
    blst_p2_affine_is_inf,
    blst_p2_affine_in_g2,
    blst_p2_to_affine,
    blst_p2_affine_compress,
    blst_p2_affine_serialize,
    blst_p2_uncompress,
    blst_p2_deserialize,
    blst_hash_to_g2,
    blst_p2s_to_affine,
    blst_p2s_add,
    blst_p2_add_or_double,
    blst_p2_add_or_double_affine,
    blst_p2s_mult_pippenger,
    blst_p2s_mult_pippenger_scratch_sizeof,
    blst_sk_to_pk_in_g2,
    blst_sign_pk_in_g1
);
