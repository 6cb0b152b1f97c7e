use core::fmt;
use core::hash::Hash;

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use rand_core::TryCryptoRng;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

use super::element::{Element, half, read_scalar};
use super::public::PublicKeys;
use super::share::{Instance, Share};
use crate::committee::CommitteeId;
use crate::machine::MemberIndex;
use crate::scheme::sealed::Sealed;
use crate::threshold::{SecretScalar, ShareIndex};
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// What keys are for. Keys of one purpose do not fit where those of another belong, in Rust nor on the wire.
pub trait Purpose: Sealed + Copy + Eq + Ord + Hash + fmt::Debug + Send + Sync + 'static {
    /// The byte that keys and proofs carry.
    const NUMBER: u8;
    /// A short name for people.
    const NAME: &'static str;
}

/// A member's secret xᵢ, with what it belongs to. Handed out by the dealer; never copied, printed or compared in variable
/// time, and wiped when dropped.
pub struct KeyShare<P: Purpose> {
    committee: CommitteeId,
    key: Element,
    index: ShareIndex,
    secret: SecretScalar<Scalar>,
    public: Element,
    purpose: core::marker::PhantomData<P>,
}

impl<P: Purpose> KeyShare<P> {
    /// Bytes of [`to_bytes`](KeyShare::to_bytes).
    pub const LEN: usize = 99;

    pub(super) fn new(
        committee: CommitteeId,
        key: Element,
        index: ShareIndex,
        secret: SecretScalar<Scalar>,
    ) -> Result<Self> {
        let public = Element::of(RistrettoPoint::mul_base(secret.expose()))?;
        Ok(Self { committee, key, index, secret, public, purpose: core::marker::PhantomData })
    }

    /// Whose share it is.
    pub fn member(&self) -> MemberIndex {
        self.index.member()
    }

    /// For which committee it was dealt.
    pub fn committee(&self) -> CommitteeId {
        self.committee
    }

    /// xᵢ·G, which everybody knows.
    pub fn verification_key(&self) -> &Element {
        &self.public
    }

    /// Checks that the dealer gave this member the secret of its verification key. To be done once, when the share
    /// comes in: a wrong one would make wrong shares later, and their maker the culprit.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for other keys than these, [`Error::UnknownSigner`], [`Error::BadShare`].
    pub fn check(&self, keys: &PublicKeys<P>) -> Result<()> {
        if self.committee != keys.committee() {
            return Err(Error::WrongContext { what: "committee" });
        }
        if self.key != *keys.key() {
            return Err(Error::WrongContext { what: "key" });
        }
        let member = self.member();
        let expected = keys.verification_key(member).ok_or(Error::UnknownSigner { index: member.into() })?;
        if expected.as_bytes().ct_eq(self.public.as_bytes()).into() {
            Ok(())
        } else {
            Err(Error::BadShare { members: [member].into() })
        }
    }

    /// To be kept as secret as a signing key: purpose 1 ‖ committee 32 ‖ key 32 ‖ member u16 ‖ secret 32.
    pub fn to_bytes(&self) -> Zeroizing<[u8; 99]> {
        let mut bytes = Zeroizing::new([0; 99]);
        let secret = Zeroizing::new(self.secret.expose().to_bytes());
        let fields: [&[u8]; 5] = [
            &[P::NUMBER],
            &self.committee.0,
            self.key.as_bytes(),
            &self.member().to_le_bytes(),
            secret.as_slice(),
        ];
        for (to, from) in bytes.iter_mut().zip(fields.into_iter().flatten()) {
            *to = *from;
        }
        bytes
    }

    /// Reads [`to_bytes`](KeyShare::to_bytes). [`check`](KeyShare::check) it then.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another purpose, [`Error::Infinity`] for a secret of zero, and what is wrong with the
    /// bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut r = Reader::new(bytes);
        read_purpose::<P>(&mut r)?;
        let committee = CommitteeId::decode_from(&mut r, &())?;
        let key = Element::decode_from(&mut r, "threshold key")?;
        let index = ShareIndex::of_member(r.u16()?)?;
        let secret = Zeroizing::new(read_scalar(&mut r, "secret share")?);
        r.finish()?;
        Self::new(committee, key, index, SecretScalar::new(*secret))
    }

    /// xᵢ·B with its proof. Cost: two multiplications, one of the generator, three encodings.
    ///
    /// k is a hash of the secret, of what is proven, and of fresh random bytes: should the generator repeat itself, two
    /// proofs still have different k, and the same proof says nothing new.
    pub(crate) fn prove<R: TryCryptoRng + ?Sized>(
        &self,
        instance: &Instance<P>,
        rng: &mut R,
    ) -> Result<Share<P>> {
        instance.belongs_to(self.committee, &self.key)?;
        let k = self.nonce(instance, rng)?;
        let (half_x, half_k) = (Zeroizing::new(half(self.secret.expose())), Zeroizing::new(half(&k)));
        let on_base = |scalar: &Scalar| instance.base.point() * scalar;
        let [point, a1, a2] =
            Element::doubled(&[on_base(&half_x), RistrettoPoint::mul_base(&half_k), on_base(&half_k)])?;
        let mut share = Share::new(self.index, point, a1, a2, Scalar::ZERO);
        let c = share.challenge(instance, &self.public).scalar();
        share.z = *k + c * self.secret.expose();
        Ok(share)
    }

    fn nonce<R: TryCryptoRng + ?Sized>(
        &self,
        instance: &Instance<P>,
        rng: &mut R,
    ) -> Result<Zeroizing<Scalar>> {
        let mut fresh = Zeroizing::new([0; 32]);
        rng.try_fill_bytes(&mut *fresh).map_err(|_| Error::Rng)?;
        let secret = Zeroizing::new(self.secret.expose().to_bytes());
        let mut hasher = domain::hasher(domain::DLEQ_NONCE);
        hasher.update(&*secret).update(&*fresh).update(&[P::NUMBER]);
        hasher.update(instance.base.as_bytes()).update(&instance.context);
        let mut wide = Zeroizing::new([0; 64]);
        let mut output = hasher.finalize_xof();
        output.fill(&mut *wide);
        output.zeroize();
        hasher.zeroize();
        Ok(Zeroizing::new(Scalar::from_bytes_mod_order_wide(&wide)))
    }
}

/// Without the secret.
impl<P: Purpose> fmt::Debug for KeyShare<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyShare({}, member {} of {})", P::NAME, self.member(), self.committee)
    }
}

pub(super) fn read_purpose<P: Purpose>(r: &mut Reader<'_>) -> Result<()> {
    if r.u8()? == P::NUMBER { Ok(()) } else { Err(Error::WrongContext { what: "purpose" }) }
}

pub(super) fn write_keys<P: Purpose>(committee: CommitteeId, key: &Element, w: &mut Writer) {
    w.u8(P::NUMBER);
    committee.encode_to(w);
    key.encode_to(w);
}
