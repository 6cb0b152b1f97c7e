use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::curve::{Curve, Signature};
use super::tables::Tables;
use super::tag::Tag;
use crate::committee::CommitteeId;
use crate::threshold::tolerance::{Class, Tolerance};
use crate::threshold::{Group, Secp256k1};
use crate::wire::context::Context;
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

const SIGNING: Context = Context::new(domain::THRESHOLD_SIGNING);

/// Which threshold key: a hash of the group, the committee, the tolerance and the key itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub [u8; 32]);

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({}…)", hex::encode(self.0.get(..4).unwrap_or_default()))
    }
}

/// The public key of a committee: what its signatures verify under.
///
/// Memory: with `std`, from the 17th signature on that is verified under it, about 62 kB for secp256k1, and from the 129th
/// on about 31 kB for ristretto255: multiples of the key, which its clones share. That verification computes them and takes
/// longer, and whoever verifies under the key meanwhile waits. A key that is decoded anew for each signature never comes
/// to have them.
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

    /// Its name, which every share and every record binds.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// Whose key it is.
    pub fn committee(&self) -> CommitteeId {
        self.committee
    }

    /// How many parties there are and how many may be faulty.
    pub fn tolerance(&self) -> Tolerance {
        self.tolerance
    }

    /// Y = x·G.
    pub fn element(&self) -> &G::Element {
        &self.element
    }

    /// Checks a signature that was made under a tag. Over secp256k1 the tag is not part of what is signed, and
    /// [`verify_message`](GroupKey::verify_message) does as well. Cost: two multiplications in one pass, and an
    /// inversion in the field; less once the key's multiples are there.
    ///
    /// # Errors
    /// [`Error::BadSignature`].
    pub fn verify<C: Class>(&self, tag: Tag<C>, message: &[u8], signature: &Signature<G>) -> Result<()> {
        signature.verify(self, &self.slot(tag.epoch(), tag.index()), message)
    }

    /// a · Y + b · G in variable time.
    pub(super) fn double(&self, a: &G::Scalar, b: &G::Scalar) -> G::Element {
        self.tables.double(a, &self.element, b)
    }

    pub(super) fn slot(&self, epoch: u64, index: u32) -> Slot {
        Slot { key: self.id, epoch, index }
    }
}

impl GroupKey<Secp256k1> {
    /// Checks a signature as any ECDSA library would, with SHA-256, and refuses high s besides.
    ///
    /// # Errors
    /// [`Error::BadSignature`].
    pub fn verify_message(&self, message: &[u8], signature: &Signature<Secp256k1>) -> Result<()> {
        signature.verify(self, &self.slot(0, 0), message)
    }

    /// The key as a SubjectPublicKeyInfo in DER, which OpenSSL reads (`-pubin -inform DER`).
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

/// Whether it is the same key, whatever either keeps of it.
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

/// suite 1 ‖ committee 32 ‖ parties u16 ‖ faulty u16 ‖ element.
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
        if r.u8()? != G::SUITE {
            return Err(Error::WrongContext { what: "suite of the threshold key" });
        }
        let committee = CommitteeId::decode_from(r, &())?;
        let tolerance = Tolerance::new(r.u16()?, r.u16()?)?;
        Ok(Self::new(committee, tolerance, G::decode_element(r, "threshold key")?))
    }
}

/// One presignature of one key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot {
    /// The key.
    pub key: KeyId,
    /// The epoch.
    pub epoch: u64,
    /// The index within the epoch.
    pub index: u32,
}

impl Slot {
    /// key 32 ‖ epoch u64 ‖ index u32.
    pub(super) fn bytes(&self) -> [u8; 44] {
        let mut bytes = [0; 44];
        let parts = self.key.0.into_iter().chain(self.epoch.to_le_bytes()).chain(self.index.to_le_bytes());
        bytes.iter_mut().zip(parts).for_each(|(to, from)| *to = from);
        bytes
    }

    /// What the presignature signs, in 32 bytes: shares of different keys, epochs, indices or messages never have the
    /// same.
    pub fn digest(&self, message: &[u8]) -> [u8; 32] {
        let mut hasher = SIGNING.hasher();
        *hasher.update(&self.bytes()).update(message).finalize().as_bytes()
    }
}
