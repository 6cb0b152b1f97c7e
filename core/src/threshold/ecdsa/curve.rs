use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use curve25519_dalek::ristretto::{RistrettoBasepointTable, RistrettoPoint};
use k256::elliptic_curve::BatchNormalize;
use k256::elliptic_curve::ops::Reduce;
use k256::elliptic_curve::point::AffineCoordinates;
use k256::elliptic_curve::scalar::IsHigh;
use k256::{FieldBytes, ProjectivePoint};
use sha2::{Digest, Sha256};

use super::comb::{self, Comb};
use super::key::{GroupKey, Slot};
use crate::threshold::group::{Field, Group};
use crate::threshold::{Ristretto255, Secp256k1};
use crate::wire::context::Context;
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

const MESSAGE: Context = Context::new(domain::ECDSA_MESSAGE);

/// What ECDSA needs beside a group: the two scalars that a nonce and a message become, and the form of a signature.
///
/// In both of them R = k⁻¹·G and s = k(h + r·x), so that s·R = h·G + r·Y for the key Y = x·G.
pub trait Curve: Group {
    /// R, encoded.
    type Nonce: Copy + Eq + AsRef<[u8]> + for<'a> TryFrom<&'a [u8]> + fmt::Debug + Send + Sync + 'static;

    /// Multiples of an element, and of G where there are none yet.
    type Table: Send + Sync + 'static;
    /// After so many products the time that computing a table takes is won back.
    const TABLE_AFTER: u32;

    /// Computes a table.
    fn table(element: &Self::Element) -> Self::Table;

    /// As [`public_double`](Group::public_double), with the element's table. **Variable time.**
    fn public_double_with(a: &Self::Scalar, element: &Self::Table, b: &Self::Scalar) -> Self::Element;

    /// r, which is zero for next to no nonce. It depends on the key and the nonce alone.
    fn r(slot: &Slot, nonce: &Self::Nonce) -> Self::Scalar;

    /// h.
    fn h(slot: &Slot, nonce: &Self::Nonce, message: &[u8]) -> Self::Scalar;

    /// The signature's 64 bytes. `s` is not zero.
    fn signature(nonce: &Self::Nonce, r: &Self::Scalar, s: Self::Scalar) -> [u8; 64];

    /// Checks the form of a signature and returns s.
    ///
    /// # Errors
    /// [`Error::NonCanonical`], [`Error::Infinity`].
    fn parse(signature: &[u8; 64]) -> Result<Self::Scalar>;

    /// h and r, of a signature that parsed.
    fn numbers(slot: &Slot, message: &[u8], signature: &[u8; 64]) -> Option<[Self::Scalar; 2]>;

    /// Whether R is the signature's.
    fn is_nonce(element: &Self::Element, signature: &[u8; 64]) -> bool;
}

/// A signature that decoded: 64 bytes in the one accepted form. Whether it verifies is open.
///
/// secp256k1: r ‖ s, big endian, s in the lower half. ristretto255: R ‖ s, little endian; **this is not standard
/// ECDSA**, for which that group has no coordinates, and nothing but this crate verifies it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature<G: Curve> {
    bytes: [u8; 64],
    curve: PhantomData<G>,
}

impl<G: Curve> Signature<G> {
    pub(super) fn new(nonce: &G::Nonce, r: &G::Scalar, s: G::Scalar) -> Option<Self> {
        (s != G::Scalar::ZERO).then(|| Self { bytes: G::signature(nonce, r, s), curve: PhantomData })
    }

    /// The 64 bytes.
    pub fn to_bytes(&self) -> [u8; 64] {
        self.bytes
    }

    pub(super) fn verify(&self, key: &GroupKey<G>, slot: &Slot, message: &[u8]) -> Result<()> {
        let s = G::parse(&self.bytes)?;
        let numbers = G::numbers(slot, message, &self.bytes);
        if numbers.is_some_and(|[h, r]| self.holds(key, h, r, &s)) {
            Ok(())
        } else {
            Err(Error::BadSignature { signers: Vec::new() })
        }
    }

    /// The same where its numbers are known already.
    pub(super) fn verify_numbers(&self, key: &GroupKey<G>, h: G::Scalar, r: G::Scalar) -> bool {
        G::parse(&self.bytes).is_ok_and(|s| self.holds(key, h, r, &s))
    }

    /// Whether R = (h/s)·G + (r/s)·Y.
    fn holds(&self, key: &GroupKey<G>, h: G::Scalar, r: G::Scalar, s: &G::Scalar) -> bool {
        let Some(inverse) = s.invert_public() else { return false };
        let nonce = key.double(&(r * inverse), &(h * inverse));
        nonce != G::identity() && G::is_nonce(&nonce, &self.bytes)
    }
}

impl Signature<Secp256k1> {
    /// The form that X.509 and OpenSSL expect: SEQUENCE { INTEGER r, INTEGER s }, at most 71 bytes.
    pub fn to_der(&self) -> Vec<u8> {
        let mut content = Vec::with_capacity(70);
        for number in self.bytes.chunks(32) {
            let digits: Vec<u8> = number.iter().copied().skip_while(|digit| *digit == 0).collect();
            // A leading bit of one would make it negative.
            let sign = digits.first().is_none_or(|first| first & 0x80 != 0);
            content.extend([2, digits.len() as u8 + u8::from(sign)]);
            content.extend(sign.then_some(0));
            content.extend(digits);
        }
        let mut der = Vec::with_capacity(2 + content.len());
        der.extend([0x30, content.len() as u8]);
        der.extend(content);
        der
    }
}

impl<G: Curve> Encode for Signature<G> {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&self.bytes);
    }
}

impl<G: Curve> Decode for Signature<G> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let bytes = r.array()?;
        G::parse(&bytes)?;
        Ok(Self { bytes, curve: PhantomData })
    }
}

impl<G: Curve> fmt::Debug for Signature<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({}…)", hex::encode(self.bytes.get(..6).unwrap_or_default()))
    }
}

impl Curve for Secp256k1 {
    type Nonce = [u8; 33];

    /// G's and the element's: about 62 kB.
    type Table = [Comb; 2];
    const TABLE_AFTER: u32 = 16;

    fn table(element: &ProjectivePoint) -> [Comb; 2] {
        [ProjectivePoint::GENERATOR, *element].map(|point| Comb::of(&point))
    }

    fn public_double_with(
        a: &k256::Scalar,
        [generator, element]: &[Comb; 2],
        b: &k256::Scalar,
    ) -> ProjectivePoint {
        comb::sum([(a, element), (b, generator)])
    }

    /// The x coordinate modulo the group's order.
    fn r(_: &Slot, nonce: &[u8; 33]) -> k256::Scalar {
        let [_, x @ ..] = nonce;
        <k256::Scalar as Reduce<FieldBytes>>::reduce(&(*x).into())
    }

    /// SHA-256 modulo the group's order.
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
            // n − s would be a second signature of the same message.
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

    /// The element's: about 31 kB. G has one already.
    type Table = Box<RistrettoBasepointTable>;
    const TABLE_AFTER: u32 = 128;

    fn table(element: &RistrettoPoint) -> Self::Table {
        Box::new(RistrettoBasepointTable::create(element))
    }

    /// No doublings are left to have in common, so that two products are as fast as a sum.
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

    /// Whether the first half is an element is seen when the signature is verified: it must equal an encoding.
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
