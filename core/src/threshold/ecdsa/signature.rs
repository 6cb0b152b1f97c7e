use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use super::curve::Curve;
use crate::Result;
use crate::threshold::Secp256k1;
use crate::threshold::group::Field;
use crate::wire::{Decode, Encode, Reader, Writer};

/// A decoded signature: 64 bytes in the one canonical form. It is not verified yet.
///
/// secp256k1: r ‖ s, big endian, s in the lower half. ristretto255: R ‖ s, little endian; **this is not standard
/// ECDSA**, which needs coordinates that this group lacks, and only this crate verifies it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature<G: Curve> {
    bytes: [u8; 64],
    curve: PhantomData<G>,
}

impl<G: Curve> Signature<G> {
    pub(super) fn new(nonce: &G::Nonce, r: &G::Scalar, s: G::Scalar) -> Option<Self> {
        (s != G::Scalar::ZERO).then(|| Self { bytes: G::signature(nonce, r, s), curve: PhantomData })
    }

    /// Returns the 64 bytes.
    pub fn to_bytes(&self) -> [u8; 64] {
        self.bytes
    }
}

impl Signature<Secp256k1> {
    /// Returns the DER form for X.509 and OpenSSL: SEQUENCE { INTEGER r, INTEGER s }, at most 71 bytes.
    pub fn to_der(&self) -> Vec<u8> {
        let mut content = Vec::with_capacity(70);
        for number in self.bytes.chunks(32) {
            let digits: Vec<u8> = number.iter().copied().skip_while(|digit| *digit == 0).collect();
            // A leading one bit would make the integer negative.
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
