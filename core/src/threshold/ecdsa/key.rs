use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::curve::Curve;
use super::signature::Signature;
use super::slot::{KeyId, Slot};
use super::tables::Tables;
use super::tag::Tag;
use crate::committee::CommitteeId;
use crate::threshold::Secp256k1;
use crate::threshold::group::{Field, Group};
use crate::threshold::tolerance::{Class, Tolerance};
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The public key of a committee, under which its signatures verify.
///
/// Memory: with `std`, a table of multiples of the key, shared by its clones: about 62 kB for secp256k1 from the 17th
/// verified signature on, about 31 kB for ristretto255 from the 129th. That verification computes the table and takes
/// longer; concurrent verifications under the key wait for it. A key that is decoded anew for each signature never
/// gets a table.
#[derive(Clone)]
pub struct GroupKey<G: Curve> {
    id: KeyId,
    committee: CommitteeId,
    tolerance: Tolerance,
    element: G::Element,
    tables: Arc<Tables<G>>,
}

impl<G: Curve> GroupKey<G> {
    pub(super) fn new(committee: CommitteeId, tolerance: Tolerance, element: G::Element) -> Self {
        let tables = Arc::new(Tables::new());
        let mut key = Self { id: KeyId([0; 32]), committee, tolerance, element, tables };
        key.id = KeyId(domain::hash(domain::THRESHOLD_KEY, &key.encode()));
        key
    }

    /// Returns the key's identifier, which every share and every record binds.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// Returns the committee that holds the key.
    pub fn committee(&self) -> CommitteeId {
        self.committee
    }

    /// Returns the number of parties and of faulty parties.
    pub fn tolerance(&self) -> Tolerance {
        self.tolerance
    }

    /// Returns Y = x·G.
    pub fn element(&self) -> &G::Element {
        &self.element
    }

    /// Verifies a signature made under a tag. Over secp256k1 the tag is not part of the signed bytes, and
    /// [`verify_message`](GroupKey::verify_message) is equivalent. Cost: two multiplications in one pass, and an
    /// inversion in the field; less once the table of the key exists.
    ///
    /// # Errors
    /// [`Error::BadSignature`].
    pub fn verify<C: Class>(&self, tag: Tag<C>, message: &[u8], signature: &Signature<G>) -> Result<()> {
        self.verify_slot(&self.slot(tag.epoch(), tag.index()), message, signature)
    }

    fn verify_slot(&self, slot: &Slot, message: &[u8], signature: &Signature<G>) -> Result<()> {
        let bytes = signature.to_bytes();
        let s = G::parse(&bytes)?;
        let numbers = G::numbers(slot, message, &bytes);
        if numbers.is_some_and(|[h, r]| self.is_valid(&bytes, h, r, &s)) {
            Ok(())
        } else {
            Err(Error::BadSignature { signers: Vec::new() })
        }
    }

    /// Verifies a signature with known h and r.
    pub(super) fn verify_numbers(&self, signature: &Signature<G>, h: G::Scalar, r: G::Scalar) -> bool {
        let bytes = signature.to_bytes();
        G::parse(&bytes).is_ok_and(|s| self.is_valid(&bytes, h, r, &s))
    }

    /// Returns true if R = (h/s)·G + (r/s)·Y.
    fn is_valid(&self, signature: &[u8; 64], h: G::Scalar, r: G::Scalar, s: &G::Scalar) -> bool {
        let Some(inverse) = s.invert_public() else { return false };
        let nonce = self.double(&(r * inverse), &(h * inverse));
        nonce != G::identity() && G::is_nonce(&nonce, signature)
    }

    /// Returns a · Y + b · G in variable time.
    fn double(&self, a: &G::Scalar, b: &G::Scalar) -> G::Element {
        self.tables.double(a, &self.element, b)
    }

    pub(super) fn slot(&self, epoch: u64, index: u32) -> Slot {
        Slot { key: self.id, epoch, index }
    }
}

impl GroupKey<Secp256k1> {
    /// Verifies a signature as any ECDSA library would, with SHA-256, and also refuses high s.
    ///
    /// # Errors
    /// [`Error::BadSignature`].
    pub fn verify_message(&self, message: &[u8], signature: &Signature<Secp256k1>) -> Result<()> {
        self.verify_slot(&self.slot(0, 0), message, signature)
    }

    /// Returns the key as a SubjectPublicKeyInfo in DER, which OpenSSL reads (`-pubin -inform DER`).
    pub fn to_spki_der(&self) -> Vec<u8> {
        // SEQUENCE { SEQUENCE { id-ecPublicKey, secp256k1 }, BIT STRING of a compressed point }
        const HEAD: [u8; 23] = [
            0x30, 0x36, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x05, 0x2b,
            0x81, 0x04, 0x00, 0x0a, 0x03, 0x22, 0x00,
        ];
        let mut w = Writer::new();
        w.raw(&HEAD);
        Secp256k1::encode_element(&self.element, &mut w);
        w.into_bytes()
    }
}

/// Compares the keys without their tables.
impl<G: Curve> PartialEq for GroupKey<G> {
    fn eq(&self, other: &Self) -> bool {
        let parts = |key: &Self| (key.id, key.committee, key.tolerance, key.element);
        parts(self) == parts(other)
    }
}

impl<G: Curve> Eq for GroupKey<G> {}

impl<G: Curve> fmt::Debug for GroupKey<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupKey")
            .field("id", &self.id)
            .field("committee", &self.committee)
            .field("tolerance", &self.tolerance)
            .field("element", &self.element)
            .finish_non_exhaustive()
    }
}

/// Encoding: suite 1 ‖ committee 32 ‖ parties u16 ‖ faulty u16 ‖ element.
impl<G: Curve> Encode for GroupKey<G> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(G::SUITE);
        self.committee.encode_to(w);
        w.u16(self.tolerance.parties());
        w.u16(self.tolerance.faulty());
        G::encode_element(&self.element, w);
    }
}

impl<G: Curve> Decode for GroupKey<G> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        r.expect_u8("suite of the threshold key", G::SUITE)?;
        let committee = CommitteeId::decode_from(r, &())?;
        let tolerance = Tolerance::new(r.u16()?, r.u16()?)?;
        Ok(Self::new(committee, tolerance, G::decode_element(r, "threshold key")?))
    }
}
