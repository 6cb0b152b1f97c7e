use alloc::boxed::Box;
use core::fmt;

use curve25519_dalek::ristretto::{RistrettoBasepointTable, RistrettoPoint};
use k256::elliptic_curve::BatchNormalize;
use k256::elliptic_curve::ops::Reduce;
use k256::elliptic_curve::point::AffineCoordinates;
use k256::elliptic_curve::scalar::IsHigh;
use k256::{FieldBytes, ProjectivePoint};
use sha2::{Digest, Sha256};

use super::comb::{self, Comb};
use super::slot::Slot;
use crate::threshold::group::{Field, Group};
use crate::threshold::{Ristretto255, Secp256k1};
use crate::wire::context::Context;
use crate::wire::domain;
use crate::{Error, Result};

const MESSAGE: Context = Context::new(domain::ECDSA_MESSAGE);

/// The parts of ECDSA that differ between groups: the scalars derived from a nonce and a message, and the signature
/// format.
///
/// In both groups R = k⁻¹·G and s = k(h + r·x), so that s·R = h·G + r·Y for the key Y = x·G.
pub trait Curve: Group {
    /// The encoded R.
    type Nonce: Copy + Eq + AsRef<[u8]> + for<'a> TryFrom<&'a [u8]> + fmt::Debug + Send + Sync + 'static;

    /// A table of multiples of an element, and of G where the group has none.
    type Table: Send + Sync + 'static;
    /// Number of products after which computing a table pays off.
    const TABLE_AFTER: u32;

    /// Computes a table.
    fn table(element: &Self::Element) -> Self::Table;

    /// Returns a · element + b · G from the element's table, as [`public_double`](Group::public_double) does without
    /// one. **Variable time.**
    fn public_double_with(a: &Self::Scalar, element: &Self::Table, b: &Self::Scalar) -> Self::Element;

    /// Returns the scalar r of a nonce, which is zero for a negligible fraction of nonces. It depends on the key and
    /// the nonce alone.
    fn r(slot: &Slot, nonce: &Self::Nonce) -> Self::Scalar;

    /// Returns the scalar h of a message.
    fn h(slot: &Slot, nonce: &Self::Nonce, message: &[u8]) -> Self::Scalar;

    /// Returns the 64 bytes of a signature. `s` is not zero.
    fn signature(nonce: &Self::Nonce, r: &Self::Scalar, s: Self::Scalar) -> [u8; 64];

    /// Checks the format of a signature and returns s.
    ///
    /// # Errors
    /// [`Error::NonCanonical`], [`Error::Infinity`].
    fn parse(signature: &[u8; 64]) -> Result<Self::Scalar>;

    /// Returns h and r of a parsed signature.
    fn numbers(slot: &Slot, message: &[u8], signature: &[u8; 64]) -> Option<[Self::Scalar; 2]>;

    /// Returns true if the element is the R of the signature.
    fn is_nonce(element: &Self::Element, signature: &[u8; 64]) -> bool;
}

impl Curve for Secp256k1 {
    type Nonce = [u8; 33];

    /// The tables of G and the element: about 62 kB.
    type Table = [Comb; 2];
    const TABLE_AFTER: u32 = 16;

    fn table(element: &ProjectivePoint) -> [Comb; 2] {
        [ProjectivePoint::GENERATOR, *element].map(|point| Comb::new(&point))
    }

    fn public_double_with(
        a: &k256::Scalar,
        [generator, element]: &[Comb; 2],
        b: &k256::Scalar,
    ) -> ProjectivePoint {
        comb::sum([(a, element), (b, generator)])
    }

    /// Returns the x coordinate modulo the group's order.
    fn r(_: &Slot, nonce: &[u8; 33]) -> k256::Scalar {
        let [_, x @ ..] = nonce;
        <k256::Scalar as Reduce<FieldBytes>>::reduce(&(*x).into())
    }

    /// Returns SHA-256 modulo the group's order.
    fn h(_: &Slot, _: &[u8; 33], message: &[u8]) -> k256::Scalar {
        let hash: [u8; 32] = Sha256::digest(message).into();
        <k256::Scalar as Reduce<FieldBytes>>::reduce(&hash.into())
    }

    fn signature(_: &[u8; 33], r: &k256::Scalar, s: k256::Scalar) -> [u8; 64] {
        let low = if bool::from(s.is_high()) { -s } else { s };
        join(&Field::to_bytes(r), &Field::to_bytes(&low))
    }

    fn parse(signature: &[u8; 64]) -> Result<k256::Scalar> {
        let (r, s) = halves(signature);
        let number = |bytes| {
            <k256::Scalar as Field>::from_bytes(bytes)
                .filter(|number| *number != k256::Scalar::ZERO)
                .ok_or(Error::NonCanonical { what: "number of an ECDSA signature" })
        };
        number(r)?;
        let s = number(s)?;
        if bool::from(s.is_high()) {
            // n − s would be a second valid signature of the same message.
            return Err(Error::NonCanonical { what: "high s of an ECDSA signature" });
        }
        Ok(s)
    }

    fn numbers(slot: &Slot, message: &[u8], signature: &[u8; 64]) -> Option<[k256::Scalar; 2]> {
        let (r, _) = halves(signature);
        Some([Self::h(slot, &[0; 33], message), <k256::Scalar as Field>::from_bytes(r)?])
    }

    fn is_nonce(element: &ProjectivePoint, signature: &[u8; 64]) -> bool {
        let (r, _) = halves(signature);
        let [element] = ProjectivePoint::batch_normalize_vartime(&[*element]);
        Field::to_bytes(&<k256::Scalar as Reduce<FieldBytes>>::reduce(&element.x())) == *r
    }
}

impl Curve for Ristretto255 {
    type Nonce = [u8; 32];

    /// The table of the element: about 31 kB. The group has one of G.
    type Table = Box<RistrettoBasepointTable>;
    const TABLE_AFTER: u32 = 128;

    fn table(element: &RistrettoPoint) -> Self::Table {
        Box::new(RistrettoBasepointTable::create(element))
    }

    /// Tables leave no doublings to share, so two products are as fast as a sum.
    fn public_double_with(a: &Self::Scalar, element: &Self::Table, b: &Self::Scalar) -> RistrettoPoint {
        a * &**element + RistrettoPoint::mul_base(b)
    }

    fn r(slot: &Slot, nonce: &[u8; 32]) -> Self::Scalar {
        let mut hasher = domain::hasher(domain::ECDSA_NONCE);
        hasher.update(&slot.key.0).update(nonce);
        wide(&hasher)
    }

    fn h(slot: &Slot, nonce: &[u8; 32], message: &[u8]) -> Self::Scalar {
        let mut hasher = MESSAGE.hasher();
        hasher.update(&slot.bytes()).update(nonce).update(message);
        wide(&hasher)
    }

    fn signature(nonce: &[u8; 32], _: &Self::Scalar, s: Self::Scalar) -> [u8; 64] {
        join(nonce, &Field::to_bytes(&s))
    }

    /// Verification checks the first half: it must equal the encoding of an element.
    fn parse(signature: &[u8; 64]) -> Result<Self::Scalar> {
        let (nonce, s) = halves(signature);
        if *nonce == [0; 32] {
            return Err(Error::Infinity);
        }
        <Self::Scalar as Field>::from_bytes(s)
            .filter(|s| *s != Self::Scalar::ZERO)
            .ok_or(Error::NonCanonical { what: "s of a signature" })
    }

    fn numbers(slot: &Slot, message: &[u8], signature: &[u8; 64]) -> Option<[Self::Scalar; 2]> {
        let (nonce, _) = halves(signature);
        Some([Self::h(slot, nonce, message), Self::r(slot, nonce)])
    }

    fn is_nonce(element: &RistrettoPoint, signature: &[u8; 64]) -> bool {
        let (nonce, _) = halves(signature);
        element.compress().as_bytes() == nonce
    }
}

fn halves(bytes: &[u8; 64]) -> (&[u8; 32], &[u8; 32]) {
    // Both halves of 64 bytes have 32.
    (bytes.first_chunk().unwrap_or(&[0; 32]), bytes.last_chunk().unwrap_or(&[0; 32]))
}

fn join(first: &[u8; 32], second: &[u8; 32]) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes.iter_mut().zip(first.iter().chain(second)).for_each(|(to, from)| *to = *from);
    bytes
}

fn wide<F: Field>(hasher: &blake3::Hasher) -> F {
    let mut bytes = [0; 64];
    hasher.finalize_xof().fill(&mut bytes);
    F::from_wide(&bytes)
}
