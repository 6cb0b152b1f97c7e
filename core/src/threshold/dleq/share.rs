use core::marker::PhantomData;

use curve25519_dalek::scalar::Scalar;

use super::element::{Element, challenge_bits, read_scalar};
use super::purpose::Purpose;
use crate::committee::CommitteeId;
use crate::machine::MemberIndex;
use crate::threshold::index::ShareIndex;
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The statement that shares are made for: a base of unknown logarithm and a context. Only a verified ciphertext or a
/// coin's name yields an instance, so a key share cannot be made to multiply a point of the caller's choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance<P: Purpose> {
    committee: CommitteeId,
    key: [u8; 32],
    pub(super) base: Element,
    pub(super) context: [u8; 32],
    purpose: PhantomData<P>,
}

impl<P: Purpose> Instance<P> {
    /// Creates an instance. The caller guarantees that the logarithm of the base is unknown.
    pub(crate) fn new(committee: CommitteeId, key: &Element, base: Element, context: [u8; 32]) -> Self {
        Self { committee, key: *key.as_bytes(), base, context, purpose: PhantomData }
    }

    /// Returns the identifier that the shares' proofs bind: a hash of the ciphertext or of the coin's name.
    pub fn id(&self) -> [u8; 32] {
        self.context
    }

    /// Returns the base that shares are multiples of.
    pub fn base(&self) -> &Element {
        &self.base
    }

    pub(super) fn belongs_to(&self, committee: CommitteeId, key: &Element) -> Result<()> {
        if self.committee != committee {
            return Err(Error::WrongContext { what: "committee" });
        }
        if self.key != *key.as_bytes() {
            return Err(Error::WrongContext { what: "key" });
        }
        Ok(())
    }
}

/// A member's share with its proof, as received: 130 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share<P: Purpose> {
    pub(super) index: ShareIndex,
    pub(super) point: Element,
    pub(super) a1: Element,
    pub(super) a2: Element,
    pub(super) z: Scalar,
    purpose: PhantomData<P>,
}

/// A challenge c, with the whole hash that it is the start of.
pub(super) struct Challenge([u8; 32]);

impl Challenge {
    pub(super) fn scalar(&self) -> Scalar {
        challenge_bits(&self.0).into()
    }

    pub(super) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl<P: Purpose> Share<P> {
    /// Length of an encoded share in bytes.
    pub const LEN: usize = 130;

    pub(super) fn new(index: ShareIndex, point: Element, a1: Element, a2: Element, z: Scalar) -> Self {
        Self { index, point, a1, a2, z, purpose: PhantomData }
    }

    /// Returns the claimed member. **It is unproven until the share is verified**; compare it with the sender of the
    /// link.
    pub fn member(&self) -> MemberIndex {
        self.index.member()
    }

    pub(super) fn challenge(&self, instance: &Instance<P>, key: &Element) -> Challenge {
        self.challenge_on(&instance.base, &instance.context, key)
    }

    pub(super) fn challenge_on(&self, base: &Element, context: &[u8; 32], key: &Element) -> Challenge {
        let mut hasher = domain::hasher(domain::DLEQ_CHALLENGE);
        hasher.update(&[P::NUMBER]).update(&self.member().to_le_bytes());
        for element in [key, base, &self.point, &self.a1, &self.a2] {
            hasher.update(element.as_bytes());
        }
        Challenge(*hasher.update(context).finalize().as_bytes())
    }
}

/// Encoding: member u16 ‖ U 32 ‖ A₁ 32 ‖ A₂ 32 ‖ z 32.
impl<P: Purpose> Encode for Share<P> {
    fn encode_to(&self, w: &mut Writer) {
        w.u16(self.member());
        for element in [&self.point, &self.a1, &self.a2] {
            element.encode_to(w);
        }
        w.raw(self.z.as_bytes());
    }
}

/// Cost: three inverse square roots, 0.4 of a multiplication.
impl<P: Purpose> Decode for Share<P> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let index = ShareIndex::from_member(r.u16()?)?;
        let point = Element::decode_from(r, "share")?;
        let a1 = Element::decode_from(r, "A1 of a share's proof")?;
        let a2 = Element::decode_from(r, "A2 of a share's proof")?;
        let z = read_scalar(r, "z of a share's proof")?;
        Ok(Self::new(index, point, a1, a2, z))
    }
}

/// A share that was verified for one instance. Only verified shares can be combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VerifiedShare<P: Purpose> {
    index: ShareIndex,
    point: Element,
    instance: [u8; 32],
    key: [u8; 32],
    purpose: PhantomData<P>,
}

impl<P: Purpose> VerifiedShare<P> {
    pub(super) fn assume(share: &Share<P>, instance: &Instance<P>) -> Self {
        let (instance, key) = (instance.context, instance.key);
        Self { index: share.index, point: share.point, instance, key, purpose: PhantomData }
    }

    /// Returns the member that made the share.
    pub fn member(&self) -> MemberIndex {
        self.index.member()
    }

    pub(super) fn index(&self) -> ShareIndex {
        self.index
    }

    pub(super) fn point(&self) -> &Element {
        &self.point
    }

    pub(super) fn belongs_to(&self, instance: &Instance<P>) -> Result<()> {
        if self.instance == instance.context && self.key == instance.key {
            Ok(())
        } else {
            Err(Error::WrongContext { what: "instance of a share" })
        }
    }
}
